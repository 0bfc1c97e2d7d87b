"""Rounder numbers for the same cost: of an input's values that cost the same, the roundest.

A percentile cost is flat between neighbouring values of the reference table, so that advice may
often choose among several values of an input. A search takes any of them; here the nearest is
found, and the roundest that is not much farther. The proof is not touched: what is put in its place
costs the same to the last bit.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Feature
from standfast.scores import TreeEnsemble
from standfast.search.problem.lattice import Lattice, Own
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Program

# nobody is sent farther than that by rounding, as a share of their move
FARTHER = 0.1
# rounder values that are tried for one input of one person
TRIED = 32
# values tried at a time on the way to the nearest one
PROBES = 16
# where every number is admissible, numbers are so many digits finer than that share
FINER = 6
# beyond, whole numbers and powers of ten are not exact any more
MOST, MOST_DIGITS = 2**53, 15

# the own value's neighbours in `Own`
BELOW, ABOVE = 1, 2


@dataclass(frozen=True)
class Decimals:
    """Numbers with so many decimals, as whole numbers; admissible are the multiples of a `step`."""

    digits: int
    step: int

    @classmethod
    def of(cls, feature: Feature) -> "Decimals | None":
        """Those of a feature with a step; None if its multiples are no such numbers."""
        digits, step = feature.decimals, float(feature.step or 0.0)
        if digits > MOST_DIGITS or not 1.0 <= step * 10**digits < MOST:
            return None
        whole = round(step * 10**digits)
        return cls(digits, whole) if math.isclose(whole, step * 10**digits) else None

    @classmethod
    def fine(cls, width: float, size: float) -> "Decimals | None":
        """Those that part a width finely, for numbers of some size; None if these are too large."""
        if not (width > 0.0 and size < MOST):
            return None
        room = MOST_DIGITS - math.ceil(math.log10(size))
        digits = min(FINER - math.floor(math.log10(width)), room)
        return cls(digits, 1) if abs(digits) <= MOST_DIGITS else None

    def number(self, whole: int) -> float:
        """The very number that the decimals print."""
        return whole / 10**self.digits if self.digits >= 0 else float(whole * 10**-self.digits)

    def least(self, value: float) -> int:
        """The least admissible one at or above a value."""
        whole = round(value * 10.0**self.digits / self.step) * self.step
        return whole if self.number(whole) >= value else whole + self.step

    def greatest(self, value: float) -> int:
        """The greatest admissible one at or below a value."""
        whole = round(value * 10.0**self.digits / self.step) * self.step
        return whole if self.number(whole) <= value else whole - self.step


def roundest_first(least: int, greatest: int, step: int, up: bool) -> Iterator[int]:
    """The multiples of a step from the least to the greatest, the roundest first.

    The larger the 1, 2 or 5 × 10ᵏ that one is a multiple of, the rounder it is; of equally round
    ones the least come first if `up`, else the greatest.

    >>> list(roundest_first(97, 104, 1, up=True))
    [100, 98, 102, 104, 97, 99, 101, 103]
    """
    size, seen = max(abs(least), abs(greatest)), set[int]()
    power = 10 ** len(str(size))  # zero comes first
    while power:
        for unit in (5 * power, 2 * power, power):
            width = math.lcm(unit, step)
            first, last = -(-least // width) * width, greatest // width * width
            wholes = range(first, last + 1, width) if up else range(last, first - 1, -width)
            for whole in wholes:
                if whole not in seen:
                    seen.add(whole)
                    yield whole
            if width == step:
                return
        power //= 10


class Rounded(NamedTuple):
    """What is known of an input that can be rounded; `decimals` None: every number will do."""

    decimals: Decimals | None
    values: Vector  # those of the reference table, ascending


class Span(NamedTuple):
    """The values of an input that cost a person the same, from the nearest to the farthest.

    Whole numbers of the `decimals`; they ascend if `up`, which is away from the person. `own` is
    where the person stands, and `goal` the one advised, None where it has other decimals.
    """

    decimals: Decimals
    up: bool
    near: int
    far: int
    goal: int | None
    own: float

    def probes(self, nearest: int) -> list[int]:
        """Values before the nearest accepted so far, all if there are few, the nearest first."""
        step = self.decimals.step if self.up else -self.decimals.step
        count = (nearest - self.near) // step
        some = list(range(self.near, nearest, step * max(1, -(-count // PROBES))))
        if some and some[-1] != nearest - step:  # mostly, nothing nearer is accepted
            some.append(nearest - step)
        return some

    def round_ones(self, nearest: float) -> list[float]:
        """Rounder values than the nearest, not much farther, the roundest first."""
        decimals, farther = self.decimals, FARTHER * abs(nearest - self.own) * (1 + 1e-9)
        if farther * 10.0**decimals.digits < decimals.step:
            return []
        if self.up:
            ends = decimals.least(nearest), min(self.far, decimals.greatest(nearest + farther))
        else:
            ends = max(self.far, decimals.least(nearest - farther)), decimals.greatest(nearest)
        every = roundest_first(*ends, decimals.step, self.up)
        values = map(decimals.number, islice(every, TRIED if ends[0] < ends[1] else 0))
        return list(takewhile(lambda value: value != nearest, values))


class Rounder:
    """What rounding a program's answers takes, prepared once."""

    def __init__(self, program: Program) -> None:
        self._program, self._models = program, (*program.models, *program.rules)
        self._cutoffs = [
            (need + m.offset) / m.divisor if isinstance(m, TreeEnsemble) else need + m.offset
            for m, need in zip(self._models, program.needs, strict=False)
        ]
        lattice = program.lattice
        self._inputs = {
            j: found for j in range(len(lattice.domain)) if (found := _rounded(lattice, j))
        }

    def rounded(self, X: Matrix, own: Own, whose: NDArray[np.intp], points: Matrix) -> Matrix:
        """The points, each of the person `whose` of X, with rounder numbers that cost the same.

        Input by input in the order of the schema, as all models, rules and relations accept: the
        nearest to the person, and then the roundest that is not much farther.
        """
        found, moved = points.copy(), points != X[whose]
        for j in np.flatnonzero(moved.any(axis=0)).tolist():
            if j not in self._inputs:
                continue
            spans = {
                row: span
                for row in np.flatnonzero(moved[:, j]).tolist()
                if (span := self._span(j, int(whose[row]), float(found[row, j]), own))
            }
            if spans:
                asked = _Asked(self, j, X[whose], found)
                asked.nearest(spans)
                asked.first({row: s.round_ones(found[row, j]) for row, s in spans.items()})
        return found

    def _span(self, j: int, i: int, goal: float, own: Own) -> Span | None:
        """The values of input j that cost person i as much as the goal does; None if it is one."""
        decimals, values = self._inputs[j]
        x = float(own.value[i, 0, j])
        if not (math.isfinite(goal - x) and math.isnan(own.flat[i, j])):
            return None
        whole = decimals is not None
        decimals = decimals or Decimals.fine(FARTHER * abs(goal - x), max(abs(goal), abs(x)))
        if decimals is None:
            return None
        low, high = float(own.low[i, j]), float(own.high[i, j])
        if goal > x:
            low = max(low, float(own.value[i, ABOVE, j]))
        else:
            high = min(high, float(own.value[i, BELOW, j]))
        k = int(values.searchsorted(goal, "right"))  # up to the next value the share is the same
        low = max(low, float(values[k - 1])) if k else low
        reach = MOST / 10.0**decimals.digits
        least, greatest = decimals.least(max(low, -reach)), decimals.greatest(min(high, reach))
        if k < len(values):
            greatest = min(greatest, decimals.least(float(values[k])) - decimals.step)
        if least >= greatest:
            return None
        near, far = (least, greatest) if goal > x else (greatest, least)
        return Span(decimals, goal > x, near, far, decimals.least(goal) if whole else None, x)

    def accept(self, j: int, X: Matrix, points: Matrix) -> NDArray[np.bool_]:
        """Which points all models and rules accept, and the relations that read input j."""
        fine = np.ones(len(points), dtype=bool)
        for model, cutoff in zip(self._models, self._cutoffs, strict=True):
            fine[fine] = model.raw(points[fine]) > cutoff
        program = self._program
        reading = np.flatnonzero(program.lattice.domain.law_rows[:, j])
        if len(reading) and fine.any():
            needs = program.person_needs(X[fine])
            first = len(program.sums) - program.relations
            laws = [program.sums[first + r].raw(points[fine]) > needs[:, r] for r in reading]
            fine[fine] = np.logical_and.reduce(laws)
        return fine


