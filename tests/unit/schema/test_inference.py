import numpy as np
import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.schema import Schema

N = 400


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def drafted(step="decimals", **columns):
    return Schema.infer(pd.DataFrame(columns), step=step)


def test_the_label_and_the_index_are_left_out_when_named(rng):
    table = pd.DataFrame({"nr": range(N), "age": rng.integers(18, 90, N), "paid": [0, 1] * 200})
    assert Schema.infer(table, label="paid", index="nr").names == ("age",)
    assert Schema.infer(table.set_index("nr"), label="paid", index="nr").names == ("age",)
    with pytest.raises(InputError, match="no column 'outcome' for the label; there are 'nr'"):
        Schema.infer(table, label="outcome")
    with pytest.raises(InputError, match="the table has no columns"):
        Schema.infer(table[["nr", "paid"]], label="paid", index="nr")


@pytest.mark.parametrize("name", ["id", "customer_id", "CustomerID", "LoanNr", "loan_number", "x"])
def test_what_looks_like_an_identifier_may_not_move_and_is_flagged(name, rng):
    draft = drafted(**{name: rng.permutation(N) + 1000, "rooms": rng.integers(18, 90, N)})
    assert draft.mutable.tolist() == [False, True]
    assert list(draft.draft.suspects) == [name]
    text = draft.to_toml()
    assert f"[features.{name}]\n# seen: 1,000 to 1,399, 400 different values\n" in text
    assert "# looks like an identifier" in text
    assert f"draft again with --index {name}" in text
    assert not draft.draft.relations


@pytest.mark.parametrize(
    ("values", "dates"),
    [
        ([202301, 202307, 202312, 202401], True),
        ([20230131, 20230701, 20231224], True),
        ([202301, 202307, 202313], False),
        ([20230131, 20230732, 20231224], False),
        ([202301, 202312], False),  # two of them may be anything
        ([1_202_301, 202_307, 202_312], False),
    ],
)
def test_dates_written_as_numbers_may_not_move_and_are_flagged(values, dates):
    found = Schema.infer(
        pd.DataFrame({"since": values * 9, "x": [1.5, 2.5, 3.25] * len(values) * 3})
    )
    assert ("looks like dates" in found.draft.suspects.get("since", "")) == dates
    assert dates <= (not found["since"].mutable)


def test_identifiers_with_gaps_are_known_by_their_name_only(rng):
    numbers = rng.choice(10**9, N, replace=False)
    assert list(drafted(contract_no=numbers, income=numbers).draft.suspects) == ["contract_no"]
    assert not drafted(number_of_lines=rng.integers(0, 9, N)).draft.suspects


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("label", (-1, 1)),
        ("Default", (0, 1)),
        ("class", (1, 2)),
        ("y", (0, 1)),
        ("default_payment_next_month", (0, 1)),
        ("credit_risk", (0, 1)),
    ],
)
def test_what_looks_like_the_label_may_not_move_and_is_flagged(name, values, rng):
    draft = drafted(**{name: rng.choice(values, N), "rooms": rng.integers(18, 90, N)})
    assert draft.mutable.tolist() == [False, True]
    assert "looks like the label" in draft.draft.suspects[name]
    assert f"draft again with --label {name}" in draft.to_toml()


def test_a_class_with_three_values_is_not_the_label(rng):
    assert not drafted(**{"class": rng.integers(1, 4, N)}).draft.suspects


def test_a_label_with_the_name_of_a_result_column_is_explained(rng):
    table = pd.DataFrame({"outcome": rng.integers(0, 2, N), "age": rng.integers(18, 90, N)})
    with pytest.raises(InputError, match="name it as the label"):
        Schema.infer(table)
    assert Schema.infer(table, label="outcome").names == ("age",)


@pytest.mark.parametrize("pair", [(1, 2), (10, 20), (0, 5), (-1, 0), (0.5, 1), (0.1, 0.2), (2, 4)])
def test_a_code_with_two_values_is_no_count_and_admits_no_third_value(pair, rng):
    draft = drafted(code=rng.choice(pair, N))
    (feature,) = draft.features
    assert feature.kind == ("ordinal" if pair[0] % 1 == 0 else "positive")
    domain = draft.complete({"code": np.array(pair, dtype=float)})
    tried = np.unique(np.concatenate([pair, np.arange(-30, 60) / 2, np.arange(-20, 20) / 10]))
    for own in pair:
        admitted = domain.admits([float(own)], tried[:, None])
        assert tried[admitted].tolist() == sorted(map(float, pair))


@pytest.mark.parametrize("pair", [(-1, 1), (1, 3), (3, 8), (0.25, 0.75)])
def test_a_code_that_no_grid_can_hold_may_not_move_and_says_why(pair, rng):
    draft = drafted(code=rng.choice(pair, N))
    (feature,) = draft.features
    assert (feature.mutable, feature.kind) == (False, "ordinal" if pair[0] % 1 == 0 else "positive")
    assert "recode" in draft.to_toml()
    domain = draft.complete({"code": np.array(pair, dtype=float)})
    tried = np.arange(-20, 40) / 4
    assert tried[domain.admits([float(pair[0])], tried[:, None])].tolist() == [pair[0]]


