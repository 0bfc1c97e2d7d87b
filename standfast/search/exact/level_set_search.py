"""The exact search under whole level sets of linear models: cuts are added while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.scores.ellipsoids import InnerEllipsoid
from standfast.scores.linear import Linear
from standfast.scores.linear_level_set import LinearLevelSet
from standfast.scores.score import CLEARANCE, Matrix, Score, Vector
from standfast.search.exact.driver import Ending, Limit, Solution, drive, enlarged
from standfast.search.exact.level_set_state import (
    CHECKED,
    FOUND,
    INCUMBENT,
    LOWER,
    OPEN,
    SEEN,
    STORED,
    SUMS,
)
from standfast.search.problem.lattice import Lattice
from standfast.search.problem.price import Price
from standfast.search.problem.program import OF_SIZE, TOLERANCE, Adds

Asked = Sequence[tuple[Score, float]]

# boxes between two looks at the clock
TURN = 200
CUTS = ("W", "rest", "radius", "S", "P", "s", "group")
GROWING = ("low", "high", "lam", "at", "keys", "boxes")


def refusing(level_set: LinearLevelSet, margin: float, point: Vector) -> Linear | None:
    """A member that refuses the point with what the search asks beyond its margin, or None."""
    return level_set.refuser(point, level_set.best.cutoff(margin + CLEARANCE))


@dataclass(frozen=True, eq=False)
class LevelSetSearch:
    """Linear models and level sets of them, on one lattice; solved for one person at a time.

    `cuts` are members of the level sets, each with the number of its set among `asked`, and
    `around` the members around each: every search begins with them. What it adds itself is that
    person's own, so that nobody's answer depends on who was served before.
    """

    asked: Asked
    cuts: tuple[tuple[int, Linear], ...]
    around: tuple[InnerEllipsoid | None, ...]
    lattice: Lattice

    @classmethod
    def build(
        cls, asked: Asked, domain: Schema, percentiles: Percentiles, price: Price
    ) -> "LevelSetSearch":
        """The search for these models; it begins with a set's best member, and who refuses all."""
        known: list[tuple[int, Linear]] = []
        for m, (score, _) in enumerate(asked):
            if isinstance(score, LinearLevelSet):
                known.append((m, score.best))
                known += [(m, score.refusal)] * (score.void <= score.epsilon)
            elif isinstance(score, Linear):
                known.append((m, score))
        d = len(domain)
        nothing: tuple[list[Vector], list[bool], list[None]] = (
            [np.empty(0)] * d,
            [True] * d,
            [None] * d,
        )
        lattice = Lattice.build(domain, percentiles, price, *nothing)
        around = tuple(_around(asked[m][0], cut) for m, cut in known)
        return cls(asked, tuple(known), around, lattice)

    def solve(self, x: Vector, limit: Limit) -> Solution:
        """The cheapest point that all members of all sets accept."""
        person = Person(self, x)
        for (m, cut), around in zip(self.cuts, self.around, strict=True):
            person.add(m, cut, around)
        return person.solution(drive(person, limit))

    def near(self, point: Vector) -> list[tuple[int, Linear]]:
        """For every level set a member that is close to the worst at the point."""
        return [
            (m, score.nearly_worst(point).model)
            for m, (score, _) in enumerate(self.asked)
            if isinstance(score, LinearLevelSet)
        ]

    def against(self, point: Vector) -> list[tuple[int, Linear]]:
        """For every level set that does not accept as a whole, a member that refuses."""
        found = []
        for m, (score, margin) in enumerate(self.asked):
            if isinstance(score, LinearLevelSet):
                cut = refusing(score, margin, point)
                found += [(m, cut)] if cut is not None else []
        return found


