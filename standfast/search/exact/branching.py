"""Where to split a box: refusing models vote; the split that ends both children soonest wins."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner
from standfast.search.exact.open_nodes import OpenNodes, keep
from standfast.search.exact.workspace import NodeWorkspace
from standfast.search.problem.levels import Leaves, Levels


@inner
def merit(near: float, far: float, cost: float, budget: float, greed: float) -> float:
    """How much a cut is worth: what its near part loses times what its far part loses or pays.

    Both parts should be near their end: the product rule of mixed-integer solvers. `near` are the
    votes that only the far part can satisfy, `far` the share of votes that only the near part can.
    The constants were tuned on HELOC forests; far more than half the budget is no better than
    half, and before there is an answer to compare costs with, votes count for more. With greed,
    for a dive, what the cut promises per cost.
    """
    priced = np.isfinite(budget)
    spent = cost / budget if priced else cost
    if greed > 0.0:
        return near / (spent + greed)
    return near * (min(spent + 0.03, 0.6) + (1.0 if priced else 3.0) * far)


@inner
def chosen_split(
    levels: Levels, work: NodeWorkspace, budget: float, greed: float
) -> tuple[int, int]:
    """The split with the greatest merit: an input and the level before which to cut.

    Above p a cut's near part loses the leaves that begin at it or beyond, its far part those that
    end before it; below p it is the other way round.
    """
    enter, leave = work.enter, work.leave
    whole = 1e-300  # the most votes that have to do with one input
    for j in work.free[: work.free[-1]]:
        cast = 0.0
        for k in range(work.lo[j], work.hi[j] + 2):
            cast += enter[j, k] + leave[j, k]
        whole = max(whole, cast)
    best, level, most = -1, -1, 0.0
    for j in work.free[: work.free[-1]]:
        p, lo, hi, here = work.p[j], work.lo[j], work.hi[j], levels.cost[j, work.p[j]]
        near, far = 0.0, 0.0
        for k in range(p + 1, hi + 1):
            far += leave[j, k]
        for k in range(hi, p, -1):
            near += enter[j, k]
            if enter[j, k] > 0.0:
                value = merit(near, far / whole, levels.cost[j, k] - here, budget, greed)
                if value > most:
                    best, level, most = j, k, value
            far -= leave[j, k]
        near, far = 0.0, 0.0
        for k in range(lo + 1, p + 1):
            far += enter[j, k]
        for k in range(lo + 1, p + 1):
            near += leave[j, k]
            if leave[j, k] > 0.0:
                value = merit(near, far / whole, levels.cost[j, k - 1] - here, budget, greed)
                if value > most:
                    best, level, most = j, k, value
            far -= enter[j, k]
    return best, level


@inner
def forbidden(sets: NDArray[np.bool_], nested: bool, levels: Levels, work: NodeWorkspace) -> int:
    """−1 if p's changes are allowed beside earlier alternatives, −2 if no point of the box's are.

    Otherwise the number of the earlier set from which p's changes must yet depart. Every point of
    the box changes what p changes. `nested` forbids sets that contain one another, else equal ones.
    """
    for s in range(len(sets)):
        inside, covers = True, True
        for j in work.free[: work.free[-1]]:
            changed = work.p[j] != levels.start[j]
            inside = inside and (sets[s, j] or not changed)
            covers = covers and (changed or not sets[s, j])
        if covers and nested:
            return -2
        if inside and (covers or nested):
            return s
    return -1


@inner
def depart(
    s: int,
    sets: NDArray[np.bool_],
    levels: Levels,
    leaves: Leaves,
    work: NodeWorkspace,
    open_nodes: OpenNodes,
    key: float,
) -> None:
    """Split on an input outside set s: unchanged, raised or lowered; no input left, no box left."""
    for j in work.free[: work.free[-1]]:
        if sets[s, j] or work.lo[j] == work.hi[j]:
            continue
        lo, hi, x = work.lo[j], work.hi[j], levels.start[j]
        work.lo[j], work.hi[j] = x, x
        keep(open_nodes, leaves, work, key, j)
        if lo < x:
            work.lo[j], work.hi[j] = lo, x - 1
            keep(open_nodes, leaves, work, key, j)
        if x < hi:
            work.lo[j], work.hi[j] = x + 1, hi
            keep(open_nodes, leaves, work, key, j)
        return
