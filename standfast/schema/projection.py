"""The nearest admissible point, compiled: clip to the person's bounds, round, repair."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.schema.categories import MISSING
from standfast.schema.choosing import flat_price, is_gap
from standfast.schema.grid import Reach, Rules, multiple
from standfast.schema.relation import ABSOLUTE, RELATIVE

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
def past_tokens(value: float, j: int, way: float, rules: Rules) -> float:
    """The first admissible value from a value on, upwards (way 1) or downwards (−1).

    A number that stands for a missing value is none.
    """
    step, power = rules.step[j], rules.power[j]
    while is_gap(value, j, rules.options):
        further = np.nextafter(value, way * np.inf)
        value = further if step == 0.0 else on_grid(value + way * step, step, power)
    return value


@inner
def past_gap(value: float, person: int, j: int, way: float, reach: Reach) -> float:
    """The first value from a value on, upwards (way 1) or downwards (−1), not too close to home.

    Home itself is no move at all.
    """
    below, above, home = reach.below[person, j], reach.above[person, j], reach.home[person, j]
    if not below < value < above:
        return value
    if way * (home - value) >= 0.0:
        return float(home)
    step, power, edge = reach.rules.step[j], reach.rules.power[j], above if way > 0.0 else below
    far = on_grid(edge, step, power)
    return far if way * (far - edge) >= 0.0 else on_grid(far + way * step, step, power)


@inner
def any_number_will_do(person: int, j: int, reach: Reach) -> bool:
    """Whether only bounds and grid say where an input may go: no category, token, least move."""
    options = reach.rules.options
    named = options.categories[j] > 0 or options.token_start[j + 1] > options.token_start[j]
    return not (named or reach.below[person, j] < reach.above[person, j])


@inner
def nearest_number(
    value: float, own: float, low: float, high: float, step: float, power: float
) -> float:
    """What `nearest` gives for a number of which only bounds and grid say where it may go."""
    if low > high:
        return own
    moved = min(max(on_grid(value, step, power), low), high)
    return own if abs(own - value) <= abs(moved - value) else moved


@inner
def nearest(value: float, person: int, j: int, reach: Reach) -> float:
    """The person's admissible value of input j nearest to a value: on the grid, or their own.

    A nominal's categories have no distance: it is the category itself, or the person's own.
    Nobody is sent to a missing value, or to a token that stands for one.
    """
    own, rules = reach.own[person, j], reach.rules
    low, high = reach.low[person, j], reach.high[person, j]
    if low > high or value in (own, MISSING):
        return float(own)
    on = on_grid(value, rules.step[j], rules.power[j])
    if rules.options.categories[j] > 0:
        home = reach.home[person, j]
        if on < low or on > high or abs(own - value) <= abs(on - value):
            return float(own)
        legal = on == home or flat_price(home, on, j, rules.options) < np.inf
        return float(on if legal else own)
    moved = min(max(on, low), high)
    close = reach.below[person, j] < moved < reach.above[person, j]
    if close or is_gap(moved, j, rules.options):
        up = past_tokens(past_gap(moved, person, j, 1.0, reach), j, 1.0, rules)
        down = past_tokens(past_gap(moved, person, j, -1.0, reach), j, -1.0, rules)
        if up > high and down < low:
            return float(own)
        above = down < low or (up <= high and up - value < value - down)
        moved = up if above else down
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

    Costs are |moved − point| in units of each input's range. Categories stay, and a relation that
    reads a missing value is not judged. If the walk ends outside, the point goes back to the
    person's own values, which satisfy every relation.
    """
    low, high, rules, b = reach.low[person], reach.high[person], reach.rules, reach.b[person]
    A, step, power, unit = rules.A, rules.step, rules.power, rules.unit
    for _ in range(40 * len(b)):
        row, excess, slip = most_broken(moved, b, rules)
        if row < 0:
            return
        best, best_price, best_value = -1, np.inf, 0.0
        for j in range(len(moved)):
            a = A[row, j]
            if a == 0.0 or low[j] > high[j] or rules.options.categories[j] > 0:
                continue
            # one step of the grid; all that is needed where any number will do
            size = step[j] if step[j] > 0.0 else excess / abs(a)
            value = on_grid(moved[j] - np.sign(a) * size, step[j], power[j])
            value = past_gap(min(max(value, low[j]), high[j]), person, j, -np.sign(a), reach)
            value = past_tokens(value, j, -np.sign(a), rules)
            gain = a * (moved[j] - value)
            if gain <= 0.0 or value < low[j] or value > high[j]:
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
            rest = np.ceil((missing - slip) / abs(a) / step[best]) * step[best]
            far = on_grid(best_value - np.sign(a) * rest, step[best], power[best])
            far = past_gap(min(max(far, low[best]), high[best]), person, best, -np.sign(a), reach)
            far = past_tokens(far, best, -np.sign(a), rules)
            if low[best] <= far <= high[best]:
                best_value = far
        moved[best] = best_value
    if most_broken(moved, b, rules)[0] >= 0:
        for j in range(len(moved)):
            moved[j] = reach.own[person, j]


@inner
def most_broken(point: Vector, b: Vector, rules: Rules) -> tuple[int, float, float]:
    """The half-space A x ≤ b that a point breaks most, −1 if none, by how much, and its tolerance.

    The tolerance is that of HalfSpaces.excess.
    """
    worst, row, off, A = 0.0, -1, 0.0, rules.A
    for r in range(len(b)):
        total, size, judged = -b[r], 0.0, True
        for j in range(len(point)):
            if A[r, j] != 0.0:
                judged = judged and not is_gap(point[j], j, rules.options)
                total += A[r, j] * point[j]
                size += abs(A[r, j] * point[j])
        slip = ABSOLUTE + RELATIVE * size
        if judged and total > slip and total > worst:
            worst, row, off = total, r, slip
    return row, worst, off
