"""The lattice: for each person and input, the admissible values worth considering, with costs.

What does not depend on the person is built once: the values at which some model changes its mind,
and, for inputs that a weighted sum reads, a grid of actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.schema import Feature, Schema
from standfast.schema.feature import WHOLE
from standfast.search.price import Matrix, Price, Vector

Indices = NDArray[np.int32]

WAYS = {"any": 0, "up": 1, "down": -1}
NOWHERE = 2

# whole-numbered inputs with at most this many admissible values are offered all of them
ALL_VALUES = 1000


@dataclass(frozen=True)
class Actions:
    """The values of a real input that a weighted sum may choose from.

    `steps` intervals between the 0th and 100th percentile of the reference table, at equal
    percentiles or, as Ustun et al. published, evenly spaced. Whole inputs are offered every value,
    unless there are more than a thousand.
    """

    steps: int = 100
    even: bool = False


@dataclass(frozen=True, eq=False)
class Lattice:
    """The values every person's levels are picked from, input after input in flat arrays.

    `cuts[j]` are the tree thresholds on input j: cell c holds the values above cut c−1 and at most
    cut c. Between `starts[j]` and `starts[j + 1]` lie input j's candidates in ascending order:
    value, place on the cost's scale, and cell. `whole_cells[j]` says that no weighted sum reads the
    input, so that one value per cell, the nearest, is enough. Input j's cells are numbered from
    `cell_start[j]` in the kernel's tables. Places are divided by `scale`, so that costs in any
    units are of a size for which the search's tolerances are small.
    """

    domain: Schema
    percentiles: Percentiles
    price: Price
    cuts: tuple[Vector, ...]
    starts: NDArray[np.intp]
    values: Vector
    places: Vector
    cells: Indices
    whole_cells: NDArray[np.bool_]
    cell_start: Indices
    direction: NDArray[np.int8]
    scale: float

    @classmethod
    def build(
        cls,
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        cuts: Sequence[Vector],
        summed: Sequence[bool],
        actions: Actions,
    ) -> "Lattice":
        """The lattice for trees with these cuts; `summed` marks the inputs that sums read."""
        values, places, cells = [], [], []
        for j, feature in enumerate(domain):
            found = _candidates(feature, cuts[j])
            if summed[j] and feature.mutable:
                # a sum may want any action, and each cell's ends keep the trees exact
                offered = _offered(feature, percentiles, j, actions)
                found = np.unique(np.concatenate([_ends(feature, cuts[j]), offered]))
            values.append(found)
            places.append(price.place(j, found, percentiles))
            cells.append(np.searchsorted(cuts[j], found, side="left").astype(np.int32))
        starts = np.concatenate(([0], np.cumsum([len(found) for found in values])))
        cell_start = np.concatenate(([0], np.cumsum([len(cut) + 1 for cut in cuts])))
        scale = _scale(domain, price)
        ways = [WAYS[f.direction] if f.mutable else NOWHERE for f in domain]
        return cls(
            domain,
            percentiles,
            price,
            tuple(cuts),
            starts.astype(np.intp),
            np.concatenate(values),
            np.concatenate(places) / scale,
            np.concatenate(cells),
            ~np.array(summed, dtype=bool),
            cell_start.astype(np.int32),
            np.array(ways, dtype=np.int8),
            scale,
        )

    def own(self, X: Matrix) -> tuple[Matrix, NDArray[np.int32]]:
        """For each person the places and the cells of their own values."""
        places = np.column_stack(
            [self.price.place(j, X[:, j], self.percentiles) / self.scale for j in range(X.shape[1])]
        )
        cells = np.column_stack(
            [np.searchsorted(cut, X[:, j], side="left") for j, cut in enumerate(self.cuts)]
        )
        return np.ascontiguousarray(places), np.ascontiguousarray(cells.astype(np.int32))

    @property
    def widest(self) -> int:
        """The most levels an input can have, the person's own value included."""
        return int(np.diff(self.starts).max()) + 1


def _scale(domain: Schema, price: Price) -> float:
    """What places are divided by: the smallest step of any input is to cost a thousandth.

    The search's tolerances, a millionth of that and less, are then small for costs in any units.
    """
    if price.units is None:
        return 1.0
    steps = [1.0]
    for feature, unit in zip(domain, price.units, strict=True):
        low, high, step = _limits(feature)
        span = high - low if np.isfinite(high - low) else unit
        if feature.mutable and (step or span) > 0.0:
            steps.append((step or 1e-6 * span) / unit)
    least = min(steps[1:] or steps)
    return float(least / (np.sqrt(1e-3) if price.squared else 1e-3))


def _candidates(feature: Feature, cuts: Vector) -> Vector:
    """Of every cell its least and its greatest admissible value: one of them is the nearest."""
    ends = _ends(feature, cuts)
    cell = np.searchsorted(cuts, ends, side="left")
    changes = cell[1:] != cell[:-1]
    first, last = np.append(True, changes), np.append(changes, True)
    return ends[first | last] if len(ends) else ends


def _ends(feature: Feature, cuts: Vector) -> Vector:
    """Admissible values that include both ends of every cell."""
    if not feature.mutable:
        return np.empty(0)
    low, high, step = _limits(feature)
    if step == 0.0:
        near = np.concatenate([cuts, np.nextafter(cuts, np.inf), [low, high]])
        near = near[np.isfinite(near)]
    else:
        k = np.floor(cuts / step)
        near = np.concatenate([k - 1, k, k + 1, k + 2, _inside(feature)])
        near = _on_grid(near[np.isfinite(near)], feature)
    return np.unique(near[(near >= low) & (near <= high)])


def _offered(feature: Feature, percentiles: Percentiles, j: int, actions: Actions) -> Vector:
    """The values of one input that a weighted sum may choose from."""
    low, high, step = _limits(feature)
    if feature.kind in WHOLE and (high - low) / step <= ALL_VALUES:
        least, greatest = _inside(feature)
        return _on_grid(np.arange(least, greatest + 1), feature)
    name = percentiles.names[j]
    seen = percentiles.values[name]
    if actions.even:
        chosen = np.linspace(max(low, seen[0]), min(high, seen[-1]), actions.steps + 1)
    else:
        shares = np.linspace(0.0, 1.0, actions.steps + 1) - 1e-12
        places = np.searchsorted(percentiles.shares[name], shares)
        chosen = seen[np.minimum(places, len(seen) - 1)]
    if step > 0.0:
        k = np.concatenate([np.floor(chosen / step), np.ceil(chosen / step)])
        chosen = _on_grid(np.rint(chosen / step) if actions.even else k, feature)
    return chosen[(chosen >= low) & (chosen <= high)]


def _inside(feature: Feature) -> Vector:
    """The least and the greatest multiple of the step within the bounds, counted in steps.

    0.3 / 0.1 is a little less than 3, so the rounded quotient is tried before it is moved inwards.
    """
    low, high, step = _limits(feature)
    k = np.rint(np.array([low, high]) / step)
    value = _on_grid(k, feature)
    inside: Vector = k + np.array([value[0] < low, 0.0]) - np.array([0.0, value[1] > high])
    return inside


def _limits(feature: Feature) -> tuple[float, float, float]:
    assert feature.lower is not None
    assert feature.upper is not None
    assert feature.step is not None
    return feature.lower, feature.upper, feature.step


def _on_grid(k: Vector, feature: Feature) -> Vector:
    power = 10.0**feature.decimals
    return np.rint(k * float(feature.step or 0.0) * power) / power
