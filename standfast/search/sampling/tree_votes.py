"""The nearest candidate that a sum of trees accepts, without asking every tree about each one.

Between a person's candidates only some splits of a tree decide anything: the others are left out,
and what is left says how much the tree can still add or take away. A candidate is dropped as soon
as the trees not yet asked cannot change what becomes of it. The answer is the one that adding up
all trees gives: where rounding could decide, they are added up in their own order.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.scores.tree_ensemble import Nodes

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Indices = NDArray[np.intp]

# candidates that walk down a tree in step, and trees between two looks at who is decided
ROWS, TREES = 128, 4


class TreeSum(NamedTuple):
    """An ensemble whose sum over `divisor` must exceed `cutoff`, as kernels read it.

    Sums that are added up in another order differ by less than `slip`.
    """

    nodes: Nodes
    roots: NDArray[np.int64]
    offset: float
    divisor: float
    cutoff: float
    slip: float


class Pruned(NamedTuple):
    """The trees as far as one person's candidates tell them apart, and who is being asked.

    Tree t begins at root[t] and is depth[t] splits deep; its leaves give from least[t] to most[t].
    The candidates lie within `low` and `high`. Row by row: who it is, their sum so far, and the
    node at which they are. `stack` has nodes to visit: of the tree, of the pruned one, their depth.
    """

    feature: Annotated[NDArray[np.uint32], "nodes"]
    split: Annotated[Vector, "nodes"]
    left: Annotated[NDArray[np.uint32], "nodes"]
    value: Annotated[Vector, "nodes"]
    root: Annotated[NDArray[np.int64], "trees"]
    depth: Annotated[NDArray[np.int64], "trees"]
    least: Annotated[Vector, "trees"]
    most: Annotated[Vector, "trees"]
    low: Annotated[Vector, "d"]
    high: Annotated[Vector, "d"]
    who: Annotated[NDArray[np.int64], ROWS]
    total: Annotated[Vector, ROWS]
    at: Annotated[NDArray[np.uint32], ROWS]
    stack: Annotated[NDArray[np.int64], "nodes+1", 3]


@kernel
def nearest_accepted(
    points: Matrix, owner: Indices, distance: Vector, people: int, trees: TreeSum, pruned: Pruned
) -> Indices:
    """For each person the place of their nearest accepted candidate, of equally near the last.

    −1 where none is accepted. Candidates of one owner lie side by side, and no value is missing.
    """
    chosen = np.full(people, -1, np.intp)
    n = len(trees.roots)
    most, least = np.zeros(n + 1), np.zeros(n + 1)  # of the trees from each on, in their order
    need = trees.cutoff * trees.divisor
    first = 0
    while first < len(owner):
        last = first
        while last < len(owner) and owner[last] == owner[first]:
            last += 1
        surround(points, first, last, pruned)
        prune(trees, pruned)
        # the trees that say most come first
        order = np.argsort(pruned.least - pruned.most)
        for k in range(n - 1, -1, -1):
            most[k] = most[k + 1] + pruned.most[order[k]]
            least[k] = least[k + 1] + pruned.least[order[k]]
        if trees.offset + most[0] > need - trees.slip:
            best, start = -1, first
            while start < last:
                rows = 0
                while start < last and rows < ROWS:
                    if best < 0 or distance[start] <= distance[best]:
                        pruned.who[rows], pruned.total[rows] = start, trees.offset
                        rows += 1
                    start += 1
                for k in range(n):
                    vote(points, order[k], rows, pruned)
                    if k % TREES == TREES - 1 or k == n - 1:
                        refused = need - trees.slip - most[k + 1]
                        accepted = need + trees.slip - least[k + 1]
                        rows, best = decide(rows, best, refused, accepted, distance, pruned)
                        if rows == 0:
                            break
                for r in range(rows):  # the sum is where rounding decides
                    i = pruned.who[r]
                    if nearer(i, best, distance) and whole_sum(points, i, trees) > trees.cutoff:
                        best = i
            chosen[owner[first]] = best
        first = last
    return chosen


@inner
def nearer(i: int, best: int, distance: Vector) -> bool:
    """Whether a candidate comes before the best so far."""
    if best < 0 or distance[i] < distance[best]:
        return True
    tied: bool = distance[i] == distance[best] and i > best
    return tied


@inner
def surround(points: Matrix, first: int, last: int, pruned: Pruned) -> None:
    """The least box that holds some candidates."""
    low, high = pruned.low, pruned.high
    for j in range(len(low)):
        low[j], high[j] = points[first, j], points[first, j]
    for i in range(first + 1, last):
        for j in range(len(low)):
            low[j], high[j] = min(low[j], points[i, j]), max(high[j], points[i, j])


@inner
def prune(trees: TreeSum, pruned: Pruned) -> None:
    """Copy of every tree what some point of the box reaches, without splits that it lies beside."""
    feature, split, left = trees.nodes.feature, trees.nodes.split, trees.nodes.left
    low, high, stack, m = pruned.low, pruned.high, pruned.stack, 0
    for t in range(len(trees.roots)):
        pruned.root[t], pruned.depth[t] = m, 0
        pruned.least[t], pruned.most[t] = np.inf, -np.inf
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.roots[t], m, 0
        m, waiting = m + 1, 1
        while waiting > 0:
            waiting -= 1
            a, here, deep = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
            while left[a] != a:
                if high[feature[a]] <= split[a]:
                    a = np.int64(left[a])
                elif low[feature[a]] > split[a]:
                    a = np.int64(left[a]) + 1
                else:
                    break
            if left[a] == a:
                value = trees.nodes.value[a]
                pruned.feature[here], pruned.split[here] = 0, np.inf
                pruned.left[here], pruned.value[here] = here, value
                pruned.least[t] = min(pruned.least[t], value)
                pruned.most[t] = max(pruned.most[t], value)
                pruned.depth[t] = max(pruned.depth[t], deep)
                continue
            pruned.feature[here], pruned.split[here], pruned.left[here] = feature[a], split[a], m
            for side in range(2):
                stack[waiting, 0], stack[waiting, 1] = np.int64(left[a]) + side, m + side
                stack[waiting, 2] = deep + 1
                waiting += 1
            m += 2


@inner
def vote(points: Matrix, t: int, rows: int, pruned: Pruned) -> None:
    """Add what a tree says of each candidate that is being asked about."""
    at, who, feature = pruned.at, pruned.who, pruned.feature
    split, left = pruned.split, pruned.left
    for r in range(rows):
        at[r] = pruned.root[t]
    for _ in range(pruned.depth[t]):
        for r in range(np.uint64(rows)):
            a = at[r]
            x = points[np.uint64(who[r]), np.uint64(feature[a])]
            at[r] = left[a] + np.uint32(x > split[a])
    for r in range(rows):
        pruned.total[r] += pruned.value[at[r]]


@inner
def decide(
    rows: int, best: int, refused: float, accepted: float, distance: Vector, pruned: Pruned
) -> tuple[int, int]:
    """How many candidates are still to be asked about, moved to the front, and the best so far."""
    left = 0
    for r in range(rows):
        i, total = pruned.who[r], pruned.total[r]
        if total <= refused or not nearer(i, best, distance):
            continue
        if total > accepted:
            best = i
            continue
        pruned.who[left], pruned.total[left] = i, total
        left += 1
    return left, best


@inner
def whole_sum(points: Matrix, i: int, trees: TreeSum) -> float:
    """What the ensemble itself says of a candidate: all trees, added up in their order."""
    total, nodes = trees.offset, trees.nodes
    for t in range(len(trees.roots)):
        a = np.uint32(trees.roots[t])
        while nodes.left[a] != a:
            a = nodes.left[a] + np.uint32(points[i, nodes.feature[a]] > nodes.split[a])
        total += nodes.value[a]
    said: float = total / trees.divisor
    return said
