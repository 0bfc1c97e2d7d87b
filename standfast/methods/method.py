"""What a method is: a way to search advice for a block of people under any model."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.recommendations import Outcome
from standfast.schema import Schema
from standfast.scores import Score

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Streams = NDArray[np.uint64]
T = TypeVar("T")


class Once:
    """Something that is built when first asked for and then shared by all blocks of a call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._built: Any = None

    def __call__(self, build: Callable[[], T]) -> T:
        """What `build` gave the first time."""
        with self._lock:
            if self._built is None:
                self._built = build()
            built: T = self._built
            return built


@dataclass(frozen=True)
class Limits:
    """When a search must end: a clock, or the user's wish; and what its blocks share."""

    deadline: float = np.inf  # of the block, on time.monotonic()'s clock
    seconds: float = np.inf  # for one person, where a method serves people one by one
    stop: threading.Event = field(default_factory=threading.Event)
    once: Once = field(default_factory=Once)

    def expired(self) -> bool:
        """Whether to return at once with what has been found."""
        return self.stop.is_set() or time.monotonic() >= self.deadline

    @property
    def why(self) -> str:
        """Why an unfinished search ended."""
        return "The run was interrupted." if self.stop.is_set() else "The time limit was reached."


@dataclass(frozen=True)
class Alternative:
    """One of several ways for the same person: the block's row, its rank by cost, and where to."""

    person: int
    rank: int
    point: Vector
    outcome: Outcome
    lower_bound: float


@dataclass(frozen=True)
class Answers:
    """What a method gives for a block of people, row by row.

    `points` is NaN where there is no advice; `reasons` then says why; `lower_bounds` is NaN for
    methods that prove nothing. `seconds` may be left out: the block's time is then shared evenly.
    `binding` names the models that shaped each answer, where a method knows. `alternatives` lists
    all ways for each person, the answer itself as rank 1, where several were asked for.
    `accepted_by` counts the choosing models that accept each answer, where models chose it.
    """

    points: Matrix
    outcomes: tuple[Outcome, ...]
    reasons: tuple[str, ...]
    lower_bounds: Vector
    seconds: Vector | None = None
    binding: tuple[str, ...] | None = None
    alternatives: tuple[Alternative, ...] = ()
    accepted_by: Vector | None = None


class Method(Protocol):
    """A way to search advice. It holds settings, never a model: the model is the variable."""

    @property
    def name(self) -> str:
        """The method's name in tables."""
        ...

    @property
    def schema(self) -> Schema:
        """What the columns mean, as the user declared it; it judges people's own values."""
        ...

    @property
    def domain(self) -> Schema:
        """The schema completed by the reference table; it judges where advice may go."""
        ...

    @property
    def percentiles(self) -> Percentiles:
        """Where values stand in the reference table, in the schema's order."""
        ...

    def settings(self) -> dict[str, object]:
        """What else makes the method what it is, for the provenance."""
        ...

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The cost of sending each row of X to the same row of Y."""
        ...

    def search(self, model: Score, X: Matrix, streams: Streams, limits: Limits) -> Answers:
        """Advice for a block of refused people; `streams` seeds each person's randomness."""
        ...
