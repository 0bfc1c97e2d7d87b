"""The compiled walk through an ensemble's trees: many rows per tree, or many trees per row."""

import numpy as np

from standfast.compilation import inner, kernel
from standfast.scores.score import Bools, Matrix, Vector
from standfast.scores.tree_ensemble import Indices, Nodes

# Rows that walk a tree in step: enough to keep the processor busy while loads are under way, few
# enough for the rows and one tree of depth 8 to stay in the innermost cache together.
ROWS = 256
# Trees that one row walks in step, for the same reason.
TREES = 64
# Levels walked before asking whether all have arrived at a leaf; only deep trees are asked.
LEVELS = 8
# Up to this many rows each walks many trees in step; from there on many rows walk each tree.
FEW = 8


@inner
def is_gap(value: float) -> bool:
    """Whether a value is missing: minus infinity, or not a number."""
    return not value > -np.inf


@kernel
def _walk_rows(x: Vector, first: int, width: int, nodes: Nodes, at: Indices, levels: int) -> None:
    """Moves every row of a block down one tree by some levels: child = left + [x > split]."""
    split, left, feature = nodes.split, nodes.left, nodes.feature
    for _ in range(levels):
        for i in range(at.size):
            a = at[i]
            j = np.uint64((first + i) * width) + np.uint64(feature[a])
            at[i] = left[a] + np.uint32(x[j] > split[a])


@kernel
def _walk_rows_with_holes(
    x: Vector, first: int, width: int, nodes: Nodes, at: Indices, levels: int
) -> None:
    """The same where some values are missing: they go where the library sends them."""
    split, left, feature, missing_left = nodes.split, nodes.left, nodes.feature, nodes.missing_left
    for _ in range(levels):
        for i in range(at.size):
            a = at[i]
            v = x[np.uint64((first + i) * width) + np.uint64(feature[a])]
            at[i] = left[a] + np.uint32((v > split[a]) | (is_gap(v) & (not missing_left[a])))


@kernel
def _walk_trees(x: Vector, row: int, nodes: Nodes, at: Indices, levels: int, holes: bool) -> None:
    """Moves one row down many trees at once by some levels."""
    split, left, feature, missing_left = nodes.split, nodes.left, nodes.feature, nodes.missing_left
    start = np.uint64(row)
    for _ in range(levels):
        if holes:
            for t in range(at.size):
                a = at[t]
                v = x[start + np.uint64(feature[a])]
                at[t] = left[a] + np.uint32((v > split[a]) | (is_gap(v) & (not missing_left[a])))
        else:
            for t in range(at.size):
                a = at[t]
                at[t] = left[a] + np.uint32(x[start + np.uint64(feature[a])] > split[a])


@kernel
def _arrived(left: Indices, at: Indices) -> bool:
    """Whether all are at a leaf: a leaf's left child is the leaf itself."""
    moving = 0
    for i in range(at.size):
        moving += left[at[i]] != at[i]
    return moving == 0


@kernel
def _any_missing(x: Vector, first: int, last: int) -> bool:
    count = 0
    for i in range(first, last):
        count += is_gap(x[i])
    return count > 0


@kernel
def sum_of_leaves(
    X: Matrix, nodes: Nodes, roots: Indices, depths: Indices, offset: float, single: bool
) -> Vector:
    """The offset plus the value of the leaf each row reaches in each tree, added tree by tree.

    The order of addition is the trees' order for every row, whatever its company. With `single`
    every partial sum is rounded to 32 bits, which is exactly what adding in 32 bits gives.
    """
    n, width = X.shape
    x = X.ravel()
    left, value, trees = nodes.left, nodes.value, roots.size
    out = np.full(n, offset)
    if n <= FEW:
        at = np.empty(TREES, np.uint32)
        for i in range(n):
            holes = _any_missing(x, i * width, (i + 1) * width)
            total = offset
            for start in range(0, trees, TREES):
                stop = min(trees, start + TREES)
                here = at[: stop - start]
                depth = 0
                for t in range(start, stop):
                    here[t - start] = roots[t]
                    depth = max(depth, depths[t])
                while depth > 0:
                    levels = min(depth, LEVELS)
                    _walk_trees(x, i * width, nodes, here, levels, holes)
                    depth -= levels
                    if depth > 0 and _arrived(left, here):
                        break
                for t in range(here.size):
                    total += value[here[t]]
                    if single:
                        total = np.float64(np.float32(total))
            out[i] = total
        return out
    at = np.empty(ROWS, np.uint32)
    for first in range(0, n, ROWS):
        last = min(n, first + ROWS)
        here = at[: last - first]
        sums = out[first:last]
        holes = _any_missing(x, first * width, last * width)
        for t in range(trees):
            here[:] = roots[t]
            depth = depths[t]
            while depth > 0:
                levels = min(depth, LEVELS)
                if holes:
                    _walk_rows_with_holes(x, first, width, nodes, here, levels)
                else:
                    _walk_rows(x, first, width, nodes, here, levels)
                depth -= levels
                if depth > 0 and _arrived(left, here):
                    break
            if single:
                for i in range(here.size):
                    sums[i] = np.float64(np.float32(sums[i] + value[here[i]]))
            else:
                for i in range(here.size):
                    sums[i] += value[here[i]]
    return out


@kernel
def sums_of_leaves(
    X: Matrix,
    nodes: Nodes,
    roots: Indices,
    depths: Indices,
    start: Indices,
    offsets: Vector,
    single: Bools,
) -> Matrix:
    """The sums of several ensembles, one line each; those of ensemble m begin at `start[m]`."""
    out = np.empty((offsets.size, len(X)))
    for m in range(offsets.size):
        a, b = start[m], start[m + 1]
        out[m] = sum_of_leaves(X, nodes, roots[a:b], depths[a:b], offsets[m], single[m])
    return out
