"""Whether trees exceed a number all over a box: by their worst leaves, and else by branching."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import CUT, INPUT, LEFT, Forest

Cells = NDArray[np.int32]

# what became of a box
PROVEN, REFUTED, UNDECIDED, NOTHING = 0, 1, 2, 3


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
    stack_low: Cells
    stack_high: Cells
    stack_leaf: Cells
    order: NDArray[np.int64]
    spread: Vector
    choice: Cells
    here_low: Cells
    here_high: Cells
    here: Vector
    waiting: Cells
    trail: Cells


def no_room(ground: Ground, open_nodes: int, deepest: int) -> Room:
    """Room for boxes of any size, with so many open nodes at most, in trees so deep."""
    d, trees = len(ground.cell_start) - 1, len(ground.forest.nodes.roots)

    def cells(*shape: int) -> Cells:
        return np.zeros(shape, dtype=np.int32)

    return Room(
        ground.up.copy(),
        ground.down.copy(),
        cells(open_nodes, d),
        cells(open_nodes, d),
        cells(open_nodes, trees),
        np.arange(trees),
        np.zeros(trees),
        cells(2),
        cells(d),
        cells(d),
        np.zeros(d),
        cells(deepest + 2, 5),
        cells(deepest + 2, 3),
    )


@inner
def worst_leaf(tree: int, low: Cells, high: Cells, ground: Ground, room: Room) -> int:
    """The leaf of least value that meets the cells, as the number of its node.

    The cells are narrowed on the way down and restored on the way back.
    """
    nodes, least, waiting, trail = ground.forest.nodes, ground.least, room.waiting, room.trail
    node, best, found, open_nodes, moves = nodes.roots[tree], np.inf, -1, 0, 0
    while True:
        while least[node] < best:
            j = nodes.node[node, INPUT]
            if j < 0:
                best, found = nodes.value[node], node
                break
            cut, left = nodes.node[node, CUT], nodes.node[node, LEFT]
            if high[j] <= cut:
                node = left
            elif low[j] > cut:
                node = left + 1
            else:
                first = left if least[left] <= least[left + 1] else left + 1
                waiting[open_nodes, 0] = 2 * left + 1 - first
                waiting[open_nodes, 1], waiting[open_nodes, 2] = j, cut
                waiting[open_nodes, 3], waiting[open_nodes, 4] = moves, left
                open_nodes += 1
                moves = narrow(j, cut, first == left, low, high, moves, ground, room)
                node = first
        while True:
            if open_nodes == 0:
                restore(0, moves, low, high, trail)
                return found
            open_nodes -= 1
            moves = restore(waiting[open_nodes, 3], moves, low, high, trail)
            node = waiting[open_nodes, 0]
            if least[node] < best:
                j, cut = waiting[open_nodes, 1], waiting[open_nodes, 2]
                left_side = node == waiting[open_nodes, 4]
                moves = narrow(j, cut, left_side, low, high, moves, ground, room)
                break


@inner
def narrow(
    j: int, cut: int, below: bool, low: Cells, high: Cells, moves: int, ground: Ground, room: Room
) -> int:
    """Keep one side of a cut, and note what it was before; the number of notes."""
    trail, base = room.trail, ground.cell_start[j]
    trail[moves, 0] = j
    if below:
        trail[moves, 1], trail[moves, 2] = 1, high[j]
        high[j] = room.down[base + cut]
    else:
        trail[moves, 1], trail[moves, 2] = 0, low[j]
        low[j] = room.up[base + cut + 1]
    return moves + 1


@inner
def restore(to: int, moves: int, low: Cells, high: Cells, trail: Cells) -> int:
    """Undo what was noted since; the number of notes left."""
    while moves > to:
        moves -= 1
        if trail[moves, 1] == 1:
            high[trail[moves, 0]] = trail[moves, 2]
        else:
            low[trail[moves, 0]] = trail[moves, 2]
    return moves


@inner
def conflict(leaf: int, low: Cells, high: Cells, ground: Ground) -> int:
    """A condition of a leaf that the cells do not meet; −1 if they meet all."""
    forest = ground.forest
    for c in range(forest.condition_start[leaf], forest.condition_start[leaf + 1]):
        j = forest.condition_input[c]
        if forest.low[c] > high[j] or forest.high[c] < low[j]:
            return c
    return -1


@inner
def exceeds(k: int, need: float, ground: Ground, room: Room) -> bool:
    """Whether the worst leaves of open node k still add up to more than is needed."""
    nodes = ground.forest.nodes
    total: float = -need
    for t in range(ground.trees):
        total += nodes.value[room.stack_leaf[k, t]]
    return total > 0.0


@inner
def lawful(k: int, i: int, asked: Asked, ground: Ground, room: Room) -> bool:
    """Whether open node k may hold a point that keeps every rule and half-space."""
    nodes, A = ground.forest.nodes, ground.A
    for t in range(ground.trees, len(nodes.roots)):
        if nodes.value[room.stack_leaf[k, t]] > 0.0:
            return False
    for r in range(len(A)):
        total, size = -asked.b[i, r], 1.0
        for j in range(A.shape[1]):
            if A[r, j] != 0.0:
                a = least_value(j, i, room.stack_low[k, j], asked, ground)
                b = greatest_value(j, i, room.stack_high[k, j], asked, ground)
                total += min(A[r, j] * a, A[r, j] * b)
                size += abs(A[r, j]) * max(abs(a), abs(b))
        if total > 1e-9 * size:
            return False
    return True


@inner
def least_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """The least value of a box in a cell and those above, at most its true one."""
    if asked.lo[i, j] == asked.hi[i, j] and asked.home[i, j] < 0:
        return float(asked.lo[i, j])
    base = ground.cell_start[j]
    found = max(asked.lo[i, j], ground.first[base + cell])
    if asked.home[i, j] >= cell:
        found = min(found, asked.x[i, j])
    return float(found if np.isfinite(found) else asked.lo[i, j])


@inner
def greatest_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """The greatest value of a box in a cell and those below, at least its true one."""
    if asked.lo[i, j] == asked.hi[i, j] and asked.home[i, j] < 0:
        return float(asked.hi[i, j])
    base = ground.cell_start[j]
    found = min(asked.hi[i, j], ground.last[base + cell])
    if 0 <= asked.home[i, j] <= cell:
        found = max(found, asked.x[i, j])
    return float(found if np.isfinite(found) else asked.hi[i, j])


@inner
def value_in(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """A value of a box that lies in a cell: the advised or the own one where it does."""
    base, codes = ground.cell_start[j], ground.code_start[j + 1] - ground.code_start[j]
    if codes > 0 and asked.special[i, j]:
        for code in range(codes):
            place = ground.code_start[j] + code
            if asked.members[i, place] and ground.code_cell[place] == cell:
                return float(code)
        return float(asked.x[i, j])
    if asked.home[i, j] == cell:
        return float(asked.x[i, j])
    if asked.low[i, j] == asked.high[i, j] and asked.lo[i, j] == asked.hi[i, j]:
        return float(asked.lo[i, j])
    found = max(asked.lo[i, j], ground.first[base + cell])
    if asked.special[i, j] and asked.below[i, j] < found < asked.above[i, j]:
        found = asked.above[i, j]
    return float(found)


@inner
def holds_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> bool:
    """Whether some value of a box lies in a cell of a special input."""
    base, start = ground.cell_start[j], ground.code_start[j]
    if asked.home[i, j] == cell:
        return True
    if ground.code_start[j + 1] > start:
        for place in range(start, ground.code_start[j + 1]):
            if asked.members[i, place] and ground.code_cell[place] == cell:
                return True
        return False
    a, b = (
        max(asked.lo[i, j], ground.first[base + cell]),
        min(asked.hi[i, j], ground.last[base + cell]),
    )
    return a <= b and not (asked.below[i, j] < a and b < asked.above[i, j])


@inner
def set_special(i: int, asked: Asked, ground: Ground, room: Room) -> bool:
    """Fill the tables of next cells where promise i's own values count; False if a box is empty."""
    for j in range(asked.low.shape[1]):
        if not asked.special[i, j]:
            continue
        base, count = ground.cell_start[j], ground.cell_start[j + 1] - ground.cell_start[j]
        following = count
        for cell in range(count - 1, -1, -1):
            if asked.low[i, j] <= cell <= asked.high[i, j] and holds_value(
                j, i, cell, asked, ground
            ):
                following = cell
            room.up[base + cell] = following
        before = -1
        for cell in range(count):
            if room.up[base + cell] == cell:
                before = cell
            room.down[base + cell] = before
        asked.low[i, j] = room.up[base + asked.low[i, j]]
        asked.high[i, j] = room.down[base + asked.high[i, j]]
        if asked.low[i, j] > asked.high[i, j]:
            return False
    return True


@inner
def reset_special(i: int, asked: Asked, ground: Ground, room: Room) -> None:
    """The tables of next cells as they are for everybody."""
    for j in range(asked.low.shape[1]):
        if asked.special[i, j]:
            for place in range(ground.cell_start[j], ground.cell_start[j + 1]):
                room.up[place], room.down[place] = ground.up[place], ground.down[place]
