"""Seen values: which values, and which two categories together, somebody in the data has."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.evaluation.advised import Bools, Matrix, Vector
from standfast.schema import Schema

NEAR = 0.05  # of the way from the 5th to the 95th percentile
EXPECTED = 5.0  # people who would have two categories by chance
MOST_PAIRED = 400  # categories of all inputs that are compared two by two


@dataclass(frozen=True, eq=False)
class Seen:
    """What somebody in the data has.

    A number has not been seen if it lies beyond everybody's, or farther from everybody's than a
    twentieth of the way from the 5th to the 95th percentile (from the least to the greatest value,
    where these two are equal). A category has not been seen if nobody has it, or nobody together
    with the person's category of another input, although by chance five people would.
    """

    values: tuple[Vector, ...]  # each input's known values, distinct and ascending
    near: Vector
    sizes: NDArray[np.intp]  # how many categories each input has; 0 for numbers
    apart: Bools  # which two categories nobody has together; the last one is no category

    @classmethod
    def of(cls, schema: Schema, X: Matrix) -> "Seen":
        """What the rows hold, in the schema's codes."""
        known = np.where(schema.lacking(X), np.nan, X)
        values = tuple(np.unique(column[np.isfinite(column)]) for column in known.T)
        named = [f.kind in ("nominal", "binary") or f.coder is not None for f in schema]
        near = [_near(column[np.isfinite(column)]) for column in known.T]
        counts = [len(f.categories or (0, 1)) for f in schema]
        sizes = np.where(named, counts, 0)
        if sizes.sum() > MOST_PAIRED:
            sizes = np.zeros_like(sizes)
        return cls(
            values,
            np.where(named, 0.0, near),
            sizes,
            _apart(_codes(known, sizes), int(sizes.sum())),
        )

    def unseen(self, Y: Matrix) -> Bools:
        """Which values nobody has, alone or together with another of the same row."""
        alone = [
            ~_close(column, values, near)
            for column, values, near in zip(Y.T, self.values, self.near, strict=True)
        ]
        return np.column_stack(alone) | self.partners(Y).any(axis=2)

    def partners(self, Y: Matrix) -> Bools:
        """People by inputs by inputs: which two categories nobody in the data has together."""
        codes = _codes(Y, self.sizes)
        return np.asarray(self.apart[codes[:, :, None], codes[:, None, :]])


def _near(values: Vector) -> float:
    if not len(values):
        return 0.0
    low, high = np.quantile(values, (0.05, 0.95))
    return NEAR * float(high - low or np.ptp(values))


def _close(column: Vector, values: Vector, near: float) -> Bools:
    """Whether somebody's value is near, and somebody's at or beyond, on either side."""
    if not len(values):
        return np.zeros(len(column), dtype=bool)
    after = np.clip(np.searchsorted(values, column), 1, len(values) - 1) if len(values) > 1 else 0
    with np.errstate(invalid="ignore"):
        away = np.minimum(np.abs(column - values[after]), np.abs(column - values[after - 1]))
    within = (column >= values[0]) & (column <= values[-1])
    return np.asarray(within & (away <= near))


def _codes(X: Matrix, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Every cell's category among those of all inputs; their number for what is none."""
    with np.errstate(invalid="ignore"):
        named = (X >= 0) & (sizes > X) & (X % 1 == 0)
        starts = np.cumsum(sizes) - sizes
        return np.where(named, starts + np.where(named, X, 0), sizes.sum()).astype(np.intp)


def _apart(codes: NDArray[np.intp], size: int) -> Bools:
    n = len(codes)
    marks = np.zeros((n, size + 1), dtype=np.float32)
    np.put_along_axis(marks, codes, 1.0, axis=1)
    marks[:, size] = 0.0
    times = marks.sum(axis=0, dtype=np.float64)
    return np.asarray((marks.T @ marks == 0) & (np.outer(times, times) >= EXPECTED * n))
