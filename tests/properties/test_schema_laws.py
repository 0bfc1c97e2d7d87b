"""Laws of the schema: projection is admitted, idempotent and nearest; TOML loses nothing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.every import every

from standfast.schema import Feature, Relation, Schema

STEPS = (0.1, 0.25, 0.3, 0.001, 1.0, 7.0, 1e-9)
numbers = st.floats(-1e4, 1e4, allow_nan=False).map(lambda v: round(v, 6))


@st.composite
def features(draw, name):
    kind = draw(st.sampled_from(["real", "positive", "count", "binary", "ordinal"]))
    low, high = sorted(draw(st.tuples(st.integers(0, 20), st.integers(0, 20))))
    if kind == "binary":
        low, high = 0, 1
    step = draw(st.sampled_from(STEPS)) if kind in ("real", "positive") else 1.0
    shift = draw(st.floats(0, 1)) if kind in ("real", "positive") else 0
    return Feature(
        name,
        kind,
        draw(st.booleans()),
        draw(st.sampled_from(["any", "up", "down"])),
        low + shift,
        high + shift,
        step,
    )


@st.composite
def worlds(draw):
    d = draw(st.integers(1, 4))
    schema = Schema(tuple(draw(features(f"x{j}")) for j in range(d)))
    x = np.array(
        [
            draw(st.integers(int(f.lower), int(f.upper)))
            if f.kind in ("count", "binary", "ordinal")
            else draw(st.floats(f.lower, f.upper))
            for f in schema
        ],
        dtype=float,
    )
    return schema, x


@given(worlds(), st.lists(numbers, min_size=4, max_size=4))
def test_a_projected_point_is_admitted_and_stays_where_it_is(world, wish):
    schema, x = world
    point = schema.project(x, np.array(wish[: len(schema)]))
    assert schema.admits(x, point), schema.objections(x, point)
    assert schema.objections(x, point) == ()
    assert schema.project(x, point).tolist() == point.tolist()


@given(worlds(), st.lists(numbers, min_size=4, max_size=4))
def test_no_admitted_value_is_nearer_than_the_projected_one(world, wish):
    schema, x = world
    wish = np.array(wish[: len(schema)])
    point = schema.project(x, wish)
    for j, f in enumerate(schema):
        if f.step < 0.1:
            continue
        for k in range(int(f.lower / f.step) - 1, int(f.upper / f.step) + 3):
            other = x.copy()
            other[j] = round(k * f.step, f.decimals)
            if schema.admits(x, other):
                assert abs(point[j] - wish[j]) <= abs(other[j] - wish[j]) + 1e-9


@given(worlds(), st.lists(numbers, min_size=4, max_size=4))
def test_the_number_shown_is_the_number_checked(world, wish):
    schema, x = world
    point = schema.project(x, np.array(wish[: len(schema)]))
    for f, a, b in zip(schema, x, point, strict=True):
        if a != b:
            assert float(f.shown(b)) == b


@st.composite
def related_worlds(draw):
    d = draw(st.integers(2, 3))
    kinds = [draw(st.sampled_from(["any", "up", "down"])) for _ in range(d)]
    free = [draw(st.booleans()) for _ in range(d)]
    schema = Schema(
        tuple(Feature(f"x{j}", "count", free[j], kinds[j], 0, 6, 1) for j in range(d)),
        (Relation.parse(draw(st.sampled_from(["x0 <= x1", "x1 + x0 <= 6", "x0 >= x1"]))),),
    )
    x = np.array([float(draw(st.integers(0, 6))) for _ in range(d)])
    return schema, x


@given(related_worlds(), st.lists(st.floats(-2, 9), min_size=3, max_size=3))
@settings(max_examples=300)
def test_with_a_relation_the_projection_is_still_the_nearest_admitted_point(world, wish):
    schema, x = world
    if (schema.half_spaces.excess(x) > 0).any():
        return
    wish = np.array(wish[: len(schema)])
    point = schema.project(x, wish)
    assert schema.admits(x, point)
    lattice = every([range(7)] * len(schema)).astype(float)
    allowed = lattice[schema.admits(x, lattice)]
    nearest = np.abs(allowed - wish).sum(axis=1).min()
    assert np.abs(point - wish).sum() <= nearest + 1e-9


@given(worlds())
def test_toml_loses_nothing(world):
    schema, _ = world
    assert Schema.from_toml(schema.to_toml()) == schema
