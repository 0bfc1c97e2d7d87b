"""Early answers for hard people: a walk over points that no box guides, one input at a time."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from standfast.compilation import inner, kernel, zeros
from standfast.search.exact.judging import take_up_worst, truly_accepted
from standfast.search.exact.open_nodes import INCUMBENT, LOWER, WALKED, keep_best
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import TINY, cost_of, put, slack_at
from standfast.search.local.neighbourhood import (
    Neighbourhood,
    Numbers,
    along,
    fit_to,
    no_neighbourhood,
)
from standfast.search.problem.contributions import REFUSED
from standfast.search.problem.price import Matrix, Vector

# from here on a person is hard, and walks look for better answers
HARD = 2000
# moves of one walk; longer ones rarely find more than another start does
STEPS = 60
# an input that moved is left alone for at least so many moves, and for up to twice as many
REST = 4
# what a refusal costs at first, as a share of the answer's cost, and how far chance varies that
REFUSAL, VARIED = 0.5, 3.0
# how a model's weight grows while it refuses, and falls while it accepts
GROWS, FALLS = 1.1, 0.95


class Walk(NamedTuple):
    """Where a walk stands: what each single move would do.

    `gain[m]`, in the neighbourhood's columns, is what moving one input alone adds to model m's
    slack, which `slack` holds. `weight` is what one unit of a model's refusal costs. Input j rests
    until move `rests[j]`.
    """

    around: Neighbourhood
    gain: Annotated[Matrix, "models", "columns"]
    slack: Vector
    weight: Annotated[Vector, "models"]
    rests: Annotated[Numbers, "d"]


def no_walk(state: Any, depth: int) -> Walk:
    """Room for a walk through trees of at most this depth."""
    d, widest = state.levels.cost.shape
    around = no_neighbourhood(state.forest.nodes, depth, d)
    sizes = {"d": d, "models": len(state.needs), "columns": d * (widest + 1)}
    return zeros(Walk, sizes, around=around, slack=state.work.slack)


@inner
def next_walk(walked: int, trees: int) -> int:
    """How many boxes come before the next walk: more and more, and more for larger models.

    The first walks find most; a walk takes as long as a hundred boxes and more.
    """
    return HARD + (20 + trees // 6) * walked * walked


@kernel
def walk(state: SearchState, here: Walk) -> None:
    """Walk once and keep every better answer on the way; each walk of a search goes another way.

    A tabu search: each move is the one that leaves the least cost plus weighted refusals, among
    points cheaper than the best answer so far, for better or worse. Models that keep refusing weigh
    more and more, so that the walk crosses between what is refused and what costs too much.
    """
    levels, work, costs = state.levels, state.work, state.open_nodes.costs
    models, d, number = len(state.needs), len(work.p), state.open_nodes.numbers[WALKED]
    state.open_nodes.numbers[WALKED] += 1
    here.rests[:] = 0
    fit_to(state.forest.nodes, levels, here.around)
    set_out(state, here, number)
    for step in range(STEPS):
        accepted = True
        for m in range(models):
            survey(state, here, m)
            accepted = accepted and here.slack[m] > 0.0
            here.weight[m] *= FALLS if here.slack[m] > 0.0 else GROWS
        cost = cost_of(work, levels, state.maximal)
        if accepted and cost < costs[INCUMBENT] - TINY and truly_accepted(state):
            costs[INCUMBENT] = cost
            keep_best(state.open_nodes, work)
        j, level = next_move(state, here, step)
        if j >= 0:
            put(j, level, levels, work)
            here.rests[j] = step + REST + int(REST * chance(number, d + models + step))
    if not np.isfinite(costs[INCUMBENT]):  # who still refuses may be why there is none
        take_up_worst(state)


@inner
def set_out(state: SearchState, here: Walk, number: int) -> None:
    """Begin where the person stands, every other time with half of the best answer's changes."""
    levels, work, open_nodes = state.levels, state.work, state.open_nodes
    for j in work.free[: work.free[-1]]:
        put(j, levels.start[j], levels, work)
    answered = np.isfinite(open_nodes.costs[INCUMBENT])
    price = max(open_nodes.costs[LOWER], 0.1 * open_nodes.costs[INCUMBENT] if answered else 0.0)
    for m in range(len(state.needs)):
        slack = slack_at(m, state.row[m], state.needs[m], state.forest, levels, work)
        size = max(abs(slack), TINY) if slack > 0.5 * REFUSED else 1.0
        varied = VARIED ** (2.0 * chance(number, m) - 1.0)
        here.weight[m] = REFUSAL * price / size * varied
    if answered and number % 2 == 1:
        for j in work.free[: work.free[-1]]:
            if chance(number, len(state.needs) + j) < 0.5:
                put(j, open_nodes.best[j], levels, work)


@inner
def next_move(state: SearchState, here: Walk, step: int) -> tuple[int, int]:
    """The move after which cost and weighted refusals are least: an input and its level.

    A resting input may move only where that gives a better answer at once.
    """
    levels, work, incumbent = state.levels, state.work, state.open_nodes.costs[INCUMBENT] - TINY
    cost, models = cost_of(work, levels, False), len(here.slack)
    best, level, least = -1, -1, np.inf
    for j in work.free[: work.free[-1]]:
        own = levels.cost[j, work.p[j]]
        for k in range(levels.counts[j]):
            extra = levels.cost[j, k] - own
            spent = levels.cost[j, k] if state.maximal else cost + extra
            if k == work.p[j] or (extra > 0.0 and spent >= incumbent) or extra >= least:
                continue
            refusals, column = 0.0, here.around.columns[j] + k
            for m in range(models):
                refusals += here.weight[m] * max(-here.slack[m] - here.gain[m, column], 0.0)
            if here.rests[j] > step and (refusals > 0.0 or spent >= incumbent):
                continue
            if extra + refusals < least:
                best, level, least = j, k, extra + refusals
    return best, level


@inner
def survey(state: SearchState, here: Walk, m: int) -> None:
    """Model m's slack at p, and what each single move would add to it."""
    levels, columns, gain, p = state.levels, here.around.columns, here.gain[m], state.work.p
    gain[: columns[len(p)]] = 0.0
    row, need = state.row[m], state.needs[m]
    here.slack[m] = along(m, row, 1.0, -need, levels, here.around, p, gain)
    for j in range(len(p)):
        for c in range(columns[j] + 1, columns[j + 1]):
            gain[c] += gain[c - 1]


@inner
def chance(number: int, draw: int) -> float:
    """A number between 0 and 1 that looks random and is the same whenever it is asked for."""
    z = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(draw)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 2.0**53
