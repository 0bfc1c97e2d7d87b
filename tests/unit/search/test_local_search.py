"""Walks of the exact search: what they see around a point, and the answers they find."""

import numpy as np
import pandas as pd
import pytest
from samples.every import every
from samples.kernels import callable_from_python
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.compilation import Struct
from standfast.scores.score import CLEARANCE
from standfast.search.exact import branch_and_bound, workspace
from standfast.search.exact.branch_and_bound import explore
from standfast.search.exact.driver import PROVEN, Limit
from standfast.search.exact.open_nodes import INCUMBENT, LOWER, SEEN, WALKED
from standfast.search.exact.solve import Alternatives, Solver
from standfast.search.local import neighbourhood, tabu
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program

begin = callable_from_python(branch_and_bound.begin)
put, cost_of, slack_at = map(
    callable_from_python, (workspace.put, workspace.cost_of, workspace.slack_at)
)
survey = callable_from_python(tabu.survey)

NAMES = ("a", "b", "c", "d")
COSTS = ("total", "max", "log", "l1", "l2")


def problem(seed, cost="total", relations=(), forests=2):
    """Two forests and a linear model over four whole inputs, and somebody they refuse."""
    rng = np.random.default_rng(seed)
    schema = sf.Schema(tuple(sf.Feature(name, "count") for name in NAMES), relations)
    table = pd.DataFrame(rng.integers(0, 8, (300, 4)), columns=NAMES)
    q = sf.Percentiles.fit(table)
    models = []
    for _ in range(forests):
        merit = table @ rng.normal(1.0, 1.0, size=4) + rng.normal(size=300)
        label = (merit > merit.quantile(0.6)).astype(int)
        forest = RandomForestClassifier(8, max_depth=6, random_state=seed).fit(table, label)
        models.append(sf.as_score(forest, schema, favourable=1))
    models.append(sf.Linear([1.0, -0.5, 1.0, 0.5], -8.0))
    price = Price(cost, np.ones(4) if cost in ("l1", "l2") else None)
    program = Program.build(models, [0.0] * len(models), schema.complete(q.values), q, price)
    X = schema.matrix(table)
    accepted = np.all([model.accepts(X) for model in models], axis=0)
    return Solver(program, X[~accepted][:3])


def opened(solve, i, maximal=False):
    solve._set(i, np.inf)
    solve._state.update(maximal=maximal)
    begin(solve._state, 1)
    return solve._state


def slacks(state):
    models = range(len(state.needs))
    args = [state.part_of(name) for name in ("forest", "levels", "work")]
    return np.array([slack_at(m, state.row[m], state.needs[m], *args) for m in models])


def brute_force(solve):
    """The least cost of any point that the models themselves and the relations accept."""
    levels, program = solve._state.levels, solve.program
    points = every(range(n) for n in levels.counts)
    inputs = np.arange(points.shape[1])
    X, costs = levels.value[inputs, points], levels.cost[inputs, points]
    accepted = (program.lattice.domain.half_spaces.excess(X) == 0.0).all(axis=1)
    for model in program.models:
        accepted &= model.score(X) > CLEARANCE
    total = costs.max(axis=1) if solve._state.maximal else costs.sum(axis=1)
    return total[accepted].min(initial=np.inf)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_single_move_adds_is_what_the_models_say_afterwards(seed):
    state = opened(problem(seed, relations=("a <= b",)), 0)
    rng = np.random.default_rng(seed)
    models, d = state.levels.contribution.shape[0] + 2, 4
    assert models == len(state.needs) == 4  # two forests, a linear model, a relation
    for _ in range(10):
        point = [int(rng.integers(n)) for n in state.levels.counts]
        for j, level in enumerate(point):
            put(j, level, state.part_of("levels"), state.part_of("work"))
        here = Struct(tabu.no_walk(state, depth=6))
        neighbourhood.fit_to(
            Struct(state.forest.nodes), state.part_of("levels"), here.part_of("around")
        )
        for m in range(models):
            survey(state, here, m)
        before = slacks(state)
        assert (here.slack == before).all()
        for j in range(d):
            for level in range(state.levels.counts[j]):
                put(j, level, state.part_of("levels"), state.part_of("work"))
                assert slacks(state) - before == pytest.approx(
                    here.gain[:, here.around.columns[j] + level], abs=1e-9
                )
            put(j, point[j], state.part_of("levels"), state.part_of("work"))