class Person:
    """One person's tree: levels, sums and open boxes."""

    turn = TURN

    def __init__(self, search: LevelSetSearch, x: Vector) -> None:
        from standfast.compilation import Struct
        from standfast.search.exact import level_set_nodes
        from standfast.search.exact.workspace import ROUNDING

        self.search, self.x, self._kernel = search, x, level_set_nodes
        self.scales: dict[int, float] = {}
        counts, values, costs = levels_of(search.lattice, x)
        self.free = np.flatnonzero(counts > 1)
        counts = counts[self.free]
        self.values = np.ascontiguousarray(values[self.free])
        domain = search.lattice.domain
        laws = list(zip(domain.law_rows, domain.law_bounds(x[None])[0], strict=True))
        z = np.ascontiguousarray(self.values - x[self.free, None])
        costs = np.ascontiguousarray(costs[self.free])
        self.tree: Any = Struct(
            self._kernel.no_tree(counts, z, costs, len(search.asked) + len(laws))
        )
        self.tree.high[0] = counts - 1
        self.tree.numbers[[OPEN, STORED]] = 1
        # what adding up may be off: else a person at zero is not led to millions by an equality
        sizes = np.maximum(np.abs(x), np.abs(values).max(axis=1))
        for i, (weights, bound) in enumerate(laws):
            known = OF_SIZE * np.abs(weights * x).sum()
            slip = 2.0 * ROUNDING * (len(x) + 1) * float(np.abs(weights) @ sizes)
            rest = float(bound + TOLERANCE + known + slip - weights @ x)
            self._constrain(len(search.asked) + i, -weights, rest)

    def add(self, m: int, cut: Linear, around: InnerEllipsoid | None) -> None:
        """One more model that must accept, on behalf of model m, and the members around it.

        The model itself is added too: what it refuses is refused to the last bit.
        """
        score, margin = self.search.asked[m]
        cutoff = cut.cutoff(margin + CLEARANCE)
        rest = float(cut.offset + cut.weights @ self.x - cutoff)
        self._constrain(m if around is None else CHECKED, cut.weights, rest)
        if around is not None and isinstance(score, LinearLevelSet):
            a, per = score.standardised(self.x), 1.0 / score.scales
            sideways = around.spread @ a
            S = per[:, None] * around.spread[:-1, :-1] * per
            root = (around.radius, S, sideways[:-1] * per, float(a @ sideways))
            rest = float(around.centre @ a - cutoff)
            self._constrain(m, around.centre[:-1] * per, rest, root)

    def add_all(self, cuts: list[tuple[int, Linear]]) -> None:
        """Add all of them, with the members around them."""
        for m, cut in cuts:
            self.add(m, cut, _around(self.search.asked[m][0], cut))

    def _constrain(
        self,
        group: int,
        weights: Vector,
        rest: float,
        root: tuple[float, Matrix, Vector, float] | None = None,
    ) -> None:
        """weights·u + rest − radius √(u·S u + 2 p·u + s) ≥ 0 for the change u, in one scale."""
        tree, free = self.tree, self.free
        k = int(tree.numbers[SUMS])
        if k == len(tree.rest):
            tree.update(**{name: _twice(getattr(tree, name)) for name in CUTS})
        if group not in self.scales:  # one for all of a group, or its multiplier has no meaning
            width = tree.z[np.arange(len(free)), tree.counts - 1] - tree.z[:, 0]
            self.scales[group] = float((np.abs(weights[free]) * width).max(initial=0.0)) or 1.0
        scale = self.scales[group]
        tree.W[k], tree.rest[k], tree.group[k] = weights[free] / scale, rest / scale, group
        if root is not None:
            radius, S, p, s = root
            tree.radius[k], tree.s[k] = radius / scale, s
            tree.S[k], tree.P[k] = S[np.ix_(free, free)], p[free]
        tree.numbers[SUMS] = k + 1

    def mixture(self) -> Vector:
        """The mixture of levels where the bound is."""
        point = self.x.copy()
        point[self.free] += self.tree.mixed
        return point

    def point(self, level: NDArray[np.int32]) -> Vector:
        """The values of the levels, what cannot move included."""
        point = self.x.copy()
        point[self.free] = self.values[np.arange(len(self.free)), level]
        return point

    @property
    def seen(self) -> int:
        """How many boxes were looked at."""
        return int(self.tree.numbers[SEEN])

    def explore(self, boxes: int) -> int:
        """Look at up to so many more boxes."""
        return self._kernel.explore(self.tree, boxes)

    def help(self, status: int) -> bool:
        """More room, better members, or a judgement of the point found."""
        if status == self._kernel.CANDIDATE:
            self._judge()
        elif status == self._kernel.REFINE:
            self.add_all(self.search.near(self.mixture()))
        else:
            grown = enlarged(self.tree, GROWING)
            self.tree.update(**(grown or {}))
            return grown is not None
        return True

    def _judge(self) -> None:
        """The point found is the best so far, or the members that refuse it are added."""
        tree, against = self.tree, self.search.against(self.point(self.tree.found))
        if against:
            tree.costs[FOUND] = tree.costs[INCUMBENT]
            self.add_all(against)
        else:
            tree.costs[INCUMBENT] = tree.costs[FOUND]
            tree.best[:] = tree.found

    def solution(self, ending: Ending) -> Solution:
        """How the search ended, in the terms of the exact search."""
        tree, lattice = self.tree, self.search.lattice
        used = np.flatnonzero((tree.lam[: tree.numbers[STORED]] > 0.0).any(axis=0))
        binding = tuple(int(m) for m in used if m < len(self.search.asked))
        lower = float(tree.costs[LOWER])
        if not np.isfinite(tree.costs[INCUMBENT]):
            return ending.without_answer(lattice, lower, binding)
        point = self.point(tree.best)
        cost = float(lattice.price.of(self.x[None], point[None], lattice.percentiles)[0])
        return ending.with_answer(lattice, lower, binding, point, cost, cost)


def _around(score: Score, cut: Linear) -> InnerEllipsoid | None:
    """The members around a member; None where there is no more than the model itself."""
    if isinstance(score, LinearLevelSet) and score.epsilon > 0.0 and cut.weights.any():
        return score.inside(cut)
    return None


def _twice(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])


def levels_of(lattice: Lattice, x: Vector) -> tuple[NDArray[np.int64], Matrix, Matrix]:
    """For each input how many levels a person has, their values and their costs."""
    from standfast.compilation import Struct
    from standfast.search.problem import levels as person

    levels: Any = Struct(person.no_levels(lattice, 0))
    own: Any = Struct(lattice.own(x[None]))
    offers: Any = Struct(person.Offers(lattice.ranges, Adds.build((), lattice)))
    person.set_levels(levels, 0, own, offers, person.Costing.of(lattice))
    return levels.counts, levels.value, levels.cost
