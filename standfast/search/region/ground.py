"""What proving reads and where it works: trees and cells, promises' boxes, open nodes."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import zeros
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import Forest

Cells = NDArray[np.int32]

# what became of a box
PROVEN, REFUTED, UNDECIDED = 0, 1, 2


class Ground(NamedTuple):
    """What holds for every box: the trees, the values in every cell, and the laws.

    The trees of the model come first, then one tree per rule, whose value is above zero where the
    rule is broken. `least` is the least leaf below each node. Input j's cells are numbered from
    `cell_start[j]` on; the admissible values of a cell lie from `first` to `last` (none if first
    exceeds last). `up` and `down` are the next cells with such values, from a cell on. Code k of a
    nominal input stands in cell `code_cell[code_start[j] + k]`. `A` are the half-spaces.
    """

    forest: Forest
    least: Vector
    trees: int
    cell_start: Cells
    first: Vector
    last: Vector
    up: Cells
    down: Cells
    code_start: Cells
    code_cell: Cells
    A: Matrix


class Asked(NamedTuple):
    """The boxes: cells `low` to `high` and values `lo` to `hi` of every input, per promise.

    Of an input that is `special`, only some cells between hold values: those of a nominal's
    `members` (the codes of all nominal inputs side by side); those with values outside the gap from
    `below` to `above`; and the own value's, `home`, where it is on no grid but in the box (−1: it
    is not). The advised value is `y`, in cell `y_cell` (−1: outside the box). `b` is the right side
    of the half-spaces, infinite where one is not judged.

    The trees are to exceed `needs`; `known` are cells of points of boxes `whose` that count as if
    they did. What becomes of a box is its `status`, and a point that refutes it stands in `points`.
    """

    low: Cells
    high: Cells
    lo: Matrix
    hi: Matrix
    x: Matrix
    y: Matrix
    y_cell: Cells
    home: Cells
    below: Matrix
    above: Matrix
    special: NDArray[np.bool_]
    members: NDArray[np.bool_]
    b: Matrix
    needs: Vector
    whose: NDArray[np.int64]
    known: Cells
    status: NDArray[np.uint8]
    points: Matrix


class Room(NamedTuple):
    """Where one thread works.

    `up` and `down` are as in `Ground`, changed for the promise at hand. Open nodes lie in a stack:
    their cells, each tree's worst leaf (a node's number) and its value. Trees are asked in an
    `order`, those first whose worst leaf is farthest (`spread`) from that of the advice. `here` is
    the candidate under way: its cells, then its values; `choice` the input and cut to branch on.
    The rest serves the walk through one tree.
    """

    up: Cells
    down: Cells
    stack_low: Annotated[Cells, "open", "d"]
    stack_high: Annotated[Cells, "open", "d"]
    stack_leaf: Annotated[Cells, "open", "trees"]
    order: NDArray[np.int64]
    spread: Annotated[Vector, "trees"]
    choice: Annotated[Cells, 2]
    here_low: Annotated[Cells, "d"]
    here_high: Annotated[Cells, "d"]
    here: Annotated[Vector, "d"]
    waiting: Annotated[Cells, "deep", 5]
    trail: Annotated[Cells, "deep", 3]


def no_room(ground: Ground, open_nodes: int, deepest: int) -> Room:
    """Room for boxes of any size, with so many open nodes at most, in trees so deep."""
    d, trees = len(ground.cell_start) - 1, len(ground.forest.nodes.roots)
    sizes = {"d": d, "trees": trees, "open": open_nodes + 1, "deep": deepest + 2}
    up, down, order = ground.up.copy(), ground.down.copy(), np.arange(trees)
    return zeros(Room, sizes, up=up, down=down, order=order)
