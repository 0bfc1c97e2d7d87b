"""The driver of the exact searches: it runs a bounder's kernel in turns until a proof or a limit.

A bounder opens boxes, bounds them and splits them: tree leaves and weighted sums in
`branch_and_bound`, the ellipsoids of linear level sets in `level_set_nodes`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from standfast.search.problem.lattice import Lattice
from standfast.search.problem.price import CHANGE, Vector

# "tried": the search ended, but some admissible values were never offered to it
Proof = Literal["minimal", "infeasible", "limit", "tried"]

# how a bounder's kernel may return; other numbers ask for help that only its own search gives
PAUSED, PROVEN, FULL = 0, 1, 2
# what the open boxes of one person may take: some million boxes for small forests
MEMORY = 2 * 1024**3


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Limit:
    """When a search must end: so many boxes, a time of time.monotonic(), an interruption."""

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
    the search had to take up; `point` is None without an answer, whose moves sum up to `total`.
    `room` is False where the open boxes, or the levels of an input, filled what is set aside.
    """

    proof: Proof
    point: Vector | None
    cost: float
    lower_bound: float
    boxes: int
    binding: tuple[int, ...]
    total: float
    room: bool


@dataclass(frozen=True)
class Ending:
    """How a search ended: with a proof or not, after how many boxes, with room for more or not."""

    proven: bool
    boxes: int
    room: bool

    def without_answer(self, lattice: Lattice, lower: float, binding: tuple[int, ...]) -> Solution:
        """No point is accepted, or none was found; `lower` is in the search's own costs."""
        proof: Proof = "infeasible" if self.proven else "limit"
        bound = np.inf if self.proven else lower_bound(lattice, lower)
        return Solution(proof, None, np.nan, bound, self.boxes, binding, np.nan, self.room)

    def with_answer(
        self,
        lattice: Lattice,
        lower: float,
        binding: tuple[int, ...],
        point: Vector,
        cost: float,
        total: float,
    ) -> Solution:
        """The best point found, at a cost and a total as reported."""
        proof: Proof = "minimal" if self.proven else "limit"
        bound = cost if self.proven else min(cost, lower_bound(lattice, lower))
        return Solution(proof, point, cost, bound, self.boxes, binding, total, self.room)


def lower_bound(lattice: Lattice, lower: float) -> float:
    """A lower bound of the search as it is reported, without what changes weigh in ties."""
    return lattice.reported(lower - len(lattice.domain) * CHANGE)


class Bounder(Protocol):
    """One person's search as the driver sees it; the limit is looked at every `turn` boxes."""

    turn: int

    @property
    def seen(self) -> int:
        """How many boxes were looked at."""
        ...

    def explore(self, boxes: int) -> int:
        """Look at up to so many more boxes: PAUSED, PROVEN, FULL, or what else is asked for."""
        ...

    def help(self, status: int) -> bool:
        """What the status asks for; False if there is no room."""
        ...


def drive(bounder: Bounder, limit: Limit) -> Ending:
    """Explore until a proof, a limit, or no more room; the first turn is always taken."""
    status, room, first = PAUSED, True, True
    while status != PROVEN and room:
        boxes = 0 if limit.expired() else min(bounder.turn, limit.boxes - bounder.seen)
        if boxes <= 0 and not first:
            break
        status, first = bounder.explore(boxes), False
        room = status in (PAUSED, PROVEN) or bounder.help(status)
    return Ending(status == PROVEN, bounder.seen, room)


def enlarged(state: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """The growing arrays with room for twice as many boxes; None if that is too much memory."""
    growing = {name: getattr(state, name) for name in names}
    if 2 * sum(array.nbytes for array in growing.values()) > MEMORY:
        return None
    return {name: np.concatenate([array, np.zeros_like(array)]) for name, array in growing.items()}
