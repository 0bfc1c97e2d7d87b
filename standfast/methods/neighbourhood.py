"""Every point that differs from advice in one input, judged by many models in one walk."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.person import Levels
from standfast.search.price import Matrix, Vector

Numbers = NDArray[np.int64]

# what a node says: the input it asks about (or LEAF), its cut, and its left child, beside the right
INPUT, CUT, LEFT, LEAF = 0, 1, 2, -1
# branches of one tree waiting to be walked: no more than two for each split of the deepest path
WAITING, DEEPEST = 1024, 500
ONE = np.uint64(1)
# judges of the crowd whose jumps are added up together
LANES = 4
# the least spread of the crowd: models that agree to the last bit are not told apart
LEAST = 1e-6


class Nodes(NamedTuple):
    """Trees, one after another: in cells of the lattice for everybody, in levels for one person.

    Row i of `node` sends a point left if its cell, or level, of an input is at most the cut, else
    to the right, `node[i, LEFT] + 1`; a leaf gives `value[i]`. Judge m's trees begin at
    `roots[start[m]]` and end before `roots[start[m + 1]]`.
    """

    node: NDArray[np.int32]
    value: Vector
    roots: NDArray[np.int32]
    start: Numbers


class Jury(NamedTuple):
    """Who judges a point: judge m's slack is its sum minus `needs[m]`, times `units[m]`.

    `row[m]` is the judge's line among the weighted sums, or −1 for trees. The first `laws` judges
    are the schema's relations, those up to `musts` the reference's models: each of these must have
    a slack above zero. Of the others, the crowd, only the slack's mean and spread count.
    """

    needs: Vector
    units: Vector
    row: NDArray[np.int32]
    laws: int
    musts: int


class Views(NamedTuple):
    """What the judges say of every level of every input, all other inputs staying as they are.

    One column per level, input after input, and one after each input's last, which is never lawful.
    `lawful`: the relations hold; `legal`: the reference accepts too; `mean` and `spread`: the mean
    and the standard deviation of the crowd's slack.
    """

    lawful: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    mean: Vector
    spread: Vector


@kernel
def fit_to(nodes: Nodes, levels: Levels, mine: Nodes) -> None:
    """Copy the trees as one person meets them: cuts in levels, branches out of reach left out.

    A cut becomes the last level that goes left.
    """
    size = 0
    stack = np.empty((WAITING, 2), np.int64)
    for t in range(len(nodes.roots)):
        mine.roots[t] = size
        stack[0, 0], stack[0, 1] = nodes.roots[t], size
        top, size = 1, size + 1
        while top > 0:
            top -= 1
            at, to, last = stack[top, 0], stack[top, 1], np.int32(0)
            while nodes.node[at, INPUT] != LEAF:
                j = nodes.node[at, INPUT]
                last = levels.last[levels.cell_start[j] + nodes.node[at, CUT]]
                if last >= levels.counts[j] - 1:
                    at = nodes.node[at, LEFT]
                elif last < 0:
                    at = nodes.node[at, LEFT] + 1
                else:
                    break
            mine.node[to, INPUT], mine.node[to, CUT] = nodes.node[at, INPUT], last
            mine.node[to, LEFT], mine.value[to] = size, nodes.value[at]
            if nodes.node[at, INPUT] != LEAF:
                left = nodes.node[at, LEFT]
                stack[top, 0], stack[top, 1] = left + 1, size + 1
                stack[top + 1, 0], stack[top + 1, 1] = left, size
                top, size = top + 2, size + 2


@kernel
def look_around(
    mine: Nodes, jury: Jury, levels: Levels, columns: Numbers, p: Numbers, views: Views
) -> None:
    """Fill the views around the point at levels p; `columns[j]` is input j's first column.

    Each tree is walked once: along p's own path, and into every branch that p would enter by
    changing one input alone, noting for which levels of that input.
    """
    d, judges, width = len(p), len(jury.needs), columns[-1]
    lines, slacks = np.zeros((LANES, width)), np.zeros(LANES)
    low, high = np.zeros(d, np.int64), levels.counts - 1
    waiting = np.empty((WAITING, 4), np.int64)
    views.lawful[:], views.legal[:] = True, True
    views.mean[:], views.spread[:] = 0.0, 0.0
    for j in range(d):
        views.lawful[columns[j + 1] - 1] = False
        views.legal[columns[j + 1] - 1] = False
    for m in range(jury.musts):
        slack = along(m, mine, jury, levels, columns, p, lines[0], low, high, waiting)
        for j in range(d):
            here = slack
            for c in range(columns[j], columns[j + 1] - 1):
                here += lines[0, c]
                if here <= 0.0:
                    views.legal[c] = False
                    views.lawful[c] &= m >= jury.laws
        lines[0] = 0.0
    for first in range(jury.musts, judges, LANES):
        slacks[:] = 0.0
        for lane in range(min(LANES, judges - first)):
            slacks[lane] = along(
                first + lane, mine, jury, levels, columns, p, lines[lane], low, high, waiting
            )
        add_moments(slacks, lines, columns, views)
        lines[:] = 0.0
    size = judges - jury.musts
    for c in range(width):
        views.mean[c] /= size
        square = views.spread[c] / size - views.mean[c] * views.mean[c]
        views.spread[c] = max(np.sqrt(max(square, 0.0)), LEAST)


@kernel
def add_moments(slacks: Vector, lines: Matrix, columns: Numbers, views: Views) -> None:
    """Add the slacks of some judges and their squares, from each one's jumps along every input.

    Four at once: one alone would wait for each of its sums.
    """
    for j in range(len(columns) - 1):
        s0, s1, s2, s3 = slacks[0], slacks[1], slacks[2], slacks[3]
        for c in range(columns[j], columns[j + 1] - 1):
            s0 += lines[0, c]
            s1 += lines[1, c]
            s2 += lines[2, c]
            s3 += lines[3, c]
            views.mean[c] += (s0 + s1) + (s2 + s3)
            views.spread[c] += (s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3)


@kernel
def along(
    m: int,
    mine: Nodes,
    jury: Jury,
    levels: Levels,
    columns: Numbers,
    p: Numbers,
    jumps: Vector,
    low: Numbers,
    high: Numbers,
    waiting: Numbers,
) -> float:
    """Judge m's slack at p; its jumps from level to level along every input are added."""
    unit: float = jury.units[m]
    slack = -jury.needs[m] * unit
    if jury.row[m] >= 0:
        slack += along_sum(jury.row[m], unit, levels, columns, p, jumps)
    for t in range(mine.start[m], mine.start[m + 1]):
        slack += along_tree(
            mine.roots[t], unit, mine, levels, columns, p, jumps, low, high, waiting
        )
    return float(slack)


