"""The lattice: for each input the admissible values, in ranges that a search refines as it needs.

What does not depend on the person is built once. An input that only trees read is cut at their
thresholds: within a range nothing but the cost changes, so its nearest value is enough. An input
that a weighted sum or a relation reads has every admissible value of its own, or, where these are
many, ranges of them; a range is cut further when a search comes by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.schema import Feature, Schema
from standfast.schema.grid import FARTHEST, MOST_KEYS, Grid
from standfast.schema.kinds import WHOLE
from standfast.scores import Linear
from standfast.search.problem.contributions import Sum, added_by, inputs_of
from standfast.search.problem.price import Matrix, Price, Vector

Indices = NDArray[np.int32]

# inputs that a sum reads have every value of their own up to so many, and else so many ranges,
# which hold equal shares of the reference table
LISTED, PARTS = 1000, 100


@dataclass(frozen=True)
class Actions:
    """An action grid: the only values that a weighted sum may choose from (actionable recourse).

    `steps` intervals between the 0th and 100th percentile of the reference table, at equal
    percentiles or, as Ustun et al. published, evenly spaced. Whole inputs are offered every value,
    unless there are more than a thousand.
    """

    steps: int = 100
    even: bool = False


class Ranges(NamedTuple):
    """All ranges in flat arrays: input j's are those from `starts[j]` to `starts[j + 1]`.

    A range holds the admissible values from `first` to `last`, which lie in one `cell`;
    `place_first` and `place_last` are where its ends stand on the cost's scale. Input j's cells are
    numbered from `cell_start[j]` on in the kernels' tables; `summed[j]` says that a weighted sum
    reads the input.
    """

    starts: NDArray[np.int64]
    first: Vector
    last: Vector
    place_first: Vector
    place_last: Vector
    cell: Indices
    cell_start: Indices
    summed: NDArray[np.bool_]


class Own(NamedTuple):
    """People's values and, for each, the nearest grid values below and above that are far enough.

    Person × which × input, where 0 is the own value, 1 the one below, 2 the one above; `adds` is
    what each adds to each weighted sum: person × which × sum × input. Person × input: the own
    value's `cell`; the `low`est and `high`est value within reach; and what any move costs, `flat`,
    or NaN where that depends on how far it goes.
    """

    value: NDArray[np.float64]
    place: NDArray[np.float64]
    cell: Indices
    adds: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    flat: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lattice:
    """The ranges every person's levels are made from.

    `cuts[j]` are the tree thresholds on input j: cell c holds the values above cut c−1 and at most
    cut c. Places are divided by `scale`, so that costs in any units are of a size for which the
    search's tolerances are small. Inputs `kept` stay as they are for everybody; with `months`
    nothing moves farther than it can in this time.
    """

    domain: Schema
    percentiles: Percentiles
    price: Price
    cuts: tuple[Vector, ...]
    grids: tuple[Grid, ...]
    ranges: Ranges
    scale: float
    kept: frozenset[int] = frozenset()
    months: float | Vector | None = None

    @classmethod
    def build(
        cls,
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        cuts: Sequence[Vector],
        summed: Sequence[bool],
        actions: Sequence[Actions | None],
    ) -> "Lattice":
        """The lattice for trees with these cuts; `summed` marks the inputs that sums read.

        Where an input has `actions`, a sum may choose from these values only; where it has None,
        from everything that the schema admits.
        """
        grids, parts = tuple(Grid.of(feature) for feature in domain), []
        for j, feature in enumerate(domain):
            if not feature.mutable:
                parts.append((np.empty(0), np.empty(0)))
            elif summed[j] and (offer := actions[j]) is not None:
                offered = _offered(feature, percentiles, j, offer)
                found = np.unique(np.concatenate([offered, *_ranges(feature, cuts[j], None)]))
                parts.append((found, found))
            else:
                within = hundredths(percentiles, j) if summed[j] else None
                parts.append(_ranges(feature, cuts[j], within))
        first, last = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        scale = _scale(domain, price)

        def places(i: int) -> Vector:
            """Where the ranges' first (0) or last (1) values stand on the cost's scale."""
            found = [price.place(j, part[i], percentiles) for j, part in enumerate(parts)]
            return np.concatenate(found) / scale

        cells = [
            np.searchsorted(cut, p[0], side="left") for cut, p in zip(cuts, parts, strict=True)
        ]
        ranges = Ranges(
            np.concatenate(([0], np.cumsum([len(part[0]) for part in parts]))).astype(np.int64),
            first,
            last,
            places(0),
            places(1),
            np.concatenate(cells).astype(np.int32),
            np.concatenate(([0], np.cumsum([len(cut) + 1 for cut in cuts]))).astype(np.int32),
            np.array(summed, dtype=bool),
        )
        return cls(domain, percentiles, price, tuple(cuts), grids, ranges, scale)

    def keeping(self, inputs: frozenset[int]) -> "Lattice":
        """The same lattice for people who leave these inputs as they are, too."""
        return self._sharing(replace(self, kept=self.kept | inputs))

    def at(self, months: float | Vector) -> "Lattice":
        """The same lattice for people who have so many months, all of them or each as many."""
        return self._sharing(replace(self, months=months))

    def _sharing(self, other: "Lattice") -> "Lattice":
        """The other lattice, with what was found out about this one's ranges."""
        known = ("_columns_of_grids", "partial", "wide_inputs", "widest")
        other.__dict__.update({name: self.__dict__[name] for name in known if name in vars(self)})
        return other

    @property
    def movable(self) -> NDArray[np.bool_]:
        """Which inputs advice may change."""
        return self.domain.mutable & ~np.isin(np.arange(len(self.domain)), list(self.kept))

    def place(self, j: int, values: Vector) -> Vector:
        """Where values of input j stand on the search's scale."""
        found: Vector = self.price.place(j, values, self.percentiles) / self.scale
        return found

    def own(self, X: Matrix, sums: Sequence[Sum] = ()) -> Own:
        """What the search reads about people themselves."""
        n, d = X.shape
        values, places = np.empty((n, 3, d)), np.empty((n, 3, d))
        cells = np.zeros(X.shape, dtype=np.int32)
        bounds = self.domain.bounds(X, self.kept, self.months)
        values[:, 0] = X
        for alike, grid in self._grids_together:
            x = X[:, alike]
            below, above = grid.around(x)
            if self.domain.columns.any_least:
                below = np.minimum(below, grid.floor(bounds.below[:, alike]))
                above = np.maximum(above, grid.ceil(bounds.above[:, alike]))
            values[:, 1, alike], values[:, 2, alike] = grid.values(below), grid.values(above)
        for j, cuts in enumerate(self.cuts):
            places[:, :, j] = self.price.place(j, values[:, :, j], self.percentiles)
            if len(cuts):
                cells[:, j] = cuts.searchsorted(X[:, j])
        places /= self.scale
        nowhere = bounds.low > bounds.high
        low, high = (np.where(nowhere, X, bound) for bound in bounds[:2])
        return Own(values, places, cells, self._added(values, sums), low, high, self._flat(X))

    @cached_property
    def _grids_together(self) -> list[tuple[list[int], Grid]]:
        return Grid.of_all(self.grids)

    def _flat(self, X: Matrix) -> Matrix:
        """The flat price of each person's moves, if there is one."""
        flat = np.full(X.shape, np.nan)
        for j in self.domain.columns.irregular:
            # any other value: nobody has NaN
            prices = self.domain.features[j].flat_price(X[:, j], np.full(len(X), np.nan))
            flat[:, j] = self.price.flat(prices, self.percentiles) / self.scale
        return flat

    def _added(self, values: Matrix, sums: Sequence[Sum]) -> Matrix:
        """What values, people × which × inputs, add to each sum: people × which × sums × inputs."""
        n, which, d = values.shape
        found, values = np.zeros((n, which, len(sums), d)), values.copy()
        for j, last in self.domain.columns.last_codes:  # beyond it there is nothing to ask
            own, around = values[:, 0, j], values[:, 1:, j]
            values[:, 0, j] = np.where(np.isfinite(own), np.clip(own, 0.0, last), own)
            values[:, 1:, j] = np.clip(around, 0.0, last)
        for r, model in enumerate(sums):
            if isinstance(model, Linear):
                found[:, :, r] = values * model.weights
                continue
            for j in inputs_of(model):
                column = values[:, :, j].ravel()
                found[:, :, r, j] = added_by(model, j)(column).reshape(n, which)
        return found

    def reported(self, cost: float) -> float:
        """A cost of the search as it is reported: in its units, the root for l2, never negative."""
        cost = max(0.0, cost)
        return self.scale * (float(np.sqrt(cost)) if self.price.squared else cost)

    @cached_property
    def partial(self) -> bool:
        """Whether an action grid leaves out some admissible value that sums could tell apart."""
        starts = self.ranges.starts
        for j, feature in enumerate(self.domain):
            if feature.mutable and self.ranges.summed[j]:
                a, b = starts[j], starts[j + 1]
                low, high = _inside(feature)
                tokens = sum(feature.lower <= t <= feature.upper for t in feature.tokens)  # type: ignore[operator]
                single = (self.ranges.first[a:b] == self.ranges.last[a:b]).all()
                if single and b - a + tokens <= high - low:
                    return True
        return False

    @cached_property
    def wide_inputs(self) -> frozenset[int]:
        """The inputs that have ranges of several values that are not all alike to the models."""
        r = self.ranges
        owners = np.repeat(np.arange(len(r.summed)), np.diff(r.starts))
        return frozenset(owners[r.summed[owners] & (r.first < r.last)].tolist())

    @property
    def wide(self) -> bool:
        """Whether some range holds several values that are not all alike to the models."""
        return bool(self.wide_inputs)

    @cached_property
    def widest(self) -> int:
        """The most levels an input can have at first; a person's own value may cut a range."""
        return int(np.diff(self.ranges.starts).max()) + 2


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


