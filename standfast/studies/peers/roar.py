"""ROAR (Upadhyay, Joshi, Lakkaraju 2021): advice the worst linear model nearby still accepts.

As published: the log-loss of the favourable label under the worst model plus λ times the L1
distance, both in standardised inputs; a model is nearby if every weight and the intercept differ
by at most δ (an L∞ ball: their code solves a linear program over that box at every step, whose
solution is known in closed form); descent from the person's own values.

Different: λ falls along a path, person by person, until the worst model accepts, where they pick
one λ for everybody by validity. Proximal steps reach the objective's minimum, which is convex and
sparse, where Adam moves every input. Immutables, directions, bounds, whole numbers and relations
are the schema's; they have none. What is handed out is checked after rounding: the worst model
accepts it. Only linear scores, where they approximate others by LIME.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, check_whole, listing, type_of
from standfast.methods import Answers, Budget, Search
from standfast.methods.method import Matrix, Streams, Vector
from standfast.percentiles import Percentiles
from standfast.recommendations import Cause, Note, Outcome
from standfast.recommendations.causes import NothingToChange
from standfast.schema import Schema
from standfast.schema.bounds import Bounds
from standfast.scores import Linear, Score
from standfast.scores.score import CLEARANCE, Bools

People = NDArray[np.intp]

FALL = 0.9  # from one λ to the next; a coarser path overshoots the worst model's boundary
STILL = 1e-4  # standard deviations: a step shorter than this is the last for its λ


@dataclass(frozen=True)
class Roar:
    """Advice that every linear model within `delta` of the reference accepts, by descent.

    min over x̃ of max over θ of log(1 + exp(−θ·(z̃, 1))) + λ ‖z̃ − z‖₁, |θ − θ_f|_∞ ≤ `delta`, with
    z = (x − mean) / deviation in the reference table. `delta` is the dial: a larger one asks more.
    `falls` values of λ are tried, each with at most `steps` steps.
    """

    schema: Schema
    percentiles: Percentiles
    delta: float = 0.1
    falls: int = 60
    steps: int = 200
    name: str = "ROAR"

    def __post_init__(self) -> None:
        object.__setattr__(self, "percentiles", self.percentiles.of(self.schema))
        check_whole(falls=self.falls, steps=self.steps)
        d = self.delta
        if not isinstance(d, Real) or isinstance(d, bool) or not 0.0 <= float(d) < np.inf:
            raise InputError(f"delta is {d!r}; it must be 0 or a positive number, e.g. 0.1")
        beyond = [
            f.name
            for f in self.schema
            if (f.kind == "nominal" and f.mutable) or f.when_missing != "refuse"
        ]
        if beyond:
            raise InputError(
                f"ROAR descends along numbers, and {listing(beyond)} may change between categories "
                "or be missing; say mutable = false for categories and fill in or drop what is "
                "missing, or use BetaRCE"
            )
        self.domain.grid  # noqa: B018 a schema that contradicts the table is refused here

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.schema.complete(self.percentiles.values)

    @cached_property
    def centre(self) -> Vector:
        """Each input's mean in the reference table."""
        q = self.percentiles
        return np.array([q.values[n] @ np.diff(q.shares[n], prepend=0.0) for n in q.names])

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        return {"delta": self.delta, "falls": self.falls, "steps": self.steps}

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The total percentile shift."""
        return self.percentiles.total(X, Y)

    def prepare(self, model: Score) -> Search:
        """The descent for a linear model."""
        if not isinstance(model, Linear):
            raise InputError(
                f"ROAR reads the weights of a linear model, and this one is {type_of(model)}; "
                "give it a logistic regression or another weighted sum"
            )
        return _Roar(self, model)


@dataclass(frozen=True, eq=False)
class _Roar:
    """ROAR for one model."""

    method: Roar
    model: Linear
    kept: frozenset[int] = frozenset()

    def keeping(self, inputs: frozenset[int]) -> "_Roar":
        """The same descent for people who leave these inputs as they are."""
        return replace(self, kept=self.kept | inputs)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Advice for a block of people, who descend together; nothing is drawn at random."""
        bounds = self.method.domain.bounds(X, self.kept)
        descent = _Descent(self.method, self.model, X, bounds)
        points = np.full_like(X, np.nan)
        waiting, price = np.flatnonzero(descent.moves), descent.steepest
        for _ in range(self.method.falls):
            if not len(waiting) or budget.expired():
                break
            price *= FALL
            descent.settle(waiting, price)
            goals = self.method.domain.project(
                X[waiting], descent.points(waiting), bounds.of(waiting)
            )
            sound = descent.worst(descent.standardised(goals)) > CLEARANCE
            sound &= self.model.score(goals) > CLEARANCE
            points[waiting[sound]] = goals[sound]
            waiting = waiting[~sound]
        return self._answers(points, descent.moves, budget)

    def _answers(self, points: Matrix, moves: Bools, budget: Budget) -> Answers:
        outcomes: list[Outcome] = []
        causes: list[Cause | None] = []
        for found, free in zip(~np.isnan(points[:, 0]), moves, strict=True):
            if found:
                outcomes.append(Outcome.FOUND)
                causes.append(None)
            elif not free:
                outcomes.append(Outcome.INFEASIBLE)
                causes.append(NothingToChange())
            else:
                outcomes.append(Outcome.EXHAUSTED)
                causes.append(
                    budget.why
                    if budget.expired()
                    else Note(
                        "The descent met no point that every linear model within "
                        f"{self.method.delta:g} of the reference accepts."
                    )
                )
        bounds = np.where(moves, np.nan, np.inf)
        return Answers(points, tuple(outcomes), tuple(causes), bounds)


