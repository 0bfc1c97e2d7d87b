"""Certificates are honest: over repeated draws they fail no more often than they say."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

import standfast as sf
from standfast.certificate import certify, models_needed, scenario, scenario_bound

SCHEMA = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))
PEOPLE = pd.DataFrame({"a": [0, 1, 2, 4, 6], "b": [0, 2, 1, 3, 0]})
CENTRE, SPREAD = np.array([1.0, 0.6, -6.0]), np.array([0.15, 0.1, 1.0])
REFERENCE = sf.Linear(CENTRE[:2], CENTRE[2])


def drawn(rng, n):
    """Linear models with normal weights: P(accept x) is known in closed form."""
    theta = rng.normal(CENTRE, SPREAD, (n, 3))
    return [sf.Linear(t[:2], t[2]) for t in theta]


def truth(Y):
    A = np.column_stack([Y, np.ones(len(Y))])
    return norm.cdf(A @ CENTRE / np.sqrt((A * SPREAD) ** 2 @ np.ones(3)))


@pytest.fixture(scope="module")
def recs():
    best = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(PEOPLE), cost="l1", units=[1, 1], margin=1.0)
    return sf.recommend(best, REFERENCE, PEOPLE)


def test_the_closed_values_of_the_theory():
    assert [models_needed(v) for v in (0.9, 0.95, 0.99)] == [29, 59, 299]
    found = [round(scenario_bound(*case), 2) for case in ((20, 3), (100, 5), (1000, 9))]
    assert found == [0.54, 0.24, 0.06]


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_certificates_fail_no_more_often_than_they_say(recs, confidence):
    Y = recs.counterfactual[recs.found].to_numpy(dtype=float)
    p = truth(Y)
    assert ((p > 0.55) & (p < 0.999)).any()
    rng = np.random.default_rng(0)
    # the overall truth, P(T ≥ τ), from many models
    many = np.column_stack([g.accepts(Y) for g in drawn(rng, 20_000)])
    P = (many.mean(axis=0) >= 0.7 - 1e-9).mean()
    wrong, wrong_all, wrong_any, rounds = np.zeros(len(Y)), 0, 0, 400
    for _ in range(rounds):
        models = drawn(rng, 25)
        found = certify(recs, models, confidence, tau=0.7)
        wrong += found.people["lower"].dropna().to_numpy() > p
        wrong_all += found.lower > P + 0.01
        both = certify(recs, models, confidence, simultaneous=True)
        wrong_any += (both.people["lower"].dropna().to_numpy() > p).any()
    allowed = binom.ppf(0.9999, rounds, 1 - confidence)
    assert (wrong <= allowed).all()
    assert wrong_all <= allowed
    assert wrong_any <= allowed
    assert wrong.max() > 0.2 * rounds * (1 - confidence)  # and they are not merely timid


def test_the_scenario_bound_fails_no_more_often_than_it_says():
    wide = pd.DataFrame({"a": [0, 40], "b": [0, 40]})
    best = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(wide), cost="l1", units=[1, 1])
    rng = np.random.default_rng(1)
    wrong, shown, rounds = 0, 0, 150
    for _ in range(rounds):
        models = drawn(rng, 30)
        joint = sf.Unanimous([REFERENCE, *models])
        recs = sf.recommend(best, joint, PEOPLE.head(1))
        if not recs.found.all():
            continue
        found = scenario(recs, joint, models, confidence=0.8)
        Y = recs.counterfactual.to_numpy(dtype=float)
        shown += 1
        wrong += found.people["lower"].iloc[0] > truth(Y)[0]
    assert shown > 100
    assert wrong <= binom.ppf(0.9999, shown, 0.2)
