import numpy as np
import pandas as pd
import pytest

import standfast as sf


def test_every_measure_agrees_with_its_formula(world):
    found = sf.costs(world.recs, world.q)
    advised = world.recs.found
    X = world.recs.factual[advised].to_numpy(dtype=float)
    Y = world.recs.counterfactual[advised].to_numpy(dtype=float)
    people = found.people[advised]
    np.testing.assert_allclose(people["total"], world.recs.cost[advised])
    np.testing.assert_allclose(people["max"], world.q.maximal(X, Y))
    np.testing.assert_allclose(people["log"], world.q.log(X, Y))
    np.testing.assert_allclose(people["l0"], (X != Y).sum(axis=1))
    deviations = world.train.table.to_numpy(dtype=float).std(axis=0)
    np.testing.assert_allclose(people["l1"], (np.abs(X - Y) / deviations).sum(axis=1))
    np.testing.assert_allclose(people["l2"], np.linalg.norm((X - Y) / deviations, axis=1))


def test_the_distribution_is_over_those_advised_and_says_how_many(world):
    found = sf.costs(world.recs, world.q)
    assert found.n == world.recs.found.sum() < len(found.people) == len(world.recs)
    assert (found.summary["n"] == found.n).all()
    assert found.people.loc[~world.recs.found, "total"].isna().all()
    total = found.people["total"].dropna()
    assert found.summary.loc["total", "50%"] == pytest.approx(total.median())
    assert found.summary.loc["total", "mean"] == pytest.approx(total.mean())
    assert "n = " in repr(found)


def test_the_features_carry_the_whole_total(world):
    found = sf.costs(world.recs, world.q)
    assert found.features["contribution"].sum() == pytest.approx(1.0)
    assert found.features["mean_shift"].sum() == pytest.approx(found.summary.loc["total", "mean"])
    changes = world.recs.changes()
    counted = changes["feature"].value_counts().reindex(found.features.index, fill_value=0)
    assert found.features["changed"].tolist() == counted.tolist()
    assert found.features.loc["age", "changed"] == 0
    assert np.isnan(found.features.loc["age", "mean_shift_if_changed"])


def test_costs_of_nobody_are_refused_with_a_sentence(world):
    kind = sf.Linear(np.zeros(len(world.test.schema)), 1.0)
    recs = sf.recommend(world.best, kind, world.test.table.head(3))
    with pytest.raises(sf.InputError, match="n_E = 0"):
        sf.costs(recs, world.q)


def test_a_move_past_values_nobody_has_contributes_nothing():
    schema = sf.Schema((sf.Feature("a", "count"),))
    q = sf.Percentiles.fit(pd.DataFrame({"a": [0, 0, 100]}))
    best = sf.MinimalCost(schema, q, cost="l1", units=[1.0])
    recs = sf.recommend(best, sf.Linear([1.0], -50.0), pd.DataFrame({"a": [10]}))
    found = sf.costs(recs, q)
    assert found.summary.loc["total", "mean"] == 0.0
    assert found.features["contribution"].tolist() == [0.0]
    assert found.features["changed"].tolist() == [1]
