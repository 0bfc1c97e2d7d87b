"""A spline of one column: a fitted basis, added up before it is evaluated."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from standfast.readers.columns.step import Refusal, Step
from standfast.scores.score import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Basis:
    """The spline functions fitted to one column: knots, coefficients (one column each), degree."""

    knots: Vector
    coefficients: Matrix
    degree: int
    extrapolation: str


@dataclass(frozen=True, eq=False)
class Splined(Step):
    """Σ_k a_k B_k(v), continued beyond the outermost knots as the transformer does.

    One evaluation, however many functions the basis has: a weighted sum of splines is a spline.
    """

    basis: Basis
    amounts: Vector
    increasing: ClassVar[bool] = False
    refuses: ClassVar[Refusal] = "missing"

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import BSpline

        # beyond the knots: NaN where the transformer would refuse, a polynomial otherwise;
        # unchecked like the transformer's own, for the knots of a constant column coincide
        b, on = self.basis, self.basis.extrapolation != "error"
        return BSpline.construct_fast(b.knots, b.coefficients @ self.amounts, b.degree, on)

    @cached_property
    def _ends(self) -> tuple[float, float, float, float]:
        low, high = self.basis.knots[self.basis.degree], self.basis.knots[-self.basis.degree - 1]
        return low, high, float(self._spline(low, nu=1)), float(self._spline(high, nu=1))

    def __call__(self, values: Vector) -> Vector:
        way = self.basis.extrapolation
        low, high, slope_below, slope_above = self._ends
        if way == "periodic":
            period = high - low
            # a constant column has no period; scikit-learn then takes every value for 0
            inside = low + (values - low) % period if period > 0 else np.zeros_like(values)
            return np.asarray(self._spline(inside))
        if way in ("continue", "error"):
            return np.asarray(self._spline(values))
        inside = np.clip(values, low, high)
        curve = np.asarray(self._spline(inside))
        if way == "linear":
            # NaN stays NaN; a value inside adds nothing
            beyond = values - inside
            curve = curve + beyond * np.where(beyond < 0, slope_below, slope_above)
        return curve
