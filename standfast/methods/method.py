"""What a method is: a way to search advice, prepared once for a model and then asked often."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Protocol

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

# of answers, what there is one of for each person
COLUMNS = (
    *("points", "outcomes", "causes", "lower_bounds"),
    *("seconds", "binding", "accepted_by", "months"),
)


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

    @classmethod
    def joined(cls, blocks: Sequence["Answers"]) -> "Answers":
        """The answers of several blocks as those of one."""
        columns: dict[str, Any] = {}
        for name in COLUMNS:
            parts = [getattr(block, name) for block in blocks]
            if any(part is None for part in parts):
                columns[name] = None
            else:
                alike = isinstance(parts[0], tuple)
                columns[name] = tuple(chain(*parts)) if alike else np.concatenate(parts)
        starts = np.cumsum([0, *(len(block.points) for block in blocks)]).tolist()
        ways = tuple(
            replace(way, person=start + way.person)
            for start, block in zip(starts, blocks, strict=False)
            for way in block.alternatives
        )
        return cls(**columns, alternatives=ways)

    def of(self, rows: NDArray[np.intp]) -> "Answers":
        """The answers of some rows in this order; one may come again."""
        every, columns = rows.tolist(), dict[str, Any]()
        for name in COLUMNS:
            column = getattr(self, name)
            alike = isinstance(column, tuple)
            if column is not None:
                column = tuple(column[k] for k in every) if alike else column[rows]
            columns[name] = column
        ways: dict[int, list[Alternative]] = {}
        for way in self.alternatives:
            ways.setdefault(way.person, []).append(way)
        found = (replace(way, person=i) for i, k in enumerate(every) for way in ways.get(k, ()))
        return replace(self, **columns, alternatives=tuple(found))

    def replaced(self, rows: NDArray[np.intp], asked: "Answers") -> "Answers":
        """The answers with those of some people replaced; the time that these took is added."""
        place = np.arange(len(self.points))
        place[rows] = len(place) + np.arange(len(rows))
        seconds = np.zeros(len(place)) if self.seconds is None else self.seconds.copy()
        seconds[rows] += 0.0 if asked.seconds is None else asked.seconds
        return replace(Answers.joined([self, asked]).of(place), seconds=seconds)


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
