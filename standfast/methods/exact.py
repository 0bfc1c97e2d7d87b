"""What the exact methods share: from a model to a program, and from solutions to answers."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from standfast.errors import InputError, listing
from standfast.methods.method import Alternative, Answers, Budget, Matrix, Streams
from standfast.recommendations import Outcome
from standfast.schema import Schema
from standfast.scores import Score, Unanimous
from standfast.search.price import Kind, Price
from standfast.search.program import Program
from standfast.search.solve import Alternatives, Limit, Solution, Solver

SEPARATOR = "; "  # between the names of binding models; a name may hold commas
SUPPORT = "the data support"  # what sentences call the score that must find the advice usual
ON_GRID = "Cheapest on its action grid; other admissible values were not tried."
NOT_ON_GRID = "No change on its action grid is accepted; other admissible values were not tried."
SAMPLED = (
    "Only some values of {} were tried: there are too many, and a model rises and falls among "
    "them; a coarser step makes a proof possible."
)


def price_of(
    cost: Kind, units: Mapping[str, float] | ArrayLike | None, per_change: float, schema: Schema
) -> Price:
    """The price a user asked for; units may be given by name."""
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
    return [(model, margin)]


def names_of(model: Score) -> list[str]:
    """What sentences call the members, in the same order: their names, or model 0, model 1, …."""
    found = _given_names(model)
    return [name or f"model {k}" for k, name in enumerate(found)]


def _given_names(model: Score) -> list[str]:
    if not isinstance(model, Unanimous):
        return [""]
    names = model.names or ("",) * len(model.scores)
    return [
        inner or name
        for score, name in zip(model.scores, names, strict=True)
        for inner in _given_names(score)
    ]


@dataclass(frozen=True, eq=False)
class ExactSearch:
    """A program that is solved for one person after another.

    `names` are those of the program's models; `ways` says how many ways each person is given, of
    which none contains another's changes if `nested`; each search opens at most `boxes` boxes.
    """

    program: Program
    names: Sequence[str]
    boxes: int
    ways: int = 1
    nested: bool = True

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The people of a block, one after another; nothing is drawn at random."""
        solver = Solver(self.program, X)
        points, bounds = np.full_like(X, np.nan), np.full(len(X), np.nan)
        outcomes: list[Outcome] = []
        reasons: list[str] = []
        binding: list[tuple[int, ...]] = []
        ways: list[Alternative] = []
        seconds = np.zeros(len(X))
        for i in range(len(X)):
            began = time.monotonic()
            limit = limit_of(budget, self.boxes, began)
            solution = _on_what_was_tried(solver.solve(i, limit), self.program)
            outcomes.append(_outcome(solution))
            reasons.append(_reason(solution, solver, i, self.names, budget, limit))
            binding.append(solution.binding)
            bounds[i] = solution.lower_bound
            if solution.point is not None:
                found = self._ways(solver, i, solution, limit)
                points[i] = found[0].point
                ways += found if self.ways > 1 else []
            seconds[i] = time.monotonic() - began
        return Answers(
            points, tuple(outcomes), tuple(reasons), bounds, seconds, tuple(binding), tuple(ways)
        )

    def _ways(self, solver: Solver, i: int, first: Solution, limit: Limit) -> list[Alternative]:
        """The person's flipset in order of cost; at a limit the answer may not come first."""
        assert first.point is not None
        found = [(first.cost, Alternative(i, 1, first.point, _outcome(first), first.lower_bound))]
        while len(found) < self.ways:
            sets = np.array([way.point != solver.X[i] for _, way in found])
            another = solver.solve(i, limit, Alternatives(sets, self.nested))
            another = _on_what_was_tried(another, solver.program)
            if another.point is None:
                break
            way = Alternative(i, 1, another.point, _outcome(another), another.lower_bound)
            found.append((another.cost, way))
        if any(way.outcome is not Outcome.MINIMAL for _, way in found):
            found.sort(key=lambda pair: pair[0])  # proven ones are in order, ties by fewest changes
        return [replace(way, rank=rank) for rank, (_, way) in enumerate(found, start=1)]


def limit_of(budget: Budget, boxes: int, began: float) -> Limit:
    """The limit of one person's search that began at a time."""
    return Limit(boxes, min(budget.deadline, began + budget.seconds), budget.stop.is_set)


def _on_what_was_tried(solution: Solution, program: Program) -> Solution:
    """The solution, without a proof where some admissible values were never tried.

    An action grid keeps its minimum, which is what actionable recourse means by it.
    """
    if solution.proof == "limit" or not program.lattice.partial:
        return solution
    if solution.proof == "minimal" and not program.unproven:
        return solution
    return replace(solution, proof="tried", lower_bound=0.0)


def _outcome(solution: Solution) -> Outcome:
    if solution.proof == "minimal":
        return Outcome.MINIMAL
    if solution.proof == "infeasible":
        return Outcome.INFEASIBLE
    return Outcome.EXHAUSTED if solution.point is None else Outcome.WITHIN_GAP


def _reason(
    solution: Solution,
    solver: Solver,
    i: int,
    names: Sequence[str],
    budget: Budget,
    limit: Limit,
) -> str:
    partial = solver.program.lattice.partial
    if solution.proof == "minimal":
        return ON_GRID if partial else ""
    if solution.proof == "tried":
        odd = [solver.program.lattice.domain.names[j] for j in solver.program.unproven]
        return SAMPLED.format(listing(odd)) if odd else NOT_ON_GRID
    if solution.proof == "limit":
        return limit_reached(solution, budget, limit)
    blocked = solver.blocking(i)
    if blocked:
        return (
            "With what this person may change, no admissible value satisfies "
            f"{' or '.join(names[m] for m in blocked)}."
        )
    told = " and ".join(names[m] for m in solution.binding)
    # whether the relations are to blame, another search would have to tell
    laws = " and keeps the schema's relations" * bool(solver.program.lattice.domain.relations)
    both = " together" * (len(solution.binding) > 1)
    return f"No admissible change satisfies {told}{both}{laws}."


def limit_reached(solution: Solution, budget: Budget, limit: Limit) -> str:
    """Which limit ended a search, and what it has proven by then."""
    why = f"The limit of {limit.boxes} box{'es' * (limit.boxes != 1)} was reached."
    if not solution.room:
        why = "The search used up the memory set aside for one person."
    elif limit.expired():
        why = budget.why
    return f"{why} No answer costs less than {solution.lower_bound:.4g}."
