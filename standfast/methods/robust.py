"""Minimal cost under level sets: the cheapest advice that every member accepts.

A level set of trees is read whole: the boxes in which some member refuses. One of linear models has
endlessly many members, and some sets of trees have too many boxes; such a search starts with
some members (cuts), takes its answer to the one that likes it least, adds that one if it refuses,
and goes on until none does: with fewer members advice can only be cheaper, so the answer is proven
minimal, and "infeasible" stays proven.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from standfast.methods import exact
from standfast.methods.method import Answers, Budget, Matrix, Streams, TimedSearch
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import Unsatisfiable
from standfast.scores import Linear, LinearLevelSet, Score, TreeEnsemble, Unanimous
from standfast.scores.sparse_trees.refusals import Refusals
from standfast.search.exact.level_set_search import Asked, LevelSetSearch, refusing

if TYPE_CHECKING:
    from standfast.methods.minimal_cost import MinimalCost

# a member, or boxes of members, and the position of its set
Cut = tuple[int, Linear | TreeEnsemble]


def prepare(best: "MinimalCost", model: Score) -> TimedSearch:
    """The search under a model with a level set among its members; `best` has the settings.

    For the maximal shift, alternatives, data support, trees, rules and inputs with more than a
    thousand values the exact search starts anew with every member added, which takes longer.
    """
    # a margin is a further ε to a set of trees, which is read with it
    both = zip(exact.members(model, 0.0), exact.members(model, best.margin), strict=True)
    asked = [pair if isinstance(pair[0], Refusals) else without for without, pair in both]
    plain = all(isinstance(score, LinearLevelSet | Linear) for score, _ in asked)
    plain = plain and not best.schema.rules
    if plain and best.cost != "max" and best.alternatives == 1 and best.support is None:
        raised = [(score, margin + best.margin) for score, margin in asked]
        price = exact.price_of(best.cost, best.units, best.per_change, best.schema)
        search = LevelSetSearch.build(raised, best.domain, best.percentiles, price)
        if not search.lattice.wide:
            return InOneTree(search, best.boxes)
    if any(_incomplete(score) for score, _ in asked):
        best = replace(best, rounded=False)  # rounds go on with the answers
    return ByRounds(best, asked, best.prepare_now(_joint(best, asked, ())))


def _incomplete(score: Score) -> bool:
    """Whether a search begins with some members of a set alone."""
    return isinstance(score, LinearLevelSet) or (isinstance(score, Refusals) and not score.few)


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
        return Answers.joined([self._one(x, budget) for x in X])

    def _one(self, x: Matrix, budget: Budget) -> Answers:
        began = time.monotonic()
        limit = exact.limit_of(budget, self.boxes, began)
        solution = self.search.solve(x, limit)
        point = np.full(len(x), np.nan) if solution.point is None else solution.point
        cause: Cause | None = None
        if solution.proof == "infeasible":
            cause = _sets_named(Unsatisfiable(solution.binding), self.search.asked)
        elif solution.proof == "limit":
            cause = exact.limit_reached(solution, budget, limit)
        took, bound = np.array([time.monotonic() - began]), np.array([solution.lower_bound])
        ended = (exact.outcome_of(solution),), (cause,), bound, took, (solution.binding,)
        return Answers(point[None], *ended)


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
        """The people of a block: one after another where members may be added for each."""
        if not any(_incomplete(score) for score, _ in self.asked):
            found = self.first.advise(X, streams, budget)
            assert found.binding is not None
            return self._explained(X, found, found.binding)
        alone = [slice(i, i + 1) for i in range(len(X))]
        return Answers.joined([self._one(X[i], streams[i], budget) for i in alone])

    def _one(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        began = time.monotonic()
        one = replace(budget, deadline=min(budget.deadline, began + budget.seconds), seconds=np.inf)
        cuts: list[Cut] = []
        search = self.first
        while True:
            found = search.advise(X, streams, one)
            ways = [way.point for way in found.alternatives] or list(found.points)
            added = [cut for point in ways for cut in self._against(point)]
            if not (added and found.outcomes[0] is Outcome.MINIMAL and not one.expired()):
                found = replace(found, seconds=np.array([time.monotonic() - began]))
                ended = self._ended(X, found, cuts)
                return self._withheld(ended, one) if added else ended
            cuts += added
            search = self.best.prepare_now(_joint(self.best, self.asked, cuts)).keeping(self.kept)
            search = search if self.months is None else search.at(self.months)

    def _against(self, point: Matrix) -> list[Cut]:
        """For every level set that does not accept the point as a whole, members that refuse."""
        if np.isnan(point).any():
            return []
        members = [
            (m, _refusing(score, margin + self.best.margin, point))
            for m, (score, margin) in enumerate(self.asked)
            if _incomplete(score)
        ]
        return [(m, cut) for m, cut in members if cut is not None]

    def _ended(self, X: Matrix, found: Answers, cuts: Sequence[Cut]) -> Answers:
        """One person's answer, with the sets of binding members for the members."""
        # the positions of the members asked, of the cuts by their sets, and of the data support
        whose = [*range(len(self.asked)), *(m for m, _ in cuts), len(self.asked)]
        assert found.binding is not None
        binding = tuple(dict.fromkeys(whose[k] for k in found.binding[0]))
        if cuts and isinstance(found.causes[0], Unsatisfiable):  # alone was said of members
            found = replace(found, causes=(replace(found.causes[0], alone=False),))
        return self._explained(X, found, (binding,))

    def _explained(
        self, X: Matrix, found: Answers, binding: tuple[tuple[int, ...], ...]
    ) -> Answers:
        """The answers, whose causes name level sets and, of trees, the path that decides."""
        causes = list(found.causes)
        for i, (outcome, why) in enumerate(zip(found.outcomes, causes, strict=True)):
            if outcome is not Outcome.INFEASIBLE or not isinstance(why, Unsatisfiable) or why.rules:
                continue
            named = replace(why, models=why.models if why.alone else binding[i])
            causes[i] = _sets_named(named, self.asked, partial(self._path, x=X[i]))
        return replace(found, causes=tuple(causes), binding=binding)

    def _path(self, score: Refusals, x: Matrix) -> tuple[str, ...]:
        """The path on which a member refuses whatever the person may change; empty without one."""
        domain, X = self.best.domain, x[None]
        own = X if self.months is None else domain.moved_on(X, self.months)
        return score.decided(own, domain.bounds(own, self.kept, self.months))

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


