"""The least perceptible move: what it admits, where points are sent, how it is written."""

import numpy as np
import pytest

from standfast import Feature, InputError, Schema

INCOME = Feature("income", "positive", lower=0, upper=10_000, step=50, least=500)
SCHEMA = Schema((INCOME, Feature("late", "count", lower=0, upper=9, step=1)))


def test_a_value_stays_or_moves_by_the_least_at_least():
    own = np.array([1234.0, 3.0])
    points = np.array([[1234.0, 2.0], [1250, 3], [1700, 3], [1750, 3], [750, 3], [700, 3]])
    assert SCHEMA.admits(own, points).tolist() == [True, False, False, True, False, True]
    assert SCHEMA.objections(own, points[1]) == (
        "income moves by at least 500 or not at all, but goes from 1234 to 1250",
    )
    assert SCHEMA.objections(own, points[3]) == ()


def test_a_move_of_exactly_the_least_counts_whatever_binary_fractions_say():
    schema = Schema((Feature("ratio", lower=0, upper=2, step=0.1, least=0.1),))
    tenths = np.round(np.arange(0, 2.05, 0.1), 1)
    for own in tenths:
        others = tenths[tenths != own]
        assert schema.admits([own], others[:, None]).all()
        assert (schema.project([own], others[:, None])[:, 0] == others).all()


@pytest.mark.parametrize("way", ["any", "up", "down"])
def test_points_are_sent_to_the_nearest_value_far_enough(way):
    rng = np.random.default_rng(0)
    feature = Feature("x", lower=-4, upper=9, step=0.5, least=1.75, direction=way)
    schema, grid = Schema((feature,)), np.arange(-4, 9.5, 0.5)
    for own in (*rng.uniform(-6, 11, 30).round(2), 3.0, -4.0, 9.0):
        wanted = rng.uniform(-8, 12, 60)
        allowed = grid[np.abs(grid - own) >= 1.75]
        if way != "any":
            allowed = allowed[allowed > own] if way == "up" else allowed[allowed < own]
        allowed = np.append(allowed, own)
        nearest = np.abs(allowed - wanted[:, None]).min(axis=1)
        found = schema.project([own], wanted[:, None])[:, 0]
        assert np.abs(found - wanted) == pytest.approx(nearest)
        assert schema.admits([own], found[:, None]).all()


def test_a_point_is_walked_back_into_a_relation_past_what_is_too_close():
    schema = Schema(
        (
            Feature("a", "count", lower=0, upper=20, step=1, least=3),
            Feature("b", "count", lower=0, upper=20, step=1, least=4),
        ),
        ("a + b <= 15",),
    )
    rng = np.random.default_rng(1)
    for own in ([5.0, 5.0], [8.0, 7.0], [0.0, 15.0]):
        points = rng.uniform(0, 20, (200, 2))
        found = schema.project(own, points)
        assert schema.admits(own, found).all()
        assert (found != own).any(axis=1).mean() > 0.5


def test_it_is_written_and_read_and_leaves_other_schemas_their_digest():
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    assert "least = 500" in SCHEMA.to_toml()
    plain = Schema((Feature("age"),))
    assert "least" not in plain.to_toml()
    assert "least" not in repr(plain.features[0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"least": -1}, "feature 'x': least is -1; it must be positive"),
        ({"least": 0}, "feature 'x': least is 0; it must be positive"),
        ({"least": "much"}, "feature 'x': least is 'much'; it must be a number"),
        (
            {"kind": "nominal", "categories": ("a", "b"), "least": 1},
            "feature 'x' has named categories, between which no move is too small",
        ),
    ],
)
def test_what_is_no_least_move_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        Feature("x", **options)
