"""One person's part of the lattice: levels with costs, and the trees as that person meets them."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.search.problem.contributions import REFUSED
from standfast.search.problem.lattice import Lattice, Own, Ranges
from standfast.search.problem.price import CHANGE, Matrix, Vector
from standfast.search.problem.program import Adds
from standfast.search.problem.trees import CUT, LEAF, LEFT, Forest
from standfast.search.problem.trees import INPUT as ASKED

# the own value in `Own`, and its neighbours
OWN, BELOW, ABOVE = 0, 1, 2
SIDES = BELOW, OWN, ABOVE


class Levels(NamedTuple):
    """The admissible values of each input for one person in ascending levels, with their costs.

    A level is a range of values in one cell, from `value`, the one nearest to the person, to `far`;
    most are one value. Input j has `counts[j]` levels; the person's own value is level `start[j]`,
    at cost 0. `cost` is that of `value`; `contribution`, sum × input × level, is what `value` adds
    to a weighted sum, and `most` the most that any value of the level adds. `wide` marks levels
    that sums may tell apart within: the search refines them where it matters. At
    `cell_start[j] + c` stand the `first` level in cell c or above and the `last` in it or below.
    """

    counts: Annotated[NDArray[np.int64], "d"]
    start: Annotated[NDArray[np.int64], "d"]
    value: Annotated[Matrix, "d", "widest"]
    far: Annotated[Matrix, "d", "widest"]
    cost: Annotated[Matrix, "d", "widest"]
    cell: Annotated[NDArray[np.int32], "d", "widest"]
    contribution: Annotated[Matrix, "sums", "d", "widest"]
    most: Annotated[Matrix, "sums", "d", "widest"]
    wide: Annotated[NDArray[np.bool_], "d", "widest"]
    cell_start: NDArray[np.int32]
    first: Annotated[NDArray[np.int32], "cells"]
    last: Annotated[NDArray[np.int32], "cells"]


class Offers(NamedTuple):
    """The lattice's ranges, and what they add to the weighted sums."""

    ranges: Ranges
    adds: Adds


class Costing(NamedTuple):
    """What a move costs besides its shift: a price per change, whether shifts are squared.

    Moves of more than `most` on the cost's scale are left out.
    """

    per_change: float
    squared: bool
    most: float

    @classmethod
    def of(cls, lattice: Lattice, most: float = np.inf, more: float = 0.0) -> "Costing":
        """What moves on a lattice cost, and `more` for every change; none costs over `most`."""
        price = lattice.price
        per_change = (price.per_change + more) / lattice.scale + CHANGE
        return cls(per_change, price.squared, most)


def narrow(most: int) -> type[np.signedinteger[Any]]:
    """The shortest whole numbers that count so far; narrow ones keep more boxes in the cache."""
    return np.int16 if most < np.iinfo(np.int16).max else np.int32


def no_levels(lattice: Lattice, rows: int) -> Levels:
    """Room for anybody's levels, and for some more where ranges may be refined."""
    cells, widest = lattice.ranges.cell_start, lattice.widest * (2 if lattice.wide else 1)
    sizes = {"d": len(lattice.domain), "widest": widest, "sums": rows, "cells": int(cells[-1])}
    return zeros(Levels, sizes, cell_start=cells)


