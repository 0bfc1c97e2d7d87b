"""On tables with categories and gaps the exact search is as cheap as trying every point."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.mixed import Problem, faults

from standfast import Schema, recommend
from standfast.methods import MinimalCost


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_no_admitted_point_is_cheaper_and_nobody_is_infeasible_who_is_not(seed):
    problem = Problem.drawn(np.random.default_rng(seed))
    found = recommend(problem.method, problem.model, problem.table)
    assert faults(problem, found) == []


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_a_schema_is_the_same_after_its_file_and_so_are_the_tables(seed):
    problem = Problem.drawn(np.random.default_rng(seed))
    schema = problem.method.schema
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert again.digest == schema.digest
    X = schema.matrix(problem.table)
    assert np.array_equal(again.matrix(schema.table(X)), X)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_order_in_which_categories_are_declared_changes_no_answer(seed):
    problem = Problem.drawn(np.random.default_rng(seed))
    features = tuple(
        f if f.kind != "nominal" else type(f)(**{**vars_of(f), "categories": f.categories[::-1]})
        for f in problem.method.schema
    )
    flipped = Schema(features, problem.method.schema.relations)
    method = MinimalCost(
        flipped, problem.method.percentiles, problem.method.cost, problem.method.units
    )
    found = recommend(problem.method, problem.model, problem.table)
    again = recommend(method, problem.model, problem.table)
    assert again.sentences().tolist() == found.sentences().tolist()
    assert np.array_equal(again.cost, found.cost, equal_nan=True)


def vars_of(feature):
    return {name: getattr(feature, name) for name in feature.__dataclass_fields__}
