"""Columns of text, categories and truth values in a draft: which values have names, and why."""

import datetime
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.categories import MOST_CATEGORIES, Category, as_category
from standfast.schema.feature import Feature
from standfast.schema.values import described

Vector = NDArray[np.float64]

# words that mostly stand for a missing value, without case, blanks and marks around them
TOKENS = {
    *("unknown", "?", "na", "n/a", "nan", "null", "missing", "none given", "not given"),
    *("not available", "no information", "not stated", "unspecified", "-", "--", "."),
}
# numbers that surveys and files put where a value is not known
SENTINELS = (-7.0, -8.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
# more categories than these a person should look at before advice changes them
MANY = 50
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
NAMES_OF_LABELS = {"label", "target", "default", "defaulted", "outcome", "response", "approved"}
ENDS_OF_LABELS = {"class", "y", "risk", "good", "bad", "churn", "fraud", "result"}
NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")

# numbers that are all months or days by chance: two often, three of them hardly ever
FEWEST_DATES = 3


@dataclass(frozen=True)
class Drafted:
    """A column as a feature, what was seen of it, why it is drafted so, and its codes."""

    feature: Feature
    span: str
    why: tuple[str, ...]
    suspicion: str
    codes: Vector


def words_of(name: str) -> list[str]:
    """The words of a column's name."""
    return [word.lower() for word in WORD.findall(name)]


def looks_like_label(name: str) -> bool:
    """Whether a column's name is one that labels have."""
    words = words_of(name)
    return bool(NAMES_OF_LABELS & set(words)) or (words[-1] if words else "") in ENDS_OF_LABELS


def quoted(name: str) -> str:
    """A name as the command line takes it."""
    return name if re.fullmatch(r"[\w.-]+", name) else f"'{name}'"


def refuse_dates(column: "pd.Series[Any]") -> None:
    """Refuse a column of dates: what advice could do about them depends on the day."""
    known = column.dropna()
    kinds = (datetime.date, pd.Period, pd.Timedelta)
    dated = column.dtype.kind in "mM" or isinstance(column.dtype, pd.PeriodDtype)
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        few = known.head(100)
        dated = len(few) > 0 and all(
            isinstance(v, kinds) or (isinstance(v, str) and DATE.fullmatch(v.strip())) for v in few
        )
    if dated:
        example = known.iloc[0] if len(known) else "dates"
        raise InputError(
            f"column '{column.name}' holds dates such as {str(example)[:10]}; turn them into "
            "numbers that advice can speak of, such as years since then, or leave the column out"
        )


def looks_like_date(distinct: Vector) -> bool:
    """Whether whole numbers are months or days written like 202407 or 20240731.

    >>> import numpy as np
    >>> looks_like_date(np.array([202311.0, 202312.0, 202401.0]))
    True
    >>> looks_like_date(np.array([202311.0, 202312.0, 202313.0]))
    False
    """
    if len(distinct) < FEWEST_DATES or not 190_001 <= distinct[0] <= distinct[-1] <= 21_001_231:
        return False
    rest, days = (distinct // 100, distinct % 100) if distinct[0] > 210_012 else (distinct, 1)
    years, months = rest // 100, rest % 100
    fits = [(1900, years, 2100), (1, months, 12), (1, days, 31)]
    return all(bool(np.all((low <= part) & (part <= high))) for low, part, high in fits)


def is_named(column: "pd.Series[Any]") -> bool:
    """Whether a column's values are names rather than numbers."""
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return True
    return not pd.api.types.is_numeric_dtype(column.dtype)


def numbers_with_words(column: "pd.Series[Any]") -> tuple[str, ...] | None:
    """The words in a column of numbers, if all of them mostly stand for a missing value."""
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return None
    known = column.dropna().astype(object)
    words = [v for v in known.unique() if isinstance(v, str) and is_token(v)]
    rest = known[~known.isin(words)]
    if not words or not len(rest) or any(isinstance(v, bool) for v in rest.unique()):
        return None
    numbers = pd.to_numeric(rest, errors="coerce")
    return None if numbers.isna().any() else tuple(sorted(words))


def is_token(value: object) -> bool:
    """Whether a word mostly stands for a missing value."""
    return isinstance(value, str) and value.strip().casefold() in TOKENS


def draft_named(name: str, column: "pd.Series[Any]") -> Drafted:
    """A column of names as a nominal, or as an ordinal where its categories are in order."""
    dtype, n = column.dtype, len(column)
    ordered = isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)
    distinct: Sequence[Any] = (
        list(dtype.categories)
        if isinstance(dtype, pd.CategoricalDtype)
        else list(column.dropna().unique())
    )
    if len(distinct) > MOST_CATEGORIES:
        raise InputError(
            f"column '{name}' holds {len(distinct):,} different texts, more than a category can "
            f"have ({MOST_CATEGORIES:,}); name it as the index if it says who people are, or leave "
            "it out"
        )
    values = [as_category(value, f"column '{name}': a value") for value in distinct]
    gaps = int(column.isna().sum())
    kind = "ordinal" if ordered else "nominal"
    suspicion = _suspicion(name, column, len(values))
    feature = Feature(
        name,
        "ordinal" if ordered else "nominal",
        not suspicion,
        categories=tuple(values),
        when_missing="keep" if gaps else "refuse",
    )
    seen = f"{len(values):,} categor{'ies' if len(values) != 1 else 'y'}{_most_often(column)}"
    why = [f"guess: {kind}, since it holds {_what(values, ordered)}", *_remarks(values)]
    assert feature.coder is not None
    return Drafted(
        feature, seen, (*why, *gap_remark(gaps, n)), suspicion, feature.coder.encode(column)
    )


def _what(values: Sequence[Category], ordered: bool) -> str:
    if ordered:
        return "categories from the lowest to the highest"
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return "true and false"
    if len(kinds) == 1:
        return "text" if kinds == {str} else "categories"
    return "values of several types, which may be an error of the table"


def _most_often(column: "pd.Series[Any]") -> str:
    counts = column.value_counts()
    if not len(counts) or not counts.iloc[0]:
        return ""
    return f", most often {described(counts.index[0])} ({counts.iloc[0] / counts.sum():.0%})"


def _remarks(values: Sequence[Category]) -> list[str]:
    found = []
    if len({type(value) for value in values}) > 1:
        kinds = {"text": (str,), "truth values": (bool,), "numbers": (int, float)}
        shown = []
        for what, types in kinds.items():
            one = [value for value in values if type(value) in types]
            shown += [f"{what} such as {described(one[0])}"] if one else []
        found.append(f"mixed types: {' and '.join(shown)}")
    words = [value for value in values if isinstance(value, str)]
    numbers = [word for word in words if NUMBER.fullmatch(word.strip())]
    if 0 < len(numbers) < len(words):
        found.append(f"numbers among words: {listing(numbers)}: are they codes, or errors?")
    alike: dict[str, list[Category]] = defaultdict(list)
    for value in values:
        alike["".join(str(value).split()).casefold()].append(value)
    for same in (group for group in alike.values() if len(group) > 1):
        found.append(f"{listing(same)} differ only in case or blanks: are they one category?")
    if len(values) > MANY:
        found.append(
            f"{len(values)} categories are many: group rare ones, or say mutable = false if advice "
            "is not to change them"
        )
    tokens = [value for value in values if is_token(value)]
    if tokens:
        spelt = ", ".join(f'"{token}"' for token in tokens)
        found.append(
            f"if {listing(tokens)} means that the value is not known: take it out of the "
            f'categories and say missing = [{spelt}], when_missing = "keep"'
        )
    if len(values) == 1:
        found.append("only one value was seen: say what else is possible")
    return found


def gap_remark(gaps: int, n: int) -> list[str]:
    """What a draft says about missing values."""
    if not gaps:
        return []
    return [
        f"{gaps:,} of {n:,} values are missing: advice keeps them so; when_missing = "
        '"fill" lets it fill them in'
    ]


def sentinel_remark(distinct: Vector) -> list[str]:
    """What a draft says about numbers that may stand for a missing value."""
    found: list[float] = []
    for number in SENTINELS:
        others = distinct[~np.isin(distinct, SENTINELS)]
        if number not in distinct or len(others) < 2:
            continue
        low, high = float(others.min()), float(others.max())
        apart = number < min(0.0, low) if number < 0 else number > high + max(high - low, 1.0)
        found += [number] * apart
    if not found:
        return []
    spelt = ", ".join(f"{number:.0f}" for number in sorted(found))
    return [
        f'if {spelt} means that the value is not known: missing = [{spelt}], when_missing = "keep"'
    ]


def _suspicion(name: str, column: "pd.Series[Any]", distinct: int) -> str:
    if distinct == 2 and looks_like_label(name):
        return (
            "looks like the label, by its name and its two values: it may not move; if it is, "
            f"draft again with --label {quoted(name)}"
        )
    known = int(column.notna().sum())
    if known >= 20 and distinct >= 0.9 * known:
        return (
            f"looks like an identifier, with {distinct:,} different texts in {known:,} rows: it "
            f"may not move; if it is, draft again with --index {quoted(name)}, or leave it out"
        )
    return ""
