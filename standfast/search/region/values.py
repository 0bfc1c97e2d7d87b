"""The admissible values of promises' boxes, and the cells between tree thresholds they lie in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.recommendations.boxes import Boxes
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING
from standfast.schema.grid import Grid, inwards_on_grid
from standfast.search.problem.price import Matrix, Vector

Bools = NDArray[np.bool_]
Cells = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Admissible:
    """What a person may take of their box, input by input: values `lo` to `hi`, or their own.

    Where lo exceeds hi, no value but the own one is left, if it is `own`: in the box, and not among
    those from lo to hi. Numbers between `below` and `above` are too close to the own value. Of a
    nominal input, `members` are the codes in the box that the person may have, own one included.
    """

    schema: Schema
    x: Matrix
    y: Matrix
    lo: Matrix
    hi: Matrix
    own: Bools
    below: Matrix
    above: Matrix
    members: dict[int, Bools]

    @classmethod
    def of(cls, schema: Schema, factual: Matrix, point: Matrix, boxes: Boxes) -> "Admissible":
        """What people at `factual`, who were sent to `point`, may take of their boxes."""
        bounds, home = schema.bounds(factual), ~boxes.outside(factual)
        still = schema.lacking(factual) & ~schema.columns.fills
        lo, hi = np.maximum(boxes.lower, bounds.low), np.minimum(boxes.upper, bounds.high)
        lo = inwards_on_grid(schema.grid, lo, 1.0)
        hi = inwards_on_grid(schema.grid, hi, -1.0)
        gap = still | ~schema.mutable | (boxes.upper == MISSING)
        lo, hi = np.where(gap, np.inf, lo), np.where(gap, -np.inf, hi)
        members = {}
        for j, held in boxes.inside.items():
            members[j] = _members(schema.features[j], factual[:, j], held, gap[:, j])
            codes = np.arange(members[j].shape[1])
            some = members[j].any(axis=1)
            lo[:, j] = np.where(some, members[j].argmax(axis=1), np.inf)
            hi[:, j] = np.where(some, codes[-1] - members[j][:, ::-1].argmax(axis=1), -np.inf)
        step, power = schema.grid
        gridded = inwards_on_grid((step, power), factual, 1.0) == factual
        between = (lo <= factual) & (factual <= hi) & gridded
        # between `below` and `above` nothing counts but the own value
        own = home & ~(between & (schema.columns.least == 0))
        for j, held in members.items():
            known = (factual[:, j] >= 0) & (factual[:, j] < held.shape[1])
            own[:, j] = home[:, j] & ~known
        # an own value that is all there is counts as a range of one
        alone = own & (lo > hi)
        lo, hi = np.where(alone, factual, lo), np.where(alone, factual, hi)
        return cls(
            schema,
            np.ascontiguousarray(factual),
            np.ascontiguousarray(point),
            lo,
            hi,
            own & ~alone,
            bounds.below,
            bounds.above,
            members,
        )

    def __len__(self) -> int:
        return len(self.lo)

    @cached_property
    def empty(self) -> Bools:
        """Whose box holds no admissible point."""
        return np.asarray((self.lo > self.hi).any(axis=1))

    @cached_property
    def single(self) -> Bools:
        """Whose box holds the advised point and nothing else."""
        alone = (self.lo == self.hi) & ~self.own
        return np.asarray((alone & (self.lo == self.y)).all(axis=1))

    @cached_property
    def holed(self) -> Bools:
        """Where some numbers between lo and hi are too close to the own value."""
        least = self.schema.columns.least > 0
        alone = (self.lo == self.hi) & (self.lo == self.x)
        return np.asarray(least & (self.below < self.hi) & (self.above > self.lo) & ~alone)

    def some(self, rows: NDArray[np.intp]) -> "Admissible":
        """What some of the people may take."""
        names = ("x", "y", "lo", "hi", "own", "below", "above")
        parts = {name: getattr(self, name)[rows] for name in names}
        members = {j: held[rows] for j, held in self.members.items()}
        return replace(self, **parts, members=members)


def _members(feature: Feature, own: Vector, held: Bools, still: Bools) -> Bools:
    """Which codes of a nominal input are in the box and may be had from where people stand."""
    codes = np.arange(held.shape[1] - 1, dtype=np.float64)
    categories = len(feature.categories or ())
    allowed = np.zeros((len(own), len(codes)), dtype=bool)
    for code in np.unique(own):
        rows = own == code
        may = np.isfinite(feature.flat_price(np.full(len(codes), code), codes))
        may[categories:] = False  # nobody is sent to what stands for a missing value
        if 0 <= code < len(codes):
            may[int(code)] = True
        allowed[rows] = may
    allowed &= ~still[:, None] | (codes == own[:, None])
    return np.asarray(held[:, 1:] & allowed)


def values_in_cells(
    schema: Schema, cuts: Sequence[Vector]
) -> tuple[Cells, Vector, Vector, Cells, Cells]:
    """Where each input's cells begin, their first and last admissible values, the next with any.

    Cells of all inputs side by side; first exceeds last if a cell has no value. The next cells that
    hold one, upwards and downwards from each cell on, are counted from the input's first cell.
    """
    parts = [_between(f, cut) for f, cut in zip(schema, cuts, strict=True)]
    start = np.cumsum([0, *(len(first) for first, _ in parts)])
    up, down = [], []
    for a, b in parts:
        count, filled = len(a), a <= b
        number = np.arange(count)
        above = np.where(filled, number, count)
        up.append(np.minimum.accumulate(above[::-1])[::-1])
        down.append(np.maximum.accumulate(np.where(filled, number, -1)))
    first, last = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    above, below = (np.concatenate(cells).astype(np.int32) for cells in (up, down))
    return start.astype(np.int32), first, last, above, below


def _between(feature: Feature, cuts: Vector) -> tuple[Vector, Vector]:
    """First and last admissible value of every cell of one input."""
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    if not feature.mutable:
        return np.full(len(ends) - 1, np.inf), np.full(len(ends) - 1, -np.inf)
    lower, upper = float(feature.lower or 0.0), float(feature.upper or 0.0)
    if not feature.step:
        first = np.maximum(np.nextafter(ends[:-1], np.inf), lower)
        first[0] = lower
        return first, np.minimum(ends[1:], upper)
    grid = Grid.of(feature)
    low, high = int(grid.ceil([lower])[0]), int(grid.floor([upper])[0])
    inner = grid.floor(np.clip(cuts, lower - 1.0, upper + 1.0))
    first = np.concatenate([[low], np.maximum(inner + 1, low)])
    last = np.concatenate([np.minimum(inner, high), [high]])
    a, b = grid.values(first), grid.values(last)
    none = (first > last) | ((a == b) & np.isin(a, feature.tokens))
    return np.where(none, np.inf, a), np.where(none, -np.inf, b)
