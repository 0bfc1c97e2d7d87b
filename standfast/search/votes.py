"""Which cuts of the box the refusing models ask for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.desk import TINY, Desk
from standfast.search.person import HIGH, INPUT, LOW, Leaves, Levels
from standfast.search.price import Matrix
from standfast.search.program import Forest


@kernel
def vote_for(
    leaf: int,
    amount: float,
    start: NDArray[np.int32],
    condition: NDArray[np.signedinteger[Any]],
    enter: Matrix,
    leave: Matrix,
) -> None:
    """A leaf's votes: where its levels begin, and before which level they end.

    Here and where leaves are sought, unsigned numbers spare every look-up the test for counting
    from the end.
    """
    for c in range(np.uint64(start[leaf]), np.uint64(start[leaf + 1])):
        j = np.uint64(condition[c, INPUT])
        enter[j, np.uint64(condition[c, LOW])] += amount
        leave[j, np.uint64(condition[c, HIGH]) + np.uint64(1)] += amount


@kernel
def vote_of_trees(m: int, forest: Forest, leaves: Leaves, desk: Desk) -> None:
    """Each tree votes for the cuts between p and its best leaf, by what it would gain."""
    value, start, condition = leaves.value, leaves.condition_start, leaves.condition
    first = leaves.model_tree[m]
    for t in range(first, first + forest.model_start[m + 1] - forest.model_start[m]):
        gain = value[desk.want[t]] - value[desk.here[t]]
        if gain > 0.0:
            amount = gain * desk.weight[m]
            vote_for(desk.want[t], amount, start, condition, desk.enter, desk.leave)


@kernel
def vote_of_sum(row: int, slack: float, weight: float, levels: Levels, desk: Desk) -> None:
    """A vote for the move with the largest gain per cost, just far enough to mend the sum.

    A level counts with the most that any of its values adds.
    """
    best, best_level, best_rate, best_gain = -1, -1, 0.0, 0.0
    for j in desk.free[: desk.free[-1]]:
        here = levels.contribution[row, j, desk.p[j]]
        for k in range(desk.lo[j], desk.hi[j] + 1):
            gain = min(levels.most[row, j, k] - here, -slack + TINY) if k != desk.p[j] else 0.0
            if gain > 0.0:
                rate = gain / max(levels.cost[j, k] - levels.cost[j, desk.p[j]], TINY)
                if rate > best_rate * (1.0 + 1e-9) or (
                    rate >= best_rate * (1.0 - 1e-9) and gain > best_gain
                ):
                    best, best_level, best_rate, best_gain = j, k, rate, gain
    if best >= 0:
        if best_level > desk.p[best]:
            desk.enter[best, best_level] += best_gain * weight
        else:
            desk.leave[best, best_level + 1] += best_gain * weight


@kernel
def clear_votes(levels: Levels, desk: Desk) -> None:
    """A clean desk for the next count."""
    for j in desk.free[: desk.free[-1]]:
        desk.enter[j, : levels.counts[j] + 1] = 0.0
        desk.leave[j, : levels.counts[j] + 1] = 0.0
    desk.weight[:] = 0.0
