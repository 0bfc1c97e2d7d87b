"""The open boxes of a search, each with what was found out about the box it was cut from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.desk import Desk, follow, look_up, nearest_point
from standfast.search.heap import push
from standfast.search.person import Leaves, Levels
from standfast.search.price import Matrix, Vector
from standfast.search.program import Forest


class Frontier(NamedTuple):
    """The open boxes and the best point so far; everything a paused search goes on from.

    Box i spans levels `low[i]` to `high[i]`. What was found out about the box it was cut from comes
    along, so that only what changed is looked at again: of its first `trees[i]` trees the leaf its
    nearest point lies in (`here`) and the best leaf in reach (`want`), counted within the tree, and
    each model's `slack`; `moved[i]` is the input in which its nearest point has moved since, or −1.
    `numbers`: boxes stored, open, looked at, unused. `costs`: incumbent's cost, lower bound.
    """

    low: NDArray[np.signedinteger[Any]]
    high: NDArray[np.signedinteger[Any]]
    here: NDArray[np.signedinteger[Any]]
    want: NDArray[np.signedinteger[Any]]
    slack: Matrix
    trees: NDArray[np.int32]
    moved: NDArray[np.int16]
    keys: Vector
    boxes: NDArray[np.int32]
    unused: NDArray[np.int32]
    numbers: NDArray[np.int64]
    costs: Vector
    best: NDArray[np.int32]


STORED, OPEN, SEEN, UNUSED = 0, 1, 2, 3
INCUMBENT, LOWER = 0, 1


@kernel
def keep(frontier: Frontier, leaves: Leaves, desk: Desk, key: float, moved: int) -> None:
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
    for m in range(len(desk.slack)):
        frontier.slack[box, m] = desk.slack[m]
    frontier.trees[box], frontier.moved[box] = trees, moved
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
    for m in range(len(row)):
        desk.slack[m] = frontier.slack[box, m]
    if frontier.moved[box] >= 0:
        follow(frontier.moved[box], forest, leaves, desk, row, trees)
    for m in range(len(row)):
        if row[m] < 0 and leaves.model_tree[m] >= trees:  # taken up since the box was stored
            look_up(m, needs[m], forest, leaves, desk)
