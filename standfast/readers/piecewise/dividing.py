"""Cells divided where a moving number passes given ones."""

from collections.abc import Sequence

import numpy as np

from standfast.readers.library_trees import LARGEST
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece, signs


def parted(
    low: float, high: float, moving: Moving, marks: Sequence[float]
) -> list[tuple[float, float]]:
    """A cell divided where its number passes some marks; a number that stands for each part."""
    ends = {high, *(end for mark in marks for end, _ in signs(low, high, moving, mark))}
    found = np.array(sorted(ends))
    numbers = moving(np.minimum(found, LARGEST))
    return list(zip(found.tolist(), numbers.tolist(), strict=True))


def equals(cells: Cells[Piece], values: Sequence[float | str]) -> Cells[Piece]:
    """1 where a field has one of some values, 0 elsewhere; gaps stay gaps."""
    numbers = [value for value in values if isinstance(value, float)]

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving):
            return [(e, float(v in numbers)) for e, v in parted(start, end, piece, numbers)]
        return [(end, piece if isinstance(piece, Lack) else float(piece in values))]

    return cells.finer(divide)


def replaced(cells: Cells[Piece], value: float | str, by: Piece) -> Cells[Piece]:
    """The same with something else in place of one value."""

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving) and isinstance(value, float):
            found = signs(start, end, piece, value)
            return [(e, by if sign == 0 else piece) for e, sign in found]
        same = not isinstance(piece, Moving | Lack) and piece == value
        return [(end, by if same else piece)]

    return cells.finer(divide)
