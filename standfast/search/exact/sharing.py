"""What a model's trees can gain together: they share one budget, and each input is paid for once.

Trees bounded one by one may each spend the whole budget. Here the gain of every leaf is split among
the moves that lead from p to it, by their prices. Any point x of the box then gains at most

    Σ_j U_j(x_j),   U_j the sum over the trees of the greatest part that a leaf of theirs gives x_j,

since a tree gains what the parts of its leaf add up to. That is a weighted sum, bounded as any
other by the relaxation of its multiple-choice knapsack.
"""

import numpy as np

from standfast.compilation import inner
from standfast.search.exact.bounding import least_price
from standfast.search.exact.open_nodes import SEEN
from standfast.search.exact.propagation import EMPTY, MOVED, STAYED, forced
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import around, narrowed
from standfast.search.problem.levels import HIGH, HOLES, INPUT, LOW, bit_of, has

# the first boxes are cheaper without
EASY = 100
# trees that could gain so many times what is lacking are not worth the work
LOOSE = 1.0
# moves that cost less are free: their gains are not split
FREE = 1e-9
# what adding up may be off: nothing is lost to rounding
SLIP = 1e-9


@inner
def tightest(state: SearchState, budget: float) -> int:
    """The model whose trees are to share the budget: the nearest to impossible; −1 if none is near.

    While p stays it is the same one, for which all has been gathered.
    """
    work, seen = state.work, state.open_nodes.numbers[SEEN]
    found: int = state.shares.whose[0]
    if found >= 0 or state.maximal or seen < EASY or not np.isfinite(budget):
        return found
    least = LOOSE
    for m in range(len(state.needs)):
        refuses = state.leaves.model_tree[m] >= 0 and work.slack[m] < 0.0
        if refuses and state.row[m] < 0 and work.bound[m] < -least * work.slack[m]:
            least, found = -work.bound[m] / work.slack[m], m
    return found


@inner
def share(state: SearchState, m: int, budget: float) -> int:
    """Shrink the box to what model m's trees leave of it, p with it: EMPTY, STAYED or MOVED.

    And the least that must be paid on top of p, from below.
    """
    work, shares = state.work, state.shares
    if shares.whose[0] != m:
        shares.given[0] = gather(state, m, budget)
        shares.whose[0] = m
    lacks = -work.slack[m] - shares.given[0] - SLIP * (abs(state.needs[m]) + shares.given[0])
    if lacks <= 0.0:
        return STAYED
    price, rate = least_price(
        shares.offer, shares.bottom, shares.top, lacks, budget, state.levels, work
    )
    price *= 1.0 - SLIP
    if price >= budget:
        return EMPTY
    shares.price[0] = max(shares.price[0], price)
    return shrink(state, rate, rate * (budget - price))


@inner
def gather(state: SearchState, m: int, budget: float) -> float:
    """What every level offers to model m's trees together, from p outwards; gives what is free.

    Of each tree the nearest level counts to which one of its leaves gives a part, and the greatest
    part that it gives to any.
    """
    leaves, work, shares = state.leaves, state.work, state.shares
    value, nodes, given = leaves.value, state.forest.nodes, 0.0
    for j in work.free[: work.free[-1]]:
        shares.offer[j, shares.bottom[j] : shares.top[j] + 1] = 0.0
        shares.bottom[j], shares.top[j] = work.p[j], work.p[j]
    first = leaves.model_tree[m]
    for t in range(first, first + nodes.start[m + 1] - nodes.start[m]):
        here, asked = value[work.here[t]], 0
        for leaf in range(np.uint64(work.want[t]), np.uint64(leaves.start[t + 1])):
            gain = value[leaf] - here
            if gain <= 0.0:
                break
            at: int = np.int64(leaf)  # type: ignore[assignment]
            moves, spent = way_to(state, at, budget)
            if moves < 0:
                continue
            if spent <= FREE:
                given += gain
                break
            for i in range(moves):
                j, to = shares.by[i], shares.to[i]
                side, part = 2 * j + (to > work.p[j]), gain * shares.costs[i] / spent
                if shares.nearest[side] < 0:
                    shares.nearest[side], shares.part[side] = to, part
                    shares.asked[asked] = side
                    asked += 1
                elif abs(to - work.p[j]) < abs(shares.nearest[side] - work.p[j]):
                    shares.nearest[side] = to
                shares.part[side] = max(shares.part[side], part)
        for i in range(asked):
            side = shares.asked[i]
            j, to = side // 2, shares.nearest[side]
            shares.offer[j, to] += shares.part[side]
            shares.bottom[j], shares.top[j] = min(shares.bottom[j], to), max(shares.top[j], to)
            shares.nearest[side] = -1
    for j in work.free[: work.free[-1]]:
        for k in range(work.p[j] + 1, shares.top[j] + 1):
            shares.offer[j, k] += shares.offer[j, k - 1]
        for k in range(work.p[j] - 1, shares.bottom[j] - 1, -1):
            shares.offer[j, k] += shares.offer[j, k + 1]
    return given


