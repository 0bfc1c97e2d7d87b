"""Reasons: the inputs of which at least one must change, since nothing else helps, with proof."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from standfast.errors import InputError, check_positive, check_whole
from standfast.evaluation.advised import Vector
from standfast.evaluation.hitting_sets import Inputs, smallest_hitting_set
from standfast.methods import Advisor, MinimalCost, prepare
from standfast.methods.method import Budget, Search
from standfast.recommendations import Outcome
from standfast.schema import Schema

Ending = Literal["proven", "nothing helps", "accepted", "outside the schema", "undecided"]
COLUMNS = ["rank", "feature", "necessity", "sufficiency", "goal", "blocking"]


@dataclass(frozen=True)
class PrincipalReason:
    """One input of a blocking set, by its column.

    `necessity` is how much more advice costs if this input stays as it is, ∞ if there is none then;
    `sufficiency` what advice costs if nothing else changes, ∞ likewise, and `goal` where it goes.
    """

    column: int
    necessity: float
    sufficiency: float
    goal: float


@dataclass(frozen=True)
class Refusal:
    """Why one person is refused: how the search ended, how many inputs block, the first of them."""

    ending: Ending
    blocking: int = 0
    principal: tuple[PrincipalReason, ...] = ()


@dataclass(frozen=True, eq=False)
class Reasons:
    """Why each person is refused, as a blocking set.

    With all its inputs left as they are, no admissible change of anything else leads to acceptance;
    no set of fewer inputs blocks, so none of them can be left out. So every advice moves at least
    one of them. `refusals` has each person's; their endings are

    | ending | meaning |
    | --- | --- |
    | proven | the inputs block; `blocking` counts them all, also those beyond the most asked for |
    | nothing helps | no admissible change of any input leads to acceptance |
    | accepted | the model accepts the person already |
    | outside the schema | the person's own values break the schema |
    | undecided | a limit was reached first |
    """

    schema: Schema
    index: "pd.Index[Any]"
    refusals: tuple[Refusal, ...]

    def to_frame(self) -> pd.DataFrame:
        """A row per person and reason: rank, feature, necessity, sufficiency, goal, blocking."""
        whose = [i for i, refusal in enumerate(self.refusals) for _ in refusal.principal]
        rows = [
            (
                rank,
                self.schema.names[reason.column],
                reason.necessity,
                reason.sufficiency,
                self._shown(reason),
                refusal.blocking,
            )
            for refusal in self.refusals
            for rank, reason in enumerate(refusal.principal, start=1)
        ]
        return pd.DataFrame(rows, self.index[whose], COLUMNS)

    def people(self) -> pd.DataFrame:
        """A row per person: how the search ended, how many inputs block, and all that in words."""
        return pd.DataFrame(
            {
                "ending": [refusal.ending for refusal in self.refusals],
                "blocking": [refusal.blocking for refusal in self.refusals],
                "sentence": self.sentences().to_list(),
            },
            self.index,
        )

    def sentences(self) -> "pd.Series[str]":
        """Why each person is refused, in words."""
        return pd.Series(map(self._sentence, self.refusals), self.index, dtype=str)

    def _shown(self, reason: PrincipalReason) -> str:
        feature = self.schema.features[reason.column]
        return "" if np.isnan(reason.goal) else feature.shown(reason.goal)

    def _sentence(self, refusal: Refusal) -> str:
        match refusal.ending:
            case "accepted":
                return "Not refused: the model accepts already."
            case "outside the schema":
                return "The schema does not admit this person's values."
            case "nothing helps":
                return "Refused whatever this person may change: no admissible change is accepted."
            case "undecided":
                return "The reasons were not found within the limit."
        names = [self.schema.features[reason.column].words for reason in refusal.principal]
        if (further := refusal.blocking - len(names)) > 0:
            names.append(f"{further} further input{'s' * (further > 1)}")
        one = "it changes" if len(names) == 1 else "one of them changes"
        return f"Refused because of {_joined(names)}: unless {one}, nothing else is accepted."


def reasons(
    method: MinimalCost,
    model: Any,
    people: pd.DataFrame,
    *,
    most: int = 4,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Reasons:
    """The principal reasons for each refusal, at most so many a person, as a proven blocking set.

    The smallest blocking set is found by turns: the fewest inputs that every advice known so far
    moves one of are held, and the exact search looks for advice that moves none of them. If it
    finds some, that advice counts from then on; if it proves that there is none, the set blocks.

    Parameters
    ----------
    method : MinimalCost
        The exact search.
    model : Score or estimator
        What refuses; `Unanimous` too.
    people : DataFrame
        One row per person.
    most : int
        How many reasons a person is given at most.
    jobs, time_limit : int, float, optional
        Threads, and seconds per person.

    Returns
    -------
    Reasons
        `to_frame()` has a row per reason; `sentences()` one per person.

    Examples
    --------
    >>> from standfast import Feature, Linear, Percentiles, Schema
    >>> table = pd.DataFrame({"late": [0, 0, 1, 4], "cards": [1, 2, 2, 3]})
    >>> schema = Schema((Feature("late", "count"), Feature("cards", "count")))
    >>> method = MinimalCost(schema, Percentiles.fit(table))
    >>> found = reasons(method, Linear([-1.0, -0.1], 2.0), table.tail(1))
    >>> found.sentences().item()
    'Refused because of late: unless it changes, nothing else is accepted.'
    """
    return reasons_of(prepare(method, model), people, most=most, jobs=jobs, time_limit=time_limit)


def reasons_of(
    advisor: Advisor,
    people: pd.DataFrame,
    *,
    most: int = 4,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Reasons:
    """The reasons that a prepared advisor finds, as `reasons` gives them."""
    method = advisor.method
    if not isinstance(method, MinimalCost):
        raise InputError(
            f"reasons are proven by an exact search, and {type(method).__name__} is none; use "
            "MinimalCost"
        )
    check_whole(most=most, jobs=jobs)
    if time_limit is not None:
        check_positive(of=" of seconds", time_limit=time_limit)
    X, doubts = method.schema.judged(people)
    accepted = np.zeros(len(X), dtype=bool)
    judged = np.flatnonzero([not doubt for doubt in doubts])
    if len(judged):
        accepted[judged] = advisor.model.accepts(X[judged])

    def explain(i: int) -> Refusal:
        if doubts[i]:
            return Refusal("outside the schema")
        if accepted[i]:
            return Refusal("accepted")
        budget = Budget(time.monotonic() + (time_limit or np.inf))
        return _Person(advisor.search, method, X[i], budget).refusal(most)

    with ThreadPoolExecutor(jobs) as pool:
        found = tuple(pool.map(explain, range(len(X))))
    return Reasons(method.schema, people.index, found)


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class _UndecidedError(Exception):
    """A limit was reached before the search could say."""


@dataclass(frozen=True, eq=False)
class _Person:
    """One refused person and what searches have found for them."""

    search: Search
    method: MinimalCost
    x: Vector
    budget: Budget
    known: dict[Inputs, Vector | None] = field(default_factory=dict)

    def refusal(self, most: int) -> Refusal:
        """The reasons, the most necessary first."""
        try:
            best = self.cheapest(frozenset())
            if best is None:
                return Refusal("nothing helps")
            blocking = self.blocking_set(best)
            ranked = sorted(
                (self.reason(j, best) for j in blocking),
                key=lambda r: (-r.necessity, r.sufficiency, r.column),
            )
        except _UndecidedError:
            return Refusal("undecided")
        return Refusal("proven", len(blocking), tuple(ranked[:most]))

    def blocking_set(self, best: Vector) -> Inputs:
        """The smallest set of inputs without which there is no advice."""
        necessity = {j: self.necessity(j, best) for j in self.moved(best)}
        alone = [j for j, amount in necessity.items() if np.isinf(amount)]
        if alone:
            return frozenset(alone[:1])
        sets = [self.moved(point) for point in self.known.values() if point is not None]
        while True:
            held = smallest_hitting_set(sets, necessity)
            point = self.cheapest(held)
            if point is None:
                return held
            sets.append(self.moved(point))

    def reason(self, j: int, best: Vector) -> PrincipalReason:
        """One input of the blocking set with what it does."""
        movable = frozenset(np.flatnonzero(self.method.domain.mutable).tolist())
        alone = self.cheapest(movable - {j})
        if alone is None:
            return PrincipalReason(j, self.necessity(j, best), np.inf, np.nan)
        return PrincipalReason(j, self.necessity(j, best), self.cost(alone), float(alone[j]))

    def necessity(self, j: int, best: Vector) -> float:
        """How much more advice costs if input j stays as it is."""
        if j not in self.moved(best):
            return 0.0
        without = self.cheapest(frozenset({j}))
        return np.inf if without is None else max(0.0, self.cost(without) - self.cost(best))

    def cheapest(self, held: Inputs) -> Vector | None:
        """The cheapest advice that leaves some inputs as they are; None if there is none."""
        if held not in self.known:
            search = self.search.keeping(held) if held else self.search
            answers = search.advise(self.x[None], np.zeros(1, np.uint64), self.budget)
            if answers.outcomes[0] is not Outcome.INFEASIBLE and np.isnan(answers.points).any():
                raise _UndecidedError
            found = answers.outcomes[0] is not Outcome.INFEASIBLE
            self.known[held] = answers.points[0] if found else None
        return self.known[held]

    def moved(self, point: Vector) -> Inputs:
        """The inputs that advice changes."""
        return frozenset(np.flatnonzero(point != self.x).tolist())

    def cost(self, point: Vector) -> float:
        """What advice costs."""
        return float(self.method.price(self.x[None], point[None])[0])
