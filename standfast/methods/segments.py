"""Searches under segmented models: every segment has a search of its own.

In a segment one model decides, so that nothing has to stand for the others. Where the segment may
not change, each person is served by their own segment's search. Where it may, the segments are
searched one after another, each as a rule of the schema, and the cheapest answer is the answer: it
is proven minimal when every segment is.
"""

import itertools
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.methods import exact
from standfast.methods.actionable_recourse import ActionableRecourse
from standfast.methods.method import Answers, Budget, Matrix, Method, Search, Streams, Vector
from standfast.methods.minimal_cost import MinimalCost
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import Unsatisfiable
from standfast.scores import Score, Segmented, Unanimous
from standfast.scores.score import Bools
from standfast.scores.segmented import Segment
from standfast.search.problem.price import CHANGE

# each combination of segments has a search of its own
MOST_CASES = 64


@dataclass(frozen=True, eq=False)
class Case:
    """One segment of every segmented model, the search there, and whose models it asks.

    `whose` has the position among the model's members of each member that the search asks.
    """

    chosen: tuple[tuple[int, Segment], ...]
    search: Search
    whose: tuple[int, ...]

    def has(self, X: Matrix) -> Bools:
        """Who is in these segments."""
        inside = [segment.has(X[:, place]) for place, segment in self.chosen]
        return np.asarray(np.logical_and.reduce(inside))


def prepare(method: Method, model: Score) -> Search:
    """The method's search for a model, one for each segment where the model is segmented."""
    several = _segmented(model)
    if not several:
        return method.prepare(model)
    fixed = all(one.fixed for one in several)
    if not fixed and not isinstance(method, MinimalCost | ActionableRecourse):
        return method.prepare(model)
    combined = list(itertools.product(*(one.segments for one in several)))
    if len(combined) > MOST_CASES:
        raise InputError(
            f"the segmented models have {len(combined)} combinations of segments, more than "
            f"{MOST_CASES}; merge segments"
        )
    if not fixed and getattr(method, "alternatives", 1) > 1:
        raise InputError(
            "several ways for one person are searched only where the segment may not change; ask "
            "for one, or make the segment's column immutable"
        )
    if getattr(method, "within", None) is not None:
        raise InputError(
            "advice for a time to come takes one model for everybody, and this one is segmented; "
            "leave out within, or ask segment by segment"
        )
    cases = []
    for segments in combined:
        chosen = dict(zip(several, segments, strict=True))
        rules = tuple(one.within(s) for one, s in chosen.items() if not one.fixed)
        held: Any = method
        if rules:
            schema = replace(method.schema, rules=(*method.schema.rules, *rules))
            held = replace(held, schema=schema)
        within = tuple((one.place, segment) for one, segment in chosen.items())
        cases.append(Case(within, held.prepare(_chosen(model, chosen)), _whose(model, chosen)))
    return BySegment(tuple(cases), fixed, method)


def _segmented(model: Score) -> list[Segmented]:
    found = [score for score, _ in exact.members(model, 0.0) if isinstance(score, Segmented)]
    return list(dict.fromkeys(found))


def _chosen(model: Score, chosen: dict[Segmented, Segment]) -> Score:
    """The model with each segmented member replaced by the model of its segment."""
    if isinstance(model, Segmented):
        return chosen[model].model
    if isinstance(model, Unanimous):
        return replace(model, scores=tuple(_chosen(score, chosen) for score in model.scores))
    return model


def _whose(model: Score, chosen: dict[Segmented, Segment]) -> tuple[int, ...]:
    asked = [score for score, _ in exact.members(model, 0.0)]
    sizes = [len(exact.members(_chosen(score, chosen), 0.0)) for score in asked]
    return tuple(k for k, size in enumerate(sizes) for _ in range(size))


