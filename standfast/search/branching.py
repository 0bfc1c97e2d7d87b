"""Where to split a box: refusing models vote; the split that ends both children soonest wins."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.desk import TINY, Desk
from standfast.search.frontier import Frontier, keep
from standfast.search.person import Leaves, Levels
from standfast.search.program import Forest


@kernel
def vote_of_trees(
    m: int, weight: float, forest: Forest, leaves: Leaves, levels: Levels, desk: Desk
) -> None:
    """Votes for the splits that the best leaves ask for and p does not satisfy, by their gain."""
    first = leaves.model_tree[m]
    for t in range(first, first + forest.model_start[m + 1] - forest.model_start[m]):
        gain = leaves.value[desk.want[t]] - leaves.value[desk.here[t]]
        if gain <= 0.0:
            continue
        leaf = desk.want[t]
        for c in range(leaves.condition_start[leaf], leaves.condition_start[leaf + 1]):
            j = leaves.input[c]
            if desk.p[j] < leaves.low[c]:
                desk.votes[j, leaves.low[c]] += gain * weight
            elif desk.p[j] > leaves.high[c]:
                desk.votes[j, leaves.high[c] + 1] += gain * weight


@kernel
def vote_of_sum(row: int, slack: float, weight: float, levels: Levels, desk: Desk) -> None:
    """A vote for the move with the largest gain per cost, just far enough to mend the sum."""
    best, best_level, best_rate, best_gain = -1, -1, 0.0, 0.0
    for j in desk.free[: desk.free[-1]]:
        here = levels.contribution[row, j, desk.p[j]]
        for k in range(desk.lo[j], desk.hi[j] + 1):
            gain = min(levels.contribution[row, j, k] - here, -slack + TINY)
            if gain > 0.0:
                rate = gain / max(levels.cost[j, k] - levels.cost[j, desk.p[j]], TINY)
                if rate > best_rate * (1.0 + 1e-9) or (
                    rate >= best_rate * (1.0 - 1e-9) and gain > best_gain
                ):
                    best, best_level, best_rate, best_gain = j, k, rate, gain
    if best >= 0:
        level = best_level if best_level > desk.p[best] else best_level + 1
        desk.votes[best, level] += best_gain * weight


@kernel
def merit(lost: float, cost: float, budget: float) -> float:
    """How much a split is worth: what the near child loses times what the far child must pay.

    Both children should be near their end: the product rule of mixed-integer solvers. The two
    constants were tuned on HELOC forests; far more than half the budget is no better than half.
    """
    spent = cost / budget if np.isfinite(budget) else cost
    return lost * min(spent + 0.03, 0.6)


@kernel
def chosen_split(levels: Levels, desk: Desk, budget: float) -> tuple[int, int]:
    """The split with the greatest merit, and a clean desk for the next count.

    The near child loses the votes for the level and for all levels beyond it.
    """
    best, level, most = -1, -1, 0.0
    for j in desk.free[: desk.free[-1]]:
        p, here, lost = desk.p[j], levels.cost[j, desk.p[j]], 0.0
        for k in range(desk.hi[j], p, -1):
            lost += desk.votes[j, k]
            if desk.votes[j, k] > 0.0:
                value = merit(lost, levels.cost[j, k] - here, budget)
                if value > most:
                    best, level, most = j, k, value
            desk.votes[j, k] = 0.0
        lost = 0.0
        for k in range(desk.lo[j] + 1, p + 1):
            lost += desk.votes[j, k]
            if desk.votes[j, k] > 0.0:
                value = merit(lost, levels.cost[j, k - 1] - here, budget)
                if value > most:
                    best, level, most = j, k, value
            desk.votes[j, k] = 0.0
    return best, level


@kernel
def forbidden(sets: NDArray[np.bool_], nested: bool, levels: Levels, desk: Desk) -> int:
    """−1 if p's changes are allowed beside earlier alternatives, −2 if no point of the box's are.

    Otherwise the number of the earlier set from which p's changes must yet depart. Every point of
    the box changes what p changes. `nested` forbids sets that contain one another, else equal ones.
    """
    for s in range(len(sets)):
        inside, covers = True, True
        for j in desk.free[: desk.free[-1]]:
            changed = desk.p[j] != levels.start[j]
            inside = inside and (sets[s, j] or not changed)
            covers = covers and (changed or not sets[s, j])
        if covers and nested:
            return -2
        if inside and (covers or nested):
            return s
    return -1


@kernel
def depart(
    s: int,
    sets: NDArray[np.bool_],
    levels: Levels,
    leaves: Leaves,
    desk: Desk,
    frontier: Frontier,
    key: float,
) -> None:
    """Split on an input outside set s: unchanged, raised or lowered; no input left, no box left."""
    for j in desk.free[: desk.free[-1]]:
        if sets[s, j] or desk.lo[j] == desk.hi[j]:
            continue
        lo, hi, x = desk.lo[j], desk.hi[j], levels.start[j]
        desk.lo[j], desk.hi[j] = x, x
        keep(frontier, leaves, desk, key, -1)
        if lo < x:
            desk.lo[j], desk.hi[j] = lo, x - 1
            keep(frontier, leaves, desk, key, j)
        if x < hi:
            desk.lo[j], desk.hi[j] = x + 1, hi
            keep(frontier, leaves, desk, key, j)
        return
