"""Solving a program for people: the cheapest accepted point, with an honest ending."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from standfast.search.price import CHANGE, Matrix, Vector
from standfast.search.program import Program

Proof = Literal["minimal", "infeasible", "limit"]

# boxes between two looks at the clock: some milliseconds
BREATH = 2000
# what a frontier has one of per box
GROWING = (
    *("low", "high", "here", "want", "slack", "trees", "moved"),
    *("keys", "boxes", "unused"),
)
# costs closer than this are equal
TIE = 1e-12


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Limit:
    """When a search must end: so many boxes, a time on time.monotonic()'s clock, a wish."""

    boxes: int = 1_000_000
    deadline: float = np.inf
    stopped: Callable[[], bool] = _never

    def expired(self) -> bool:
        """Whether to end now."""
        return time.monotonic() >= self.deadline or self.stopped()


@dataclass(frozen=True)
class Solution:
    """How the search for one person ended.

    `cost` and `lower_bound` are as reported (roots for l2, no tie-break). `binding` are the models
    the search had to take up; `point` is None without an answer.
    """

    proof: Proof
    point: Vector | None
    cost: float
    lower_bound: float
    boxes: int
    binding: tuple[int, ...]


@dataclass(frozen=True)
class Alternatives:
    """Sets of changed inputs that an answer must not repeat.

    `nested` forbids sets that contain one another, otherwise only equal ones.
    """

    sets: NDArray[np.bool_]
    nested: bool = True


class Solver:
    """A program and the people it is solved for, one after another in the same workspace."""

    def __init__(self, program: Program, X: Matrix) -> None:
        from standfast.search import branch_and_bound, person

        self.program, self.X = program, np.ascontiguousarray(X)
        self._kernel, self._person = branch_and_bound, person
        self._places, self._cells = program.lattice.own(self.X)
        self._contributions = program.own_contributions(self.X)
        models = len(program.needs)
        self._levels = person.no_levels(program.lattice, len(program.contributions))
        self._leaves = person.no_leaves(program.lattice, program.forest, models)
        self._frontier, self._desk = branch_and_bound.no_boxes(
            program.lattice, program.forest, models, 1024
        )

    def solve(
        self, i: int, limit: Limit | None = None, beside: Alternatives | None = None
    ) -> Solution:
        """The cheapest admissible point that every model accepts for person i.

        Of the points with the least maximal shift the one with the least total is chosen, by a
        second search among moves no larger than that maximum.
        """
        limit = limit or Limit()
        price = self.program.lattice.price
        first = self._search(i, limit, beside, price.maximal, np.inf)
        if not price.maximal or first.point is None:
            return first
        second = self._search(i, limit, beside, False, first.cost + TIE)
        if second.point is None:
            return first
        return replace(first, point=second.point, boxes=first.boxes + second.boxes)

    def _set(self, i: int, most: float) -> None:
        program, lattice = self.program, self.program.lattice
        self._person.set_levels(
            self._levels,
            self.X[i],
            self._places[i],
            self._cells[i],
            self._contributions[i],
            lattice.starts,
            lattice.values,
            lattice.places,
            lattice.cells,
            lattice.whole_cells,
            lattice.direction,
            program.contributions,
            lattice.price.per_change / lattice.scale + CHANGE,
            lattice.price.squared,
            most,
        )

    def _search(
        self, i: int, limit: Limit, beside: Alternatives | None, maximal: bool, most: float
    ) -> Solution:
        program, lattice, kernel = self.program, self.program.lattice, self._kernel
        levels, leaves, desk = self._levels, self._leaves, self._desk
        self._set(i, most)
        kernel.begin(
            program.forest,
            levels,
            leaves,
            self._frontier,
            desk,
            program.needs,
            program.row,
            program.relations,
        )
        sets = np.zeros((0, len(lattice.domain)), dtype=bool) if beside is None else beside.sets
        nested = beside is None or beside.nested
        status, seen = kernel.PAUSED, 0
        while status != kernel.PROVEN and seen < limit.boxes and not limit.expired():
            status = kernel.explore(
                program.forest,
                levels,
                leaves,
                self._frontier,
                desk,
                program.needs,
                program.row,
                sets,
                nested,
                maximal,
                min(BREATH, limit.boxes - seen),
            )
            seen = int(self._frontier.numbers[kernel.SEEN])
            if status == kernel.FULL:
                self._frontier = _larger(self._frontier)
        return self._solution(status == kernel.PROVEN, maximal, seen)

    def blocking(self, i: int) -> tuple[int, ...]:
        """The models that refuse every admissible point of person i, each on its own."""
        program, kernel = self.program, self._kernel
        self._set(i, np.inf)
        kernel.begin(
            program.forest,
            self._levels,
            self._leaves,
            self._frontier,
            self._desk,
            program.needs,
            program.row,
            len(program.row),
        )
        reach = kernel.reach(
            program.forest, self._levels, self._leaves, self._desk, program.needs, program.row
        )
        return tuple(int(m) for m in np.flatnonzero(reach <= 0.0) if m < len(program.models))

    def _solution(self, proven: bool, maximal: bool, seen: int) -> Solution:
        levels, frontier = self._levels, self._frontier
        taken = np.flatnonzero(self._leaves.model_tree >= 0)
        binding = tuple(int(m) for m in taken if m < len(self.program.models))
        incumbent, lower = (float(cost) for cost in frontier.costs)
        if not np.isfinite(incumbent):
            lower = np.inf if proven else self._shown(lower - len(levels.counts) * CHANGE)
            proof: Proof = "infeasible" if proven else "limit"
            return Solution(proof, None, np.nan, lower, seen, binding)
        inputs = np.arange(len(frontier.best))
        point = levels.value[inputs, frontier.best]
        moves = levels.cost[inputs, frontier.best] - CHANGE * (frontier.best != levels.start)
        cost = self._shown(float(moves.max() if maximal else moves.sum()))
        if proven:
            return Solution("minimal", point, cost, cost, seen, binding)
        lower = min(cost, self._shown(lower - len(levels.counts) * CHANGE))
        return Solution("limit", point, cost, lower, seen, binding)

    def _shown(self, cost: float) -> float:
        """A cost of the search as it is reported: in its units, the root for l2, never negative."""
        lattice, cost = self.program.lattice, max(0.0, cost)
        return lattice.scale * (float(np.sqrt(cost)) if lattice.price.squared else cost)


def _larger(frontier: Any) -> Any:
    """The same frontier with room for twice as many boxes."""
    grown = {
        name: np.concatenate([getattr(frontier, name), np.empty_like(getattr(frontier, name))])
        for name in GROWING
    }
    return frontier._replace(**grown)
