"""Rounder numbers at the same cost, against every value that costs the same."""

from dataclasses import replace
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest
from samples.stumps import stumps

import standfast as sf
from standfast.methods.method import Budget
from standfast.scores.score import surely_accepts
from standfast.search.exact.rounding import FARTHER, Decimals, roundest_first


def unit_of(value):
    """The largest 1, 2 or 5 × 10ᵏ that a number is a multiple of."""
    number = Decimal(repr(float(value)))
    if not number:
        return Decimal("inf")
    units = (m * Decimal(10) ** k for k in range(12, -13, -1) for m in (5, 2, 1))
    return next((unit for unit in units if number % unit == 0), Decimal(0))


def test_the_order_is_by_the_unit_and_then_by_the_distance():
    for least, greatest, step in product(
        (-130, -7, 0, 3, 96, 1740), (5, 21, 104, 1900), (1, 5, 50)
    ):
        wholes = [k * step for k in range(-200, 2000) if least <= k * step <= greatest]
        for up in (True, False):
            expected = sorted(wholes, key=lambda v, up=up: (-unit_of(v), v if up else -v))
            assert list(roundest_first(least, greatest, step, up)) == expected


@pytest.mark.parametrize("decimals", [Decimals(2, 5), Decimals(0, 50), Decimals(-2, 1)])
def test_neighbours_on_the_grid(decimals):
    for value in np.random.default_rng(0).uniform(-900, 900, 200):
        low, high = decimals.greatest(value), decimals.least(value)
        assert decimals.number(low) <= value <= decimals.number(high)
        assert high - low == decimals.step
        for whole in (low, high):
            number = decimals.number(whole)
            assert decimals.least(number) == decimals.greatest(number) == whole


# small worlds in which few people stand far apart


def drawn(rng):
    """A schema with fine steps, a table with few values, a model, the cost, and a person."""
    d, features, table = int(rng.integers(1, 4)), [], {}
    trees = rng.random() < 0.4
    size = 16 if trees else 120  # where values are many, only sums accept all beyond one of them
    for j in range(d):
        step = float(rng.choice([1.0, 0.1, 0.5, 5.0]))
        values = np.round(np.unique(rng.integers(0, size, int(rng.integers(3, 8)))) * step, 1)
        table[f"x{j}"] = rng.choice(values, 30)
        way = str(rng.choice(["any", "any", "up", "down"]))
        ends = {"lower": 0.0, "upper": round(size * step, 1)}
        features.append(sf.Feature(f"x{j}", direction=way, step=step, **ends))
    table = pd.DataFrame(table)
    relations = ("x0 <= 2 * x1 + 10",) if d > 1 and rng.random() < 0.4 else ()
    changes = ("x0 + x1 <= 40",) if d > 1 and rng.random() < 0.3 else ()
    schema = sf.Schema(tuple(features), relations, changes=changes)
    models = []
    for _ in range(int(rng.integers(1, 3))):
        spread = np.array([f.upper for f in features])
        weights = np.round(rng.normal(size=d) / spread, 4)
        if not trees or rng.random() < 0.3:
            models.append(sf.Linear(weights, round(float(rng.normal() * 0.3), 3)))
        else:
            splits = [
                (int(j), float(rng.uniform(0, spread[j])), *rng.normal(size=2).round(2))
                for j in rng.integers(0, d, 4)
            ]
            models.append(stumps(d, *splits, threshold=0.5))
    cost = str(rng.choice(["total", "total", "log", "max"]))
    people = table.sample(6, random_state=int(rng.integers(1 << 30)), ignore_index=True)
    people += np.round(rng.uniform(0, 3, people.shape), 2) * (rng.random(people.shape) < 0.3)
    return schema, table, sf.Unanimous(models), cost, people


