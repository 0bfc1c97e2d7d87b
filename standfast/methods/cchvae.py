"""C-CHVAE (Pawelczyk et al. 2020): advice from where the data are, searched in a latent space."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder import Autoencoder
from standfast.autoencoder import fit as fit_autoencoder
from standfast.autoencoder.training import COMPONENTS, EPOCHS, LATENT, Progress
from standfast.datasets.twin import SCHEMAS
from standfast.errors import InputError, check_positive, check_whole, with_article
from standfast.methods.method import Answers, Budget, Matrix, Search, Streams, Vector
from standfast.methods.unusual import unusual_advice, within_reference
from standfast.percentiles import Cost, Percentiles, percentiles_of
from standfast.recommendations import Cause, Outcome
from standfast.recommendations.causes import (
    NoneWithin,
    NothingToChange,
    RulesLeftAside,
    together,
)
from standfast.schema import Schema
from standfast.schema.bounds import Bounds
from standfast.scores import Score
from standfast.scores.score import surely_accepts
from standfast.search.sampling.distance import farthest
from standfast.search.sampling.sparsify import sparsify

# candidates judged in one call to the model, times inputs: keeps a block within some 30 MB
CELLS = 4_000_000

# the paper's components, latent numbers and epochs
PUBLISHED: Mapping[str, tuple[int, int, int]] = {
    "give_me_some_credit": (3, 6, 15),
    "heloc": (12, 10, 60),
}


@dataclass(frozen=True)
class CCHVAE:
    """Search an autoencoder's latent space for people like you whom the model accepts.

    A person is encoded to the posterior mean of z under the likeliest component; shells of
    thickness `step` grow around it, each with `candidates` draws, until the model accepts a decoded
    point; the cheapest of that shell is the advice. Where a shell has none, the same shell is tried
    around the person's means under the next likely components before it grows. Candidates are
    decoded by the middle of each likelihood, keep the immutable inputs, and are projected onto the
    schema *before* the model judges them; a category is the likeliest of those that the person may
    go to, and a gap stays or is filled in. Works with any score; proves nothing.

    An autoencoder may decode amounts that hardly anybody has. Advice stays within what the people
    of the reference table have, even where the schema allows more, and the remark names each value
    in a tail of that table (less than 1 % of the people) with the number of people there, and says
    so if the values together are less usual than those of 99 % of the training people, given what
    the person cannot change.

    Parameters
    ----------
    schema, percentiles : Schema, Percentiles
        What the columns mean, and the reference table in whose percentiles moves are priced.
    autoencoder : Autoencoder
        The distribution to search; `CCHVAE.fit` learns one and gives the method.
    cost : {"total", "max", "log"}
        The percentile shift by which candidates of a shell are compared.
    candidates, step, shells : int, float, int
        Draws in each shell, its thickness in latent units, and how many shells are tried.
    components : int, optional
        How many of a person's likeliest components are tried; all unless given.
    sparse : bool
        Take back what acceptance does not need while the point stays usual.
    usual : float
        The share of training people that a sparse point must be at least as usual as.
    sampled, rules_left_aside : bool
        As published: draw from the likelihoods, and keep to no rule, which the remark then says.

    Examples
    --------
    >>> import standfast as sf
    >>> people = sf.datasets.twin("give_me_some_credit", n=300, seed=0)
    >>> q = sf.Percentiles.fit(people.table)
    >>> method = sf.CCHVAE.fit(people.schema, people.table, q, s=2, z=2, epochs=2)
    >>> strict = sf.Linear([0, 0, -1, 0, 0, 0, 0, 0, 0, 0], 0.5)  # nobody 30 to 59 days late
    >>> recs = sf.recommend(method, strict, people.table.head(20), seed=0)
    >>> bool(strict.accepts(recs.matrices()[1][recs.found]).all())
    True
    """

    schema: Schema
    percentiles: Percentiles
    autoencoder: Autoencoder
    cost: Cost = "total"
    candidates: int = 300
    step: float = 1.0
    shells: int = 12
    components: int | None = None
    sparse: bool = False
    usual: float = 0.05
    sampled: bool = False
    rules_left_aside: bool = False
    name: str = "c-chvae"

    def __post_init__(self) -> None:
        object.__setattr__(self, "percentiles", _fitting(self.schema, self.percentiles, self.cost))
        asked = {} if self.components is None else {"components": self.components}
        check_whole(candidates=self.candidates, shells=self.shells, **asked)
        check_positive(step=self.step)
        if not 0 <= self.usual <= 1:
            raise InputError(f"usual is {self.usual!r}; it must be a share between 0 and 1")
        # as published the schema only knows who may move
        self.autoencoder.check(self.schema, kinds=not self.sampled)

    @classmethod
    def fit(
        cls,
        schema: Schema,
        table: pd.DataFrame,
        percentiles: Percentiles,
        *,
        s: int = COMPONENTS,
        z: int = LATENT,
        epochs: int = EPOCHS,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> "CCHVAE":
        """The method, its autoencoder fitted on a table; needs the extra `autoencoder`.

        `s` components, `z` latent numbers, `epochs` passes over the table; `progress(epoch, loss)`
        is called after each. docs/autoencoder.md says how the defaults were chosen. Candidates are
        compared by the total shift; `dataclasses.replace(method, cost="max")` asks for another.
        """
        _fitting(schema, percentiles, "total")
        learnt = fit_autoencoder(
            schema, table, s=s, z=z, epochs=epochs, seed=seed, progress=progress
        )
        return cls(schema, percentiles, learnt)

    @classmethod
    def fit_as_published(
        cls,
        name: str,
        schema: Schema,
        table: pd.DataFrame,
        percentiles: Percentiles,
        seed: int = 0,
    ) -> "CCHVAE":
        """The paper's setting for `give_me_some_credit` or `heloc`: its s, z, epochs, likelihoods.

        Searched as published, see `as_published`; trained as ours is, see docs/autoencoder.md. The
        likelihoods are those of the paper's tables, so the schema must give every input the kind
        that `datasets` gives it.
        """
        if name not in PUBLISHED:
            raise InputError(
                f"the paper has no settings for {name!r}; it has them for {', '.join(PUBLISHED)}"
            )
        _check_published(name, schema)
        s, z, epochs = PUBLISHED[name]
        learnt = fit_autoencoder(schema, table, s=s, z=z, epochs=epochs, seed=seed)
        return cls.as_published(schema, percentiles, learnt)

    @classmethod
    def as_published(
        cls, schema: Schema, percentiles: Percentiles, autoencoder: Autoencoder
    ) -> "CCHVAE":
        """The published search: candidates are *sampled* from the likelihoods, nothing projected.

        1,000 candidates per shell of 0.1, at most 200 shells, around the likeliest component. The
        noise of sampling is part of the advice, and values may lie outside the schema's bounds,
        steps, directions and relations, as every remark says.
        """
        autoencoder.check(schema)
        return cls(
            schema.loosened(),
            percentiles,
            autoencoder,
            candidates=1000,
            step=0.1,
            shells=200,
            components=1,
            sampled=True,
            rules_left_aside=True,
            name="c-chvae, as published",
        )

    def reconstruction_only(self) -> "CCHVAE":
        """The baseline that searches nothing: the person encoded, decoded, projected and judged."""
        only = f"{self.name}, reconstruction only"
        return replace(self, candidates=1, shells=1, components=1, sparse=False, name=only)

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table, and within what its people have."""
        domain = self.schema.complete(self.percentiles.values)
        return domain if self.rules_left_aside else within_reference(domain, self.percentiles)

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        names = ("cost", "candidates", "step", "shells", "components", "sparse", "usual", "sampled")
        learnt = {
            "s": self.autoencoder.components,
            "z": self.autoencoder.latent,
            "autoencoder": self.autoencoder.digest,
            "fitted": dict(self.autoencoder.about),
        }
        return {name: getattr(self, name) for name in (*names, "rules_left_aside")} | learnt

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen percentile shift."""
        return self.percentiles.cost(self.cost, X, Y)

    def reconstruction(self, X: Matrix) -> Matrix:
        """Each person encoded, decoded and projected: what they pay before anything is searched.

        Nobody's gaps are filled in.
        """
        decoded = np.where(self.domain.lacking(X), X, self.autoencoder.reconstruct(X))
        return self.domain.project(X, decoded)

    def prepare(self, model: Score) -> Search:
        """The search for this model, whatever it is."""
        return LatentSearch(self, model)


def _fitting(schema: Schema, percentiles: Percentiles, cost: Cost) -> Percentiles:
    """The percentiles in the schema's order; refuses what does not fit before any work."""
    ordered = percentiles_of(percentiles, schema, cost)
    schema.complete(ordered.values).grid  # noqa: B018 a schema that contradicts the table
    return ordered


