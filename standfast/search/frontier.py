"""The open boxes of a search, each with what was found out about the box it was cut from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.desk import Desk, follow, look_up, narrowed, nearest_point
from standfast.search.heap import push
from standfast.search.person import Leaves, Levels
from standfast.search.price import Matrix, Vector
from standfast.search.program import Forest


class Frontier(NamedTuple):
    """The open boxes and the best point so far; everything a paused search goes on from.

    Box i spans levels `low[i]` to `high[i]`. What was found out about the box it was cut from comes
    along, so that only what changed is looked at again: of its first `trees[i]` trees `here` and
    `want`, counted within the tree, and `spent`, as on the desk, and each model's `slack`. Box i
    was cut in input `cut[i]`, in which its nearest point may have moved. `numbers`: boxes stored,
    open, looked at, unused, opened; walks made; and the level that a paused search wants refined:
    its input (−1: none), its number, and the model that would gain. `costs`: incumbent's cost,
    lower bound, and how much that model lacks.
    """

    low: NDArray[np.signedinteger[Any]]
    high: NDArray[np.signedinteger[Any]]
    here: NDArray[np.signedinteger[Any]]
    want: NDArray[np.signedinteger[Any]]
    spent: NDArray[np.float32]
    slack: Matrix
    trees: NDArray[np.int32]
    cut: NDArray[np.int16]
    keys: Vector
    boxes: NDArray[np.int32]
    unused: NDArray[np.int32]
    numbers: NDArray[np.int64]
    costs: Vector
    best: NDArray[np.int32]


STORED, OPEN, SEEN, UNUSED, OPENED, WALKED = 0, 1, 2, 3, 4, 5
WIDE_INPUT, WIDE_LEVEL, GAINS = 6, 7, 8
INCUMBENT, LOWER, LACKS = 0, 1, 2


def no_frontier(d: int, models: int, trees: int, levels: Any, leaves: Any, room: int) -> Frontier:
    """No open box, with room for some; `levels` and `leaves` are the types that number them."""
    return Frontier(
        np.empty((room, d), levels),
        np.empty((room, d), levels),
        np.empty((room, trees), leaves),
        np.empty((room, trees), leaves),
        np.empty((room, trees), np.float32),
        np.empty((room, models)),
        np.empty(room, np.int32),
        np.empty(room, np.int16),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(9, np.int64),
        np.array([np.inf, 0.0, 0.0]),
        np.full(d, -1, np.int32),
    )


@kernel
def keep(frontier: Frontier, leaves: Leaves, desk: Desk, key: float, cut: int) -> None:
    """Put the box on the desk into the heap, with what is known about it."""
    numbers = frontier.numbers
    if numbers[UNUSED] > 0:
        numbers[UNUSED] -= 1
        box = frontier.unused[numbers[UNUSED]]
    else:
        box = numbers[STORED]
        numbers[STORED] += 1
    for j in range(len(desk.lo)):
        frontier.low[box, j], frontier.high[box, j] = desk.lo[j], desk.hi[j]
    trees = leaves.sizes[0]
    for t in range(trees):
        frontier.here[box, t] = desk.here[t] - leaves.start[t]
        frontier.want[box, t] = desk.want[t] - leaves.start[t]
        frontier.spent[box, t] = desk.spent[t]
    for m in range(len(desk.slack)):
        frontier.slack[box, m] = desk.slack[m]
    frontier.trees[box], frontier.cut[box] = trees, cut
    numbers[OPEN] = push(frontier.keys, frontier.boxes, numbers[OPEN], key, box)


@kernel
def unfold(
    box: int,
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    frontier: Frontier,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
) -> None:
    """Put a stored box on the desk and bring what is known about it up to date."""
    for j in range(len(desk.lo)):
        desk.lo[j], desk.hi[j] = frontier.low[box, j], frontier.high[box, j]
    nearest_point(desk, levels)
    trees = frontier.trees[box]
    for t in range(trees):
        desk.here[t] = leaves.start[t] + frontier.here[box, t]
        desk.want[t] = leaves.start[t] + frontier.want[box, t]
        desk.spent[t] = frontier.spent[box, t]
    for m in range(len(row)):
        desk.slack[m] = frontier.slack[box, m]
    cut: int = np.int64(frontier.cut[box])  # type: ignore[assignment]
    follow(cut, forest, leaves, desk, row, trees)
    narrowed(cut, leaves, desk, trees)
    for m in range(len(row)):
        if row[m] < 0 and leaves.model_tree[m] >= trees:  # taken up since the box was stored
            look_up(m, needs[m], forest, leaves, desk)
