"""One box looked at: bounded, and cut until no part of it is worth another look."""

import numpy as np

from standfast.compilation import inner
from standfast.search.exact.bounding import bound_of_sum, bound_of_trees
from standfast.search.exact.branching import chosen_split, depart, forbidden
from standfast.search.exact.judging import judged
from standfast.search.exact.multipliers import parted, tighten
from standfast.search.exact.open_nodes import (
    GAINS,
    INCUMBENT,
    LACKS,
    OPEN,
    SEEN,
    WIDE_INPUT,
    WIDE_LEVEL,
    keep,
    keep_best,
)
from standfast.search.exact.propagation import EMPTY, MOVED, STAYED, settle
from standfast.search.exact.sharing import share, tightest
from standfast.search.exact.sparsity import few_enough
from standfast.search.exact.state import SearchState
from standfast.search.exact.votes import clear_votes, vote_of_sum, vote_of_trees
from standfast.search.exact.workspace import (
    TINY,
    NodeWorkspace,
    cost_of,
    drop_unaffordable,
    follow,
    narrowed,
    put,
    raised,
)
from standfast.search.problem.levels import Levels, bit_of

DEEPEST = 200  # boxes in one dive, cuts of one box

# no input to cut: p was forced to move
FORCED = -2

# a level is refined at once if that may mend this share of what a sum lacks
WORTH = 0.1


@inner
def look(state: SearchState, greed: float) -> None:
    """Look at the box on the work and cut far parts off, which are kept, until none is left.

    With greed it is a dive: from far part to far part until all models accept, for a first answer
    or a better one; nothing is kept.
    """
    levels, leaves, open_nodes, work = state.levels, state.leaves, state.open_nodes, state.work
    numbers, costs = open_nodes.numbers, open_nodes.costs
    k, moved, least = -1.0, True, -np.inf
    together = len(state.multipliers.slope) > 0 and greed == 0.0 and not state.maximal
    last: int = np.int64(0)  # type: ignore[assignment] # a literal would be compiled apart
    for cuts in range(DEEPEST):
        numbers[SEEN] += 1
        if state.relations > 0:
            settled = settle(state)
            if settled == EMPTY:
                break
            moved = moved or settled == MOVED  # perhaps to a value that costs the same
        if together:
            settled, least = tighten(state)
            if settled == EMPTY:
                break
            moved = moved or settled == MOVED
        if state.changes < len(work.p) and not few_enough(state):
            break
        if moved:
            k = cost_of(work, levels, state.maximal)
            clear_votes(levels, work)
            state.shares.whose[0], state.shares.price[0] = -1, 0.0
            departing = forbidden(state.sets, state.nested, levels, work)
            if k >= costs[INCUMBENT] - TINY or departing == -2 or (departing >= 0 and greed > 0.0):
                break
            if judged(state):
                if departing >= 0:
                    depart(departing, state.sets, levels, leaves, work, open_nodes, k)
                else:
                    costs[INCUMBENT] = k
                    keep_best(open_nodes, work)
                break
            drop_unaffordable(work, levels, k, costs[INCUMBENT], state.maximal)
        j, level, floor = wanted_cut(state, k, greed, least)
        floor = raised(floor, state.grain, len(work.p), changes_of(state))
        if floor >= costs[INCUMBENT] - TINY:
            numbers[WIDE_INPUT] = -1
            break
        moved = j == FORCED
        if moved and cuts + 1 < DEEPEST:
            continue
        if moved and greed == 0.0:
            keep(open_nodes, leaves, work, max(k, floor), last)
        if j < 0:
            if numbers[WIDE_INPUT] >= 0 and greed == 0.0:  # it comes back when the level is refined
                keep(open_nodes, leaves, work, max(k, floor), last)
            break
        lo, hi, p = work.lo[j], work.hi[j], work.p[j]
        if greed > 0.0:
            far_part(j, level, levels, work)
            follow(j, state.forest, leaves, work, state.row, leaves.sizes[0])
            clear_votes(levels, work)
            moved = True
        else:
            others = open_nodes.keys[0] if numbers[OPEN] > 0 else np.inf
            if floor > others or cuts + 1 == DEEPEST:  # it is not this box's turn any more
                keep(open_nodes, leaves, work, max(k, floor), last)
                break
            far_part(j, level, levels, work)
            far = cost_of(work, levels, state.maximal)
            far = max(far, floor, k + state.shares.price[0])
            if far < costs[INCUMBENT] - TINY:
                keep(open_nodes, leaves, work, far, j)
            put(j, p, levels, work)  # the near part keeps p: it is looked at without further ado
            work.lo[j], work.hi[j] = (lo, level - 1) if p < level else (level, hi)
        narrowed(bit_of(j), leaves, work, leaves.sizes[0])
        last = j
    clear_votes(levels, work)