@pytest.mark.parametrize("cost", COSTS)
def test_walks_find_the_optimum_of_small_problems_and_nothing_that_is_refused(cost):
    found, possible = 0, 0
    for seed in range(4):
        solve = problem(seed, cost, ("a <= b",) if seed % 2 else ())
        for i in range(3):
            state = opened(solve, i, cost == "max")
            least = brute_force(solve)
            state.open_nodes.costs[LOWER] = 0.1
            here = Struct(tabu.no_walk(state, depth=6))
            for _ in range(8):
                before = state.open_nodes.costs[INCUMBENT]
                tabu.walk(state, here)
                assert least - 1e-9 <= state.open_nodes.costs[INCUMBENT] <= before
            incumbent = state.open_nodes.costs[INCUMBENT]
            if np.isfinite(incumbent):
                for j, level in enumerate(state.open_nodes.best):
                    put(j, int(level), state.part_of("levels"), state.part_of("work"))
                assert (slacks(state) > 0.0).all()
                assert (
                    cost_of(state.part_of("work"), state.part_of("levels"), state.maximal)
                    == incumbent
                )
            possible += np.isfinite(least)
            found += np.isfinite(least) and incumbent <= least + 1e-9
    assert possible >= 6
    assert found >= 0.8 * possible


def test_a_walk_is_the_same_whenever_it_is_made():
    solve = problem(1)
    ends = []
    for _ in range(2):
        state = opened(solve, 0)
        state.open_nodes.costs[LOWER] = 0.1
        here = Struct(tabu.no_walk(state, depth=6))
        for _ in range(3):
            tabu.walk(state, here)
        ends.append((state.open_nodes.costs[INCUMBENT], state.work.p.tolist()))
    assert ends[0] == ends[1]


@pytest.fixture(scope="module")
def hard():
    """Two forests over the twenty inputs of a twin, and people far from both."""
    data = sf.datasets.twin("heloc", n=2000, seed=0, variant="published")
    q = sf.Percentiles.fit(data.table)
    models = []
    for seed in range(2):
        forest = RandomForestClassifier(20, max_depth=6, max_features=0.4, random_state=seed)
        drawn = data.table.sample(frac=1.0, replace=True, random_state=seed)
        forest.fit(drawn, data.labels.loc[drawn.index])
        models.append(sf.as_score(forest, data.schema, favourable=1, threshold=0.6))
    domain = data.schema.complete(q.values)
    X = data.schema.matrix(data.table)
    people = X[~models[0].accepts(X)][:4]
    return Solver(Program.build(models, [0.0, 0.0], domain, q, Price("total")), people)


def cost_without_walks(solve, i):
    opened(solve, i)
    solve._state.open_nodes.numbers[WALKED] = 10**6  # as if enough had been made
    while (status := explore(solve._state, 1_000_000)) != PROVEN:
        assert solve.help(status)
    assert solve._state.open_nodes.costs[LOWER] == solve._state.open_nodes.costs[INCUMBENT]
    return solve._state.open_nodes.costs[INCUMBENT]


def test_walks_change_no_proven_cost_of_hard_people(hard):
    walked = 0
    for i in range(len(hard.X)):
        with_walks = hard.solve(i)
        numbers = hard._state.open_nodes.numbers
        walked += numbers[WALKED] > 0
        assert (numbers[WALKED] > 0) == (numbers[SEEN] > 2000)
        cost = cost_without_walks(hard, i)
        assert with_walks.proof == ("minimal" if np.isfinite(cost) else "infeasible")
        if np.isfinite(cost):
            assert with_walks.cost == pytest.approx(cost, abs=1e-6)
    assert walked >= 2


def test_other_ways_are_found_without_walks(hard):
    beside = Alternatives(np.zeros((1, hard.X.shape[1]), dtype=bool))
    hard.solve(0, Limit(boxes=5000), beside)
    assert hard._state.open_nodes.numbers[WALKED] == 0
