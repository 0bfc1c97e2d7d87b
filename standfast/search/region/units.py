"""The units by which a box grows: runs of admissible values between which no model is surprised."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.schema import Feature
from standfast.schema.grid import Grid
from standfast.scores import Linear, TreeEnsemble
from standfast.search.problem.contributions import Sum, is_constant, is_monotone
from standfast.search.problem.lattice import hundredths
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Program

# inputs that a weighted sum reads grow value by value if they have at most so many values, and
# otherwise by hundredths of the reference table
FEW = 1000
# a function that neither rises nor falls is evaluated at every admissible value, but not at more
MOST = 2**25
CHUNK = 2**18
GREATEST = float(np.finfo(np.float64).max)


class Reference(NamedTuple):
    """The reference table's distinct values with their shares, input after input."""

    starts: NDArray[np.intp]
    values: Vector
    shares: Vector

    @classmethod
    def build(cls, percentiles: Percentiles) -> "Reference":
        """The flat form of percentiles in the schema's order."""
        sizes = [len(values) for values in percentiles.values.values()]
        return cls(
            np.concatenate(([0], np.cumsum(sizes))).astype(np.intp),
            np.concatenate(list(percentiles.values.values())),
            np.concatenate(list(percentiles.shares.values())),
        )


class Runs(NamedTuple):
    """All units in flat arrays: input j's are those from `starts[j]` to `starts[j + 1]`, ascending.

    A unit holds the grid values from `first` to `last`, which lie in one cell. `before` is the
    share of the reference table below `first`, `upto` the share up to `last`. `worst[r]` is the
    least that one of its values adds to weighted sum r, −∞ where that is not known.
    """

    starts: NDArray[np.intp]
    first: Vector
    last: Vector
    cell: NDArray[np.int32]
    before: Vector
    upto: Vector
    worst: Matrix


@dataclass(frozen=True, eq=False)
class Units:
    """What growing a box needs to know besides the person: units, sums, and how sums behave.

    `monotone[r, j]` says that input j's part of sum r only rises or only falls, so that its worst
    is at an end.
    """

    runs: Runs
    reference: Reference
    sums: tuple[Sum, ...]
    monotone: NDArray[np.bool_]

    @classmethod
    def build(cls, program: Program) -> "Units":
        """The units for a program's models, schema and reference table."""
        sums = tuple(m for m in program.models if not isinstance(m, TreeEnsemble))
        domain, cuts = program.lattice.domain, program.lattice.cuts
        percentiles = program.lattice.percentiles
        parts: list[tuple[Vector, Vector]] = []
        for j, feature in enumerate(domain):
            read = any(not is_constant(model, j) for model in sums)
            read = read or feature.kind == "nominal"  # a set of categories grows one by one
            parts.append(_units(feature, cuts[j], percentiles, j, read))
        first, last = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        sizes = [len(part[0]) for part in parts]
        owners = np.repeat(np.arange(len(sizes)), sizes)
        cell = [np.searchsorted(cuts[j], parts[j][1], side="left") for j in range(len(parts))]
        before, upto = np.empty(len(first)), np.empty(len(first))
        for j in range(len(parts)):
            mine = owners == j
            before[mine] = share_below(percentiles, j, first[mine])
            upto[mine] = percentiles.rank_of(j, last[mine])
        monotone = np.array([[is_monotone(m, j) for j in range(len(domain))] for m in sums])
        worst = [
            np.concatenate([_worst(m, j, f, *parts[j]) for j, f in enumerate(domain)]) for m in sums
        ]
        return cls(
            Runs(
                np.concatenate(([0], np.cumsum(sizes))).astype(np.intp),
                first,
                last,
                np.concatenate(cell).astype(np.int32),
                before,
                upto,
                np.array(worst).reshape(len(sums), len(first)),
            ),
            Reference.build(percentiles),
            sums,
            monotone.reshape(len(sums), len(domain)),
        )

    def contributions(self, X: Matrix) -> Matrix:
        """What each row's values add to each weighted sum: rows × sums × inputs."""
        columns = [[adds(m, j, X[:, j]) for j in range(X.shape[1])] for m in self.sums]
        found = np.array(columns).reshape(len(self.sums), X.shape[1], len(X))
        return np.ascontiguousarray(found.transpose(2, 0, 1))


