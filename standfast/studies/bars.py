"""The bars of a histogram: one for each whole number where they fit, even classes elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

MOST = 24  # bars that can be told apart in a panel
CODES = 4  # so many different negative values are codes rather than amounts, and kept apart
FEW = 0.005  # share of people beyond either end whom the last bar may stand for

Vector = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bars:
    """The least and the largest value of every bar, in order; endless where it holds all beyond.

    >>> Bars.of(np.array([-2.0, -1, 0, 1])).starts.tolist()
    [-2.0, -1.0, 0.0, 1.0]
    """

    starts: Vector
    ends: Vector

    @classmethod
    def of(cls, values: Vector) -> "Bars":
        """Bars for these values; distinct whole numbers share one only if there are too many."""
        distinct = np.unique(np.rint(values))
        low, high = distinct[0], distinct[-1]
        if high - low < MOST:
            every = np.arange(low, high + 1)
            return cls(every, every)
        if len(distinct) <= MOST:
            return cls(distinct, distinct)
        codes = distinct[distinct < 0]
        if not 0 < len(codes) <= CODES:
            return cls(*_classes(values, MOST))
        starts, ends = _classes(values[np.rint(values) >= 0], MOST - len(codes))
        return cls(np.append(codes, starts), np.append(codes, ends))

    def places(self, values: Vector) -> Places:
        """The bar of each value; a fraction counts for the nearest whole number."""
        found = np.searchsorted(self.starts, np.rint(values), side="right") - 1
        return np.maximum(found, 0)

    def shares(self, places: Places) -> Vector:
        """The share of people in each bar."""
        found: Vector = np.bincount(places, minlength=len(self.starts)) / len(places)
        return found


def _classes(values: Vector, most: int) -> tuple[Vector, Vector]:
    """Classes of one round width, one of which begins at zero: no sign shares a bar with another.

    A few extreme values do not stretch them: the outer classes stand for all beyond.
    """
    low, high = np.floor(np.quantile(values, (FEW, 1 - FEW)))
    width = next(w for w in _round_numbers() if high // w - low // w < most)
    least, largest = np.rint(values.min()), np.rint(values.max())
    if largest // width - least // width < most:
        low, high = least, largest
    starts = width * np.arange(low // width, high // width + 1)
    ends = starts + width - 1
    if least < starts[0]:
        starts[0] = -np.inf
    if largest > ends[-1]:
        ends[-1] = np.inf
    return starts, ends


def _round_numbers() -> Iterator[float]:
    return (step * 10.0**power for power in count() for step in (1, 2, 5))


def distance(bars: Bars, a: Places, b: Places) -> float:
    """Total variation, ½ Σ |p − q|, of two samples on the bars shown."""
    return float(0.5 * np.abs(bars.shares(a) - bars.shares(b)).sum())