@kernel
def along_sum(
    row: int, unit: float, levels: Levels, columns: Numbers, p: Numbers, jumps: Vector
) -> float:
    """A weighted sum at p; the jumps from level to level along every input are added."""
    total = 0.0
    for j in range(len(p)):
        adds, before = levels.contribution[row, j], levels.contribution[row, j, p[j]]
        total += before
        for k in range(levels.counts[j]):
            jumps[columns[j] + k] += (adds[k] - before) * unit
            before = adds[k]
        last = adds[levels.counts[j] - 1] - adds[p[j]]
        jumps[columns[j] + levels.counts[j]] -= last * unit
    return total * unit


@kernel
def along_tree(
    root: int,
    unit: float,
    mine: Nodes,
    levels: Levels,
    columns: Numbers,
    p: Numbers,
    jumps: Vector,
    low: Numbers,
    high: Numbers,
    waiting: Numbers,
) -> float:
    """A tree's value at p; its jumps along every input are added.

    `low` to `high` are the levels of each input that lead to the node at hand on p's path: all of
    them between two calls.
    """
    top, at = 0, np.uint64(root)
    while mine.node[at, INPUT] != LEAF:
        # unsigned numbers spare every look-up the test for counting from the end
        j, left = np.uint64(mine.node[at, INPUT]), np.uint64(mine.node[at, LEFT])
        cut = np.int64(mine.node[at, CUT])
        if p[j] > cut:
            a, b, other, at = low[j], min(high[j], cut), left, left + ONE
            low[j] = max(low[j], cut + 1)
        else:
            a, b, other, at = max(low[j], cut + 1), high[j], left + ONE, left
            high[j] = min(high[j], cut)
        if a <= b:
            waiting[top, 0], waiting[top, 1] = other, j
            waiting[top, 2], waiting[top, 3] = a, b
            top += 1
    value: float = mine.value[at]
    while top > 0:
        top -= 1
        at, own = np.uint64(waiting[top, 0]), np.uint64(waiting[top, 1])
        a, b = waiting[top, 2], waiting[top, 3]
        low[own], high[own] = 0, levels.counts[own] - 1
        while mine.node[at, INPUT] != LEAF:
            j, left = np.uint64(mine.node[at, INPUT]), np.uint64(mine.node[at, LEFT])
            cut = np.int64(mine.node[at, CUT])
            if j != own:
                at = left + np.uint64(p[j] > cut)
            elif cut >= b:
                at = left
            elif cut < a:
                at = left + ONE
            else:
                waiting[top, 0], waiting[top, 1] = left + ONE, own
                waiting[top, 2], waiting[top, 3] = cut + 1, b
                top += 1
                at, b = left, cut
        jump = (mine.value[at] - value) * unit
        jumps[columns[own] + a] += jump
        jumps[columns[own] + b + 1] -= jump
    return value * unit
