"""The exact search under whole level sets of linear models: cuts are added while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.methods import exact
from standfast.methods.minimal_cost import MinimalCost
from standfast.models.linear import Linear
from standfast.models.linear_level_set import LinearLevelSet
from standfast.models.score import CLEARANCE, Matrix, Score, Vector
from standfast.search.lattice import Actions, Lattice
from standfast.search.price import CHANGE
from standfast.search.program import TOLERANCE
from standfast.search.solve import MEMORY, Limit, Proof, Solution

Asked = Sequence[tuple[Score, float]]

# boxes between two looks at the clock, and rows and boxes there is room for at first
BREATH, ROWS, ROOM = 200, 64, 1024
GROWING = ("low", "high", "lam", "keys", "boxes")


def refusing(level_set: LinearLevelSet, margin: float, point: Vector) -> Linear | None:
    """A member that refuses the point with what the search asks beyond its margin, or None.

    The worst member is only sought where one that is found faster accepts.
    """
    for find in (level_set.nearly_worst, level_set.worst):
        model = find(point).model
        if model.raw(point[None])[0] <= model.cutoff(margin + CLEARANCE):
            return model
    return None


@dataclass(frozen=True, eq=False)
class RobustSearch:
    """Linear models and level sets of them, on one lattice; solved for one person at a time.

    `cuts` are members of the level sets, each with the number of its set among `asked`: every
    search begins with them. What it adds itself is that person's own, so that nobody's answer
    depends on who was served before.
    """

    best: MinimalCost
    asked: Asked
    cuts: tuple[tuple[int, Linear], ...]
    lattice: Lattice

    @classmethod
    def build(
        cls, best: MinimalCost, asked: Asked, cuts: Sequence[tuple[int, Linear]]
    ) -> "RobustSearch":
        """The search for these models; a set's best member, and who refuses all, are cuts too."""
        known = list(cuts)
        for m, (score, _) in enumerate(asked):
            if isinstance(score, LinearLevelSet):
                known.append((m, score.best))
                known += [(m, score.refusal)] * (score.void <= score.epsilon)
            elif isinstance(score, Linear):
                known.append((m, score))
        d = len(best.domain)
        lattice = Lattice.build(
            best.domain,
            best.percentiles,
            exact.price_of(best.cost, best.units, best.per_change, best.schema),
            [np.empty(0)] * d,
            [True] * d,
            Actions(best.actions),
        )
        return cls(best, asked, tuple(known), lattice)

    def solve(self, x: Vector, limit: Limit) -> tuple[Solution, tuple[tuple[int, Linear], ...]]:
        """The cheapest point that all members of all sets accept, and the cuts it took."""
        from standfast.methods import robust_kernel as kernel

        person = _Person(self, x)
        for m, cut in self.cuts:
            person.add(m, cut)
        own: list[tuple[int, Linear]] = []
        status, seen, room = kernel.PAUSED, 0, True
        while status != kernel.PROVEN and seen < limit.boxes and not limit.expired() and room:
            status = kernel.explore(person.tree, min(BREATH, limit.boxes - seen))
            seen = int(person.tree.numbers[kernel.SEEN])
            if status == kernel.FULL:
                room = person.enlarge()
            elif status == kernel.CANDIDATE:
                against = self._against(person.point(person.tree.found))
                person.judged(not against)
                for m, cut in against:
                    person.add(m, cut)
                own += against
        return person.solution(status == kernel.PROVEN, room), tuple(own)

    def _against(self, point: Vector) -> list[tuple[int, Linear]]:
        """For every level set that does not accept as a whole, a member that refuses."""
        found = []
        for m, (score, margin) in enumerate(self.asked):
            if isinstance(score, LinearLevelSet):
                cut = refusing(score, margin, point)
                found += [(m, cut)] if cut is not None else []
        return found


