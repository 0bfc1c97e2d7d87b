"""Calibrated constants on forests: the violation rate respects the conformal level."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast import bounds


@pytest.fixture(scope="module")
def pairs():
    data = sf.datasets.twin("give_me_some_credit", n=6000, seed=2)
    train, test = data.split(0.5, seed=0)
    f, g = (
        sf.as_score(
            RandomForestClassifier(
                8, max_depth=4, class_weight="balanced", random_state=seed, min_samples_leaf=10
            ).fit(train.table, train.labels),
            data.schema,
            favourable=1,
        )
        for seed in (0, 1)
    )
    joint = sf.Unanimous([f, g])
    X = data.schema.matrix(test.table)
    refused = test.table[~joint.accepts(X)].head(240)
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(train.table), per_change=0.0)
    recs = sf.recommend(best, joint, refused)
    X = data.schema.matrix(refused)
    costs = recs.cost.mask(recs.outcome == "infeasible", np.inf).to_numpy()
    return [f.score(X), g.score(X)], costs, float(data.schema.mutable.sum())


def test_a_fresh_person_exceeds_the_bound_no_more_often_than_the_level(pairs):
    scores, costs, box = pairs
    found = [bounds.alpha_gamma(scores, costs, box=box, seed=seed) for seed in range(150)]
    rates = np.array([one.terms["violation rate"] for one in found])
    level = found[0].terms["violation level"]
    assert level < 0.02
    assert rates.mean() <= level + 3 * rates.std() / np.sqrt(len(rates))


def test_both_guarantees_lie_above_the_mean_cost(pairs):
    scores, costs, box = pairs
    finite = costs[np.isfinite(costs)]
    found = [bounds.alpha_gamma(scores, costs, box=box, seed=seed) for seed in range(40)]
    assert np.mean([one.averaged for one in found]) >= finite.mean()
    assert np.mean([one.confident >= finite.mean() for one in found]) >= 0.95
    for one in found:
        assert one.confident > one.averaged
        assert 0 < one.terms["tightness"] <= 1 + one.terms["violation rate"]
        n = one.counts["to calibrate alpha"]
        assert one.terms["averaged slack"] == pytest.approx(box / (n + 1))
        assert one.terms["confident slack"] == pytest.approx(box * (1 - 0.05 ** (1 / n)))


def test_exchangeable_pairs_of_any_shape_respect_the_level():
    rng = np.random.default_rng(0)
    rates = []
    for seed in range(400):
        r = rng.exponential(size=90)
        d = np.minimum(r**0.4 * rng.pareto(3.0, size=90), 50.0)
        found = bounds.alpha_gamma([-r], d, box=50.0, seed=seed)
        rates.append(found.terms["violation rate"])
    assert np.mean(rates) <= 1 / 31 + 3 * np.std(rates) / 20