@kernel
def set_levels(levels: Levels, i: int, own: Own, offers: Offers, costing: Costing) -> None:
    """Person i's levels: the ranges with their nearest values, and the person's own value.

    Where sums read the input, the range that holds the own value is cut in two around it; where
    only trees do, the own value stands for its whole cell. All in one piece: handing these tables
    on, range by range, would take longer than the work itself.
    """
    rows, ranges, adds = len(levels.contribution), offers.ranges, offers.adds
    for j in range(len(levels.counts)):
        x, summed, k, placed = own.value[i, OWN, j], ranges.summed[j], 0, False
        for c in range(ranges.starts[j], ranges.starts[j + 1] + 1):
            end = c == ranges.starts[j + 1]
            here = not placed and (end or ranges.last[c] >= x)
            inside = here and not end and ranges.first[c] <= x
            # beside the own value's range there is one side only
            for n in range(0 if here or not placed else 2, 3 if here or placed else 1):
                side = SIDES[n]
                above = side == ABOVE
                if side == OWN:
                    if here:
                        levels.start[j], placed = k, True
                        levels.value[j, k], levels.far[j, k], levels.cost[j, k] = x, x, 0.0
                        levels.cell[j, k], levels.wide[j, k] = own.cell[i, j], False
                        for r in range(rows):
                            levels.contribution[r, j, k] = own.adds[i, OWN, r, j]
                            levels.most[r, j, k] = own.adds[i, OWN, r, j]
                        k += 1
                    continue
                if end or placed != above or (not above and here and not inside):
                    continue
                if not summed and ranges.cell[c] == own.cell[i, j]:
                    continue
                place, near, far = ranges.place_last[c], ranges.last[c], ranges.first[c]
                cut = near > own.value[i, BELOW, j]
                if above:
                    place, near, far = ranges.place_first[c], ranges.first[c], ranges.last[c]
                    cut = near < own.value[i, ABOVE, j]
                if cut:
                    place, near = own.place[i, side, j], own.value[i, side, j]
                far = min(max(far, own.low[i, j]), own.high[i, j])
                if (near > far) if above else (near < far):
                    continue
                shift = abs(place - own.place[i, OWN, j])
                if not np.isnan(own.flat[i, j]):
                    shift = own.flat[i, j]
                if shift > costing.most:
                    continue
                levels.value[j, k], levels.far[j, k] = near, far
                levels.cell[j, k], levels.wide[j, k] = ranges.cell[c], summed and near != far
                levels.cost[j, k] = shift * shift if costing.squared else shift
                levels.cost[j, k] += costing.per_change
                for r in range(rows):
                    at = adds.first[r, c] if above else adds.last[r, c]
                    there = adds.last[r, c] if above else adds.first[r, c]
                    most = adds.most[r, c]
                    if cut:
                        at = own.adds[i, side, r, j]
                        if adds.monotone[r, j] and min(at, there) > 0.5 * REFUSED:
                            most = max(at, there)
                    levels.contribution[r, j, k] = at
                    levels.most[r, j, k] = at if near == far else most
                k += 1
        levels.counts[j] = k
        find_cells(j, levels)


@inner
def copy_level(j: int, k: int, to: int, levels: Levels) -> None:
    """What is known of input j's level k stands at another place, too."""
    levels.value[j, to], levels.far[j, to] = levels.value[j, k], levels.far[j, k]
    levels.cost[j, to], levels.cell[j, to] = levels.cost[j, k], levels.cell[j, k]
    levels.wide[j, to] = levels.wide[j, k]
    for r in range(len(levels.contribution)):
        levels.contribution[r, j, to] = levels.contribution[r, j, k]
        levels.most[r, j, to] = levels.most[r, j, k]


@inner
def find_cells(j: int, levels: Levels) -> None:
    """Fill the tables from input j's cells to its levels."""
    k, base = 0, levels.cell_start[j]
    for c in range(levels.cell_start[j + 1] - base):
        while k < levels.counts[j] and levels.cell[j, k] < c:
            k += 1
        after = k
        while after < levels.counts[j] and levels.cell[j, after] <= c:
            after += 1
        levels.first[base + c], levels.last[base + c] = k, after - 1


# a condition's numbers lie side by side: input, lowest and highest level, and whether some level
# between these is left out, so that a leaf's conditions fill few lines of the cache
INPUT, LOW, HIGH, HOLES = 0, 1, 2, 3


class Leaves(NamedTuple):
    """The leaves a person can reach, for the trees of the models taken up so far, best first.

    Like `Forest`, but in levels, without leaves out of reach and without conditions that always
    hold. `model_tree[m]` is model m's first tree, or −1 before it is taken up; `place[l]` is what
    leaf l of the forest has become; `asks[l]` has the bits of the inputs in leaf l's conditions.
    Where a condition has holes, its `members` have the bits of its levels. While trees are taken
    up, leaves that may be within reach are `marked`, and branches wait to be walked (`waiting`).
    """

    sizes: Annotated[NDArray[np.int32], 3]  # trees, leaves, conditions so far
    model_tree: NDArray[np.int32]
    start: Annotated[NDArray[np.int32], "trees+1"]
    value: Annotated[Vector, "leaves"]
    condition_start: Annotated[NDArray[np.int32], "leaves+1"]
    condition: NDArray[np.signedinteger[Any]]
    members: Annotated[NDArray[np.uint64], "conditions"]
    place: Annotated[NDArray[np.int32], "leaves"]
    asks: Annotated[NDArray[np.uint64], "leaves"]
    marked: Annotated[NDArray[np.bool_], "leaves"]
    waiting: Annotated[NDArray[np.int64], "branches"]


