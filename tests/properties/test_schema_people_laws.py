"""Laws of people beyond the bounds of advice: they are served, and keep what is their own."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standfast.schema import Feature, Schema

KINDS = ("real", "positive", "count", "binary", "ordinal")


@st.composite
def features(draw, name):
    """A tiny grid: a handful of values between the bounds, and validity wider than that."""
    kind = draw(st.sampled_from(KINDS))
    least = 0 if kind in ("positive", "count", "binary") else -3
    most = 1 if kind == "binary" else 5
    step = 1 if kind == "binary" else draw(st.sampled_from((1, 2, 3)))
    if kind in ("real", "positive"):
        step = draw(st.sampled_from((0.1, 0.3, 0.5, 1, 2)))
    lower, upper = sorted(draw(st.tuples(st.integers(least, most), st.integers(least, most))))
    valid = None
    if kind != "binary" and draw(st.booleans()):
        low = draw(st.one_of(st.none(), st.integers(least, lower)))
        valid = (low, draw(st.one_of(st.none(), st.integers(upper, 9))))
    way = draw(st.sampled_from(("any", "up", "down")))
    return Feature(name, kind, draw(st.booleans()), way, lower, upper, step, valid=valid)


def somebody(draw, feature):
    """Any value, also beyond bounds and validity."""
    if draw(st.booleans()):
        return float(draw(st.integers(-5, 12)))
    return round(draw(st.floats(-5, 12)), 2)


@st.composite
def worlds(draw):
    d = draw(st.integers(1, 3))
    names = [f"x{j}" for j in range(d)]
    laws = ["x0 <= 4", "x0 >= -1", "2 * x0 <= 7"]
    laws += ["x0 <= x1", "x0 + x1 <= 6", "x1 >= 2 * x0 - 3"] * (d > 1)
    relations = draw(st.lists(st.sampled_from(laws), max_size=2, unique=True))
    schema = Schema(tuple(draw(features(name)) for name in names), tuple(relations))
    return schema, np.array([somebody(draw, feature) for feature in schema])


def values(feature, own):
    """What one person may have in one input, by the words of the docstring alone."""
    found = {own}
    if feature.mutable:
        for k in range(-200, 201):
            value = round(k * feature.step, 6)
            if feature.lower <= value <= feature.upper and (
                feature.direction == "any" or (value > own) == (feature.direction == "up")
            ):
                found.add(value)
    return sorted(found)


def holds(relation, names, point):
    total = sum(c * point[names.index(name)] for name, c in relation.terms)
    return total <= relation.bound + 1e-9


def allowed(schema, x):
    names = list(schema.names)
    grid = itertools.product(*(values(f, a) for f, a in zip(schema, x, strict=True)))
    return {p for p in grid if all(holds(r, names, p) for r in schema.relations)}


@given(worlds())
@settings(max_examples=150)
def test_what_is_admitted_is_what_enumeration_finds(world):
    schema, x = world
    found = allowed(schema, x.tolist())
    # every value anybody could name: those of the grid, of the person, and some between
    tried = [
        sorted({*values(f, a), *np.arange(-4, 10, 0.5), f.lower - f.step, f.upper + f.step})
        for f, a in zip(schema, x, strict=True)
    ]
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.choice(options, 200) for options in tried])
    points = np.vstack([points, np.array(sorted(found)).reshape(-1, len(schema))])
    admitted = schema.admits(x, points)
    assert [tuple(p) in found for p in points.tolist()] == admitted.tolist()


@given(worlds(), st.data())
@settings(max_examples=150)
def test_admitted_means_without_objection(world, data):
    schema, x = world
    point = np.array([somebody(data.draw, f) for f in schema])
    mixed = np.where([data.draw(st.booleans()) for _ in schema], x, point)
    for goal in (point, mixed, x):
        assert bool(schema.admits(x, goal)) == (schema.objections(x, goal) == ())


@given(worlds(), st.lists(st.floats(-20, 20), min_size=3, max_size=3))
@settings(max_examples=150)
def test_whoever_is_valid_is_sent_to_an_admitted_point(world, wish):
    schema, x = world
    broken = (schema.half_spaces.excess(x) > 0).any()
    if broken:
        assert schema.doubts(x[None, :]) != [""]
        return
    assert schema.admits(x, x)
    point = schema.project(x, np.array(wish[: len(schema)]))
    assert schema.admits(x, point), schema.objections(x, point)
    assert schema.project(x, point).tolist() == point.tolist()


@given(worlds())
@settings(max_examples=150)
def test_validity_kinds_and_relations_judge_people_and_bounds_do_not(world):
    schema, x = world
    fine = all(holds(r, list(schema.names), x) for r in schema.relations)
    for f, a in zip(schema, x, strict=True):
        low, high = f.valid or (None, None)
        fine &= (low is None or a >= low) and (high is None or a <= high)
        fine &= a >= 0 or f.kind in ("real", "ordinal")
        fine &= a == int(a) or f.kind in ("real", "positive")
        fine &= a in (0, 1) or f.kind != "binary"
    assert (schema.doubts(x[None, :]) == [""]) == fine


@given(worlds())
def test_toml_keeps_the_digest(world):
    schema, _ = world
    again = Schema.from_toml(schema.to_toml())
    assert (again, again.digest) == (schema, schema.digest)


@pytest.mark.parametrize(
    ("own", "direction", "wished", "sent"),
    [
        (9.0, "any", 20.0, 9.0),  # nearest is where they stand
        (9.0, "any", 6.0, 5.0),
        (9.0, "down", 6.0, 5.0),
        (9.0, "up", 20.0, 9.0),  # above the upper bound there is nothing to rise to
        (-2.0, "up", 3.2, 3.0),
        (-2.0, "down", -9.0, -2.0),
        (-2.0, "any", -9.0, -2.0),
    ],
)
def test_from_beyond_the_bounds_advice_leads_into_them_or_nowhere(own, direction, wished, sent):
    schema = Schema((Feature("x", "real", True, direction, 0, 5, 1),))
    assert schema.doubts(np.array([[own]])) == [""]
    assert schema.admits([own], [own])
    assert schema.project([own], [wished]).tolist() == [sent]
    assert not schema.admits([own], [own + 1])
    assert not schema.admits([own], [own - 1])
