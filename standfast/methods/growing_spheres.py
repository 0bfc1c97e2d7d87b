"""Growing spheres (GS, Laugel et al. 2017): the nearest accepted point among random candidates."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, check_positive, check_whole, listing
from standfast.methods.method import Answers, Budget, Matrix, Streams, Vector
from standfast.percentiles import Cost, Percentiles, percentiles_of
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import NoneWithin, NothingToChange, RulesLeftAside
from standfast.schema import Schema
from standfast.schema.bounds import Bounds
from standfast.scores import Score
from standfast.search.sampling.distance import farthest
from standfast.search.sampling.nearest import Judge
from standfast.search.sampling.sparsify import sparsify

# candidates judged in one call to the model, times inputs: keeps a block within some 30 MB
CELLS = 4_000_000
# values from which gaps are filled, at even shares of the reference table
USUAL = 256


@dataclass(frozen=True)
class GrowingSpheres:
    """Grow shells around a person until the model accepts a point, then take back what it can.

    Distances are L2 in standard deviations of the reference table or in raw units; a change of
    category, or filling in a gap, is as far as twice its price: one unit at the usual price of a
    half, whichever the categories are, as in Gower's distance. Candidates change categories the
    more often the larger the shell, to each allowed one equally often. They are projected onto the
    schema *before* the model judges them. Works with any score; proves nothing.

    Parameters
    ----------
    schema, percentiles : Schema, Percentiles
        What the columns mean, and the reference table.
    candidates, shells : int
        Draws in each shell, and how many shells are tried.
    radius, step, precision : float, optional
        The first radius. Without a step the radius is found by doubling and halving, to within
        `precision`; a number grows rings of that thickness, as published.
    standardised : bool
        Whether distances are in standard deviations.
    sparse : bool
        Take back changes that acceptance does not need.
    cost : {"total", "max", "log"}
        The percentile shift that is reported.
    rules_left_aside : bool
        Says that the schema given is only what is left of the user's; the cause repeats it.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = sf.GrowingSpheres(sf.Schema((sf.Feature("late", "count"),)),
    ...                            sf.Percentiles.fit(table), candidates=100)
    >>> recs = sf.recommend(method, sf.BlackBox(lambda X: 2 - X[:, 0], 0.5, 1), table.tail(1))
    >>> recs.sentences().item()
    'Lower late from 3 to 1.'
    """

    schema: Schema
    percentiles: Percentiles
    candidates: int = 1000
    radius: float = 1.0
    step: float | None = None
    shells: int = 60
    precision: float = 0.1
    standardised: bool = True
    sparse: bool = True
    cost: Cost = "total"
    rules_left_aside: bool = False
    name: str = "growing spheres"

    def __post_init__(self) -> None:
        ordered = percentiles_of(self.percentiles, self.schema, self.cost)
        object.__setattr__(self, "percentiles", ordered)
        check_whole(candidates=self.candidates, shells=self.shells)
        check_positive(radius=self.radius, precision=self.precision)
        if self.step is not None:
            check_positive(step=self.step)
        self.domain.grid  # noqa: B018 a schema that contradicts the table is refused here

    @classmethod
    def as_published(cls, schema: Schema, percentiles: Percentiles) -> "GrowingSpheres":
        """The paper's setting: raw units, rings of 0.1, nothing projected.

        Answers may be negative or fractional counts, which the paper calls ambiguous values; the
        remark on each says that the schema's bounds, steps and directions were left aside. 2,000
        candidates and sparsification as in Laugel et al.; 200 shells at most, where the original
        would never end. Its spheres are of numbers: an input with named categories that may change
        is refused, for no number of the paper's says how far one category is from another.
        """
        named = [f.name for f in schema if f.categories is not None and f.mutable]
        if named:
            raise InputError(
                f"growing spheres as published moves numbers only, and {listing(named)} "
                f"{'has' if len(named) == 1 else 'have'} named categories; use growing spheres "
                "without the published setting, or say mutable = false for them in the schema"
            )
        return cls(
            schema.loosened(),
            percentiles,
            candidates=2000,
            radius=0.1,
            step=0.1,
            shells=200,
            standardised=False,
            rules_left_aside=True,
            name="growing spheres, as published",
        )

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.schema.complete(self.percentiles.values)

    @cached_property
    def unit(self) -> Vector:
        """What one unit of distance is in each input."""
        return self.percentiles.scale if self.standardised else np.ones(len(self.schema))

    @cached_property
    def usual(self) -> Matrix:
        """Values that people of the reference table have, equally likely, to fill in gaps from."""
        q, fills = self.percentiles, self.domain.columns.fills
        found = np.zeros((len(self.schema), USUAL if fills.any() else 1))
        for j in np.flatnonzero(fills):
            name = q.names[j]
            levels = (np.arange(USUAL) + 0.5) / USUAL
            places = np.searchsorted(q.shares[name], levels)
            found[j] = q.values[name][np.minimum(places, len(q.values[name]) - 1)]
        return found

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        names = ("candidates", "radius", "step", "shells", "precision", "standardised", "sparse")
        more = ("cost", "rules_left_aside")
        return {name: getattr(self, name) for name in (*names, *more)}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen percentile shift."""
        return self.percentiles.cost(self.cost, X, Y)

    def prepare(self, model: Score) -> "SphereSearch":
        """The search for this model, whatever it is."""
        return SphereSearch(self, model)


