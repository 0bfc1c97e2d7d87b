"""One input of the model: its kind, who may move it, and between which values."""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError

Kind = Literal["real", "positive", "count", "binary", "ordinal"]
Direction = Literal["any", "up", "down"]

WHOLE: frozenset[str] = frozenset({"count", "binary", "ordinal"})
NOT_NEGATIVE: frozenset[str] = frozenset({"positive", "count", "binary"})


@dataclass(frozen=True)
class Feature:
    """One column: what it measures and how advice may move it.

    A missing `lower` or `upper` means that advice keeps within the reference table's range. Values
    that advice proposes are multiples of `step`, so that the number printed is the number checked;
    a missing step is 1 for whole kinds and follows the table's decimals otherwise, and 0 stands for
    any number. A person's own value is always allowed. `label` is what people read.

    >>> Feature("DebtRatio", "positive", direction="down").words
    'debt ratio'
    """

    name: str
    kind: Kind = "real"
    mutable: bool = True
    direction: Direction = "any"
    lower: float | None = None
    upper: float | None = None
    step: float | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a feature's name must be a non-empty text, not {self.name!r}")
        here = f"feature '{self.name}'"
        for value, allowed, what in (
            (self.kind, get_args(Kind), "kind"),
            (self.direction, get_args(Direction), "direction"),
            (self.mutable, (True, False), "mutable"),
        ):
            if value not in allowed:
                raise InputError(
                    f"{here}: {what} is {value!r}; allowed: {', '.join(map(str, allowed))}"
                )
        for what in ("lower", "upper", "step"):
            _check_number(getattr(self, what), here, what)
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise InputError(
                f"{here}: lower {self.lower:g} is above upper {self.upper:g}; swap or mend them"
            )
        if self.step is not None and (self.step < 0 or math.isinf(self.step)):
            raise InputError(f"{here}: step is {self.step:g}; it must be positive (0: any number)")
        if self.kind in NOT_NEGATIVE:
            for what in ("lower", "upper"):
                bound = getattr(self, what)
                if bound is not None and bound < 0:
                    raise InputError(
                        f"{here}: {what} {bound:g} contradicts the kind {self.kind}, which is "
                        "never negative; mend the bound or use kind 'real'"
                    )
        if self.kind in WHOLE and self.step is not None and (self.step == 0 or self.step % 1):
            raise InputError(f"{here}: a {self.kind} moves in whole steps, not by {self.step:g}")
        if self.kind == "binary" and self.upper is not None and self.upper > 1:
            raise InputError(f"{here}: a binary is 0 or 1; upper {self.upper:g} contradicts that")

    @property
    def words(self) -> str:
        """What people read: the label, or the name taken apart."""
        if self.label:
            return self.label
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])|_", " ", self.name)
        return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split())

    @property
    def decimals(self) -> int:
        """How many decimals a proposed value shows (for a feature whose step is known)."""
        return 0 if not self.step else max(0, _decimals(self.step))

    def complete(self, values: NDArray[np.float64]) -> "Feature":
        """The feature with what it leaves open filled in from its column of a reference table."""
        if self.kind == "binary":
            lower, upper, step = 0.0, 1.0, 1.0
        else:
            lower, upper = float(values.min()), float(values.max())
            step = 1.0 if self.kind in WHOLE else inferred_step(values)
        lower = lower if self.lower is None else self.lower
        upper = upper if self.upper is None else self.upper
        if lower > upper:
            raise InputError(
                f"feature '{self.name}': the bound given lies outside the reference table "
                f"({values.min():g} to {values.max():g}); give both lower and upper"
            )
        step = step if self.step is None else self.step
        return replace(self, lower=float(lower), upper=float(upper), step=float(step))

    def shown(self, value: float) -> str:
        """A value as people read it: with the decimals of the step, and none that say nothing.

        >>> Feature("x", step=0.01).shown(0.5), Feature("n", "count", step=1).shown(3.0)
        ('0.5', '3')
        """
        if not np.isfinite(value):
            return str(value)
        if self.step:
            rounded = round(float(value), self.decimals)
            # on the grid this is the value itself, to the last digit
            return (
                f"{rounded:.{self.decimals}f}".rstrip("0").rstrip(".")
                if self.decimals
                else (f"{rounded:.0f}")
            )
        return repr(float(value)).removesuffix(".0")


def _check_number(value: object, here: str, what: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"{here}: {what} is {value!r}; it must be a number")
    if math.isnan(value):
        raise InputError(f"{here}: {what} is not a number (NaN); leave it out or give one")


def _decimals(number: float) -> int:
    return -int(Decimal(repr(float(number))).normalize().as_tuple().exponent)


def inferred_step(values: NDArray[np.float64]) -> float:
    """The step of a real column: its decimals, but no finer than a thousandth of its spread.

    A ratio computed to nine decimals would otherwise give advice to nine decimals, which nobody
    can follow. The spread is that between the 5th and the 95th percentile.
    """
    decimals = next((k for k in range(10) if np.array_equal(np.round(values, k), values)), 9)
    if decimals == 0:
        return 1.0
    low, high = np.quantile(values, [0.05, 0.95])
    coarsest = 10.0 ** (math.floor(math.log10(high - low)) - 3) if high > low else 0.0
    return float(f"{max(10.0**-decimals, min(coarsest, 1.0)):.0e}")
