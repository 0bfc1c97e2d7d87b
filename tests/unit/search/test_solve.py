"""How a search ends: with a proof, at a limit with honest bounds, or with what stood in the way."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.stumps import stumps
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.recommendations.causes import LimitReached, Unsatisfiable
from standfast.scores.score import surely_accepts
from standfast.search.exact.solve import Solver
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program

SCHEMA = sf.Schema(
    (sf.Feature("age", "count", mutable=False), sf.Feature("a", "count"), sf.Feature("b", "count"))
)
Q = sf.Percentiles.fit(pd.DataFrame({name: np.arange(10) for name in SCHEMA.names}))
NOBODY = pd.DataFrame({"age": [0], "a": [0], "b": [0]}, index=["p"])


def only(recs):
    return recs.to_frame().iloc[0]


def why(method, model, people=NOBODY):
    """The fact that says why the one person got no advice."""
    recs = sf.recommend(method, model, people)
    assert recs.outcome.tolist() == ["infeasible"]
    return recs.results["cause"].iloc[0]


# what stood in the way


def test_the_reason_names_the_models_that_nothing_satisfies():
    grown_up = stumps(3, (0, 5.5, 0, 1))
    wish = stumps(3, (1, 4.5, 0, 1))
    taller = sf.Linear([0.0, 1.0, 1.0], -99.0)
    method = sf.MinimalCost(SCHEMA, Q)
    assert why(method, sf.Unanimous([wish, grown_up])) == Unsatisfiable((1,), alone=True)
    three = sf.Unanimous([taller, wish, grown_up])
    assert why(method, three) == Unsatisfiable((0, 2), alone=True)
    row = only(sf.recommend(method, three, NOBODY))
    assert row["sentence"].endswith("No admissible change satisfies model 0 or model 2.")


def test_the_reason_names_models_that_can_be_satisfied_but_not_together():
    high, low, other = stumps(3, (1, 4.5, 0, 1)), stumps(3, (1, 4.5, 1, 0)), stumps(3, (2, 1, 0, 1))
    refused = NOBODY.assign(a=3)
    found = why(sf.MinimalCost(SCHEMA, Q), sf.Unanimous([high, other, low]), refused)
    assert {0, 2} <= set(found.models)
    assert not found.alone


def test_a_model_that_refuses_everything_though_each_of_its_trees_can_be_satisfied_is_named():
    # what one tree gains the other loses
    never = stumps(3, (1, 4.5, 1, 0), (1, 4.5, 0, 1), threshold=1.5)
    assert why(sf.MinimalCost(SCHEMA, Q), never).models == (0,)


def test_a_relation_that_stands_in_the_way_is_not_blamed_on_the_model_alone():
    schema = sf.Schema(SCHEMA.features, ("a <= age",))
    found = why(sf.MinimalCost(schema, Q), stumps(3, (1, 4.5, 0, 1)))
    assert found == Unsatisfiable((0,), alone=False, relations=True)


def test_the_data_support_is_called_by_its_name():
    support = stumps(3, (1, 3.5, 1, 0))
    method = sf.MinimalCost(SCHEMA, Q, support=support)
    row = only(sf.recommend(method, stumps(3, (1, 4.5, 0, 1)), NOBODY))
    assert "model 0 and the data support together" in row["sentence"]
    never = stumps(3, (0, 5.5, 0, 1))
    method = sf.MinimalCost(SCHEMA, Q, support=never)
    row = only(sf.recommend(method, stumps(3, (1, 4.5, 0, 1)), NOBODY))
    assert row["sentence"].endswith("No admissible change satisfies the data support.")


# which models mattered


def test_binding_lists_the_models_that_were_needed_and_no_others():
    asks_a, asks_b = stumps(3, (1, 4.5, 0, 1)), stumps(3, (2, 2.5, 0, 1))
    content = [stumps(3, (1, 20.0, 1, 0)), sf.Linear([0.0, 1.0, 1.0], 1.0)]
    model = sf.Unanimous([asks_a, *content, asks_b])
    row = only(sf.recommend(sf.MinimalCost(SCHEMA, Q), model, NOBODY))
    assert row["binding"] == "model 0; model 3"
    assert row[["a", "b"]].tolist() == [5, 3]
    supported = sf.MinimalCost(SCHEMA, Q, support=asks_b)
    row = only(sf.recommend(supported, sf.Unanimous([asks_a, *content]), NOBODY))
    assert row["binding"] == "model 0; the data support"


# ties


def test_of_equal_maximal_shifts_the_least_total_is_chosen():
    # b must move by five; a may move by up to as much for nothing, but need not
    model = sf.Unanimous([stumps(3, (2, 4.5, 0, 1)), stumps(3, (1, 1.5, 0, 1), (1, 3.5, 0, 1))])
    row = only(sf.recommend(sf.MinimalCost(SCHEMA, Q, cost="max"), model, NOBODY))
    assert row["cost"] == pytest.approx(0.5)
    assert row[["a", "b"]].tolist() == [2, 5]


def test_the_least_maximal_shift_of_a_lone_sum_is_that_of_every_point():
    rng = np.random.default_rng(3)
    people, domain = rng.integers(0, 10, (40, 3)).astype(float), SCHEMA.complete(Q.values)
    every = np.array(list(itertools.product(range(10), repeat=3)), dtype=float)
    endings = set()
    for offset in (-4.0, -9.0, -25.0, -40.0):
        model = sf.Linear(rng.normal(1.0, 1.0, 3), offset)
        solver = Solver(Program.build([model], [0.0], domain, Q, Price("max")), people)
        for i, x in enumerate(people):
            found, own = solver.solve(i), np.tile(x, (len(every), 1))
            fits = domain.admits(own, every) & surely_accepts(model, every)
            shifts = Price("max").of(own[fits], every[fits], Q.of(SCHEMA))
            endings.add(found.proof)
            assert found.proof == ("minimal" if fits.any() else "infeasible")
            if fits.any():
                least = every[fits][shifts <= shifts.min() + 1e-12]
                total = Price("total").of(own[: len(least)], least, Q.of(SCHEMA)).min()
                assert found.cost == found.lower_bound == pytest.approx(shifts.min(), abs=1e-12)
                assert found.total == pytest.approx(total, abs=1e-12)
    assert endings == {"minimal", "infeasible"}


def test_of_equal_costs_the_fewest_changes_are_chosen():
    both = sf.Linear([0.0, 1.0, 1.0], -5.5)
    for cost in ("total", "l1"):
        units = [1.0] * 3 if cost == "l1" else None
        method = sf.MinimalCost(SCHEMA, Q, cost=cost, units=units, per_change=0.0)
        recs = sf.recommend(method, both, NOBODY)
        assert len(recs.changes()) == 1
        assert recs.counterfactual.iloc[0].sum() == 6


def test_asking_for_more_ways_changes_neither_the_answer_nor_the_tie_break():
    # one input moves by two fifths, or two by one fifth each, which adds up to a last bit less
    schema = sf.Schema(tuple(sf.Feature(name, "binary") for name in "abc"))
    table = pd.DataFrame({"a": [0, 0, 0, 1, 1], "b": [0, 0, 0, 0, 1], "c": [0, 0, 0, 0, 1]})
    person = pd.DataFrame({"a": [0], "b": [0], "c": [0]})
    for ways in (1, 2, 3):
        q = sf.Percentiles.fit(table)
        method = sf.MinimalCost(schema, q, alternatives=ways, per_change=0.0)
        recs = sf.recommend(method, sf.Linear([2.0, 1.0, 1.0], -1.5), person)
        assert recs.counterfactual.iloc[0].tolist() == [1, 0, 0]


# limits


@pytest.fixture(scope="module")
def hard():
    """Three forests over the twenty inputs of a twin, and somebody far from all of them."""
    data = sf.datasets.twin("heloc", n=2000, seed=0, variant="published")
    train, test = data.split(0.8, seed=0)
    models = []
    for seed in range(3):
        forest = RandomForestClassifier(20, max_depth=5, max_features=0.4, random_state=seed)
        drawn = train.table.sample(frac=1.0, replace=True, random_state=seed)
        forest.fit(drawn, train.labels.loc[drawn.index])
        models.append(sf.as_score(forest, data.schema, favourable=1, threshold=0.55))
    model = sf.Unanimous(models)
    q = sf.Percentiles.fit(train.table)
    refused = test.table[~model.accepts(data.schema.matrix(test.table))].iloc[:4]
    return data.schema, q, model, refused


@pytest.mark.parametrize("cost", ["total", "max"])
def test_more_boxes_never_widen_the_gap_and_end_in_the_proof(hard, cost):
    schema, q, model, people = hard
    proven = sf.recommend(sf.MinimalCost(schema, q, cost=cost), model, people)
    optimum = proven.cost.where(proven.outcome == "minimal", np.inf).to_numpy()
    assert np.isfinite(optimum).any()
    cheapest, bounds = np.full(len(people), np.inf), np.zeros(len(people))
    open_ends = 0
    for boxes in (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000):
        method = sf.MinimalCost(schema, q, cost=cost, boxes=boxes)
        recs = sf.recommend(method, model, people)
        found = recs.cost.fillna(np.inf).to_numpy()
        bound = recs.results["lower_bound"].to_numpy()
        assert (bound <= optimum + 1e-9).all()
        assert (optimum <= found + 1e-9).all()
        assert (bound >= bounds - 1e-9).all()
        # for the maximal shift the search for the least total starts anew each time
        assert cost == "max" or (found <= cheapest + 1e-9).all()
        done = recs.outcome.isin(["minimal", "infeasible"]).to_numpy()
        assert found[done] == pytest.approx(optimum[done])
        within = recs.outcome == "within_gap"
        open_ends += (~done).sum()
        assert (recs.gap[within] >= 0).all()
        assert (recs.outcome[~done & np.isinf(found)] == "exhausted").all()
        ends = zip(recs.results["cause"][~done], bound[~done], strict=True)
        assert all(cause == LimitReached("boxes", boxes, least) for cause, least in ends)
        cheapest, bounds = found, bound
    assert open_ends > 4


def test_a_time_limit_ends_with_an_honest_lower_bound(hard):
    schema, q, model, people = hard
    method = sf.MinimalCost(schema, q)
    optimum = sf.recommend(method, model, people).cost
    recs = sf.recommend(method, model, people, time_limit=1e-6)
    assert set(recs.outcome) <= {"exhausted", "within_gap", "minimal"}
    assert "exhausted" in set(recs.outcome)
    bound = recs.results["lower_bound"]
    assert (bound.fillna(0.0) <= optimum.fillna(np.inf) + 1e-9).all()
    ended = recs.results["cause"][recs.outcome == "exhausted"]
    assert {cause.limit for cause in ended} == {"time"}


def test_alternatives_found_at_a_limit_are_still_allowed_and_in_order(hard):
    schema, q, model, people = hard
    for boxes in (20, 200):
        method = sf.MinimalCost(schema, q, boxes=boxes, alternatives=4)
        recs = sf.recommend(method, model, people)
        if recs.alternatives is None:
            continue
        for person, ways in recs.alternatives.groupby("person"):
            assert ways["cost"].is_monotonic_increasing
            x = people.loc[person].to_numpy(dtype=float)
            changed = ways[list(schema.names)].to_numpy(dtype=float) != x
            for a in range(len(ways)):
                for b in range(a):
                    assert (changed[a] & ~changed[b]).any()
                    assert (changed[b] & ~changed[a]).any()


def test_a_search_that_fills_its_memory_ends_with_an_honest_lower_bound(hard, monkeypatch):
    schema, q, model, people = hard
    method = sf.MinimalCost(schema, q)
    optimum = sf.recommend(method, model, people).cost
    monkeypatch.setattr("standfast.search.exact.driver.MEMORY", 0)
    recs = sf.recommend(method, model, people)
    full = recs.outcome.isin(["exhausted", "within_gap"])
    assert full.any()
    assert {cause.limit for cause in recs.results["cause"][full]} == {"memory"}
    assert (recs.results["lower_bound"][full] <= optimum[full].fillna(np.inf) + 1e-9).all()
    assert (recs.cost[full].fillna(np.inf) >= optimum[full].fillna(np.inf) - 1e-9).all()


# what happens on the way


def solver(models, people, schema=SCHEMA, cost="total"):
    domain = schema.complete(Q.of(schema).values)
    program = Program.build(models, [0.0] * len(models), domain, Q.of(schema), Price(cost))
    return Solver(program, schema.matrix(people))


def test_a_relation_moves_the_other_input_at_once():
    schema = replace(SCHEMA, relations=("a <= b",))
    low = stumps(3, (2, 3.5, 1, 0))
    solve = solver([low], pd.DataFrame({"age": [0], "a": [8], "b": [9]}), schema)
    found = solve.solve(0)
    assert found.point.tolist() == [0, 3, 3]
    assert found.boxes <= 6  # b at most 3 leaves a no choice; nothing in between is looked at