@dataclass(frozen=True)
class _Asked:
    """Values of one input, tried for the people who are at `points` on the way to rounder ones."""

    rounder: Rounder
    j: int
    X: Matrix
    points: Matrix

    def first(self, values: Mapping[int, Sequence[float]]) -> dict[int, int]:
        """Move people, by their rows, to the first of some values that all accept; which it is."""
        rows = [row for row, some in values.items() for _ in some]
        if not rows:
            return {}
        asked = self.points[rows]
        asked[:, self.j] = [value for some in values.values() for value in some]
        fine = np.flatnonzero(self.rounder.accept(self.j, self.X[rows], asked))
        starts = dict(zip(values, np.cumsum([0, *map(len, values.values())]), strict=False))
        found: dict[int, int] = {}
        for k in fine.tolist():
            if rows[k] not in found:
                found[rows[k]] = k - int(starts[rows[k]])
                self.points[rows[k], self.j] = asked[k, self.j]
        return found

    def nearest(self, spans: Mapping[int, Span]) -> None:
        """Move people to the nearest value: one after another, or in narrowing steps if many."""
        left = {row: (s, s.goal) for row, s in spans.items() if s.goal is not None}
        while left:
            probes = {row: span.probes(goal) for row, (span, goal) in left.items()}
            numbers = {
                row: [left[row][0].decimals.number(whole) for whole in wholes]
                for row, wholes in probes.items()
            }
            found, further = self.first(numbers), {}
            for row, (span, goal) in left.items():
                wholes, step = [*probes[row], goal], span.decimals.step * (1 if span.up else -1)
                k = found.get(row, len(wholes) - 1)
                if k > 0 and abs(wholes[k] - wholes[k - 1]) > span.decimals.step:
                    further[row] = span._replace(near=wholes[k - 1] + step), wholes[k]
            left = further


def _rounded(lattice: Lattice, j: int) -> Rounded | None:
    """What rounding input j takes; None where names or nothing but steps of a price are at hand."""
    feature, price = lattice.domain.features[j], lattice.price
    named = feature.kind in ("nominal", "binary") or feature.categories is not None
    if (
        price.units is not None
        or j in price.ladders
        or named
        or feature.tokens
        or not feature.mutable
    ):
        return None
    decimals = Decimals.of(feature) if feature.step else None
    if feature.step and decimals is None:
        return None
    return Rounded(decimals, lattice.percentiles.values[feature.name])
