"""The open boxes of a search, each with what was found out about the box it was cut from."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, zeros
from standfast.search.exact.heap import push
from standfast.search.exact.workspace import NodeWorkspace, follow, look_up, narrowed, nearest_point
from standfast.search.problem.levels import Leaves, Levels, bit_of
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import Forest


class OpenNodes(NamedTuple):
    """The open boxes and the best point so far; everything a paused search goes on from.

    Box i spans levels `low[i]` to `high[i]`. What was found out about the box it was cut from comes
    along, so that only what changed is looked at again: of its first `trees[i]` trees `here` and
    `want`, counted within the tree, and `spent`, as on the work, and each model's `slack`. Box i
    was cut in input `cut[i]`, in which its nearest point may have moved. `numbers`: boxes stored,
    open, looked at, unused, opened; walks made; and the level that a paused search wants refined:
    its input (−1: none), its number, and the model that would gain. `costs`: incumbent's cost,
    lower bound, and how much that model lacks.
    """

    low: NDArray[np.signedinteger[Any]]
    high: NDArray[np.signedinteger[Any]]
    here: NDArray[np.signedinteger[Any]]
    want: NDArray[np.signedinteger[Any]]
    spent: Annotated[NDArray[np.float32], "room", "trees"]
    slack: Annotated[Matrix, "room", "models"]
    trees: Annotated[NDArray[np.int32], "room"]
    cut: Annotated[NDArray[np.int16], "room"]
    keys: Annotated[Vector, "room"]
    boxes: Annotated[NDArray[np.int32], "room"]
    unused: Annotated[NDArray[np.int32], "room"]
    numbers: Annotated[NDArray[np.int64], 9]
    costs: Vector
    best: NDArray[np.int32]


STORED, OPEN, SEEN, UNUSED, OPENED, WALKED = 0, 1, 2, 3, 4, 5
WIDE_INPUT, WIDE_LEVEL, GAINS = 6, 7, 8
INCUMBENT, LOWER, LACKS = 0, 1, 2


def no_open_nodes(
    d: int, models: int, trees: int, levels: Any, leaves: Any, room: int
) -> OpenNodes:
    """No open box, with room for some; `levels` and `leaves` are the types that number them."""
    low, high = (np.zeros((room, d), levels) for _ in range(2))
    here, want = (np.zeros((room, trees), leaves) for _ in range(2))
    given = {"low": low, "high": high, "here": here, "want": want, "best": np.full(d, -1, np.int32)}
    sizes = {"room": room, "trees": trees, "models": models}
    return zeros(OpenNodes, sizes, **given, costs=np.array([np.inf, 0.0, 0.0]))


@inner
def keep(open_nodes: OpenNodes, leaves: Leaves, work: NodeWorkspace, key: float, cut: int) -> None:
    """Put the box on the work into the heap, with what is known about it."""
    numbers = open_nodes.numbers
    if numbers[UNUSED] > 0:
        numbers[UNUSED] -= 1
        box = open_nodes.unused[numbers[UNUSED]]
    else:
        box = numbers[STORED]
        numbers[STORED] += 1
    for j in range(len(work.lo)):
        open_nodes.low[box, j], open_nodes.high[box, j] = work.lo[j], work.hi[j]
    trees = leaves.sizes[0]
    for t in range(trees):
        open_nodes.here[box, t] = work.here[t] - leaves.start[t]
        open_nodes.want[box, t] = work.want[t] - leaves.start[t]
        open_nodes.spent[box, t] = work.spent[t]
    for m in range(len(work.slack)):
        open_nodes.slack[box, m] = work.slack[m]
    open_nodes.trees[box], open_nodes.cut[box] = trees, cut
    numbers[OPEN] = push(open_nodes.keys, open_nodes.boxes, numbers[OPEN], key, box)


@inner
def keep_best(open_nodes: OpenNodes, work: NodeWorkspace) -> None:
    """p is the best point so far."""
    for j in range(len(work.p)):  # assigning arrays would compile numba's error messages as well
        open_nodes.best[j] = work.p[j]


@inner
def unfold(
    box: int,
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    open_nodes: OpenNodes,
    work: NodeWorkspace,
    needs: Vector,
    row: NDArray[np.int32],
) -> None:
    """Put a stored box on the work and bring what is known about it up to date."""
    for j in range(len(work.lo)):
        work.lo[j], work.hi[j] = open_nodes.low[box, j], open_nodes.high[box, j]
    nearest_point(work, levels)
    trees = open_nodes.trees[box]
    for t in range(trees):
        work.here[t] = leaves.start[t] + open_nodes.here[box, t]
        work.want[t] = leaves.start[t] + open_nodes.want[box, t]
        work.spent[t] = open_nodes.spent[box, t]
    for m in range(len(row)):
        work.slack[m] = open_nodes.slack[box, m]
    cut: int = np.int64(open_nodes.cut[box])  # type: ignore[assignment]
    follow(cut, forest, leaves, work, row, trees)
    narrowed(bit_of(cut), leaves, work, trees)
    for m in range(len(row)):
        if row[m] < 0 and leaves.model_tree[m] >= trees:  # taken up since the box was stored
            look_up(m, needs[m], forest, leaves, work)
