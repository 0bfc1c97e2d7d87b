"""Steps that sort a column's values into few cases: bins, categories, missing or not."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from standfast.readers.columns.step import Refusal, Step
from standfast.scores.score import Vector


@dataclass(frozen=True, eq=False)
class Binned(Step):
    """The number of the bin v falls into; each inner edge belongs to the bin above it."""

    edges: Vector
    single: bool = False
    refuses: ClassVar[Refusal] = "missing"

    @property
    def codes(self) -> int:
        """How many bins there are."""
        return len(self.edges) + 1

    def __call__(self, values: Vector) -> Vector:
        if self.single:  # a discretizer that works in single precision rounds first
            values = values.astype(np.float32).astype(np.float64)
        return np.searchsorted(self.edges, values, side="right").astype(np.float64)


@dataclass(frozen=True, eq=False)
class Celled(Step):
    """The number of v's cell: 0 if v is missing; each edge belongs to the cell above it."""

    edges: Vector
    refuses: ClassVar[Refusal] = "nothing"

    @property
    def codes(self) -> int:
        """How many cells there are, that of missing values included."""
        return len(self.edges) + 2

    def __call__(self, values: Vector) -> Vector:
        place = 1.0 + np.searchsorted(self.edges, values, side="right")
        return np.where(np.isnan(values) | (values == -np.inf), 0.0, place)


@dataclass(frozen=True, eq=False)
class Coded(Step):
    """The place of v among the fitted categories; a further code for any other, if allowed.

    A value that is not allowed is infinite, which every step and model refuses.
    """

    categories: Vector
    unknown: bool
    increasing: ClassVar[bool] = False

    @property
    def codes(self) -> int:
        """How many categories there are, the unknown one included."""
        return len(self.categories) + self.unknown

    def __call__(self, values: Vector) -> Vector:
        last = len(self.categories) - 1
        place = np.minimum(np.searchsorted(self.categories, values), last)
        found = self.categories[place]
        known = (found == values) | (np.isnan(found) & np.isnan(values))
        return np.where(known, place, last + 1.0 if self.unknown else np.inf)


@dataclass(frozen=True, eq=False)
class Tabled(Step):
    """The entry of a table at a code: an indicator, an encoding, or a whole contribution."""

    entries: Vector
    increasing: ClassVar[bool] = False
    refuses: ClassVar[Refusal] = "nothing"

    def __call__(self, values: Vector) -> Vector:
        known = (values >= 0) & (values < len(self.entries))
        return np.take(self._padded, np.where(known, values, len(self.entries)).astype(np.intp))

    @cached_property
    def _padded(self) -> Vector:
        return np.append(self.entries, np.inf)


@dataclass(frozen=True, eq=False)
class Named(Step):
    """What stands for each code of a named input, and for a gap; infinite where that is refused."""

    entries: Vector
    gap: float
    increasing: ClassVar[bool] = False
    refuses: ClassVar[Refusal] = "nothing"

    def __call__(self, values: Vector) -> Vector:
        return np.where(np.isnan(values), self.gap, self._table(values))

    @cached_property
    def _table(self) -> Tabled:
        return Tabled(self.entries)


@dataclass(frozen=True, eq=False)
class Exceeding(Step):
    """1 where v is above a threshold, 0 elsewhere."""

    threshold: float
    refuses: ClassVar[Refusal] = "missing"
    codes: ClassVar[int] = 2

    def __call__(self, values: Vector) -> Vector:
        return (values > self.threshold).astype(np.float64)


@dataclass(frozen=True, eq=False)
class OfGaps(Step):
    """A step that treats the marker of a missing value apart from all others."""

    marker: float

    @property
    def increasing(self) -> bool:
        """Missing values lie beside the numbers, and none of these is moved."""
        return bool(np.isnan(self.marker))

    def lacks(self, values: Vector) -> Any:
        """Where the values are missing."""
        return np.isnan(values) if np.isnan(self.marker) else values == self.marker


@dataclass(frozen=True, eq=False)
class Filled(OfGaps):
    """v, or the fitted statistic where v is the marker of a missing value."""

    statistic: float

    @property
    def refuses(self) -> Refusal:
        """Missing values get in only if they are what is filled."""
        return "infinite" if np.isnan(self.marker) else "missing"

    def __call__(self, values: Vector) -> Vector:
        return np.where(self.lacks(values), self.statistic, values)


@dataclass(frozen=True, eq=False)
class Marked(OfGaps):
    """1 where v is the marker of a missing value, 0 elsewhere."""

    codes: ClassVar[int] = 2

    def __call__(self, values: Vector) -> Vector:
        return np.asarray(self.lacks(values), dtype=np.float64)
