"""Whether "proven" is true of everything the schema admits: every point of the grid is tried."""

import numpy as np
import pytest
from samples.coupled import coupled, disagreement

import standfast as sf
from standfast.search.problem import lattice, refinement


def check(problem, people):
    recs = sf.recommend(problem.method, problem.model, people)
    found = zip(recs.outcome, recs.cost, recs.results["lower_bound"], strict=True)
    wrong = [
        (x.tolist(), outcome, told)
        for x, (outcome, cost, bound) in zip(problem.schema.matrix(people), found, strict=True)
        if (told := disagreement(problem, x, outcome, cost, bound)) or outcome == "unsound"
    ]
    assert not wrong, (wrong, problem.options, problem.schema.relations)
    return recs.outcome


@pytest.mark.parametrize("few", [False, True], ids=["listed", "refined"])
def test_small_problems_are_solved_as_if_every_point_were_tried(few, monkeypatch):
    if few:  # ranges and their refinement on grids small enough to try every point of
        monkeypatch.setattr(lattice, "LISTED", 2)
        monkeypatch.setattr(lattice, "PARTS", 3)
        monkeypatch.setattr(refinement, "FEW", 2)
        monkeypatch.setattr(refinement, "PARTS", 2)
    outcomes = set()
    for seed in range(60):
        problem = coupled(np.random.default_rng([7, seed]))
        people = problem.people(4)
        if len(people):
            outcomes |= set(check(problem, people))
    assert {"minimal", "infeasible"} <= outcomes


@pytest.mark.parametrize("sizes", [(2000, 1900), (1500, 25, 30), (1200, 14, 10, 12)], ids=str)
def test_inputs_with_thousands_of_values_are_proven_over_all_of_them(sizes):
    outcomes = []
    for seed in range(8):
        problem = coupled(np.random.default_rng([11, len(sizes), seed]), sizes)
        people = problem.people(1)
        if len(people):
            outcomes += check(problem, people).tolist()
    assert outcomes.count("minimal") >= 3