def hundredths(percentiles: Percentiles, j: int) -> Vector:
    """The values that part the reference table into equal shares."""
    name = percentiles.names[j]
    shares = np.arange(1, PARTS) / PARTS - 1e-12
    return percentiles.values[name][np.searchsorted(percentiles.shares[name], shares)]


def _ranges(feature: Feature, cuts: Vector, within: Vector | None) -> tuple[Vector, Vector]:
    """First and last value of each range of one input: its cells, cut further if a sum reads it.

    Then every value is a range of its own, or, where these are many, the ranges end `within`.
    """
    grid = Grid.of(feature)
    low, high = _inside(feature)
    if low > high:
        return np.empty(0), np.empty(0)
    lasts = [grid.floor(cuts[np.isfinite(cuts)]), np.array([high], dtype=np.int64)]
    if within is not None and high - low < LISTED:
        lasts.append(np.arange(low, high + 1, dtype=np.int64))
    elif within is not None:
        lasts.append(grid.floor(within))
    tokens = [t for t in feature.tokens if grid.values(grid.keys([t]))[0] == t]
    lasts += [grid.floor(tokens), grid.below(tokens)] if tokens else []
    last = np.unique(np.concatenate(lasts))
    last = last[(last >= low) & (last <= high)]
    first = np.concatenate(([low], last[:-1] + 1)).astype(np.int64)
    if tokens:  # nobody is sent to what stands for a missing value
        kept = ~np.isin(grid.values(first), tokens)
        first, last = first[kept], last[kept]
    return grid.values(first), grid.values(last)


