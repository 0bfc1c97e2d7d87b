"""What the features say column by column, as the arrays that everything vectorised reads."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.schema.categories import MISSING
from standfast.schema.feature import Feature
from standfast.schema.grid import inwards_on_grid
from standfast.schema.kinds import WHOLE

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Columns:
    """A schema's features as arrays, one entry per column; each is made when first asked for."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = tuple(features)

    @cached_property
    def mutable(self) -> Mask:
        """Which columns advice may change."""
        return np.array([f.mutable for f in self.features])

    @cached_property
    def fixed(self) -> Mask:
        """Which columns advice may not change."""
        return ~self.mutable

    @cached_property
    def fills(self) -> Mask:
        """Which columns advice may fill in where they are missing."""
        return np.array([f.when_missing == "fill" and f.mutable for f in self.features])

    @cached_property
    def gapped(self) -> tuple[int, ...]:
        """The columns in which values may be missing."""
        return tuple(j for j, f in enumerate(self.features) if f.when_missing != "refuse")

    @cached_property
    def with_transitions(self) -> tuple[int, ...]:
        """The columns that say which category may become which."""
        return tuple(j for j, f in enumerate(self.features) if f.transitions is not None)

    @cached_property
    def with_tokens(self) -> tuple[int, ...]:
        """The columns with declared values that stand for a missing one."""
        return tuple(j for j, f in enumerate(self.features) if f.tokens)

    @cached_property
    def irregular(self) -> tuple[int, ...]:
        """The columns whose moves are priced other than by the way between two values."""
        return tuple(j for j, f in enumerate(self.features) if f.irregular)

    @cached_property
    def last_codes(self) -> tuple[tuple[int, float], ...]:
        """The columns of categories, each with its last code."""
        named = ((j, f) for j, f in enumerate(self.features) if f.categories is not None)
        return tuple((j, len(f.categories or ()) + len(f.missing) - 1.0) for j, f in named)

    def lacking(self, X: Vector) -> Mask:
        """Which cells are missing, empty or by a declared token."""
        lacking = X == MISSING
        for j in self.with_tokens:
            lacking[..., j] = self.features[j].is_missing(X[..., j])
        return np.asarray(lacking)

    @cached_property
    def limits(self) -> tuple[Vector, Vector, Vector]:
        """Each column's step, lower and upper bound; an open one is refused."""
        for f in self.features:
            if f.step is None or f.lower is None or f.upper is None:
                raise InputError(
                    f"feature '{f.name}' has an open bound or step; call schema.complete(table)"
                )
        parts = ("step", "lower", "upper")
        step, lower, upper = (self._numbers(part) for part in parts)
        return step, lower, upper

    @cached_property
    def grid(self) -> tuple[Vector, Vector]:
        """Each column's step, and the power of ten that makes the step's decimals whole."""
        step, _, _ = self.limits
        return step, np.array([10.0**f.decimals for f in self.features])

    @cached_property
    def inner_limits(self) -> tuple[Vector, Vector]:
        """Each column's least and greatest grid value within its bounds."""
        _, lower, upper = self.limits
        return inwards_on_grid(self.grid, lower, 1.0), inwards_on_grid(self.grid, upper, -1.0)

    @cached_property
    def possible(self) -> tuple[Vector, Vector, Mask]:
        """Each column's least and greatest possible value, and whether it holds whole numbers."""
        least, greatest = np.array([f.possible for f in self.features]).T
        return least, greatest, np.array([f.kind in WHOLE for f in self.features])

    @cached_property
    def one_way(self) -> tuple[Mask, Mask]:
        """Which columns may only rise, and which may only fall."""
        ways = np.array([f.direction for f in self.features])
        return ways == "up", ways == "down"

    @cached_property
    def any_one_way(self) -> bool:
        """Whether some column may only rise or only fall."""
        return bool(np.any(self.one_way))

    @cached_property
    def least(self) -> Vector:
        """Each column's least perceptible move; 0 where any move will do."""
        return self._numbers("least", 0.0)

    @cached_property
    def any_least(self) -> bool:
        """Whether some move is too small to be perceived."""
        return bool(self.least.any())

    @cached_property
    def drift(self) -> Vector:
        """What passes by itself in a month, column by column."""
        return self._numbers("drift", 0.0)

    @cached_property
    def pace(self) -> Vector:
        """How far advice may move each column in a month; infinite where that is not said."""
        return self._numbers("pace", np.inf)

    @cached_property
    def unit(self) -> Vector:
        """Each column's range, the unit in which moves of different inputs are compared."""
        _, lower, upper = self.limits
        with np.errstate(over="ignore"):
            span = upper - lower
        return np.where(np.isfinite(span) & (span > 0), span, 1.0)

    def _numbers(self, what: str, unsaid: float = np.nan) -> Vector:
        values = [getattr(f, what) for f in self.features]
        return np.array([unsaid if v is None else v for v in values], dtype=np.float64)
