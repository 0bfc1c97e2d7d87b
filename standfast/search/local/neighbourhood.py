"""Every point that differs from a point in one input, judged by many models in one pass."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.search.problem.levels import Levels
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import CUT, INPUT, LEAF, LEFT, Nodes

Numbers = NDArray[np.int64]

ONE = np.uint64(1)
# counted models whose jumps are added up together
LANES = 4
# the least spread of the counted models: those that agree to the last bit count as one
LEAST = 1e-6


class Neighbourhood(NamedTuple):
    """Where to look: one person's trees, and a column for every level of every input.

    `mine` are the trees with cuts in levels, branches out of reach left out. Input j's columns are
    `columns[j]` to `columns[j + 1]`, the last of which stands for no level. Its levels from
    `first` to `last` are looked at, which `low` and `high` span between two calls; in `waiting`
    branches wait to be walked. For a first answer cells take the place of levels.
    """

    mine: Nodes
    columns: Annotated[Numbers, "d+1"]
    first: Annotated[Numbers, "d"]
    last: Annotated[Numbers, "d"]
    low: Annotated[Numbers, "d"]
    high: Annotated[Numbers, "d"]
    waiting: Annotated[Numbers, "branches", 4]


class Judges(NamedTuple):
    """Who judges a point: model m's slack is its sum minus `needs[m]`, times `units[m]`.

    `row[m]` is the model's line among the weighted sums, or −1 for trees. The first `musts` models
    must each have a slack above zero; of those up to `models` only the mean and the spread of their
    slack count; the rest are the schema's relations, which must hold.
    """

    needs: Vector
    units: Vector
    row: NDArray[np.int32]
    musts: int
    models: int


class Judging(NamedTuple):
    """The judges, the person's levels, the neighbourhood, and room to add up."""

    judges: Judges
    levels: Levels
    around: Neighbourhood
    lines: Matrix
    slacks: Vector


class Views(NamedTuple):
    """What the judges say of every level of every input, all other inputs staying as they are.

    One column per level, and one after each input's last, which is never lawful. `lawful`: the
    relations hold; `legal`: the models that must accept do, too; `mean` and `spread`: the mean and
    the standard deviation of the counted models' slack.
    """

    lawful: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    mean: Vector
    spread: Vector


def no_neighbourhood(nodes: Nodes, depth: int, d: int) -> Neighbourhood:
    """Room for anybody's trees, which are at most so deep."""
    mine = Nodes(*map(np.empty_like, nodes))._replace(start=nodes.start)
    sizes = {"d": d, "d+1": d + 1, "branches": 2 * depth + 4}
    return zeros(Neighbourhood, sizes, mine=mine)


@kernel
def fit_to(nodes: Nodes, levels: Levels, around: Neighbourhood) -> None:
    """Copy the trees as one person meets them: cuts in levels, branches out of reach left out.

    A cut becomes the last level that goes left.
    """
    mine, stack, size = around.mine, around.waiting, 0
    for j in range(len(levels.counts)):
        around.columns[j + 1] = around.columns[j] + levels.counts[j] + 1
        span(j, 0, levels.counts[j] - 1, around)
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
                    at = np.int64(nodes.node[at, LEFT])
                elif last < 0:
                    at = np.int64(nodes.node[at, LEFT] + 1)
                else:
                    break
            mine.node[to, INPUT], mine.node[to, CUT] = nodes.node[at, INPUT], last
            mine.node[to, LEFT], mine.value[to] = size, nodes.value[at]
            if nodes.node[at, INPUT] != LEAF:
                left = nodes.node[at, LEFT]
                stack[top, 0], stack[top, 1] = left + 1, size + 1
                stack[top + 1, 0], stack[top + 1, 1] = left, size
                top, size = top + 2, size + 2


@inner
def span(j: int, first: int, last: int, around: Neighbourhood) -> None:
    """Look at these levels of input j."""
    around.first[j], around.last[j] = first, last
    around.low[j], around.high[j] = first, last


