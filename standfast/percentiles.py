"""Where a value stands among the people of the reference table, and what moving it costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.files.comma_separated import Names
from standfast.files.counting import count_values
from standfast.schema import Feature, Schema, border
from standfast.schema.categories import CHANGE_OF_CATEGORY

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Cost = Literal["total", "max", "log"]


@dataclass(frozen=True)
class Percentiles:
    """Q_j: the share of the reference table at or below a value, column by column.

    Q_j is the right-continuous empirical distribution function, so tied values share one Q, values
    below the table have Q = 0 and values at or above its maximum Q = 1. Moving past values nobody
    has costs nothing; that is what a percentile means. Missing values have no place: Q is that of
    the people whose value is known. A change of category, and filling in a missing value, cost what
    the schema says instead; columns of text are known once a schema gives their order. Made by
    `Percentiles.fit(table)`.

    Parameters
    ----------
    values, shares : mapping of arrays
        Each column's distinct values, and Q at them.
    deviations : mapping of float
        Each column's standard deviation, 1 if it is constant.
    rows, known : int, mapping of int
        How many people the table has, and of how many each value is known.
    origin : str
        Which data it came from.
    features : tuple of Feature
        The schema's features, once `of(schema)` has put columns in its order.

    Examples
    --------
    >>> q = Percentiles.fit(pd.DataFrame({"late": [0, 0, 0, 1]}))
    >>> q.rank(np.array([[-1.0], [0.0], [0.5], [1.0]])).ravel()
    array([0.  , 0.75, 0.75, 1.  ])
    """

    values: Mapping[str, Vector]  # each column's distinct values, ascending
    shares: Mapping[str, Vector]  # Q at each of them
    deviations: Mapping[str, float]  # standard deviations, 1 where a column is constant
    rows: int
    known: Mapping[str, int] = field(repr=False)  # how many people's value is known
    origin: str = ""
    features: tuple[Feature, ...] = field(default=(), repr=False)  # those of the schema, by `of`

    @classmethod
    def fit(
        cls, table: pd.DataFrame | Path | str, columns: Sequence[str] | Schema | None = None
    ) -> "Percentiles":
        """The percentiles of a reference table, for instance the training table.

        A path names a data set (Parquet or CSV files, a folder of them, a pattern), which is
        counted part by part: exactly, at the memory that the distinct values take. Only standard
        deviations differ, in their last digits. `columns` are those to take, all unless given; a
        schema, its own, and of CSV files its categories are read as it names them.
        """
        names = columns.category_names if isinstance(columns, Schema) else None
        columns = columns.names if isinstance(columns, Schema) else columns
        if isinstance(table, str | Path):
            return cls._counted(table, columns, names)
        table = table if columns is None else table[list(columns)]
        border.check_names(table)
        values, shares, deviations, people = {}, {}, {}, {}
        for name in table.columns:
            known = table[name].dropna()
            people[str(name)] = len(known)
            if not len(known):
                raise InputError(
                    f"column '{name}' holds no value at all, so nothing can be measured by it; "
                    "leave it out"
                )
            if _named(known):
                counts = known.astype(object).value_counts()
                column, times = counts.index.to_numpy(dtype=object), counts.to_numpy()
                order = sorted(range(len(column)), key=lambda i: str(column[i]))
                values[str(name)], shares[str(name)] = column[order], times[order] / len(known)
                deviations[str(name)] = 1.0
                continue
            distinct, times = np.unique(border.numbers(known), return_counts=True)
            values[str(name)], shares[str(name)] = distinct, np.cumsum(times) / len(known)
            deviations[str(name)] = _deviation(border.numbers(known), distinct)
        origin = str(table.attrs.get("origin", ""))
        return cls(values, shares, deviations, len(table), people, origin)

    @classmethod
    def _counted(
        cls, source: Path | str, columns: Sequence[str] | None, names: Names | None
    ) -> "Percentiles":
        rows, tallies = count_values(source, columns, names)
        values, shares, deviations, people = {}, {}, dict[str, float](), {}
        for name, (distinct, times) in tallies.items():
            n = int(times.sum())
            if not n:
                raise InputError(
                    f"column '{name}' of '{source}' holds no value at all, so nothing can be "
                    "measured by it; leave it out"
                )
            people[name], values[name] = n, distinct
            named = distinct.dtype == object
            shares[name] = times / n if named else np.cumsum(times) / n
            deviations[name] = 1.0
            if not named and len(distinct) > 1:
                mean = distinct @ times / n
                deviations[name] = float(np.sqrt((distinct - mean) ** 2 @ times / n))
        return cls(values, shares, deviations, rows, people)

    @cached_property
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
        values, shares, deviations, people = {}, {}, dict[str, float](), {}
        for feature in schema:
            name = feature.name
            *found, kept = _of_feature(feature, *self._as_fitted(name))
            values[name], shares[name] = found
            people[name] = round(kept * self.known[name])
            deviations[name] = self.deviations[name]
            if len(found[0]) != len(self.values[name]) or feature.coder is not None:
                deviations[name] = _weighted_deviation(*found)
        features = tuple(schema.features)
        return Percentiles(values, shares, deviations, self.rows, people, self.origin, features)

    def _as_fitted(self, name: str) -> tuple[Any, Vector]:
        """A column's distinct values and shares as the table had them, names instead of codes."""
        values, shares = self.values[name], self.shares[name]
        coder = next((f.coder for f in self.features if f.name == name), None)
        if coder is None:
            return values, shares
        names = np.array([coder.names[int(code)] for code in values], dtype=object)
        return names, np.diff(shares, prepend=0.0)

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

    @cached_property
    def unordered(self) -> NDArray[np.bool_]:
        """Which columns hold categories in no order."""
        return np.array([f.kind == "nominal" for f in self.features], dtype=bool)

    def places(self, X: Matrix) -> Matrix:
        """Where people stand, so that Manhattan distances are costs: Q, or a column per category.

        Two categories are as far apart as their change costs, and a gap is half a column of its own
        away from every value, with the median's Q.
        """
        if not any(feature.irregular for feature in self.features):
            return self.rank(X)
        columns: list[Vector] = []
        for j, feature in enumerate(self.features):
            lacking = feature.is_missing(X[:, j])
            if feature.kind == "nominal" and feature.categories is not None:
                price = 0.5 * (feature.price or CHANGE_OF_CATEGORY)
                codes = range(len(feature.categories))
                columns += [np.where(X[:, j] == code, price, 0.0) for code in codes]
            else:
                columns.append(np.where(lacking, 0.5, self.rank_of(j, X[:, j])))
            if feature.when_missing != "refuse":
                columns.append(np.where(lacking, CHANGE_OF_CATEGORY, 0.0))
        return np.column_stack(columns)

    def rank_of(self, j: int, values: Vector) -> Vector:
        """Q_j of any values of column j."""
        seen, shares = self._ranks[j]
        if seen.dtype == object:
            raise InputError(
                f"column '{self.names[j]}' holds text, which has no percentiles; take those of a "
                "schema, percentiles.of(schema)"
            )
        ranks: Vector = shares[seen.searchsorted(values, side="right")]
        return ranks

    @cached_property
    def _ranks(self) -> list[tuple[Any, Vector]]:
        """Each column's distinct values, and the share of people below each and after the last."""
        return [(self.values[n], np.concatenate(([0.0], self.shares[n]))) for n in self.names]

    def shift(self, X: Matrix, Y: Matrix) -> Matrix:
        """|Q_j(y_j) − Q_j(x_j)| for every cell: how many people each move passes, or its price."""
        return self.priced(np.abs(self.rank(Y) - self.rank(X)), X, Y)

    def priced(self, shifts: Matrix, X: Matrix, Y: Matrix) -> Matrix:
        """The shifts, but the schema's flat price where a category changes or a gap is filled."""
        for j in self._irregular:
            flat = self.features[j].flat_price(X[..., j], Y[..., j])
            shifts[..., j] = np.where(np.isnan(flat), shifts[..., j], flat)
        return shifts

    @cached_property
    def _irregular(self) -> list[int]:
        """The columns that have flat prices."""
        return [j for j, feature in enumerate(self.features) if feature.irregular]

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
        shifts = np.abs(np.log(left[0] / left[1]))
        if any(feature.irregular for feature in self.features):
            # a flat price counts as the way from the lowest value to that share of people
            unset = np.full(shifts.shape, np.nan)
            flat = self.priced(unset, X, Y)
            far = -np.log1p(-np.minimum(flat, self.rows / (self.rows + 1)))
            shifts = np.where(np.isnan(flat), shifts, far)
        total: Vector = shifts.sum(axis=-1)
        return total

    def cost(self, kind: Cost, X: Matrix, Y: Matrix) -> Vector:
        """The cost of moving from each row of X to the same row of Y."""
        measures = {"total": self.total, "max": self.maximal, "log": self.log}
        if kind not in measures:
            raise InputError(f"unknown cost {kind!r}; allowed: {', '.join(measures)}")
        return measures[kind](X, Y)


