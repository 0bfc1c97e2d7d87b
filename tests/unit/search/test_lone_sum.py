import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from standfast import ActionableRecourse, Additive, Feature, Linear, Percentiles, Schema, prepare
from standfast.methods.lone_sum import LoneSumSearch
from standfast.scores.score import surely_accepts
from standfast.search.exact.lone_sum import LoneSum, decides

FEATURES = (
    Feature("a", "count", lower=0, upper=5),
    Feature("b", "count", lower=0, upper=4, direction="down"),
    Feature("c", "ordinal", lower=1, upper=4),
    Feature("d", "binary"),
)
FREE = Schema(FEATURES)
RELATED = Schema(FEATURES, relations=("a <= c",))
RULED = Schema(FEATURES, rules=("if d == 1 then b <= 2",))


def table_of(rng, schema, n=60):
    drawn = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n),
            "b": rng.integers(0, 5, n),
            "c": rng.integers(1, 5, n),
            "d": rng.integers(0, 2, n),
        }
    )
    judged = schema.judged(drawn)[1]
    return drawn[[not doubt for doubt in judged]].reset_index(drop=True)


def cheapest(method, model, x):
    """The least cost of all points, by looking at each."""
    values = [range(6), range(5), range(1, 5), range(2)]
    points = np.array(list(itertools.product(*values)), dtype=float)
    own = np.repeat(x[None], len(points), axis=0)
    fits = method.domain.admits(own, points) & surely_accepts(model, points)
    return method.price(own[fits], points[fits]).min() if fits.any() else np.inf


@pytest.mark.parametrize("schema", [FREE, RELATED, RULED], ids=["free", "related", "ruled"])
@pytest.mark.parametrize("cost", ["total", "max", "log"])
def test_a_block_is_answered_as_cheaply_as_anything_admissible(schema, cost):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = table_of(rng, schema)
        method = ActionableRecourse(schema, Percentiles.fit(table), cost=cost)
        model = Linear(rng.normal(size=4).round(2), float(rng.normal(-1.0, 1.0)))
        advisor = prepare(method, model)
        assert isinstance(advisor.search, LoneSumSearch)
        found = advisor.recommend(table)
        refused = ~model.accepts(schema.matrix(table))
        for x, price, bound in zip(
            schema.matrix(table)[refused],
            found.cost[refused],
            found.results["lower_bound"][refused],
            strict=True,
        ):
            least = cheapest(method, model, x)
            assert bound == pytest.approx(least, abs=1e-12)
            assert np.isnan(price) if np.isinf(least) else price == pytest.approx(least, abs=1e-12)


def test_of_equal_costs_the_fewest_changes_are_advised():
    table = pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 1, 2, 3]})
    schema = Schema((Feature("a", "count"), Feature("b", "count")))
    method = ActionableRecourse(schema, Percentiles.fit(table))
    found = prepare(method, Linear([1.0, 1.0], -1.5)).recommend(table.loc[[0]])
    assert len(found.changes()) == 1
    assert found.cost.item() == pytest.approx(0.5)


def test_a_function_that_rises_and_falls_is_searched_on_both_sides():
    table = pd.DataFrame({"a": np.arange(10), "b": np.arange(10)})
    schema = Schema((Feature("a", "count"), Feature("b", "count")))
    method = ActionableRecourse(schema, Percentiles.fit(table))
    model = Additive([lambda v: np.abs(v - 4.0), lambda v: 0.1 * v], -2.05)
    found = prepare(method, model).recommend(pd.DataFrame({"a": [5, 3], "b": [0, 0]}))
    assert found.counterfactual["a"].tolist() == [7, 1]
    assert found.cost.tolist() == pytest.approx([0.2, 0.2])


def test_who_breaks_a_relation_with_the_cheapest_point_is_left_to_the_search_on_boxes():
    table = pd.DataFrame({"a": [0, 1, 2, 3, 4], "b": [0, 1, 2, 3, 4]})
    schema = Schema((Feature("a", "count"), Feature("b", "count")), relations=("a <= b",))
    method = ActionableRecourse(schema, Percentiles.fit(table))
    search = prepare(method, Linear([1.0, 0.0], -2.5)).search
    assert isinstance(search, LoneSumSearch)
    X = np.array([[1.0, 1.0], [1.0, 4.0]])
    block = search.lone.solve(X)
    assert block.open.tolist() == [True, False]
    assert block.points[1].tolist() == [3.0, 4.0]
    found = prepare(method, Linear([1.0, 0.0], -2.5)).recommend(pd.DataFrame(X, columns=["a", "b"]))
    assert found.counterfactual.to_numpy().tolist() == [[3.0, 3.0], [3.0, 4.0]]


def test_company_does_not_matter():
    rng = np.random.default_rng(3)
    table = table_of(rng, FREE)
    method = ActionableRecourse(FREE, Percentiles.fit(table))
    advisor = prepare(method, Linear([0.5, -0.4, 0.3, 0.2], -1.4))
    together = advisor.recommend(table, jobs=2).matrices()[1]
    for i in range(len(table)):
        alone = advisor.recommend(table.iloc[[i]]).matrices()[1]
        np.testing.assert_array_equal(alone[0], together[i])


def test_more_models_or_many_values_are_not_for_it():
    table = table_of(np.random.default_rng(0), FREE)
    method = ActionableRecourse(FREE, Percentiles.fit(table))
    search = prepare(method, Linear([0.5, -0.4, 0.3, 0.2], -1.4)).search
    program = search.search.program
    assert decides(program)
    assert not decides(replace(program, hints=1))
    assert LoneSum(program).solve(FREE.matrix(table)[:0]).points.shape == (0, 4)
