"""Invariant for one model: candidates searched with some models, chosen by others."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from standfast.methods.attainable import Attainable
from standfast.methods.choice import (
    Choice,
    ValidationModels,
    raise_caution,
    raise_reference,
    reach_farthest,
    weigh_caution,
    weigh_reference,
)
from standfast.methods.exact import ExactSearch, limit_of
from standfast.methods.method import Answers, Budget, Matrix, Streams, Vector
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import AcceptedBy, together
from standfast.search.exact.driver import Limit
from standfast.search.exact.solve import Solver
from standfast.search.local.surroundings import Surroundings
from standfast.search.problem.program import Program

# boxes opened for each raised threshold: by then hardly an answer gets cheaper, only proven
RAISED_BOXES = 5_000


@dataclass(frozen=True, eq=False)
class InvariantSearch:
    """The reference's own search, its raised thresholds, the models to search with and choose by.

    `counted` is the reference's models together with those to search with; `beside` makes the
    program of the reference and one more model.
    """

    reference: ExactSearch
    raised: tuple[Program, ...]
    counted: Program
    choosing: ValidationModels
    breach_cost: float | None
    price: Callable[[Matrix, Matrix], Vector]
    beside: Callable[..., Program]

    def keeping(self, inputs: frozenset[int]) -> "InvariantSearch":
        """The same search for people who leave these inputs as they are."""
        return self._with(lambda program: program.keeping(inputs))

    def at(self, months: float, explained: bool = True) -> "InvariantSearch":
        """The same search for people who have so many months."""
        return self._with(lambda program: program.at(months))

    def _with(self, changed: Callable[[Program], Program]) -> "InvariantSearch":
        return replace(
            self,
            reference=replace(self.reference, program=changed(self.reference.program)),
            raised=tuple(map(changed, self.raised)),
            counted=changed(self.counted),
            beside=lambda other: changed(self.beside(other)),
        )

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Advice for each person in turn, with the reference's minimal cost as a lower bound."""
        plain = self.reference.advise(X, streams, budget)
        points, outcomes, causes = plain.points.copy(), list(plain.outcomes), list(plain.causes)
        seconds = np.zeros(len(X)) if plain.seconds is None else plain.seconds.copy()
        accepted_by = np.full(len(X), np.nan)
        people = _People(self, X, budget)
        for i in np.flatnonzero([outcome.advises for outcome in outcomes]):
            began = time.monotonic()
            limit = limit_of(budget, RAISED_BOXES, began - seconds[i])
            choice = people.choose(int(i), points[i], limit)
            best, ended = choice.best, limit.expired()
            if best is not choice.candidates[0] or ended or not people.content(choice):
                points[i], outcomes[i], causes[i] = best.point, Outcome.FOUND, None
            causes[i] = together(causes[i], people.count(int(i), choice, limit))
            accepted_by[i] = best.yes
            seconds[i] += time.monotonic() - began
        return Answers(
            points,
            tuple(outcomes),
            tuple(causes),
            plain.lower_bounds,
            seconds,
            accepted_by=accepted_by,
        )


class _People:
    """The people of a block, served one after another in the same workspace."""

    def __init__(self, search: InvariantSearch, X: Matrix, budget: Budget) -> None:
        self.search, self.X, self.budget = search, X, budget
        self.attainable = Attainable(search.choosing.models, search.beside, X)
        self.around = Surroundings(search.counted, len(search.reference.program.models))
        self.solvers: dict[int, Solver] = {}

    def choose(self, i: int, first: Vector, limit: Limit) -> Choice:
        """Person i's candidates, the reference's optimum first."""
        x = self.X[i]

        def price(point: Vector) -> float:
            return float(self.search.price(x[None], point[None])[0])

        choice = Choice(self.search.choosing, price, self.search.breach_cost)
        choice.judge(first)
        if self.search.breach_cost is None:
            self._reach(i, choice, limit)
        else:
            self._weigh(i, choice, limit)
        return choice

    def _reach(self, i: int, choice: Choice, limit: Limit) -> None:
        """Candidates for the target validity."""
        if choice.passes(choice.best):
            return
        raise_reference(choice, partial(self._raised, i, limit), len(self.search.raised))
        if limit.expired():
            return
        # whatever is cheaper than the baseline makes no larger move
        self.around.of(self.X[i], choice.best.cost if choice.passes(choice.best) else np.inf)
        raise_caution(choice, self.around, limit.expired)
        if not choice.passes(choice.best) and not limit.expired():
            reach_farthest(choice, self.around, limit.expired)

    def _weigh(self, i: int, choice: Choice, limit: Limit) -> None:
        """Candidates for the least expected cost."""
        weigh_reference(choice, partial(self._raised, i, limit), len(self.search.raised))
        if not limit.expired():
            self.around.of(self.X[i], choice.expected(choice.best))
            weigh_caution(choice, self.around, limit.expired)

    def content(self, choice: Choice) -> bool:
        """Whether nothing more was asked for than what the best candidate gives."""
        return self.search.breach_cost is not None or choice.passes(choice.best)

    def _raised(self, i: int, limit: Limit, k: int) -> Vector | None:
        if limit.expired():
            return None
        if k not in self.solvers:
            self.solvers[k] = Solver(self.search.raised[k], self.X)
        return self.solvers[k].solve(i, limit).point

    def count(self, i: int, choice: Choice, limit: Limit) -> Cause | None:
        """How many models accept, whether that is enough, and if not, how many ever could."""
        models, ended = self.search.choosing, limit.expired()
        count = AcceptedBy(choice.best.yes, len(models.models))
        if self.search.breach_cost is None:
            count = replace(count, validity=models.validity)
            if self.content(choice):
                return count
            most = self.attainable.most(i, choice.accepting, limit)
            count = replace(count, most=most, ended=ended)
        return together(self.budget.why, count) if ended else count
