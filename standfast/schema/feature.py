"""One input of the model: its kind, who may move it, and between which values."""

import math
import re
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.schema.values import as_choice, as_number, as_range, as_text, as_truth, described

Kind = Literal["real", "positive", "count", "binary", "ordinal"]
Direction = Literal["any", "up", "down"]
Range = tuple[float | None, float | None]

WHOLE: frozenset[str] = frozenset({"count", "binary", "ordinal"})
NOT_NEGATIVE: frozenset[str] = frozenset({"positive", "count", "binary"})

# further from zero than this many steps, rounding errors come near half a step, and a grid value
# could no longer be distinguished from its neighbours
MOST_STEPS = 2.0**50
MOST_DECIMALS = 300


@dataclass(frozen=True)
class Feature:
    """One column: what it measures and how advice may move it.

    `lower` and `upper` bound what advice proposes; a missing one means that advice keeps within the
    reference table's range. `valid` is what is possible at all: (0, 120), or (0, None) with an open
    end; kinds imply that positive, count and binary are never negative, a binary is 0 or 1, and
    whole kinds are whole. People beyond that are outside the schema. Everybody else's own value is
    always allowed, also beyond `lower` and `upper`.

    Values that advice proposes are multiples of `step`, so that the number printed is the number
    checked; a missing step is 1 for whole kinds and follows the table's decimals otherwise, and 0
    stands for any number. `label` is what people read.

    >>> Feature("DebtRatio", "positive", direction="down").words
    'debt ratio'
    >>> Feature("age", "count", lower=18, upper=75, valid=(0, 120)).possible
    (0.0, 120.0)
    """

    name: str
    kind: Kind = "real"
    mutable: bool = True
    direction: Direction = "any"
    lower: float | None = None
    upper: float | None = None
    step: float | None = None
    label: str = ""
    valid: Range | None = None

    def __post_init__(self) -> None:
        name = as_text(self.name, "a feature's name")
        if not name.strip():
            raise InputError(f"a feature's name must be a non-empty text, not {described(name)}")
        here = f"feature '{name}'"
        plain: dict[str, object] = {
            "name": name,
            "kind": as_choice(self.kind, get_args(Kind), f"{here}: kind"),
            "mutable": as_truth(self.mutable, f"{here}: mutable"),
            "direction": as_choice(self.direction, get_args(Direction), f"{here}: direction"),
            "label": as_text(self.label, f"{here}: label"),
            "valid": as_range(self.valid, f"{here}: valid"),
        }
        for what in ("lower", "upper", "step"):
            value = getattr(self, what)
            plain[what] = None if value is None else as_number(value, f"{here}: {what}")
        for what, found in plain.items():
            object.__setattr__(self, what, found)
        self._check_bounds(here)
        self._check_step(here)

    def _check_bounds(self, here: str) -> None:
        lower, upper = self.lower, self.upper
        if lower is not None and upper is not None and lower > upper:
            raise InputError(f"{here}: lower {lower:g} is above upper {upper:g}; correct them")
        for what, bound, nowhere in (("lower", lower, math.inf), ("upper", upper, -math.inf)):
            if bound == nowhere:
                raise InputError(f"{here}: {what} is {bound}, which leaves no number; correct it")
        low, high = self.valid or (None, None)
        ends = {"lower": lower, "upper": upper, "valid from": low, "valid up to": high}
        for what, end in ends.items():
            if end is None:
                continue
            if self.kind in NOT_NEGATIVE and end < 0:
                raise InputError(
                    f"{here}: {what} {end:g} contradicts the kind {self.kind}, which is "
                    "never negative; correct the bound or use kind 'real'"
                )
            if self.kind == "binary" and end > 1:
                raise InputError(f"{here}: a binary is 0 or 1; {what} {end:g} contradicts that")
        for what, bound in (("lower", lower), ("upper", upper)):
            beyond = bound is not None and not self.possible[0] <= bound <= self.possible[1]
            if self.valid is not None and beyond:
                raise InputError(
                    f"{here}: {what} {bound:g} would let advice propose what is not valid "
                    f"({self.possible[0]:g} to {self.possible[1]:g}); correct {what} or valid"
                )

    def _check_step(self, here: str) -> None:
        step = 1 if self.step is None and self.kind in WHOLE else self.step
        if step is None:
            return
        if step < 0 or math.isinf(step):
            raise InputError(f"{here}: step is {step:g}; it must be positive (0: any number)")
        if self.kind in WHOLE and (step == 0 or step % 1):
            raise InputError(f"{here}: a {self.kind} moves in whole steps, not by {step:g}")
        if step == 0:
            return
        if _decimals(step) > MOST_DECIMALS:
            raise InputError(
                f"{here}: step is {step:g}, too small to calculate with; choose a larger one, or 0 "
                "for any number"
            )
        for what, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound is not None and math.isfinite(bound) and abs(bound) / step > MOST_STEPS:
                raise InputError(
                    f"{here}: {what} {bound:g} is more than 2^50 steps of {step:g} away from zero, "
                    "too many to distinguish; choose a larger step or a narrower bound"
                )

    def __repr__(self) -> str:
        # digests are made of this text: without `valid` it is that of version 0.1.0
        shown = [f for f in fields(self) if f.name != "valid" or self.valid is not None]
        return f"Feature({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in shown)})"

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the greatest value anybody can have, by `valid` and by the kind."""
        low, high = self.valid or (None, None)
        if low is None:
            low = 0.0 if self.kind in NOT_NEGATIVE else -math.inf
        if high is None:
            high = 1.0 if self.kind == "binary" else math.inf
        return low, high

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
        """The feature with what it leaves open filled in from its column of a reference table.

        Where `valid` is given, values outside it are errors of the table and bound nothing.
        """
        if self.valid is not None:
            low, high = self.possible
            values = values[(values >= low) & (values <= high)]
            if not len(values):
                raise InputError(
                    f"feature '{self.name}': the reference table holds no valid value "
                    f"({low:g} to {high:g}); correct the table or valid"
                )
        if self.kind == "binary":
            (lower, upper), step = self.possible, 1.0
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


def _decimals(number: float) -> int:
    return -int(Decimal(repr(float(number))).normalize().as_tuple().exponent)


def inferred_step(values: NDArray[np.float64]) -> float:
    """The step of a real column: its decimals, but no finer than a thousandth of its spread.

    A ratio computed to nine decimals would otherwise give advice to nine decimals, which nobody
    can follow. The spread is that between the 5th and the 95th percentile. Numbers too large for
    any such step get 0: any number.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        decimals = next((k for k in range(10) if np.array_equal(np.round(values, k), values)), 9)
        low, high = np.quantile(values, [0.05, 0.95])
        spread = float(high - low)
    step = 1.0
    if decimals > 0:
        usable = spread > 0 and math.isfinite(spread)
        coarsest = 10.0 ** (math.floor(math.log10(spread)) - 3) if usable else 0.0
        step = float(f"{max(10.0**-decimals, min(coarsest, 1.0)):.0e}")
    return step if float(np.abs(values).max()) / step <= MOST_STEPS else 0.0
