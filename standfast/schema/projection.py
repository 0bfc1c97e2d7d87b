"""The nearest admissible point, compiled: clip to the person's bounds, round, repair."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.schema.grid import Rules, multiple

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


_multiple = kernel(multiple)


@kernel
def on_grid(value: float, step: float, power: float) -> float:
    """The multiple of step nearest to a value, as the very number its decimals print."""
    if step == 0.0:
        return value
    rounded: float = _multiple(np.rint(value / step), step, power)
    return rounded


@kernel
def nearest(value: float, own: float, low: float, high: float, step: float, power: float) -> float:
    """The admissible value nearest to `value`: a grid value in [low, high], or the person's own."""
    if low > high:
        return own
    moved = min(max(on_grid(value, step, power), low), high)
    return own if abs(own - value) <= abs(moved - value) else moved


@kernel
def project_rows(points: Matrix, own: Matrix, low: Matrix, high: Matrix, rules: Rules) -> Matrix:
    """Each point moved to its nearest admissible values, then into the half-spaces A x ≤ b."""
    step, power, unit, A, b = rules
    n, d = points.shape
    moved = np.empty((n, d))
    for i in range(n):
        person = 0 if len(own) == 1 else i  # one person with many points, or one point each
        for j in range(d):
            moved[i, j] = nearest(
                points[i, j], own[person, j], low[person, j], high[person, j], step[j], power[j]
            )
        if len(b) > 0:
            repair(
                moved[i], points[i], own[person], low[person], high[person], step, power, unit, A, b
            )
    return moved


@kernel
def repair(
    moved: Vector,
    point: Vector,
    own: Vector,
    low: Vector,
    high: Vector,
    step: Vector,
    power: Vector,
    unit: Vector,
    A: Matrix,
    b: Vector,
) -> None:
    """Walk a point into the half-spaces A x ≤ b, in place, always by the cheapest step per gain.

    Costs are |moved − point| in units of each input's range. If the walk ends outside, the point
    goes back to the person's own values, which satisfy every relation.
    """
    for _ in range(40 * len(b)):
        row, excess = _most_broken(moved, A, b)
        if row < 0:
            return
        best, best_price, best_value = -1, np.inf, 0.0
        for j in range(len(moved)):
            a = A[row, j]
            if a == 0.0 or low[j] > high[j]:
                continue
            # one step of the grid; all that is needed where any number will do
            size = step[j] if step[j] > 0.0 else excess / abs(a)
            value = on_grid(moved[j] - np.sign(a) * size, step[j], power[j])
            value = min(max(value, low[j]), high[j])
            gain = a * (moved[j] - value)
            if gain <= 0.0:
                continue
            price = (abs(value - point[j]) - abs(moved[j] - point[j])) / unit[j] / gain
            if price < best_price:
                best, best_price, best_value = j, price, value
        if best < 0:
            break
        a = A[row, best]
        missing = excess - a * (moved[best] - best_value)
        away = abs(moved[best] - point[best]) + abs(best_value - moved[best])
        if missing > 0.0 and step[best] > 0.0 and abs(best_value - point[best]) >= away - 1e-12:
            # a full step away from the given point: further ones cost the same, so go the rest
            rest = np.ceil(missing / abs(a) / step[best] - 1e-9) * step[best]
            far = on_grid(best_value - np.sign(a) * rest, step[best], power[best])
            best_value = min(max(far, low[best]), high[best])
        moved[best] = best_value
    if _most_broken(moved, A, b)[0] >= 0:
        moved[:] = own


@kernel
def _most_broken(point: Vector, A: Matrix, b: Vector) -> tuple[int, float]:
    worst, row = 0.0, -1
    for r in range(len(b)):
        total, size = -b[r], 1.0
        for j in range(len(point)):
            total += A[r, j] * point[j]
            size += abs(A[r, j] * point[j])
        if total > 1e-9 * size and total > worst:  # the tolerance of HalfSpaces.excess
            worst, row = total, r
    return row, worst
