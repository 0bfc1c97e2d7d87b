"""Scorecards that were never a model: tables of points from a spreadsheet."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from standfast.errors import InputError, listing
from standfast.files import read_text
from standfast.readers.cells import NOTHING, Cells, alone
from standfast.schema import Feature, Schema
from standfast.scores.additive import Additive
from standfast.scores.linear import checked_number

COLUMNS = ("feature", "lower", "upper", "category", "points", "note")
BASE = ("base points", "intercept")
MISSING = "missing"
MOST_BYTES = 10_000_000
# points are compared with the cut-off to this many decimals
MOST_DECIMALS = 9


def read_points(
    source: Path | str | pd.DataFrame,
    schema: Schema,
    *,
    cutoff: float,
    wanted: Literal["more", "fewer"] = "more",
) -> Additive:
    """A scorecard from a table of points: who has at least `cutoff` points is accepted.

    `source` is a CSV file or a table with the columns feature, points and, as needed, lower, upper
    and category (and note, which is not read). A row gives the points of one bin: values from
    `lower` up to, but not including, `upper`, either of them empty at an open end; or of one
    category, or of several with '|' between them. The category 'missing' is for missing values, and
    a number that the schema declares to stand for one may have a row of its own. A row whose
    feature is 'base points' gives everybody's. Bins must leave out no possible value, and overlap
    nowhere; inputs without a row add nothing. With `wanted="fewer"`, points count against people,
    and who has at most `cutoff` of them is accepted.

    >>> from standfast.schema import Feature, Schema
    >>> table = pd.DataFrame({"feature": ["age", "age"], "lower": [None, 30], "upper": [30, None],
    ...     "points": [10, 25]})
    >>> card = read_points(table, Schema((Feature("age", "count"),)), cutoff=25)
    >>> card.accepts(np.array([[29.0], [30.0]]))
    array([False,  True])
    """
    if wanted not in ("more", "fewer"):
        raise InputError(f"wanted is {wanted!r}; it must be 'more' or 'fewer'")
    limit = checked_number(cutoff, "the cut-off")
    sign = 1.0 if wanted == "more" else -1.0
    base, parts, decimals = 0.0, {f.name: _Part(f) for f in schema}, 0
    based = ""
    for where, row in _rows(source):
        points = _number(row["points"], where, "points")
        if points is None:
            raise InputError(f"{where}: points is empty; give a number")
        decimals = max(decimals, -int(Decimal(repr(points)).normalize().as_tuple().exponent))
        name = row["feature"]
        if name in BASE and name not in parts:
            if based or row["lower"] or row["upper"] or row["category"]:
                raise InputError(
                    f"{where}: {name} are everybody's, given once and without lower, upper or "
                    f"category{'; ' + based + ' did already' if based else ''}"
                )
            base, based = points, where
        elif name not in parts:
            raise InputError(
                f"{where}: the schema has no feature {name!r}; it has {listing(schema.names)}, and "
                f"{BASE[0]!r} stands for everybody's points"
            )
        else:
            parts[name].add(row, points, where)
    functions: list[Any] = [parts[f.name].function(sign) for f in schema]
    if all(function is NOTHING for function in functions):
        raise InputError("the table gives no feature any points; add its rows")
    threshold = at_least(sign * limit, min(decimals, MOST_DECIMALS))
    return Additive(functions, sign * base, threshold=threshold)


def at_least(points: float, decimals: int) -> float:
    """What sums of numbers with so many decimals exceed if they are at least `points`.

    >>> at_least(600, 0), at_least(600.2, 0)
    (599.5, 600.5)
    """
    unit = 10.0**-decimals
    return math.ceil(round(points / unit, 6)) * unit - unit / 2


@dataclass(frozen=True)
class _Bin:
    lower: float
    upper: float
    points: float
    where: str

    @property
    def words(self) -> str:
        return f"{self.where} ({self.lower:g} to {self.upper:g})"


@dataclass
class _Part:
    """The rows of one feature."""

    feature: Feature
    bins: list[_Bin] = field(default_factory=list)
    single: dict[float, tuple[float, str]] = field(default_factory=dict)
    missing: tuple[float, str] | None = None

    def add(self, row: dict[str, str], points: float, where: str) -> None:
        """Take up a row."""
        name, coder = self.feature.name, self.feature.coder
        if not row["category"]:
            if coder is not None:
                raise InputError(
                    f"{where}: {name!r} has named values; say which category the points are for"
                )
            lower = _number(row["lower"], where, "lower")
            upper = _number(row["upper"], where, "upper")
            bounds = -math.inf if lower is None else lower, math.inf if upper is None else upper
            if bounds[0] >= bounds[1]:
                raise InputError(
                    f"{where}: lower {bounds[0]:g} is not below upper {bounds[1]:g}; a bin runs "
                    "from lower up to, but not including, upper"
                )
            self.bins.append(_Bin(*bounds, points, where))
            return
        if row["lower"] or row["upper"]:
            raise InputError(f"{where}: give lower and upper, or a category, but not both")
        known = coder is not None and math.isfinite(coder.of(row["category"]))
        for category in [row["category"]] if known else row["category"].split("|"):
            self._add_category(category.strip(), points, where)

    def _add_category(self, category: str, points: float, where: str) -> None:
        feature = self.feature
        code = math.inf
        if feature.coder is not None:
            code = feature.coder.of(category)
        else:
            named = _number(category, where, "category", strict=False)
            code = named if named is not None and named in feature.tokens else math.inf
        if math.isfinite(code):
            if code in self.single:
                raise InputError(
                    f"{where}: {category!r} of {feature.name!r} has its points from "
                    f"{self.single[code][1]} already"
                )
            self.single[code] = (points, where)
        elif category == MISSING:
            if self.missing is not None:
                raise InputError(
                    f"{where}: missing values of {feature.name!r} have their points from "
                    f"{self.missing[1]} already"
                )
            self.missing = (points, where)
        elif feature.coder is not None:
            raise InputError(
                f"{where}: {category!r} is not a category of {feature.name!r}"
                f"{feature.coder.nearest(category)}; there are {listing(feature.coder.names)}, and "
                f"{MISSING!r} for missing values"
            )
        else:
            raise InputError(
                f"{where}: {feature.name!r} holds numbers, so {category!r} is not a category of "
                f"it; give lower and upper, or {MISSING!r} for missing values"
            )

    def function(self, sign: float) -> Any:
        """What the feature adds; every possible value must have its points."""
        feature = self.feature
        if not self.bins and not self.single and self.missing is None:
            return NOTHING
        lost = self.missing[0] if self.missing is not None else None
        if lost is None and feature.when_missing != "refuse":
            raise InputError(
                f"values of {feature.name!r} may be missing by the schema, but there are no points "
                f"for that; add a row with the category {MISSING!r}"
            )
        absent = -math.inf if lost is None else sign * lost
        tokens = dict.fromkeys(feature.tokens, absent)
        own = {**tokens, **{code: sign * points for code, (points, _) in self.single.items()}}
        if feature.coder is not None:
            names = feature.coder.names
            without = [names[i] for i in range(len(names)) if float(i) not in own]
            if without:
                raise InputError(
                    f"{feature.name!r} has no points for {listing(without)}; add a row for every "
                    "category of the schema"
                )
            amounts = np.array([absent, *(own[float(i)] for i in range(len(names)))])
            return Cells.of(feature, []).function(amounts)
        self._check_bins()
        starts = [b.lower for b in self.bins]
        cells = Cells.of(feature, [*starts, *(cut for v in own for cut in alone(v))])
        amounts = np.array([absent, *(self._points(v, sign) for v in cells.samples[1:])])
        for value, points in own.items():
            amounts[cells.samples == value] = points
        return cells.function(amounts)

    def _points(self, value: float, sign: float) -> float:
        place = int(np.searchsorted([b.lower for b in self.bins], value, side="right")) - 1
        return sign * self.bins[max(place, 0)].points

    def _check_bins(self) -> None:
        """Sort the bins; refuse those that overlap, and values that have none."""
        name = self.feature.name
        if not self.bins:
            raise InputError(
                f"{name!r} has points for single values only; add its bins, with lower and upper"
            )
        self.bins.sort(key=lambda b: b.lower)
        for low, high in zip(self.bins, self.bins[1:], strict=False):
            if high.lower < low.upper:
                raise InputError(
                    f"bins of {name!r} overlap: {low.words} and {high.words}; a bin ends where the "
                    "next one begins, because its upper end does not belong to it"
                )
            if high.lower > low.upper:
                raise InputError(
                    f"{name!r} has no points from {low.upper:g} up to {high.lower:g}, between "
                    f"{low.where} and {high.where}; a bin must begin where the last one ends, for "
                    "its upper end does not belong to it"
                )
        least, most = self.feature.possible
        first, last = self.bins[0], self.bins[-1]
        if first.lower > least:
            raise InputError(
                f"{name!r} has no points below {first.lower:g}; leave lower empty in {first.where}"
            )
        if not last.upper > most and last.upper < math.inf:
            raise InputError(
                f"{name!r} has no points from {last.upper:g} on; leave upper empty in {last.where}"
            )


def _number(text: str, where: str, what: str, strict: bool = True) -> float | None:
    """The number that a cell holds; None if it is empty, or no number and that is allowed."""
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    infinite = what in ("lower", "upper") and math.isinf(number)
    if math.isfinite(number) or infinite:
        return number
    if strict:
        raise InputError(f"{where}: {what} is {text!r}; it must be a number such as 12 or -3.5")
    return None


def _rows(source: Path | str | pd.DataFrame) -> list[tuple[str, dict[str, str]]]:
    """Each row's place and its cells as text, the empty ones as ''."""
    if isinstance(source, pd.DataFrame):
        header = [str(name) for name in source.columns]
        cells = source.astype(object).to_numpy()
        body = [["" if pd.isna(v) else str(v).strip() for v in row] for row in cells]
        places = [f"row {i + 1}" for i in range(len(body))]
    else:
        text = read_text(source, MOST_BYTES, "the points").removeprefix("\ufeff")
        first = text.partition("\n")[0]
        reader = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",")
        header = [cell.strip() for cell in next(reader, [])]
        body, places = [], []
        for row in reader:
            if any(cell.strip() for cell in row):
                body.append([cell.strip() for cell in row])
                places.append(f"line {reader.line_num}")
    return _named(header, body, places)


def _named(
    header: Sequence[str], body: Sequence[Sequence[str]], places: Sequence[str]
) -> list[tuple[str, dict[str, str]]]:
    columns = [name.strip().casefold() for name in header]
    unknown = [name for name, column in zip(header, columns, strict=True) if column not in COLUMNS]
    lacking = [name for name in ("feature", "points") if name not in columns]
    if unknown or lacking or len(set(columns)) < len(columns):
        wrong = f"no column {listing(lacking)}" if lacking else f"the columns {listing(header)}"
        wrong = f"the unknown column {listing(unknown)}" if unknown else wrong
        raise InputError(
            f"the table of points has {wrong}; it needs the columns feature and points, and may "
            "have lower, upper, category and note, each once"
        )
    if not body:
        raise InputError("the table of points has no rows; add one for each bin")
    found = []
    for where, row in zip(places, body, strict=True):
        if len(row) != len(columns):
            raise InputError(f"{where} has {len(row)} cells, the header {len(columns)}; correct it")
        found.append((where, dict.fromkeys(COLUMNS, "") | dict(zip(columns, row, strict=True))))
    return found
