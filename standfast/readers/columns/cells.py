"""A step that sorts every value of a column, a missing one too, into neighbouring cells."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from standfast.readers.columns.step import Refusal, Step
from standfast.scores.score import Vector


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
