"""Advice for a time to come: the cheapest for each of several horizons, and the cheapest of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from numbers import Real

import numpy as np

from standfast.errors import InputError
from standfast.methods.exact import SAME, ExactSearch
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

    @cached_property
    def searches(self) -> tuple[TimedSearch, ...]:
        """The search at each horizon; the last one says why nothing helps, for all of them."""
        last = self.within[-1]
        return tuple(self.search.at(month, explained=month == last) for month in self.within)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Each person's cheapest advice at every horizon, and the cheapest of these as the answer.

        It is proven minimal where no horizon can be cheaper.
        """
        shares, months = len(self.within), np.array(self.within, dtype=np.float64)
        later = self.domain.moved_on(np.tile(X, (shares, 1)), np.repeat(months, len(X)))
        later = later.reshape(shares, *X.shape)
        ends = self._by_horizon(X, later, streams, replace(budget, seconds=budget.seconds / shares))
        costs, ties = self._costs(later, ends)
        waited = self.waiting * months
        bounds = np.column_stack([answers.lower_bounds for answers in ends]) + waited
        costs += waited
        chosen = (costs + ties + 1e-3 * CHANGE * months).argmin(axis=1)
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
        return Answers(
            points,
            tuple(outcomes),
            tuple(causes),
            np.where(proven, costs[rows, chosen], lower),
            np.asarray(seconds),
            tuple(binding),
            tuple(self._ways(X, ends, bounds)),
            months=np.where(advised, months[chosen], np.nan),
            waiting=self.waiting,
        )

    def _by_horizon(
        self, X: Matrix, later: Matrix, streams: Streams, budget: Budget
    ) -> list[Answers]:
        """The answers at each horizon; what is known from the next longer one is not searched."""
        apart = len(later) > 1 and bool((later[1:] != later[:-1]).any(axis=2).all())
        if apart and isinstance(self.search, ExactSearch):
            return self._together(self.search, later, streams, budget)
        ends: list[Answers] = []
        for k in reversed(range(len(self.within))):
            rest = np.arange(len(X))
            if ends:
                same = (later[k] == later[k + 1]).all(axis=1)
                rest = np.flatnonzero(~self._settled(X, self.within[k], same, ends[0]))
            if len(rest) == len(X):
                answers = self.searches[k].advise(later[k], streams, budget)
            else:
                answers = replace(ends[0], seconds=np.zeros(len(X)))
                if len(rest):
                    asked = self.searches[k].advise(later[k, rest], streams[rest], budget)
                    answers = answers.replaced(rest, asked)
            ends.insert(0, answers)
        return ends

    def _together(
        self, search: ExactSearch, later: Matrix, streams: Streams, budget: Budget
    ) -> list[Answers]:
        """The same for people who are elsewhere at every horizon: one block, as no proof is shared.

        Why nothing helps at any horizon is found out afterwards, for the longest.
        """
        shares, n, d = later.shape
        search = search.at(np.repeat(np.array(self.within, dtype=np.float64), n), explained=False)
        found = search.advise(later.reshape(-1, d), np.tile(streams, shares), budget)
        ends = [found.of(rows) for rows in np.arange(shares * n).reshape(shares, n)]
        causes = list(ends[-1].causes)
        for i in range(n):
            if all(answers.outcomes[i] is Outcome.INFEASIBLE for answers in ends):
                here = slice(i, i + 1)
                causes[i] = (
                    self.searches[-1].advise(later[-1, here], streams[here], budget).causes[0]
                )
        ends[-1] = replace(ends[-1], causes=tuple(causes))
        return ends

    def _settled(self, X: Matrix, month: float, same: Bools, after: Answers) -> Bools:
        """Whose proof for more time holds for less: nothing passes in between, and all is near.

        With more time people reach everything that they reach with less.
        """
        impossible = np.array([o is Outcome.INFEASIBLE for o in after.outcomes], dtype=bool) & same
        minimal = np.array([o is Outcome.MINIMAL for o in after.outcomes], dtype=bool) & same
        if minimal.any():
            minimal[minimal] = self.domain.admits(X[minimal], after.points[minimal], month)
        settled: Bools = minimal | impossible
        return settled

    def _costs(self, later: Matrix, ends: Sequence[Answers]) -> tuple[Matrix, Matrix]:
        """People by horizons: what answers cost, ∞ without one, and what they weigh in ties."""
        shares, n, d = later.shape
        advised = np.array([[o.advises for o in answers.outcomes] for answers in ends], dtype=bool)
        points = np.stack([answers.points for answers in ends])
        goals = np.where(advised[..., None], points, later)
        cost = self.price(later.reshape(-1, d), goals.reshape(-1, d)).reshape(shares, n)
        return np.where(advised, cost, np.inf).T, CHANGE * (goals != later).sum(axis=2).T

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
