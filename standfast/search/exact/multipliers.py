"""A lower bound from all weighted sums at once, for people whose inputs equalities tie together.

Under `income == salary + other` the cheapest way to satisfy a model moves several inputs, and each
sum on its own pays for one of them. So every sum m gets a multiplier λ_m ≥ 0, what a unit of it is
worth. Any point x of the box that all sums accept, Σ_j a_mj(x_j) > need_m, costs at least

    g(λ) = Σ_m λ_m need_m + Σ_j min over the levels of input j of (cost_j − Σ_m λ_m a_mj),

the Lagrangian dual. It is true for any λ, so the search climbs a few steps from where it was for
the last box, and goes on from there at the next.
"""

import numpy as np

from standfast.compilation import inner
from standfast.search.exact.open_nodes import INCUMBENT, SEEN
from standfast.search.exact.propagation import EMPTY, MOVED, STAYED, forced
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import TINY
from standfast.search.problem.contributions import REFUSED, UNJUDGED
from standfast.search.problem.price import Vector

# steps at the first boxes of a person, and at each later one
FIRST, LATER, BOXES = 200, 12, 4
# a sum's slope is known but for so small a share: the tolerance of relations bends them a little
BENT = 2e-9
# a cut must promise this share of what is missing to the best answer
PARTED = 0.1


@inner
def tighten(state: SearchState) -> tuple[int, float]:
    """Shrink the box to what all sums together leave, p with it: EMPTY, STAYED or MOVED.

    And the least that any point left may cost, from below. A level is out of the question if the
    best levels of all other inputs cannot make up for it at less than the best answer costs.
    """
    climb(state)
    incumbent, lagrange = state.open_nodes.costs[INCUMBENT] - TINY, state.multipliers
    bound = valued(state, lagrange.best)
    if bound >= min(incumbent, ceiling(state)):
        return EMPTY, bound
    result = STAYED
    if np.isfinite(incumbent):
        work = state.work
        for i in range(work.free[-1]):
            j = work.free[i]
            lo, hi, room = work.lo[j], work.hi[j], incumbent - bound + lagrange.least[j]
            while priced(state, j, work.lo[j], lagrange.best) >= room:
                work.lo[j] += 1
            while priced(state, j, work.hi[j], lagrange.best) >= room:
                work.hi[j] -= 1
            if (lo < work.lo[j] or work.hi[j] < hi) and forced(state, j):
                result = MOVED
    return result, bound


@inner
def ceiling(state: SearchState) -> float:
    """More than any point of the box costs: what is to cost as much is no point of it."""
    work, cost, most = state.work, state.levels.cost, 0.0
    for j in work.free[: work.free[-1]]:
        most += max(cost[j, work.lo[j]], cost[j, work.hi[j]])
    return most * (1.0 + 1e-9) + 1e-6


@inner
def climb(state: SearchState) -> None:
    """Find multipliers with a good bound over the box: steps along the subgradient (Polyak's)."""
    lagrange, incumbent = state.multipliers, state.open_nodes.costs[INCUMBENT]
    steps = FIRST if state.open_nodes.numbers[SEEN] <= BOXES else LATER
    most, length, failed = -np.inf, 1.0, 0
    for m in range(len(state.needs)):
        lagrange.here[m] = lagrange.best[m]
    for _ in range(steps):
        bound = valued(state, lagrange.here)
        if bound > most:
            failed = 0
            most = bound
            for m in range(len(state.needs)):
                lagrange.best[m] = lagrange.here[m]
        else:
            failed += 1
        if most >= incumbent - TINY:
            break
        if failed == 3:
            length, failed = 0.5 * length, 0
        aim = incumbent if np.isfinite(incumbent) else most + max(0.1, 0.1 * abs(most))
        norm = 0.0
        for m in range(len(state.needs)):
            if lagrange.here[m] > 0.0 or lagrange.lacks[m] > 0.0:
                norm += (lagrange.lacks[m] / lagrange.size[m]) ** 2
        if norm == 0.0:
            break
        step = length * (aim - bound) / norm
        for m in range(len(state.needs)):
            if lagrange.size[m] > 0.0:
                moved = lagrange.here[m] + step * lagrange.lacks[m] / lagrange.size[m] ** 2
                lagrange.here[m] = max(moved, 0.0)


@inner
def parted(state: SearchState, bound: float) -> tuple[int, int]:
    """Where to cut the box so that the bound rises in both parts; (−1, −1) if nowhere much.

    A bound is weak where it mixes two levels of an input that are worth their cost, and those
    between are not: near the own value, say, and a far one at which costs hardly rise any more. The
    cut is made where a level between is worst.
    """
    work, lagrange, incumbent = state.work, state.multipliers, state.open_nodes.costs[INCUMBENT]
    best, level = -1, -1
    most = PARTED * (incumbent - bound if np.isfinite(incumbent) else max(0.1, bound))
    for j in work.free[: work.free[-1]]:
        # what cannot be paid for has left the box since
        at, least = min(max(lagrange.at[j], work.lo[j]), work.hi[j]), lagrange.least[j]
        beyond = np.inf
        for l in range(work.hi[j], at, -1):  # noqa: E741 a level
            value = priced(state, j, l, lagrange.best)
            if value - beyond - (beyond - least) > most:
                best, level, most = j, l, value - beyond - (beyond - least)
            beyond = min(beyond, value)
        beyond = np.inf
        for l in range(work.lo[j], at):  # noqa: E741
            value = priced(state, j, l, lagrange.best)
            if value - beyond - (beyond - least) > most:
                best, level, most = j, l + 1, value - beyond - (beyond - least)
            beyond = min(beyond, value)
    return (best, level) if best >= 0 else halved(state, bound)


