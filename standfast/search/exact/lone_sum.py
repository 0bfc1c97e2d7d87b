"""A program that one weighted sum decides, solved for a whole block of people in one kernel."""

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.scores.score import surely_accepts
from standfast.search.exact.solve import grain_of
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Program


class Block(NamedTuple):
    """How a block of people ended: whose search is `solved` or left `open`; else it is impossible.

    `points` and `costs`, as reported, are NaN but for those who are solved.
    """

    solved: NDArray[np.bool_]
    open: NDArray[np.bool_]
    points: Matrix
    costs: Vector


def decides(program: Program) -> bool:
    """Whether one weighted sum decides, but for laws, over values that can all be listed."""
    alone = len(program.models) == 1 and program.row[0] >= 0
    return bool(alone and not (program.hints or program.unproven or program.lattice.wide))


@dataclass(frozen=True, eq=False)
class LoneSum:
    """The solver of such a program; several threads may ask it at a time."""

    program: Program
    _idle: deque[Any] = field(default_factory=deque, init=False, repr=False)

    def solve(self, X: Matrix) -> Block:
        """Everybody's cheapest point, where the schema's laws do not ask for another."""
        from standfast.compilation import Struct
        from standfast.search.exact.knapsack import OPEN, SOLVED, Question, cheapest_points
        from standfast.search.problem.levels import Costing

        program, lattice = self.program, self.program.lattice
        own: Any = Struct(lattice.own(np.ascontiguousarray(X), program.sums))
        price = lattice.price
        asked: Any = Struct(
            Question(
                int(program.row[0]),
                float(program.needs[0]),
                price.maximal,
                grain_of(program),
                program.row[1 + len(program.rules) :].astype(np.int64),
                np.ascontiguousarray(program.person_needs(X)),
            )
        )
        steps = self._workspace()
        ended, points, costs = cheapest_points(own, self._offers, Costing.of(lattice), asked, steps)
        self._idle.append(steps)
        for law in program.rules:
            solved = np.flatnonzero(ended == SOLVED)
            ended[solved[~surely_accepts(law, points[solved])]] = OPEN
        points[ended != SOLVED], costs[ended != SOLVED] = np.nan, np.nan
        costs = lattice.scale * (np.sqrt(costs) if price.squared else costs)
        return Block(ended == SOLVED, ended == OPEN, points, costs)

    @cached_property
    def _offers(self) -> Any:
        from standfast.compilation import Struct
        from standfast.search.problem.levels import Offers

        return Struct(Offers(self.program.lattice.ranges, self.program.adds))

    def _workspace(self) -> Any:
        """One that no other thread uses."""
        from standfast.compilation import Struct
        from standfast.search.exact.knapsack import no_steps

        try:
            return self._idle.pop()
        except IndexError:
            lattice = self.program.lattice
            return Struct(no_steps(len(lattice.domain), lattice.widest))
