"""The box at hand, its point nearest to the person, and what the models say of that point."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, zeros
from standfast.search.problem.levels import Leaves, Levels, bit_of, has
from standfast.search.problem.price import CHANGE, Matrix, Vector
from standfast.search.problem.program import Singles
from standfast.search.problem.trees import CUT, INPUT, LEAF, LEFT, Forest, Nodes

TINY = 1e-12
# what adding up may be off, of the sizes of all that is added, for each addition
ROUNDING = 4e-16
UNKNOWN = np.float32(-1.0)


class NodeWorkspace(NamedTuple):
    """The box `lo` to `hi` on which the kernel works, and its scratch space.

    `free` are the inputs with more than one level, its last entry how many they are. `p` is the
    box's point nearest to the person, in the cells `cell`. Per model: `slack` at p, the `bound` of
    the slack over the box, and the `weight` of its votes. Per tree: the leaf `here` in which p
    lies, the best leaf in reach (`want`), and what moving p there costs (`spent`), or UNKNOWN since
    the box has shrunk in an input that this leaf asks about. Per input and level: the votes of
    best leaves whose levels begin there (`enter`), and of those that end before it (`leave`). Per
    input, while a weighted sum is bounded: `paid` for `gain` so far, and the `rate` and `price` of
    the next step.
    """

    free: Annotated[NDArray[np.int64], "d+1"]
    lo: Annotated[NDArray[np.int64], "d"]
    hi: Annotated[NDArray[np.int64], "d"]
    p: Annotated[NDArray[np.int64], "d"]
    cell: Annotated[NDArray[np.int32], "d"]
    slack: Annotated[Vector, "models"]
    bound: Annotated[Vector, "models"]
    weight: Annotated[Vector, "models"]
    here: Annotated[NDArray[np.int32], "trees"]
    want: Annotated[NDArray[np.int32], "trees"]
    spent: Annotated[NDArray[np.float32], "trees"]
    enter: Annotated[Matrix, "d", "votes"]
    leave: Annotated[Matrix, "d", "votes"]
    paid: Annotated[Vector, "d"]
    gain: Annotated[Vector, "d"]
    rate: Annotated[Vector, "d"]
    price: Annotated[Vector, "d"]


def no_workspace(d: int, models: int, trees: int, widest: int) -> NodeWorkspace:
    """An empty work for d inputs of at most so many levels."""
    sizes = {"d": d, "d+1": d + 1, "models": models, "trees": trees, "votes": widest + 1}
    return zeros(NodeWorkspace, sizes)


@inner
def cost_of(work: NodeWorkspace, levels: Levels, maximal: bool) -> float:
    """Σ_j cost_j(p_j), or max_j."""
    total = 0.0
    for j in work.free[: work.free[-1]]:
        c = levels.cost[j, work.p[j]]
        total = max(total, c) if maximal else total + c
    return total


@inner
def raised(floor: float, grain: float, inputs: int, changes: int) -> float:
    """A lower bound raised to what the cost can be: a multiple of its grain, and the changes."""
    if grain == 0.0 or not np.isfinite(floor):
        return floor
    grains = np.ceil((floor - inputs * CHANGE) / grain - 1e-6)
    least = max(changes, 1) if grains > 0.0 else changes
    found: float = max(floor, grains * grain + least * CHANGE)
    return found


@inner
def put(j: int, level: int, levels: Levels, work: NodeWorkspace) -> None:
    """Move p in input j."""
    work.p[j], work.cell[j] = level, levels.cell[j, level]


@inner
def nearest_point(work: NodeWorkspace, levels: Levels) -> None:
    """p = clamp(x): the box's point nearest to the person."""
    for j in work.free[: work.free[-1]]:
        put(j, min(max(levels.start[j], work.lo[j]), work.hi[j]), levels, work)


@inner
def drop_unaffordable(
    work: NodeWorkspace, levels: Levels, k: float, incumbent: float, maximal: bool
) -> None:
    """What cannot be paid for leaves the box."""
    for j in work.free[: work.free[-1]]:
        room = incumbent if maximal else incumbent - k + levels.cost[j, work.p[j]]
        work.lo[j] = affordable(levels.cost[j], room, work.p[j], work.lo[j])
        work.hi[j] = affordable(levels.cost[j], room, work.p[j], work.hi[j])


@inner
def affordable(cost: Vector, room: float, near: int, far: int) -> int:
    """The last level on the way from `near` to `far` that costs less than `room`, as near does."""
    step = 1 if far > near else -1
    yes, no = 0, abs(far - near) + 1
    while no - yes > 1:
        middle = (yes + no) // 2
        if cost[near + step * middle] < room:
            yes = middle
        else:
            no = middle
    return near + step * yes


