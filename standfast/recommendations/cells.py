"""The cells of an advice file: read without trust, each checked, what is wrong named by its row."""

import csv
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, first_line, listing
from standfast.schema import Feature
from standfast.schema.categories import MISSING, UNKNOWN
from standfast.schema.kinds import WHOLE
from standfast.structure import shown

Vector = NDArray[np.float64]
Test = Callable[[Vector], NDArray[np.bool_]]

MOST_WHOLE = 2.0**53  # beyond it, not every whole number is a float
MOST_CELLS = 10**9  # a small Parquet file can claim any number of rows


def from_csv(text: str, *, empty: bool = False) -> pd.DataFrame:
    """The cells of CSV text, all of them texts; `empty`: there may be no rows."""
    try:
        stream = io.StringIO(text.removeprefix("\ufeff"), newline="")
        lines = [row for row in csv.reader(stream, strict=True) if row]
    except csv.Error as error:
        raise InputError(f"it is not valid CSV ({error})") from error
    if not lines:
        raise InputError("it is empty")
    names, rows = lines[0], lines[1:]
    while names and not names[-1]:  # a spreadsheet's empty columns
        names.pop()
    for k, row in enumerate(rows):
        if len(row) < len(names) or any(row[len(names) :]):
            raise InputError(
                f"row {k + 1} has {len(row)} values and the header names {len(names)} columns"
            )
    cells = np.array([row[: len(names)] for row in rows], dtype=object)
    return _named(pd.DataFrame(cells.reshape(-1, len(names)), columns=names, dtype=object), empty)


def from_parquet(
    content: bytes, key: bytes, *, empty: bool = False
) -> tuple[pd.DataFrame, bytes | None]:
    """The cells of a Parquet file, and what its metadata holds under the key."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True)
        size = file.metadata.num_rows * file.metadata.num_columns
        if size > MOST_CELLS:
            raise ValueError(f"it says that it holds {size:,} cells")
        about = (file.schema_arrow.metadata or {}).get(key)
        # what pandas noted for itself is not needed: types are checked column by column
        frame = file.read().to_pandas(ignore_metadata=True)
    except Exception as error:  # pyarrow raises a dozen kinds for a broken file
        raise InputError(f"cannot read it as Parquet ({first_line(error)})") from error
    return _named(frame, empty), about


def _named(frame: pd.DataFrame, empty: bool) -> pd.DataFrame:
    twice = frame.columns[frame.columns.duplicated()].unique()
    if len(twice):
        raise InputError(f"the column {listing(twice)} appears twice")
    if frame.empty and not empty:
        raise InputError("it holds no rows")
    return frame


def column(frame: pd.DataFrame, name: str) -> pd.Series:
    """One column, which must be there."""
    if name not in frame.columns:
        raise InputError(f"the column '{name}' is missing")
    return frame[name]


def texts(frame: pd.DataFrame, name: str) -> list[str]:
    """A column of texts; an empty cell is the empty text."""
    found = []
    for k, cell in enumerate(column(frame, name).astype(object)):
        if not (cell is None or isinstance(cell, str) or cell != cell):
            raise _wrong(name, k, cell, "a text")
        found.append(cell if isinstance(cell, str) else "")
    return found


def words(frame: pd.DataFrame, name: str, allowed: tuple[str, ...]) -> list[str]:
    """A column of texts that are all among a few words."""
    found = texts(frame, name)
    for k, word in enumerate(found):
        if word not in allowed:
            raise _wrong(name, k, word, f"one of {', '.join(allowed)}")
    return found


def numbers(frame: pd.DataFrame, name: str, meaning: str, test: Test) -> Vector:
    """A column of numbers that pass the test; an empty cell is NaN. `meaning` is for sentences."""
    cells = column(frame, name)
    kind = cells.dtype
    if pd.api.types.is_numeric_dtype(kind) and kind.kind in "iuf":
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.array([_number(name, k, cell, meaning) for k, cell in enumerate(cells)])
    with np.errstate(invalid="ignore"):
        wrong = ~test(values)
    if wrong.any():
        k = int(wrong.argmax())
        raise _wrong(name, k, cells.iloc[k], meaning)
    return values


def values(
    frame: pd.DataFrame, name: str, feature: Feature, gaps: NDArray[np.bool_], odd: Any = False
) -> Vector:
    """A column of an input's values in codes; empty cells are missing where there may be `gaps`.

    Rows marked as `odd` may hold anything: people outside the schema.
    """
    if feature.coder is None:
        most = MOST_WHOLE if feature.kind in WHOLE else float(np.finfo(np.float64).max)
        meaning = "a number, or empty where there is no advice" if gaps.any() else "a number"
        found = numbers(
            frame, name, meaning, lambda v: (np.abs(v) <= most) | (np.isnan(v) & (gaps | odd))
        )
        return np.where(np.isnan(found), MISSING, found)
    cells = column(frame, name).astype(object)
    empty = cells.isna().to_numpy() | (cells == "").to_numpy() & (feature.coder.of("") == UNKNOWN)
    codes = feature.coder.encode(cells.where(~empty, None))
    for k in np.flatnonzero(((codes == UNKNOWN) | (empty & ~gaps)) & ~np.asarray(odd)):
        raise _wrong(name, int(k), cells.iloc[k], f"one of {listing(feature.coder.names)}")
    return codes


def _number(name: str, k: int, cell: Any, meaning: str) -> float:
    if cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell)):
        return float("nan")
    # Python would also read 1_000 and other scripts' digits
    if isinstance(cell, str) and cell.isascii() and "_" not in cell:
        try:
            return float(cell or "nan")
        except ValueError:
            pass
    raise _wrong(name, k, cell, meaning)


def _wrong(name: str, k: int, cell: Any, meaning: str) -> InputError:
    if isinstance(cell, np.generic):
        cell = cell.item()
    found = "empty" if cell is None or cell == "" or cell != cell else shown(cell)
    return InputError(f"'{name}' in row {k + 1} is {found} and must be {meaning}")


def labels(frame: pd.DataFrame, name: str, dtype: str, title: Any) -> pd.Index:
    """The people's labels in their own type, each of them once."""
    cells = column(frame, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a date that could be read in two ways
            kind = pd.api.types.pandas_dtype(dtype)
            if kind.kind not in "ObiufMm":
                raise TypeError("people have no such labels")
            if kind.kind == "b":
                cells = cells.map({"True": True, "False": False, True: True, False: False})
                cells = cells.astype("boolean")
            elif kind.kind != "O" and cells.dtype == object:
                cells = cells.where(cells != "", None)  # a CSV leaves it empty
            index: pd.Index = pd.Index(cells.astype(kind).array, name=title)
            twice = index[index.duplicated()].unique()
    except Exception as error:  # pandas has as many kinds of errors as of types
        raise InputError(
            f"'{name}' labels the people and cannot be read as {shown(dtype)} ({first_line(error)})"
        ) from error
    if len(twice):
        raise InputError(f"'{name}' holds {listing(twice)} more than once")
    return index


def rows(frame: pd.DataFrame, name: str, people: pd.Index) -> NDArray[np.intp]:
    """Whose each row is: the place, among the people, of the one that a column names."""
    codes, first = pd.factorize(column(frame, name), use_na_sentinel=False)
    found = labels(pd.DataFrame({name: first}), name, str(people.dtype), None)
    places = people.get_indexer(found)[codes]
    if (places < 0).any():
        k = int((places < 0).argmax())
        raise InputError(f"row {k + 1} names somebody who is not among the people advised")
    return np.asarray(places)
