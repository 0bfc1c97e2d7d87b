"""Distances between histograms, and which inputs are shown."""

import numpy as np
import pytest

from standfast.datasets.give_me_some_credit import LATENESS
from standfast.studies.histograms import _distance, _shares, _top


def test_total_variation_is_half_the_sum_of_differences():
    a, b = np.array([0.0, 0, 1, 1]), np.array([0.0, 0, 0, 2])
    assert _distance(a, b, top=2) == pytest.approx(0.5 * (0.25 + 0.5 + 0.25))
    assert _distance(a, a, top=2) == 0
    assert _distance(np.zeros(5), np.full(5, 2.0), top=2) == 1


def test_shares_sum_to_one_and_the_last_value_stands_for_all_above():
    shares = _shares(np.array([0.0, 1, 2, 9, 50]), top=2)
    assert shares.tolist() == [0.2, 0.2, 0.6]
    wide = _shares(np.arange(100.0), top=99)
    assert len(wide) <= 12
    assert wide.sum() == pytest.approx(1)


def test_a_few_extreme_people_do_not_stretch_the_picture():
    assert _top(np.array([0.0] * 999 + [98.0])) == 1


def test_lateness_is_shown_where_it_is_counted(small):
    tables = small[1].tables
    assert set(tables["histograms"]["feature"]) == set(LATENESS)
    sums = tables["histograms"].groupby(["reference", "group", "feature"])["share"].sum()
    assert np.allclose(sums, 1)
    assert tables["distances"]["distance"].between(0, 1).all()
