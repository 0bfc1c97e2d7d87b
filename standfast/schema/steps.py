"""The step that a column's values have in common."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.schema.feature import MOST_STEPS

Vector = NDArray[np.float64]

# rounded steps are recognised although one person in twenty gave an exact number
MOST_EXCEPTIONS = 0.05
# k different values that happen to be multiples of g: odds of 1 to g^k, here at least a million
LEAST_EVIDENCE = 6.0
MANY_ROWS = 50


@dataclass(frozen=True)
class Step:
    """A step and the sentence that says why."""

    size: float
    why: str


def common_step(column: Vector, distinct: Vector) -> Step | None:
    """The step greater than the last decimal's that (nearly) all values are multiples of, if any.

    >>> rows = np.array([20_000, 50_000, 90_000, 0, 120_000])
    >>> common_step(rows, np.unique(rows)).size
    10000.0
    """
    for decimals in range(5):
        unit = 10.0**decimals
        if np.abs(distinct).max() * unit >= MOST_STEPS:
            return None
        if np.array_equal(np.round(distinct, decimals), distinct):
            break
    else:
        return None
    rows = np.rint(np.abs(column[column != 0]) * unit).astype(np.int64)
    values = np.rint(np.abs(distinct[distinct != 0]) * unit).astype(np.int64)
    if len(values) < 2:
        return None
    exact = int(np.gcd.reduce(values))
    for size in _rounded(exact, int(values.max())):
        exceptions = int((rows % size != 0).sum())
        regular = values[values % size == 0]
        few = exceptions <= MOST_EXCEPTIONS * len(rows)
        if few and len(regular) > 2 and _evident(size, rows, regular):
            why = f"step: all but {exceptions:,} of {len(rows):,} values are multiples of"
            return Step(size / unit, f"{why} {size / unit:,.10g}")
    if exact > 1 and _evident(exact, rows, values):
        return Step(exact / unit, f"step: every value is a multiple of {exact / unit:,.10g}")
    return None


def _rounded(least: int, largest: int) -> list[int]:
    """Those of 10, 20, 50, 100, … above `least` and up to half of `largest`, the greatest first."""
    sizes = [m * 10**k for k in range(1, 16) for m in (1, 2, 5)]
    return [size for size in reversed(sizes) if least < size <= largest / 2]


def _evident(size: int, rows: NDArray[np.int64], values: NDArray[np.int64]) -> bool:
    return len(rows) >= MANY_ROWS or len(values) * np.log10(size) >= LEAST_EVIDENCE