@inner
def halved(state: SearchState, bound: float) -> tuple[int, int]:
    """The cut halfway to the greatest cost of a move that is worth it; (−1, −1) if none is great.

    Where costs rise evenly the bound is nearly true, and answers lie between the box's ends.
    """
    levels, work, lagrange = state.levels, state.work, state.multipliers
    incumbent = state.open_nodes.costs[INCUMBENT]
    missing = incumbent - bound if np.isfinite(incumbent) else max(0.1, bound)
    best, end, most = -1, -1, PARTED * missing
    for j in work.free[: work.free[-1]]:
        for far in (work.lo[j], work.hi[j]):
            spread = levels.cost[j, far] - levels.cost[j, work.p[j]]
            if spread > most:
                worth = priced(state, j, far, lagrange.best) - lagrange.least[j]
                if worth < 0.5 * missing:
                    best, end, most = j, far, spread
    if best < 0:
        return -1, -1
    level, way = work.p[best], 1 if end > work.p[best] else -1
    while levels.cost[best, level] - levels.cost[best, work.p[best]] < 0.5 * most:
        level += way
    return best, level if way > 0 else level + 1


@inner
def valued(state: SearchState, multipliers: Vector) -> float:
    """g(λ) over the box, from below; `lacks` is what each sum lacks where it is attained.

    What adding up may be off is taken away: nothing is lost to rounding.
    """
    work, lagrange = state.work, state.multipliers
    total, sizes, used = 0.0, 0.0, 1
    for m in range(len(state.needs)):
        lagrange.lacks[m] = 0.0
        if lagrange.size[m] > 0.0:
            lagrange.lacks[m] = state.needs[m]
            total += multipliers[m] * state.needs[m]
            sizes += multipliers[m] * lagrange.size[m]
            used += 1
    for j in range(len(work.p)):
        least, at = np.inf, work.lo[j]
        for level in range(work.lo[j], work.hi[j] + 1):
            value = priced(state, j, level, multipliers)
            if value < least:
                least, at = value, level
        lagrange.least[j], lagrange.at[j] = least, at
        total += least
        take_off(state, j, at, multipliers)
    return total - 4e-16 * used * (len(work.p) + 1) * (sizes + abs(total))


@inner
def take_off(state: SearchState, j: int, level: int, multipliers: Vector) -> None:
    """What a level of input j adds to each sum, at its better end, is no longer lacking."""
    levels, lagrange, slope = state.levels, state.multipliers, 0.0
    way = levels.far[j, level] - levels.value[j, level] if levels.wide[j, level] else 0.0
    for m in range(len(state.needs)):
        if multipliers[m] > 0.0 and not np.isnan(lagrange.slope[state.row[m], j]):
            slope += multipliers[m] * lagrange.slope[state.row[m], j]
    for m in range(len(state.needs)):
        if lagrange.size[m] > 0.0:
            row = state.row[m]
            adds = levels.contribution[row, j, level]
            if np.isnan(lagrange.slope[row, j]):
                adds = levels.most[row, j, level]
            elif slope * way > 0.0:
                adds += lagrange.slope[row, j] * way
            lagrange.lacks[m] -= adds


@inner
def priced(state: SearchState, j: int, level: int, multipliers: Vector) -> float:
    """What a level of input j costs at least, less what it is worth to all sums.

    The worth of a wide level is that of its better end, where all sums are straight lines.
    """
    levels, lagrange = state.levels, state.multipliers
    near, slope, bent = 0.0, 0.0, 0.0
    wide = levels.wide[j, level]
    for m in range(len(state.needs)):
        if multipliers[m] > 0.0:
            row = state.row[m]
            if wide and np.isnan(lagrange.slope[row, j]):
                near += multipliers[m] * levels.most[row, j, level]
            else:
                near += multipliers[m] * levels.contribution[row, j, level]
                if wide:
                    slope += multipliers[m] * lagrange.slope[row, j]
                    bent += multipliers[m] * BENT * abs(lagrange.slope[row, j])
    if wide:
        way = levels.far[j, level] - levels.value[j, level]
        near = max(near, near + slope * way) + bent * abs(way)
    left: float = levels.cost[j, level] - near
    return left


@inner
def measure(state: SearchState) -> None:
    """Begin with a person: how large each sum is, all multipliers 0; 0 marks sums left aside."""
    levels, lagrange = state.levels, state.multipliers
    for m in range(len(state.needs)):
        lagrange.best[m], lagrange.size[m] = 0.0, 0.0
        row = state.row[m]
        if row < 0 or abs(state.needs[m]) >= 0.5 * UNJUDGED:
            continue
        size, judged = abs(state.needs[m]), True
        for j in range(len(levels.counts)):
            most = 0.0
            for level in range(levels.counts[j]):
                adds = levels.most[row, j, level]
                judged = judged and 0.5 * REFUSED < adds < 0.5 * UNJUDGED
                most = max(most, abs(adds), abs(levels.contribution[row, j, level]))
            size += most
        if judged:
            lagrange.size[m] = size
