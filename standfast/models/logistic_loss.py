"""The logistic loss of linear models on fixed people: what a level set of them is cut from."""

from dataclasses import dataclass

import numpy as np

from standfast.models.score import Matrix, Vector


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
        return self._value(theta, self.rows @ theta)

    def slope(self, theta: Vector) -> tuple[float, Vector, Vector]:
        """L(θ), its gradient, and each person's curvature."""
        z = self.rows @ theta
        tail = np.exp(-np.abs(z))  # the stable form: no overflow on either side
        missed = np.where(z >= 0, tail, 1.0) / (1.0 + tail)
        gradient = self.ridge * theta - self.rows.T @ (self.shares * missed)
        return self._value(theta, z), gradient, self.shares * tail / (1.0 + tail) ** 2

    def hessian(self, curvature: Vector) -> Matrix:
        """The second derivative, from each person's curvature."""
        root = self.rows * np.sqrt(curvature)[:, None]
        bent: Matrix = root.T @ root
        bent[np.diag_indices_from(bent)] += self.ridge
        return bent

    def _value(self, theta: Vector, z: Vector) -> float:
        losses = np.log1p(np.exp(-np.abs(z))) + np.maximum(-z, 0.0)
        return float((self.shares * losses).sum() + 0.5 * (self.ridge * theta * theta).sum())
