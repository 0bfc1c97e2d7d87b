"""Robust linear: the cheapest advice that every model of a linear level set accepts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.methods import exact
from standfast.methods.method import Answers, Limits, Matrix, Once, Streams, Vector
from standfast.methods.minimal_cost import MinimalCost
from standfast.percentiles import Percentiles
from standfast.recommendations import Outcome
from standfast.schema import Schema
from standfast.scores import Linear, Score, Unanimous
from standfast.scores.linear_level_set import LinearLevelSet
from standfast.search.exact.level_set_search import Asked, RobustSearch, refusing
from standfast.search.exact.solve import Limit, Solution

Cuts = tuple[tuple[int, Linear], ...]


@dataclass(frozen=True)
class RobustLinear:
    """Minimal cost under a `LinearLevelSet`: no model of the set refuses the advice.

    A level set has endlessly many members. The search starts with some (cuts) and all members of an
    ellipsoid around each, takes its answer to the worst member, adds that one if it refuses, and
    goes on until none does: with fewer members advice can only be cheaper, so the answer is proven
    minimal, and "infeasible" stays proven.
    `best` has the schema, the cost and all other wishes. `cuts` are members every search begins
    with; those outside the level set at hand are left out, so they are never wrong. `fit` learns
    them from people. Other models are read as `best` reads them, also together with a level set in
    `Unanimous`; for the maximal shift, alternatives, data support, trees and inputs with more than
    a thousand values the exact search starts anew with every member added, which takes longer.
    """

    best: MinimalCost
    cuts: tuple[Linear, ...] = ()
    name: str = "robust linear"

    def __post_init__(self) -> None:
        if not isinstance(self.best, MinimalCost):
            raise InputError(
                f"best is a {type(self.best).__name__}; give a MinimalCost, which says what "
                "advice may do and what it costs"
            )
        object.__setattr__(self, "cuts", tuple(self.cuts))
        for cut in self.cuts:
            if not isinstance(cut, Linear) or cut.width != len(self.best.schema):
                raise InputError(
                    f"a cut must be a linear model of {len(self.best.schema)} inputs; "
                    "RobustLinear.fit(best, level_set, people) finds some"
                )

    @classmethod
    def fit(
        cls, best: MinimalCost, level_set: LinearLevelSet, people: pd.DataFrame
    ) -> "RobustLinear":
        """The method with a pool of cuts: members that advice for these people ran into."""
        search = RobustSearch.build(best, [(level_set, best.margin)], ())
        X = best.schema.matrix(people)
        found: list[Linear] = []
        for x in X[~level_set.accepts(X) & best.domain.admits(X, X)]:
            solution, own = search.solve(x, Limit(best.boxes))
            # the member that binds in the end; all that were met on the way would slow others down
            last = [cut for _, cut in own[-1:]]
            found += last if solution.point is None else [level_set.worst(solution.point).model]
        return cls(best, tuple(found))

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self.best.schema

    @property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.best.domain

    @property
    def percentiles(self) -> Percentiles:
        """Where values stand in the reference table."""
        return self.best.percentiles

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        return {**self.best.settings(), "cuts": [cut.digest for cut in self.cuts]}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen cost."""
        return self.best.price(X, Y)

    def search(self, model: Score, X: Matrix, streams: Streams, limits: Limits) -> Answers:
        """The cheapest point that every member of every level set accepts, with its proof."""
        asked = exact.members(model, 0.0)
        if not any(isinstance(score, LinearLevelSet) for score, _ in asked):
            return self.best.search(model, X, streams, limits)
        cuts = self._members(asked)
        plain = all(isinstance(score, LinearLevelSet | Linear) for score, _ in asked)
        if (
            plain
            and self.best.cost != "max"
            and self.best.alternatives == 1
            and not self.best.support
        ):
            raised = [(score, margin + self.best.margin) for score, margin in asked]
            found = limits.once(lambda: RobustSearch.build(self.best, raised, cuts))
            if not found.lattice.wide:
                return _answers(found, X, limits)
        blocks = [
            self._by_rounds(asked, cuts, X[i : i + 1], streams[i : i + 1], limits)
            for i in range(len(X))
        ]
        return _joined(blocks)

    def _members(self, asked: Asked) -> Cuts:
        """The pool's members of each level set."""
        return tuple(
            (m, cut)
            for m, (score, _) in enumerate(asked)
            if isinstance(score, LinearLevelSet)
            for cut in self.cuts
            if cut.threshold == score.threshold and score.excess(cut) <= score.epsilon
        )

    def _by_rounds(
        self, asked: Asked, cuts: Cuts, X: Matrix, streams: Streams, limits: Limits
    ) -> Answers:
        """One person's answer: the exact search anew with every member that refuses."""
        began = time.monotonic()
        deadline = min(limits.deadline, began + limits.seconds)
        whose = [*range(len(asked)), *(m for m, _ in cuts)]
        scores = [s.best if isinstance(s, LinearLevelSet) else s for s, _ in asked]
        scores += [cut for _, cut in cuts]
        while True:
            joint = Unanimous(tuple(scores), tuple(asked[m][1] for m in whose))
            one = Limits(deadline, np.inf, limits.stop, Once())
            found = self.best.search(joint, X, streams, one)
            ways = [way.point for way in found.alternatives] or list(found.points)
            added = [
                (m, cut)
                for m, (score, margin) in enumerate(asked)
                if isinstance(score, LinearLevelSet)
                for point in ways
                if not np.isnan(point).any()
                for cut in [refusing(score, margin + self.best.margin, point)]
                if cut is not None
            ]
            if added and found.outcomes[0] is Outcome.MINIMAL and not one.expired():
                whose += [m for m, _ in added]
                scores += [cut for _, cut in added]
                continue
            return _told(found, asked, whose, bool(added), time.monotonic() - began)


