"""A first answer before any box is opened: single changes, each the best for its price.

Most people's cheapest advice changes one input or two. What every single change does to every model
takes one pass through the trees; an answer found so bounds the search from its first box on, and
what costs more than that answer leaves the person's levels before the trees are taken up.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.search.exact.judging import truly_accepted
from standfast.search.exact.open_nodes import INCUMBENT, keep_best
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import TINY, affordable, cost_of, put, slack_at, sum_at
from standfast.search.local.neighbourhood import (
    Neighbourhood,
    Numbers,
    along_tree,
    no_neighbourhood,
    span,
)
from standfast.search.problem.levels import Levels, copy_level, find_cells
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Program

# changes made one after another at most
STEPS = 6
# a change's price is raised by this share of what the inputs' farthest moves cost: else the best
# for its price would always be the smallest
GREED = 0.1


class Steps(NamedTuple):
    """Where the changes lead, and what the next one would do.

    `around` has one column for every cell of every input. `gain[m]` is what moving one input alone
    adds to model m's slack, which `slack` holds; `weight` is what a unit of a refusal counts. `at`
    are the cells where we stand; an input that has `moved` stays there.
    """

    around: Neighbourhood
    gain: Annotated[Matrix, "models", "columns"]
    slack: Annotated[Vector, "models"]
    weight: Annotated[Vector, "models"]
    at: Annotated[Numbers, "d"]
    moved: Annotated[NDArray[np.bool_], "d"]


def no_steps(program: Program) -> Steps:
    """Room for anybody's changes."""
    d = len(program.lattice.domain)
    columns = program.lattice.ranges.cell_start.astype(np.int64) + np.arange(d + 1)
    around = no_neighbourhood(program.nodes, program.depth, d)
    around = around._replace(mine=program.joined_forest.nodes, columns=columns)
    sizes = {"d": d, "models": len(program.needs), "columns": int(columns[-1])}
    return zeros(Steps, sizes, around=around)


@kernel
def find_first(state: SearchState, here: Steps) -> None:
    """Look for an answer; where there is one, what costs more leaves the person's levels."""
    levels, work, costs = state.levels, state.work, state.open_nodes.costs
    greed = set_out(state, here)
    for _ in range(STEPS):
        survey(state, here)
        j, level = next_change(state, here, greed)
        if j < 0:
            break
        put(j, level, levels, work)
        here.at[j], here.moved[j] = work.cell[j], True
        room = costs[INCUMBENT] - TINY - cost_of(work, levels, False)
        if room <= 0.0:
            break
        for other in work.free[: work.free[-1]]:
            look_at_affordable(other, room, levels, here)
    if np.isfinite(costs[INCUMBENT]):
        for j in range(len(work.p)):
            there: int = np.int64(state.open_nodes.best[j])  # type: ignore[assignment]
            put(j, there, levels, work)
        costs[INCUMBENT] = cost_of(work, levels, False) if accepted(state) else np.inf
    if np.isfinite(costs[INCUMBENT]):
        for j in range(len(work.p)):
            trim(j, levels, costs[INCUMBENT], state.open_nodes.best)


@inner
def set_out(state: SearchState, here: Steps) -> float:
    """Begin where the person stands; gives what a change's price is raised by."""
    levels, work = state.levels, state.work
    free, farthest = 0, 0.0
    for j in range(len(work.p)):
        last = levels.counts[j] - 1
        put(j, levels.start[j], levels, work)
        here.at[j], here.moved[j] = work.cell[j], last == 0
        look_from(j, 0, last, levels, here)
        if last > 0:
            work.free[free] = j
            free += 1
            farthest += max(levels.cost[j, 0], levels.cost[j, last])
    work.free[-1] = free
    return GREED * farthest / max(free, 1)


@inner
def look_at_affordable(j: int, room: float, levels: Levels, here: Steps) -> None:
    """Look no farther along input j than can be paid for."""
    if here.moved[j]:
        span(j, here.at[j], here.at[j], here.around)
        return
    cost, start, last = levels.cost[j], levels.start[j], levels.counts[j] - 1
    low, high = affordable(cost, room, start, 0), affordable(cost, room, start, last)
    look_from(j, low, high, levels, here)