@dataclass(frozen=True, eq=False)
class SphereSearch:
    """Growing spheres for one model."""

    method: GrowingSpheres
    model: Score
    kept: frozenset[int] = frozenset()
    judge: Judge = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "judge", Judge(self.model))

    def keeping(self, inputs: frozenset[int]) -> "SphereSearch":
        """The same search for people who leave these inputs as they are."""
        return replace(self, kept=self.kept | inputs)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The nearest accepted candidate for each person of a block, searched in lockstep."""
        return self.around(X, self.method.domain.bounds(X, self.kept), streams, budget)

    def around(
        self,
        X: Matrix,
        bounds: Bounds,
        streams: Streams,
        budget: Budget,
        home: Matrix | None = None,
    ) -> Answers:
        """The nearest accepted candidate to each centre in X, within its person's bounds.

        A centre need not be where the person stands, at `home`: post-hoc methods search around
        other advice.
        """
        method = self.method
        X = np.ascontiguousarray(X)
        room = farthest(method.domain, method.unit, X, bounds)
        if home is not None:
            room = np.maximum(room, farthest(method.domain, method.unit, home, bounds))
        home = X if home is None else home
        reach = np.sqrt(np.sum(room**2, axis=1))
        shells = _Shells.around(len(X), method.radius)
        shells.done = reach == 0.0
        points, best = np.full_like(X, np.nan), np.full(len(X), np.inf)
        size = max(1, CELLS // (method.candidates * X.shape[1]))
        for turn in range(method.shells):
            who = np.flatnonzero(~shells.done)
            if not len(who) or budget.expired():
                break
            hit = np.zeros(len(X), dtype=bool)
            for part in np.array_split(who, -(-len(who) // size)):
                within = method.domain.reach(X[part], bounds.of(part), home[part])
                found, distance = self._nearest(
                    streams[part], turn, shells.of(part), best[part], within
                )
                hit[part] = np.isfinite(distance)
                points[part[hit[part]]] = found[hit[part]]
                best[part[hit[part]]] = distance[hit[part]]
            if method.step is None:
                shells.halve_or_double(hit, best, method.precision, reach)
            else:
                shells.add_ring(hit, method.step, reach)
        advised = np.isfinite(best)
        if method.sparse and advised.any() and not budget.expired():
            points[advised] = sparsify(
                self.model, method.domain, X[advised], points[advised], method.unit
            )
        return self._answers(points, advised, reach, shells, budget)

    def _nearest(
        self,
        streams: Streams,
        turn: int,
        radii: tuple[Vector, Vector],
        best: Vector,
        reach: Any,
    ) -> tuple[Matrix, Vector]:
        """Each person's nearest accepted candidate of one shell, if nearer than their best."""
        from standfast.compilation import Struct
        from standfast.search.sampling.shells import Shells, draw_shells

        method = self.method
        free = np.setdiff1d(np.flatnonzero(method.domain.mutable), np.array([*self.kept], np.intp))
        shells: Any = Struct(Shells(free, method.unit, *radii, best, method.usual))
        points, owner, distance = draw_shells(streams, turn, method.candidates, shells, reach)
        if method.domain.rules:
            kept = method.domain.keeps_rules(points).all(axis=1)
            points, owner, distance = points[kept], owner[kept], distance[kept]
        nearest, found = np.full(len(best), np.inf), np.full_like(reach.own, np.nan)
        if len(points):
            chosen = self.judge.nearest(points, owner, distance, len(best))
            hit = chosen >= 0
            nearest[hit], found[hit] = distance[chosen[hit]], points[chosen[hit]]
        return found, nearest

    def _answers(
        self,
        points: Matrix,
        advised: NDArray[np.bool_],
        reach: Vector,
        shells: "_Shells",
        budget: Budget,
    ) -> Answers:
        method = self.method
        outcomes: list[Outcome] = []
        causes: list[Cause | None] = []
        for found, far, done, outer in zip(advised, reach, shells.done, shells.outer, strict=True):
            if found:
                outcomes.append(Outcome.FOUND)
                causes.append(RulesLeftAside() if method.rules_left_aside else None)
            elif far == 0.0:
                outcomes.append(Outcome.INFEASIBLE)
                causes.append(NothingToChange())
            else:
                outcomes.append(Outcome.EXHAUSTED)
                causes.append(
                    NoneWithin(float(min(outer, far)))
                    if done or not budget.expired()
                    else budget.why
                )
        n = len(points)
        bounds = np.where([o is Outcome.INFEASIBLE for o in outcomes], np.inf, np.nan)
        return Answers(points, tuple(outcomes), tuple(causes), bounds.reshape(n))


