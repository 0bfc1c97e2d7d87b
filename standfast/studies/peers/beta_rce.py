"""BetaRCE (Stępka, Stefanowski, Lango 2025): other advice, moved until enough models accept it.

As published: a base method's counterfactual is where the search begins; a point passes if the
reference accepts it and the lower end of the one-sided α-credible interval for the share of models
that accept, a Beta posterior under Jeffreys' prior Beta(½, ½), is at least δ; spheres grow around
the base counterfactual, and the passing candidate nearest to it (L2) is taken. Their experiments
use 32 sampled models and δ from 0.7 to 0.9.

Different: distances are in standard deviations of the reference table; candidates are projected
onto the schema before anybody judges; the radius is found by doubling and halving with 1,000
candidates a shell, where they add rings of 0.1 with 100 candidates; like Laugel et al.'s growing
spheres, and unlike theirs, what is not needed is set back to the base counterfactual (`sparse`). A
candidate is judged by one model after another until its fate is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np

from standfast.digests import digest
from standfast.errors import InputError
from standfast.methods import Answers, Budget, GrowingSpheres, Method, Search
from standfast.methods.growing_spheres import SphereSearch
from standfast.methods.method import Matrix, Streams, Vector
from standfast.percentiles import Percentiles
from standfast.recommendations import Note, Outcome
from standfast.recommendations.causes import LimitReached
from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.score import CLEARANCE, Bools

PRIOR = 0.5  # Jeffreys'
SALT = np.uint64(0x42455441)  # the base method has drawn from the person's own stream


@dataclass(frozen=True)
class BetaRce:
    """A base method's advice, moved to where a share `delta` of models accepts, by all evidence.

    `models` are sampled models, such as `fresh.search`. With k of n accepting, the share is
    believed to be Beta(k + ½, n − k + ½), and its (1 − `alpha`) quantile must reach `delta`, the
    dial. Whatever the base method cannot do, this one cannot.
    """

    base: Method
    models: tuple[Score, ...]
    delta: float = 0.8
    alpha: float = 0.9
    candidates: int = 1000
    sparse: bool = True
    name: str = "BetaRCE"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        for what in ("delta", "alpha"):
            share = getattr(self, what)
            if not isinstance(share, Real) or isinstance(share, bool) or not 0 < float(share) < 1:
                raise InputError(f"{what} is {share!r}; it must be between 0 and 1, e.g. 0.9")
        if not self.models:
            raise InputError("BetaRCE has no models to ask; draw some with fresh_models(...)")
        for i, score in enumerate(self.models):
            if not isinstance(score, Score) or score.width != len(self.schema):
                raise InputError(
                    f"model {i} is not a score of {len(self.schema)} inputs; turn it into one with "
                    "as_score(...)"
                )
        most = credible_share(len(self.models), len(self.models), self.alpha)
        if self.delta > most:
            raise InputError(
                f"even if all {len(self.models)} models accept, the share is credibly no more than "
                f"{most:.3f}, and delta is {self.delta:g}; give more models or ask for less"
            )
        self._spheres  # noqa: B018 the number of candidates is checked here

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self.base.schema

    @property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.base.domain

    @property
    def percentiles(self) -> Percentiles:
        """Where values stand in the reference table."""
        return self.base.percentiles

    @cached_property
    def needed(self) -> int:
        """How many of the models must accept."""
        n = len(self.models)
        return next(k for k in range(n + 1) if credible_share(k, n, self.alpha) >= self.delta)

    @cached_property
    def _spheres(self) -> GrowingSpheres:
        return GrowingSpheres(
            self.schema, self.percentiles, candidates=self.candidates, sparse=self.sparse
        )

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        names = ("delta", "alpha", "candidates", "sparse")
        about: dict[str, object] = {name: getattr(self, name) for name in names}
        about |= {"base": self.base.name, "base_settings": self.base.settings()}
        return about | {"models": self.models}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The base method's cost."""
        return self.base.price(X, Y)

    def prepare(self, model: Score) -> Search:
        """The base method's search, and the spheres for all models together."""
        quorum = Quorum(model, self.models, self.needed)
        return _Moved(self, self.base.prepare(model), self._spheres.prepare(quorum))


@dataclass(frozen=True, eq=False)
class _Moved:
    """BetaRCE for one model."""

    method: BetaRce
    base: Search
    spheres: SphereSearch

    def keeping(self, inputs: frozenset[int]) -> "_Moved":
        """The same searches for people who leave these inputs as they are."""
        base, spheres = self.base.keeping(inputs), self.spheres.keeping(inputs)
        return replace(self, base=base, spheres=spheres)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """The base method's advice where enough models accept it, else the nearest that passes."""
        first, method = self.base.advise(X, streams, budget), self.method
        points, outcomes, causes = first.points.copy(), list(first.outcomes), list(first.causes)
        advised = np.flatnonzero([outcome.advises for outcome in outcomes])
        if not len(advised):
            return replace(first, alternatives=())
        moving = advised[~(self.spheres.model.score(points[advised]) > CLEARANCE)]
        bounds = method.domain.bounds(X[moving], self.spheres.kept)
        own = streams[moving] ^ SALT
        found = self.spheres.around(points[moving], bounds, own, budget, home=X[moving])
        points[moving] = found.points
        missed = Note(
            f"No candidate around the advice of {method.base.name} was accepted by the reference "
            f"and by {method.needed} of {len(method.models)} models."
        )
        for i, outcome, cause in zip(moving, found.outcomes, found.causes, strict=True):
            outcomes[i], causes[i] = Outcome.FOUND, None
            if not outcome.advises:
                outcomes[i] = Outcome.EXHAUSTED
                causes[i] = cause if isinstance(cause, LimitReached) else missed
        return Answers(points, tuple(outcomes), tuple(causes), first.lower_bounds)


def credible_share(k: int, n: int, alpha: float) -> float:
    """The share that models accept at least, with probability alpha, if k of n did.

    >>> round(credible_share(30, 32, 0.9), 3)
    0.863
    """
    from scipy.special import betaincinv

    return float(betaincinv(k + PRIOR, n - k + PRIOR, 1.0 - alpha))


@dataclass(frozen=True)
class Quorum:
    """A score of +1 where the reference and at least `needed` of the models accept, else −1."""

    reference: Score
    models: Sequence[Score]
    needed: int
    probability: bool = False

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return self.reference.width

    @property
    def digest(self) -> str:
        """The fingerprint of the reference, the models and the number needed."""
        return digest([self.reference.digest, [m.digest for m in self.models], self.needed])

    def score(self, X: Matrix) -> Vector:
        """+1 or −1; a row is asked about only while its fate is open."""
        passed = np.full(len(X), -1.0)
        rows = np.flatnonzero(self.reference.score(X) > CLEARANCE)
        yes = np.zeros(len(rows), dtype=np.intp)
        for left, model in zip(range(len(self.models), 0, -1), self.models, strict=True):
            passed[rows[yes >= self.needed]] = 1.0
            open_ = (yes < self.needed) & (yes + left >= self.needed)
            rows, yes = rows[open_], yes[open_]
            if not len(rows):
                break
            yes += model.score(X[rows]) > CLEARANCE
        passed[rows[yes >= self.needed]] = 1.0
        return passed

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row passes, by the models' own predictions."""
        votes = np.sum([model.accepts(X) for model in self.models], axis=0)
        passes: Bools = self.reference.accepts(X) & (votes >= self.needed)
        return passes
