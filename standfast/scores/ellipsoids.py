"""Ellipsoids with proof: one inside a level set, around a member, and one that holds it whole."""

from dataclasses import dataclass

import numpy as np

from standfast.scores.logistic_loss import LogisticLoss
from standfast.scores.score import Matrix, Vector
from standfast.scores.worst_member import Optimum, factorised, solved

# rounding must not carry a member of the ellipsoid out of the level set
SHRUNK = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class InnerEllipsoid:
    """{centre + u : u·M u ≤ radius²}, all of it inside the level set; `spread` is M⁻¹.

    Its worst value at a is centre·a − radius √(a·M⁻¹a), in closed form: no lower than the worst of
    the whole level set, and close to it for points like the one its member was found for.
    """

    centre: Vector
    spread: Matrix
    radius: float

    @classmethod
    def around(cls, loss: LogisticLoss, theta: Vector, most: float) -> "InnerEllipsoid":
        """The models that a quadratic above L, touching it at the member θ, puts at most at `most`.

        With M its second derivative and g its gradient at θ: centre = θ − M⁻¹g, and
        radius² = 2 (most − L(θ)) + g·M⁻¹g.
        """
        value, gradient, M = loss.majorant(theta)
        factor = factorised(M)
        way = gradient if factor is None else solved(factor, gradient)
        square = 2.0 * (most - value) + float(gradient @ way)
        if factor is None or square <= 0.0:  # flat to the last bit: the member alone
            return cls(theta, np.zeros_like(M), 0.0)
        spread = solved(factor, np.eye(len(theta)))
        return cls(theta - way, 0.5 * (spread + spread.T), SHRUNK * float(np.sqrt(square)))

    def worst(self, A: Matrix) -> Vector:
        """The least value of any member of the ellipsoid at each row a."""
        spread = np.sqrt(np.maximum(np.einsum("ij,ij->i", A @ self.spread, A), 0.0))
        found: Vector = A @ self.centre - self.radius * spread
        return found


def outer_radius(loss: LogisticLoss, optimum: Optimum, epsilon: float) -> float:
    """A radius ρ such that every member θ has (θ − θ*)·H (θ − θ*) ≤ ρ².

    A person's curvature falls by no more than e^−δ when their log-odds move by δ, so with R the
    largest √(a_i·H⁻¹a_i), and t = Rρ, L − L* is at least (e^−t + t − 1)/R² on the border of the
    ellipsoid: it reaches ε where e^−t + t − 1 = εR².
    """
    reach = np.einsum("ij,ij->i", loss.rows, solved(optimum.factor, loss.rows.T).T).max()
    low, high = 0.0, 1.0 + epsilon * float(reach)
    while high - low > 1e-9 * high:
        t = 0.5 * (low + high)
        low, high = (t, high) if np.expm1(-t) + t < epsilon * reach else (low, t)
    return high / float(np.sqrt(reach))
