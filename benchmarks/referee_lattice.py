"""The referee's values of each input and their costs, built without the package's own lattice."""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from standfast import Additive, Feature, Linear, Percentiles, Schema, Score, TreeEnsemble

Vector = NDArray[np.float64]
Asked = Sequence[tuple[Score, float]]

WHOLE = ("count", "binary", "ordinal")


def lattice(
    models: Asked, domain: Schema, percentiles: Percentiles, x: Vector, actions: int = 100
) -> list[Vector]:
    """Each input's values: the nearest of each cell that trees tell apart; all actions for sums."""
    found = []
    for j, feature in enumerate(domain):
        cuts = [np.empty(0)]
        for model, _ in models:
            if isinstance(model, TreeEnsemble):
                here = ~model.trees.leaf & (model.trees.feature == j)
                cuts.append(model.trees.split[here])
        ends = _ends(feature, np.unique(np.concatenate(cuts)))
        if _summed(models, domain, j):
            values = np.concatenate([*ends, _actions(feature, percentiles, j, actions)])
        else:
            values = np.array([a if x[j] < a else b for a, b in ends if not a <= x[j] <= b])
        found.append(np.unique(np.append(values, x[j])))
    return found


def _ends(feature: Feature, cuts: Vector) -> list[tuple[float, float]]:
    """The least and the greatest admissible value of every cell between cuts that holds any."""
    assert feature.lower is not None
    assert feature.upper is not None
    borders = [-np.inf, *cuts, np.inf]
    ends = []
    for below, above in itertools.pairwise(borders):
        low = (
            max(feature.lower, np.nextafter(below, np.inf)) if np.isfinite(below) else feature.lower
        )
        low, high = _ceiling(feature, low), -_ceiling(feature, -min(feature.upper, above))
        if low <= high:
            ends.append((low, high))
    return ends


def _ceiling(feature: Feature, value: float) -> float:
    """The least multiple of the step that is not below a value."""
    if not feature.step or not np.isfinite(value):
        return value
    k = np.floor(value / feature.step) - 2
    while round(k * feature.step, feature.decimals) < value:
        k += 1
    return float(round(k * feature.step, feature.decimals))


def _summed(models: Asked, domain: Schema, j: int) -> bool:
    """Whether a weighted sum reads input j."""
    read = [
        isinstance(m, Additive) or (isinstance(m, Linear) and m.weights[j] != 0) for m, _ in models
    ]
    return any(read) or bool(domain.half_spaces.A[:, j].any())


def _actions(feature: Feature, percentiles: Percentiles, j: int, steps: int) -> Vector:
    """The values a weighted sum chooses from: all of up to 1,000 whole ones, else percentiles."""
    assert feature.lower is not None
    assert feature.upper is not None
    step = feature.step or 0.0
    if feature.kind in WHOLE and (feature.upper - feature.lower) / step <= 1000:
        first, last = np.ceil(feature.lower / step), np.floor(feature.upper / step)
        return np.arange(first, last + 1) * step
    name = percentiles.names[j]
    seen, shares = percentiles.values[name], percentiles.shares[name]
    wanted = [seen[np.argmax(shares >= k / steps - 1e-12)] for k in range(steps + 1)]
    both = [(_ceiling(feature, v), -_ceiling(feature, -v)) for v in np.unique(wanted)]
    values = np.unique(both)
    return values[(values >= feature.lower) & (values <= feature.upper)]


def reachable(domain: Schema, x: Vector, j: int, values: Vector) -> Vector:
    """What the feature's direction leaves of some values, the person's own included."""
    feature = list(domain)[j]
    moved = values if feature.mutable else values[:0]
    if feature.direction == "up":
        moved = moved[moved >= x[j]]
    if feature.direction == "down":
        moved = moved[moved <= x[j]]
    return np.unique(np.append(moved, x[j]))


def open_values(models: Asked, j: int, values: Vector) -> Vector:
    """The values that no additive model refuses outright."""
    for model, _ in models:
        if isinstance(model, Additive):
            values = values[np.isfinite(model.functions[j](values))]
    return values


def priced(
    percentiles: Percentiles,
    j: int,
    values: Vector,
    own: float,
    cost: str,
    units: Sequence[float] | None,
) -> Vector:
    """What each value of input j costs a person."""
    if cost in ("l1", "l2"):
        assert units is not None
        moves = np.abs(values - own) / units[j]
        return moves**2 if cost == "l2" else moves
    Q = percentiles.rank_of(j, np.append(values, own))
    if cost == "log":
        Q = -np.log(1.0 - np.minimum(Q, percentiles.rows / (percentiles.rows + 1)))
    shifts: Vector = np.abs(Q[:-1] - Q[-1])
    return shifts
