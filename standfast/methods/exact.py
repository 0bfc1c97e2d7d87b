"""What the exact methods share: from a model to a program, and from solutions to answers."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError
from standfast.methods.method import Alternative, Answers, Budget, Matrix, Streams, Vector
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import (
    ActionGrid,
    LimitReached,
    RefusedByRules,
    SampledValues,
    Unsatisfiable,
)
from standfast.schema import Schema
from standfast.scores import Rule, Score, TreeLevelSet, Unanimous
from standfast.search.exact.driver import Limit, Solution
from standfast.search.exact.rounding import Rounder
from standfast.search.exact.solve import Alternatives, Solver
from standfast.search.problem.price import Kind, Price, usual_per_change
from standfast.search.problem.program import Program

By = Literal["inputs", "changes"]
Rows = NDArray[np.intp]

# costs that differ by less are the same
SAME = 1e-9
# boxes opened to find out whether the schema's relations and rules are to blame
BLAME = 2_000


def price_of(
    cost: Kind,
    units: Mapping[str, float] | ArrayLike | None,
    per_change: float | None,
    schema: Schema,
) -> Price:
    """The price a user asked for; units may be given by name, None is the usual per change."""
    if per_change is None:
        per_change = usual_per_change(cost)
    if isinstance(units, Mapping):
        missing = [name for name in schema.names if name not in units]
        if missing:
            raise InputError(f"units lack {missing[0]!r}; give one for every input of the schema")
        units = [units[name] for name in schema.names]
    found = None if units is None else np.asarray(units, dtype=np.float64)
    if found is not None and found.shape != (len(schema),):
        raise InputError(f"{found.size} units for {len(schema)} inputs; give one each")
    return Price(cost, found, per_change)


def members(model: Score, margin: float) -> list[tuple[Score, float]]:
    """A score's members, nested ones too, each with all the margin that is asked of it."""
    if isinstance(model, Unanimous):
        pairs = zip(model.scores, model.margins, strict=True)
        return [found for score, extra in pairs for found in members(score, margin + extra)]
    if isinstance(model, TreeLevelSet):  # to which a margin is a further ε
        return [(model.wider(margin), 0.0)]
    return [(model, margin)]


def names_of(model: Score) -> list[str]:
    """The names given to the members, in the same order; empty where there is none."""
    if isinstance(model, Rule):
        return [f"the rule '{model.text}'"]
    if not isinstance(model, Unanimous):
        return [""]
    names = model.names or ("",) * len(model.scores)
    return [
        name if name and isinstance(score, Rule) else inner or name
        for score, name in zip(model.scores, names, strict=True)
        for inner in names_of(score)
    ]