def share_below(percentiles: Percentiles, j: int, values: Vector) -> Vector:
    """The share of the reference table strictly below each value: Q_j(v−)."""
    name = percentiles.names[j]
    below = np.searchsorted(percentiles.values[name], values, side="left")
    return np.where(below > 0, percentiles.shares[name][below - 1], 0.0)


def adds(model: Sum, j: int, values: Vector) -> Vector:
    """What values of input j add to a weighted sum; −∞ where the model refuses a value."""
    with np.errstate(all="ignore"):
        if isinstance(model, Linear):
            weight: float = model.weights[j]
            return values * weight
        found = np.asarray(model.functions[j](values), dtype=np.float64)
    return np.where(np.isnan(found), -np.inf, found)


def _floored(feature: Feature, values: Vector, way: int = 1) -> Vector:
    """The admissible value at or below each value (at or above it for way −1); open ends stay."""
    if not feature.step or not len(values):
        return values
    grid, finite = Grid.of(feature), np.where(np.isfinite(values), values, 0.0)
    nearest = grid.values(grid.floor(finite) if way > 0 else grid.ceil(finite))
    return np.where(np.isfinite(values), nearest, values)


def _following(feature: Feature, values: Vector) -> Vector:
    """The admissible value next above each grid value."""
    if not feature.step:
        return np.nextafter(values, np.inf)
    grid = Grid.of(feature)
    return grid.values(grid.keys(values) + 1)


def _units(
    feature: Feature, cuts: Vector, percentiles: Percentiles, j: int, summed: bool
) -> tuple[Vector, Vector]:
    """First and last value of each unit of one input."""
    if not feature.mutable or feature.lower is None or feature.upper is None:
        return np.empty(0), np.empty(0)
    low = _floored(feature, np.array([feature.lower]), -1)
    high = _floored(feature, np.array([feature.upper]))
    if low[0] > high[0]:
        return np.empty(0), np.empty(0)
    ends = [_floored(feature, cuts), high]
    if summed:
        span = (high[0] - low[0]) / feature.step if feature.step else np.inf
        if span < FEW or feature.kind == "nominal":
            grid = Grid.of(feature)
            ends.append(grid.values(grid.keys(low) + np.arange(round(span) + 1)))
        else:
            ends.append(_floored(feature, hundredths(percentiles, j)))
    last = np.unique(np.concatenate(ends))
    last = last[(last >= low[0]) & (last <= high[0])]
    return np.concatenate([low, _following(feature, last[:-1])]), last


def _worst(model: Sum, j: int, feature: Feature, first: Vector, last: Vector) -> Vector:
    """The least that a value of each unit adds to a sum.

    An end that is open to infinity stands for the greatest number there is. Refused values lie at
    the ends of a monotone part (the logarithm of a negative number), so both ends are asked.
    """

    def added(values: Vector) -> Vector:
        return adds(model, j, np.clip(values, -GREATEST, GREATEST))

    if not len(first):
        return np.empty(0)
    ends = np.minimum(added(first), added(last))
    if is_monotone(model, j):
        return ends
    step = float(feature.step or 0.0)
    count = (last[-1] - first[0]) / step if step else np.inf
    if not count < MOST:
        return np.where(first == last, ends, -np.inf)
    return _least(added, feature, first, last)


def _least(
    added: Callable[[Vector], Vector], feature: Feature, first: Vector, last: Vector
) -> Vector:
    """The least of a function over every grid value of each unit."""
    grid = Grid.of(feature)
    k, end = int(grid.keys(first[0])), int(grid.keys(last[-1]))
    least = np.full(len(first), np.inf)
    while k <= end:
        values = grid.values(np.arange(k, min(k + CHUNK, end + 1)))
        unit = np.searchsorted(last, values, side="left")
        turns = np.concatenate(([0], np.flatnonzero(np.diff(unit)) + 1))
        owner = unit[turns]
        least[owner] = np.minimum(least[owner], np.minimum.reduceat(added(values), turns))
        k += CHUNK
    return least
