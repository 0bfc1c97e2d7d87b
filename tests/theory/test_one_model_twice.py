"""A rival that is the reference itself changes nothing, whatever is measured."""

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest, RandomForestClassifier

import standfast as sf


@pytest.fixture(scope="module")
def world():
    data = sf.datasets.twin("give_me_some_credit", n=2500, seed=1)
    train, test = data.split(0.8, seed=0)
    forest = RandomForestClassifier(12, max_depth=5, class_weight="balanced", random_state=0)
    f = sf.as_score(forest.fit(train.table, train.labels), data.schema, favourable=1)
    usual = IsolationForest(n_estimators=20, contamination=0.1, random_state=0).fit(train.table)
    return train, test, f, sf.as_score(usual, data.schema, favourable=1)


def test_nothing_is_broken_nothing_disagrees_and_nobody_is_surprised(world):
    train, test, f, usual = world
    best = sf.MinimalCost(test.schema, sf.Percentiles.fit(train.table))
    people = test.table.head(150)
    recs = sf.recommend(best, f, people)
    moved = sf.transfer(recs, {"again": f})
    assert (moved.rivals["transfer"] == 1.0).all()
    assert moved.n == recs.found.sum() > 10
    same = sf.multiplicity({"again": f}, people, test.schema, reference=f)
    assert same.rivals["delta"].iloc[0] == 0.0
    assert same.ambiguity == same.discrepancy == 0.0
    found = sf.surprise(f, f, people, best, support=usual)
    ratio = found.people["ratio"].dropna()
    assert (ratio == 1.0).all()
    assert np.allclose(found.summary["published"], 1.0)
    for kind in ("sparse", "support"):
        assert found.repairs[kind].summary["broken"] == 0
    held, free = (found.advice(kind)["cost_f"] for kind in ("support", "sparse"))
    assert (held >= free - 1e-9).all()
