"""On tables with categories and gaps the exact search is as cheap as trying every point."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples.mixed import Problem, faults

from standfast import Recommendations, Schema, recommend, region
from standfast.methods import MinimalCost
from standfast.schema.border import coded
from standfast.schema.categories import MISSING


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
@example(102254)  # a relation moves the point at hand to a value that costs the same
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
    schema = problem.method.schema
    texts = tuple(map(str, schema.rules))
    flipped = Schema(features, schema.relations, rules=texts, changes=schema.changes)
    method = MinimalCost(
        flipped, problem.method.percentiles, problem.method.cost, problem.method.units
    )
    found = recommend(problem.method, problem.model, problem.table)
    again = recommend(method, problem.model, problem.table)
    assert again.sentences().tolist() == found.sentences().tolist()
    assert np.array_equal(again.cost, found.cost, equal_nan=True)


def vars_of(feature):
    return {name: getattr(feature, name) for name in feature.__dataclass_fields__}


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_every_admitted_point_of_a_region_is_accepted(seed):
    problem = Problem.drawn(np.random.default_rng(seed))
    found = recommend(problem.method, problem.model, problem.table)
    boxes = region(found, problem.model, problem.method.percentiles)
    assert boxes.sentences().str.len().gt(0).all()
    assert len(boxes.to_frame()) == found.factual.size
    low, high = (coded(frame, boxes.schema.features) for frame in (boxes.lower, boxes.upper))
    X, _ = found.matrices()
    for i in np.flatnonzero(boxes.found):
        points = problem.admitted(X[i])
        held = (points >= low[i]) & (points <= high[i])
        for j, f in enumerate(boxes.schema):
            if f.kind == "nominal":
                names = f.coder.names
                mine = boxes.categories[f.name].iloc[i]
                codes = [names.index(c) if c in names else MISSING for c in mine]
                held[:, j] = np.isin(points[:, j], codes)
        inside = points[held.all(axis=1)]
        assert len(inside)
        assert problem.model.accepts(inside).all()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([".csv", ".parquet"]))
def test_advice_comes_back_from_its_file_as_it_was(tmp_path_factory, seed, ending):
    problem = Problem.drawn(np.random.default_rng(seed))
    table = problem.table.copy()
    named = [f.name for f in problem.method.schema if f.coder is not None]
    table.loc[3, named[:1]] = "never heard of"
    found = recommend(problem.method, problem.model, table)
    assert not named or found.outcome.iloc[3] == "outside_schema"
    path = tmp_path_factory.mktemp("advice") / f"advice{ending}"
    found.write(path)
    again = Recommendations.read(path)
    for before, after in zip(found.matrices(), again.matrices(), strict=True):
        assert np.array_equal(before, after, equal_nan=True)
    assert again.sentences().tolist() == found.sentences().tolist()