class _Some(NamedTuple):
    """Those of a block who still move: their places in it, and their rows of its matrices."""

    who: People
    Z: Matrix
    Y: Matrix
    start: Matrix
    low: Matrix
    high: Matrix


class _Descent:
    """Where the people of a block stand, in standardised inputs, while λ falls.

    Proximal steps with multipliers for the schema's relations (Condat 2013, Vũ 2013). Sums are
    taken row by row, so that no person's last digit depends on the others.
    """

    def __init__(self, method: Roar, model: Linear, X: Matrix, bounds: Bounds) -> None:
        self.centre, self.scale = method.centre, method.percentiles.scale
        self.delta, self.steps = method.delta, method.steps
        self.weights = model.weights * self.scale
        self.offset = float((model.weights * self.centre).sum()) + model.offset - model.cutoff()
        low, high = bounds.low, bounds.high
        closed = low > high  # no grid value is left: only the person's own
        low = np.where(closed, X, np.minimum(low, X))
        high = np.where(closed, X, np.maximum(high, X))
        self.moves: Bools = np.any(low < high, axis=1)
        self.low, self.high, self.start = map(self.standardised, (low, high, X))
        laws = method.domain.half_spaces
        size = np.sqrt(((laws.A * self.scale) ** 2).sum(axis=1))
        self.A = laws.A * self.scale / size[:, None]
        self.b = (laws.b - (laws.A * self.centre).sum(axis=1)) / size
        reach = np.abs(self.weights) + self.delta
        self.steepest = float(reach.max())
        # the most the loss bends: log(1 + exp(−m)) itself bends by at most 1/4
        self.bend = max(float((reach**2).sum()) / 4.0, 1e-9)
        self.Z, self.Y = self.start.copy(), np.zeros((len(X), len(self.b)))

    def standardised(self, X: Matrix) -> Matrix:
        return (X - self.centre) / self.scale

    def points(self, who: People) -> Matrix:
        return self.Z[who] * self.scale + self.centre

    def worst(self, Z: Matrix) -> Vector:
        """w·z + b − δ (‖z‖₁ + 1): what the worst model nearby gives; above zero is favourable."""
        spread: Vector = self.delta * (np.abs(Z).sum(axis=1) + 1.0)
        total: Vector = (Z * self.weights).sum(axis=1) + self.offset - spread
        return total

    def settle(self, who: People, price: float) -> None:
        """Go to the minimum for one λ; people whose point no longer moves are left alone."""
        some = _Some(
            who, *(part[who] for part in (self.Z, self.Y, self.start, self.low, self.high))
        )
        for _ in range(self.steps):
            Z, Y = self._step(some, price)
            far = np.abs(Z - some.Z).max(axis=1) > STILL
            far |= np.abs(Y - some.Y).max(axis=1, initial=0.0) > STILL * self.bend
            some = some._replace(Z=Z, Y=Y)
            if not far.all():
                self.Z[some.who], self.Y[some.who] = Z, Y
                some = _Some(*(part[far] for part in some))
            if not len(some.who):
                return
        self.Z[some.who], self.Y[some.who] = some.Z, some.Y

    def _step(self, some: _Some, price: float) -> tuple[Matrix, Matrix]:
        """One proximal step: the loss linearised in `worst`, both absolute values kept whole.

        Each input minimises (z − v)² / 2t + c |z| + λ |z − start|; for a sum of kinks that is the
        median of the kinks and of v moved by each slope.
        """
        from scipy.special import expit

        _, Z, Y, start, low, high = some
        t = 1.0 / (self.bend * (1.0 + len(self.b)))
        push = expit(-self.worst(Z))[:, None]
        pull = (Y[:, :, None] * self.A).sum(axis=1)
        v, c = Z + t * (push * self.weights - pull), push * self.delta
        most, between = t * (c + price), v - t * (c - price) * np.sign(start)
        # the kinks are 0 and start, and v − most ≤ between ≤ v + most: the third of the five
        third = np.minimum(np.maximum(np.minimum(start, 0.0), between), v + most)
        third = np.minimum(third, np.maximum(np.maximum(start, 0.0), v - most))
        new = np.minimum(np.maximum(third, low), high)
        excess = ((2.0 * new - Z)[:, None, :] * self.A).sum(axis=2) - self.b
        return new, np.maximum(Y + self.bend * excess, 0.0)
