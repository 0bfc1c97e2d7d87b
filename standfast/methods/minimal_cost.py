"""Minimal cost: the cheapest advice that every given model accepts, with a proof."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

from numpy.typing import ArrayLike

from standfast.errors import InputError, check_whole
from standfast.methods import exact, robust
from standfast.methods.by_category import by_category
from standfast.methods.method import Matrix, Search, TimedSearch, Vector
from standfast.methods.over_time import OverTime, check_horizons
from standfast.percentiles import Percentiles, percentiles_of
from standfast.schema import Schema
from standfast.scores import LinearLevelSet, Score
from standfast.scores.sparse_trees.refusals import Refusals
from standfast.search.problem.layout import Layout
from standfast.search.problem.price import Kind, Price
from standfast.search.problem.program import Program


@dataclass(frozen=True)
class MinimalCost:
    """The cheapest admissible change that a model, or all members of `Unanimous`, accept: c*(f, g).

    Reads linear, additive and tree models. The search ends with a proof, or at the time limit or
    after `boxes` boxes with its lower bound. Proven means over everything that the schema admits:
    every step of every input's grid, under every relation. Of an input without a step every number
    counts that a computer can write, so a minimum that is only approached is given by the last
    number before it.

    Parameters
    ----------
    schema, percentiles : Schema, Percentiles
        What the columns mean, and the reference table in whose percentiles moves are priced.
    cost : {"total", "max", "log", "l1", "l2"}
        The percentile shift, or the norm, that is made least.
    units : mapping or array of float, optional
        What each input's move is divided by in l1 and l2.
    per_change : float, optional
        An extra price for every input that changes, part of the cost that is reported. It is 0.01
        for the total and the log shift unless given: a change costs one percentile more than the
        people it passes, so no change smaller than that is worth it; 0 for the others. The paper's
        cost has none: `per_change=0`.
    margin : float
        Asks every model for that much more than its threshold.
    support : Score, optional
        One more score that must accept, such as an isolation forest: data support inside the exact
        problem (definition 2).
    alternatives, alternatives_by : int, {"inputs", "changes"}
        Several ways, none of whose changed inputs contain another's or, by changes, the cheapest
        way, the cheapest with one change, with two, and so on, as long as one more change makes it
        cheaper.
    boxes : int
        How many boxes the search opens for one person.
    within, waiting : tuple of float, float, optional
        Advice some months from now, (0, 3, 6, 12): the cheapest for each, and the cheapest of all
        as the answer. By then inputs with a `drift` have moved on, others move no farther than
        their `pace` allows, and every month of waiting costs `waiting`.
    rounded : bool
        Of the values of an input that cost the same, the nearest is given, or the roundest that is
        at most a tenth farther; without it any of them.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3], "cards": [1, 2, 3, 4, 5]})
    >>> schema = sf.Schema((sf.Feature("late", "count"), sf.Feature("cards", "count")))
    >>> best = sf.MinimalCost(schema, sf.Percentiles.fit(table))
    >>> f, g = sf.Linear([-1.0, -0.5], 4.0), sf.Linear([0.0, -1.0], 3.5)
    >>> sf.recommend(best, f, table.tail(1)).sentences().item()
    'Lower late from 3 to 1.'
    >>> joint = sf.recommend(best, sf.Unanimous([f, g]), table.tail(1))
    >>> joint.sentences().item(), joint.outcome.item()
    ('Lower late from 3 to 2 and lower cards from 5 to 3.', 'minimal')
    """

    schema: Schema
    percentiles: Percentiles
    cost: Kind = "total"
    units: Mapping[str, float] | ArrayLike | None = None
    per_change: float | None = None
    margin: float = 0.0
    support: Score | None = None
    alternatives: int = 1
    boxes: int = 1_000_000
    name: str = "minimal cost"
    alternatives_by: exact.By = "inputs"
    within: tuple[float, ...] | None = None
    waiting: float = 0.0
    rounded: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "percentiles", percentiles_of(self.percentiles, self.schema))
        check_whole(alternatives=self.alternatives, boxes=self.boxes)
        if not isinstance(self.margin, Real) or not self.margin >= 0.0:
            raise InputError(f"margin is {self.margin!r}; it must be 0 or a positive number")
        if self.alternatives_by not in ("inputs", "changes"):
            raise InputError(
                f"alternatives_by is {self.alternatives_by!r}; allowed: inputs, changes"
            )
        check_horizons(self.within, self.waiting, self.alternatives)
        self.domain.grid, self._price  # noqa: B018 contradictions are refused here

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.schema.complete(self.percentiles.values)

    @cached_property
    def _price(self) -> Price:
        return exact.price_of(self.cost, self.units, self.per_change, self.schema)

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        names = ("margin", "alternatives", "boxes")
        units = None if self._price.units is None else self._price.units.tolist()
        found: dict[str, object] = {"cost": self.cost, "per_change": self._price.per_change}
        found |= {n: getattr(self, n) for n in names} | {"units": units, "support": self.support}
        if self.alternatives > 1:
            found["alternatives_by"] = self.alternatives_by
        if not self.rounded:
            found["rounded"] = False
        if self.within is not None:
            found |= {"within": list(self.within), "waiting": self.waiting}
        return found

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen cost."""
        return self._price.of(X, Y, self.percentiles)

    def prepare(self, model: Score) -> Search:
        """The exact search for the cheapest point that every member accepts."""
        search = self.prepare_now(model)
        if self.within is None:
            return search
        return OverTime(search, tuple(self.within), self.waiting, self.domain, self.price)

    def prepare_now(self, model: Score) -> TimedSearch:
        """The search without a look ahead."""
        asked = exact.members(model, self.margin)
        odd = [i for i, (score, _) in enumerate(asked) if not score.probability]
        if self.margin > 0 and odd and len(asked) > 1:
            raise InputError(
                f"models {odd} have no probability, so a common margin of {self.margin:g} means "
                "something else for each; give Unanimous one margin per member instead"
            )
        if any(isinstance(score, LinearLevelSet | Refusals) for score, _ in asked):
            return robust.prepare(self, model)
        if self.support is not None:
            asked.append((self.support, 0.0))
        models, margins = zip(*asked, strict=True)

        def build(laid: Layout) -> TimedSearch:
            known = laid.domain, laid.percentiles, laid.price
            program = Program.build(laid.models(models), margins, *known, rules=laid.rules)
            ways, by = self.alternatives, self.alternatives_by
            return exact.ExactSearch(program, self.boxes, ways, by=by, rounding=self.rounded)

        return by_category(self.domain, self.percentiles, self._price, build)
