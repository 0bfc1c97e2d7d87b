import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from standfast import Feature, InputError, Linear, MinimalCost, Percentiles, Schema, recommend
from standfast.search.problem.price import Price

TABLE = pd.DataFrame({"a": [0.0, 1.0, 1.0, 2.0, 5.0], "b": [3.0, 3.0, 4.0, 8.0, 9.0]})
Q = Percentiles.fit(TABLE)
UNITS = np.array([2.0, 0.5])
X = np.array([[1.0, 3.0], [0.0, 9.0], [-4.0, 3.5]])
Y = np.array([[2.0, 3.0], [5.0, 3.0], [-4.0, 12.0]])


@pytest.mark.parametrize("kind", ["total", "max", "log"])
def test_percentile_prices_are_those_of_the_percentiles(kind):
    assert Price(kind).of(X, Y, Q) == pytest.approx(Q.cost(kind, X, Y))


def test_l1_adds_moves_in_units_and_l2_is_their_root():
    moves = np.abs(Y - X) / UNITS
    assert Price("l1", UNITS).of(X, Y, Q) == pytest.approx(moves.sum(axis=1))
    assert Price("l2", UNITS).of(X, Y, Q) == pytest.approx(np.sqrt((moves**2).sum(axis=1)))


def test_a_price_per_change_counts_inputs_that_change():
    plain, dear = Price("total").of(X, Y, Q), Price("total", per_change=0.3).of(X, Y, Q)
    assert dear - plain == pytest.approx([0.3, 0.6, 0.3])


@given(
    st.sampled_from(["total", "log", "l1", "l2"]),
    st.floats(-10, 15),
    st.lists(st.floats(-10, 15), min_size=2, max_size=2).map(sorted),
)
def test_a_cost_is_zero_where_one_stands_and_never_falls_farther_away(kind, own, others):
    price = Price(kind, UNITS if kind in ("l1", "l2") else None)
    stay, near, far = (np.array([[v, 3.0]]) for v in (own, *others))
    if others[1] <= own:
        near, far = far, near
    if (near[0, 0] - own) * (far[0, 0] - own) < 0:
        near = stay  # on different sides nothing is said
    assert price.of(stay, stay, Q)[0] == 0.0
    assert price.of(stay, near, Q)[0] <= price.of(stay, far, Q)[0]


def test_units_are_kept_as_they_were_given():
    units = np.array([1.0, 2.0])
    price = Price("l1", units)
    units[:] = 9.0
    assert price.units.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        price.units[0] = 3.0


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"kind": "euclid"}, "unknown cost 'euclid'; allowed: total, max, log, l1, l2"),
        ({"kind": "l1"}, "the cost 'l1' needs units"),
        ({"kind": "max", "units": UNITS}, "the cost 'max' takes no units"),
        ({"kind": "l2", "units": [1.0, 0.0]}, "units must be positive numbers"),
        ({"kind": "l2", "units": [1.0, np.inf]}, "units must be positive numbers"),
        ({"kind": "l1", "units": [[1.0, 1.0]]}, "units must be positive numbers, one per input"),
        ({"per_change": -0.1}, "per_change is -0.1; it must be 0 or a positive price"),
        ({"per_change": np.nan}, "per_change is nan"),
        ({"per_change": np.inf}, "per_change is inf"),
        ({"kind": "max", "per_change": 0.1}, "goes with additive costs: total, log or l1"),
        ({"kind": "l2", "units": UNITS, "per_change": 0.1}, "goes with additive costs"),
    ],
)
def test_a_price_that_makes_no_sense_is_refused_with_a_sentence(asked, sentence):
    with pytest.raises(InputError, match=sentence):
        Price(**asked)


COUNTS = Schema(
    (Feature("a", "count", lower=0, upper=100), Feature("b", "count", lower=0, upper=100))
)
EVERYBODY = pd.DataFrame({"a": np.arange(101), "b": np.arange(101)})


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6, 1e9])
@pytest.mark.parametrize("cost", ["l1", "l2"])
def test_large_and_small_units_give_the_same_cheapest_point(cost, unit):
    # the tie-break between equal costs must stay below the differences between costs
    method = MinimalCost(COUNTS, Percentiles.fit(EVERYBODY), cost=cost, units=[2 * unit, unit])
    model = Linear([0.4, 1.0], -9.3)
    recs = recommend(method, model, pd.DataFrame({"a": [0], "b": [0]}))
    choices = np.array([[a, b] for a in range(30) for b in range(30)], dtype=float)
    choices = choices[model.accepts(choices)]
    costs = method.price(np.zeros_like(choices), choices)
    assert recs.cost.iloc[0] == pytest.approx(costs.min(), rel=1e-6)
    assert recs.counterfactual.iloc[0].tolist() == choices[np.argmin(costs)].tolist()


@pytest.mark.parametrize(("cost", "span"), [("l1", 3e6), ("l2", 1e5)])
def test_an_input_with_a_long_tail_does_not_blur_the_cost_of_small_moves(cost, span):
    # in units of one dollar an income spans millions; a utilisation moves by thousandths
    schema = Schema(
        (
            Feature("income", "count", lower=0, upper=span),
            Feature("a", step=0.001, lower=0, upper=1),
            Feature("b", step=0.001, lower=0, upper=1),
        )
    )
    shares = np.linspace(0, 1, 101).round(2)
    table = pd.DataFrame({"income": np.linspace(0, span, 101).round(), "a": shares, "b": shares})
    method = MinimalCost(schema, Percentiles.fit(table), cost=cost, units=[1.0, 2.0, 1.0])
    model = Linear([0.0, 0.4, 1.0], -0.093)
    recs = recommend(method, model, pd.DataFrame({"income": [0], "a": [0.0], "b": [0.0]}))
    choices = np.array([[0.0, a, b] for a in shares[:30] for b in shares[:30]])
    choices = choices[model.accepts(choices)]
    cheapest = method.price(np.zeros_like(choices), choices).min()
    assert recs.outcome.iloc[0] == "minimal"
    assert recs.cost.iloc[0] <= cheapest * (1 + 1e-6)
