"""Widening answers into boxes: the kernel grows them, and refused units are looked at closely."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.schema.grid import Grid
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Program
from standfast.search.region.units import (
    CHUNK,
    GREATEST,
    Units,
    adds,
    share_below,
)

# values asked about at a time while a boundary is closed in on, and at most in all where a function
# neither rises nor falls
PROBES, MOST_SCANNED = 64, 2**22

Judge = Callable[[Vector], Any]


@dataclass(frozen=True)
class Widened:
    """One person's box, and the whole range that the schema leaves them.

    Of each nominal input, `inside` are the categories in the box, `reachable` all that there are.
    `proven` is False where the bounds do not even prove the point itself.
    """

    lower: Vector
    upper: Vector
    least: Vector
    greatest: Vector
    inside: Mapping[int, Vector]
    reachable: Mapping[int, Vector]
    proven: bool


class Widener:
    """A program and the answers that are widened under it, one after another in one workspace."""

    def __init__(self, program: Program, X: Matrix, Y: Matrix) -> None:
        from standfast.compilation import Struct
        from standfast.search.region import pieces, widening

        self.program, self.percentiles = program, program.lattice.percentiles
        domain = program.lattice.domain
        (low, high, *_), self._own = domain.bounds(X), X
        X = np.where(domain.lacking(X), Y, X)  # a gap that was filled in is no part of the box
        self.X, self.Y = np.ascontiguousarray(X), np.ascontiguousarray(Y)
        self._kernel, self._cutter = widening, pieces
        self._units = Units.build(program)
        lattice, models = program.lattice, len(program.models)
        # what 32 bits may hide must be exceeded, too
        needs = program.needs + program.single.error
        self._sums = np.array([needs[m] for m in range(models) if program.row[m] >= 0])
        d, runs = X.shape[1], self._units.runs
        self._pieces = pieces.no_pieces(runs, lattice.ranges.cell_start)
        widest = self._pieces.first.shape[1]
        self._nominal = np.array([f.kind == "nominal" for f in domain])
        self._box = widening.no_box(len(self._units.sums), self._nominal, widest)
        trees = widening.no_trees(program.forest, d, widest)
        parts = (self._pieces, trees, self._box, program.forest, needs[:models], self._sums)
        self._growing: Any = Struct(widening.Growing(*parts))
        self._grown: Any = Struct(pieces.Grown(runs, self._units.reference))
        self._cells = [
            np.column_stack(
                [np.searchsorted(cut, Z[:, j], side="left") for j, cut in enumerate(lattice.cuts)]
            ).astype(np.int32)
            for Z in (self.X, self.Y)
        ]
        self._adds = [self._units.contributions(Z) for Z in (X, Y)]
        still = domain.lacking(self.Y)  # and one that was left open stays so
        self._limits = np.where(still, np.inf, low), np.where(still, -np.inf, high)

    def widen(self, i: int) -> Widened:
        """The box around answer i, no side of which can take one more admissible value."""
        from standfast.compilation import Struct

        kernel, pieces, box = self._kernel, self._pieces, self._box
        (x_cells, y_cells), (x_adds, y_adds), (low, high) = self._cells, self._adds, self._limits
        step, power = self.program.lattice.domain.grid
        own = (self.X[i], self.Y[i], x_cells[i], y_cells[i], x_adds[i], y_adds[i], low[i], high[i])
        rules: Any = Struct(
            self._cutter.Rules(*(np.ascontiguousarray(part) for part in (*own, step, power)))
        )
        self._cutter.set_pieces(self._growing.part_of("pieces"), rules, self._grown)
        inputs = np.arange(len(pieces.counts))
        least, greatest = pieces.first[:, 0].copy(), pieces.last[inputs, pieces.counts - 1].copy()
        kernel.begin(self._growing, rules.y_adds)
        reachable = self._offer(i)
        if not kernel.accepts(self._growing):
            point = {j: self.Y[i, [j]] for j in reachable}
            return Widened(self.Y[i], self.Y[i], least, greatest, point, reachable, False)
        side = kernel.grow(self._growing, kernel.DONE)
        while side != kernel.DONE:
            side = kernel.grow(self._growing, side if self._shorten(side) else kernel.DONE)
        lower, upper = pieces.first[inputs, box.low], pieces.last[inputs, box.high]
        inside = {j: pieces.first[j, box.state[j] == kernel.TAKEN] for j in reachable}
        return Widened(lower, upper, least, greatest, inside, reachable, True)

    def _offer(self, i: int) -> dict[int, Vector]:
        """Open the categories that this person may reach, and list them input by input."""
        pieces, state, found = self._pieces, self._box.state, {}
        state[:] = self._kernel.REFUSED
        for j in np.flatnonzero(self._nominal).tolist():
            feature = self.program.lattice.domain.features[j]
            codes = pieces.first[j, : pieces.counts[j]].copy()
            may = ~np.isinf(feature.flat_price(np.full(len(codes), self._own[i, j]), codes))
            may[pieces.start[j]] = True
            state[j, : len(codes)][may] = self._kernel.OPEN
            state[j, pieces.start[j]] = self._kernel.TAKEN
            found[j] = codes[may]
        return found

    def _shorten(self, side: int) -> bool:
        """Cut the side's next piece after its last welcome value; close the side if there is none.

        A piece that turns out to be welcome as a whole is kept whole, with its true worst.
        """
        pieces, box, (j, up) = self._pieces, self._box, divmod(side, 2)
        k = box.high[j] + 1 if up else box.low[j] - 1
        ends = pieces.first[j, k], pieces.last[j, k]
        a, b = ends if up else ends[::-1]
        values = Between.build(self.program.lattice.grids[j], a, b)
        rising = bool(self._units.monotone[:, j].all())
        far = self._farthest(j, values, rising)
        if far < 0:
            box.closed[j, up] = True
            return False
        for r, model in enumerate(self._units.sums):
            seen = [values.at([0, far])] if rising else values.chunks(far + 1)
            pieces.worst[r, j, k] = min(adds(model, j, some).min() for some in seen)
        pieces.cut[j, k] = False
        if far + 1 < values.count:
            end = values.at([far])
            box.final[j, up] = True
            if up:
                pieces.last[j, k], pieces.upto[j, k] = end[0], self.percentiles.rank_of(j, end)[0]
            else:
                pieces.first[j, k] = end[0]
                pieces.before[j, k] = share_below(self.percentiles, j, end)[0]
        return True

    def _farthest(self, j: int, values: "Between", rising: bool) -> int:
        """The number of the last value up to which every sum accepts all; −1 if not even the first.

        Where sums only rise or fall the boundary is closed in on. Otherwise value after value is
        asked, unless there are as many as numbers: then nothing is proven between two of them.
        """
        welcome = self._judge(j)
        if rising:
            good, bad = -1, values.count
            while bad - good > 1:
                probes = sorted(
                    {good + (bad - good) * n // PROBES for n in range(1, PROBES)} - {good}
                )
                accepted = welcome(values.at(probes))
                n = len(probes) if accepted.all() else int(accepted.argmin())
                good, bad = ([good, *probes][n], [*probes, bad][n])
            return good
        if not values.grid.has_step and values.count > 1:
            return -1
        asked = 0
        for some in values.chunks(min(values.count, MOST_SCANNED)):
            accepted = welcome(some)
            if not accepted.all():
                return asked + int(accepted.argmin()) - 1
            asked += len(some)
        return asked - 1

    def _judge(self, j: int) -> Judge:
        """Whether every sum accepts the box with input j's values added, added up as the kernel."""
        least, needs, sums = self._box.least, self._sums, self._units.sums

        def welcome(values: Vector) -> Any:
            accepted = np.ones(len(values), dtype=bool)
            for r, model in enumerate(sums):
                here = np.minimum(least[r, j], adds(model, j, values))
                total = np.full(len(values), -needs[r])
                for i, added in enumerate(least[r]):
                    total = total + (here if i == j else added)
                accepted &= total > 0.0
            return accepted

        return welcome


@dataclass(frozen=True)
class Between:
    """The admissible values from one grid value to another, numbered from the first one on.

    Without a step they are all the numbers there are, in the order of their binary form.
    """

    grid: Grid
    start: int
    way: int
    count: int

    @classmethod
    def build(cls, grid: Grid, a: float, b: float) -> "Between":
        """The values from a to b, either of which may be the greater."""
        near, far = (cls._key(grid, value) for value in (a, b))
        return cls(grid, near, 1 if far >= near else -1, abs(far - near) + 1)

    @staticmethod
    def _key(grid: Grid, value: float) -> int:
        if grid.has_step:
            return int(grid.keys(value))
        bits = np.abs(np.clip([value], -GREATEST, GREATEST)).view(np.int64)
        return int(np.copysign(1, value)) * int(bits[0])

    def at(self, numbers: Sequence[int]) -> Vector:
        """The values with these numbers."""
        return self.grid.values(self.start + self.way * np.asarray(numbers, dtype=np.int64))

    def chunks(self, count: int) -> Iterator[Vector]:
        """The first `count` values, in portions that grow."""
        done, size = 0, PROBES
        while done < count:
            size = min(8 * size, CHUNK, count - done)
            yield self.at(range(done, done + size))
            done += size