@kernel
def look_around(judging: Judging, p: Numbers, views: Views) -> None:
    """Fill the views around the point at levels p.

    Each tree is walked once: along p's own path, and into every branch that p would enter by
    changing one input alone, noting for which levels of that input.
    """
    judges, around = judging.judges, judging.around
    columns, lines, slacks = around.columns, judging.lines, judging.slacks
    d, width, models = len(p), columns[len(p)], judges.models
    for c in range(width):
        views.lawful[c], views.legal[c] = True, True
        views.mean[c], views.spread[c] = 0.0, 0.0
    for j in range(d):
        views.lawful[columns[j + 1] - 1] = False
        views.legal[columns[j + 1] - 1] = False
    for m in range(len(judges.needs)):
        if judges.musts <= m < models:
            continue
        slack = judged_along(m, judging, p, 0)
        for j in range(d):
            here = slack
            for c in range(columns[j], columns[j + 1] - 1):
                here += lines[0, c]
                if here <= 0.0:
                    views.legal[c] = False
                    views.lawful[c] &= m < models
    for first in range(judges.musts, models, LANES):
        for lane in range(LANES):
            slacks[lane] = 0.0
            lines[lane, :width] = 0.0
        for lane in range(min(LANES, models - first)):
            slacks[lane] = judged_along(first + lane, judging, p, lane)
        add_moments(judging, views)
    size = models - judges.musts
    for c in range(width):
        views.mean[c] /= size
        square = views.spread[c] / size - views.mean[c] * views.mean[c]
        views.spread[c] = max(np.sqrt(max(square, 0.0)), LEAST)


@inner
def judged_along(m: int, judging: Judging, p: Numbers, lane: int) -> float:
    """Judge m's slack at p, in its unit; its jumps along every input are the lane's line."""
    judges, jumps = judging.judges, judging.lines[lane]
    jumps[: judging.around.columns[len(p)]] = 0.0
    unit = judges.units[m]
    start = -judges.needs[m] * unit
    return along(m, judges.row[m], unit, start, judging.levels, judging.around, p, jumps)


@inner
def add_moments(judging: Judging, views: Views) -> None:
    """Add the slacks of some judges and their squares, from each one's jumps along every input.

    Four at once: one alone would wait for each of its sums.
    """
    slacks, lines, columns = judging.slacks, judging.lines, judging.around.columns
    for j in range(len(columns) - 1):
        s0, s1, s2, s3 = slacks[0], slacks[1], slacks[2], slacks[3]
        for c in range(columns[j], columns[j + 1] - 1):
            s0 += lines[0, c]
            s1 += lines[1, c]
            s2 += lines[2, c]
            s3 += lines[3, c]
            views.mean[c] += (s0 + s1) + (s2 + s3)
            views.spread[c] += (s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3)


@inner
def along(
    m: int,
    row: int,
    unit: float,
    total: float,
    levels: Levels,
    around: Neighbourhood,
    p: Numbers,
    jumps: Vector,
) -> float:
    """Model m's sum at p in a unit is added to the total, its jumps along every input to `jumps`.

    A jump is what changes from one level to the next, all other inputs staying at p.
    """
    if row >= 0:
        return total + along_sum(row, unit, levels, around.columns, p, jumps)
    for t in range(around.mine.start[m], around.mine.start[m + 1]):
        total += along_tree(t, unit, around, p, jumps)
    return total


@inner
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


@inner
def along_tree(t: int, unit: float, around: Neighbourhood, p: Numbers, jumps: Vector) -> float:
    """A tree's value at p; its jumps along every input are added.

    While p's own path is followed, `low` to `high` are the levels of each input that lead to the
    node at hand.
    """
    node, value, waiting = around.mine.node, around.mine.value, around.waiting
    low, high, columns = around.low, around.high, around.columns
    top, at = 0, np.uint64(around.mine.roots[t])
    while node[at, INPUT] != LEAF:
        # unsigned numbers spare every look-up the test for counting from the end
        j, left = np.uint64(node[at, INPUT]), np.uint64(node[at, LEFT])
        cut = np.int64(node[at, CUT])
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
    here: float = value[at]
    while top > 0:
        top -= 1
        at, own = np.uint64(waiting[top, 0]), np.uint64(waiting[top, 1])
        a, b = waiting[top, 2], waiting[top, 3]
        low[own], high[own] = around.first[own], around.last[own]
        while node[at, INPUT] != LEAF:
            j, left = np.uint64(node[at, INPUT]), np.uint64(node[at, LEFT])
            cut = np.int64(node[at, CUT])
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
        jump = (value[at] - here) * unit
        jumps[columns[own] + a] += jump
        jumps[columns[own] + b + 1] -= jump
    return here * unit
