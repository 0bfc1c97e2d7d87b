"""The frontier: means over the same people, intervals around them, and who costs less."""

import numpy as np
import pytest

from standfast.evaluation.intervals import interval
from standfast.scores import Linear
from standfast.studies.frontier import OPTIMUM
from standfast.studies.frontier_means import ENOUGH, VALIDITIES, Comparison, Means, Setting, along
from standfast.studies.names import INVARIANT, RAISED


def test_the_cost_along_a_frontier_is_drawn_straight_and_ends_with_it():
    validity, cost = np.array([0.5, 0.9, 0.7]), np.array([1.0, 3.0, 2.0])
    assert along(validity, cost, 0.6) == pytest.approx(1.5)
    assert along(validity, cost, 0.3) == 1.0
    assert np.isnan(along(validity, cost, 0.95))
    # dominated settings are ignored: here one that costs more and keeps less
    assert along(np.array([0.5, 0.6, 0.9]), np.array([1.0, 5.0, 3.0]), 0.6) == 3.0
    # nor is one that keeps no more
    assert along(np.array([0.5, 0.5, 0.9]), np.array([1.0, 2.0, 3.0]), 0.5) == 1.0
    assert along(np.array([0.5, 0.5, 0.9]), np.array([1.0, 2.0, 3.0]), 0.7) == pytest.approx(2.0)


def accepting(cut):
    """A model that accepts what exceeds its cut."""
    return Linear(np.array([1.0]), -cut)


def setting(method, dial, goals):
    goals = np.asarray(goals, dtype=float)
    return Setting(method, dial, goals[:, None], goals)


JUDGES = tuple(map(accepting, (0.0, 1.0, 2.0, 3.0)))


def compared(*settings):
    return Comparison(settings, JUDGES, INVARIANT, OPTIMUM)


def test_validity_is_the_share_of_judges_that_accept():
    (row,) = compared(setting(*OPTIMUM, [1.5, 3.5, 0.5])).rows().to_dict("records")
    assert row["validity"] == pytest.approx((2 + 4 + 1) / 12)
    assert row["cost"] == pytest.approx(5.5 / 3)
    assert row["n"] == row["answered"] == 3


def test_gaps_are_paired_and_zero_against_oneself():
    goals = np.random.default_rng(0).uniform(0, 4, 30)
    (gap,) = compared(setting(*OPTIMUM, goals), setting(INVARIANT, "target 0.5", goals)).gaps()
    assert gap["difference"] == gap["lower"] == gap["upper"] == 0.0
    assert gap["n"] == 30


def test_gaps_are_over_the_people_both_answer_and_need_a_setting_that_reaches_as_much():
    other = setting("GS", "", [np.nan, 2.5, 2.5, 2.5])
    high = setting("AR", "", [9.0, 9.0, 9.0, 9.0])
    own = setting(INVARIANT, "target 0.9", [1.5, 2.5, 2.5, 2.5])
    less, more = compared(other, high, own).gaps()
    assert (less["n"], less["difference"]) == (3, 0.0)
    assert more["n"] == 4
    assert np.isnan(more["difference"])


def test_a_setting_that_answers_few_costs_nobody_else_their_people():
    few = setting(RAISED, "by 0.2", [3.5, np.nan, np.nan, np.nan])
    rows = compared(setting(*OPTIMUM, [0.5, 1.5, 2.5, 3.5]), few).rows().to_dict("records")
    assert [row["n"] for row in rows] == [4, 4]
    assert (rows[1]["answered"], ENOUGH) == (1, 0.5)
    assert np.isnan(rows[1]["cost"])
    assert np.isnan(rows[1]["validity"])


def test_levels_are_told_in_multiples_of_the_optimum():
    base = np.array([0.5, 0.5])
    shown = compared(
        setting(*OPTIMUM, base),
        setting(RAISED, "by 0.1", 2 * base + 1),  # accepted by two of four
        setting(INVARIANT, "target 0.5", base + 1),
        setting(INVARIANT, "target 0.9", base + 2),
    ).levels()
    ratio = {(row["method"], row["level"]): row["ratio"] for row in shown}
    assert ratio[RAISED, 0.5] == pytest.approx(4)
    assert ratio[INVARIANT, 0.5] == pytest.approx(3)
    assert ratio[INVARIANT, 0.6] == pytest.approx(3 + 2 * 0.1 / 0.25)
    assert np.isnan(ratio[RAISED, 0.9])
    assert {level for _, level in ratio} == set(VALIDITIES)


def test_without_answers_there_are_rows_and_no_numbers():
    nobody = setting(RAISED, "by 0", [np.nan, np.nan])
    bench = compared(nobody, setting(INVARIANT, "target 0.9", [np.nan, np.nan]))
    assert bench.rows()["cost"].isna().all()
    assert bench.gaps() == bench.levels() == []


def test_intervals_draw_models_as_clusters():
    """What all people share, the lenient models, does not average out over people."""
    rng = np.random.default_rng(1)
    lenient = rng.random(25) < 0.5  # each model accepts everybody or nobody
    kept = np.repeat(lenient[None, None, :], 400, axis=1).astype(float)
    means = Means(np.ones((1, 400)), kept, 0)
    low, high = interval(means.validities)
    assert high[0] - low[0] == pytest.approx(2 * 1.96 * 0.5 / 5, rel=0.2)


def test_each_answer_is_judged_by_each_model_and_no_answer_is_kept_by_none():
    rng = np.random.default_rng(0)
    models = [Linear(w, 0.1) for w in rng.normal(size=(5, 2))]
    settings = []
    for k, answered in enumerate(([1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 1, 1])):
        points = np.where(np.array(answered)[:, None], rng.normal(size=(4, 2)), np.nan)
        settings.append(Setting("a", str(k), points, points.sum(axis=1)))
    found = Comparison(settings, models, "a", OPTIMUM).kept
    for setting, kept in zip(settings, found, strict=True):
        for i, point in enumerate(setting.points):
            said = [model.accepts(point[None])[0] for model in models]
            assert kept[i].tolist() == (said if setting.found[i] else [0] * 5)
    assert [one.shape for one in Comparison(settings, [], "a", OPTIMUM).kept] == [(4, 0)] * 4