def _joint(best: "MinimalCost", asked: Asked, cuts: Sequence[Cut]) -> Unanimous:
    """The models, of a level set some members for the set, and further members of the sets."""
    every = [(m, _read(score)) for m, (score, _) in enumerate(asked)]
    # boxes have been read with the method's own margin
    margins = [
        -best.margin if isinstance(asked[m][0], Refusals) else asked[m][1]
        for m, _ in (*every, *cuts)
    ]
    return Unanimous(tuple(score for _, score in (*every, *cuts)), tuple(margins))


def _read(score: Score) -> Score:
    if isinstance(score, LinearLevelSet):
        return score.best
    return score.some if isinstance(score, Refusals) else score


def _refusing(score: Score, margin: float, point: Matrix) -> Linear | TreeEnsemble | None:
    """A member of a set, or boxes of several, that refuse a point; None if all members accept."""
    if isinstance(score, LinearLevelSet):
        return refusing(score, margin, point)
    assert isinstance(score, Refusals)
    return score.refusing(point)


def _sets_named(
    why: Unsatisfiable,
    asked: Asked,
    path: Callable[[Refusals], tuple[str, ...]] = lambda _: (),
) -> Unsatisfiable:
    """Why there is no advice, with the level sets among the models that accept none."""
    sets = [(m, asked[m][0]) for m in why.models if m < len(asked)]
    linear = [(m, score.epsilon) for m, score in sets if isinstance(score, LinearLevelSet)]
    trees = [(m, score.epsilon, path(score)) for m, score in sets if isinstance(score, Refusals)]
    return replace(why, level_sets=tuple(linear), tree_sets=tuple(trees))
