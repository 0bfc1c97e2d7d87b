"""The continuous level set of logistic regression: every linear model that loses little more."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np

from standfast.datasets import Dataset
from standfast.datasets.dataset import check_training
from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.scores.ellipsoids import InnerEllipsoid, outer_radius
from standfast.scores.linear import Linear, checked_threshold
from standfast.scores.logistic_loss import LogisticLoss
from standfast.scores.score import CLEARANCE, LOGISTIC, Bools, Matrix, Vector, checked
from standfast.scores.worst_member import Member, Optimum, least_loss, solved, within, worst_member

CONFIDENCE = 0.95
CONVENTION = "a convention"


class Worst(NamedTuple):
    """The member that likes a point least, and what it says: log-odds, and score."""

    model: Linear
    raw: float
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class LinearLevelSet:
    """All linear models at most ε worse than the best: T_ε = {θ : L(θ) ≤ L* + ε}, as one score.

    L is the mean log-loss on the training people, in inputs standardised privately. The score of a
    point is that of its worst member, so above zero means that every model of the set accepts:
    advice under this score survives them all. It is exact (up to some 1e-10, on the safe side), not
    the ellipsoid that the second derivative draws. The set holds its training people, for it is
    made of their losses. Made by `LinearLevelSet.fit(train)`; `at(epsilon)` widens or narrows it.

    Parameters
    ----------
    loss, optimum : LogisticLoss, Optimum
        L and where it is least.
    means, scales : array of float
        How inputs are standardised.
    epsilon : float
        How much more than the best a member may lose.
    threshold : float
        What a member's probability must exceed.
    meaning : str
        What this ε stands for, in words.

    Examples
    --------
    >>> from standfast.datasets import twin
    >>> rivals = LinearLevelSet.fit(twin("heloc", n=2000, seed=0))
    >>> rivals
    LinearLevelSet: 20 inputs, L* = 0.5..., ε = 0.00... (a 95 % confidence set ...)
    """

    loss: LogisticLoss
    optimum: Optimum
    means: Vector
    scales: Vector
    epsilon: float
    threshold: float = 0.5
    meaning: str = field(default=CONVENTION)

    @classmethod
    def fit(
        cls,
        train: Dataset,
        *,
        epsilon: float | None = None,
        C: float = np.inf,
        balanced: bool = False,
        threshold: float = 0.5,
    ) -> "LinearLevelSet":
        """The level set of logistic regression on these people.

        `C` penalises as in scikit-learn (without limit: no penalty), `balanced` weights the classes
        alike. The default ε is χ²_{d,0.95}/(2n), d counting the intercept: for the plain loss (no
        penalty, no weights) the set is then a joint 95 % confidence set, if the logistic model is
        right and n is large (likelihood ratio). With a penalty, weights or an ε of your own it is a
        convention.
        """
        check_training(train)
        odd = [f.name for f in train.schema if f.kind == "nominal" or f.when_missing != "refuse"]
        if odd:
            raise InputError(
                f"{listing(odd)} {'have' if len(odd) > 1 else 'has'} categories in no order or "
                "missing values, which a linear model cannot weigh; leave them out, or use "
                "level_set(grids.linear(schema=…)), whose models stand behind encoders"
            )
        X, y = train.schema.matrix(train.table), train.labels.to_numpy(dtype=np.float64)
        n, d = len(X), X.shape[1] + 1
        if n == 0 or abs(y.sum()) == n:
            raise InputError(f"the {n} training people are all of one class; losses need both")
        if not isinstance(C, Real) or not C > 0:
            raise InputError(f"C is {C!r}; it must be a positive number, or inf for no penalty")
        means, scales = X.mean(axis=0), X.std(axis=0)
        scales = np.where(scales > 1e-12 * (1 + np.abs(means)), scales, 1.0)
        A = np.column_stack([(X - means) / scales, np.ones(n)])
        shares = np.full(n, 1.0 / n)
        if balanced:
            favourable = (y > 0).mean()
            shares = shares / (2.0 * np.where(y > 0, favourable, 1.0 - favourable))
        loss = LogisticLoss(A * y[:, None], shares, np.append(np.full(d - 1, 1.0 / (C * n)), 0.0))
        optimum = Optimum.find(loss)
        if optimum is None:
            raise InputError(_unbounded(X, train.schema.names, C))
        meaning = CONVENTION
        if epsilon is None:
            epsilon = default_epsilon(n, d)
            if not balanced and np.isinf(C):
                meaning = f"a {CONFIDENCE:.0%} confidence set if the model is right"
        made = cls(loss, optimum, means, scales, 0.0, checked_threshold(threshold, LOGISTIC))
        return replace(made.at(epsilon), meaning=meaning.replace("%", " %"))

    def at(self, epsilon: float) -> "LinearLevelSet":
        """The same loss with another ε."""
        is_number = isinstance(epsilon, Real) and not isinstance(epsilon, bool)
        if not is_number or not 0.0 <= epsilon < np.inf:
            raise InputError(f"epsilon is {epsilon!r}; it must be a finite number of at least 0")
        return replace(self, epsilon=float(epsilon), meaning=CONVENTION)

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.means)

    @property
    def probability(self) -> bool:
        """The score is a probability minus a threshold."""
        return True

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the loss, ε and the threshold."""
        loss = (self.loss.rows, self.loss.shares, self.loss.ridge)
        return digest(["linear level set", *loss, self.means, self.epsilon, self.threshold])

    @cached_property
    def best(self) -> Linear:
        """The model of least loss, θ*."""
        return self._linear(self.optimum.theta)

    @cached_property
    def void(self) -> float:
        """The ε from which on a member refuses everybody, so that no advice survives.

        That member is constant: no input has a weight, and its probability is the threshold.
        """
        return max(self.excess(self.refusal), 0.0)

    @cached_property
    def refusal(self) -> Linear:
        """The constant model that refuses everybody by a hair."""
        return Linear(
            np.zeros(self.width), LOGISTIC.invert(self.threshold), LOGISTIC, self.threshold
        )

    def excess(self, model: Linear) -> float:
        """L(θ) − L*: how much more a linear model loses than the best; a member loses at most ε."""
        if not isinstance(model, Linear) or model.width != self.width:
            raise InputError(f"give a linear model of {self.width} inputs to see what it loses")
        return self.loss.value(self._theta(model)) - self.optimum.loss

    def worst(self, x: Vector) -> Worst:
        """The member with the least score at a point: a model in table units, strictly inside."""
        member = self._member(self.standardised(x))
        return self._worst(member.theta, member.floor)

    def nearly_worst(self, x: Vector) -> Worst:
        """A member close to the worst, ten times faster: the ellipsoid's, drawn inside the set."""
        a, theta = self.standardised(x), self.optimum.theta
        b = solved(self.optimum.factor, a)
        way = -np.sqrt(2.0 * self.epsilon / (a @ b)) * b
        goal = self.epsilon - within(self.epsilon)
        # by convexity the way back to θ* is inside from here on
        loses = self.loss.value(theta + way) - self.optimum.loss
        theta = theta + goal / max(loses, goal, 1e-300) * way
        return self._worst(theta, float(a @ theta))

    def _worst(self, theta: Vector, raw: float) -> Worst:
        score = LOGISTIC.apply(np.array([raw]))[0] - self.threshold
        return Worst(self._linear(theta), raw, float(score))

    def refuser(self, x: Vector, cutoff: float) -> Linear | None:
        """A member whose log-odds at a point are at most the cutoff; None if there is none.

        The steps towards the worst member end as soon as that is settled.
        """
        near = self.nearly_worst(x)
        if near.raw <= cutoff:
            return near.model
        member = self._member(self.standardised(x), cutoff)
        return self._linear(member.theta) if member.floor <= cutoff else None

    def inside(self, model: Linear) -> InnerEllipsoid:
        """An ellipsoid of members around a member, in standardised inputs."""
        most = self.optimum.loss + self.epsilon - within(self.epsilon)
        return InnerEllipsoid.around(self.loss, self._theta(model), most)

    def raw(self, X: Matrix) -> Vector:
        """The worst member's log-odds at each row: exact, on the safe side."""
        return np.array([self._member(a).floor for a in self._rows(X)], dtype=np.float64)

    def score(self, X: Matrix) -> Vector:
        """The worst member's probability minus the threshold; above zero all members accept."""
        return LOGISTIC.apply(self.raw(X)) - self.threshold

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether every member's score exceeds the margin at each row."""
        X = checked(X, self.width)
        agreed = self.best.accepts(X, margin)  # whom the best model refuses need not be looked at
        if not agreed.any() or self.epsilon <= 0.0:
            return agreed
        A, cutoff = self._rows(X[agreed]), LOGISTIC.invert(self.threshold + margin)
        # nor whom the ellipsoid that holds the set accepts, or one inside it refuses
        sure = A @ self.optimum.theta - self._outer * self._spread(A) > cutoff + CLEARANCE
        for i in np.flatnonzero(~sure & (self._inner.worst(A) > cutoff)):
            sure[i] = self._member(A[i], cutoff).floor > cutoff
        agreed[agreed] = sure
        return agreed

    def surely_accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether every member's score exceeds the margin by what rounding may hide."""
        return self.accepts(X, margin + CLEARANCE)

    def epsilon_max(self, X: Matrix, margin: float = 0.0) -> Vector:
        """For each row the largest ε at which all members accept; 0 where the best model refuses.

        It is the loss that a model must give away to refuse the point, min {L(θ) − L* : θ refuses}:
        one Newton search instead of a bisection over ε.
        """
        X, cutoff = checked(X, self.width), LOGISTIC.invert(self.threshold + margin)
        found = np.zeros(len(X))
        if cutoff == np.inf:
            return found
        for i in np.flatnonzero(self.best.accepts(X, margin)):
            found[i] = least_loss(self.loss, self.optimum, self._rows(X[i : i + 1])[0], cutoff)
        return found

    def standardised(self, x: Vector) -> Vector:
        """a = (x standardised, 1): what θ multiplies."""
        a: Vector = self._rows(np.atleast_2d(x))[0]
        return a

    def _member(self, a: Vector, cutoff: float = np.nan) -> Member:
        return worst_member(self.loss, self.optimum, a, self.epsilon, self._outer, cutoff)

    def _rows(self, X: Matrix) -> Matrix:
        standardised = (checked(X, self.width) - self.means) / self.scales
        return np.column_stack([standardised, np.ones(len(standardised))])

    def _spread(self, A: Matrix) -> Vector:
        """√(a·H⁻¹a) of each row."""
        squares = np.einsum("ij,ij->i", A, solved(self.optimum.factor, A.T).T)
        spread: Vector = np.sqrt(np.maximum(squares, 0.0))
        return spread

    @cached_property
    def _inner(self) -> InnerEllipsoid:
        return self.inside(self.best)

    @cached_property
    def _outer(self) -> float:
        return outer_radius(self.loss, self.optimum, self.epsilon)

    def _theta(self, model: Linear) -> Vector:
        return np.append(model.weights * self.scales, model.offset + model.weights @ self.means)

    def _linear(self, theta: Vector) -> Linear:
        weights = theta[:-1] / self.scales
        return Linear(weights, theta[-1] - weights @ self.means, LOGISTIC, self.threshold)

    def __repr__(self) -> str:
        d = self.width
        return (
            f"LinearLevelSet: {d} input{'s' * (d != 1)}, L* = {self.optimum.loss:.4f}, "
            f"ε = {self.epsilon:.4g} ({self.meaning})"
        )


def default_epsilon(n: int, d: int, confidence: float = CONFIDENCE) -> float:
    """χ²_{d}/(2n): the loss within which the true parameters lie, by the likelihood ratio.

    >>> round(default_epsilon(6633, 21), 5)
    0.00246
    """
    from scipy.special import gammaincinv

    return float(gammaincinv(d / 2.0, confidence) / n)


def _unbounded(X: Matrix, names: tuple[str, ...], C: float) -> str:
    still = [name for name, column in zip(names, X.T, strict=True) if np.ptp(column) == 0.0]
    if still and np.isinf(C):
        why = f"input '{still[0]}' never varies in the training people, so any weight is as good"
    else:
        why = "inputs repeat one another, or separate the classes perfectly"
    return (
        f"no single linear model is best: {why}; drop such inputs, or penalise the weights, "
        "for instance with C=1"
    )
