"""The result rows of one call while they are being filled, and the table they become."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.methods.keep import Bools
from standfast.methods.method import Alternative, Answers, Matrix, Method, Vector
from standfast.recommendations import Cause, Outcome, Provenance, Recommendations
from standfast.recommendations.causes import FailedCheck
from standfast.schema.border import unchanged
from standfast.schema.categories import UNKNOWN
from standfast.scores import Score

ADVISES = frozenset(str(outcome) for outcome in Outcome if outcome.advises)
# every outcome as a cell of a table; texts are a type of their own since pandas 3
OUTCOMES = pd.Series([str(outcome) for outcome in Outcome]).array
PLACES = {str(outcome): k for k, outcome in enumerate(Outcome)}
# of the columns of results
LABELS = pd.Index(["outcome", "cause", "cost", "lower_bound", "seconds", "binding"])


@dataclass
class Rows:
    """The result rows while they are being filled."""

    method: Method
    X: Matrix
    kept: Bools | None = None  # inputs that people leave as they are

    def __post_init__(self) -> None:
        n, d = self.X.shape
        self.points: Matrix = np.full((n, d), np.nan)
        self.open: Bools = np.ones(n, dtype=bool)  # who has no outcome yet
        self.left = n  # how many these are
        self.outcome = np.full(n, "", dtype=object)
        self.cause = np.full(n, None, dtype=object)
        self.lower_bound: Vector = np.full(n, np.nan)
        self.seconds: Vector = np.zeros(n)
        self.binding = np.empty(n, dtype=object)
        self.binding.fill(())
        self.alternatives: dict[tuple[int, int], Alternative] = {}  # by person and rank
        self.accepted_by: Vector = np.full(n, np.nan)
        self.months: Vector = np.full(n, np.nan)  # from now, where advice is for a time to come
        self.waiting = 0.0

    def mark(self, who: Any, outcome: Outcome, causes: Sequence[Cause] | None = None) -> None:
        """Some people's ending without a search."""
        if not len(who):
            return
        self._close(who)
        self.outcome[who] = str(outcome)
        if causes is not None:
            self.cause[who] = _objects(causes)

    def _close(self, who: Any) -> None:
        self.open[who] = False
        self.left -= len(who)

    def record(self, part: Any, answers: Answers, took: float) -> None:
        """The answers of a block, which took so many seconds."""
        self._close(part)
        self.points[part] = answers.points
        self.outcome[part] = _objects([outcome.value for outcome in answers.outcomes])
        self.lower_bound[part] = answers.lower_bounds
        self.seconds[part] = took / len(part) if answers.seconds is None else answers.seconds
        self.cause[part] = _objects(answers.causes)
        if answers.binding is not None:
            self.binding[part] = _objects(answers.binding)
        if answers.accepted_by is not None:
            self.accepted_by[part] = answers.accepted_by
        if answers.months is not None:
            self.months[part], self.waiting = answers.months, answers.waiting
        self.alternatives |= {(int(part[a.person]), a.rank): a for a in answers.alternatives}

    def recheck(self, score: Score) -> None:
        """Withhold every answer that the schema does not admit or the estimator itself refuses.

        Once for everybody: what an estimator's own prediction costs is mostly the call.
        """
        says = np.array([outcome in ADVISES for outcome in self.outcome], dtype=bool)
        advised = np.flatnonzero(says | ~np.isnan(self.points).all(axis=1))
        whose, goals, months = advised, self.points[advised], self.months[advised]
        if self.alternatives:
            ways = self.alternatives.values()
            whose = np.concatenate([whose, [person for person, _ in self.alternatives]])
            goals = np.concatenate([goals, [way.point for way in ways]])
            later = [np.nan if way.months is None else way.months for way in ways]
            months = np.concatenate([months, later])
        if not len(whose):
            return
        domain = self.method.domain
        legal, welcome = self._legal(whose, goals, months), score.accepts(goals)
        if self.kept is not None:
            legal &= ~(self.kept[whose] & (goals != self.X[whose])).any(axis=1)
        for k in np.flatnonzero(~(legal & welcome)[: len(advised)]):
            i = whose[k]
            then = self._then(self.X[[i]], months[[k]])[0]
            objections = () if legal[k] else domain.objections(then, goals[k])
            self.cause[i] = FailedCheck(tuple(objections))
            self.outcome[i], self.points[i] = str(Outcome.UNSOUND), np.nan
        sound = (legal & welcome)[len(advised) :].tolist()
        kept = zip(self.alternatives.items(), sound, strict=True)
        self.alternatives = {place: way for (place, way), fine in kept if fine}

    def _legal(self, whose: Any, goals: Matrix, months: Vector) -> Bools:
        """Whether the schema admits each goal, by the time it is for."""
        if np.isnan(months).all():
            return self.method.domain.admits(self.X[whose], goals)
        legal = np.zeros(len(whose), dtype=bool)
        for month in np.unique(months):  # NaN, for now, is one of them
            here = np.isnan(months) if np.isnan(month) else months == month
            when = None if np.isnan(month) else float(month)
            legal[here] = self.method.domain.admits(self.X[whose[here]], goals[here], when)
        return legal

    def _then(self, X: Matrix, months: Vector) -> Matrix:
        """Where people stand by the time that advice is for."""
        return self.method.domain.moved_on(X, np.nan_to_num(months))

    def _price(self, X: Matrix, goals: Matrix, months: Vector) -> Vector:
        if np.isnan(months).all():  # all of it for now
            return self.method.price(X, goals)
        waited = self.waiting * np.nan_to_num(months)
        return self.method.price(self._then(X, months), goals) + waited

    def table(self, people: pd.DataFrame, provenance: Provenance) -> Recommendations:
        """The recommendations, which take over the rows."""
        favourable = self.outcome == Outcome.ALREADY_FAVOURABLE
        advised = ~np.isnan(self.points).any(axis=1)
        cost = np.where(favourable, 0.0, np.nan)
        if advised.any():
            given = self.X[advised], self.points[advised], self.months[advised]
            cost[advised] = self._price(*given)
        lower_bound = np.where(favourable, 0.0, self.lower_bound)
        columns = _texts(self.outcome), self.cause, cost, lower_bound, self.seconds, self.binding
        results = unchanged(columns, LABELS, people.index)
        if self.kept is not None:
            names = np.array(self.method.domain.names, dtype=object)
            results["kept_inputs"] = [tuple(names[kept]) for kept in self.kept]
        if not np.isnan(self.months).all():
            results["after_months"] = np.where(advised, self.months, np.nan)
        counts = np.where(advised, self.accepted_by, np.nan)
        if not np.isnan(counts).all():
            results["accepted_by"] = pd.Series(counts, people.index).astype("Int64")
        domain = self.method.domain
        factual, goal = (domain.table(matrix, people.index) for matrix in (self.X, self.points))
        for j in np.flatnonzero((self.X == UNKNOWN).any(axis=0)):  # as it was given
            factual[domain.names[j]] = people[domain.names[j]]
        flipsets = self._flipsets(people.index)
        return Recommendations(domain, factual, goal, results, provenance, flipsets)

    def _flipsets(self, index: pd.Index) -> pd.DataFrame | None:
        """Everybody's alternatives in order of cost, or None if only one way was asked for."""
        if not self.alternatives:
            return None
        found = sorted(self.alternatives)
        ways = [self.alternatives[place] for place in found]
        people = np.array([person for person, _ in found])
        points = np.array([way.point for way in ways])
        months = np.array([np.nan if way.months is None else way.months for way in ways])
        about = pd.DataFrame(
            {
                "person": index[people],
                "rank": [rank for _, rank in found],
                "outcome": [str(way.outcome) for way in ways],
                "cost": self._price(self.X[people], points, months),
                "lower_bound": [way.lower_bound for way in ways],
            }
        )
        if not np.isnan(months).all():
            about["after_months"] = months
        return pd.concat([about, self.method.domain.table(points)], axis=1)


def _texts(outcomes: Any) -> Any:
    """Outcomes as a column of texts; a single one is cut out of them all, which is quickest."""
    if len(outcomes) == 1 and outcomes[0] in PLACES:
        k = PLACES[outcomes[0]]
        return OUTCOMES[k : k + 1].copy()
    return pd.array(outcomes, dtype=OUTCOMES.dtype)


def _objects(values: Sequence[Any]) -> Any:
    """Values as a column of objects: tuples, too, stay what they are."""
    return np.fromiter(values, dtype=object, count=len(values))
