"""Invariant: the cheapest advice found that a given share of unseen models accepts."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Real

import numpy as np

from standfast.errors import InputError, check_whole
from standfast.methods import exact
from standfast.methods.by_category import by_category
from standfast.methods.method import Matrix, Search, TimedSearch, Vector
from standfast.percentiles import Cost, Percentiles, percentiles_of
from standfast.rivals.fresh_models import Part
from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.score import check_score
from standfast.search.problem.lattice import Actions
from standfast.search.problem.layout import Layout
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program
from standfast.search.problem.trees import Readable

# by how much the reference's threshold is raised: the baseline's margins
MARGINS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3, 0.4)


@dataclass(frozen=True)
class Invariant:
    """Advice that the model accepts and that a share `validity` of models like it would accept.

    Minimal cost for one model hugs that model's boundary, and the next model moves the boundary.
    This method holds fresh models of the same kind (`fresh_models`) in two parts; a hundred models
    each serve well. With `search` it searches: the cheapest point that the reference accepts and
    where the mean of their scores exceeds so many of their standard deviations, the caution. By
    `choose`, validation models that no search has seen, it sets the caution for each person: as low
    as enough of them accept, one standard error more than `validity` to pay for the choice. The
    reference's own raised threshold competes, so that it is never the cheaper way.

    Caution is searched by moves on the lattice, which prove nothing: the outcome is found, and the
    lower bound the reference's own minimal cost. Where that answer passes, it is minimal. Each
    remark says how many choosing models accept. Where the target is not reached, it also says how
    many could accept any advice, by the models proven to accept nothing that the reference accepts.
    `Recommendations.shortfall` estimates how many people's advice is accepted by less than the
    target's share of models that nobody has seen.

    Parameters
    ----------
    schema, percentiles : Schema, Percentiles
        What the columns mean, and the reference table in whose percentiles moves are priced.
    search : iterable of Score
        Models to search with, which must be readable: linear, additive or trees.
    choose : iterable of Score
        Models to choose by, which are only asked.
    validity : float
        The share of models like the reference that are to accept.
    cost : {"total", "max", "log"}
        The percentile shift that is made least.
    breach_cost : float, optional
        The price of a broken promise, instead of a `validity`: each person's cost plus that price
        times the share of models that refuse is made least. It buys validity where it is cheap.
    actions, boxes : int
        How many values an input without whole numbers has in the search by moves, and how many
        boxes the exact searches open for one person.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from standfast import datasets, fresh_models, recommend
    >>> data = datasets.twin("heloc", n=400, seed=0)
    >>> fresh = fresh_models(
    ...     DecisionTreeClassifier(max_depth=3),
    ...     data,
    ...     draws={"min_samples_leaf": [10, 20]},
    ...     sizes={"search": 20, "choose": 20, "certify": 0},
    ...     epsilon=0.2,
    ... )
    >>> q = Percentiles.fit(data.table)
    >>> method = Invariant(
    ...     data.schema, q, search=fresh.search, choose=fresh.choose, validity=0.8
    ... )
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.table, data.labels)
    >>> recommend(method, tree, data.table.head(20))
    <Recommendations: 20 people on twin of heloc, n=400, seed=0: ... found...>
    """

    schema: Schema
    percentiles: Percentiles
    search: Iterable[Score]
    choose: Iterable[Score]
    validity: float = 0.9
    cost: Cost = "total"
    breach_cost: float | None = None
    actions: int = 100
    boxes: int = 100_000
    name: str = "invariant"

    def __post_init__(self) -> None:
        ordered = percentiles_of(self.percentiles, self.schema, self.cost)
        object.__setattr__(self, "percentiles", ordered)
        for name in ("search", "choose"):
            models = getattr(self, name)
            part = models if isinstance(models, Part) else Part(name, models)
            object.__setattr__(self, name, part)
        check_whole(actions=self.actions, boxes=self.boxes)
        v = self.validity
        if not isinstance(v, Real) or isinstance(v, bool) or not 0.0 < v < 1.0:
            raise InputError(f"validity is {v!r}; it must be a share between 0 and 1, e.g. 0.9")
        price = self.breach_cost
        if price is not None and not (
            isinstance(price, Real) and not isinstance(price, bool) and 0.0 <= price < np.inf
        ):
            raise InputError(
                f"breach_cost is {price!r}; it is what a broken promise costs, 0 or a positive "
                "number in the units of the cost, or None to ask for a validity instead"
            )
        for part in (self.searching, self.choosing):
            _check_part(part, len(self.schema))
        for i, score in enumerate(self.searching):
            if not isinstance(score, Readable):
                raise InputError(
                    f"model {i} of '{self.searching.name}' has a structure that "
                    "cannot be read; search with linear, additive and tree models, and use this "
                    "one only to choose by"
                )
        shared = set(self.searching.digests) & set(self.choosing.digests)
        if shared:
            raise InputError(
                f"{len(shared)} of the models are in '{self.searching.name}' and in "
                f"'{self.choosing.name}'; what was searched with cannot judge: draw two parts that "
                "share no model"
            )
        self.domain.grid  # noqa: B018 a schema that contradicts the table is refused here

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.schema.complete(self.percentiles.values)

    @property
    def searching(self) -> Part:
        """The models to search with."""
        assert isinstance(self.search, Part)
        return self.search

    @property
    def choosing(self) -> Part:
        """The models to choose by."""
        assert isinstance(self.choose, Part)
        return self.choose

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        asked = "validity" if self.breach_cost is None else "breach_cost"
        chosen = {name: getattr(self, name) for name in (asked, "cost", "actions", "boxes")}
        # none of these models may certify
        return chosen | {"search": self.searching, "choose": self.choosing}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen percentile shift."""
        return self.percentiles.cost(self.cost, X, Y)

    def prepare(self, model: Score) -> Search:
        """The reference's programs, with its own and raised thresholds, and both parts' models."""
        asked = exact.members(model, 0.0)
        seen = set(self.choosing.digests) & {score.digest for score, _ in asked}
        if seen:
            raise InputError(
                f"the model is itself in '{self.choosing.name}', which is to judge advice made for "
                "it; leave it out of the part to choose by"
            )
        models, margins = zip(*asked, strict=True)

        def build(laid: Layout) -> TimedSearch:
            return self._search(laid, laid.models(models), margins)

        return by_category(self.domain, self.percentiles, Price(self.cost), build)

    def _search(
        self, laid: Layout, models: tuple[Score, ...], margins: tuple[float, ...]
    ) -> TimedSearch:
        from standfast.methods.choice import ValidationModels
        from standfast.methods.invariant_search import InvariantSearch

        searching, choosing = laid.models(tuple(self.searching)), laid.models(tuple(self.choosing))
        known = laid.domain, laid.percentiles, laid.price
        program = Program.build(models, margins, *known, rules=laid.rules)
        raised: tuple[Program, ...] = ()
        if all(score.probability for score in models):
            raised = tuple(program.with_margins([m + more for m in margins]) for more in MARGINS)

        together = (*models, *searching)
        asking = (*margins, *(0.0 for _ in searching))
        counted = Program.build(together, asking, *known, Actions(self.actions), laid.rules)

        @cache
        def beside(other: Score) -> Program:
            return Program.build((*models, other), (*margins, 0.0), *known, rules=laid.rules)

        return InvariantSearch(
            exact.ExactSearch(program, self.boxes),
            raised,
            counted,
            ValidationModels(choosing, self.validity),
            self.breach_cost,
            lambda X, Y: self.price(laid.to_codes(X), laid.to_codes(Y)),
            beside,
        )


def _check_part(part: Part, width: int) -> None:
    if not len(part):
        raise InputError(
            f"the part '{part.name}' has no models; draw some with fresh_models(...), a hundred say"
        )
    for i, score in enumerate(part):
        check_score(score, f"model {i} of '{part.name}'", width)