def no_leaves(lattice: Lattice, forest: Forest, models: int) -> Leaves:
    """Room for every model's leaves, none of them taken up yet."""
    leaves, conditions = len(forest.leaf_value), len(forest.condition_input)
    nodes = np.diff(np.append(forest.nodes.roots, len(forest.nodes.value)))
    sizes = {"leaves": leaves, "leaves+1": leaves + 1, "conditions": conditions}
    sizes |= {"trees+1": len(forest.nodes.roots) + 1, "branches": int(nodes.max(initial=0)) + 1}
    condition = np.zeros((conditions, 4), narrow(lattice.widest))
    model_tree = np.full(models, -1, np.int32)
    return zeros(Leaves, sizes, condition=condition, model_tree=model_tree)


@inner
def bit_of(j: int) -> np.uint64:
    """The bit that stands for input j; inputs 64 apart share one, which costs time, not truth."""
    return np.uint64(1) << np.uint64(j % 64)


@inner
def bits(a: int, b: int) -> np.uint64:
    """The bits from a to b."""
    return (np.uint64(2) << np.uint64(b)) - (np.uint64(1) << np.uint64(a))


@inner
def has(members: np.uint64, level: int) -> bool:
    """Whether a level is one of some."""
    there: bool = (members >> np.uint64(level)) & np.uint64(1) != np.uint64(0)
    return there


@inner
def levels_of(cells: np.uint64, j: int, levels: Levels) -> tuple[int, int, np.uint64]:
    """The lowest and the highest of input j's levels in a set of cells, and the bits of all."""
    low, high, members, base = levels.counts[j], -1, np.uint64(0), levels.cell_start[j]
    for c in range(levels.cell_start[j + 1] - base):
        a, b = levels.first[base + c], levels.last[base + c]
        if has(cells, c) and a <= b:
            low, high, members = min(low, a), max(high, b), members | bits(a, b)
    return low, high, members


@inner
def take_up(m: int, forest: Forest, levels: Levels, leaves: Leaves) -> None:
    """Add model m's trees: each leaf's cells become levels, or the leaf is out of reach."""
    trees, n, size = leaves.sizes[0], leaves.sizes[1], leaves.sizes[2]
    leaves.model_tree[m] = trees
    for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
        mark_leaves(t, forest, levels, leaves)
        for leaf in range(forest.leaf_start[t], forest.leaf_start[t + 1]):
            if not leaves.marked[leaf]:
                continue
            leaves.marked[leaf] = False
            end, reached, asks = size, True, np.uint64(0)
            for c in range(forest.condition_start[leaf], forest.condition_start[leaf + 1]):
                j: int = np.int64(forest.condition_input[c])  # type: ignore[assignment]
                a = levels.first[levels.cell_start[j] + forest.low[c]]
                b = levels.last[levels.cell_start[j] + forest.high[c]]
                holes = False
                if forest.cells[c]:
                    a, b, leaves.members[end] = levels_of(forest.cells[c], j, levels)
                    holes = a <= b and leaves.members[end] != bits(a, b)
                if a > b:
                    reached = False
                    break
                if holes or a > 0 or b < levels.counts[j] - 1:
                    leaves.condition[end, INPUT], leaves.condition[end, HOLES] = j, holes
                    leaves.condition[end, LOW], leaves.condition[end, HIGH] = a, b
                    asks |= bit_of(j)
                    end += 1
            if reached:
                leaves.asks[n] = asks
                leaves.value[n] = forest.leaf_value[leaf]
                leaves.place[leaf] = n
                size = end
                n += 1
                leaves.condition_start[n] = size
        trees += 1
        leaves.start[trees] = n
    leaves.sizes[0], leaves.sizes[1], leaves.sizes[2] = trees, n, size


@inner
def mark_leaves(t: int, forest: Forest, levels: Levels, leaves: Leaves) -> None:
    """Mark the leaves of a tree to which no single split bars the way.

    Mostly few: what costs more than the first answer is not among the levels.
    """
    node, waiting = forest.nodes.node, leaves.waiting
    waiting[0], top = forest.nodes.roots[t], 1
    while top > 0:
        top -= 1
        at = waiting[top]
        while node[at, ASKED] != LEAF:
            j = node[at, ASKED]
            last, left = levels.last[levels.cell_start[j] + node[at, CUT]], node[at, LEFT]
            if last < 0:
                at = np.int64(left + 1)
                continue
            if last < levels.counts[j] - 1:
                waiting[top] = left + 1
                top += 1
            at = np.int64(left)
        leaf = forest.leaf_of[at]
        if leaf >= 0:  # else its splits contradict each other
            leaves.marked[leaf] = True