@dataclass(frozen=True, eq=False)
class ExactSearch:
    """A program that is solved for one person after another.

    `ways` says how many ways each person is given, of which none contains another's changes if
    `nested`; with `by` "changes" they are the cheapest, and the cheapest with one change, with two,
    and so on. Each search opens at most `boxes` boxes. With `rounding` every answer takes the
    roundest numbers that cost the same. Why nothing helps somebody takes half a search to find out,
    which is done if it is to be `explained`.
    """

    program: Program
    boxes: int
    ways: int = 1
    nested: bool = True
    by: By = "inputs"
    rounding: bool = False
    explained: bool = True
    _idle: deque[Solver] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        self.program.joined_forest  # noqa: B018 packed here, once, not while somebody waits

    def keeping(self, inputs: frozenset[int]) -> "ExactSearch":
        """The same search for people who leave these inputs as they are."""
        return self._sharing(replace(self, program=self.program.keeping(inputs)))

    def at(self, months: float | Vector, explained: bool = True) -> "ExactSearch":
        """The same search for people who have so many months; a block's may each have their own."""
        return self._sharing(replace(self, program=self.program.at(months), explained=explained))

    def _sharing(self, other: "ExactSearch") -> "ExactSearch":
        """The other search, which differs in what people can reach, in the same workspaces."""
        object.__setattr__(other, "_idle", self._idle)
        object.__setattr__(other, "_rounder", self._rounder)  # people's reach comes with them
        return other

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The people of a block, equal ones once; nothing is drawn at random."""
        if len(X) > 1 and not isinstance(self.program.lattice.months, np.ndarray):
            first, whose = equal_rows(X)
            if len(first) < len(X):
                answers, seconds = self._advise(X[first], budget), np.zeros(len(X))
                seconds[first] = answers.seconds  # only the first of equals took time
                return replace(answers.of(whose), seconds=seconds)
        return self._advise(X, budget)

    def _advise(self, X: Matrix, budget: Budget) -> Answers:
        """The people of a block, one after another."""
        solver = self._solver(X)
        points, bounds = np.full_like(X, np.nan), np.full(len(X), np.nan)
        outcomes: list[Outcome] = []
        causes: list[Cause | None] = []
        binding: list[tuple[int, ...]] = []
        ways: list[Alternative] = []
        seconds = np.zeros(len(X))
        for i in range(len(X)):
            began = time.monotonic()
            limit = limit_of(budget, self.boxes, began)
            solution = self._solved(solver, i, limit)
            outcomes.append(outcome_of(solution))
            explained = self.explained or solution.proof != "infeasible"
            causes.append(_cause(solution, solver, i, budget, limit) if explained else None)
            binding.append(solution.binding)
            bounds[i] = solution.lower_bound
            if solution.point is not None:
                search = self._frontier if self.by == "changes" else self._ways
                found = search(solver, i, solution, limit)
                points[i] = found[0].point
                ways += _ranked(i, found) if self.ways > 1 else ()
            seconds[i] = time.monotonic() - began
        if self.rounding:
            began = time.monotonic()
            points, ways = self._rounded(solver, points, ways)
            seconds += (time.monotonic() - began) / len(X)
        if not solver.grown:
            self._idle.append(solver)
        return Answers(
            points, tuple(outcomes), tuple(causes), bounds, seconds, tuple(binding), tuple(ways)
        )

    @cached_property
    def _rounder(self) -> Rounder:
        return Rounder(self.program)

    def _rounded(
        self, solver: Solver, points: Matrix, ways: list[Alternative]
    ) -> tuple[Matrix, list[Alternative]]:
        """The answers and all ways with rounder numbers, where these cost the same."""
        advised = np.flatnonzero(~np.isnan(points).any(axis=1))
        whose = np.array([*advised, *(way.person for way in ways)], dtype=np.intp)
        if not len(whose):
            return points, ways
        goals = np.concatenate([points[advised], *(way.point[None] for way in ways)])
        goals = self._rounder.rounded(solver.X, solver.own, whose, goals)
        points[advised], others = goals[: len(advised)], goals[len(advised) :]
        return points, [replace(w, point=p) for w, p in zip(ways, others, strict=True)]

    def _solver(self, X: Matrix) -> Solver:
        """One whose workspace no other thread uses: for one person, making it is half the work."""
        try:
            solver = self._idle.pop()
        except IndexError:
            return Solver(self.program, X)
        solver.meet(X, self.program)
        return solver

    def _solved(
        self, solver: Solver, i: int, limit: Limit, beside: Alternatives | None = None
    ) -> Solution:
        """Person i's answer, without a proof where some admissible values were never tried.

        An action grid keeps its minimum, which is what actionable recourse means by it.
        """
        solution, program = solver.solve(i, limit, beside), solver.program
        if solution.proof == "limit" or not program.lattice.partial:
            return solution
        if solution.proof == "minimal" and not program.unproven:
            return solution
        return replace(solution, proof="tried", lower_bound=0.0)

    def _ways(self, solver: Solver, i: int, first: Solution, limit: Limit) -> list[Solution]:
        """The person's flipset in order of cost; at a limit the answer may not come first."""
        found = [first]
        while len(found) < self.ways:
            sets = np.array([way.point != solver.X[i] for way in found])
            another = self._solved(solver, i, limit, Alternatives(sets, self.nested))
            if another.point is None:
                break
            found.append(another)
        if any(way.proof != "minimal" for way in found):
            found.sort(key=lambda way: way.cost)  # proven ones are in order, ties by fewest changes
        return found

    def _frontier(self, solver: Solver, i: int, best: Solution, limit: Limit) -> list[Solution]:
        """The answer, then what costs more and changes less, in order of cost."""
        inputs, cheapest, found = solver.X.shape[1], np.inf, [best]
        for changes in range(1, int((best.point != solver.X[i]).sum())):
            if len(found) >= self.ways:
                break
            another = self._solved(solver, i, limit, Alternatives.sparse(changes, inputs))
            # one more change that brings nothing is none to mention
            if another.point is not None and best.cost + SAME < another.cost < cheapest - SAME:
                cheapest = another.cost
                found.insert(1, another)
        return found


