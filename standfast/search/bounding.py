"""The most that a model can say of any point of a box that can still be paid for."""

import numpy as np

from standfast.compilation import kernel
from standfast.search.desk import TINY, Desk
from standfast.search.person import Leaves, Levels
from standfast.search.program import REFUSED, Forest


@kernel
def best_affordable_leaf(
    t: int, leaves: Leaves, levels: Levels, desk: Desk, budget: float, maximal: bool
) -> int:
    """The tree's best leaf that meets the box and to which p can be moved within the budget.

    Leaves before the one found for a larger box are out of reach here, too.
    """
    for leaf in range(desk.want[t], leaves.start[t + 1]):
        spent, met = 0.0, True
        for c in range(leaves.condition_start[leaf], leaves.condition_start[leaf + 1]):
            j = leaves.input[c]
            p = desk.p[j]
            if leaves.low[c] <= p <= leaves.high[c]:
                continue
            if leaves.low[c] > p:
                to = leaves.low[c]
                met = to <= desk.hi[j]
            else:
                to = leaves.high[c]
                met = to >= desk.lo[j]
            if not met:
                break
            if not maximal:  # for the maximal shift the box holds affordable levels only
                spent += levels.cost[j, to] - levels.cost[j, p]
                if spent >= budget:
                    met = False
                    break
        if met:
            return leaf
    return -1


@kernel
def bound_of_trees(
    m: int,
    need: float,
    forest: Forest,
    leaves: Leaves,
    levels: Levels,
    desk: Desk,
    budget: float,
    maximal: bool,
) -> float:
    """The most that model m's slack can be in the box; ends early once it cannot be positive."""
    first = leaves.model_tree[m]
    trees = forest.model_start[m + 1] - forest.model_start[m]
    ahead: float = -need
    for t in range(first, first + trees):
        ahead += leaves.value[desk.want[t]]
    for t in range(first, first + trees):
        if ahead <= 0.0:
            return ahead
        leaf = best_affordable_leaf(t, leaves, levels, desk, budget, maximal)
        if leaf < 0:
            return -1e300
        ahead += leaves.value[leaf] - leaves.value[desk.want[t]]
        desk.want[t] = leaf
    return ahead


@kernel
def bound_of_sum(
    row: int, need: float, levels: Levels, desk: Desk, budget: float, maximal: bool
) -> float:
    """The most that a weighted sum's slack can be in the box, its inputs sharing the budget.

    Input j gains at most `gain[j]`, and at most `rate[j]` per cost: the fractional knapsack. An
    input whose value is refused outright must move anyway, which the bound gives for free.
    """
    shared = not maximal and np.isfinite(budget)
    total, left = -need, budget
    for j in range(len(desk.p)):
        here = levels.contribution[row, j, desk.p[j]]
        most, rate = here, 0.0
        for k in range(desk.lo[j], desk.hi[j] + 1):
            gain = levels.contribution[row, j, k] - here
            if gain > 0.0:
                most = max(most, levels.contribution[row, j, k])
                price = max(levels.cost[j, k] - levels.cost[j, desk.p[j]], TINY)
                rate = max(rate, gain / price)
        free = not shared or here <= 0.5 * REFUSED
        total += most if free else here
        desk.gain[j], desk.rate[j] = 0.0 if free else most - here, rate
    if not shared:
        return total
    for _ in range(desk.free[-1]):
        best = -1
        for j in desk.free[: desk.free[-1]]:
            if desk.gain[j] > 0.0 and (best < 0 or desk.rate[j] > desk.rate[best]):
                best = j
        if best < 0 or left <= 0.0:
            break
        share = min(1.0, left / (desk.gain[best] / desk.rate[best]))
        total += share * desk.gain[best]
        left -= desk.gain[best] / desk.rate[best]
        desk.gain[best] = 0.0
    return total
