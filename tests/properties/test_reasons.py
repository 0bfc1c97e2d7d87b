"""Reasons block, as trying every admitted point shows, and no fewer inputs do."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.mixed import Problem

from standfast import reasons
from standfast.scores.score import surely_accepts


def ways_of(problem, x):
    """All accepted points a person may go to: the inputs each moves, and its cost."""
    points = problem.admitted(x)
    accepted = points[surely_accepts(problem.model, points)]
    costs = problem.method.price(np.broadcast_to(x, accepted.shape), accepted)
    return list(zip(accepted != x, costs, strict=True))


def cheapest(ways, allowed):
    """The least cost of the ways that move nothing but what is allowed."""
    return min((cost for moves, cost in ways if not (moves & ~allowed).any()), default=np.inf)


def fewest(ways, d):
    """How many inputs the smallest blocking set has."""
    for size in range(d + 1):
        for held in itertools.combinations(range(d), size):
            if all(moves[list(held)].any() for moves, _ in ways):
                return size
    raise AssertionError("no set blocks")


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_the_smallest_blocking_set_is_found_with_its_necessity_and_sufficiency(seed):
    problem = Problem.drawn(np.random.default_rng(seed))
    X, doubts = problem.method.schema.judged(problem.table)
    found = reasons(problem.method, problem.model, problem.table, most=10)
    for x, doubt, refusal in zip(X, doubts, found.refusals, strict=True):
        if doubt or problem.model.accepts(x[None])[0]:
            assert refusal.ending == ("outside the schema" if doubt else "accepted")
            continue
        ways, everything = ways_of(problem, x), np.ones(len(x), dtype=bool)
        if not ways:
            assert refusal.ending == "nothing helps"
            continue
        columns = [reason.column for reason in refusal.principal]
        assert refusal.ending == "proven"
        assert refusal.blocking == len(columns) == fewest(ways, len(x))
        assert all(moves[columns].any() for moves, _ in ways)
        for reason in refusal.principal:
            one = np.arange(len(x)) == reason.column
            more = cheapest(ways, ~one) - cheapest(ways, everything)
            assert np.isclose(reason.necessity, more, atol=1e-9)
            assert np.isclose(reason.sufficiency, cheapest(ways, one), atol=1e-9)
