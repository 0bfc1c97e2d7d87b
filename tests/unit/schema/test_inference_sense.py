"""Drafts that make sense: directions from labels, what nobody can act on, round steps."""

import numpy as np
import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.schema import Feature, Schema
from standfast.schema.steps import round_step

RNG = np.random.default_rng(3)
N = 600
INCOME = RNG.lognormal(8, 0.5, N).round()
LATE = RNG.poisson(1.0, N)
PAID = np.where(np.log(INCOME) - LATE + RNG.normal(0, 1, N) > 7, "paid", "lost")


def table(**more):
    columns = {"income": INCOME, "late": LATE, "shoe": RNG.normal(42, 3, N).round(1)}
    return pd.DataFrame({**columns, **more})


def comments(draft, name):
    block = draft.to_toml().split(f"[features.{name}]")[1].split("[features.")[0]
    return [line for line in block.splitlines() if line.startswith("#")]


def test_labels_give_directions_with_both_numbers_and_leave_open_what_they_do_not_show() -> None:
    draft = Schema.infer(table(), labels=PAID, favourable="paid")
    assert [f.direction for f in draft] == ["up", "down", "any"]
    for name, said in (("income", "more of it goes"), ("late", "less of it goes")):
        line = next(c for c in comments(draft, name) if "direction:" in c)
        assert said in line
        assert "rank correlation" in line
        assert "trend" in line
    assert any("left open" in c for c in comments(draft, "shoe"))
    assert Schema.from_toml(draft.to_toml()) == draft


def test_the_labels_may_be_a_column_a_series_or_several_favourable_ones() -> None:
    expected = Schema.infer(table(), labels=PAID, favourable="paid")
    by_name = Schema.infer(table(outcome=PAID), label="outcome", favourable="paid")
    aligned = Schema.infer(table(), labels=pd.Series(PAID), favourable={"paid", "early"})
    assert expected == by_name == aligned
    mirrored = Schema.infer(table(), labels=PAID, favourable="lost")
    assert [f.direction for f in mirrored] == ["down", "up", "any"]
    assert {f.direction for f in Schema.infer(table(outcome=PAID), label="outcome")} == {"any"}


