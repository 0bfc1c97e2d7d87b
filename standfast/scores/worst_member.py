"""The model of a level set that likes a point least: Newton steps along a path of least losses.

For a value v let ℓ(v) be the least loss of a model that gives the point the value v = a·θ. ℓ is
convex, and the worst member of {L ≤ L* + ε} is where ℓ reaches L* + ε below the optimum's own
value. Every step centres (less loss at the same value) and moves v by the second-order model of ℓ.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.scores.logistic_loss import LogisticLoss
from standfast.scores.score import Matrix, Vector

# The worst member stays inside by so much of ε, and by this much for the rounding of L itself: a
# member outside would be no valid cut. Its value is then off by some 1e-11 of its way.
INSIDE, ROUNDING = 1e-11, 4e-15
# squared Newton decrements below this share of the loss at stake count as centred
CENTRED, CLOSE, NEAR = 1e-25, 1e-11, 0.1
STEPS, HALVINGS = 200, 60
# a second derivative is kept while steps with it shrink what is left by this factor
CONTRACTION = 0.01


@dataclass(frozen=True, eq=False)
class Optimum:
    """θ*, its loss L*, and the factorised second derivative H there."""

    theta: Vector
    loss: float
    factor: Any

    def norm(self, way: Vector) -> float:
        """√(w·H w)."""
        half, lower = self.factor
        root = np.tril(half).T if lower else np.triu(half)
        return float(np.linalg.norm(root @ way))

    def dual_norm(self, gradient: Vector) -> float:
        """√(g·H⁻¹g)."""
        return float(np.sqrt(max(float(gradient @ solved(self.factor, gradient)), 0.0)))

    @classmethod
    def find(cls, loss: LogisticLoss) -> "Optimum | None":
        """The model of least loss; None if there is no single one."""
        theta = np.zeros(loss.rows.shape[1])
        value, gradient, curvature = loss.slope(theta)
        for _ in range(STEPS):
            factor = factorised(loss.hessian(curvature))
            if factor is None:
                return None
            step = -solved(factor, gradient)
            decrement = -float(gradient @ step)
            if decrement <= CLOSE * value:  # one full step more squares what is left
                theta = theta + step
                value, _, curvature = loss.slope(theta)
                factor = factorised(loss.hessian(curvature))
                return None if factor is None else cls(theta, value, factor)
            theta, value = _descended(loss, theta, value, step, decrement)
            value, gradient, curvature = loss.slope(theta)
        return None


@dataclass(frozen=True, eq=False)
class Member:
    """A model of the level set: θ, inside; `floor` is at most the worst value of any member."""

    theta: Vector
    floor: float


def worst_member(
    loss: LogisticLoss,
    optimum: Optimum,
    a: Vector,
    epsilon: float,
    radius: float,
    cutoff: float = np.nan,
) -> Member:
    """The member of {L ≤ L* + ε} with the least a·θ; with a cutoff, sure only which side it is on.

    `radius` is one that no member leaves, in the norm of the second derivative at θ*. The steps may
    end as soon as a member is at or below the cutoff, or the floor above it.
    """
    if epsilon <= 0.0:
        return Member(optimum.theta, float(a @ optimum.theta))
    most = optimum.loss + epsilon
    pad = within(epsilon)
    goal = most - pad
    walk = _Walk(loss, a, optimum)
    for _ in range(STEPS):
        if walk.t > 0.0 and (
            _inside(walk, optimum, goal) <= cutoff or _floor(walk, optimum, most, radius) > cutoff
        ):
            break
        missed = walk.least - goal
        if walk.decrement <= CENTRED * epsilon + ROUNDING**2 and abs(missed) <= 0.25 * pad:
            break
        if walk.decrement > NEAR * epsilon:
            walk.centre()
        elif not walk.move(_way(walk.t, walk.q, missed)):
            break  # nothing left but rounding
    # by convexity the way back to θ* is inside from here on
    theta = optimum.theta + _share(walk, optimum, goal) * (walk.theta - optimum.theta)
    return Member(theta, _floor(walk, optimum, most, radius))


def within(epsilon: float) -> float:
    """How far inside the border of the level set a member must stay."""
    return min(INSIDE * epsilon + ROUNDING, 0.5 * epsilon)


def least_loss(loss: LogisticLoss, optimum: Optimum, a: Vector, value: float) -> float:
    """ℓ(v) − L*: how much more than the optimum a model with a·θ = v must lose, at least."""
    walk = _Walk(loss, a, optimum)
    walk.move(value - walk.value)
    for _ in range(STEPS):
        more = max(walk.loss - optimum.loss, 0.0)
        if walk.decrement <= CENTRED * more + ROUNDING or not walk.centre():
            break
    return max(walk.loss - walk.decrement - optimum.loss, 0.0)


def _way(t: float, q: float, missed: float) -> float:
    """How far v must go until ℓ ≈ ℓ(v) − tΔ + Δ²/(2q) has changed by −missed, downwards."""
    under = t * t - 2.0 * missed / q
    if under < 0.0:  # far outside: along the tangent, which never comes too far inside
        return missed / t
    return 2.0 * missed / (t + float(np.sqrt(under)))


class _Walk:
    """Where a search stands: θ, its loss and slope, and the second derivative it steers by."""

    def __init__(self, loss: LogisticLoss, a: Vector, optimum: Optimum) -> None:
        self._loss, self._a = loss, a
        self._curvature: Vector | None = None
        self._use(optimum.factor)
        self.theta, self.value = optimum.theta, float(a @ optimum.theta)
        self.start, self.reach = self.value, float(np.sqrt(self.q))
        self.loss, self.t, self.decrement = optimum.loss, 0.0, 0.0
        self.rest = np.zeros_like(a)
        self._correction = np.zeros_like(a)
        self._left = np.inf

    @property
    def least(self) -> float:
        """ℓ(v) by the second derivative alone."""
        return self.loss - 0.5 * self.decrement

    def move(self, way: float) -> bool:
        """Centre and move v; False if nothing would change."""
        step = self._correction + (way / self.q) * self._b
        theta = self.theta + step
        if (theta == self.theta).all():
            return False
        self._stand(theta, *self._loss.slope(theta))
        left = self.decrement + abs(way) * self.t
        if left > CONTRACTION * self._left:
            self._renew()
        self._left = left
        return True

    def centre(self) -> bool:
        """Less loss at the same v; False if there is none."""
        self._renew()
        theta, value = _descended(
            self._loss, self.theta, self.loss, self._correction, self.decrement
        )
        if value >= self.loss:
            return False
        self._stand(theta, *self._loss.slope(theta))
        return True

    def _stand(self, theta: Vector, loss: float, gradient: Vector, curvature: Vector) -> None:
        self.theta, self.value = theta, float(self._a @ theta)
        self.loss, self._gradient, self._curvature = loss, gradient, curvature
        self._steer()

    def _renew(self) -> None:
        """The second derivative where we stand, unless it is singular to the last bit."""
        if self._curvature is not None:
            factor = factorised(self._loss.hessian(self._curvature))
            if factor is not None:
                self._use(factor)
                self._steer()
            self._curvature = None

    def _use(self, factor: Any) -> None:
        self._factor = factor
        self._b = solved(factor, self._a)
        self.q = float(self._a @ self._b)

    def _steer(self) -> None:
        """The multiplier t, the step that centres and its squared decrement."""
        self.t = -float(self._b @ self._gradient) / self.q
        # taken off before solving: near the centre it is nearly the whole gradient
        self.rest = self._gradient + self.t * self._a
        self._correction = -solved(self._factor, self.rest)
        self.decrement = max(-float(self.rest @ self._correction), 0.0)


def _share(walk: _Walk, optimum: Optimum, goal: float) -> float:
    """How much of the way from θ* is surely inside, by convexity."""
    return (goal - optimum.loss) / max(walk.loss - optimum.loss, goal - optimum.loss)


def _inside(walk: _Walk, optimum: Optimum, goal: float) -> float:
    """The value of the member that lies on the way from θ*."""
    start = walk.start
    return start + _share(walk, optimum, goal) * (walk.value - start)


def _floor(walk: _Walk, optimum: Optimum, most: float, radius: float) -> float:
    """What no member lies below, wherever the steps ended.

    With r = ∇L(θ) + t a, which is zero at the centre, convexity gives a member θ' no more than
    most ≥ L(θ') ≥ L(θ) + (r − t a)·(θ' − θ), and |r·(θ' − θ)| ≤ ‖r‖ (radius + ‖θ − θ*‖) in the norm
    of the second derivative at θ* and its dual. So a·θ' ≥ a·θ − (most − L(θ) + that)/t.
    """
    ball = walk.start - radius * walk.reach
    if walk.t <= 0.0:
        return ball
    off = optimum.dual_norm(walk.rest) * (radius + optimum.norm(walk.theta - optimum.theta))
    return max(ball, float(walk.value - (most - walk.loss + off) / walk.t))


def _descended(
    loss: LogisticLoss, theta: Vector, value: float, step: Vector, decrement: float
) -> tuple[Vector, float]:
    """A Newton step, halved until the loss falls."""
    for k in range(HALVINGS):
        size = 0.5**k
        to = theta + size * step
        found = loss.value(to)
        if found <= value - 0.1 * size * decrement:
            return to, found
    return theta, value


def factorised(H: Matrix) -> Any:
    """The Cholesky factor of H, or None where H is as good as singular."""
    from scipy.linalg import LinAlgError, cho_factor

    scale = np.sqrt(np.diag(H))
    if not (scale > 0).all() or not np.isfinite(scale).all():
        return None
    try:
        factor = cho_factor(H, check_finite=False)
    except LinAlgError:
        return None
    return factor if (np.diag(factor[0]) > 1e-7 * scale).all() else None


def solved(factor: Any, b: Vector) -> Vector:
    """H⁻¹ b."""
    from scipy.linalg import cho_solve

    found: Vector = cho_solve(factor, b, check_finite=False)
    return found
