"""One person's part of the lattice: levels with costs, and the trees as that person meets them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.lattice import NOWHERE, Lattice
from standfast.search.price import Matrix, Vector
from standfast.search.program import Forest


class Levels(NamedTuple):
    """The admissible values of each input for one person, ascending, with their costs.

    Input j has `counts[j]` levels; the person's own value is level `start[j]`, at cost 0. `value`,
    `cost` and `cell` are input × level; `contribution` is weighted sum × input × level. `first` and
    `last` give, at `cell_start[j] + c`, the first level in cell c or above and the last in cell c
    or below.
    """

    counts: NDArray[np.int64]
    start: NDArray[np.int64]
    value: Matrix
    cost: Matrix
    cell: NDArray[np.int32]
    contribution: Matrix
    cell_start: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]


def narrow(most: int) -> type[np.signedinteger[Any]]:
    """The shortest whole numbers that count so far; narrow ones keep more boxes in the cache."""
    return np.int16 if most < np.iinfo(np.int16).max else np.int32


def no_levels(lattice: Lattice, rows: int) -> Levels:
    """Room for anybody's levels."""
    d, widest = len(lattice.domain), lattice.widest
    return Levels(
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros((d, widest)),
        np.zeros((d, widest)),
        np.zeros((d, widest), np.int32),
        np.zeros((rows, d, widest)),
        lattice.cell_start,
        np.zeros(lattice.cell_start[-1], np.int32),
        np.zeros(lattice.cell_start[-1], np.int32),
    )


@kernel
def set_levels(
    levels: Levels,
    x: Vector,
    own_place: Vector,
    own_cell: NDArray[np.int32],
    own_contribution: Matrix,
    starts: NDArray[np.intp],
    values: Vector,
    places: Vector,
    cells: NDArray[np.int32],
    whole_cells: NDArray[np.bool_],
    direction: NDArray[np.int8],
    contributions: Matrix,
    per_change: float,
    squared: bool,
    most: float,
) -> None:
    """A person's levels: of each cell the nearest value, or every candidate where sums read it.

    Moves of more than `most` on the cost's scale are left out.
    """
    rows = len(own_contribution)
    for j in range(len(x)):
        k, placed = 0, False
        for c in range(starts[j], starts[j + 1] + 1):
            end = c == starts[j + 1]
            if not placed and (end or values[c] >= x[j]):
                levels.start[j], placed = k, True
                levels.value[j, k], levels.cell[j, k], levels.cost[j, k] = x[j], own_cell[j], 0.0
                for r in range(rows):
                    levels.contribution[r, j, k] = own_contribution[r, j]
                k += 1
            if end or values[c] == x[j] or direction[j] == NOWHERE:
                continue
            above = values[c] > x[j]
            if (above and direction[j] < 0) or (not above and direction[j] > 0):
                continue
            shift = abs(places[c] - own_place[j])
            if shift > most:
                continue
            if whole_cells[j]:
                if cells[c] == own_cell[j]:
                    continue
                if above and cells[c] == cells[c - 1] and c > starts[j] and values[c - 1] > x[j]:
                    continue  # the cell's nearest value is there already
                nearer = not above and c + 1 < starts[j + 1] and values[c + 1] < x[j]
                if nearer and cells[c + 1] == cells[c]:
                    continue  # the cell's nearest value is still to come
            levels.value[j, k], levels.cell[j, k] = values[c], cells[c]
            levels.cost[j, k] = (shift * shift if squared else shift) + per_change
            for r in range(rows):
                levels.contribution[r, j, k] = contributions[r, c]
            k += 1
        levels.counts[j] = k
        find_cells(j, levels)


@kernel
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


# a condition's numbers lie side by side: input, lowest and highest level, and one unused, so that
# a leaf's conditions fill few lines of the cache
INPUT, LOW, HIGH = 0, 1, 2


class Leaves(NamedTuple):
    """The leaves a person can reach, for the trees of the models taken up so far, best first.

    Like `Forest`, but in levels, without leaves out of reach and without conditions that always
    hold. `model_tree[m]` is model m's first tree, or −1 before it is taken up; `place[i]` is the
    leaf that node i of the forest has become; `asks[l]` has the bits of the inputs in leaf l's
    conditions.
    """

    sizes: NDArray[np.int32]  # trees, leaves, conditions so far
    model_tree: NDArray[np.int32]
    start: NDArray[np.int32]
    value: Vector
    condition_start: NDArray[np.int32]
    condition: NDArray[np.signedinteger[Any]]
    place: NDArray[np.int32]
    asks: NDArray[np.uint64]


def no_leaves(lattice: Lattice, forest: Forest, models: int) -> Leaves:
    """Room for every model's leaves, none of them taken up yet."""
    levels = narrow(lattice.widest)
    trees, leaves = len(forest.roots), len(forest.leaf_value)
    conditions = len(forest.condition_input)
    return Leaves(
        np.zeros(3, np.int32),
        np.full(models, -1, np.int32),
        np.zeros(trees + 1, np.int32),
        np.empty(leaves),
        np.zeros(leaves + 1, np.int32),
        np.empty((conditions, 4), levels),
        np.empty(len(forest.left), np.int32),
        np.empty(leaves, np.uint64),
    )


@kernel
def bit_of(j: int) -> np.uint64:
    """The bit that stands for input j; inputs 64 apart share one, which costs time, not truth."""
    return np.uint64(1) << np.uint64(j % 64)


@kernel
def take_up(m: int, forest: Forest, levels: Levels, leaves: Leaves) -> None:
    """Add model m's trees: each leaf's cells become levels, or the leaf is out of reach."""
    trees, n, size = leaves.sizes[0], leaves.sizes[1], leaves.sizes[2]
    leaves.model_tree[m] = trees
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        for leaf in range(forest.leaf_start[t], forest.leaf_start[t + 1]):
            end, reached, asks = size, True, np.uint64(0)
            for c in range(forest.condition_start[leaf], forest.condition_start[leaf + 1]):
                j = forest.condition_input[c]
                a = levels.first[levels.cell_start[j] + forest.low[c]]
                b = levels.last[levels.cell_start[j] + forest.high[c]]
                if a > b:
                    reached = False
                    break
                if a > 0 or b < levels.counts[j] - 1:
                    leaves.condition[end, INPUT] = j
                    leaves.condition[end, LOW], leaves.condition[end, HIGH] = a, b
                    asks |= bit_of(j)
                    end += 1
            if reached:
                leaves.asks[n] = asks
                leaves.value[n] = forest.leaf_value[leaf]
                leaves.place[forest.leaf_node[leaf]] = n
                size = end
                n += 1
                leaves.condition_start[n] = size
        trees += 1
        leaves.start[trees] = n
    leaves.sizes[0], leaves.sizes[1], leaves.sizes[2] = trees, n, size
