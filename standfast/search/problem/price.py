"""What a move costs: every cost is zero where the person stands and never falls farther away."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError
from standfast.percentiles import Percentiles

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Kind = Literal["total", "max", "log", "l1", "l2"]

# Among equal costs the fewest changes: each change weighs this much in the search, far below the
# 1/n by which two percentile costs differ, and nothing in the cost that is reported.
CHANGE = 1e-9

# What every changed input costs on top of the people it passes, unless the user says otherwise:
# one percentile, so that no move smaller than that is worth a change of its own.
PER_CHANGE = 0.01


def usual_per_change(kind: Kind) -> float:
    """The price per change where none is given.

    The maximum and l2 cannot have one, and what is much in l1 depends on the units given.
    """
    return PER_CHANGE if kind in ("total", "log") else 0.0


@dataclass(frozen=True)
class Price:
    """A cost of advice: each input's move priced on its own, then added up or maximised.

    total, max, log: percentile shifts (cost_1, cost_2 and Ustun et al.'s log shift). l1, l2: norms
    in units the user gives, `units[j]` being what input j's move is divided by. `per_change` is
    added for every input that changes (additive costs only). `ladders` are the prices of the
    positions of inputs that are laid out by price.
    """

    kind: Kind = "total"
    units: Vector | None = None
    per_change: float = 0.0
    ladders: Mapping[int, Vector] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in ("total", "max", "log", "l1", "l2"):
            raise InputError(f"unknown cost {self.kind!r}; allowed: total, max, log, l1, l2")
        if (self.kind in ("l1", "l2")) != (self.units is not None):
            raise InputError(
                f"the cost {self.kind!r} {'needs' if self.units is None else 'takes no'} units; l1 "
                "and l2 need the size of one unit of each input, percentile shifts do not"
            )
        if self.units is not None:
            units = np.array(self.units, dtype=np.float64)
            if units.ndim != 1 or not (np.isfinite(units) & (units > 0)).all():
                raise InputError("units must be positive numbers, one per input")
            units.setflags(write=False)
            object.__setattr__(self, "units", units)
        if not 0.0 <= self.per_change < np.inf:
            raise InputError(f"per_change is {self.per_change!r}; it must be 0 or a positive price")
        if self.per_change and self.kind in ("max", "l2"):
            raise InputError("a price per changed input goes with additive costs: total, log or l1")

    @property
    def maximal(self) -> bool:
        """Whether the largest single move counts instead of the sum."""
        return self.kind == "max"

    @property
    def squared(self) -> bool:
        """Whether the search adds squares, the root of which is reported."""
        return self.kind == "l2"

    def place(self, j: int, values: ArrayLike, percentiles: Percentiles) -> Vector:
        """Where values of input j stand on the scale along which its moves are measured.

        A change of category and filling in a gap have a price of their own: see `flat`.
        """
        column = np.asarray(values, dtype=np.float64)
        if j in self.ladders:
            known = np.isfinite(column)
            where = np.clip(np.where(known, column, 0.0), 0, len(self.ladders[j]) - 1)
            return self.flat(self.ladders[j][where.astype(np.intp)], percentiles)
        if self.units is not None:
            scaled: Vector = column / self.units[j]
            return scaled
        Q: Vector = percentiles.rank_of(j, column)
        if self.kind == "log":
            cap = percentiles.rows / (percentiles.rows + 1)
            logs: Vector = -np.log1p(-np.minimum(Q, cap))
            return logs
        return Q

    def flat(self, prices: Vector, percentiles: Percentiles) -> Vector:
        """The schema's flat prices, shares of people, on this cost's own scale.

        The log shift counts the way from the lowest value to that share; in units given, the usual
        price of a half is one unit, as in Gower's distance.
        """
        if self.units is not None:
            return 2.0 * prices
        if self.kind == "log":
            cap = percentiles.rows / (percentiles.rows + 1)
            return np.asarray(-np.log1p(-np.minimum(prices, cap)))
        return prices

    def of(self, X: Matrix, Y: Matrix, percentiles: Percentiles) -> Vector:
        """The cost of sending each row of X to the same row of Y, as it is reported."""
        moves = np.zeros(X.shape)
        flat = percentiles.priced(np.full(X.shape, np.nan), X, Y)
        for j in np.flatnonzero((X != Y).any(axis=0)).tolist():
            with np.errstate(invalid="ignore"):  # a gap has no place
                there, here = self.place(j, np.array([Y[:, j], X[:, j]]), percentiles)
                moves[:, j] = np.abs(there - here)
        moves = np.where(np.isnan(flat), moves, self.flat(flat, percentiles))
        if self.maximal:
            most: Vector = moves.max(axis=1)
            return most
        if self.squared:
            norm: Vector = np.sqrt((moves**2).sum(axis=1))
            return norm
        total: Vector = moves.sum(axis=1) + self.per_change * (X != Y).sum(axis=1)
        return total
