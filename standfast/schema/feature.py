"""One input of the model: its kind, who may move it, and between which values."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.categories import (
    CHANGE_OF_CATEGORY,
    MISSING,
    Category,
    Coder,
    Transitions,
    as_categories,
    as_category,
    as_price,
    as_transitions,
)
from standfast.schema.values import (
    as_choice,
    as_labels,
    as_number,
    as_range,
    as_text,
    as_truth,
    described,
)

Kind = Literal["real", "positive", "count", "binary", "ordinal", "nominal"]
WhenMissing = Literal["refuse", "keep", "fill"]
Direction = Literal["any", "up", "down"]
Range = tuple[float | None, float | None]
Labels = Mapping[str, str] | tuple[tuple[str, str], ...]

WHOLE: frozenset[str] = frozenset({"count", "binary", "ordinal", "nominal"})
NOT_NEGATIVE: frozenset[str] = frozenset({"positive", "count", "binary", "nominal"})

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
    stands for any number. `least` is the least perceptible move, in the input's units: advice
    leaves a value as it is or moves it by at least that much. `label` is what people read, and
    `labels` what they read in a language, {"de": "Alter"}.

    Two numbers per month, which count where advice is made for a time to come: `drift` is what
    passes by itself (an age 1/12, months since something 1; negative for what falls), and advice
    leaves it at that; `pace` is how far advice may move an input.

    A nominal has named `categories` (text, numbers, truth values) in no order: a change costs
    `price`, whichever categories it joins, unless `transitions` says which one may become which,
    {"rent": ["own", "family"]}, or at which price, {"rent": {"own": 0.8}}. An ordinal may have
    named categories too, from the lowest to the highest.

    Empty cells, and the values listed in `missing` (a code such as −9, a word such as "unknown"),
    are missing. `when_missing` says what happens to people whose value is: "refuse" puts them
    outside the schema, "keep" leaves the value alone, "fill" lets advice fill it in at the price
    `fill_price`. Advice never asks anybody to become missing.

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
    categories: tuple[Category, ...] | None = None
    transitions: Transitions | None = None
    price: float | None = None
    missing: tuple[Category, ...] = ()
    when_missing: WhenMissing = "refuse"
    fill_price: float | None = None
    least: float | None = None
    drift: float | None = None
    pace: float | None = None
    labels: Labels = ()

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
            "labels": as_labels(self.labels, f"{here}: labels"),
            "valid": as_range(self.valid, f"{here}: valid"),
        }
        for what in ("lower", "upper", "step", "least", "drift", "pace"):
            value = getattr(self, what)
            plain[what] = None if value is None else as_number(value, f"{here}: {what}")
        for what, found in plain.items():
            object.__setattr__(self, what, found)
        self._check_categories(here)
        self._check_missing(here)
        self._check_least(here)
        self._check_months(here)
        if self.categories is None:
            self._check_bounds(here)
            self._check_step(here)

    def _check_categories(self, here: str) -> None:
        if self.kind == "nominal" and self.categories is None:
            raise InputError(
                f"{here} is nominal and needs its categories: list them, or draft the schema from "
                "a table"
            )
        if self.categories is not None and self.kind not in ("nominal", "ordinal"):
            raise InputError(f"{here}: a {self.kind} has no categories; use nominal or ordinal")
        if self.categories is not None:
            ordered = self.kind == "ordinal"
            where = f"{here}: categories"
            found = as_categories(self.categories, where, in_order=ordered)
            if not found:
                raise InputError(f"{where} is empty; list at least one")
            object.__setattr__(self, "categories", found)
            # what a completed feature holds: the range of its codes
            codes = {"lower": 0, "upper": len(found) - 1, "step": 1, "valid": None}
            given = [w for w in codes if getattr(self, w) not in (None, codes[w])]
            if given:
                raise InputError(f"{here} has named categories and takes no {listing(given)}")
            if not ordered and self.direction != "any":
                raise InputError(
                    f"{here} is nominal, so it has no direction; say transitions, or make it an "
                    "ordinal with its categories from the lowest to the highest"
                )
        if self.kind != "nominal":
            for what in ("transitions", "price"):
                if getattr(self, what) is not None:
                    raise InputError(
                        f"{here}: {what} is for nominal inputs; this one is {self.kind}"
                    )
            return
        if self.price is not None:
            object.__setattr__(self, "price", as_price(self.price, f"{here}: price"))
        where, known = f"{here}: transitions", self.categories or ()
        allowed = as_transitions(self.transitions, known, self.price, where)
        object.__setattr__(self, "transitions", allowed)

    def _check_missing(self, here: str) -> None:
        when = as_choice(self.when_missing, get_args(WhenMissing), f"{here}: when_missing")
        object.__setattr__(self, "when_missing", when)
        where = f"{here}: missing"
        if isinstance(self.missing, str) or not isinstance(self.missing, list | tuple):
            raise InputError(f"{where} is {described(self.missing)}; it must be a list of values")
        tokens = tuple(as_category(token, f"{where}: an entry") for token in self.missing)
        object.__setattr__(self, "missing", tuple(dict.fromkeys(tokens)))
        both = [token for token in tokens if token in (self.categories or ())]
        if both:
            raise InputError(f"{here}: {listing(both)} is both a category and missing; choose one")
        if self.fill_price is not None:
            object.__setattr__(self, "fill_price", as_price(self.fill_price, f"{here}: fill_price"))
            if when != "fill":
                raise InputError(f"{here}: fill_price goes with when_missing = 'fill'")

    @cached_property
    def coder(self) -> Coder | None:
        """Names to codes and back, if the input's values have names: categories, then tokens."""
        if self.categories is None:
            return None
        return Coder((*self.categories, *self.missing))

    @cached_property
    def tokens(self) -> tuple[float, ...]:
        """The codes, or numbers, of the declared values that stand for a missing one."""
        if self.categories is not None:
            n = len(self.categories)
            return tuple(float(n + i) for i in range(len(self.missing)))
        return tuple(float(t) for t in self.missing if not isinstance(t, str))

    def is_missing(self, values: Any) -> NDArray[np.bool_]:
        """Which of some values, or codes, are missing."""
        column = np.asarray(values, dtype=np.float64)
        lacking = column == MISSING
        for token in self.tokens:
            lacking = lacking | (column == token)
        return np.asarray(lacking)

    @property
    def movable(self) -> bool:
        """Whether anybody's value may change."""
        return self.mutable and not (self.transitions is not None and not self.transitions)

    @cached_property
    def irregular(self) -> bool:
        """Whether moves are priced other than by the way between two values."""
        return self.kind == "nominal" or self.when_missing != "refuse"

    @cached_property
    def priced_transitions(self) -> NDArray[np.float64] | None:
        """From category (row) to category (column): the price, infinite if it may not be."""
        if self.transitions is None or self.coder is None or self.categories is None:
            return None
        n, flat = len(self.categories), self.price or CHANGE_OF_CATEGORY
        prices = np.full((n, n), np.inf)
        np.fill_diagonal(prices, 0.0)
        for source, targets in self.transitions:
            for target, price in targets:
                a, b = int(self.coder.of(source)), int(self.coder.of(target))
                prices[a, b] = flat if price is None else price
        return prices

    def flat_price(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """What moves cost that no percentile can price: changes of category, filling in.

        NaN where percentiles apply; infinite where the move is not allowed.
        """
        x, y = np.broadcast_arrays(x, y)
        price = np.full(x.shape, np.nan)
        if self.kind == "nominal":
            price[...] = self.price or CHANGE_OF_CATEGORY
            table = self.priced_transitions
            if table is not None:
                inside = (x >= 0) & (x < len(table)) & (y >= 0) & (y < len(table))
                a, b = x[inside].astype(np.intp), y[inside].astype(np.intp)
                price[inside] = table[a, b]
        lacking = self.is_missing(x)
        price[lacking] = self.fill_price or CHANGE_OF_CATEGORY
        price[x == y] = 0.0
        return price

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

    def _check_least(self, here: str) -> None:
        if self.least is None:
            return
        if self.categories is not None:
            raise InputError(f"{here} has named categories, between which no move is too small")
        if not 0 < self.least < math.inf:
            raise InputError(
                f"{here}: least is {self.least:g}; it must be positive (left out: any move will do)"
            )

    def _check_months(self, here: str) -> None:
        for what, odd in (("drift", self.mutable), ("pace", not self.mutable)):
            value = getattr(self, what)
            if value is None:
                continue
            if self.categories is not None:
                raise InputError(f"{here} has named categories and takes no {what} per month")
            if not math.isfinite(value) or value == 0 or (what == "pace" and value < 0):
                must = "positive" if what == "pace" else "a number other than 0"
                raise InputError(f"{here}: {what} is {value:g}; it must be {must}, per month")
            if odd and what == "drift":
                raise InputError(
                    f"{here} has a drift, so it passes by itself; say mutable = false, for advice "
                    "does not move it"
                )
            if odd:
                raise InputError(
                    f"{here} may not change, so it has no pace; say drift for what passes by itself"
                )

    def __repr__(self) -> str:
        # digests are made of this text: without what came later it is that of version 0.1.0
        unsaid = {f.name: f.default for f in fields(self)[8:]}
        pairs = [(f.name, getattr(self, f.name)) for f in fields(self)]
        shown = [f"{name}={value!r}" for name, value in pairs if unsaid.get(name, ...) != value]
        return f"Feature({', '.join(shown)})"

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the greatest value anybody can have, by `valid` and by the kind."""
        low, high = self.valid or (None, None)
        if low is None:
            low = 0.0 if self.kind in NOT_NEGATIVE else -math.inf
        if high is None:
            high = 1.0 if self.kind == "binary" else math.inf
        return (0.0, len(self.categories) - 1.0) if self.categories is not None else (low, high)

    @property
    def words(self) -> str:
        """What people read: the label, or the name taken apart."""
        if self.label:
            return self.label
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])|_", " ", self.name)
        return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split())

    def words_in(self, language: str) -> str:
        """What people read in a language; the usual words where no label is in it.

        >>> Feature("age", labels={"de": "Alter"}).words_in("de")
        'Alter'
        """
        return dict(self.labels).get(language, self.words)

    @property
    def decimals(self) -> int:
        """How many decimals a proposed value shows (for a feature whose step is known)."""
        return 0 if not self.step else max(0, _decimals(self.step))

    def complete(self, values: NDArray[np.float64]) -> "Feature":
        """The feature with what it leaves open filled in from its column of a reference table.

        Where `valid` is given, values outside it are errors of the table and bound nothing.
        """
        if self.categories is not None:
            return replace(self, lower=0.0, upper=len(self.categories) - 1.0, step=1.0)
        if self.lower is not None and self.upper is not None and self.step is not None:
            return replace(
                self, lower=float(self.lower), upper=float(self.upper), step=float(self.step)
            )
        values = values[np.isfinite(values) & ~self.is_missing(values)]
        if not len(values):
            raise InputError(
                f"feature '{self.name}': every value of the reference table is missing; give "
                "lower, upper and step, or leave the column out"
            )
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
        if value == MISSING:
            return "missing"
        if not np.isfinite(value):
            return str(value)
        if self.coder is not None:
            return str(self.coder.names[int(value)])
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


def decimals_of(values: NDArray[np.float64]) -> int:
    """How many decimals a column's values have, 9 at most."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next((k for k in range(10) if np.array_equal(np.round(values, k), values)), 9)


def inferred_step(values: NDArray[np.float64]) -> float:
    """The step of a real column: its decimals, but no finer than a thousandth of its spread.

    A ratio computed to nine decimals would otherwise give advice to nine decimals, which nobody
    can follow. The spread is that between the 5th and the 95th percentile. Numbers too large for
    any such step get 0: any number.
    """
    decimals = decimals_of(values)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.quantile(values, [0.05, 0.95])
        spread = float(high - low)
    step = 1.0
    if decimals > 0:
        usable = spread > 0 and math.isfinite(spread)
        coarsest = 10.0 ** (math.floor(math.log10(spread)) - 3) if usable else 0.0
        step = float(f"{max(10.0**-decimals, min(coarsest, 1.0)):.0e}")
    return step if float(np.abs(values).max()) / step <= MOST_STEPS else 0.0
