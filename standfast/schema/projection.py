"""The nearest admissible point, compiled: clip to the person's bounds, round, repair."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.schema.grid import Reach, multiple

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


_multiple = inner(multiple)


@inner
def on_grid(value: float, step: float, power: float) -> float:
    """The multiple of step nearest to a value, as the very number its decimals print."""
    if step == 0.0:
        return value
    rounded: float = _multiple(np.rint(value / step), step, power)
    return rounded


@inner
def nearest(value: float, person: int, j: int, reach: Reach) -> float:
    """The person's admissible value of input j nearest to a value: on the grid, or their own."""
    own, low, high = reach.own[person, j], reach.low[person, j], reach.high[person, j]
    if low > high:
        return float(own)
    on = on_grid(value, reach.rules.step[j], reach.rules.power[j])
    moved = min(max(on, low), high)
    return float(own if abs(own - value) <= abs(moved - value) else moved)


@kernel
def project_rows(points: Matrix, reach: Reach) -> Matrix:
    """Each point moved to its nearest admissible values, then into the half-spaces A x ≤ b."""
    n, d = points.shape
    moved = np.empty((n, d))
    for i in range(n):
        person = 0 if len(reach.own) == 1 else i  # one person with many points, or one point each
        for j in range(d):
            moved[i, j] = nearest(points[i, j], person, j, reach)
        repair(moved[i], points[i], person, reach)
    return moved


@inner
def repair(moved: Vector, point: Vector, person: int, reach: Reach) -> None:
    """Walk a point into the half-spaces A x ≤ b, in place, always by the cheapest step per gain.

    Costs are |moved − point| in units of each input's range. If the walk ends outside, the point
    goes back to the person's own values, which satisfy every relation.
    """
    low, high, A, b = reach.low[person], reach.high[person], reach.rules.A, reach.b[person]
    step, power, unit = reach.rules.step, reach.rules.power, reach.rules.unit
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
        for j in range(len(moved)):
            moved[j] = reach.own[person, j]


@inner
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
