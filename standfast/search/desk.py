"""The box at hand, its point nearest to the person, and what the models say of that point."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.person import Leaves, Levels
from standfast.search.price import Matrix, Vector
from standfast.search.program import Forest

TINY = 1e-12


class Desk(NamedTuple):
    """Scratch space of the kernel, allocated once per person."""

    free: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    p: NDArray[np.int32]
    cell: NDArray[np.int32]
    slack: Vector
    bound: Vector
    here: NDArray[np.int32]
    want: NDArray[np.int32]
    votes: Matrix
    gain: Vector
    rate: Vector


@kernel
def cost_of(desk: Desk, levels: Levels, maximal: bool) -> float:
    """Σ_j cost_j(p_j), or max_j."""
    total = 0.0
    for j in desk.free[: desk.free[-1]]:
        c = levels.cost[j, desk.p[j]]
        total = max(total, c) if maximal else total + c
    return total


@kernel
def nearest_point(desk: Desk, levels: Levels) -> None:
    """p = clamp(x): the box's point nearest to the person, and the cells it lies in."""
    for j in desk.free[: desk.free[-1]]:
        desk.p[j] = min(max(levels.start[j], desk.lo[j]), desk.hi[j])
        desk.cell[j] = levels.cell[j, desk.p[j]]


@kernel
def drop_unaffordable(
    desk: Desk, levels: Levels, k: float, incumbent: float, maximal: bool
) -> None:
    """What cannot be paid for leaves the box."""
    for j in desk.free[: desk.free[-1]]:
        room = incumbent if maximal else incumbent - k + levels.cost[j, desk.p[j]]
        while desk.lo[j] < desk.p[j] and levels.cost[j, desk.lo[j]] >= room:
            desk.lo[j] += 1
        while desk.hi[j] > desk.p[j] and levels.cost[j, desk.hi[j]] >= room:
            desk.hi[j] -= 1


@kernel
def sum_at(row: int, levels: Levels, desk: Desk) -> float:
    """A weighted sum at p."""
    total = 0.0
    for j in range(len(desk.p)):
        total += levels.contribution[row, j, desk.p[j]]
    return total


@kernel
def leaf_at(t: int, forest: Forest, desk: Desk) -> int:
    """The leaf, as a node of the forest, in which p lies."""
    node: int = forest.roots[t]
    while forest.left[node] != node:
        right = desk.cell[forest.feature[node]] > forest.cut[node]
        node = forest.left[node] + (1 if right else 0)
    return node


@kernel
def slack_at(m: int, row: int, need: float, forest: Forest, levels: Levels, desk: Desk) -> float:
    """How far model m's sum at p exceeds what it needs."""
    if row >= 0:
        return sum_at(row, levels, desk) - need
    total: float = -need
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        total += forest.value[leaf_at(t, forest, desk)]
    return total


@kernel
def look_up(m: int, need: float, forest: Forest, leaves: Leaves, desk: Desk) -> None:
    """Note every leaf of model m in which p lies, its slack, and that any leaf may be the best."""
    desk.slack[m] = -need
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        at = leaves.model_tree[m] + t - forest.model_start[m]
        desk.here[at] = leaves.place[leaf_at(t, forest, desk)]
        desk.want[at] = leaves.start[at]
        desk.slack[m] += leaves.value[desk.here[at]]


@kernel
def follow(
    j: int, forest: Forest, leaves: Leaves, desk: Desk, row: NDArray[np.int32], trees: int
) -> None:
    """p has moved in input j: look again at the trees that read it, of those known so far."""
    for m in range(len(row)):
        first = leaves.model_tree[m]
        if row[m] >= 0 or first < 0 or first >= trees:
            continue
        for t in range(forest.model_start[m], forest.model_start[m + 1]):
            if forest.reads[t, j]:
                at = first + t - forest.model_start[m]
                leaf = leaves.place[leaf_at(t, forest, desk)]
                desk.slack[m] += leaves.value[leaf] - leaves.value[desk.here[at]]
                desk.here[at] = leaf
