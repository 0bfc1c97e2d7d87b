"""Early answers for hard people: a walk over points that no box guides, one input at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.case import Case
from standfast.search.contributions import REFUSED
from standfast.search.desk import TINY, cost_of, leaf_at, put, slack_at, slack_in_32_bits, sum_at
from standfast.search.frontier import INCUMBENT, LOWER
from standfast.search.price import Matrix, Vector

# from here on a person is hard, and walks look for better answers
HARD = 2000
# moves of one walk; longer ones rarely find more than another start does
STEPS = 60
# an input that moved is left alone for at least so many moves, and for up to twice as many
REST = 4
# what a refusal costs at first, as a share of the answer's cost, and how far chance varies that
REFUSAL, VARIED = 0.5, 3.0
# how a model's weight grows while it refuses, and falls while it accepts
DEARER, CHEAPER = 1.1, 0.95


class Walk(NamedTuple):
    """Where a walk stands: what each single move would do.

    `gain[m, j, k]` is what moving input j alone to level k adds to model m's slack, which `slack`
    holds. `weight` is what one unit of a model's refusal costs. Input j rests until move
    `rests[j]`. `low` and `high` are the cells of each input that share p's way down a tree.
    """

    gain: NDArray[np.float64]
    slack: Vector
    weight: Vector
    rests: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@kernel
def next_walk(walked: int, trees: int) -> int:
    """How many boxes come before the next walk: more and more, and more for larger models.

    The first walks find most; a walk takes as long as a hundred boxes and more.
    """
    return HARD + (20 + trees // 6) * walked * walked


@kernel
def walk(case: Case, number: int) -> None:
    """Walk once and keep every better answer on the way; walks with other numbers go other ways.

    A tabu search: each move is the one that leaves the least cost plus weighted refusals, among
    points cheaper than the best answer so far, for better or worse. Models that keep refusing weigh
    more and more, so that the walk crosses between what is refused and what is too dear.
    """
    levels, desk, costs = case.levels, case.desk, case.frontier.costs
    models, d = len(case.needs), len(desk.p)
    here = Walk(
        np.zeros((models, d, levels.cost.shape[1] + 1)),
        desk.slack,
        np.zeros(models),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
    )
    set_out(case, here, number)
    for step in range(STEPS):
        accepted = True
        for m in range(models):
            survey(case, here, m)
            accepted = accepted and here.slack[m] > 0.0
            here.weight[m] *= CHEAPER if here.slack[m] > 0.0 else DEARER
        cost = cost_of(desk, levels, case.maximal)
        if accepted and cost < costs[INCUMBENT] - TINY and truly_accepted(case):
            costs[INCUMBENT] = cost
            case.frontier.best[:] = desk.p
        j, level = next_move(case, here, step)
        if j >= 0:
            put(j, level, levels, desk)
            here.rests[j] = step + REST + int(REST * chance(number, d + models + step))


@kernel
def truly_accepted(case: Case) -> bool:
    """Whether models that add in 32 bits accept p by their own arithmetic, too."""
    for m in range(len(case.needs)):
        single = case.single.marked[m]
        if single and slack_in_32_bits(m, case.needs[m], case.single, case.forest, case.desk) <= 0:
            return False
    return True


@kernel
def set_out(case: Case, here: Walk, number: int) -> None:
    """Begin where the person stands, every other time with half of the best answer's changes."""
    levels, desk, frontier = case.levels, case.desk, case.frontier
    for j in desk.free[: desk.free[-1]]:
        put(j, levels.start[j], levels, desk)
    answered = np.isfinite(frontier.costs[INCUMBENT])
    price = max(frontier.costs[LOWER], 0.1 * frontier.costs[INCUMBENT] if answered else 0.0)
    for m in range(len(case.needs)):
        slack = slack_at(m, case.row[m], case.needs[m], case.forest, levels, desk)
        size = max(abs(slack), TINY) if slack > 0.5 * REFUSED else 1.0
        varied = VARIED ** (2.0 * chance(number, m) - 1.0)
        here.weight[m] = REFUSAL * price / size * varied
    if answered and number % 2 == 1:
        for j in desk.free[: desk.free[-1]]:
            if chance(number, len(case.needs) + j) < 0.5:
                put(j, frontier.best[j], levels, desk)


