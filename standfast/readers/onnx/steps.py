"""ONNX's arithmetic with a constant, in 32 or 64 bits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.readers.columns.step import Step
from standfast.scores.score import Vector

CALCULATE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
}


@dataclass(frozen=True, eq=False)
class Calculated(Step):
    """v plus, minus, times or divided by a number, rounded to 32 bits if `single`."""

    kind: str
    number: float
    single: bool

    def __call__(self, values: Vector) -> Vector:
        """The results."""
        if not self.single:
            return np.asarray(CALCULATE[self.kind](values, self.number))
        with np.errstate(all="ignore"):
            found = CALCULATE[self.kind](np.asarray(values, np.float32), np.float32(self.number))
        return np.asarray(found, dtype=np.float64)

    @property
    def affine(self) -> tuple[float, float]:
        """Slope and intercept, without the rounding."""
        if self.kind in ("Add", "Sub"):
            return 1.0, self.number if self.kind == "Add" else -self.number
        return self.number if self.kind == "Mul" else 1.0 / self.number, 0.0

    @property
    def increasing(self) -> bool:
        """Whether it does not fall."""
        return self.affine[0] >= 0.0