class _Person:
    """One person's tree: levels, sums and open boxes."""

    def __init__(self, search: RobustSearch, x: Vector) -> None:
        from standfast.methods import robust_kernel as kernel

        self.search, self.x, self.kernel = search, x, kernel
        counts, values, costs = levels_of(search.lattice, x)
        self.free = np.flatnonzero(counts > 1)
        self.rows: list[int] = []  # which of the asked models each sum belongs to; −1: a relation
        counts, F = counts[self.free], len(self.free)
        most = [costs[j, :n].max() for j, n in zip(self.free, counts, strict=True)]
        self.tree = kernel.Tree(
            counts,
            np.ascontiguousarray(values[self.free]),
            np.ascontiguousarray(costs[self.free]),
            np.zeros((ROWS, F)),
            np.zeros(ROWS),
            np.zeros((ROOM, F), np.int32),
            np.zeros((ROOM, F), np.int32),
            np.zeros((ROOM, ROWS)),
            np.zeros(ROOM),
            np.zeros(ROOM, np.int32),
            np.zeros(5, np.int64),
            np.array([np.inf, 0.0, np.inf, sum(most) + 1.0]),
            np.zeros(F, np.int32),
            np.zeros(F, np.int32),
        )
        self.tree.high[0] = counts - 1
        self.tree.numbers[[kernel.OPEN, kernel.STORED]] = 1
        laws = search.best.domain.half_spaces
        for weights, bound in zip(laws.A, laws.b, strict=True):
            self._row(-1, -weights, -bound - TOLERANCE)

    def add(self, m: int, cut: Linear) -> None:
        """One more sum that must accept, on behalf of model m."""
        _, margin = self.search.asked[m]
        self._row(m, cut.weights, cut.cutoff(margin + CLEARANCE) - cut.offset)

    def _row(self, m: int, weights: Vector, need: float) -> None:
        kernel, tree, F = self.kernel, self.tree, len(self.free)
        k = len(self.rows)
        if k == len(tree.needs):
            more = np.zeros_like(tree.lam)
            self.tree = tree = tree._replace(
                W=np.concatenate([tree.W, np.zeros_like(tree.W)]),
                needs=np.concatenate([tree.needs, np.zeros(k)]),
                lam=np.ascontiguousarray(np.concatenate([tree.lam, more], axis=1)),
            )
        fixed = np.setdiff1d(np.arange(len(self.x)), self.free)
        need -= float(weights[fixed] @ self.x[fixed])
        last = tree.counts - 1
        span = np.abs(weights[self.free]) * (tree.z[np.arange(F), last] - tree.z[:, 0])
        scale = float(span.max(initial=0.0)) or 1.0  # so that multipliers are of one size
        tree.W[k], tree.needs[k] = weights[self.free] / scale, need / scale
        tree.numbers[kernel.SUMS] = k + 1
        self.rows.append(m)

    def point(self, level: NDArray[np.int32]) -> Vector:
        """The values of the levels, what cannot move included."""
        point = self.x.copy()
        point[self.free] = self.tree.z[np.arange(len(self.free)), level]
        return point

    def judged(self, accepted: bool) -> None:
        """The point found is the best so far, or is forgotten."""
        kernel, tree = self.kernel, self.tree
        if accepted:
            tree.costs[kernel.INCUMBENT] = tree.costs[kernel.FOUND]
            tree.best[:] = tree.found
        else:
            tree.costs[kernel.FOUND] = tree.costs[kernel.INCUMBENT]

    def enlarge(self) -> bool:
        """Room for twice as many boxes; False if that would take too much memory."""
        if 2 * sum(getattr(self.tree, name).nbytes for name in GROWING) > MEMORY:
            return False
        grown = {
            name: np.concatenate(
                [getattr(self.tree, name), np.zeros_like(getattr(self.tree, name))]
            )
            for name in GROWING
        }
        self.tree = self.tree._replace(**grown)
        return True

    def solution(self, proven: bool, room: bool) -> Solution:
        """How the search ended, in the terms of the exact search."""
        kernel, tree, best = self.kernel, self.tree, self.search.best
        seen, stored = (int(tree.numbers[k]) for k in (kernel.SEEN, kernel.STORED))
        used = np.flatnonzero((tree.lam[:stored, : len(self.rows)] > 0.0).any(axis=0))
        binding = tuple(sorted({self.rows[k] for k in used} - {-1}))
        lattice, lower = self.search.lattice, float(tree.costs[kernel.LOWER])
        lower = max(0.0, lower - len(self.x) * CHANGE)
        lower = lattice.scale * (float(np.sqrt(lower)) if lattice.price.squared else lower)
        if not np.isfinite(tree.costs[kernel.INCUMBENT]):
            proof: Proof = "infeasible" if proven else "limit"
            lower = np.inf if proven else lower
            return Solution(proof, None, np.nan, lower, seen, binding, np.nan, room)
        point = self.point(tree.best)
        cost = float(best.price(self.x[None], point[None])[0])
        if proven:
            return Solution("minimal", point, cost, cost, seen, binding, cost, room)
        return Solution("limit", point, cost, min(lower, cost), seen, binding, cost, room)


def levels_of(lattice: Lattice, x: Vector) -> tuple[NDArray[np.int64], Matrix, Matrix]:
    """For each input how many levels a person has, their values and their costs."""
    from standfast.search import person

    levels = person.no_levels(lattice, 0)
    places, cells = lattice.own(x[None])
    d = len(x)
    person.set_levels(
        levels,
        x,
        places[0],
        cells[0],
        np.zeros((0, d)),
        lattice.starts,
        lattice.values,
        lattice.places,
        lattice.cells,
        lattice.whole_cells,
        lattice.direction,
        np.zeros((0, len(lattice.values))),
        lattice.price.per_change / lattice.scale + CHANGE,
        lattice.price.squared,
        np.inf,
    )
    return levels.counts, levels.value, levels.cost
