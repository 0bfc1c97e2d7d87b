"""Advice for a time to come: the cheapest for each of several horizons, and the cheapest of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.methods.keep import Bools
from standfast.methods.method import (
    Alternative,
    Answers,
    Budget,
    Matrix,
    Streams,
    TimedSearch,
    Vector,
)
from standfast.recommendations import Outcome
from standfast.schema import Schema
from standfast.search.problem.price import CHANGE

# costs that differ by less are the same
SAME = 1e-9


def check_horizons(within: object, waiting: object, alternatives: int) -> None:
    """Refuse horizons that are none: empty, negative, unsorted."""
    if not isinstance(waiting, Real) or not 0.0 <= float(waiting) < np.inf:
        raise InputError(f"waiting is {waiting!r}; it must be 0 or the price of a month")
    if within is None:
        return
    if isinstance(within, str) or not isinstance(within, Sequence) or not len(within):
        raise InputError(f"within is {within!r}; it must be a few months such as (0, 3, 6, 12)")
    for month in within:
        known = isinstance(month, Real) and not isinstance(month, bool)
        if not known or not 0.0 <= float(month) < np.inf:
            raise InputError(f"within holds {month!r}; a horizon is 0 or a number of months")
    if any(float(later) <= float(sooner) for sooner, later in pairwise(within)):
        raise InputError(f"within is {within!r}; its months must rise, as in (0, 3, 6, 12)")
    if alternatives > 1:
        raise InputError(
            "alternatives and within both ask for several ways for each person; give one of them"
        )


class _Horizon(NamedTuple):
    """Where people stand then, costs, what these weigh in ties, lower bounds, and the answers."""

    later: Matrix
    cost: Vector
    ties: Vector
    bounds: Vector
    answers: Answers


@dataclass(frozen=True, eq=False)
class OverTime:
    """One search asked about several horizons, in months; each month of waiting has a price."""

    search: TimedSearch
    within: tuple[float, ...]
    waiting: float
    domain: Schema
    price: Callable[[Matrix, Matrix], Vector]

    def keeping(self, inputs: frozenset[int]) -> "OverTime":
        """The same search for people who leave these inputs as they are."""
        return replace(self, search=self.search.keeping(inputs))

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Each person's cheapest advice at every horizon, and the cheapest of these as the answer.

        It is proven minimal where no horizon can be cheaper.
        """
        shares = len(self.within)
        found: list[_Horizon] = []
        for month in reversed(self.within):
            after = found[0] if found else None
            found.insert(0, self._at(month, X, streams, _shared(budget, shares), after))
        costs = np.column_stack([one.cost for one in found])
        bounds = np.column_stack([one.bounds for one in found])
        chosen = (costs + np.column_stack([one.ties for one in found])).argmin(axis=1)
        ends = [one.answers for one in found]
        outcomes, causes, binding = [], [], []
        for i, k in enumerate(chosen.tolist()):
            if not np.isfinite(costs[i, k]):  # what leaves most open says why there is none
                still = [a.outcomes[i] is not Outcome.INFEASIBLE for a in ends]
                k = chosen[i] = still.index(True) if any(still) else shares - 1
            outcome = ends[k].outcomes[i]
            if outcome is Outcome.MINIMAL and bounds[i].min() < costs[i, k] - SAME:
                outcome = Outcome.WITHIN_GAP
            outcomes.append(outcome)
            causes.append(ends[k].causes[i])
            binding.append((ends[k].binding or ((),) * len(X))[i])
        rows = np.arange(len(X))
        points = np.stack([a.points for a in ends])[chosen, rows]
        advised = np.array([outcome.advises for outcome in outcomes], dtype=bool)
        seconds = sum(np.zeros(len(X)) if a.seconds is None else a.seconds for a in ends)
        lower = bounds.min(axis=1)
        proven = np.array([outcome is Outcome.MINIMAL for outcome in outcomes], dtype=bool)
        months = np.array(self.within, dtype=np.float64)
        return Answers(
            points,
            tuple(outcomes),
            tuple(causes),
            np.where(proven, self._cost(X, points, months[chosen]), lower),
            np.asarray(seconds),
            tuple(binding),
            tuple(self._ways(X, ends, bounds)),
            months=np.where(advised, months[chosen], np.nan),
            waiting=self.waiting,
        )

    def _at(
        self, month: float, X: Matrix, streams: Streams, budget: Budget, after: "_Horizon | None"
    ) -> "_Horizon":
        """One horizon; whoever's answer is known from the one `after` it is not searched again."""
        later = self.domain.moved_on(X, month)
        settled = np.zeros(len(X), dtype=bool)
        if after is not None:
            settled = self._settled(X, month, later, after)
        rest = np.flatnonzero(~settled)
        search = self.search.at(month)
        if after is None or len(rest) == len(X):
            answers = search.advise(later, streams, budget)
        else:
            answers = replace(after.answers, seconds=np.zeros(len(X)))
            if len(rest):
                asked = search.advise(later[rest], streams[rest], budget)
                answers = _replaced(answers, asked, rest)
        advised = np.array([outcome.advises for outcome in answers.outcomes], dtype=bool)
        goals = np.where(advised[:, None], answers.points, later)
        cost = self._cost(X, goals, np.full(len(X), month))
        ties = CHANGE * ((goals != later).sum(axis=1) + 1e-3 * month)
        bounds = answers.lower_bounds + self.waiting * month
        return _Horizon(later, np.where(advised, cost, np.inf), ties, bounds, answers)

    def _settled(self, X: Matrix, month: float, later: Matrix, after: "_Horizon") -> Bools:
        """Whose proof for more time holds for less: nothing passes in between, and all is near.

        With more time people reach everything that they reach with less.
        """
        outcomes, points = after.answers.outcomes, after.answers.points
        impossible = np.array([outcome is Outcome.INFEASIBLE for outcome in outcomes], dtype=bool)
        minimal = np.array([outcome is Outcome.MINIMAL for outcome in outcomes], dtype=bool)
        if minimal.any():
            minimal[minimal] = self.domain.admits(X[minimal], points[minimal], month)
        settled: Bools = (later == after.later).all(axis=1) & (impossible | minimal)
        return settled

    def _cost(self, X: Matrix, goals: Matrix, months: Vector) -> Vector:
        later = self.domain.moved_on(X, months)
        known = ~np.isnan(goals).any(axis=1)
        cost = np.full(len(X), np.nan)
        if known.any():
            cost[known] = self.price(later[known], goals[known])
        return cost + self.waiting * months

    def _ways(self, X: Matrix, ends: Sequence[Answers], bounds: Matrix) -> list[Alternative]:
        """Everybody's advice by horizon, the soonest first."""
        found = []
        for i in range(len(X)):
            rank = 0
            for k, (month, answers) in enumerate(zip(self.within, ends, strict=True)):
                if answers.outcomes[i].advises:
                    rank += 1
                    end = answers.points[i], answers.outcomes[i], float(bounds[i, k])
                    found.append(Alternative(i, rank, *end, months=float(month)))
        return found


def _replaced(answers: Answers, asked: Answers, rows: NDArray[np.intp]) -> Answers:
    """The answers with those of some people replaced; the others took no time."""
    points, bounds = answers.points.copy(), answers.lower_bounds.copy()
    points[rows], bounds[rows] = asked.points, asked.lower_bounds
    seconds, n = np.zeros(len(points)), len(points)
    if asked.seconds is not None:
        seconds[rows] = asked.seconds
    outcomes, causes = list(answers.outcomes), list(answers.causes)
    binding, theirs = list(answers.binding or ((),) * n), asked.binding or ((),) * len(rows)
    for k, i in enumerate(rows.tolist()):
        outcomes[i], causes[i], binding[i] = asked.outcomes[k], asked.causes[k], theirs[k]
    return Answers(points, tuple(outcomes), tuple(causes), bounds, seconds, tuple(binding))


def _shared(budget: Budget, parts: int) -> Budget:
    """One horizon's share of each person's time."""
    return replace(budget, seconds=budget.seconds / parts)