def _check_published(name: str, schema: Schema) -> None:
    paper = SCHEMAS[name]["published"]
    loader = f'datasets.{name}(variant="published")'
    if sorted(schema.names) != sorted(paper.names):
        raise InputError(
            f"the schema does not have the {len(paper)} inputs of {name}; take the schema of "
            f"{loader}"
        )
    for feature in paper:
        said = schema[feature.name]
        for what, theirs, ours in (
            ("as {}", with_article(feature.kind), with_article(said.kind)),
            ("with mutable = {}", feature.mutable, said.mutable),
        ):
            if theirs != ours:
                raise InputError(
                    f"the paper describes '{feature.name}' {what.format(theirs)} and the schema "
                    f"{what.format(ours)}; take the schema of {loader}, or use CCHVAE.fit"
                )


@dataclass(frozen=True, eq=False)
class LatentSearch:
    """C-CHVAE for one model."""

    method: CCHVAE
    model: Score
    kept: frozenset[int] = frozenset()

    def keeping(self, inputs: frozenset[int]) -> "LatentSearch":
        """The same search for people who leave these inputs as they are."""
        return replace(self, kept=self.kept | inputs)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The cheapest accepted candidate of the nearest shell that has one, in lockstep."""
        from standfast.compilation import Struct

        method, decoder = self.method, Struct(self.method.autoencoder.decoder)
        X = np.ascontiguousarray(X)
        bounds = method.domain.bounds(X, self.kept)
        room = farthest(method.domain, method.percentiles.scale, X, bounds)
        stuck: NDArray[np.bool_] = ~np.any(room > 0.0, axis=1)
        latent, ranked = method.autoencoder.encode_all(X)
        ranked = ranked[:, : method.components]
        points = np.full_like(X, np.nan)
        advised, reached = np.zeros(len(X), dtype=bool), 0.0
        size = max(1, CELLS // (method.candidates * X.shape[1]))
        for shell, rank in product(range(method.shells), range(ranked.shape[1])):
            who = np.flatnonzero(~(advised | stuck))
            if not len(who) or budget.expired():
                break
            for part in np.array_split(who, -(-len(who) // size)):
                component = ranked[part, rank]
                places = (latent[part, component], component)
                turn = (shell, shell * ranked.shape[1] + rank)
                own = (X[part], streams[part], bounds.of(part))
                found, has = self._cheapest(*own, turn, places, decoder)
                points[part[has]], advised[part[has]] = found[has], True
            reached = (shell + 1) * method.step
        if method.sparse and advised.any() and not budget.expired():
            points[advised] = self._sparsified(X[advised], points[advised])
        ended = reached >= method.shells * method.step or not budget.expired()
        missed = NoneWithin(float(reached), latent=True) if ended else budget.why
        causes = self._unusual(X, points, advised)
        causes |= {int(i): NothingToChange() for i in np.flatnonzero(stuck)}
        outcomes = tuple(
            Outcome.FOUND if found else Outcome.INFEASIBLE if none else Outcome.EXHAUSTED
            for found, none in zip(advised, stuck, strict=True)
        )
        known = tuple(causes.get(i, missed) for i in range(len(X)))
        return Answers(points, outcomes, known, np.where(stuck, np.inf, np.nan))

    def _unusual(
        self, X: Matrix, points: Matrix, advised: NDArray[np.bool_]
    ) -> dict[int, Cause | None]:
        """How unusual each advised person's values are."""
        if not advised.any():
            return {}
        method, x, y = self.method, X[advised], points[advised]
        usual, own = method.autoencoder.usual(y), method.autoencoder.usual(x)
        found = unusual_advice(method.domain, method.percentiles, x, y, usual, own)
        aside = RulesLeftAside() if method.rules_left_aside else None
        who = np.flatnonzero(advised).tolist()
        return {i: together(aside, cause) for i, cause in zip(who, found, strict=True)}

    def _cheapest(
        self,
        X: Matrix,
        streams: Streams,
        bounds: Bounds,
        turn: tuple[int, int],
        places: tuple[Matrix, NDArray[np.int64]],
        decoder: Any,
    ) -> tuple[Matrix, NDArray[np.bool_]]:
        """Each person's cheapest accepted candidate of one shell, and who has one."""
        from standfast.compilation import Struct
        from standfast.search.sampling.latent_shells import Latent, decode_shells

        method, learnt = self.method, self.method.autoencoder
        (shell, count), given = turn, learnt.given(X)
        people = Latent(*places, given, learnt.layout.free, method.sampled)
        kernels: Any = (Struct(people), decoder, method.domain.reach(X, bounds))
        radii = (shell * method.step, (shell + 1) * method.step)
        points, owner = decode_shells(streams, count, method.candidates, radii, *kernels)
        found, has = np.full_like(X, np.nan), np.zeros(len(X), dtype=bool)
        if len(points):
            kept = method.domain.keeps_rules(points).all(axis=1)
            accepted = np.flatnonzero(kept & surely_accepts(self.model, points))
            cost = method.price(X[owner[accepted]], points[accepted])
            # in descending order of cost, so that each person's cheapest is written last
            accepted = accepted[np.argsort(-cost, kind="stable")]
            found[owner[accepted]] = points[accepted]
            has[owner[accepted]] = True
        return found, has

    def _sparsified(self, X: Matrix, points: Matrix) -> Matrix:
        """Changes taken back as long as the point stays accepted and usual enough.

        A decoded point is the middle of what the autoencoder expects, hence more usual than most
        real people: to ask for as much would keep every change. A point as usual as the `usual`
        quantile of the training people is one that real people have.
        """
        method = self.method
        level = float(np.quantile(method.autoencoder.bounds, method.usual))
        floor = np.minimum(method.autoencoder.bound(points), level)

        def supported(who: NDArray[np.intp], trial: Matrix) -> NDArray[np.bool_]:
            usual: NDArray[np.bool_] = method.autoencoder.bound(trial) >= floor[who]
            return usual

        return sparsify(self.model, method.domain, X, points, method.percentiles.scale, supported)
