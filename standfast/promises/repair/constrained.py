"""A smooth convex loss minimised under linear constraints, and which constraints to give up."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Bools = NDArray[np.bool_]
# L(θ) and its gradient
Loss = Callable[[Vector], tuple[float, Vector]]

ROUNDS = 40  # of raising multipliers
STEPS = 300  # of one round's descent
GROWTH = 8.0  # of the penalty where a round did not halve what is lacking
ENOUGH = 1e-24  # half of a squared Newton step, in units of the loss


@dataclass(frozen=True, eq=False)
class Solved:
    """The minimiser θ, the constraints' multipliers λ ≥ 0, and by how much one is missed at most.

    At the minimum ∇L(θ) = Aᵀλ, A θ ≥ needs, and λ is 0 wherever a constraint has room: λ is what a
    constraint costs.
    """

    theta: Vector
    multipliers: Vector
    lacking: float


@dataclass(frozen=True, eq=False)
class Penalised:
    """L(θ) + Σ (max(0, λ + c (needs − A θ))² − λ²) / 2c, with its gradient."""

    loss: Loss
    A: Any
    needs: Vector
    multipliers: Vector
    penalty: float

    def __call__(self, theta: Vector) -> tuple[float, Vector]:
        """The value and the gradient."""
        value, slope = self.loss(theta)
        lam, push = self.multipliers, self.pushes(theta)
        value += float(push @ push - lam @ lam) / (2.0 * self.penalty)
        return value, slope - self._back @ push

    def pushes(self, theta: Vector) -> Vector:
        """How strongly each constraint pushes: its next multiplier."""
        lacks = self.needs - self.A @ theta
        return np.asarray(np.maximum(0.0, self.multipliers + self.penalty * lacks))

    def curvature(self, theta: Vector) -> Matrix:
        """The second derivative of the penalty, for a dense A."""
        pushing = self.A[self.pushes(theta) > 0.0]
        return np.asarray(self.penalty * pushing.T @ pushing)

    @cached_property
    def _back(self) -> Any:
        return self.A.T.tocsr() if hasattr(self.A, "tocsr") else self.A.T


@dataclass(frozen=True, eq=False)
class Constrained:
    """min L(θ) subject to A θ ≥ needs and, where given, bounds on θ.

    Solved by the method of multipliers (Hestenes 1969, Powell 1969): descend on L plus a penalty on
    what is lacking, raise the multipliers by it, again. With the `hessian` of L the descent is
    Newton's, which needs few parameters and no bounds; without, it is L-BFGS-B's, and `A` may be
    sparse. `tolerance` is by how much a constraint may be missed; the caller asks for that much
    more than it needs.
    """

    loss: Loss
    A: Any
    needs: Vector
    start: Vector
    bounds: tuple[Vector, Vector] | None = None
    tolerance: float = 1e-7
    hessian: Callable[[Vector], Matrix] | None = None

    def solve(self, required: Bools, warm: Solved | None = None) -> Solved:
        """The minimum under those constraints that are required."""
        part = self.A[np.flatnonzero(required)], self.needs[required]
        theta = self.start if warm is None else warm.theta
        lam = np.zeros(len(part[1])) if warm is None else warm.multipliers[required]
        penalty, before, missing = self._penalty(part[0]), np.inf, np.inf
        descend = self._quasi_newton if self.hessian is None else self._newton
        for _ in range(ROUNDS):
            theta = descend(theta, Penalised(self.loss, *part, lam, penalty))
            lacks = part[1] - part[0] @ theta
            lam = np.maximum(0.0, lam + penalty * lacks)
            missing = float(lacks.max(initial=0.0))
            if missing <= self.tolerance:
                break
            penalty *= GROWTH if missing > 0.5 * before else 1.0
            before = missing
        every = np.zeros(len(required))
        every[required] = lam
        return Solved(theta, every, missing)

    def _quasi_newton(self, theta: Vector, objective: "Penalised") -> Vector:
        from scipy.optimize import minimize

        limits = None if self.bounds is None else list(zip(*self.bounds, strict=True))
        options = {"maxiter": STEPS, "maxfun": 2 * STEPS, "ftol": 1e-9, "gtol": 1e-9}
        found = minimize(
            objective, theta, jac=True, method="L-BFGS-B", bounds=limits, options=options
        )
        return np.asarray(found.x)

    def _newton(self, theta: Vector, objective: "Penalised") -> Vector:
        assert self.hessian is not None
        value, slope = objective(theta)
        for _ in range(STEPS):
            bent = self.hessian(theta) + objective.curvature(theta)
            step = np.linalg.lstsq(bent, -slope, rcond=None)[0]
            gain = float(slope @ step)
            if -gain <= ENOUGH * max(1.0, abs(value)):
                break
            length = 1.0
            while length > 1e-12:
                ahead, its = objective(theta + length * step)
                if ahead <= value + 1e-4 * length * gain:
                    break
                length /= 2.0
            else:
                break  # nothing left but rounding
            theta, value, slope = theta + length * step, ahead, its
        return theta

    def least(self, keep: float, passes: int = 3) -> Solved:
        """The minimum under at least `keep` of the constraints; the most expensive are given up.

        Which to give up is a choice among exponentially many; the greedy one is taken: solve under
        all, give up those with the greatest multipliers, and again with what is then left to give
        up because some of them hold all the same.
        """
        required = np.ones(len(self.needs), dtype=bool)
        allowed = int(np.floor((1.0 - keep) * len(required) + 1e-9))
        best = found = self.solve(required)
        for _ in range(passes if allowed else 0):
            holds = np.asarray(self.A @ found.theta >= self.needs - self.tolerance)
            if int((~holds).sum()) > allowed:  # all together cannot hold
                holds[:] = True
            room = allowed - int((~holds).sum())
            costly = np.argsort(-found.multipliers, kind="stable")[:room]
            costly = costly[found.multipliers[costly] > 0.0]
            if not len(costly):
                break
            required = holds  # what holds all the same is not given up after all
            required[costly] = False
            found = self.solve(required, found)
            best = min(best, found, key=self._preferred)
        return best

    def _preferred(self, solved: Solved) -> tuple[bool, float]:
        """What is feasible comes before what is not, then what loses less."""
        return solved.lacking > self.tolerance, self.loss(solved.theta)[0]

    def _penalty(self, A: Any) -> float:
        """A first penalty of the loss's own size: its change per unit of what is lacking."""
        _, slope = self.loss(self.start)
        curved = A.multiply(A).sum() if hasattr(A, "multiply") else (A * A).sum()
        size = float(curved) / max(A.shape[0], 1)
        steep = max(float(np.abs(slope).max(initial=0.0)), 1.0 / max(A.shape[0], 1))
        return float(steep / max(size, 1e-9))
