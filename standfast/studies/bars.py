"""The bars of a histogram: numbers in classes, categories by name, and what is missing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Feature

MOST = 24  # bars that can be distinguished in a panel
CODES = 4  # so many different negative values are codes rather than amounts, and kept apart
FEW = 0.005  # share of people beyond either end whom the last bar may stand for
NAMED = 8  # bars whose names can be read in a panel
OTHERS, GAP = "others", "missing"

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


@dataclass(frozen=True, eq=False)
class InputBars:
    """The bars of one input: by name if it has categories, and a last one for missing values.

    `place_of` gives each category's bar by its code; it is empty for numbers. `names` are empty
    where a bar holds numbers.
    """

    feature: Feature
    known: Bars
    names: tuple[str, ...]
    place_of: Places

    @classmethod
    def of(cls, feature: Feature, values: Vector) -> "InputBars":
        """Bars for these values of an input.

        Categories stand in their order, or the most frequent first if they have none; of many, the
        rare ones share a bar.
        """
        lacking = feature.is_missing(values)
        gap = (GAP,) * bool(lacking.any())
        if feature.categories is None:
            known = Bars.of(values[~lacking]) if not lacking.all() else Bars(*np.empty((2, 0)))
            return cls(feature, known, ("",) * len(known.starts) + gap, np.empty(0, np.intp))
        codes = values[~lacking].astype(np.intp)
        counts = np.bincount(codes, minlength=len(feature.categories))
        frequent = np.argsort(-counts, kind="stable")
        frequent = frequent[counts[frequent] > 0]
        shown = frequent if len(frequent) <= NAMED else frequent[: NAMED - 1]
        if feature.kind == "ordinal":
            shown = np.sort(shown)
        place_of = np.full(len(counts), len(shown))
        place_of[shown] = np.arange(len(shown))
        rest = len(frequent) - len(shown)
        others = (f"{OTHERS} ({rest})",) * bool(rest)
        names = (*(feature.shown(float(code)) for code in shown), *others)
        every = np.arange(float(len(names)))
        return cls(feature, Bars(every, every), names + gap, place_of)

    @property
    def edges(self) -> tuple[Vector, Vector]:
        """The least and the largest value of every bar: a category's place, ∞ for a gap."""
        beyond = np.full(len(self.names) - len(self.known.starts), np.inf)
        return np.append(self.known.starts, beyond), np.append(self.known.ends, beyond)

    def places(self, values: Vector) -> Places:
        """The bar of each value."""
        lacking = self.feature.is_missing(values)
        found = np.full(len(values), len(self.known.starts))
        known = values[~lacking]
        found[~lacking] = (
            self.place_of[known.astype(np.intp)] if len(self.place_of) else self.known.places(known)
        )
        return found

    def shares(self, places: Places) -> Vector:
        """The share of people in each bar."""
        found: Vector = np.bincount(places, minlength=len(self.names)) / len(places)
        return found


def distance(bars: InputBars, a: Places, b: Places) -> float:
    """Total variation, ½ Σ |p − q|, of two samples on the bars shown."""
    return float(0.5 * np.abs(bars.shares(a) - bars.shares(b)).sum())
