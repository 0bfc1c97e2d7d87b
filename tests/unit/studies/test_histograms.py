"""Bars of histograms, distances between them, and which inputs are shown."""

import numpy as np
import pytest

from standfast.studies.histograms import MOST, Bars, distance


def far(a, b):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    bars = Bars.of(np.concatenate([a, b]))
    return distance(bars, bars.places(a), bars.places(b))


def test_total_variation_is_half_the_sum_of_differences():
    a, b = [0, 0, 1, 1], [0, 0, 0, 2]
    assert far(a, b) == pytest.approx(0.5 * (0.25 + 0.5 + 0.25))
    assert far(a, a) == 0
    assert far([0] * 5, [2] * 5) == 1


def test_every_whole_number_has_a_bar_of_its_own_where_they_fit():
    values = np.array([-2.0, -1, 0, 0, 3])
    bars = Bars.of(values)
    assert bars.starts.tolist() == bars.ends.tolist() == [-2, -1, 0, 1, 2, 3]
    assert bars.shares(bars.places(values)).tolist() == [0.2, 0.2, 0.4, 0, 0, 0.2]


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
    assert bars.shares(bars.places(values)).sum() == pytest.approx(1)


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