def percentiles_of(given: object, schema: Schema, cost: str = "total") -> Percentiles:
    """The percentiles that a method was given, of the schema's columns; a table is none yet.

    A cost that they cannot measure is refused.
    """
    if cost not in get_args(Cost):
        raise InputError(f"unknown cost {cost!r}; allowed: {', '.join(get_args(Cost))}")
    if not isinstance(given, Percentiles):
        raise InputError(
            f"percentiles is a {type(given).__name__}; fit them on the reference table first: "
            "Percentiles.fit(table)"
        )
    return given.of(schema)


def _named(column: "pd.Series") -> bool:
    """Whether a column's values are names rather than numbers."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    return not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    )


def _deviation(column: Vector, distinct: Vector) -> float:
    """The standard deviation; 1 if the column is constant, or as good as that."""
    if len(distinct) < 2:
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(column.std())
    if not np.isfinite(found):  # the squares are too large
        size = float(np.abs(column).max())
        found = size * float((column / size).std())
    return found if found > 1e-300 else 1.0


def _of_feature(feature: Feature, values: Any, shares: Vector) -> tuple[Vector, Vector, float]:
    """A column's distinct values as the schema codes them, Q at each, and what share that is.

    Missing values are left out.
    """
    named = values.dtype == object
    if feature.coder is None and not named and not feature.tokens:
        return values, shares, 1.0
    weights = shares if named else np.diff(shares, prepend=0.0)
    if feature.coder is not None:
        codes = np.array([feature.coder.of(value) for value in values])
    else:
        column = pd.Series(values, name=feature.name)
        codes = border.numbers(column, [t for t in feature.missing if isinstance(t, str)])
    known = np.isfinite(codes) & ~feature.is_missing(codes)
    order = np.argsort(codes[known], kind="stable")
    distinct, weights = codes[known][order], weights[known][order]
    if not len(distinct):
        raise InputError(
            f"the reference table's column '{feature.name}' holds no value that the schema knows"
        )
    return distinct, np.cumsum(weights) / weights.sum(), float(weights.sum())


def _weighted_deviation(values: Vector, shares: Vector) -> float:
    weights = np.diff(shares, prepend=0.0)
    mean = float(values @ weights)
    with np.errstate(over="ignore"):
        found = float(np.sqrt(weights @ (values - mean) ** 2))
    return found if len(values) > 1 and 1e-300 < found < np.inf else 1.0
