"""Relations that are tight, beside inputs that may be millions: proofs against brute force.

The tolerance of a relation is absolute near zero. A sum over what inputs may be at most, millions,
does not feel it: a level that keeps the relation exactly must not be ruled out for that.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.ensemble import RandomForestClassifier

import standfast as sf

NAMES = ["overdue", "owed", "owned", "paid"]
STEPS = [0.01, 1.0, 250_000.0, 20_000_000.0, 1e9]
RELATIONS = [
    ("overdue <= owed",),
    ("overdue + paid <= owned",),
    ("overdue <= owed", "owed <= owned"),
    ("owned == owed + paid",),
]


def problem(rng, relations):
    """Four inputs of a few values each, in steps of cents to a thousand million."""
    steps, counts = rng.choice(STEPS, 4), rng.integers(3, 6, 4)
    if len(relations) == 1 and "==" in relations[0]:
        steps[1:] = steps[1]  # or hardly a point keeps it
    below = steps * rng.choice([0, 0, 0, 1], 4)
    values = [
        np.round(s * np.arange(n) - b, 2) for s, n, b in zip(steps, counts, below, strict=True)
    ]
    features = tuple(
        sf.Feature(name, "real", lower=v[0], upper=v[-1], step=step)
        for name, v, step in zip(NAMES, values, steps, strict=True)
    )
    schema = sf.Schema(features, relations=relations)
    return schema, values, np.array(list(product(*values)))


def model(rng, kind, schema, points):
    weights = rng.normal(size=4) / np.maximum(np.ptp(points, axis=0), 0.01)
    said = points @ weights
    limit = np.quantile(said, rng.uniform(0.4, 0.9)) + 1e-6  # no point lies on the border
    if kind == "linear":
        return sf.Linear(weights, -limit)
    table = pd.DataFrame(points, columns=NAMES)
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(table, said > limit)
    return sf.as_score(forest, schema, favourable=True)


@pytest.mark.parametrize("relations", RELATIONS)
@pytest.mark.parametrize("kind", ["linear", "forest"])
@pytest.mark.parametrize("cost", ["total", "max"])
def test_proofs_hold_where_relations_are_tight_and_inputs_may_be_millions(relations, kind, cost):
    rng = np.random.default_rng([RELATIONS.index(relations), len(kind), len(cost)])
    judged = 0
    while judged < 60:
        schema, values, points = problem(rng, relations)
        known = pd.DataFrame({n: rng.choice(v, 12) for n, v in zip(NAMES, values, strict=True)})
        search = sf.MinimalCost(schema, sf.Percentiles.fit(known), cost=cost)
        points = points[search.domain.half_spaces.excess(points).max(axis=-1) <= 0.0]
        if len(points) < 2:
            continue
        f = model(rng, kind, schema, points)
        accepted = f.accepts(points)
        people = rng.permutation(points[~accepted])[:6]
        if not len(people):
            continue
        found = sf.recommend(search, f, pd.DataFrame(people, columns=NAMES))
        for x, outcome, price in zip(people, found.outcome, found.cost, strict=True):
            if not accepted.any():
                assert outcome == "infeasible"
                continue
            prices = search.price(np.tile(x, (accepted.sum(), 1)), points[accepted])
            assert (outcome, price) == ("minimal", pytest.approx(prices.min(), abs=1e-9)), x
        judged += len(people)


def earners(rng, n):
    """Incomes in cents that add up, and debts, from hundreds to millions."""
    table = pd.DataFrame(
        {
            "salary": np.round(rng.lognormal(9, 2, n), 2),
            "bonus": np.round(rng.lognormal(8, 2, n) * (rng.random(n) < 0.6), 2),
            "debt": np.round(rng.lognormal(9, 2, n)),
        }
    ).clip(upper=2e7)
    return table.assign(income=(table["salary"] + table["bonus"]).round(2))


def reach(known, x, step, t):
    """The least and the greatest value up to 4e7 at most t from x, in shares of people."""
    known = np.sort(known)
    starts = np.concatenate([[0.0], known])
    shares = known.searchsorted(starts, "right") / len(known)
    near = abs(shares - known.searchsorted(x, "right") / len(known)) <= t + 1e-9
    beyond = starts[starts > starts[near].max()]
    return min(x, starts[near].min()), max(x, beyond.min() - step if len(beyond) else 4e7)


@pytest.mark.parametrize("seed", range(4))
def test_the_least_maximal_shift_is_proven_where_equalities_in_cents_tie_incomes(seed):
    rng = np.random.default_rng(seed)
    steps = {"salary": 0.01, "bonus": 0.01, "debt": 1.0, "income": 0.01}
    schema = sf.Schema(
        tuple(sf.Feature(n, "positive", lower=0, upper=4e7, step=s) for n, s in steps.items()),
        relations=("income == salary + bonus",),
    )
    known, people = earners(rng, 250), earners(rng, 40)
    weights = np.array([0.3, 0.5, -1.0, 1.0]) / known.std().to_numpy()
    limit = np.quantile(known @ weights, 0.9)
    f = sf.Linear(weights, -limit)
    people = people[people @ weights < limit].head(4)
    search = sf.MinimalCost(schema, sf.Percentiles.fit(known), cost="max", boxes=200_000)
    found = sf.recommend(search, f, people)
    assert (found.outcome == "minimal").all()

    def most(x, t):
        """The most that a linear program finds within a shift; its corners are whole cents."""
        ends = [reach(known[n], x[n], step, t) for n, step in steps.items()]
        best = linprog(-weights, A_eq=[[1.0, 1.0, 0.0, -1.0]], b_eq=[0.0], bounds=ends)
        return weights @ best.x if best.success else -np.inf

    for (_, x), cost in zip(people.iterrows(), found.cost, strict=True):
        assert most(x, cost) > limit > most(x, cost - 1.0 / len(known))


@pytest.mark.parametrize("step", [0.1, 1_000_000.1, 9_999_999.9, 12_345_678.9])
@pytest.mark.parametrize("cost", ["total", "l1"])
def test_under_a_level_set_an_equality_leads_people_at_zero_to_millions(step, cost):
    rng = np.random.default_rng(0)
    names = ["income", "salary", "bonus"]
    schema = sf.Schema(
        tuple(
            sf.Feature(n, "real", lower=0, upper=round(k * step, 1), step=step)
            for n, k in zip(names, (6, 3, 3), strict=True)
        ),
        relations=("income == salary + bonus",),
    )
    parts = np.array(list(product(range(4), repeat=2)))
    points = np.round(np.column_stack([parts.sum(axis=1), parts]) * step, 1)
    known = pd.DataFrame(points[rng.integers(0, len(points), 80)], columns=names)
    good = known["income"] / step + rng.normal(size=80) > 3
    train = sf.Dataset(known, pd.Series(np.where(good, 1, -1)), schema, "earners")
    units = dict.fromkeys(names, step) if cost == "l1" else None
    search = sf.MinimalCost(schema, sf.Percentiles.fit(known), cost=cost, units=units)
    for epsilon in (0.001, 0.01):
        f = sf.LinearLevelSet.fit(train, C=1.0, epsilon=epsilon)
        accepted = points[f.score(points) > 0.0]
        found = sf.recommend(search, f, pd.DataFrame(points[:1], columns=names))
        prices = search.price(np.tile(points[0], (len(accepted), 1)), accepted)
        assert found.outcome.item() == "minimal"
        assert found.cost.item() == pytest.approx(prices.min(), abs=1e-9)


@pytest.mark.parametrize("weight", [1.0, 1e4, 7e8, 1e12])
@pytest.mark.parametrize("cost", ["total", "log"])
def test_an_input_that_weighs_much_makes_up_for_the_little_that_is_lacking(weight, cost):
    schema = sf.Schema(
        (
            sf.Feature("a", "real", lower=0, upper=300, step=100),
            sf.Feature("b", "real", lower=0, upper=3, step=1),
            sf.Feature("c", "real", lower=0, upper=1, step=0.1),
        ),
        relations=("c <= a + b",),
    )
    table = pd.DataFrame({"a": [0.0, 100.0, 200.0], "b": [0.0, 1.0, 3.0], "c": [0.0, 0.2, 1.0]})
    search = sf.MinimalCost(schema, sf.Percentiles.fit(table), cost=cost, per_change=0.0)
    found = sf.recommend(search, sf.Linear([weight, -3.0, -1.7], 0.0), table.head(1))
    assert found.outcome.tolist() == ["minimal"]
    assert found.counterfactual.iloc[0].tolist() == [100.0, 0.0, 0.0]
