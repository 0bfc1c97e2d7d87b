"""Which cuts of the box the refusing models ask for."""

import numpy as np

from standfast.compilation import inner
from standfast.search.exact.workspace import TINY, NodeWorkspace, around
from standfast.search.problem.levels import HIGH, HOLES, INPUT, LOW, Leaves, Levels
from standfast.search.problem.trees import Forest


@inner
def vote_for(leaf: int, amount: float, leaves: Leaves, work: NodeWorkspace) -> None:
    """A leaf's votes: where its levels begin, and before which level they end.

    Where p is in a hole between levels, these are the hole's ends.

    Here and where leaves are sought, unsigned numbers spare every look-up the test for counting
    from the end.
    """
    start, condition = leaves.condition_start, leaves.condition
    for c in range(np.uint64(start[leaf]), np.uint64(start[leaf + 1])):
        j = np.uint64(condition[c, INPUT])
        begin: int = np.int64(condition[c, LOW])  # type: ignore[assignment]
        end: int = np.int64(condition[c, HIGH])  # type: ignore[assignment]
        if condition[c, HOLES]:
            begin, end = around(leaves.members[c], work.p[j], begin, end)
        work.enter[j, np.uint64(begin)] += amount
        work.leave[j, np.uint64(end) + np.uint64(1)] += amount


@inner
def vote_of_trees(m: int, forest: Forest, leaves: Leaves, work: NodeWorkspace) -> None:
    """Each tree votes for the cuts between p and its best leaf, by what it would gain."""
    value = leaves.value
    first = leaves.model_tree[m]
    for t in range(first, first + forest.nodes.start[m + 1] - forest.nodes.start[m]):
        gain = value[work.want[t]] - value[work.here[t]]
        if gain > 0.0:
            amount = gain * work.weight[m]
            leaf: int = np.int64(work.want[t])  # type: ignore[assignment]
            vote_for(leaf, amount, leaves, work)


@inner
def vote_of_sum(row: int, slack: float, weight: float, levels: Levels, work: NodeWorkspace) -> None:
    """A vote for the move with the largest gain per cost, just far enough to mend the sum.

    A level counts with the most that any of its values adds.
    """
    best, best_level, best_rate, best_gain = -1, -1, 0.0, 0.0
    for j in work.free[: work.free[-1]]:
        here = levels.contribution[row, j, work.p[j]]
        for k in range(work.lo[j], work.hi[j] + 1):
            gain = min(levels.most[row, j, k] - here, -slack + TINY) if k != work.p[j] else 0.0
            if gain > 0.0:
                rate = gain / max(levels.cost[j, k] - levels.cost[j, work.p[j]], TINY)
                if rate > best_rate * (1.0 + 1e-9) or (
                    rate >= best_rate * (1.0 - 1e-9) and gain > best_gain
                ):
                    best, best_level, best_rate, best_gain = j, k, rate, gain
    if best >= 0:
        if best_level > work.p[best]:
            work.enter[best, best_level] += best_gain * weight
        else:
            work.leave[best, best_level + 1] += best_gain * weight


@inner
def clear_votes(levels: Levels, work: NodeWorkspace) -> None:
    """A clean work for the next count."""
    for j in work.free[: work.free[-1]]:
        work.enter[j, : levels.counts[j] + 1] = 0.0
        work.leave[j, : levels.counts[j] + 1] = 0.0
    work.weight[:] = 0.0
