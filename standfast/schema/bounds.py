"""Where each person may go, input by input: between which values, and how far at least."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.schema.grid import around_on_grid, inwards_on_grid

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


def stuck(schema: "Schema", X: Matrix) -> NDArray[np.bool_]:
    """Which values lie beyond a bound of the advice and may only go further away: they stay.

    An income of 6000 that may only rise, under an `upper` of 5000.
    """
    columns, last = schema.columns, np.array([f.last for f in schema])
    rising, falling = columns.one_way
    beyond = (rising & (last < X)) | (falling & (last > X))
    return np.asarray(beyond & columns.mutable & ~columns.lacking(X) & np.isfinite(X))


def bounds_of(
    schema: "Schema", X: Matrix, kept: Collection[int], months: ArrayLike | None = None
) -> Bounds:
    """Each person's bounds on the grid: directions, immutability and what is kept included.

    With `months`, everybody's or each person's, nothing moves farther than its pace allows in this
    time.
    """
    columns = schema.columns
    lacking = schema.lacking(X)
    low, high = _one_way(schema, X, lacking)
    if months is not None:
        paced = np.isfinite(columns.pace) & ~lacking
        given = np.reshape(np.asarray(months, dtype=np.float64), (-1, 1))
        far = given * (1.0 + ROUNDING) * np.where(paced, columns.pace, 0.0)
        here = np.where(lacking, 0.0, X)
        low = np.where(paced, np.maximum(low, inwards_on_grid(schema.grid, here - far, 1.0)), low)
        high = np.where(
            paced, np.minimum(high, inwards_on_grid(schema.grid, here + far, -1.0)), high
        )
    fixed, unfilled = columns.fixed, ~columns.fills
    if kept:
        left = np.zeros(len(schema), dtype=bool)
        left[list(kept)] = True
        fixed, unfilled = fixed | left, unfilled | left
    low, high = np.where(fixed, X, low), np.where(fixed, X, high)
    if lacking.any():
        gaps = lacking & unfilled
        low, high = np.where(gaps, np.inf, low), np.where(gaps, -np.inf, high)
    if not columns.any_least:
        return Bounds(low, high, X.copy(), X.copy())
    least = np.where(lacking, 0.0, columns.least) * (1.0 - ROUNDING)
    return Bounds(low, high, X - least, X + least)


def _one_way(schema: "Schema", X: Matrix, lacking: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """The schema's bounds, from the person's own value on where an input goes one way only."""
    columns = schema.columns
    low, high = columns.inner_limits
    if not columns.any_one_way:
        return low, high
    rising, falling = columns.one_way
    above, below = around_on_grid(schema.grid, X)
    return (
        np.where(rising & ~lacking, np.maximum(low, above), low),
        np.where(falling & ~lacking, np.minimum(high, below), high),
    )