@inner
def narrowed(inputs: np.uint64, leaves: Leaves, work: NodeWorkspace, trees: int) -> None:
    """The box has shrunk in inputs, as bits: what best leaves that read them cost is unknown."""
    for t in range(trees):
        if leaves.asks[work.want[t]] & inputs:
            work.spent[t] = UNKNOWN


@inner
def around(members: np.uint64, p: int, low: int, high: int) -> tuple[int, int]:
    """The levels next above and next below p, if p is in a hole; else the lowest and the highest.

    Of some levels from `low` to `high`.
    """
    if p < low or p > high or has(members, p):
        return low, high
    above, below = p + 1, p - 1
    while not has(members, above):
        above += 1
    while not has(members, below):
        below -= 1
    return above, below


@inner
def next_level(members: np.uint64, j: int, levels: Levels, work: NodeWorkspace) -> int:
    """Of some levels of input j, around p, the one in the box to which p can move for least.

    −1 if there is none in the box.
    """
    above: int = work.p[j] + 1
    below: int = work.p[j] - 1
    while above <= work.hi[j] and not has(members, above):
        above += 1
    while below >= work.lo[j] and not has(members, below):
        below -= 1
    if below < work.lo[j]:
        return above if above <= work.hi[j] else -1
    if above <= work.hi[j] and levels.cost[j, above] <= levels.cost[j, below]:
        return above
    return below


@inner
def sum_at(row: int, levels: Levels, work: NodeWorkspace) -> float:
    """A weighted sum at p."""
    total = 0.0
    for j in range(len(work.p)):
        total += levels.contribution[row, j, work.p[j]]
    return total


@inner
def leaf_at(t: int, nodes: Nodes, work: NodeWorkspace) -> int:
    """The leaf, as a node, in which p lies."""
    # unsigned numbers spare every look-up the test for counting from the end
    at = np.uint64(nodes.roots[t])
    while nodes.node[at, INPUT] != LEAF:
        right = work.cell[np.uint64(nodes.node[at, INPUT])] > nodes.node[at, CUT]
        at = np.uint64(nodes.node[at, LEFT]) + np.uint64(right)
    return np.int64(at)  # type: ignore[return-value]


@inner
def slack_at(
    m: int, row: int, need: float, forest: Forest, levels: Levels, work: NodeWorkspace
) -> float:
    """How far model m's sum at p exceeds what it needs."""
    if row >= 0:
        return sum_at(row, levels, work) - need
    total: float = -need
    for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
        total += forest.nodes.value[leaf_at(t, forest.nodes, work)]
    return total


@inner
def slack_in_32_bits(
    m: int, need: float, single: Singles, forest: Forest, work: NodeWorkspace
) -> float:
    """How far model m's sum at p, added tree by tree in 32 bits, exceeds what it needs."""
    total = single.offset[m]
    for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
        total = np.float64(np.float32(total + forest.nodes.value[leaf_at(t, forest.nodes, work)]))
    slack: float = total - single.offset[m] - need - single.error[m]
    return slack


@inner
def look_up(m: int, need: float, forest: Forest, leaves: Leaves, work: NodeWorkspace) -> None:
    """Note every leaf of model m in which p lies, its slack, and that any leaf may be the best."""
    work.slack[m] = -need
    for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
        at = leaves.model_tree[m] + t - forest.nodes.start[m]
        work.here[at] = leaves.place[forest.leaf_of[leaf_at(t, forest.nodes, work)]]
        work.want[at], work.spent[at] = leaves.start[at], UNKNOWN
        work.slack[m] += leaves.value[work.here[at]]


@inner
def follow(
    j: int, forest: Forest, leaves: Leaves, work: NodeWorkspace, row: NDArray[np.int32], trees: int
) -> None:
    """p has moved in input j: look again where a leaf asks about it, in the trees known so far."""
    bit = bit_of(j)
    for m in range(len(row)):
        first = leaves.model_tree[m]
        if row[m] >= 0 or first < 0 or first >= trees:
            continue
        for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
            at = first + t - forest.nodes.start[m]
            if leaves.asks[work.here[at]] & bit:
                leaf = leaves.place[forest.leaf_of[leaf_at(t, forest.nodes, work)]]
                work.slack[m] += leaves.value[leaf] - leaves.value[work.here[at]]
                work.here[at] = leaf