@inner
def look_from(j: int, low: int, high: int, levels: Levels, here: Steps) -> None:
    """Look at the cells of some levels of input j."""
    first: int = np.int64(levels.cell[j, low])  # type: ignore[assignment]
    last: int = np.int64(levels.cell[j, high])  # type: ignore[assignment]
    span(j, first, last, here.around)


@inner
def survey(state: SearchState, here: Steps) -> None:
    """Every model's slack where we stand, and what each single change would add to it."""
    around, nodes = here.around, here.around.mine
    for m in range(len(state.needs)):
        if state.row[m] >= 0:
            here.slack[m] = sum_at(state.row[m], state.levels, state.work) - state.needs[m]
            continue
        gain, slack = here.gain[m], -state.needs[m]
        for j in state.work.free[: state.work.free[-1]]:
            base = around.columns[j]
            gain[base + around.first[j] : base + around.last[j] + 2] = 0.0
        for t in range(nodes.start[m], nodes.start[m + 1]):
            slack += along_tree(t, 1.0, around, here.at, gain)
        for j in state.work.free[: state.work.free[-1]]:
            base = around.columns[j]
            for c in range(base + around.first[j] + 1, base + around.last[j] + 1):
                gain[c] += gain[c - 1]
        here.slack[m] = slack


@inner
def next_change(state: SearchState, here: Steps, greed: float) -> tuple[int, int]:
    """The change that mends most for its price: an input and its level; (−1, −1) if none does.

    A change after which all models accept is kept as an answer, if it is the cheapest so far.
    """
    levels, work, open_nodes = state.levels, state.work, state.open_nodes
    costs, paid, refusals = open_nodes.costs, cost_of(work, levels, False), 0.0
    for m in range(len(here.slack)):
        here.weight[m] = 1.0 / max(abs(here.slack[m]), TINY)
        refusals += here.weight[m] * max(-here.slack[m], 0.0)
    best, level, most = -1, -1, 0.0
    for j in work.free[: work.free[-1]]:
        for way in (-1, 1):
            k = levels.start[j] + way
            while not here.moved[j] and 0 <= k < levels.counts[j]:
                cost = paid + levels.cost[j, k]
                if cost >= costs[INCUMBENT] - TINY:
                    break
                left = refusals_after(state, here, j, k)
                if left == 0.0:
                    costs[INCUMBENT] = cost
                    keep_best(open_nodes, work)
                    open_nodes.best[j] = k
                    break
                rate = (refusals - left) / (levels.cost[j, k] + greed)
                if rate > most:
                    best, level, most = j, k, rate
                k += way
    return best, level


@inner
def refusals_after(state: SearchState, here: Steps, j: int, k: int) -> float:
    """What the models refuse, weighted, after input j has moved to level k; 0 if all accept."""
    levels, column, left = state.levels, here.around.columns[j] + state.levels.cell[j, k], 0.0
    for m in range(len(here.slack)):
        slack, row = here.slack[m], state.row[m]
        if row < 0:
            slack += here.gain[m, column]
        else:
            slack += levels.contribution[row, j, k] - levels.contribution[row, j, levels.start[j]]
        if slack <= 0.0:
            left += max(-slack, TINY) * here.weight[m]
    return left


@inner
def accepted(state: SearchState) -> bool:
    """Whether all models accept p; afresh: differences added up may be off in their last bits."""
    for m in range(len(state.needs)):
        needs = state.needs[m]
        if slack_at(m, state.row[m], needs, state.forest, state.levels, state.work) <= 0.0:
            return False
    return truly_accepted(state)


@inner
def trim(j: int, levels: Levels, most: float, best: NDArray[np.int32]) -> None:
    """Leave out the levels of input j that cost more than that; `best` is counted anew."""
    cost, start = levels.cost[j], levels.start[j]
    budget = most + TINY * max(most, 1.0)  # beside a large number TINY alone is nothing
    low = affordable(cost, budget, start, 0)
    high = affordable(cost, budget, start, levels.counts[j] - 1)
    if low > 0:
        for k in range(low, high + 1):
            copy_level(j, k, k - low, levels)
    levels.counts[j], levels.start[j] = high - low + 1, start - low
    best[j] -= low
    find_cells(j, levels)