def test_two_people_do_not_make_a_code():
    assert drafted(age=[31, 45]).features[0].kind == "count"


@pytest.mark.parametrize(
    ("make", "step"),
    [
        (lambda rng: rng.lognormal(10, 1, N).round(), 1),
        (lambda rng: rng.integers(1, 60, N) * 10_000, 10_000),
        (lambda rng: rng.integers(0, 60, N) * 10, 10),
        (lambda rng: np.where(np.arange(N) % 50 == 0, 12_345, rng.integers(1, 90, N) * 100), 100),
        (lambda rng: np.array([20_000, 50_000, 90_000, 0]), 10_000),
    ],
)
def test_money_is_an_amount_with_its_step_and_not_a_count(make, step, rng):
    draft = drafted(amount=make(rng))
    (feature,) = draft.features
    assert (feature.kind, feature.step) == ("positive", step)
    assert "amounts, not a count" in draft.to_toml()


def test_a_common_step_is_found_in_every_kind(rng):
    draft = drafted(
        months=rng.integers(1, 7, N) * 12,
        quarter=rng.integers(0, 40, N) * 0.25,
        balance=rng.integers(-9, 10, N) * 500,
        age=rng.integers(18, 90, N),
        ratio=rng.random(N).round(3),
    )
    found = {f.name: (f.kind, f.step) for f in draft}
    assert found == {
        "months": ("count", 12),
        "quarter": ("positive", 0.25),
        "balance": ("real", 500),
        "age": ("count", None),
        "ratio": ("positive", 0.001),
    }


def test_a_few_round_numbers_are_no_step():
    assert drafted(age=[30, 40, 50]).features[0].step is None


def test_small_whole_numbers_stay_counts(rng):
    draft = drafted(kids=rng.poisson(1, N), grade=rng.integers(1, 6, N), constant=[7] * N)
    assert [f.kind for f in draft] == ["count"] * 3
    assert "only one value was seen" in draft.to_toml()


def test_every_guess_is_a_comment_and_the_draft_reads_back_the_same(rng):
    draft = drafted(
        income=rng.integers(1, 90, N) * 100, sex=rng.integers(1, 3, N), own=[True, False] * 200
    )
    text = draft.to_toml()
    for block in text.split("[features.")[1:]:
        assert "# seen: " in block
        assert "# guess: " in block
    assert "valid = [least, greatest]" in text
    assert (Schema.from_toml(text), Schema.from_toml(text).digest) == (draft, draft.digest)


@pytest.mark.parametrize(
    "pair", [(-1.7e308, 1.7e308), (5e-324, 1e-323), (1e300, 2e300), (0, 2**60)]
)
@pytest.mark.parametrize("step", ["auto", "decimals"])
def test_numbers_at_the_end_of_all_numbers_are_drafted_too(pair, step):
    draft = drafted(step, x=list(pair) * 10, y=[*pair] * 9 + [0.5, 0.25])
    assert Schema.from_toml(draft.to_toml()).digest == draft.digest
    draft.complete({"x": np.array(pair, dtype=float), "y": np.array(pair, dtype=float)})


def test_many_columns_get_a_draft_without_relations_and_the_note_says_so(rng):
    table = pd.DataFrame(rng.integers(0, 9, (30, 2000))).add_prefix("c")
    draft = Schema.infer(table)
    assert len(draft) == 2000
    assert not draft.draft.relations
    assert "# No relations are proposed: they are looked for among at most 100" in draft.to_toml()


def test_more_columns_than_a_person_can_check_are_refused():
    table = pd.DataFrame(np.zeros((2, 100_000)))
    with pytest.raises(
        InputError, match="has 100,000 columns; a schema is drafted for at most 10,"
    ):
        Schema.infer(table)


def test_inputs_that_must_add_up_share_a_step_and_rounder_ones_keep_theirs() -> None:
    rng = np.random.default_rng(0)
    net, tax = (np.round(rng.lognormal(7, 1, 400), 2) for _ in range(2))
    rent = rng.integers(1, 40, 400) * 50.0
    gross = np.round(net + tax, 2)
    draft = Schema.infer(pd.DataFrame({"net": net, "tax": tax, "gross": gross, "rent": rent}))
    assert {name: draft[name].step for name in draft.names} == {
        "net": 0.01, "tax": 0.01, "gross": 0.01, "rent": 50
    }  # fmt: skip
    assert any("they must add up" in line for line in draft.draft.guesses["tax"])
    hundreds = pd.DataFrame({"net": np.rint(net) * 100, "tax": np.rint(tax) * 100})
    hundreds["gross"] = hundreds.sum(axis=1)
    draft = Schema.infer(hundreds)
    assert {draft[name].step for name in draft.names} == {100}
