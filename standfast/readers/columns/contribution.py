"""What one input adds to a sum of functions, brought into a form that is quick to evaluate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from standfast.readers.columns.code import Tabled
from standfast.readers.columns.splined import Basis, Splined
from standfast.readers.columns.step import Step, Stretched, through
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.score import Link, Matrix, Vector

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
        finite = np.isfinite(total)
        return total if finite.all() else np.where(finite, total, -np.inf)

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
        if step.affine is None:
            return None
        a, b = step.affine
        slope, intercept = a * slope, a * intercept + b
    return slope, intercept


def contribution(terms: Sequence[tuple[float, Steps]]) -> Contribution:
    """The sum of weighted columns of one input, with everything that can be added up beforehand.

    Columns behind the same bins or categories become one table of sums, the functions of one spline
    basis one spline, straight lines one line: a scorecard's input is a single look-up.
    """
    slope = intercept = 0.0
    sums: dict[tuple[int, ...], tuple[Steps, Basis | None, Vector]] = {}
    others: list[tuple[float, Steps]] = []

    def add(before: Steps, basis: Basis | None, amounts: Vector) -> None:
        key = (*map(id, before), id(basis))
        so_far = sums[key][2] if key in sums else 0.0
        sums[key] = (before, basis, so_far + amounts)

    for weight, steps in terms:
        before, turn, after = _parted(steps)
        line = straight(after)
        if turn is None and line is not None:
            slope, intercept = slope + weight * line[0], intercept + weight * line[1]
        elif isinstance(turn, Splined) and line is not None:
            add(before, turn.basis, weight * line[0] * turn.amounts)
            intercept += weight * line[1]
        elif turn is not None and turn.codes:
            with np.errstate(all="ignore"):
                cases = through(after, np.arange(turn.codes, dtype=np.float64))
            add((*before, turn), None, weight * cases)
        else:
            others.append((weight, steps))
    for before, basis, amounts in sums.values():
        last = Tabled(amounts) if basis is None else Splined(basis, amounts)
        others.append((1.0, (*before, last)))
    if slope or intercept:
        others.append((1.0, (Stretched(slope, intercept),)))
    return Contribution(tuple(others))


def _parted(steps: Steps) -> tuple[Steps, Step | None, Steps]:
    """The steps before, at and after the first one that sorts into cases or bends into a spline."""
    for i, step in enumerate(steps):
        if step.codes or isinstance(step, Splined):
            return steps[:i], step, steps[i + 1 :]
    return (), None, steps


def added_up(
    functions: Sequence[Contribution],
    offset: float,
    link: Link,
    threshold: float,
    prediction: Callable[[Matrix], Vector] | None = None,
) -> Linear | Additive:
    """The functions of all inputs as a score: `Linear` if each of them is a straight line."""
    lines = [function.line for function in functions]
    straight = [line for line in lines if line is not None]
    if len(straight) < len(lines):
        return Additive(functions, offset, link, threshold, prediction)
    slopes = np.array([slope for slope, _ in straight])
    return Linear(slopes, offset + sum(b for _, b in straight), link, threshold, prediction)
