"""What becomes of a function of one input, cell by cell, and where a moving number is cut."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from standfast.readers.columns.step import Step
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


def by_value(
    cells: Cells[Piece],
    marks: Iterable[float | str],
    change: Callable[[float | str, float | str | Moving], Piece],
) -> Cells[Piece]:
    """Something else for each value, or where a number passes the marks; gaps stay gaps.

    `change` gets the value, one that stands for its part of a cell, and what the cell has.
    """
    numbers = [mark for mark in marks if isinstance(mark, float) and np.isfinite(mark)]

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving):
            return [(e, change(v, piece)) for e, v in parted(start, end, piece, numbers)]
        return [(end, piece if isinstance(piece, Lack) else change(piece, piece))]

    return cells.finer(divide)


def equals(cells: Cells[Piece], values: Sequence[float | str]) -> Cells[Piece]:
    """1 where a field has one of some values, 0 elsewhere; gaps stay gaps."""
    return by_value(cells, values, lambda value, _: float(value in values))


def stepped(cells: Cells[Piece], step: Step) -> Cells[Piece]:
    """A column after a further step of arithmetic; gaps stay gaps."""
    return cells.each(lambda piece: after(piece, step))


def after(piece: Piece, step: Step) -> Piece:
    """What a cell has, after a further step; a factor of zero leaves no number to move."""
    slope = 1.0 if step.affine is None else step.affine[0]
    if isinstance(piece, Moving) and slope:
        return piece.then(step, slope > 0)
    if isinstance(piece, float | Moving):
        return float(step(np.array([piece if isinstance(piece, float) else 0.0]))[0])
    return piece


def filled(cells: Cells[Piece], by: Piece) -> Cells[Piece]:
    """The same with something in place of gaps."""
    return cells.each(lambda piece: by if piece is Lack.MISSING else piece)


def guards(fields: Iterable[Cells[Piece]]) -> list[Cells[Piece]]:
    """For each field that a model may refuse: refused where it does, and nothing elsewhere."""
    refusing = [cells for cells in fields if Lack.REFUSED in cells.values]
    return [cells.each(lambda piece: piece if piece is Lack.REFUSED else 0.0) for cells in refusing]


def replaced(cells: Cells[Piece], value: float | str, by: Piece) -> Cells[Piece]:
    """The same with something else in place of one value."""
    return by_value(cells, [value], lambda held, piece: by if held == value else piece)
