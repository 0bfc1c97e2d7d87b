"""What PMML does to one number, beyond what scikit-learn's transformers do."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from standfast.readers.columns.step import Refusal, Step
from standfast.schema.categories import MISSING
from standfast.scores.score import Vector


@dataclass(frozen=True, eq=False)
class Single(Step):
    """v rounded to 32 bits: what a field of the type float holds."""

    def __call__(self, values: Vector) -> Vector:
        """The rounded values."""
        return np.asarray(values, dtype=np.float32).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Between(Step):
    """The straight line through two points: start, height there, end, height there."""

    start: float
    low: float
    end: float
    high: float

    def __call__(self, values: Vector) -> Vector:
        """The line's height at each value."""
        share = (values - self.start) / (self.end - self.start)
        return np.asarray(self.low + share * (self.high - self.low))

    @property
    def increasing(self) -> bool:
        """Whether the line does not fall."""
        return self.high >= self.low

    @property
    def affine(self) -> tuple[float, float]:
        """Slope and intercept."""
        slope = (self.high - self.low) / (self.end - self.start)
        return slope, self.low - slope * self.start


def gaps_lowest(values: Vector) -> Vector:
    """The values, missing ones as minus infinity, below every cut."""
    return np.where(np.isnan(values), MISSING, values)


@dataclass(frozen=True, eq=False)
class Placed(Step):
    """The number of the cell that v lies in; a cut belongs to the cell below it, and gaps count."""

    cuts: Vector
    refuses: ClassVar[Refusal] = "nothing"

    @property
    def codes(self) -> int:
        """How many cells there are."""
        return len(self.cuts) + 1

    def __call__(self, values: Vector) -> Vector:
        """The cell of each value."""
        return np.searchsorted(self.cuts, gaps_lowest(values), side="left").astype(np.float64)


@dataclass(frozen=True, eq=False)
class Pieced(Step):
    """A height and a slope in each cell, and further curves in some of them.

    `rising` says whether it is known never to fall from one value to a larger one, gaps aside.
    """

    cuts: Vector
    heights: Vector
    slopes: Vector
    curves: tuple[tuple[int, float, tuple[Step, ...]], ...]
    rising: bool
    refuses: ClassVar[Refusal] = "nothing"

    @property
    def increasing(self) -> bool:
        """Whether it is known never to fall."""
        return self.rising

    def __call__(self, values: Vector) -> Vector:
        """The height at each value; minus infinity where the model gives no result."""
        cell = np.searchsorted(self.cuts, gaps_lowest(values), side="left")
        known = np.where(np.isfinite(values), values, 0.0)
        total = self.heights[cell] + self.slopes[cell] * known
        for k, weight, steps in self.curves:
            here = cell == k
            curve = values[here]
            for step in steps:
                curve = step(curve)
            total[here] += weight * curve
        return np.where(np.isnan(total), -np.inf, total)
