"""Where a value stands among the people of the reference table, and what moving it costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.schema import Schema
from standfast.schema.border import columns_of

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Cost = Literal["total", "max", "log"]


@dataclass(frozen=True)
class Percentiles:
    """Q_j: the share of the reference table at or below a value, column by column.

    Q_j is the right-continuous empirical distribution function, so tied values share one Q, values
    below the table have Q = 0 and values at or above its maximum Q = 1. Moving past values nobody
    has costs nothing; that is what a percentile means.

    >>> q = Percentiles.fit(pd.DataFrame({"late": [0, 0, 0, 1]}))
    >>> q.rank(np.array([[-1.0], [0.0], [0.5], [1.0]])).ravel()
    array([0.  , 0.75, 0.75, 1.  ])
    """

    values: Mapping[str, Vector]  # each column's distinct values, ascending
    shares: Mapping[str, Vector]  # Q at each of them
    deviations: Mapping[str, float]  # standard deviations, 1 where a column is constant
    rows: int
    origin: str = ""

    @classmethod
    def fit(cls, table: pd.DataFrame) -> "Percentiles":
        """The percentiles of a reference table, for instance the training table."""
        names = [str(name) for name in getattr(table, "columns", [])]
        X = columns_of(table, list(getattr(table, "columns", [])))
        values, shares, deviations = {}, {}, {}
        for name, column in zip(names, X.T, strict=True):
            distinct, counts = np.unique(column, return_counts=True)
            values[name], shares[name] = distinct, np.cumsum(counts) / len(column)
            deviations[name] = float(column.std()) if len(distinct) > 1 else 1.0
        return cls(values, shares, deviations, len(X), str(table.attrs.get("origin", "")))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(self.values)

    def of(self, schema: Schema) -> "Percentiles":
        """The percentiles of the schema's columns, in the schema's order."""
        missing = [name for name in schema.names if name not in self.values]
        if missing:
            raise InputError(
                f"the percentiles were fitted without {listing(missing)}; fit them on a reference "
                "table that has every column of the schema"
            )
        values, shares, deviations = (
            {name: column[name] for name in schema.names}
            for column in (self.values, self.shares, self.deviations)
        )
        return Percentiles(values, shares, deviations, self.rows, self.origin)  # type: ignore[arg-type]

    def trimmed(self, tail: float) -> dict[str, Vector]:
        """Each column's distinct values without the `tail` share of people at either end."""
        kept = {}
        for name, values in self.values.items():
            low, high = np.searchsorted(self.shares[name], [tail, 1.0 - tail - 1e-12])
            kept[name] = values[low : high + 1]
        return kept

    @cached_property
    def scale(self) -> Vector:
        """Each column's standard deviation, 1 where it is constant."""
        return np.array(list(self.deviations.values()))

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the reference table's distribution."""
        return digest([self.names, self.rows, *self.values.values(), *self.shares.values()])

    def rank(self, X: Matrix) -> Matrix:
        """Q_j(x_j) for every cell of a matrix in the columns' order."""
        Q = np.empty_like(X, dtype=np.float64)
        for j in range(len(self.values)):
            Q[..., j] = self.rank_of(j, X[..., j])
        return Q

    def rank_of(self, j: int, values: Vector) -> Vector:
        """Q_j of any values of column j."""
        name = self.names[j]
        below = np.searchsorted(self.values[name], values, side="right")
        return np.where(below > 0, self.shares[name][below - 1], 0.0)

    def shift(self, X: Matrix, Y: Matrix) -> Matrix:
        """|Q_j(y_j) − Q_j(x_j)| for every cell: how many people each move passes."""
        return np.abs(self.rank(Y) - self.rank(X))

    def total(self, X: Matrix, Y: Matrix) -> Vector:
        """Total percentile shift Σ_j |Q_j(y_j) − Q_j(x_j)|, the paper's cost_1."""
        total: Vector = self.shift(X, Y).sum(axis=-1)
        return total

    def maximal(self, X: Matrix, Y: Matrix) -> Vector:
        """Maximal percentile shift max_j |Q_j(y_j) − Q_j(x_j)|, the paper's cost_2."""
        most: Vector = self.shift(X, Y).max(axis=-1)
        return most

    def log(self, X: Matrix, Y: Matrix) -> Vector:
        """Log shift Σ_j |log((1 − Q_j(x_j)) / (1 − Q_j(y_j)))|.

        Ustun et al.'s is negative downwards and infinite at Q = 1; ours takes absolute values and
        caps Q at n / (n + 1), n the rows of the reference table.
        """
        left = 1.0 - np.minimum(np.stack([self.rank(X), self.rank(Y)]), self.rows / (self.rows + 1))
        total: Vector = np.abs(np.log(left[0] / left[1])).sum(axis=-1)
        return total

    def cost(self, kind: Cost, X: Matrix, Y: Matrix) -> Vector:
        """The cost of moving from each row of X to the same row of Y."""
        measures = {"total": self.total, "max": self.maximal, "log": self.log}
        if kind not in measures:
            raise InputError(f"unknown cost {kind!r}; allowed: {', '.join(measures)}")
        return measures[kind](X, Y)