@kernel
def next_move(case: Case, here: Walk, step: int) -> tuple[int, int]:
    """The move after which cost and weighted refusals are least: an input and its level.

    A resting input may move only where that gives a better answer at once.
    """
    levels, desk, incumbent = case.levels, case.desk, case.frontier.costs[INCUMBENT] - TINY
    cost, models = cost_of(desk, levels, False), len(here.slack)
    best, level, least = -1, -1, np.inf
    for j in desk.free[: desk.free[-1]]:
        own = levels.cost[j, desk.p[j]]
        for k in range(levels.counts[j]):
            extra = levels.cost[j, k] - own
            spent = levels.cost[j, k] if case.maximal else cost + extra
            if k == desk.p[j] or (extra > 0.0 and spent >= incumbent) or extra >= least:
                continue
            refusals = 0.0
            for m in range(models):
                refusals += here.weight[m] * max(-here.slack[m] - here.gain[m, j, k], 0.0)
            if here.rests[j] > step and (refusals > 0.0 or spent >= incumbent):
                continue
            if extra + refusals < least:
                best, level, least = j, k, extra + refusals
    return best, level


@kernel
def survey(case: Case, here: Walk, m: int) -> None:
    """Model m's slack at p, and what each single move would add to it."""
    forest, levels, desk, row = case.forest, case.levels, case.desk, case.row[m]
    gain = here.gain[m]
    if row >= 0:
        here.slack[m] = sum_at(row, levels, desk) - case.needs[m]
        for j in desk.free[: desk.free[-1]]:
            adds = levels.contribution[row, j]
            for k in range(levels.counts[j]):
                gain[j, k] = adds[k] - adds[desk.p[j]]
        return
    for j in desk.free[: desk.free[-1]]:
        gain[j, : levels.counts[j] + 1] = 0.0
    here.slack[m] = -case.needs[m]
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        here.slack[m] += value_around(t, case, here, gain)
    for j in desk.free[: desk.free[-1]]:
        for k in range(1, levels.counts[j]):
            gain[j, k] += gain[j, k - 1]


@kernel
def value_around(t: int, case: Case, here: Walk, gain: Matrix) -> float:
    """A tree's value at p; what each single move changes in it is added to `gain` as steps.

    Every node on p's way down that asks about an input is where moves of that input turn off.
    """
    forest, levels, cell = case.forest, case.levels, case.desk.cell
    value: float = forest.value[leaf_at(t, forest, case.desk)]
    for j in range(len(cell)):
        here.low[j], here.high[j] = 0, levels.cell_start[j + 1] - levels.cell_start[j] - 1
    node: int = forest.roots[t]
    while forest.left[node] != node:
        j, cut, left = forest.feature[node], forest.cut[node], forest.left[node]
        if cell[j] <= cut:
            if levels.counts[j] > 1:
                turn_off(left + 1, j, cut + 1, here.high[j], value, case, gain)
            here.high[j] = min(here.high[j], cut)
            node = left
        else:
            if levels.counts[j] > 1:
                turn_off(left, j, here.low[j], cut, value, case, gain)
            here.low[j] = max(here.low[j], cut + 1)
            node = left + 1
    return value


@kernel
def turn_off(
    node: int, j: int, low: int, high: int, value: float, case: Case, gain: Matrix
) -> None:
    """From a node on, the leaves that p meets while its input j runs through cells low to high."""
    forest, levels, cell = case.forest, case.levels, case.desk.cell
    base = levels.cell_start[j]
    while low <= high and levels.first[base + low] <= levels.last[base + high]:
        at, end = node, high
        while forest.left[at] != at:
            asked, cut = forest.feature[at], forest.cut[at]
            right = (low if asked == j else cell[asked]) > cut
            if asked == j and not right:
                end = min(end, cut)
            at = forest.left[at] + (1 if right else 0)
        first, last = levels.first[base + low], levels.last[base + end]
        if first <= last:
            gain[j, first] += forest.value[at] - value
            gain[j, last + 1] -= forest.value[at] - value
        low = end + 1


@kernel
def chance(number: int, draw: int) -> float:
    """A number between 0 and 1 that looks random and is the same whenever it is asked for."""
    z = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(draw)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 2.0**53
