"""Whether trees exceed a number all over a box: by their worst leaves, and else by branching."""

import numpy as np

from standfast.compilation import inner
from standfast.schema.relation import ABSOLUTE, RELATIVE
from standfast.search.problem.trees import CUT, INPUT, LEFT
from standfast.search.region.ground import Asked, Cells, Ground, Room
from standfast.search.region.own_values import greatest_value, least_value


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
        total, size = -asked.b[i, r], 0.0
        for j in range(A.shape[1]):
            if A[r, j] != 0.0:
                a = least_value(j, i, room.stack_low[k, j], asked, ground)
                b = greatest_value(j, i, room.stack_high[k, j], asked, ground)
                total += min(A[r, j] * a, A[r, j] * b)
                size += abs(A[r, j]) * max(abs(a), abs(b))
        if total > ABSOLUTE + RELATIVE * size:
            return False
    return True