@inner
def way_to(state: SearchState, leaf: int, budget: float) -> tuple[int, float]:
    """The moves from p into a leaf and what they cost; −1 moves if that is not possible.

    Around a hole a move may go either way, and is noted twice.
    """
    leaves, work, shares = state.leaves, state.work, state.shares
    p, cost, moves, spent = work.p, state.levels.cost, 0, 0.0
    start, condition = leaves.condition_start, leaves.condition
    for c in range(np.uint64(start[leaf]), np.uint64(start[leaf + 1])):
        j: int = np.int64(condition[c, INPUT])  # type: ignore[assignment]
        above: int = np.int64(condition[c, LOW])  # type: ignore[assignment]
        below: int = np.int64(condition[c, HIGH])  # type: ignore[assignment]
        if above <= p[j] <= below:
            if not condition[c, HOLES] or has(leaves.members[c], p[j]):
                continue
            above, below = around(leaves.members[c], p[j], above, below)
        least = np.inf
        if p[j] < above <= work.hi[j]:
            least = cost[j, above] - cost[j, p[j]]
            shares.by[moves], shares.to[moves], shares.costs[moves] = j, above, least
            moves += 1
        if work.lo[j] <= below < p[j]:
            price = cost[j, below] - cost[j, p[j]]
            shares.by[moves], shares.to[moves], shares.costs[moves] = j, below, price
            moves += 1
            if least < np.inf:
                price = min(price, least)
                shares.costs[moves - 1], shares.costs[moves - 2] = price, price
            least = price
        spent += least
        if spent >= budget:
            return -1, spent
    return moves, spent


@inner
def shrink(state: SearchState, rate: float, spare: float) -> int:
    """Take levels out of the box that cost too much for what they offer, at the last step's rate.

    Where p itself may not stay, and there is only one way to go, p moves.
    """
    levels, work, shares = state.levels, state.work, state.shares
    bits, result = np.uint64(0), STAYED
    for j in work.free[: work.free[-1]]:
        p, lo, hi, offer = work.p[j], work.lo[j], work.hi[j], shares.offer[j]
        # a level is out of the question if it loses so much against the best one
        enough = work.gain[j] - rate * (work.paid[j] + levels.cost[j, p]) - spare
        while hi > p and offer[min(hi, shares.top[j])] - rate * levels.cost[j, hi] <= enough:
            hi -= 1
        while lo < p and offer[max(lo, shares.bottom[j])] - rate * levels.cost[j, lo] <= enough:
            lo += 1
        stays = -rate * levels.cost[j, p] > enough
        if not stays and lo == hi:
            return EMPTY
        if lo > work.lo[j] or hi < work.hi[j]:
            bits |= bit_of(j)
            work.lo[j], work.hi[j] = lo, hi
        if not stays and (lo == p or hi == p):
            way = 1 if lo == p else -1
            while offer[p] - rate * levels.cost[j, p] <= enough:
                p += way
            work.lo[j], work.hi[j] = (p, hi) if way > 0 else (lo, p)
            if forced(state, j):
                result = MOVED
    if bits:
        narrowed(bits, state.leaves, work, state.leaves.sizes[0])
    return result
