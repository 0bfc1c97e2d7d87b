"""Better answers on the way: what an accepted point can still save."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.desk import Desk, put, slack_at
from standfast.search.person import Levels
from standfast.search.price import Vector
from standfast.search.program import Forest


@kernel
def polish(
    forest: Forest,
    levels: Levels,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
) -> None:
    """Make the accepted point p cheaper: take changes back, or trade one for a cheaper one."""
    take_back(forest, levels, desk, needs, row)
    while trade(forest, levels, desk, needs, row):
        take_back(forest, levels, desk, needs, row)


@kernel
def take_back(
    forest: Forest, levels: Levels, desk: Desk, needs: Vector, row: NDArray[np.int32]
) -> None:
    """Move every input of p as far back as all models allow, until none can move."""
    moved = True
    while moved:
        moved = False
        for j in desk.free[: desk.free[-1]]:
            at, level = desk.p[j], levels.start[j]
            step = 1 if level < at else -1
            while level != at:
                put(j, level, levels, desk)
                if accepted(forest, levels, desk, needs, row):
                    moved = True
                    break
                put(j, at, levels, desk)
                level += step


@kernel
def trade(
    forest: Forest, levels: Levels, desk: Desk, needs: Vector, row: NDArray[np.int32]
) -> bool:
    """Undo one change of p and pay for it by the cheapest further move of another input."""
    for j in desk.free[: desk.free[-1]]:
        at = desk.p[j]
        if at == levels.start[j]:
            continue
        put(j, levels.start[j], levels, desk)
        saved, best, to = levels.cost[j, at], -1, -1
        for i in desk.free[: desk.free[-1]]:
            old = desk.p[i]
            for step in (-1, 1):
                level = old + step
                while i != j and 0 <= level < levels.counts[i]:
                    extra = levels.cost[i, level] - levels.cost[i, old]
                    if extra >= saved:
                        break
                    put(i, level, levels, desk)
                    if accepted(forest, levels, desk, needs, row):
                        saved, best, to = extra, i, level
                        break
                    level += step
            put(i, old, levels, desk)
        if best >= 0:
            put(best, to, levels, desk)
            return True
        put(j, at, levels, desk)
    return False


@kernel
def accepted(
    forest: Forest, levels: Levels, desk: Desk, needs: Vector, row: NDArray[np.int32]
) -> bool:
    """Whether every model accepts p."""
    for m in range(len(needs)):  # noqa: SIM110 a generator does not compile
        if slack_at(m, row[m], needs[m], forest, levels, desk) <= 0.0:
            return False
    return True
