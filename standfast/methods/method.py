"""What a method is: a way to search advice, prepared once for a model and then asked often."""

import threading
import time
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import LimitReached
from standfast.schema import Schema
from standfast.scores import Score

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Streams = NDArray[np.uint64]


@dataclass(frozen=True)
class Budget:
    """When a search must end: at a time, after so many seconds, or because the user stops it."""

    deadline: float = np.inf  # of the block, on time.monotonic()'s clock
    seconds: float = np.inf  # for one person, where a method serves people one by one
    stop: threading.Event = field(default_factory=threading.Event)

    def expired(self) -> bool:
        """Whether to return at once with what has been found."""
        return self.stop.is_set() or time.monotonic() >= self.deadline

    @property
    def why(self) -> LimitReached:
        """Why an unfinished search ended."""
        return LimitReached("interruption" if self.stop.is_set() else "time")


@dataclass(frozen=True)
class Alternative:
    """One of several ways for the same person: the block's row, its rank by cost, and where to."""

    person: int
    rank: int
    point: Vector
    outcome: Outcome
    lower_bound: float
    months: float | None = None  # from now, where advice is made for a time to come


@dataclass(frozen=True)
class Answers:
    """What a search gives for a block of people, row by row.

    Parameters
    ----------
    points : array of float, people × inputs
        Where advice sends people; NaN where there is no advice.
    outcomes : tuple of Outcome
        How each search ended.
    causes : tuple of causes or None
        Why there is no advice, or a remark on it: a cause of `recommendations.causes`, of which
        `Note("…")` is one in your own words, or None.
    lower_bounds : array of float
        What each advice costs at least; NaN for methods that prove nothing.
    seconds : array of float, optional
        What each search took; if it is left out, the block's time is shared evenly.
    binding : tuple of tuples of int, optional
        The positions of the models that shaped each answer, where a method knows: the members in
        their order, then the models among the method's settings.
    alternatives : tuple of Alternative
        All ways for each person, the answer itself as rank 1, where several were asked for.
    accepted_by : array of float, optional
        How many choosing models accept each answer, where models chose it.
    months, waiting : array of float, float, optional
        When each answer holds, where advice is made for a time to come, and what every month until
        then costs.

    Examples
    --------
    >>> import standfast as sf
    >>> nothing = np.full((1, 2), np.nan)
    >>> why = sf.Note("No example is accepted.")
    >>> Answers(nothing, (sf.Outcome.EXHAUSTED,), (why,), np.full(1, np.nan)).outcomes
    (<Outcome.EXHAUSTED: 'exhausted'>,)
    """

    points: Matrix
    outcomes: tuple[Outcome, ...]
    causes: tuple[Cause | None, ...]
    lower_bounds: Vector
    seconds: Vector | None = None
    binding: tuple[tuple[int, ...], ...] | None = None
    alternatives: tuple[Alternative, ...] = ()
    accepted_by: Vector | None = None
    months: Vector | None = None
    waiting: float = 0.0

    def replaced(self, rows: NDArray[np.intp], asked: "Answers") -> "Answers":
        """The answers with those of some people replaced; the time that these took is added."""
        points, bounds, n = self.points.copy(), self.lower_bounds.copy(), len(self.points)
        points[rows], bounds[rows] = asked.points, asked.lower_bounds
        seconds = np.zeros(n) if self.seconds is None else self.seconds.copy()
        if asked.seconds is not None:
            seconds[rows] += asked.seconds
        outcomes, causes = list(self.outcomes), list(self.causes)
        binding, theirs = list(self.binding or ((),) * n), asked.binding or ((),) * len(rows)
        for k, i in enumerate(rows.tolist()):
            outcomes[i], causes[i], binding[i] = asked.outcomes[k], asked.causes[k], theirs[k]
        return Answers(points, tuple(outcomes), tuple(causes), bounds, seconds, tuple(binding))


class Search(Protocol):
    """A method prepared for one model. No answer depends on another; threads may share it."""

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Advice for a block of refused people; `streams` seeds each person's randomness."""
        ...

    def keeping(self, inputs: frozenset[int]) -> "Search":
        """The same search for people who leave these inputs, by their columns, as they are."""
        ...


class TimedSearch(Search, Protocol):
    """A search that can be asked about a time to come."""

    def keeping(self, inputs: frozenset[int]) -> "TimedSearch":
        """The same search for people who leave these inputs as they are."""
        ...

    def at(self, months: float, explained: bool = True) -> "TimedSearch":
        """The same search for people who have so many months; they come as they will stand then.

        Unless its proofs that nothing helps are to be `explained`, it may leave out their causes.
        """
        ...


class Method(Protocol):
    """A way to search advice. It holds settings, never a model: the model is the variable.

    A protocol: any class with these attributes is a method; `docs/extending.md` shows a whole one.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("late", "count"),))
    >>> method = sf.MinimalCost(schema, sf.Percentiles.fit(pd.DataFrame({"late": [0, 1, 2]})))
    >>> method.name, method.domain.features[0].upper
    ('minimal cost', 2.0)
    >>> method.price(np.array([[2.0]]), np.array([[1.0]]))  # a third of the people, and a change
    array([0.34333333])
    """

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
        """What else makes the method what it is, for the provenance: plain values and scores.

        A score, or several, is listed among the models used, with the setting's name as its role.
        """
        ...

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The cost of sending each row of X to the same row of Y."""
        ...

    def prepare(self, model: Score) -> Search:
        """The search for this model: all that does not depend on people is done here, once.

        A model that the method cannot read is refused here, with a sentence.
        """
        ...
