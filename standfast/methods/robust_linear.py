"""Minimal cost under a linear level set: the cheapest advice that every member accepts.

A level set has endlessly many members. The search starts with some (cuts) and all members of an
ellipsoid around each, takes its answer to the worst member, adds that one if it refuses, and goes
on until none does: with fewer members advice can only be cheaper, so the answer is proven minimal,
and "infeasible" stays proven.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from standfast.methods import exact
from standfast.methods.method import Answers, Budget, Matrix, Streams, TimedSearch
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import Unsatisfiable
from standfast.scores import Linear, LinearLevelSet, Score, Unanimous
from standfast.search.exact.driver import Limit, Solution
from standfast.search.exact.level_set_search import Asked, LevelSetSearch, refusing

if TYPE_CHECKING:
    from standfast.methods.minimal_cost import MinimalCost


def prepare(best: "MinimalCost", model: Score) -> TimedSearch:
    """The search under a model with a level set among its members; `best` has the settings.

    For the maximal shift, alternatives, data support, trees, rules and inputs with more than a
    thousand values the exact search starts anew with every member added, which takes longer.
    """
    asked = exact.members(model, 0.0)
    plain = all(isinstance(score, LinearLevelSet | Linear) for score, _ in asked)
    plain = plain and not best.schema.rules
    if plain and best.cost != "max" and best.alternatives == 1 and best.support is None:
        raised = [(score, margin + best.margin) for score, margin in asked]
        price = exact.price_of(best.cost, best.units, best.per_change, best.schema)
        search = LevelSetSearch.build(raised, best.domain, best.percentiles, price)
        if not search.lattice.wide:
            return InOneTree(search, best.boxes)
    unrounded = replace(best, rounded=False)  # rounds go on with the answers
    return ByRounds(unrounded, asked, unrounded.prepare_now(_joint(asked, ())))


@dataclass(frozen=True, eq=False)
class InOneTree:
    """Members are added while one and the same tree is searched."""

    search: LevelSetSearch
    boxes: int

    def keeping(self, inputs: frozenset[int]) -> "InOneTree":
        """The same search for people who leave these inputs as they are."""
        lattice = self.search.lattice.keeping(inputs)
        return replace(self, search=replace(self.search, lattice=lattice))

    def at(self, months: float, explained: bool = True) -> "InOneTree":
        """The same search for people who have so many months."""
        lattice = self.search.lattice.at(months)
        return replace(self, search=replace(self.search, lattice=lattice))

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The people of a block, one after another."""
        return _joined([self._one(x, budget) for x in X])

    def _one(self, x: Matrix, budget: Budget) -> Answers:
        began = time.monotonic()
        limit = exact.limit_of(budget, self.boxes, began)
        solution = self.search.solve(x, limit)
        point = np.full(len(x), np.nan) if solution.point is None else solution.point
        outcome, cause = self._ending(solution, budget, limit)
        took, bound = np.array([time.monotonic() - began]), np.array([solution.lower_bound])
        return Answers(point[None], (outcome,), (cause,), bound, took, (solution.binding,))

    def _ending(
        self, solution: Solution, budget: Budget, limit: Limit
    ) -> tuple[Outcome, Cause | None]:
        if solution.proof == "minimal":
            return Outcome.MINIMAL, None
        if solution.proof == "infeasible":
            return Outcome.INFEASIBLE, _hopeless(self.search.asked, solution.binding)
        outcome = Outcome.EXHAUSTED if solution.point is None else Outcome.WITHIN_GAP
        return outcome, exact.limit_reached(solution, budget, limit)


