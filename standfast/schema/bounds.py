"""Where each person may go, input by input: between which values, and how far at least."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema.grid import multiple

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

Matrix = NDArray[np.float64]

# a move that falls short of the least by rounding alone is long enough
ROUNDING = 1e-9


class Bounds(NamedTuple):
    """The least and the greatest value advice may propose, and what is too close to propose.

    Person × input: advice leaves a value as it is, or moves it to a grid value from `low` to
    `high`, at most `below` or at least `above`. Where low exceeds high, only the own value remains.
    """

    low: Matrix
    high: Matrix
    below: Matrix
    above: Matrix

    def of(self, rows: NDArray[np.intp]) -> "Bounds":
        """Those of some people."""
        return Bounds(*(part[rows] for part in self))


def bounds_of(
    schema: "Schema", X: Matrix, kept: Collection[int], months: float | None = None
) -> Bounds:
    """Each person's bounds on the grid: directions, immutability and what is kept included.

    With `months` nothing moves farther than its pace allows in this time.
    """
    lower, upper = schema.inner_limits
    lacking = schema.lacking(X)
    low, high = np.tile(lower, (len(X), 1)), np.tile(upper, (len(X), 1))
    for bound, way, inwards in zip((low, high), schema.one_way, (1.0, -1.0), strict=True):
        if way.any():
            own = inwards_on_grid(schema, X, inwards)
            farther = inwards * np.maximum(inwards * bound, inwards * own)
            bound[...] = np.where(way & ~lacking, farther, bound)
    if months is not None:
        paced = np.isfinite(schema.pace) & ~lacking
        far = months * (1.0 + ROUNDING) * np.where(paced, schema.pace, 0.0)
        here = np.where(lacking, 0.0, X)
        low = np.where(paced, np.maximum(low, inwards_on_grid(schema, here - far, 1.0)), low)
        high = np.where(paced, np.minimum(high, inwards_on_grid(schema, here + far, -1.0)), high)
    left = np.isin(np.arange(len(schema)), list(kept))
    fixed, gaps = ~schema.mutable | left, lacking & (left | ~schema.fills)
    low, high = np.where(fixed, X, low), np.where(fixed, X, high)
    low, high = np.where(gaps, np.inf, low), np.where(gaps, -np.inf, high)
    least = np.where(lacking, 0.0, schema.least) * (1.0 - ROUNDING)
    return Bounds(low, high, X - least, X + least)


def inwards_on_grid(schema: "Schema", values: Matrix, inwards: float) -> Matrix:
    """The grid value at each value, or next to it: above it (1.0) or below it (−1.0)."""
    step, power = schema.grid
    gridded = np.where(step > 0, step, 1.0)
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite bound stays as it is
        k = np.rint(values / gridded)
        k += inwards * (multiple(k, gridded, power) * inwards < values * inwards)
        found: Matrix = np.where(
            (step > 0) & np.isfinite(values), multiple(k, gridded, power), values
        )
    return found
