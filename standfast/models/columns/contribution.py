"""What one input adds to a sum of functions, brought into a form that is quick to evaluate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from standfast.models.columns.code import Tabled
from standfast.models.columns.splined import Splined
from standfast.models.columns.step import Scaled, Step, Stretched, through
from standfast.models.score import Vector

Steps = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Contribution:
    """What one input adds to a model's raw value: Σ_k weight_k · steps_k(v).

    Minus infinity for a value that the pipeline would refuse (the logarithm of a negative number,
    a category never seen): such a point is never advised.
    """

    terms: tuple[tuple[float, Steps], ...]

    def __call__(self, values: Vector) -> Vector:
        """The contribution of each value of the input."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        total = np.zeros(len(values))
        with np.errstate(all="ignore"):
            for weight, steps in self.terms:
                total += weight * through(steps, values)
        total[~np.isfinite(total)] = -np.inf
        return total

    @property
    def line(self) -> tuple[float, float] | None:
        """Slope and intercept if the contribution is a straight line, else None."""
        slope = intercept = 0.0
        for weight, steps in self.terms:
            line = straight(steps)
            if line is None:
                return None
            slope, intercept = slope + weight * line[0], intercept + weight * line[1]
        return slope, intercept


def straight(steps: Sequence[Step]) -> tuple[float, float] | None:
    """Slope and intercept of steps that only shift and scale, else None."""
    slope, intercept = 1.0, 0.0
    for step in steps:
        if not isinstance(step, Scaled | Stretched):
            return None
        a, b = step.affine
        slope, intercept = a * slope, a * intercept + b
    return slope, intercept


def contribution(terms: Sequence[tuple[float, Steps]]) -> Contribution:
    """The sum of weighted columns of one input, with everything that can be added up beforehand.

    Columns behind the same bins or categories become one table of sums, the functions of one spline
    basis one spline, straight lines one line: a scorecard's input is a single look-up.
    """
    lines: list[tuple[float, float]] = []
    tables: dict[tuple[int, ...], tuple[Steps, Vector]] = {}
    splines: dict[tuple[int, ...], tuple[Steps, Splined]] = {}
    others: list[tuple[float, Steps]] = []
    for weight, steps in terms:
        at = next((i for i, s in enumerate(steps) if s.codes or isinstance(s, Splined)), None)
        key = tuple(map(id, steps[: 0 if at is None else at]))
        step = None if at is None else steps[at]
        tail = straight(steps if at is None else steps[at + 1 :])
        if step is None and tail is not None:
            lines.append((weight * tail[0], weight * tail[1]))
        elif isinstance(step, Splined) and tail is not None:
            before, so_far = splines.get((*key, id(step.basis)), (steps[:at], None))
            amounts = weight * tail[0] * step.amounts
            if so_far is not None:
                amounts = amounts + so_far.amounts
            splines[(*key, id(step.basis))] = (before, Splined(step.basis, amounts))
            lines.append((0.0, weight * tail[1]))
        elif step is not None and step.codes:
            assert at is not None
            cases = np.arange(step.codes, dtype=np.float64)
            entries = weight * through(steps[at + 1 :], cases)
            before, sums = tables.get((*key, id(step)), (steps[: at + 1], np.zeros(len(cases))))
            tables[(*key, id(step))] = (before, sums + entries)
        else:
            others.append((weight, steps))
    compact = [(1.0, (*before, spline)) for before, spline in splines.values()]
    compact += [(1.0, (*before, Tabled(sums))) for before, sums in tables.values()]
    slope, intercept = (sum(part) for part in zip(*lines, strict=True)) if lines else (0.0, 0.0)
    if slope or intercept:
        compact.append((1.0, (Stretched(float(slope), float(intercept)),)))
    return Contribution((*others, *compact))