@dataclass(frozen=True, eq=False)
class BySegment:
    """The searches of all segments; `fixed` says that everybody stays in theirs."""

    cases: tuple[Case, ...]
    fixed: bool
    method: Method

    def keeping(self, inputs: frozenset[int]) -> "BySegment":
        """The same searches for people who leave these inputs as they are."""
        cases = tuple(replace(case, search=case.search.keeping(inputs)) for case in self.cases)
        return replace(self, cases=cases)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The people of a block: in their own segment, or wherever it is cheapest."""
        began = time.monotonic()
        found = _Found(len(X), X.shape[1])
        for case in self.cases:
            who = np.flatnonzero(case.has(X)) if self.fixed else np.arange(len(X))
            if len(who):
                answers = case.search.advise(X[who], streams[who], budget)
                goals = np.where(np.isnan(answers.points), X[who], answers.points)
                costs, changes = self.method.price(X[who], goals), (goals != X[who]).sum(axis=1)
                found.take(case, who, answers, np.column_stack([costs, costs + CHANGE * changes]))
        return found.answers(time.monotonic() - began)


class _Found:
    """The best answers so far, person by person."""

    def __init__(self, n: int, d: int) -> None:
        self.points, self.cost = np.full((n, d), np.nan), np.full(n, np.inf)
        self.weighed = np.full(n, np.inf)  # with what changes weigh in ties
        self.lower, self.seconds = np.full(n, np.inf), np.zeros(n)
        self.outcomes: list[Outcome] = [Outcome.INFEASIBLE] * n
        self.causes: list[Cause | None] = [Unsatisfiable((0,), alone=True) for _ in range(n)]
        self.binding: list[tuple[int, ...]] = [()] * n
        self.accepted_by = np.full(n, np.nan)
        self.alternatives: list[Any] = []
        self.asked = np.zeros(n, dtype=int)

    def take(self, case: Case, who: Any, answers: Answers, costs: Matrix) -> None:
        """Keep what is cheaper than before, and of what has no answer what leaves most open.

        Costs come plain and with what changes weigh in ties.
        """
        for k, i in enumerate(who.tolist()):
            self.asked[i] += 1
            bound = answers.lower_bounds[k]
            known = answers.outcomes[k] is Outcome.INFEASIBLE or not np.isnan(bound)
            bound = np.inf if answers.outcomes[k] is Outcome.INFEASIBLE else bound
            self.lower[i] = min(self.lower[i], bound) if known else np.nan
            binding = _placed(answers.binding[k] if answers.binding else (), case.whose)
            self.binding[i] = tuple(dict.fromkeys((*self.binding[i], *binding)))
            if answers.seconds is not None:
                self.seconds[i] += answers.seconds[k]
            advised = answers.outcomes[k].advises
            better = advised and costs[k, 1] < self.weighed[i]
            unsettled = not advised and np.isinf(self.cost[i])
            open_end = answers.outcomes[k] is not Outcome.INFEASIBLE
            if better or (unsettled and (self.asked[i] == 1 or open_end)):
                cause = answers.causes[k]
                if isinstance(cause, Unsatisfiable):
                    cause = replace(cause, models=_placed(cause.models, case.whose))
                self.outcomes[i], self.causes[i] = answers.outcomes[k], cause
                self.points[i] = answers.points[k]
                self.cost[i], self.weighed[i] = costs[k] if advised else (np.inf, np.inf)
                if answers.accepted_by is not None:
                    self.accepted_by[i] = answers.accepted_by[k]
        self.alternatives += [replace(a, person=int(who[a.person])) for a in answers.alternatives]

    def answers(self, took: float) -> Answers:
        """The answers; a minimum is proven where no segment could be cheaper."""
        for i, outcome in enumerate(self.outcomes):
            if outcome is Outcome.MINIMAL and self.lower[i] < self.cost[i] - 1e-9:
                self.outcomes[i] = Outcome.WITHIN_GAP
            elif outcome is Outcome.INFEASIBLE and self.asked[i] > 1:
                self.causes[i] = Unsatisfiable(self.binding[i] or (0,))
        seconds: Vector = self.seconds if self.seconds.any() else np.full(len(self.cost), np.nan)
        shared = took / max(len(self.cost), 1)
        return Answers(
            self.points,
            tuple(self.outcomes),
            tuple(self.causes),
            self.lower,
            np.where(np.isnan(seconds), shared, seconds),
            tuple(self.binding),
            tuple(self.alternatives),
            None if np.isnan(self.accepted_by).all() else self.accepted_by,
        )


def _placed(positions: tuple[int, ...], whose: tuple[int, ...]) -> tuple[int, ...]:
    """Positions among a case's members as positions among the model's; further models follow."""
    further = max(whose) + 1 - len(whose)
    placed = [whose[m] if m < len(whose) else m + further for m in positions]
    return tuple(dict.fromkeys(placed))
