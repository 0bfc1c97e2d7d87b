"""The border between tables and matrices: what a table must satisfy to come in."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing, type_of
from standfast.schema.categories import MISSING, UNKNOWN
from standfast.schema.feature import Feature
from standfast.schema.kinds import WHOLE
from standfast.schema.values import described, is_number

# one person's table of numbers is made in a tenth of the time that the constructor takes
from_blocks: Any = None
with suppress(ImportError):  # before pandas 3 there is only the constructor
    from_blocks = import_module("pandas.api.internals").create_dataframe_from_blocks

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

# texts that hold a number, written for people: '€ 1,234.50', '11297,23', '1 000 EUR', '12 %'
_SIGN = r"\s*(?:[€$£¥%]|EUR|USD|GBP|CHF)?\s*"
_AMOUNT = re.compile(rf"[+-]?{_SIGN}[+-]?\d[\d.,'\s]*{_SIGN}")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}")


def check_names(table: pd.DataFrame) -> None:
    """Refuse what is no table, has no rows, or whose columns or rows share a name."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(
            f"expected a pandas DataFrame, got {type(table).__name__}; give it column names"
        )
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()].unique()
        raise InputError(f"the table holds {listing(twice)} more than once; rename or drop columns")
    if not table.index.is_unique:
        twice = table.index[table.index.duplicated()].unique()
        raise InputError(
            f"the table's index holds {listing(twice)} more than once; every person needs their "
            "own label: call table.reset_index(drop=True)"
        )
    if len(table) == 0:
        raise InputError("the table has no rows; give it at least one")


def coded(table: pd.DataFrame, features: Sequence[Feature]) -> NDArray[np.float64]:
    """The features' columns as a matrix: codes for names, MISSING and UNKNOWN where that is so."""
    names = [feature.name for feature in features]
    in_order = check_columns(table, names)
    if all(f.coder is None for f in features):
        X = _plain_numbers(table if in_order else table[names])
        if X is not None:
            return X
    X = np.empty((len(table), len(names)))
    for j, feature in enumerate(features):
        column = table[feature.name]
        if feature.coder is not None:
            X[:, j] = feature.coder.encode(column)
        else:
            X[:, j] = numbers(column, [t for t in feature.missing if isinstance(t, str)])
            X[np.isnan(X[:, j]), j] = MISSING
    return X


def check_columns(table: pd.DataFrame, names: Sequence[str]) -> bool:
    """Refuse a table that lacks one of the columns, or holds another; whether they are in order."""
    check_names(table)
    if table.columns.tolist() == list(names):
        return True
    known = set(names)
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"the table lacks {_noun(missing)} {listing(missing)}; it has {listing(table.columns)}"
        )
    extra = [name for name in table.columns if name not in known]
    if extra:
        raise InputError(
            f"the table holds {_noun(extra)} {listing(extra)} that the schema does not know; drop "
            "them (table[list(schema.names)]) or add them to the schema"
        )
    return False


def refuse_gaps(X: NDArray[np.float64], table: pd.DataFrame, features: Sequence[Feature]) -> None:
    """Refuse values that are missing where the schema has no place for that, or not declared."""
    if np.isfinite(X).all() and not any(feature.missing for feature in features):
        return
    for j, feature in enumerate(features):
        column, codes = table[feature.name], X[:, j]
        if feature.when_missing == "refuse":
            _refuse(feature.is_missing(codes), "missing", column, DECLARED_MISSING)
        for i in np.flatnonzero(codes == UNKNOWN)[:1]:
            _refuse(codes == UNKNOWN, "unknown", column, unknown(feature, column.iloc[i]))


def unknown(feature: Feature, value: object) -> str:
    """What to do about a value that is no category."""
    assert feature.coder is not None
    return (
        f"{described(value)} is not a category{feature.coder.nearest(value)}: correct the table, "
        f"or add it to those of the schema ({listing(feature.coder.names)})"
    )


def decoded(values: NDArray[np.float64], features: Sequence[Feature]) -> list[Any]:
    """A matrix as a table's columns: names for codes, whole kinds as integers unless fractional."""
    missing = np.isnan(values) | (values == MISSING)
    gaps = missing.any(axis=0).tolist()
    known = np.where(missing, 0.0, values) if any(gaps) else values
    with np.errstate(invalid="ignore"):  # of what is no whole number, or too large a one
        odd = ((known % 1 != 0) | (np.abs(known) >= 2**63)).any(axis=0).tolist()
        counts = known.astype(np.int64, order="F")
    columns: list[Any] = []
    for j, feature in enumerate(features):
        if feature.coder is not None:
            columns.append(feature.coder.decode(values[:, j]))
        elif feature.kind not in WHOLE or odd[j]:
            own = values[:, j]
            columns.append(np.where(missing[:, j], np.nan, own) if gaps[j] else own)
        elif gaps[j]:
            columns.append(pd.arrays.IntegerArray(counts[:, j], missing[:, j]))
        else:
            columns.append(counts[:, j])
    return columns


def frame(columns: Iterable[Any], labels: pd.Index, index: pd.Index | None) -> pd.DataFrame:
    """Columns that nobody else holds as a table; labels take long to make, and serve many.

    Of columns of objects pandas finds out what they are.
    """
    given = list(columns)
    if given and all(column.dtype != object for column in given):
        return unchanged(given, labels, index)
    return _constructed(given, labels, index)


