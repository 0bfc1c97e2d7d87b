"""Bars of histograms, distances between them, and which inputs are shown."""

import numpy as np
import pytest

from standfast.schema import Feature
from standfast.studies.bars import MOST, NAMED, Bars, InputBars, distance

NUMBER = Feature("n", "ordinal")


def far(a, b):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    bars = InputBars.of(NUMBER, np.concatenate([a, b]))
    return distance(bars, bars.places(a), bars.places(b))


def shares(values, feature=NUMBER):
    values = np.array(values, dtype=float)
    bars = InputBars.of(feature, values)
    return bars.shares(bars.places(values)).tolist()


def test_total_variation_is_half_the_sum_of_differences():
    a, b = [0, 0, 1, 1], [0, 0, 0, 2]
    assert far(a, b) == pytest.approx(0.5 * (0.25 + 0.5 + 0.25))
    assert far(a, a) == 0
    assert far([0] * 5, [2] * 5) == 1


def test_every_whole_number_has_a_bar_of_its_own_where_they_fit():
    values = np.array([-2.0, -1, 0, 0, 3])
    bars = Bars.of(values)
    assert bars.starts.tolist() == bars.ends.tolist() == [-2, -1, 0, 1, 2, 3]
    assert shares(values) == [0.2, 0.2, 0.4, 0, 0, 0.2]


def test_people_at_minus_two_are_not_taken_for_people_at_zero():
    assert far([-2] * 9, [0] * 9) == 1
    assert far([-2, -1, 0], [0, 0, 0]) == pytest.approx(2 / 3)


def test_a_few_codes_far_apart_have_a_bar_each():
    bars = Bars.of(np.array([-999.0, 0, 1, 2, 98] * 3))
    assert bars.starts.tolist() == bars.ends.tolist() == [-999, 0, 1, 2, 98]


def test_too_many_values_share_bars_of_one_round_width_and_codes_stay_apart():
    values = np.concatenate([np.arange(101.0), [-9.0] * 5, [-8.0] * 3, [-7.0]])
    bars = Bars.of(values)
    assert len(bars.starts) <= MOST
    assert bars.starts.tolist() == [-9, -8, -7, *range(0, 101, 5)]
    assert bars.ends.tolist() == [-9, -8, -7, *range(4, 105, 5)]
    assert sum(shares(values)) == pytest.approx(1)


def test_no_class_holds_both_a_negative_number_and_zero():
    rng = np.random.default_rng(0)
    for scale in (20, 300, 1e4, 1e7):
        bars = Bars.of(np.rint(rng.normal(0.1, scale, 500)))
        assert len(bars.starts) <= MOST
        assert 0 in bars.starts
        assert not ((bars.starts < 0) & (bars.ends >= 0)).any()


def test_a_few_extreme_people_do_not_stretch_the_picture_and_are_told_by_endless_bars():
    values = np.concatenate([np.arange(500.0) % 60, [-4000.0, -300, -200, -150, -120, 1e6]])
    bars = Bars.of(values)
    assert bars.starts[0] == -np.inf
    assert bars.ends[-1] == np.inf
    assert bars.starts[-1] < 60
    assert bars.places(np.array([-1e9, 1e9])).tolist() == [0, len(bars.starts) - 1]


def test_a_fraction_counts_for_the_nearest_value():
    bars = Bars.of(np.array([0.0, 1, 2]))
    assert bars.places(np.array([0.4, 0.6, 1.9])).tolist() == [0, 1, 2]


# categories and gaps

JOB = Feature("job", "nominal", categories=("clerk", "cook", "nurse"), when_missing="keep")


def test_categories_stand_by_name_the_most_frequent_first_and_missing_last():
    values = np.array([2.0, 2, 0, -np.inf, 2, 0, -np.inf, -np.inf, -np.inf, -np.inf])
    bars = InputBars.of(JOB, values)
    assert bars.names == ("nurse", "clerk", "missing")
    assert shares(values, JOB) == [0.3, 0.2, 0.5]
    assert bars.edges[0].tolist() == [0, 1, np.inf]


def test_ordered_categories_keep_their_order_and_tokens_are_missing():
    levels = Feature(
        "level",
        "ordinal",
        categories=("low", "mid", "top"),
        missing=("unknown",),
        when_missing="keep",
    )
    unknown = levels.coder.of("unknown")
    values = np.array([2.0, 2, 2, 0, unknown])
    assert InputBars.of(levels, values).names == ("low", "top", "missing")
    assert shares(values, levels) == [0.2, 0.6, 0.2]


def test_of_many_categories_the_rare_ones_share_a_bar_that_says_how_many_they_are():
    many = Feature("town", "nominal", categories=tuple(f"town {k:02}" for k in range(30)))
    values = np.repeat(np.arange(20.0), np.arange(20, 0, -1))
    bars = InputBars.of(many, values)
    assert bars.names == (*(f"town {k:02}" for k in range(NAMED - 1)), "others (13)")
    assert sum(shares(values, many)) == pytest.approx(1)
    assert shares(values, many)[-1] == pytest.approx(sum(range(1, 14)) / 210)


def test_numbers_with_gaps_have_a_bar_for_what_is_missing():
    days = Feature("pdays", "count", missing=(999,), when_missing="keep")
    values = np.array([3.0, 4, 999, -np.inf])
    bars = InputBars.of(days, values)
    assert bars.names == ("", "", "missing")
    assert [edge.tolist() for edge in bars.edges] == [[3, 4, np.inf], [3, 4, np.inf]]
    assert shares(values, days) == [0.25, 0.25, 0.5]
    assert InputBars.of(days, np.array([999.0])).names == ("missing",)
