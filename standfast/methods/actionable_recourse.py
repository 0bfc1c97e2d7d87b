"""Actionable recourse (AR, Ustun et al. 2019): the cheapest actions under linear models."""

from dataclasses import dataclass
from functools import cached_property

from standfast.errors import InputError, check_whole, type_of
from standfast.methods import exact
from standfast.methods.by_category import by_category
from standfast.methods.lone_sum import at_once
from standfast.methods.method import Matrix, Search, TimedSearch, Vector
from standfast.percentiles import Cost, Percentiles, percentiles_of
from standfast.schema import Schema
from standfast.scores import Additive, Linear, Score
from standfast.scores.sparse_trees.refusals import Refusals
from standfast.search.problem.lattice import Actions
from standfast.search.problem.layout import Layout
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program


@dataclass(frozen=True)
class ActionableRecourse:
    """The cheapest actions that a linear or additive model, or several together, accept.

    An action moves an input to a whole number, or to one of `actions` steps: at equal percentiles,
    or evenly spaced. Of equal costs the fewest changes.

    Parameters
    ----------
    schema, percentiles : Schema, Percentiles
        What the columns mean, and the reference table in whose percentiles moves are priced.
    cost : {"total", "max", "log"}
        The percentile shift that is made least.
    alternatives : int
        How many ways to give, a flipset in order of cost: no way's changed inputs contain
        another's.
    actions, even : int, bool
        How many steps an input without whole numbers has, and whether they are evenly spaced.
    tail : float
        Actions keep within the reference table without this share of people at either end.
    nested : bool
        Without it the changed inputs of alternatives merely differ.
    boxes : int
        How many boxes the exact search opens for one person before it ends with its lower bound.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3], "cards": [1, 2, 3, 4, 5]})
    >>> schema = sf.Schema((sf.Feature("late", "count"), sf.Feature("cards", "count")))
    >>> method = sf.ActionableRecourse(schema, sf.Percentiles.fit(table), alternatives=2)
    >>> recs = sf.recommend(method, sf.Linear([-1.0, -0.5], 4.0), table.tail(1))
    >>> recs.flipset(4).sentence.tolist()
    ['Lower late from 3 to 1.', 'Lower cards from 5 to 1.']
    """

    schema: Schema
    percentiles: Percentiles
    cost: Cost = "total"
    alternatives: int = 1
    actions: int = 100
    even: bool = False
    tail: float = 0.0
    nested: bool = True
    boxes: int = 1_000_000
    name: str = "actionable recourse"

    def __post_init__(self) -> None:
        ordered = percentiles_of(self.percentiles, self.schema, self.cost)
        object.__setattr__(self, "percentiles", ordered)
        check_whole(alternatives=self.alternatives, actions=self.actions, boxes=self.boxes)
        if not 0.0 <= self.tail < 0.5:
            raise InputError(f"tail is {self.tail!r}; it must be between 0 and 0.5")
        self.domain.grid  # noqa: B018 a schema that contradicts the table is refused here

    @classmethod
    def as_published(
        cls, schema: Schema, percentiles: Percentiles, cost: Cost = "total", alternatives: int = 1
    ) -> "ActionableRecourse":
        """Ustun et al.'s action grids: 100 even steps between the 1st and the 99th percentile.

        Alternatives merely differ in the inputs they change. Two things stay ours: percentiles are
        those of the table, not of a kernel density, and an answer on the boundary itself, which the
        model still refuses, is none.
        """
        return cls(
            schema,
            percentiles,
            cost,
            alternatives,
            even=True,
            tail=0.01,
            nested=False,
            name="actionable recourse, as published",
        )

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table without its tails."""
        return self.schema.complete(self.percentiles.trimmed(self.tail))

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        names = ("cost", "alternatives", "actions", "even", "tail", "nested", "boxes")
        return {name: getattr(self, name) for name in names}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen percentile shift."""
        return self.percentiles.cost(self.cost, X, Y)

    @staticmethod
    def reads(model: Score) -> bool:
        """Whether a model is linear or additive, and so are all of its members."""
        return all(isinstance(score, Linear | Additive) for score, _ in exact.members(model, 0.0))

    def prepare(self, model: Score) -> Search:
        """The exact search for the cheapest actions that every member accepts."""
        asked = exact.members(model, 0.0)
        for i, (score, _) in enumerate(asked):
            if not self.reads(score):
                kind = "a TreeLevelSet" if isinstance(score, Refusals) else type_of(score)
                raise InputError(
                    f"model {i} is {kind}; actionable recourse reads linear and "
                    "additive models: use MinimalCost for trees, GrowingSpheres for anything"
                )
        models, margins = zip(*asked, strict=True)

        def build(laid: Layout) -> TimedSearch:
            known = laid.domain, laid.percentiles, laid.price
            actions = Actions(self.actions, self.even)
            program = Program.build(laid.models(models), margins, *known, actions, laid.rules)
            ways = self.alternatives, self.nested
            return at_once(exact.ExactSearch(program, self.boxes, *ways))

        return by_category(self.domain, self.percentiles, Price(self.cost), build)
