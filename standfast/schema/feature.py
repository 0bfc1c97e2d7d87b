"""One input of the model: its kind, who may move it, and between which values."""

import math
import re
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.schema.categories import MISSING, Category, Coder, Transitions
from standfast.schema.completion import completed
from standfast.schema.decimals import decimals_in
from standfast.schema.declaration import declare
from standfast.schema.kinds import (
    NOT_NEGATIVE,
    CategoryLabels,
    Direction,
    Kind,
    Labels,
    Range,
    WhenMissing,
)
from standfast.schema.prices import flat_price, priced_transitions


@dataclass(frozen=True)
class Feature:
    """One column: what it measures and how advice may move it.

    Parameters
    ----------
    name : str
        The column's name.
    kind : {"real", "positive", "count", "binary", "ordinal", "nominal"}
        What it measures. Positive, count and binary are never negative, a binary is 0 or 1.
    mutable, direction : bool, {"any", "up", "down"}
        Whether advice may change it, and which way.
    lower, upper : float, optional
        Bounds of what advice proposes; a missing one means the reference table's range. Everybody's
        own value is always allowed, also beyond them.
    step : float, optional
        Values that advice proposes are multiples of it, so that the number printed is the number
        checked. A missing step is 1 for whole kinds and follows the table's decimals otherwise; 0
        stands for any number.
    label, labels : str, mapping
        What people read, and what they read in a language, {"de": "Alter"}.
    valid : tuple, optional
        What is possible at all: (0, 120), or (0, None) with an open end. People beyond that are
        outside the schema.
    categories : tuple, optional
        Of a nominal, names (text, numbers, truth values) in no order; an ordinal may have them too,
        from the lowest to the highest. `category_labels` gives what people read of them in a
        language, {"de": {"rent": "zur Miete"}}.
    transitions, price : mapping, float, optional
        A change of category costs `price`, whichever it joins, unless `transitions` says which one
        may become which, {"rent": ["own", "family"]}, or at which price, {"rent": {"own": 0.8}}.
    missing : tuple
        The values that mean a missing one besides empty cells: a code such as −9, a word.
    when_missing, fill_price : {"refuse", "keep", "fill"}, float, optional
        What happens to people whose value is missing: they are outside the schema, it is left
        alone, or advice may fill it in at that price. Advice never asks anybody to become missing.
    least : float, optional
        The least perceptible move, in the input's units: advice leaves a value as it is or moves it
        by at least that much.
    drift, pace : float, optional
        Per month, where advice is made for a time to come: what passes by itself (an age 1/12,
        months since something 1), and how far advice may move the input.

    Examples
    --------
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
    category_labels: CategoryLabels = ()

    def __post_init__(self) -> None:
        declare(self)

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
        return priced_transitions(self)

    def flat_price(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """What moves cost that no percentile can price: changes of category, filling in.

        NaN where percentiles apply; infinite where the move is not allowed.
        """
        return flat_price(self, x, y)

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
    def last(self) -> float:
        """The bound of advice on the way that the direction leads; infinite where there is none."""
        up = self.direction == "up"
        bound = self.upper if up else self.lower if self.direction == "down" else None
        return (math.inf if up else -math.inf) if bound is None else float(bound)

    @property
    def words(self) -> str:
        """What people read: the label, or the name taken apart.

        >>> Feature("DebtRatio").words, Feature("Jährliche Fahrleistung").words
        ('debt ratio', 'Jährliche Fahrleistung')
        """
        if self.label:
            return self.label
        if " " in self.name:  # written for people already
            return self.name
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])|_", " ", self.name)
        return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split())

    def words_in(self, language: str) -> str:
        """What people read in a language; the usual words where no label is in it.

        >>> Feature("age", labels={"de": "Alter"}).words_in("de")
        'Alter'
        """
        return dict(self.labels).get(language, self.words)

    def category_words(self, language: str) -> dict[str, str]:
        """What people read of the categories in a language, by their names; some may be absent.

        >>> home = Feature("home", "nominal", categories=("own", "rent"),
        ...                category_labels={"de": {"rent": "zur Miete"}})
        >>> home.category_words("de")
        {'rent': 'zur Miete'}
        """
        named: Any = dict(self.category_labels).get(language, ())
        return {str(name): text for name, text in named}

    @cached_property
    def decimals(self) -> int:
        """How many decimals a proposed value shows (for a feature whose step is known)."""
        return 0 if not self.step else max(0, decimals_in(self.step))

    def complete(self, values: NDArray[np.float64]) -> "Feature":
        """The feature with what it leaves open filled in from its column of a reference table.

        Where `valid` is given, values outside it are errors of the table and bound nothing.
        """
        return completed(self, values)

    def loosened(self) -> "Feature":
        """The feature that only knows whether it may move; one with categories keeps them."""
        if self.categories is not None:
            return self
        return Feature(
            *(self.name, "real", self.mutable, "any", -math.inf, math.inf, 0.0, self.label),
            missing=self.missing,
            labels=self.labels,
            when_missing="refuse" if self.when_missing == "refuse" else "keep",
        )

    def shown(self, value: float) -> str:
        """A value as people read it: as it is, without decimals that say nothing.

        Somebody's own value may lie between the steps; to 15 digits it is what their table says.

        >>> Feature("x", step=0.01).shown(0.5), Feature("n", "count", step=1).shown(3.0)
        ('0.5', '3')
        >>> Feature("age", step=1).shown(94.5), Feature("ratio", step=0.1).shown(0.1 + 0.2)
        ('94.5', '0.3')
        """
        if value == MISSING:
            return "missing"
        if not np.isfinite(value):
            return str(value)
        if self.coder is not None:
            return str(self.coder.names[int(value)])
        number = float(value) + 0.0  # never a negative zero
        if self.step:
            if round(number, self.decimals) == number:  # as on the grid, to the last digit
                text = f"{number:.{self.decimals}f}"
                return text.rstrip("0").rstrip(".") if self.decimals else text
            number = float(f"{number:.15g}")
        return repr(number).removesuffix(".0")
