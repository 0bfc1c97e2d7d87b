"""Relations that are tight, beside inputs that may be millions: proofs against brute force.

The tolerance of a relation is absolute near zero. A sum over what inputs may be at most, millions,
does not feel it: a level that keeps the relation exactly must not be ruled out for that.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
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