@inner
def far_part(j: int, level: int, levels: Levels, work: NodeWorkspace) -> None:
    """Cut the box before `level` and take the part without p, which moves to its border."""
    if work.p[j] < level:
        work.lo[j] = level
        put(j, level, levels, work)
    else:
        work.hi[j] = level - 1
        put(j, level - 1, levels, work)


@inner
def wanted_cut(state: SearchState, k: float, greed: float, least: float) -> tuple[int, int, float]:
    """Where to cut the box, and the least cost of what the sums may accept in it.

    The input is −1 if some model accepts no point of the box that can be paid for, or if a level
    must be refined first. Models that refuse p vote; trees keep the votes they have cast while p
    stays where it is.
    """
    forest, needs, row = state.forest, state.needs, state.row
    levels, leaves, work = state.levels, state.leaves, state.work
    budget, floor = state.open_nodes.costs[INCUMBENT] - k, max(k, least)
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or work.slack[m] > 0.0:
            continue  # it accepts p, which is in the box
        if row[m] >= 0:
            bound, mended = bound_of_sum(row[m], needs[m], levels, work, k, budget, state.maximal)
            floor = max(floor, mended)
        else:
            bound = bound_of_trees(m, needs[m], forest, leaves, levels, work, budget, state.maximal)
        if bound <= 0.0:
            return -1, -1, floor
        work.bound[m] = bound
    sharing = tightest(state, budget)
    if sharing >= 0:
        settled = share(state, sharing, budget)
        if settled != STAYED:
            return (FORCED if settled == MOVED else -1), -1, floor
    if least > -np.inf:
        j, level = parted(state, least)
        if j >= 0:
            return j, level, floor
    if widest_gain(state, WORTH):
        return -1, -1, floor
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or work.slack[m] > 0.0:
            continue
        # the nearer a model is to impossible, the more its votes count
        if row[m] >= 0:
            vote_of_sum(row[m], work.slack[m], 1.0 / work.bound[m], levels, work)
        elif work.weight[m] == 0.0:
            work.weight[m] = 1.0 / work.bound[m]
            vote_of_trees(m, forest, leaves, work)
    j, level = chosen_split(levels, work, budget, greed)
    for m in range(len(needs)):  # a sum votes anew each time
        if leaves.model_tree[m] >= 0 and work.slack[m] <= 0.0 and row[m] >= 0:
            vote_of_sum(row[m], work.slack[m], -1.0 / work.bound[m], levels, work)
    if j < 0 and not widest_gain(state, 0.0):
        j, level = any_split(state)
    return j, level, floor


@inner
def any_split(state: SearchState) -> tuple[int, int]:
    """Some split of a box whose p is refused for the rounding of 32 bits alone; (−1, −1) else."""
    work, rounded = state.work, False
    for m in range(len(state.needs)):
        if state.leaves.model_tree[m] >= 0 and work.slack[m] <= 0.0:
            return -1, -1
        rounded = rounded or state.single.marked[m]
    if rounded:
        for j in work.free[: work.free[-1]]:
            if work.p[j] < work.hi[j]:
                return j, work.p[j] + 1
            if work.lo[j] < work.p[j]:
                return j, work.p[j]
    return -1, -1


@inner
def widest_gain(state: SearchState, worth: float) -> bool:
    """Whether a sum that refuses p could gain much from another value of p's own levels.

    The input, level and model that promise most are noted for the search to be refined there.
    """
    levels, work, open_nodes = state.levels, state.work, state.open_nodes
    best = worth
    for m in range(len(state.needs)):
        row = state.row[m]
        if state.leaves.model_tree[m] < 0 or row < 0 or work.slack[m] > 0.0:
            continue
        for j in work.free[: work.free[-1]]:
            p = work.p[j]
            if levels.wide[j, p]:
                gain = levels.most[row, j, p] - levels.contribution[row, j, p]
                share = min(gain / max(-work.slack[m], 1e-300), 1.0)
                if share > best:
                    best = share
                    open_nodes.numbers[WIDE_INPUT], open_nodes.numbers[WIDE_LEVEL] = j, p
                    open_nodes.numbers[GAINS], open_nodes.costs[LACKS] = m, -work.slack[m]
    wanted: bool = open_nodes.numbers[WIDE_INPUT] >= 0
    return wanted


@inner
def changes_of(state: SearchState) -> int:
    """How many inputs p changes; of a maximum only one counts."""
    levels, work, changes = state.levels, state.work, 0
    for j in work.free[: work.free[-1]]:
        changes += work.p[j] != levels.start[j]
    return min(changes, 1) if state.maximal else changes
