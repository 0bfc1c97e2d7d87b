"""The logistic loss of linear models on fixed people: what a level set of them is cut from."""

from dataclasses import dataclass

import numpy as np

from standfast.scores.score import Matrix, Vector


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """L(θ) = Σ_i share_i log(1 + exp(−y_i a_i·θ)) + ½ ridge·θ², a_i = (standardised inputs, 1).

    `rows` are y_i a_i, `shares` sum to one, and `ridge` has one number per parameter: 1/(C n), and
    0 for the intercept, as scikit-learn penalises.
    """

    rows: Matrix
    shares: Vector
    ridge: Vector

    def value(self, theta: Vector) -> float:
        """L(θ)."""
        z = self.rows @ theta
        return self._value(theta, z, np.exp(-np.abs(z)))

    def slope(self, theta: Vector) -> tuple[float, Vector, Vector]:
        """L(θ), its gradient, and each person's curvature."""
        z = self.rows @ theta
        tail = np.exp(-np.abs(z))  # the stable form: no overflow on either side
        heavy = self.shares / (1.0 + tail)
        light = heavy * tail
        gradient = self.ridge * theta - self.rows.T @ np.where(z >= 0, light, heavy)
        return self._value(theta, z, tail), gradient, light / (1.0 + tail)

    def hessian(self, curvature: Vector) -> Matrix:
        """The second derivative, from each person's curvature."""
        root = self.rows * np.sqrt(curvature)[:, None]
        bent: Matrix = root.T @ root
        bent[np.diag_indices_from(bent)] += self.ridge
        return bent

    def majorant(self, theta: Vector) -> tuple[float, Vector, Matrix]:
        """A quadratic above L everywhere that touches it at θ: value, gradient, second derivative.

        log(1 + e^−z) is at most its tangent at ξ plus ½ (z − ξ)² tanh(ξ/2)/(2ξ) (Jaakkola and
        Jordan 2000, "Bayesian parameter estimation via variational methods").
        """
        value, gradient, _ = self.slope(theta)
        half = 0.5 * np.abs(self.rows @ theta)
        steep = np.divide(np.tanh(half), half, out=np.ones_like(half), where=half > 1e-8)
        return value, gradient, self.hessian(0.25 * self.shares * steep)

    def _value(self, theta: Vector, z: Vector, tail: Vector) -> float:
        losses = np.log1p(tail) - np.minimum(z, 0.0)
        return float((self.shares * losses).sum() + 0.5 * (self.ridge * theta * theta).sum())
