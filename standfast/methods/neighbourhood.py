"""Every point that differs from advice in one input, judged by many models in one walk."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.person import Levels
from standfast.search.price import Matrix, Vector

Levelled = NDArray[np.int64]


class Nodes(NamedTuple):
    """The trees of all models in cells of the lattice, values divided by the model's divisor.

    Node i sends a point left if its cell of input `feature[i]` is at most `cut[i]`, else to
    `left[i] + 1`; a leaf has left[i] == i. Model m's trees begin at `roots[model_start[m]]`.
    """

    feature: NDArray[np.int16]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    value: Vector
    roots: NDArray[np.int32]
    model_start: NDArray[np.int64]


class Jury(NamedTuple):
    """What a point must pass: model m accepts where its sum exceeds `needs[m]`.

    `row[m]` is the model's line among the weighted sums, or −1 for trees. The first `musts` models
    (the reference's own and the schema's relations) must all accept; the others are counted.
    """

    needs: Vector
    row: NDArray[np.int32]
    laws: int
    musts: int


class Views(NamedTuple):
    """What the models say of every level of every input, all other inputs staying as they are.

    One column per level, input after input, and one after each input's last. `legal`: every must accepts; `yes`: how many of the
    counted models accept; `total` and `squares`: their slacks summed, plainly and squared.
    """

    lawful: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    yes: NDArray[np.int64]
    total: Vector
    squares: Vector


# open branches of one tree on the walk's stack: a tree deeper than this would be one sample a leaf
STACK = 512


@kernel
def look_around(
    nodes: Nodes, jury: Jury, levels: Levels, columns: Levelled, p: Levelled, views: Views
) -> None:
    """Fill the views around the point at levels p; `columns[j]` is input j's first column.

    Each tree is walked once: along p's own path, and into every branch that p would enter by
    changing one input alone, noting for which levels of that input.
    """
    d, size = len(p), columns[-1]
    line = np.empty(size)
    low, high = np.empty(d, np.int64), np.empty(d, np.int64)
    stack = np.empty((STACK, 4), np.int64)
    views.lawful[:] = True
    views.legal[:] = True
    views.yes[:] = 0
    views.total[:] = 0.0
    views.squares[:] = 0.0
    for j in range(d):
        views.lawful[columns[j + 1] - 1] = False
        views.legal[columns[j + 1] - 1] = False  # where jumps end, no level
    for m in range(len(jury.needs)):
        if jury.row[m] >= 0:
            base = along_sum(jury.row[m], levels, columns, p, line) - jury.needs[m]
        else:
            base = -jury.needs[m]
            line[:] = 0.0
            for t in range(nodes.model_start[m], nodes.model_start[m + 1]):
                base += along_tree(
                    nodes.roots[t], nodes, levels, columns, p, line, low, high, stack
                )
        for j in range(d):
            slack = base
            for c in range(columns[j], columns[j] + levels.counts[j]):
                slack = base + line[c] if jury.row[m] >= 0 else slack + line[c]
                if m < jury.musts:
                    if slack <= 0.0:
                        views.legal[c] = False
                        if m < jury.laws:
                            views.lawful[c] = False
                else:
                    if slack > 0.0:
                        views.yes[c] += 1
                    views.total[c] += slack
                    views.squares[c] += slack * slack


@kernel
def along_sum(
    row: int, levels: Levels, columns: Levelled, p: Levelled, line: Vector
) -> float:
    """A weighted sum at p; the line gets what each level would add to it."""
    base = 0.0
    for j in range(len(p)):
        here = levels.contribution[row, j, p[j]]
        base += here
        for k in range(levels.counts[j]):
            line[columns[j] + k] = levels.contribution[row, j, k] - here
    return base


@kernel
def along_tree(
    root: int,
    nodes: Nodes,
    levels: Levels,
    columns: Levelled,
    p: Levelled,
    line: Vector,
    low: Levelled,
    high: Levelled,
    stack: NDArray[np.int64],
) -> float:
    """A tree's value at p; the line gets the jumps in value along every input."""
    top, node = 0, root
    for j in range(len(p)):
        low[j], high[j] = 0, levels.counts[j] - 1
    while nodes.left[node] != node:
        j, cut, left = nodes.feature[node], nodes.cut[node], nodes.left[node]
        right = levels.cell[j, p[j]] > cut
        if levels.counts[j] > 1:
            cell = levels.cell_start[j] + cut
            # levels up to `last` go left
            last = levels.last[cell]
            if right:
                a, b = low[j], min(high[j], last)
                low[j] = max(low[j], last + 1)
            else:
                a, b = max(low[j], last + 1), high[j]
                high[j] = min(high[j], last)
            if a <= b:
                stack[top, 0] = left + (0 if right else 1)
                stack[top, 1], stack[top, 2], stack[top, 3] = j, a, b
                top += 1
        node = left + (1 if right else 0)
    value = nodes.value[node]
    while top > 0:
        top -= 1
        node, own, a, b = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        while nodes.left[node] != node:
            j, cut, left = nodes.feature[node], nodes.cut[node], nodes.left[node]
            if j != own:
                node = left + (1 if levels.cell[j, p[j]] > cut else 0)
                continue
            last = levels.last[levels.cell_start[j] + cut]
            if last >= b:
                node = left
            elif last < a:
                node = left + 1
            else:
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = left + 1, j, last + 1, b
                top += 1
                node, b = left, last
        jump = nodes.value[node] - value
        line[columns[own] + a] += jump
        line[columns[own] + b + 1] -= jump
    return value