def unchanged(columns: Sequence[Any], labels: pd.Index, index: pd.Index | None) -> pd.DataFrame:
    """Columns as a table, each with the type that it has."""
    if from_blocks is None:
        return _constructed(columns, labels, index)
    arrays: dict[Any, list[int]] = {}  # those of one type together
    for j, column in enumerate(columns):
        if isinstance(column, np.ndarray):
            arrays.setdefault(column.dtype, []).append(j)
    blocks = [(np.array([columns[j] for j in js]), np.array(js)) for js in arrays.values()]
    others = set(range(len(columns))).difference(*arrays.values())
    blocks += [(columns[j], np.array([j])) for j in others]
    rows = pd.RangeIndex(len(columns[0])) if index is None else index
    found: pd.DataFrame = from_blocks(blocks, rows, labels.view())
    return found


def _constructed(columns: Sequence[Any], labels: pd.Index, index: pd.Index | None) -> pd.DataFrame:
    table = pd.DataFrame(dict(enumerate(columns)), index=index, copy=False)
    table.columns = labels.view()
    return table


MISSING_VALUES = "drop or fill them before building a table"
DECLARED_MISSING = (
    "drop or fill them, or say in the schema what they mean: when_missing = 'keep' or 'fill'"
)


def _plain_numbers(table: pd.DataFrame) -> NDArray[np.float64] | None:
    """The columns at once, if all of them hold finite numbers and none has to be named."""
    X = table.to_numpy()  # asking for every column's type takes longer
    if X.dtype.kind not in "iufb":
        if not all(dtype.kind in "iufb" for dtype in table.dtypes.tolist()):
            return None
        X = table.to_numpy(dtype=np.float64, na_value=np.nan)
    found: NDArray[np.float64] = X.astype(np.float64, copy=False)
    return found if np.isfinite(found).all() else None


def numbers(column: pd.Series, tokens: Sequence[str] = ()) -> NDArray[np.float64]:
    """A column's numbers, NaN where they are missing; words among `tokens` count as missing."""
    name = column.name
    if tokens and not pd.api.types.is_numeric_dtype(column.dtype):
        words = column.astype(object)
        column = words.where(~words.isin(tokens), None)
        with suppress(TypeError, ValueError):  # what else is in it is named below
            column = pd.to_numeric(column)
    if column.dtype == object and column.isna().all():
        return np.full(len(column), np.nan)
    if isinstance(column.dtype, pd.CategoricalDtype) or not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    ):
        raise InputError(_no_numbers(column))
    if pd.api.types.is_complex_dtype(column.dtype):
        raise InputError(f"column '{name}' holds complex numbers; a model needs real ones")
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse(np.isinf(values), "infinite", column, MISSING_VALUES)
    return values


def _no_numbers(column: pd.Series) -> str:
    known = column[column.notna()]
    words = known[[isinstance(v, str) and not is_number(v) for v in known]]
    # text read from a file is no object column in pandas 3
    textual = column.dtype == object or isinstance(column.dtype, pd.StringDtype)
    found = next(iter(words if len(words) else known), None)
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or _DATE.fullmatch(str(found)):
        return (
            f"column '{column.name}' holds dates such as {str(found)!r}, but the schema expects "
            "numbers; turn them into numbers, such as months since then"
        )
    if textual and _AMOUNT.fullmatch(str(found)) and not is_number(str(found)):
        return (
            f"column '{column.name}' holds numbers written as {found!r}; write them plainly, such "
            "as 1234.5: a point before the decimals, no separators of thousands, no currency"
        )
    if textual and 0 < len(words) < len(known):
        rows = listing(words.index, most=3)
        return (
            f"column '{column.name}' holds numbers and also text such as {words.iloc[0]!r} (rows "
            f"{rows}); correct the table, or declare the text in the schema: "
            f"missing = [{words.iloc[0]!r}] if it means that the value is not known"
        )
    if textual and len(known) and not len(words):
        found = known.iloc[0]
        kept = "text" if isinstance(found, str) else type_of(found)
        return (
            f"column '{column.name}' holds numbers as {kept}, such as {found!r}; turn them into "
            "numbers: pandas.to_numeric(column)"
        )
    return (
        f"column '{column.name}' holds {column.dtype} values such as {found!r}, but the schema "
        "expects numbers; make it a nominal (or an ordinal) with its categories in the schema"
    )


def _refuse(bad: NDArray[np.bool_], what: str, column: pd.Series, remedy: str) -> None:
    if bad.any():
        rows = listing(column.index[bad], most=3)
        count = int(bad.sum())
        raise InputError(
            f"column '{column.name}' holds {count} {what} value{'s' * (count > 1)} "
            f"(row{'s' * (count > 1)} {rows}); {remedy}"
        )


def _noun(names: Sequence[object]) -> str:
    return "the column" if len(names) == 1 else "the columns"


def judged(people: pd.DataFrame, schema: "Schema") -> tuple[NDArray[np.float64], list[str]]:
    """People's values, and what is impossible about each; '' if nothing (see `Schema.judged`)."""
    X = coded(people, schema.features)
    doubts = schema.doubts(X)
    for j in np.flatnonzero((X == UNKNOWN).any(axis=0)):
        feature, column = schema.features[j], people[schema.names[j]]
        for i in np.flatnonzero(X[:, j] == UNKNOWN):
            why = f"{feature.name}: {unknown(feature, column.iloc[i])}"
            doubts[i] = f"{doubts[i]}; {why}" if doubts[i] else why
    return X, doubts
