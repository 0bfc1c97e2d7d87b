"""One person's admissible values as pieces of the units by which their box grows."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.schema.projection import on_grid
from standfast.search.problem.price import Matrix, Vector
from standfast.search.region.units import Reference, Runs


class Rules(NamedTuple):
    """What a person may do: their own values, where they are sent, and the schema's limits."""

    x: Vector
    y: Vector
    x_cell: NDArray[np.int32]
    y_cell: NDArray[np.int32]
    x_adds: Matrix
    y_adds: Matrix
    low: Vector
    high: Vector
    step: Vector
    power: Vector


class Grown(NamedTuple):
    """What all boxes grow by: the units, and the reference table."""

    runs: Runs
    reference: Reference


class Pieces(NamedTuple):
    """One person's admissible values of each input, in ascending pieces of the units.

    Input j has `counts[j]` pieces; `start[j]` holds the advised value alone. Piece k holds the
    admissible values from `first[j, k]` to `last[j, k]`, all in one slot: slots number the cells in
    which this person has admissible values. `before`, `upto` and `worst` are as in `Runs`; the
    piece of a unit that was `cut` keeps the unit's `worst`, which then is but a lower bound.
    `slot_from` and `slot_to` give the first slot at or above and the last at or below a cell.
    """

    counts: Annotated[NDArray[np.int32], "d"]
    start: Annotated[NDArray[np.int32], "d"]
    first: Annotated[Matrix, "d", "widest"]
    last: Annotated[Matrix, "d", "widest"]
    before: Annotated[Matrix, "d", "widest"]
    upto: Annotated[Matrix, "d", "widest"]
    slot: Annotated[NDArray[np.int32], "d", "widest"]
    cut: Annotated[NDArray[np.bool_], "d", "widest"]
    worst: Annotated[Matrix, "sums", "d", "widest"]
    cell_start: NDArray[np.int32]
    slot_from: Annotated[NDArray[np.int32], "cells"]
    slot_to: Annotated[NDArray[np.int32], "cells"]


def no_pieces(runs: Runs, cell_start: NDArray[np.int32]) -> Pieces:
    """Room for anybody's pieces: both marks cut at most two units, and stand for themselves."""
    sizes = {"d": len(runs.starts) - 1, "sums": len(runs.worst), "cells": int(cell_start[-1])}
    sizes["widest"] = int(np.diff(runs.starts).max(initial=0)) + 4
    return zeros(Pieces, sizes, cell_start=cell_start)


@inner
def share(j: int, value: float, inclusive: bool, reference: Reference) -> float:
    """The share of the reference table below a value of input j, or at and below it."""
    a, b = reference.starts[j], reference.starts[j + 1]
    if inclusive:
        n = np.searchsorted(reference.values[a:b], value, side="right")
    else:
        n = np.searchsorted(reference.values[a:b], value, side="left")
    found: float = reference.shares[a + n - 1] if n > 0 else 0.0
    return found


@inner
def neighbour(value: float, step: float, power: float, way: float) -> float:
    """The grid value next above a value (way 1) or below it (way −1)."""
    if step == 0.0:
        return float(np.nextafter(value, way * np.inf))
    found = on_grid(value, step, power)
    if (found - value) * way <= 0.0:
        found = on_grid(found + way * step, step, power)
    return found


@inner
def add_piece(
    j: int, first: float, last: float, unit: int, pieces: Pieces, runs: Runs, reference: Reference
) -> None:
    """The piece of a unit from `first` to `last`."""
    k = pieces.counts[j]
    pieces.first[j, k], pieces.last[j, k] = first, last
    begins, ends = first == runs.first[unit], last == runs.last[unit]
    pieces.before[j, k] = runs.before[unit] if begins else share(j, first, False, reference)
    pieces.upto[j, k] = runs.upto[unit] if ends else share(j, last, True, reference)
    pieces.cut[j, k] = not (begins and ends)
    pieces.slot[j, k] = runs.cell[unit]  # a cell until number_slots
    for r in range(len(runs.worst)):
        pieces.worst[r, j, k] = runs.worst[r, unit]
    pieces.counts[j] += 1


@inner
def add_value(
    j: int, value: float, cell: int, adds: Matrix, pieces: Pieces, reference: Reference
) -> None:
    """A piece with a single value: the person's own, or the one advised."""
    k = pieces.counts[j]
    pieces.first[j, k], pieces.last[j, k] = value, value
    pieces.before[j, k] = share(j, value, False, reference)
    pieces.upto[j, k] = share(j, value, True, reference)
    pieces.slot[j, k], pieces.cut[j, k] = cell, False
    for r in range(len(adds)):
        pieces.worst[r, j, k] = adds[r, j]
    pieces.counts[j] += 1


@kernel
def set_pieces(pieces: Pieces, rules: Rules, grown: Grown) -> None:
    """Cut the units to what one person may be sent to, their own value added where off the grid."""
    runs, reference = grown.runs, grown.reference
    for j in range(len(rules.x)):
        x, y, step, power = rules.x[j], rules.y[j], rules.step[j], rules.power[j]
        pieces.counts[j] = 0
        mine = rules.low[j] <= x <= rules.high[j] and on_grid(x, step, power) == x
        x_waits, y_waits = x != y and not mine, True
        for unit in range(runs.starts[j], runs.starts[j + 1]):
            a, b = max(runs.first[unit], rules.low[j]), min(runs.last[unit], rules.high[j])
            if a > b:
                continue
            for _ in range(2):
                x_next = x_waits and x <= b and (x < y or not y_waits)
                y_next = y_waits and y <= b and not x_next
                if not x_next and not y_next:
                    break
                mark = x if x_next else y
                below = neighbour(mark, step, power, -1.0)
                if a <= below and a < mark:
                    add_piece(j, a, min(below, b), unit, pieces, runs, reference)
                if x_next:
                    add_value(j, x, rules.x_cell[j], rules.x_adds, pieces, reference)
                    x_waits = False
                else:
                    pieces.start[j] = pieces.counts[j]
                    add_value(j, y, rules.y_cell[j], rules.y_adds, pieces, reference)
                    y_waits = False
                a = max(a, neighbour(mark, step, power, 1.0))
            if a <= b:
                add_piece(j, a, b, unit, pieces, runs, reference)
        for _ in range(2):
            if x_waits and (x < y or not y_waits):
                add_value(j, x, rules.x_cell[j], rules.x_adds, pieces, reference)
                x_waits = False
            elif y_waits:
                pieces.start[j] = pieces.counts[j]
                add_value(j, y, rules.y_cell[j], rules.y_adds, pieces, reference)
                y_waits = False
        number_slots(j, pieces)


@inner
def number_slots(j: int, pieces: Pieces) -> None:
    """Number the cells in which input j has admissible values, and fill the tables of slots."""
    base, slot, cell = pieces.cell_start[j], -1, -1
    for k in range(pieces.counts[j]):
        here = pieces.slot[j, k]
        if here != cell:
            for c in range(cell + 1, here + 1):
                pieces.slot_from[base + c] = slot + 1
            for c in range(max(cell, 0), here):
                pieces.slot_to[base + c] = slot
            slot, cell = slot + 1, here
        pieces.slot[j, k] = slot
    for c in range(cell, pieces.cell_start[j + 1] - base):
        pieces.slot_to[base + c] = slot
        if c > cell:
            pieces.slot_from[base + c] = slot + 1