@dataclass
class _Shells:
    """The shell each person's next candidates are drawn from, and who needs no more."""

    inner: Vector
    outer: Vector
    done: NDArray[np.bool_]
    missed: NDArray[np.bool_]

    @classmethod
    def around(cls, n: int, radius: float) -> "_Shells":
        return cls(np.zeros(n), np.full(n, radius), np.zeros(n, bool), np.zeros(n, bool))

    def of(self, part: NDArray[np.intp]) -> tuple[Vector, Vector]:
        return self.inner[part], self.outer[part]

    def halve_or_double(
        self, hit: NDArray[np.bool_], best: Vector, precision: float, reach: Vector
    ) -> None:
        """Double while nothing is accepted; then halve the gap between a miss and the best."""
        self.inner = np.where(hit, self.inner, self.outer)
        found = np.isfinite(best)
        self.done |= np.where(found, best - self.inner <= precision * best, self.outer >= reach)
        halved = (self.inner + np.where(found, best, 0.0)) / 2
        self.outer = np.where(self.done, self.outer, np.where(found, halved, 2.0 * self.outer))

    def add_ring(self, hit: NDArray[np.bool_], step: float, reach: Vector) -> None:
        """As published: a tenth of the radius until nothing is accepted, then ring after ring."""
        self.done |= (hit & self.missed) | (~hit & (self.outer >= reach))
        zooms = hit & ~self.missed
        self.missed |= ~hit
        self.inner = np.where(zooms | self.done, self.inner, self.outer)
        grown = np.where(zooms, self.outer / 10.0, self.outer + step)
        self.outer = np.where(self.done, self.outer, grown)
