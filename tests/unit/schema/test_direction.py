import numpy as np
import pytest
from scipy.stats import spearmanr

from standfast.schema.direction import estimate_direction

RNG = np.random.default_rng(0)
INCOME = RNG.lognormal(7.0, 0.6, 2000)
PAID = np.where(np.log(INCOME) + RNG.normal(0.0, 1.0, 2000) > 7.0, 1, -1)


def test_more_of_what_the_favourable_have_is_up_and_the_mirror_image_is_down() -> None:
    up, down = estimate_direction(INCOME, PAID), estimate_direction(-INCOME, PAID)
    assert (up.direction, down.direction) == ("up", "down")
    assert down.correlation == pytest.approx(-up.correlation)
    assert estimate_direction(INCOME, -PAID).direction == "down"


def test_the_correlation_is_spearmans_also_with_ties() -> None:
    counts = np.floor(INCOME / 500)
    expected = spearmanr(counts, PAID).statistic
    assert estimate_direction(counts, PAID).correlation == pytest.approx(expected)


def test_both_numbers_depend_on_ranks_alone() -> None:
    a, b = estimate_direction(INCOME, PAID), estimate_direction(np.log(INCOME), PAID)
    assert a.direction == b.direction
    assert (a.correlation, a.trend) == pytest.approx((b.correlation, b.trend))


def test_a_direction_stays_open_where_the_middle_is_best() -> None:
    z = RNG.normal(0.3, 1.0, 3000)  # off the middle, so that the correlation is far from 0
    found = estimate_direction(z, np.where(np.abs(z) < 0.8, 1, -1))
    assert found.direction is None
    assert abs(found.correlation) > 0.1


def test_a_direction_stays_open_where_label_and_input_are_independent() -> None:
    labels = RNG.choice([-1, 1], 5000)
    assert estimate_direction(RNG.normal(size=5000), labels).direction is None


def test_a_few_odd_people_at_one_end_do_not_hide_the_direction() -> None:
    values, labels = np.append(INCOME, np.full(8, 1e6)), np.append(PAID, np.full(8, -1))
    steps = np.digitize(values, [800, 1100, 1600, 5e5])
    assert estimate_direction(steps, labels).direction == "up"


def test_missing_values_are_left_out() -> None:
    holed = np.where(np.arange(2000) % 3 == 0, np.nan, INCOME)
    kept = ~np.isnan(holed)
    assert estimate_direction(holed, PAID) == estimate_direction(holed[kept], PAID[kept])


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (np.ones(200), np.tile([-1, 1], 100)),
        (np.arange(200.0), np.ones(200)),
        (np.full(200, np.nan), np.tile([-1, 1], 100)),
        (np.arange(10.0), np.repeat([-1, 1], 5)),
    ],
    ids=["one value", "one label", "no value", "few people"],
)
def test_nothing_is_said_without_differences_or_people(values, labels) -> None:
    found = estimate_direction(values, labels)
    assert (found.direction, found.correlation, found.trend) == (None, 0.0, 0.0)