@dataclass(frozen=True, eq=False)
class ByRounds:
    """The exact search anew with every member that refuses; `first` has the best members alone."""

    best: "MinimalCost"
    asked: Asked
    first: TimedSearch
    kept: frozenset[int] = frozenset()
    months: float | None = None

    def keeping(self, inputs: frozenset[int]) -> "ByRounds":
        """The same search for people who leave these inputs as they are."""
        return replace(self, first=self.first.keeping(inputs), kept=self.kept | inputs)

    def at(self, months: float, explained: bool = True) -> "ByRounds":
        """The same search for people who have so many months."""
        return replace(self, first=self.first.at(months), months=months)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The people of a block, one after another."""
        return _joined([self._one(X[i : i + 1], streams[i : i + 1], budget) for i in range(len(X))])

    def _one(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        began = time.monotonic()
        one = replace(budget, deadline=min(budget.deadline, began + budget.seconds), seconds=np.inf)
        cuts: list[tuple[int, Linear]] = []
        search = self.first
        while True:
            found = search.advise(X, streams, one)
            ways = [way.point for way in found.alternatives] or list(found.points)
            added = [cut for point in ways for cut in self._against(point)]
            if not (added and found.outcomes[0] is Outcome.MINIMAL and not one.expired()):
                ended = self._ended(found, cuts, time.monotonic() - began)
                return self._withheld(ended, one) if added else ended
            cuts += added
            search = self.best.prepare_now(_joint(self.asked, cuts)).keeping(self.kept)
            search = search if self.months is None else search.at(self.months)

    def _against(self, point: Matrix) -> list[tuple[int, Linear]]:
        """For every level set that does not accept the point as a whole, a member that refuses."""
        if np.isnan(point).any():
            return []
        members = [
            (m, refusing(score, margin + self.best.margin, point))
            for m, (score, margin) in enumerate(self.asked)
            if isinstance(score, LinearLevelSet)
        ]
        return [(m, cut) for m, cut in members if cut is not None]

    def _ended(self, found: Answers, cuts: Sequence[tuple[int, Linear]], took: float) -> Answers:
        """One person's answer, with the sets of binding members for the members."""
        # the positions of the members asked, of the cuts by their sets, and of the data support
        whose = [*range(len(self.asked)), *(m for m, _ in cuts), len(self.asked)]
        assert found.binding is not None
        binding = tuple(dict.fromkeys(whose[k] for k in found.binding[0]))
        ended = replace(found, binding=(binding,), seconds=np.array([took]))
        if found.outcomes[0] is Outcome.INFEASIBLE:
            why = found.causes[0]
            if isinstance(why, Unsatisfiable) and not why.rules:
                why = replace(_hopeless(self.asked, binding), relations=why.relations)
            return replace(ended, causes=(why,))
        return ended

    def _withheld(self, ended: Answers, budget: Budget) -> Answers:
        """No answer, for a member refuses the one that was found when a limit was reached."""
        cause = ended.causes[0] or replace(budget.why, lower_bound=float(ended.lower_bounds[0]))
        return replace(
            ended,
            points=np.full_like(ended.points, np.nan),
            outcomes=(Outcome.EXHAUSTED,),
            causes=(cause,),
            alternatives=(),
        )


def _joint(asked: Asked, cuts: Sequence[tuple[int, Linear]]) -> Unanimous:
    """The models, a level set's best member for the set, and further members of the sets."""
    scores = [score.best if isinstance(score, LinearLevelSet) else score for score, _ in asked]
    margins = [margin for _, margin in asked]
    return Unanimous(
        (*scores, *(cut for _, cut in cuts)), (*margins, *(asked[m][1] for m, _ in cuts))
    )


def _hopeless(asked: Asked, binding: tuple[int, ...]) -> Unsatisfiable:
    """Why there is no advice: which models accept none, level sets with their ε."""
    sets = [(m, asked[m][0]) for m in binding if m < len(asked)]
    epsilons = [(m, score.epsilon) for m, score in sets if isinstance(score, LinearLevelSet)]
    return Unsatisfiable(binding, level_sets=tuple(epsilons))


def _joined(blocks: Sequence[Answers]) -> Answers:
    """The answers of people served one by one as those of their block."""
    return Answers(
        np.concatenate([one.points for one in blocks]),
        tuple(outcome for one in blocks for outcome in one.outcomes),
        tuple(cause for one in blocks for cause in one.causes),
        np.concatenate([one.lower_bounds for one in blocks]),
        np.concatenate([np.zeros(1) if one.seconds is None else one.seconds for one in blocks]),
        tuple(positions for one in blocks for positions in one.binding or ((),)),
        tuple(replace(way, person=i) for i, one in enumerate(blocks) for way in one.alternatives),
    )
