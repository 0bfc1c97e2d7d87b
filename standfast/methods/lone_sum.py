"""Exact advice under one weighted sum: a block of people at once, and the few left one by one."""

import time
from dataclasses import dataclass, field

import numpy as np

from standfast.methods.exact import ExactSearch
from standfast.methods.method import Answers, Budget, Matrix, Streams, TimedSearch
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import ActionGrid, Unsatisfiable
from standfast.search.exact.lone_sum import LoneSum, decides


def at_once(search: ExactSearch) -> TimedSearch:
    """The search, for blocks at once where one weighted sum decides and one way is asked for."""
    if search.ways > 1 or search.rounding or not decides(search.program):
        return search
    return LoneSumSearch(search)


@dataclass(frozen=True, eq=False)
class LoneSumSearch:
    """An exact search of which the kernel for blocks takes over what it can."""

    search: ExactSearch
    block: int = 4096  # people who are served together, at most
    lone: LoneSum = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lone", LoneSum(self.search.program))

    def keeping(self, inputs: frozenset[int]) -> "LoneSumSearch":
        """The same search for people who leave these inputs as they are."""
        return LoneSumSearch(self.search.keeping(inputs))

    def at(self, months: float, explained: bool = True) -> "LoneSumSearch":
        """The same search for people who have so many months."""
        return LoneSumSearch(self.search.at(months, explained))

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Everybody's cheapest point; nothing is drawn at random."""
        began, n = time.monotonic(), len(X)
        block = self.lone.solve(X)
        solved = Outcome.MINIMAL, self._remark
        endings = [solved if found else self._impossible for found in block.solved.tolist()]
        answers = Answers(
            block.points,
            tuple(outcome for outcome, _ in endings),
            tuple(cause for _, cause in endings),
            np.where(block.solved, block.costs, 0.0 if self._partial else np.inf),
            np.full(n, (time.monotonic() - began) / n),
            ((0,),) * n,
        )
        left = np.flatnonzero(block.open)
        if not len(left):
            return answers
        return answers.replaced(left, self.search.advise(X[left], streams[left], budget))

    @property
    def _partial(self) -> bool:
        """Whether only an action grid was tried."""
        return self.search.program.lattice.partial

    @property
    def _remark(self) -> Cause | None:
        return ActionGrid() if self._partial else None

    @property
    def _impossible(self) -> tuple[Outcome, Cause | None]:
        if self._partial:
            return Outcome.EXHAUSTED, ActionGrid()
        explained = Unsatisfiable((0,), alone=True) if self.search.explained else None
        return Outcome.INFEASIBLE, explained