def _told(
    found: Answers, asked: Asked, whose: Sequence[int], refused: bool, took: float
) -> Answers:
    """One person's answer with binding models by their own numbers; withheld if it is refused."""
    binding = found.binding[0].split(exact.SEPARATOR) if found.binding and found.binding[0] else []
    names = []
    for name in binding:
        number = name.removeprefix("model ")
        names.append(f"model {whose[int(number)]}" if number.isdigit() else name)
    names = list(dict.fromkeys(names))
    told = replace(found, binding=(exact.SEPARATOR.join(names),), seconds=np.array([took]))
    if refused:
        reason = f"A limit was reached. No answer costs less than {found.lower_bounds[0]:.4g}."
        nothing = np.full_like(found.points, np.nan)
        outcome = (Outcome.EXHAUSTED,)
        return replace(told, points=nothing, outcomes=outcome, reasons=(reason,), alternatives=())
    if found.outcomes[0] is Outcome.INFEASIBLE:
        return replace(told, reasons=(_hopeless(asked, names),))
    return told


def _hopeless(asked: Asked, names: Sequence[str]) -> str:
    """Why nobody can help: which models cannot be pleased, level sets by their ε."""
    told = []
    for name in names:
        number = name.removeprefix("model ")
        score = asked[int(number)][0] if number.isdigit() else None
        if isinstance(score, LinearLevelSet):
            name = f"every linear model of the level set (ε = {score.epsilon:.4g})"
        told.append(name)
    return f"No admissible change satisfies {' and '.join(told) or 'the models'}."


def _answers(search: RobustSearch, X: Matrix, limits: Limits) -> Answers:
    """The people of a block, one after another, in one tree each."""
    blocks = []
    for x in X:
        began = time.monotonic()
        deadline = min(limits.deadline, began + limits.seconds)
        limit = Limit(search.best.boxes, deadline, limits.stop.is_set)
        solution, _ = search.solve(x, limit)
        names = [f"model {m}" for m in solution.binding]
        point = np.full(len(x), np.nan) if solution.point is None else solution.point
        outcome, reason = _ending(solution, search, names, limits, limit)
        took = np.array([time.monotonic() - began])
        bound = np.array([solution.lower_bound])
        blocks.append(
            Answers(point[None], (outcome,), (reason,), bound, took, (exact.SEPARATOR.join(names),))
        )
    return _joined(blocks)


def _ending(
    solution: Solution, search: RobustSearch, names: Sequence[str], limits: Limits, limit: Limit
) -> tuple[Outcome, str]:
    if solution.proof == "minimal":
        return Outcome.MINIMAL, ""
    if solution.proof == "infeasible":
        return Outcome.INFEASIBLE, _hopeless(search.asked, names)
    why = f"The limit of {limit.boxes} box{'es' * (limit.boxes != 1)} was reached."
    if not solution.room:
        why = "The search used up the memory set aside for one person."
    elif limit.expired():
        why = limits.why
    told = f"{why} No answer costs less than {solution.lower_bound:.4g}."
    return (Outcome.EXHAUSTED if solution.point is None else Outcome.WITHIN_GAP), told


def _joined(blocks: Sequence[Answers]) -> Answers:
    """The answers of people served one by one as those of their block."""
    return Answers(
        np.concatenate([one.points for one in blocks]),
        tuple(outcome for one in blocks for outcome in one.outcomes),
        tuple(reason for one in blocks for reason in one.reasons),
        np.concatenate([one.lower_bounds for one in blocks]),
        np.concatenate([np.zeros(1) if one.seconds is None else one.seconds for one in blocks]),
        tuple(name for one in blocks for name in one.binding or ("",)),
        tuple(replace(way, person=i) for i, one in enumerate(blocks) for way in one.alternatives),
    )
