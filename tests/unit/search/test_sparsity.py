"""The sparse–cheap frontier: the cheapest with one change, with two, …, against trying all."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.coupled import coupled

import standfast as sf


def frontier(problem, x):
    """For each number of changes the least cost of at most so many; NaN where none is accepted."""
    d, found = len(x), []
    for size in range(1, d + 1):
        costs = []
        for moved in itertools.combinations(range(d), size):
            costs.append(problem.optimum(x, kept=set(range(d)) - set(moved)))
        found.append(np.nanmin([*costs, *found, np.inf]))
    return found


def expected(costs):
    """The points of the frontier in order of cost: (cost, changes)."""
    kept = [(c, k) for k, c in enumerate(costs, start=1) if np.isfinite(c)]
    return sorted((c, k) for c, k in kept if k == 1 or c < costs[k - 2] - 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_every_point_of_the_frontier_is_the_cheapest_of_its_size(seed):
    rng = np.random.default_rng([18, seed])
    problem = coupled(rng)
    problem.options.update(alternatives=9, alternatives_by="changes")
    people = problem.people(4)
    recs = sf.recommend(problem.method, problem.model, people)
    for person, x in zip(people.index, problem.schema.matrix(people), strict=True):
        if not recs.found[person]:
            continue
        ways = recs.alternatives[recs.alternatives["person"] == person]
        changes = (ways[list(problem.schema.names)].to_numpy(dtype=float) != x).sum(axis=1)
        known = expected(frontier(problem, x))
        assert ways["cost"].tolist() == pytest.approx([cost for cost, _ in known])
        assert (ways["outcome"] == "minimal").all()
        if problem.options["cost"] != "max":  # of equal maxima the least total is chosen
            assert changes.tolist() == [count for _, count in known]
        assert recs.cost[person] == pytest.approx(known[0][0])


def test_an_equality_makes_two_inputs_move_together():
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20), "c": np.arange(20) % 5})
    features = [sf.Feature(name, "count") for name in "ab"]
    schema = sf.Schema((*features, sf.Feature("c", "count", lower=0, upper=1)), changes=("a == b",))
    method = sf.MinimalCost(
        schema, sf.Percentiles.fit(table), alternatives=3, alternatives_by="changes"
    )
    model = sf.Linear([1.0, 1.0, 8.0], -14.5)
    recs = sf.recommend(method, model, pd.DataFrame({"a": [3], "b": [3], "c": [0]}))
    ways = recs.flipset(0)["sentence"].tolist()
    assert ways == [
        "Raise a from 3 to 4, raise b from 3 to 4 and raise c from 0 to 1.",
        "Raise a from 3 to 8 and raise b from 3 to 8.",
    ]


def test_a_limit_leaves_points_with_their_gap():
    problem = coupled(np.random.default_rng(5), sizes=(8, 8, 8, 8))
    method = replace(problem.method, alternatives=4, alternatives_by="changes", boxes=1)
    recs = sf.recommend(method, problem.model, problem.people(8))
    assert (
        recs.alternatives is None
        or (recs.alternatives["lower_bound"] <= recs.alternatives["cost"] + 1e-9).all()
    )


def test_another_way_to_choose_alternatives_is_refused():
    table = pd.DataFrame({"a": [1, 2]})
    schema, q = sf.Schema((sf.Feature("a"),)), sf.Percentiles.fit(table)
    with pytest.raises(sf.InputError, match="alternatives_by is 'luck'; allowed: inputs, changes"):
        sf.MinimalCost(schema, q, alternatives=2, alternatives_by="luck")
