"""How many people's advice is accepted by fewer models than the target's share, where it is known.

Models chose the advice, so their count flatters it. The estimate that the summary gives is exact on
a continuous path and errs on the safe side in the whole method; what can spoil it is bounded.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from standfast import Feature, Invariant, Linear, Percentiles, Schema, recommend
from standfast.methods.choice import Choice, ValidationModels, raise_reference
from standfast.recommendations.target import Target
from standfast.scores.score import LOGISTIC


def test_on_one_way_that_gets_safer_the_estimate_is_the_truth():
    # a model accepts from a uniform threshold on: the level is its own true share
    rng, levels = np.random.default_rng(0), np.linspace(0.0, 1.0, 2001)[1:]
    m, validity = 30, 0.8
    below, estimate, target = [], [], Target(validity, m)
    for _ in range(400):
        jurors = ValidationModels(tuple(Linear([1.0], -t) for t in rng.random(m)), validity)
        choice = Choice(jurors, price=lambda point: float(point[0]))
        raise_reference(choice, lambda k: levels[k : k + 1], len(levels))
        assert choice.passes(choice.best)
        below.append(choice.best.point[0] < validity)
        estimate.append(target.chance_below(choice.best.yes))
    error = np.std(below) / np.sqrt(len(below))
    assert np.mean(below) == pytest.approx(np.mean(estimate), abs=3 * error)


def test_the_cheaper_of_two_ways_falls_short_at_most_twice_as_often():
    # the models on either way have nothing to do with each other: the worst case
    rng, target = np.random.default_rng(0), Target(0.9, 50)
    ways = np.sort(rng.random((20_000, 2, 50)), axis=2)[:, :, target.needed - 1]
    chance = float(target.chance_below(target.needed))
    assert chance < (ways.min(axis=1) < 0.9).mean() <= 2 * chance


NAMES = list("abcde")
MEAN, SPREAD, OFFSET = np.array([1.0, 1.0, 0.5, 0.7, 0.3]), 0.3, -70.0


def drawn(n, seed):
    """Models whose weights and offset are normal: their share at a point is known."""
    rng = np.random.default_rng(seed)
    weights, offsets = rng.normal(MEAN, SPREAD * MEAN, (n, 5)), rng.normal(OFFSET, 5.0, n)
    return [Linear(w, b, LOGISTIC, 0.5) for w, b in zip(weights, offsets, strict=True)]


def true_share(goals):
    deviation = np.sqrt(((goals * SPREAD * MEAN) ** 2).sum(axis=1) + 25.0)
    return norm.cdf((goals @ MEAN + OFFSET) / deviation)


def test_the_whole_method_falls_short_no_more_often_than_estimated():
    schema = Schema(tuple(Feature(name, "count") for name in NAMES))
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 40, (400, 5)), columns=NAMES)
    reference, q = Linear(MEAN, OFFSET, LOGISTIC, 0.5), Percentiles.fit(table)
    refused = table[~reference.accepts(table.to_numpy(dtype=float))].iloc[:10]
    true, estimate = [], []
    for seed in range(12):
        parts = {"search": drawn(30, 1000 + seed), "choose": drawn(30, 2000 + seed)}
        recs = recommend(Invariant(schema, q, **parts, validity=0.8), reference, refused)
        assert recs.found.all()
        true.append((true_share(recs.counterfactual.to_numpy(dtype=float)) < 0.8).sum())
        estimate.append(recs.shortfall.expected)
        assert recs.shortfall.missed == 0  # the very models that chose see nothing of it
    error = np.std(np.subtract(true, estimate)) / np.sqrt(len(true))
    assert np.mean(true) > 0
    assert np.mean(true) <= np.mean(estimate) + 2 * error
    assert np.mean(estimate) < 0.3 * len(refused)  # nor is it so careful as to say nothing
