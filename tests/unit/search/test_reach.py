"""How far each person may go: least moves and kept inputs, against trying every point."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.coupled import coupled, disagreement

import standfast as sf

ASKED = 6  # people of each problem


def with_least(problem, rng):
    """The problem with a least move for some of its inputs, on the grid's steps or off them."""
    features = []
    for f in problem.schema:
        steps = rng.choice([0.0, 1.0, 2.0, 2.5, 7.0])
        features.append(replace(f, least=float(np.round(steps * f.step, 6)) or None))
    return replace(problem, schema=replace(problem.schema, features=tuple(features)))


def wrong(problem, people, kept=()):
    """What trying every point has against the answers."""
    names = [problem.schema.names[j] for j in kept]
    recs = sf.recommend(problem.method, problem.model, people, keep=names)
    bounds = recs.results["lower_bound"]
    rows = zip(problem.schema.matrix(people), recs.outcome, recs.cost, bounds, strict=True)
    found = [disagreement(problem, *row, kept) for row in rows]
    assert not (recs.changes()["feature"].isin(names)).any()
    return [text for text in found if text], recs


@pytest.mark.parametrize("seed", range(24))
def test_least_moves_and_kept_inputs_leave_the_proven_optimum(seed):
    rng = np.random.default_rng([17, seed])
    problem = with_least(coupled(rng), rng)
    people = problem.people(ASKED)
    movable = np.flatnonzero(problem.schema.mutable)
    kept = rng.choice(movable, int(rng.integers(0, len(movable))), replace=False).tolist()
    assert wrong(problem, people, kept)[0] == []


def test_many_values_are_refined_beyond_the_least_move():
    table = pd.DataFrame({"a": np.arange(0, 50_000, 10.0), "b": np.arange(5_000) % 50})
    schema = sf.Schema(
        (sf.Feature("a", step=1, least=2500), sf.Feature("b", "count", direction="up", least=3))
    )
    model = sf.Linear([1.0, 200.0], -30_000.0)
    people = table.iloc[[2900, 2951, 1500]]
    q = sf.Percentiles.fit(table)
    recs = sf.recommend(sf.MinimalCost(schema, q, per_change=0.0), model, people)
    assert (recs.outcome == "minimal").all()
    for x, cost in zip(people.to_numpy(), recs.cost, strict=True):
        a = np.arange(0.0, 49_991.0)
        a = a[(np.abs(a - x[0]) >= 2500) | (a == x[0])]
        b = np.array([v for v in range(50) if v >= x[1] + 3 or v == x[1]], dtype=float)
        points = np.array(np.meshgrid(a, b, indexing="ij")).reshape(2, -1).T
        points = points[model.score(points) > 1e-9]
        assert cost == pytest.approx(q.total(np.broadcast_to(x, points.shape), points).min())


def test_keeping_an_input_shares_everything_that_was_packed():
    problem = coupled(np.random.default_rng(3), sizes=(8, 8, 8))
    search = problem.method.prepare(problem.model)
    held = search.keeping(frozenset({0})).keeping(frozenset({2}))
    assert held.program.lattice.kept == {0, 2}
    assert held.program.joined_forest is search.program.joined_forest
    assert held.program.adds is search.program.adds
