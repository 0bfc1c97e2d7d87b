"""Laws of certificates, for counts and models nobody thought of."""

from functools import cache

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import standfast as sf
from standfast.certificate import certify, lower_bound, scenario_bound
from standfast.rivals import Part

SCHEMA = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))
TABLE = pd.DataFrame({"a": np.arange(8), "b": np.arange(8)[::-1]})
BEST = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(TABLE))
REFERENCE = sf.Linear([1.0, 0.5], -7.0)

counts = st.integers(1, 400).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m)))
confidence = st.floats(0.5, 0.999)


@given(case=counts, confidence=confidence)
def test_more_acceptance_certifies_more_and_more_confidence_less(case, confidence):
    k, m = case
    low = float(lower_bound(k, m, confidence))
    assert 0.0 <= low <= k / m
    assert low <= lower_bound(k + 1, m + 1, confidence)
    assert low >= lower_bound(k, m + 1, confidence)
    if k < m:
        assert low <= lower_bound(k + 1, m, confidence)
    assert low >= lower_bound(k, m, 0.5 * (1 + confidence))


@given(N=st.integers(1, 500), share=st.floats(0, 1), confidence=confidence)
def test_the_scenario_bound_grows_with_what_binds_and_shrinks_with_more_models(
    N, share, confidence
):
    s = int(share * N)
    found = scenario_bound(N, s, confidence)
    assert 0.0 <= found <= 1.0
    assert found <= scenario_bound(N, min(s + 1, N), confidence) + 1e-12
    assert found <= scenario_bound(N, s, 0.5 * (1 + confidence)) + 1e-12
    if s < N:
        assert found >= scenario_bound(4 * N + 60, s, confidence) - 1e-12


@cache
def advice() -> sf.Recommendations:
    """Not when the file is collected: the first search may wait for kernels to compile."""
    return sf.recommend(BEST, REFERENCE, TABLE)


weight = st.floats(-1, 2).map(lambda w: round(w, 1))
linear = st.builds(lambda a, b, c: sf.Linear([a, b], c), weight, weight, st.integers(-9, 2))


@settings(max_examples=40)
@given(models=st.lists(linear, min_size=5, max_size=12), seed=st.integers(0, 99))
def test_the_order_of_models_and_people_does_not_matter(models, seed):
    rng = np.random.default_rng(seed)
    found = certify(advice(), Part("certify", models), seen=[REFERENCE.digest])
    mixed = [models[k] for k in rng.permutation(len(models))]
    again = certify(advice(), Part("certify", mixed))
    assert again.lower == found.lower
    pd.testing.assert_frame_equal(again.people, found.people)
    order = rng.permutation(len(TABLE))
    theirs = sf.recommend(BEST, REFERENCE, TABLE.iloc[order])
    turned = certify(theirs, Part("certify", models))
    pd.testing.assert_frame_equal(turned.people.loc[TABLE.index], found.people)
    assert turned.lower == found.lower
