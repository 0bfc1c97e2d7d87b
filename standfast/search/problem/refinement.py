"""Cutting one level of one person into narrower ones, where a search found that it matters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.schema.grid import Grid
from standfast.search.problem.contributions import (
    Sum,
    added_by,
    first_above,
    is_monotone,
    most_over,
)
from standfast.search.problem.price import Vector
from standfast.search.problem.program import Program

# a level with at most so many values falls apart into single ones, any other into so many parts by
# number, and as many by shares of the reference table
FEW, PARTS = 64, 16


@dataclass(frozen=True)
class Parts:
    """The narrower levels in ascending order: nearest and farthest value, and what they add.

    `contribution` and `most` are sum × part.
    """

    value: Vector
    far: Vector
    contribution: NDArray[np.float64]
    most: NDArray[np.float64]


def parts_of(program: Program, j: int, near: float, far: float, row: int, lacks: float) -> Parts:
    """The level from `near`, its value nearest to the person, to `far`, in parts.

    One part begins where sum `row` would gain what it lacks: there the search goes on. Where the
    whole level costs the same, that one cut is enough: under an equality every value of one input
    asks for a value of another, and more parts would soon be too many.
    """
    grid = program.lattice.grids[j]
    a, b = (int(key) for key in grid.keys([near, far]))
    way, count = (1 if b >= a else -1), abs(b - a) + 1
    mends = _mending(program.sums[row], j, grid, (a, b), lacks)
    if mends and np.ptp(program.lattice.place(j, np.array([near, far]))) == 0.0:
        starts = np.array([0, mends], dtype=np.int64)
    elif count <= FEW:
        starts = np.arange(count, dtype=np.int64)
    else:
        even = [count * n // PARTS for n in range(PARTS)]
        shares = _by_shares(program, j, a, b)
        starts = np.unique(np.array([*even, *shares, mends or 0], dtype=np.int64))
    ends = np.append(starts[1:] - 1, count - 1)
    value, last = grid.values(a + way * starts), grid.values(a + way * ends)
    if way < 0:
        value, last = value[::-1], last[::-1]
    low, high = np.minimum(value, last), np.maximum(value, last)
    contribution = [added_by(model, j)(value) for model in program.sums]
    most = [most_over(model, j, grid, low, high) for model in program.sums]
    return Parts(value, last, np.array(contribution), np.array(most))


def _mending(model: Sum, j: int, grid: Grid, keys: tuple[int, int], lacks: float) -> int | None:
    """How far from the first key a monotone sum has gained what it lacks; None if it never does."""
    if not is_monotone(model, j):
        return None
    added = added_by(model, j)
    wanted = float(added(grid.values([keys[0]]))[0]) + lacks
    mends = first_above(added, grid, keys, wanted)
    return None if mends is None else abs(mends - keys[0])


def _by_shares(program: Program, j: int, a: int, b: int) -> NDArray[np.int64]:
    """Where parts with equal shares of the reference table begin, counted from key a to key b."""
    lattice, grid = program.lattice, program.lattice.grids[j]
    seen = lattice.percentiles.values[lattice.percentiles.names[j]]
    low, high = grid.values(sorted((a, b)))
    inside = seen[seen.searchsorted(low, "right") : seen.searchsorted(high, "left")]
    if not len(inside):
        return np.empty(0, dtype=np.int64)
    chosen = inside[np.unique(np.linspace(0, len(inside) - 1, PARTS).astype(int))]
    # upwards a cost begins at a value of the table, downwards just below one
    keys = grid.ceil(chosen) if b > a else grid.below(chosen)
    return np.abs(keys[(keys >= min(a, b)) & (keys <= max(a, b))] - a)
