"""The most that a model can say of any point of a box that can still be paid for."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner
from standfast.search.exact.votes import vote_for
from standfast.search.exact.workspace import ROUNDING, TINY, UNKNOWN, NodeWorkspace, next_level
from standfast.search.problem.contributions import REFUSED
from standfast.search.problem.levels import HIGH, HOLES, INPUT, LOW, Leaves, Levels, has
from standfast.search.problem.price import Matrix
from standfast.search.problem.trees import Forest

Numbers = NDArray[np.int64]


@inner
def bound_of_trees(
    m: int,
    need: float,
    forest: Forest,
    leaves: Leaves,
    levels: Levels,
    work: NodeWorkspace,
    budget: float,
    maximal: bool,
) -> float:
    """The most that model m's slack can be in the box; ends early once it cannot be positive.

    Of each tree the best leaf counts that meets the box and to which p can be moved within the
    budget. Leaves before the one found for a larger box are out of reach here, too; a leaf whose
    inputs were left alone since is as far away as it was. Votes already cast follow the leaves.
    """
    first = leaves.model_tree[m]
    trees = forest.nodes.start[m + 1] - forest.nodes.start[m]
    value, want, p, cost = leaves.value, work.want, work.p, levels.cost
    start, condition = leaves.condition_start, leaves.condition
    ahead: float = -need
    for t in range(first, first + trees):
        ahead += value[want[t]]
    sure = budget * (1.0 - 1e-5)  # `spent` is kept in 32 bits
    for t in range(first, first + trees):
        if ahead <= 0.0:
            return ahead
        if 0.0 <= work.spent[t] < sure:
            continue
        found = -1
        for leaf in range(np.uint64(want[t]), np.uint64(leaves.start[t + 1])):
            spent, met = 0.0, True
            for c in range(np.uint64(start[leaf]), np.uint64(start[leaf + np.uint64(1)])):
                j = np.uint64(condition[c, INPUT])
                if condition[c, LOW] > p[j]:
                    to = np.uint64(condition[c, LOW])
                    met = condition[c, LOW] <= work.hi[j]
                elif condition[c, HIGH] < p[j]:
                    to = np.uint64(condition[c, HIGH])
                    met = condition[c, HIGH] >= work.lo[j]
                elif condition[c, HOLES] and not has(leaves.members[c], p[j]):
                    at: int = np.int64(j)  # type: ignore[assignment]
                    nearest = next_level(leaves.members[c], at, levels, work)
                    to, met = np.uint64(max(nearest, 0)), nearest >= 0
                else:
                    continue
                if met and not maximal:  # for the maximal shift the box is affordable as it is
                    spent += cost[j, to] - cost[j, np.uint64(p[j])]
                    met = spent < budget
                if not met:
                    break
            if met:
                found = np.int64(leaf)  # type: ignore[assignment]
                work.spent[t] = UNKNOWN if maximal else spent
                break
        if found < 0:
            return -1e300
        if found != want[t]:
            here, weight = value[work.here[t]], work.weight[m]
            if weight > 0.0:
                amount = -weight * max(value[want[t]] - here, 0.0)
                before: int = np.int64(want[t])  # type: ignore[assignment]
                vote_for(before, amount, leaves, work)
                amount = weight * max(value[found] - here, 0.0)
                vote_for(found, amount, leaves, work)
            ahead += value[found] - value[want[t]]
            want[t] = found
    return ahead


@inner
def bound_of_sum(
    row: int,
    need: float,
    levels: Levels,
    work: NodeWorkspace,
    k: float,
    budget: float,
    maximal: bool,
) -> tuple[float, float]:
    """How far a weighted sum's slack may rise in the box, and the least cost that mends it.

    The inputs share the budget: the linear relaxation of the multiple-choice knapsack, which pays
    for the steepest step of any input first. A level counts with the most that any of its values
    adds, at the cost of the nearest. An input whose value is refused outright must move anyway,
    which the bound gives for free.
    """
    slack, size = -need, abs(need)
    for j in range(len(work.p)):
        here = levels.most[row, j, work.p[j]]
        if maximal or here <= 0.5 * REFUSED:
            for level in range(work.lo[j], work.hi[j] + 1):
                here = max(here, levels.most[row, j, level])
        slack += here
        size += abs(here) if here > 0.5 * REFUSED else 0.0
    slip = ROUNDING * (len(work.p) + 1) * size  # nothing is lost to rounding
    if maximal and slack <= -slip:
        return slack, np.inf
    if maximal:
        return max(slack, slip), least_maximum(row, need, levels, work, k)
    if slack > -slip:
        return max(slack, slip), k
    lacks = -slack - slip
    price, rate = least_price(levels.most[row], work.lo, work.hi, lacks, budget, levels, work)
    if price >= budget:
        return -1e300, k + price
    left = budget - price if np.isfinite(budget) else 1.0
    return rate * left, k + price


@inner
def least_price(
    adds: Matrix,
    first: Numbers,
    last: Numbers,
    lacks: float,
    budget: float,
    levels: Levels,
    work: NodeWorkspace,
) -> tuple[float, float]:
    """The least that buys what is lacking at p, from below, and the last step's rate.

    Levels `first` to `last` of the box add so much, input by input. The steepest step of any input
    is paid for first, but a move counts for no more than what is lacking: a far move, to an income
    that few people have, would otherwise lend small shares of its great gain for little. What an
    answer does against it may be left out, so it is covered by its gains alone. It ends early
    beyond the budget.
    """
    lacks *= 1.0 - TINY * (len(work.p) + 1)  # steps too small to be taken may add so much
    paid, enough = 0.0, lacks * (1.0 + 1e-9) + 1e-300
    for j in work.free[: work.free[-1]]:
        work.paid[j], work.gain[j], work.rate[j] = 0.0, 0.0, 0.0
        if adds[j, work.p[j]] > 0.5 * REFUSED:
            find_step(j, adds, first, last, enough, levels, work)
    while paid < budget:
        best = steepest(work)
        if best < 0:
            return np.inf, 0.0
        rate, price = work.rate[best], work.price[best]
        if rate * price >= lacks:
            return paid + lacks / rate, rate
        paid, lacks = paid + price, lacks - rate * price
        work.paid[best], work.gain[best] = work.paid[best] + price, work.gain[best] + rate * price
        find_step(best, adds, first, last, enough, levels, work)
    return paid, 0.0


@inner
def steepest(work: NodeWorkspace) -> int:
    """The input whose next step gains most for its price; −1 if there is none."""
    best = -1
    for j in work.free[: work.free[-1]]:
        if work.rate[j] > 0.0 and (best < 0 or work.rate[j] > work.rate[best]):
            best = j
    return best


@inner
def find_step(
    j: int,
    adds: Matrix,
    first: Numbers,
    last: Numbers,
    enough: float,
    levels: Levels,
    work: NodeWorkspace,
) -> None:
    """The next step of input j on the concave hull of gain over cost: the steepest from here.

    No level counts for more than `enough`, of which a step must gain some part: of its own size it
    may be next to nothing, where the sum lacks little and the input weighs much.
    """
    cost, p = levels.cost[j], work.p[j]
    work.rate[j] = 0.0
    for level in range(max(work.lo[j], first[j]), min(work.hi[j], last[j]) + 1):
        gain = min(adds[j, level] - adds[j, p], enough) - work.gain[j]
        if gain > TINY * enough:
            price = max(cost[level] - cost[p] - work.paid[j], TINY)
            if gain / price > work.rate[j]:
                work.rate[j], work.price[j] = gain / price, price


@inner
def least_maximum(row: int, need: float, levels: Levels, work: NodeWorkspace, k: float) -> float:
    """The least maximal shift that mends a weighted sum in the box, from below, by bisection."""
    low, high = k, 0.0
    for j in work.free[: work.free[-1]]:
        high = max(high, levels.cost[j, work.lo[j]], levels.cost[j, work.hi[j]])
    for _ in range(12):  # a bound, not the answer
        middle, slack, size = 0.5 * (low + high), -need, abs(need)
        for j in range(len(work.p)):
            best = levels.most[row, j, work.p[j]]
            for level in range(work.lo[j], work.hi[j] + 1):
                if levels.cost[j, level] <= middle:
                    best = max(best, levels.most[row, j, level])
            slack += best
            size += abs(best) if best > 0.5 * REFUSED else 0.0
        if slack > -ROUNDING * (len(work.p) + 1) * size:
            high = middle
        else:
            low = middle
    return low
