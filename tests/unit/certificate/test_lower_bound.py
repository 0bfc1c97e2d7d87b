"""One-sided bounds of a share."""

import pytest
from scipy.stats import binomtest

import standfast as sf
from standfast.certificate import lower_bound, models_needed
from standfast.certificate.lower_bound import percent


@pytest.mark.parametrize("m", [1, 5, 59, 300])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_the_bound_agrees_with_an_independent_implementation(m, confidence):
    for k in range(m + 1):
        peer = binomtest(k, m, alternative="greater").proportion_ci(confidence, "exact").low
        assert float(lower_bound(k, m, confidence)) == pytest.approx(peer, abs=1e-9)


@pytest.mark.parametrize("validity", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_models_needed_are_just_enough(validity, confidence):
    m = models_needed(validity, confidence)
    assert lower_bound(m, m, confidence) >= validity
    assert m == 1 or lower_bound(m - 1, m - 1, confidence) < validity


def test_impossible_counts_are_refused():
    for k, m in ((-1, 5), (6, 5), (0, 0)):
        with pytest.raises(sf.InputError, match="between 0 and its number"):
            lower_bound(k, m)
    with pytest.raises(sf.InputError, match="validity is 1"):
        models_needed(1.0)


def test_percentages_never_promise_too_much():
    assert percent(0.9199999) == "91.9 %"
    assert percent(0.92) == "92 %"
    assert percent(1.0) == "100 %"
