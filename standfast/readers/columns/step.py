"""What a transformer does to one column, in its own arithmetic but without its overhead."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from standfast.schema.categories import MISSING
from standfast.scores.score import Bools, Matrix, Vector

# what a transformer will not let in: nothing, infinities, or missing values as well
Refusal = Literal["nothing", "infinite", "missing"]


class Step(ABC):
    """A function of one column, value by value."""

    @property
    def increasing(self) -> bool:
        """Whether it never falls as its input rises."""
        return True

    @property
    def refuses(self) -> Refusal:
        """The values that its transformer turns away."""
        return "infinite"

    @property
    def codes(self) -> int:
        """If it only gives the whole numbers 0, 1, …, how many; 0 otherwise."""
        return 0

    @property
    def affine(self) -> tuple[float, float] | None:
        """Slope and intercept if it only shifts and scales, else None."""
        return None

    @abstractmethod
    def __call__(self, values: Vector, /) -> Vector:
        """What it makes of some values."""


def through(steps: Sequence[Step], values: Vector) -> Vector:
    """The values after all steps; infinite where the pipeline would refuse the row.

    A missing value comes in as minus infinity and leaves as NaN unless it is filled on the way.
    Call it under np.errstate(all="ignore"): a refused value is an answer, not a warning.
    """
    refused: Bools | None = None
    values = np.where(values == MISSING, np.nan, values)
    for step in steps:
        if step.refuses != "nothing" and not np.isfinite(values).all():
            bad = np.isinf(values) if step.refuses == "infinite" else ~np.isfinite(values)
            refused = bad if refused is None else refused | bad
        values = step(values)
    return values if refused is None else np.where(refused, np.inf, values)


@dataclass(frozen=True, eq=False)
class Scaled(Step):
    """(v − center) / scale: what standard, robust and maximum scalers do."""

    center: float
    scale: float

    def __call__(self, values: Vector) -> Vector:
        return (values - self.center) / self.scale

    @property
    def affine(self) -> tuple[float, float]:
        """Slope and intercept."""
        return 1.0 / self.scale, -self.center / self.scale


@dataclass(frozen=True, eq=False)
class Stretched(Step):
    """v · factor + shift: what a range scaler or a transformer's weight does."""

    factor: float
    shift: float = 0.0
    refuses: Refusal = "infinite"

    @property
    def increasing(self) -> bool:
        """Whether the factor is not negative."""
        return self.factor >= 0.0

    def __call__(self, values: Vector) -> Vector:
        return values * self.factor + self.shift

    @property
    def affine(self) -> tuple[float, float]:
        """Slope and intercept."""
        return self.factor, self.shift


@dataclass(frozen=True, eq=False)
class Clipped(Step):
    """v, but no less than `low` and no more than `high`."""

    low: float
    high: float

    def __call__(self, values: Vector) -> Vector:
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True, eq=False)
class Powered(Step):
    """The Box-Cox or Yeo-Johnson power of v."""

    method: str
    exponent: float

    def __call__(self, values: Vector) -> Vector:
        if self.method == "box-cox":
            from scipy.special import boxcox

            # defined at 0 for a positive exponent, but the transformer refuses it
            return np.where(values > 0, boxcox(values, self.exponent), np.nan)
        from scipy.stats import yeojohnson

        return np.asarray(yeojohnson(values, self.exponent))


# scikit-learn's distance from 0 and 1 at which a normal quantile is cut off
EDGE = 1e-7


@dataclass(frozen=True, eq=False)
class Ranked(Step):
    """v's rank among the fitted quantiles, from 0 to 1, or the normal quantile of that rank."""

    quantiles: Vector
    references: Vector
    normal: bool

    def __call__(self, values: Vector) -> Vector:
        q, r = self.quantiles, self.references
        # repeated quantiles: the mean of the first and the last rank, as scikit-learn has it
        ranks = 0.5 * (np.interp(values, q, r) - np.interp(-values, -q[::-1], -r[::-1]))
        if not self.normal:
            ranks = np.where(values == q[-1], 1.0, ranks)
            return np.where(values == q[0], 0.0, ranks)
        from scipy.special import ndtri

        ranks = np.where(values + EDGE > q[-1], 1.0, ranks)
        ranks = np.where(values - EDGE < q[0], 0.0, ranks)
        most = EDGE - np.spacing(1)
        return np.asarray(np.clip(ndtri(ranks), ndtri(most), ndtri(1 - most)))


@dataclass(frozen=True, eq=False)
class Raised(Step):
    """v to a whole power."""

    power: int
    refuses: ClassVar[Refusal] = "missing"

    @property
    def increasing(self) -> bool:
        """Higher odd powers rise too, but are not computed in the transformer's own order."""
        return self.power <= 1

    def __call__(self, values: Vector) -> Vector:
        return np.asarray(values**self.power, dtype=np.float64)


# ufuncs that never fall, and are undefined at most below some value
RISING = frozenset(
    {"log", "log1p", "log2", "log10", "sqrt", "cbrt", "exp", "expm1", "exp2", "arctan", "tanh"}
    | {"sinh", "arcsinh", "rint", "floor", "ceil", "trunc", "positive", "degrees", "radians"}
    | {"deg2rad", "rad2deg", "expit", "log_expit", "ndtr"}
)


@dataclass(frozen=True, eq=False)
class Applied(Step):
    """A function of the user's: a numpy ufunc, or any function given this one column alone.

    `name` is the column's, if the function sees it as a table; `output` which of its columns.
    """

    function: Callable[..., Any]
    keywords: Mapping[str, Any]
    name: str | None
    output: int
    refuses: Refusal = "nothing"

    @property
    def elementwise(self) -> bool:
        """Whether the function is known to work value by value on any number of columns."""
        f = self.function
        return isinstance(f, np.ufunc) and (f.nin, f.nout) == (1, 1) and not self.keywords

    @property
    def increasing(self) -> bool:
        """Whether it is a ufunc known to rise."""
        return self.elementwise and self.function.__name__ in RISING

    def __call__(self, values: Vector) -> Vector:
        if self.elementwise:
            return np.asarray(self.function(values), dtype=np.float64)
        return self.outputs(values)[:, self.output]

    def outputs(self, values: Vector) -> Matrix:
        """All columns the function makes of this one."""
        column = np.array(values)[:, None]  # a copy: the function may write into it
        asked = column if self.name is None else pd.DataFrame(column, columns=[self.name])
        answer = np.asarray(self.function(asked, **self.keywords), dtype=np.float64)
        return answer.reshape(len(values), -1)
