"""The frontier: means over the same people, intervals around them, and who costs less."""

import numpy as np
import pytest

from standfast.studies.frontier import INVARIANT, RAISED, Point, _along, _Resampled


def test_every_method_is_there_under_both_kinds_of_judges(small):
    table = small[1].tables["frontier"]
    for _, rows in table.groupby(["reference", "judges"]):
        assert rows["n"].nunique() == 1  # all means are over the same people
        assert {"GS", "C-CHVAE", RAISED, INVARIANT} <= set(rows["method"])
    assert set(table["judges"]) == {"same class", "other class"}
    known = table[table["n"] > 0]
    assert len(known)
    assert known["validity"].between(0, 1).all()
    assert (known["cost_lower"] <= known["cost"] + 1e-12).all()
    assert (known["cost"] <= known["cost_upper"] + 1e-12).all()


def test_a_raised_threshold_never_costs_less(small):
    table = small[1].tables["frontier"]
    for _, rows in table[table["method"] == RAISED].groupby(["reference", "judges"]):
        cost = rows["cost"].dropna().to_numpy()
        assert (np.diff(cost) >= -1e-9).all()


def test_the_cost_along_a_frontier_is_drawn_straight_and_ends_with_it():
    validity, cost = np.array([0.5, 0.9, 0.7]), np.array([1.0, 3.0, 2.0])
    assert _along(validity, cost, 0.6) == pytest.approx(1.5)
    assert _along(validity, cost, 0.3) == 1.0
    assert np.isnan(_along(validity, cost, 0.95))
    # a dearer point that keeps less is nobody's choice
    assert _along(np.array([0.5, 0.6, 0.9]), np.array([1.0, 5.0, 3.0]), 0.6) == 3.0


def test_gaps_are_paired_and_zero_against_oneself():
    rng = np.random.default_rng(0)
    kept = rng.random((30, 20)) < 0.7
    costs = rng.random(30)
    points = [Point(RAISED, "by 0", costs[:, None], costs), Point(INVARIANT, "t", costs, costs)]
    (gap,) = _Resampled(np.array([costs, costs]), [kept, kept], 0).gaps(points)
    assert gap["difference"] == gap["lower"] == gap["upper"] == 0.0
    assert gap["validity"] == pytest.approx(kept.mean())