def _offered(feature: Feature, percentiles: Percentiles, j: int, actions: Actions) -> Vector:
    """The values of one input that the action grid offers."""
    grid = Grid.of(feature)
    low, high, step = _limits(feature)
    if feature.kind in WHOLE and (high - low) / step <= LISTED:
        least, greatest = _inside(feature)
        return grid.values(np.arange(least, greatest + 1))
    name = percentiles.names[j]
    seen = percentiles.values[name]
    if actions.even:
        chosen = np.linspace(max(low, seen[0]), min(high, seen[-1]), actions.steps + 1)
        chosen = grid.values(grid.keys(chosen))
    else:
        shares = np.linspace(0.0, 1.0, actions.steps + 1) - 1e-12
        places = np.searchsorted(percentiles.shares[name], shares)
        chosen = seen[np.minimum(places, len(seen) - 1)]
        chosen = grid.values(np.concatenate([grid.floor(chosen), grid.ceil(chosen)]))
    return np.unique(chosen[(chosen >= low) & (chosen <= high)])


def _inside(feature: Feature) -> tuple[int, int]:
    """The keys of the least and the greatest admissible value within the bounds."""
    low, high, step = _limits(feature)
    grid, most = Grid.of(feature), min(FARTHEST, step * MOST_KEYS) if step else FARTHEST
    least, greatest = np.clip([low, high], -most, most)
    return int(grid.ceil([least])[0]), int(grid.floor([greatest])[0])


def _limits(feature: Feature) -> tuple[float, float, float]:
    assert feature.lower is not None
    assert feature.upper is not None
    assert feature.step is not None
    return feature.lower, feature.upper, feature.step