def test_missing_values_and_categories_do_not_disturb_directions() -> None:
    town = np.where(PAID == "paid", "a", "b")
    holed = np.where(np.arange(N) % 3 == 0, np.nan, INCOME)
    draft = Schema.infer(table(income=holed, town=town), labels=PAID, favourable="paid")
    assert draft["income"].direction == "up"
    assert draft["town"].direction == "any"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"labels": PAID}, "labels is given without favourable"),
        ({"favourable": "paid"}, "favourable is given without labels"),
        ({"labels": PAID[:9], "favourable": "paid"}, "9 labels for 600 rows"),
        ({"labels": PAID, "favourable": "good"}, "but the labels hold 'paid', 'lost'"),
        ({"labels": ["paid"] * N, "favourable": "paid"}, "there must be at least two different"),
        ({"labels": [None, *PAID[1:]], "favourable": "paid"}, "1 of 600 labels are missing"),
        ({"labels": pd.Series(PAID).iloc[::-1], "favourable": "paid"}, "the table's own index"),
        ({"step": "round"}, "step is 'round'; allowed: auto, decimals"),
    ],
)
def test_labels_that_do_not_fit_are_refused_with_a_sentence(given, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        Schema.infer(table(), **given)


def test_what_people_cannot_act_on_may_not_move_and_says_why() -> None:
    names = ["age", "sex", "MonthsSinceLastDelay", "Trades60Ever2Derog", "average_balance", "stage"]
    draft = Schema.infer(pd.DataFrame({name: RNG.integers(0, 50, N) for name in names}))
    assert draft.mutable.tolist() == [False, False, False, False, True, True]
    assert any("time passes by itself" in c for c in comments(draft, "MonthsSinceLastDelay"))
    assert any("what ever happened stays" in c for c in comments(draft, "Trades60Ever2Derog"))


def test_what_may_be_past_is_a_comment_only() -> None:
    draft = Schema.infer(table())
    assert draft["late"].mutable
    assert any("about the past" in c for c in comments(draft, "late"))
    assert not any("about the past" in c for c in comments(draft, "income"))


@pytest.mark.parametrize(
    ("column", "unit", "step"),
    [
        (np.linspace(1000, 11_000, N), 1, 50),  # an inter-quartile range of 5,000
        (np.linspace(0, 1, N), 1e-9, 0.005),
        (np.linspace(0, 1.9, N), 1e-9, 0.01),
        (np.linspace(0, 1, N), 0.1, 0.1),  # never finer than the table
        (np.linspace(0, 20_000, N), 30, 150),  # a multiple of what the values have in common
        (np.append(np.linspace(0, 1.9, N), [1e6, 1e9]), 1e-9, 0.01),  # no tail counts
        (np.append(np.zeros(9 * N), np.linspace(0, 11_000, N)), 1, 100),  # mostly zeros
    ],
    ids=["income", "ratio", "wider ratio", "coarse table", "common step", "tail", "zeros"],
)
def test_steps_are_one_two_or_five_units_near_a_hundredth_of_the_quartiles(
    column, unit, step
) -> None:
    assert round_step(column, unit).size == step


def test_round_steps_are_found_by_trying_all_round_numbers() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        column = rng.lognormal(rng.uniform(-3, 9), rng.uniform(0.1, 2), 300)
        low, high = np.quantile(column, [0.25, 0.75])
        rounds = sorted(m * 10.0**k for k in range(-9, 9) for m in (1, 2, 5))
        expected = next(size for size in rounds if size >= (high - low) / 100)
        assert round_step(column, 1e-9).size == pytest.approx(expected)


def test_columns_without_spread_keep_the_tables_step() -> None:
    draft = Schema.infer(
        pd.DataFrame({"constant": [0.5] * N, "spike": [0.0] * (N - 2) + [0.25] * 2})
    )
    plain = Schema.infer(
        pd.DataFrame({"constant": [0.5] * N, "spike": [0.0] * (N - 2) + [0.25] * 2}),
        step="decimals",
    )
    assert [f.step for f in draft] == [f.step for f in plain]


def test_auto_is_the_default_and_decimals_are_as_fine_as_the_table() -> None:
    auto, fine = Schema.infer(table()), Schema.infer(table(), step="decimals")
    assert (auto["income"].step, fine["income"].step) == (50, 1)
    assert any("near one per cent" in c for c in comments(auto, "income"))
    assert (auto["late"].step, fine["late"].step) == (None, None)  # whole kinds stay whole


def test_an_odd_value_of_ones_own_stays() -> None:
    domain = Schema.infer(table()).complete(table())
    x = domain.matrix(table().assign(income=5463.0))[0]
    assert domain.admits(x, x)
    moved = x.copy()
    moved[0] = 5500
    assert domain.admits(x, moved)
    moved[0] = 5466
    assert not domain.admits(x, moved)


@pytest.mark.parametrize(
    ("laws", "says"),
    [
        ({"changes": ("a == b",)}, "'a == b' contradicts the directions"),
        ({"relations": ("a == b + 3",)}, "contradicts the directions: 'a' may only rise and 'b'"),
        ({"changes": ("2 * a <= b",)}, "so none of them could move; correct a direction"),
    ],
)
def test_a_direction_that_contradicts_a_law_is_refused(laws, says) -> None:
    up, down = Feature("a", direction="up"), Feature("b", direction="down")
    with pytest.raises(InputError, match=says.replace("*", r"\*").replace("+", r"\+")):
        Schema((up, down), **laws)


@pytest.mark.parametrize(
    "laws",
    [
        {"relations": ("a <= b",)},  # people with room between the two can move
        {"changes": ("b <= a",)},
        {"changes": ("a <= b + 5",)},
        {"changes": ("a + b == c",)},
    ],
)
def test_a_direction_that_leaves_a_move_is_not(laws) -> None:
    features = Feature("a", direction="up"), Feature("b", direction="down"), Feature("c")
    assert Schema(features, **laws).has_laws
