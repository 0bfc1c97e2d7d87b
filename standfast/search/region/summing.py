"""Whether a weighted sum exceeds a number all over boxes: the worst value of every input, added up.

Without laws between inputs the worst values make a point, and that decides. Where laws forbid it,
the sum is read as one tree per input, which branch and bound can take apart.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.readers.cells import Cells, Table, trees_of
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING
from standfast.schema.grid import Grid, inwards_on_grid
from standfast.scores import TreeEnsemble
from standfast.search.problem.contributions import Sum, is_constant, is_monotone
from standfast.search.problem.price import Matrix, Vector
from standfast.search.region.prover import REFUTES, Bools, Check, Findings, TreeProver
from standfast.search.region.units import GREATEST, adds
from standfast.search.region.values import Admissible

# a function that neither rises nor falls is evaluated at every admissible value, but not at more
MOST = 2**22
# values of an input that has a tree of its own
LISTED = 2**14


@dataclass(frozen=True, eq=False)
class SumProver:
    """Whether sign · Σ_j f_j(x_j) > need, for every admissible point of a box."""

    model: Sum
    schema: Schema
    need: float
    limit: int
    sign: float = 1.0
    _scans: dict[int, tuple[int, Vector]] = field(default_factory=dict, repr=False)

    def prove(self, asked: Admissible, check: Check) -> Findings:
        """What becomes of each box; see `TreeProver.prove`."""
        n, d = asked.lo.shape
        found = Findings.none(n, d)
        found.proven[:] = asked.empty
        rows = np.flatnonzero(~asked.empty)
        some = asked.some(rows)
        least, where = np.empty(some.lo.shape), np.empty(some.lo.shape)
        for j in range(d):
            least[:, j], where[:, j] = self._worst(j, some)
        total = np.full(len(rows), -self.need)
        for j in range(d):
            total = total + least[:, j]
        good = total > 0.0
        found.proven[rows[good]] = True
        known = ~good & ~np.isnan(where).any(axis=1)
        bad = rows[known]
        answer = check(bad, where[known])
        found.refuted[bad[answer == REFUTES]] = True
        found.points[bad[answer == REFUTES]] = where[known][answer == REFUTES]
        self._branch(asked, bad[answer != REFUTES], found, check)
        return found

    def _worst(self, j: int, asked: Admissible) -> tuple[Vector, Vector]:
        """The least that a value of input j adds, box by box, and the value that does.

        The value is NaN where it is not known, and the least −∞.
        """
        lo, hi = asked.lo[:, j], asked.hi[:, j]
        if j in asked.members:
            least, where = self._among(j, asked.members[j], lo)
        else:
            ends = [self._added(j, np.clip(end, -GREATEST, GREATEST)) for end in (lo, hi)]
            ends = [
                np.where(end == MISSING, self._added(j, end), found)
                for end, found in zip((lo, hi), ends, strict=True)
            ]
            least, where = np.minimum(*ends), np.where(ends[0] <= ends[1], lo, hi)
            wide = lo < hi
            if not is_monotone(self.model, j) and wide.any():
                self._inside(j, lo, hi, least, where, wide)
        own = asked.own[:, j]
        if own.any():
            mine = self._added(j, asked.x[:, j])
            worse = own & (mine < least)
            least, where = np.where(worse, mine, least), np.where(worse, asked.x[:, j], where)
        return least, where

    def _added(self, j: int, values: Vector) -> Vector:
        if is_constant(self.model, j):
            values = np.zeros_like(values)
        return self.sign * adds(self.model, j, values)

    def _among(self, j: int, members: Bools, lo: Vector) -> tuple[Vector, Vector]:
        amounts = self._added(j, np.arange(members.shape[1], dtype=np.float64))
        each = np.where(members, amounts, np.inf)
        where = each.argmin(axis=1)
        least = each[np.arange(len(each)), where]
        none = ~members.any(axis=1)  # a gap that stays one
        if none.any():
            least[none] = self._added(j, lo[none])
        return least, np.where(none, lo, where.astype(np.float64))

    def _inside(
        self, j: int, lo: Vector, hi: Vector, least: Vector, where: Vector, wide: Bools
    ) -> None:
        """The least over all grid values of ranges, where these can be listed."""
        feature = self.schema.features[j]
        scan = self._scan(j, feature)
        if scan is None:
            least[wide], where[wide] = -np.inf, np.nan
            return
        start, amounts = scan
        grid = Grid.of(feature)
        a, b = grid.keys(lo[wide]) - start, grid.keys(hi[wide]) - start
        places = np.column_stack([a, b + 1]).ravel()
        padded = np.append(amounts, np.inf)
        low = np.minimum.reduceat(padded, places)[::2]
        value = np.array(
            [k + int(amounts[k : e + 1].argmin()) for k, e in zip(a, b, strict=True)],
            dtype=np.int64,
        )
        least[wide], where[wide] = low, grid.values(value + start)

    def _scan(self, j: int, feature: Feature) -> tuple[int, Vector] | None:
        """What every grid value of an input adds, from its least one on; None if they are many."""
        if j not in self._scans:
            span = self._span(feature)
            if span is None or span[1] - span[0] >= MOST:
                return None
            values = Grid.of(feature).values(np.arange(span[0], span[1] + 1))
            self._scans[j] = span[0], self._added(j, values)
        return self._scans[j]

    @staticmethod
    def _span(feature: Feature) -> tuple[int, int] | None:
        """The keys of the least and the greatest grid value; None without a step or a bound."""
        ends = np.array([feature.lower, feature.upper], dtype=np.float64)
        if not feature.step or not np.isfinite(ends).all():
            return None
        grid = Grid.of(feature)
        return int(grid.ceil(ends[:1])[0]), int(grid.floor(ends[1:])[0])

    @cached_property
    def _trees(self) -> "tuple[TreeProver, TreeEnsemble, Bools] | None":
        """The sum as trees over inputs whose values can be listed; None if there are none."""
        tables, listed = [], np.zeros(len(self.schema), dtype=bool)
        for j, feature in enumerate(self.schema):
            span = self._span(feature)
            if is_constant(self.model, j) or not feature.mutable:
                continue
            if span is None or not 0 <= span[1] - span[0] < LISTED:
                continue
            values = Grid.of(feature).values(np.arange(span[0], span[1] + 1))
            amounts = np.nan_to_num(self._added(j, values), nan=0.0, posinf=1e300, neginf=-1e300)
            gap = self._added(j, np.array([MISSING]))
            gap = np.where(np.isfinite(gap), gap, 0.0)
            tables.append(Table((j,), (Cells(values[1:]),), np.concatenate([gap, amounts])))
            listed[j] = True
        if not tables:
            return None
        trees = TreeEnsemble(trees_of(tables, self.schema.gapped), len(self.schema), 0.0)
        return TreeProver.build(trees, self.schema, 0.0, self.limit), trees, listed

    def _branch(
        self, asked: Admissible, rows: NDArray[np.intp], found: Findings, check: Check
    ) -> None:
        """Decide boxes whose worst point is not admissible, or is accepted after all."""
        if not len(rows) or self._trees is None:
            return
        prover, trees, listed = self._trees
        some = asked.some(rows)
        read = np.array([not is_constant(self.model, j) for j in range(len(self.schema))])
        fixed = (some.lo == some.hi) & ~some.own
        # what stays as it is adds the same all over, whether a tree knows it or not
        least, greatest = self.schema.columns.inner_limits
        gridded = inwards_on_grid(self.schema.grid, some.x, 1.0) == some.x
        known = gridded & (least <= some.x) & (some.x <= greatest)
        fit = ((fixed | listed | ~read) & ~(some.own & read & ~known)).all(axis=1)
        rows, some, fixed = rows[fit], some.some(np.flatnonzero(fit)), fixed[fit]
        if not len(rows):
            return
        need = np.full(len(rows), self.need)
        for j in np.flatnonzero(read).tolist():
            mine = np.where(fixed[:, j], self._added(j, some.lo[:, j]), 0.0)
            need -= np.where(fixed[:, j], mine, 0.0)
        need += self._of_trees(trees, listed, some.lo, fixed)
        later = prover.prove(some, lambda i, points: check(rows[i], points), need)
        found.proven[rows], found.refuted[rows] = later.proven, later.refuted
        found.points[rows] = later.points

    @staticmethod
    def _of_trees(trees: TreeEnsemble, listed: Bools, lo: Matrix, fixed: Bools) -> Vector:
        """What the trees of inputs that stay as they are give, which is not to count twice."""
        total, t = np.zeros(len(lo)), trees.trees
        for j, root, depth in zip(np.flatnonzero(listed), t.roots, t.depths, strict=True):
            place = np.full(len(lo), int(root))
            for _ in range(int(depth)):
                beyond = ~(lo[:, j] <= t.split[place])
                place = np.where(t.left[place] != place, t.left[place] + beyond, place)
            total += np.where(fixed[:, j], t.value[place], 0.0)
        return total