def _ranked(i: int, ways: Sequence[Solution]) -> Iterator[Alternative]:
    """Several ways for person i of a block."""
    for rank, way in enumerate(ways, start=1):
        assert way.point is not None
        yield Alternative(i, rank, way.point, outcome_of(way), way.lower_bound)


def equal_rows(X: Matrix) -> tuple[Rows, Rows]:
    """Where each distinct row stands first, and the number of each row among these."""
    rows = np.ascontiguousarray(X + 0.0)  # −0.0 and 0.0 are the same value
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, whose = np.unique(whole, return_index=True, return_inverse=True)
    return first, whose.ravel()


def limit_of(budget: Budget, boxes: int, began: float) -> Limit:
    """The limit of one person's search that began at a time."""
    return Limit(boxes, min(budget.deadline, began + budget.seconds), budget.stop.is_set)


def outcome_of(solution: Solution) -> Outcome:
    """How a search ended, for people."""
    if solution.proof == "minimal":
        return Outcome.MINIMAL
    if solution.proof == "infeasible":
        return Outcome.INFEASIBLE
    return Outcome.EXHAUSTED if solution.point is None else Outcome.WITHIN_GAP


def _cause(
    solution: Solution, solver: Solver, i: int, budget: Budget, limit: Limit
) -> Cause | None:
    lattice = solver.program.lattice
    if solution.proof == "minimal":
        return ActionGrid() if lattice.partial else None
    if solution.proof == "tried":
        odd = tuple(lattice.domain.names[j] for j in solver.program.unproven)
        return SampledValues(odd) if odd else ActionGrid()
    if solution.proof == "limit":
        return limit_reached(solution, budget, limit)
    alone = solver.blocking(i)
    refusing = [m for m in (solver.program.models[k] for k in alone) if isinstance(m, Rule)]
    if refusing:
        x, movable = solver.X[i], lattice.movable
        return RefusedByRules(tuple(t for rule in refusing for t in rule.refusing(x, movable)))
    impossible = () if alone else tuple(str(rule) for rule in solver.impossible_rules(i))
    if impossible:
        return Unsatisfiable((), rules=impossible)
    lawful = lattice.domain.has_laws or bool(solver.program.rules)
    relations = lawful and not alone and _blamed(solver, i, limit)
    return Unsatisfiable(alone or solution.binding, bool(alone), relations)


def _blamed(solver: Solver, i: int, limit: Limit) -> bool:
    """Whether relations, rules or coupled changes stand in the way, unless proven otherwise."""
    return solver.solve_without_laws(i, replace(limit, boxes=BLAME)).proof != "infeasible"


def limit_reached(solution: Solution, budget: Budget, limit: Limit) -> LimitReached:
    """Which limit ended a search, and what it has proven by then."""
    if not solution.room:
        return LimitReached("memory", lower_bound=solution.lower_bound)
    if limit.expired():
        return replace(budget.why, lower_bound=solution.lower_bound)
    return LimitReached("boxes", limit.boxes, solution.lower_bound)