def roundest(method, model, x, point):
    """Input by input the nearest value of equal cost, then the roundest not much farther away."""
    domain, point = method.domain, point.copy()
    for j, feature in enumerate(domain):
        if point[j] == x[j]:
            continue
        count = round(feature.upper / feature.step)
        values = np.array([round(k * feature.step, 6) for k in range(count + 1)])
        values = values[np.sign(values - x[j]) == np.sign(point[j] - x[j])]
        points, own = np.tile(point, (len(values), 1)), np.tile(x, (len(values), 1))
        points[:, j] = values
        alone = own.copy()
        alone[:, j] = values
        moves = method.price(own, alone)  # under the maximum each move is to cost the same
        fine = moves == moves[values == point[j]]
        fine &= domain.admits(own, points) & surely_accepts(model, points)
        ways = np.abs(values[fine] - x[j])
        near = values[fine][ways <= ways.min() + FARTHER * ways.min() * (1 + 1e-9)]
        point[j] = max(near, key=lambda v: (unit_of(v), -abs(v - x[j])))
    return point


@pytest.mark.parametrize("batch", range(3))
def test_every_number_is_the_roundest_that_costs_the_same(batch):
    compared = changed = 0
    for seed in range(40):
        schema, table, model, cost, people = drawn(np.random.default_rng([21, batch, seed]))
        method = sf.MinimalCost(schema, sf.Percentiles.fit(table), cost=cost, alternatives=2)
        X = schema.matrix(people)
        asked = np.flatnonzero(~model.accepts(X) & [not doubt for doubt in schema.doubts(X)])
        if not len(asked):
            continue
        given = X[asked], np.zeros(len(asked), np.uint64), Budget()
        plain, rounded = (
            replace(method, rounded=rounded).prepare_now(model).advise(*given)
            for rounded in (False, True)
        )
        before, after = (
            [*enumerate(a.points), *((w.person, w.point) for w in a.alternatives)]
            for a in (plain, rounded)
        )
        assert plain.outcomes == rounded.outcomes
        assert np.array_equal(plain.lower_bounds, rounded.lower_bounds, equal_nan=True)
        for (i, point), (k, found) in zip(before, after, strict=True):
            assert i == k
            if np.isnan(point).any():
                assert np.isnan(found).all()
                continue
            x = given[0][i]
            assert found.tolist() == roundest(method, model, x, point).tolist()
            assert method.price(x[None], found[None]) == method.price(x[None], point[None])
            compared += 1
            changed += (found != point).any()
    assert compared > 60
    assert changed > 8


def test_an_input_without_a_step_gets_a_number_of_few_digits():
    table = pd.DataFrame({"a": np.linspace(0.0, 1.0, 8) ** 2})
    schema = sf.Schema((sf.Feature("a", "real", step=0.0),))
    person, model = pd.DataFrame({"a": [0.0]}), sf.Linear([1.0], -1 / 3)
    method = sf.MinimalCost(schema, sf.Percentiles.fit(table))
    found = sf.recommend(method, model, person)
    assert found.counterfactual["a"].item() == 0.35
    assert found.outcome.item() == "minimal"


def test_small_counts_names_and_the_methods_of_others_are_left_alone():
    table = pd.DataFrame({"late": [0, 0, 30], "cards": [0, 7, 500]})
    schema = sf.Schema((sf.Feature("late", "count"), sf.Feature("cards", "count")))
    q, person = sf.Percentiles.fit(table), pd.DataFrame({"late": [13], "cards": [0]})
    few = sf.recommend(sf.MinimalCost(schema, q), sf.Linear([-1.0, 0.0], 9.5), person)
    assert few.counterfactual["late"].item() == 9  # 8 or 5 would be more than is needed
    many = sf.Linear([0.0, 1.0], -96.5)
    ours = sf.recommend(sf.MinimalCost(schema, q), many, person)
    assert ours.counterfactual["cards"].item() == 100
    theirs = sf.recommend(sf.ActionableRecourse(schema, q), many, person)
    assert theirs.counterfactual["cards"].item() == 97
