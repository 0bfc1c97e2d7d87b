"""Trees that share one budget: long searches end with the cheapest of all points."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.search.exact.sharing import EASY
from standfast.search.exact.solve import Solver

NAMES = tuple("abcdefghi")
SCHEMA = sf.Schema(tuple(sf.Feature(name, "count", upper=3) for name in NAMES))
EVERY = np.array(list(product(range(4), repeat=len(NAMES))), dtype=float)


@pytest.mark.parametrize("models", [1, 2])
def test_long_searches_find_the_cheapest_of_all_points(models):
    rng = np.random.default_rng(models)
    table = pd.DataFrame(rng.integers(0, 4, (2000, len(NAMES))), columns=NAMES)
    points = table.sum(axis=1) + 2.0 * (table["a"] > table["b"]) + rng.normal(size=len(table))
    labels = np.where(points > points.quantile(0.8), 1, -1)
    forests = [
        RandomForestClassifier(
            40, max_depth=6, max_features=2, class_weight="balanced", random_state=seed
        ).fit(table, labels)
        for seed in range(models)
    ]
    model = sf.Unanimous([sf.as_score(forest, SCHEMA, favourable=1) for forest in forests])
    method = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(table))
    accepted = EVERY[model.accepts(EVERY)]
    X = SCHEMA.matrix(table)[np.argsort(points)[:20]]
    solver = Solver(method.prepare(model).program, X)
    found = [solver.solve(i) for i in range(len(X))]
    least = [method.price(np.broadcast_to(x, accepted.shape), accepted).min() for x in X]
    assert [one.cost for one in found] == pytest.approx(least, abs=1e-9)
    assert all(one.proof == "minimal" for one in found)
    assert sum(one.boxes > 1.5 * EASY for one in found) >= 5  # else nothing was shared
