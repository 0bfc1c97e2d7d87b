"""Laws of tables with categories and gaps: wherever a point lies, its projection is admitted."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples.mixed_schemas import worlds

from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING


@given(worlds())
@settings(max_examples=400)
def test_a_projected_point_is_admitted_and_stays_where_it_is(world):
    schema, x, points = world
    assume(schema.doubts(x[None]) == [""])
    found = schema.project(x, points)
    admitted = schema.admits(x, found)
    assert admitted.all(), [schema.objections(x, point) for point in found[~admitted]]
    assert np.array_equal(schema.project(x, found), found)


@given(worlds())
@settings(max_examples=200)
def test_projecting_many_people_is_projecting_each(world):
    schema, x, points = world
    people = np.repeat(x[None], len(points), axis=0)
    assert np.array_equal(schema.project(people, points), schema.project(x, points))


@given(worlds())
@settings(max_examples=200)
def test_a_point_that_is_admitted_is_not_moved(world):
    schema, x, points = world
    assume(schema.doubts(x[None]) == [""])
    admitted = points[schema.admits(x, points)]
    assert np.array_equal(schema.project(x, admitted), admitted)


@given(st.permutations(["rent", "own", "family", "friends"]))
def test_the_order_in_which_categories_are_declared_changes_nothing(names):
    ways = {"rent": ["own", "family"]}
    schema = Schema((Feature("home", "nominal", categories=names, transitions=ways),))
    domain = schema.complete({"home": [0.0]})
    codes = domain.matrix(schema.table([[0.0], [1.0], [2.0], [3.0]]))
    rent = codes[schema.table(codes)["home"] == "rent"][0]
    found = schema.table(domain.project(rent, codes))["home"].tolist()
    assert found == ["family", "rent", "own", "rent"]


def test_a_gap_is_kept_or_filled_and_nobody_is_sent_to_one():
    known = {"lower": 0, "upper": 9, "step": 1}
    schema = Schema(
        (
            Feature("kept", "count", when_missing="keep", **known),
            Feature("filled", "count", when_missing="fill", missing=(3,), **known),
        )
    )
    gap = np.array([MISSING, MISSING])
    assert schema.project(gap, [4.2, 4.2]).tolist() == [MISSING, 4.0]
    assert schema.project(gap, gap).tolist() == [MISSING, MISSING]
    assert schema.project([5.0, 5.0], gap).tolist() == [5.0, 5.0]
    assert schema.project([5.0, 5.0], [3.2, 3.2]).tolist() == [3.0, 4.0]
    assert schema.project([5.0, 5.0], [3.2, 2.9]).tolist() == [3.0, 2.0]


def test_a_relation_that_reads_a_gap_is_judged_only_once_it_is_filled():
    known = {"lower": 0, "upper": 9, "step": 1}
    schema = Schema(
        (Feature("a", "count", **known), Feature("b", "count", when_missing="fill", **known)),
        ("a <= b",),
    )
    gap = np.array([2.0, MISSING])
    assert schema.project(gap, [8.0, MISSING]).tolist() == [8.0, MISSING]
    assert schema.project(gap, [8.0, 8.0]).tolist() == [8.0, 8.0]
    filled = schema.project(gap, [8.0, 4.0])
    assert filled[0] <= filled[1]
