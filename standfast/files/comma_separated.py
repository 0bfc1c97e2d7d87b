"""CSV files as they come: which separator, which decimal mark, every column under its own name."""

import csv
import gzip
import io
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError, listing

# every digit of a number must survive a CSV file: pandas 3.1 reads so by default and says so
_FIRST_EXACT = (3, 1)
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= _FIRST_EXACT else {"float_precision": "round_trip"}

SEPARATORS = {",": "','", ";": "';'", "\t": "tabs", "|": "'|'"}
SAMPLE = 1 << 16  # characters of a CSV file that show how its values are separated
_COMMA = r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?"  # a number with a decimal comma, if it has one
_POINT = _COMMA.replace(",", r"\.")
_GROUPED = r"[+-]?[1-9]\d{0,2},\d{3}"  # 1,234 may be a thousand and more, or one and a bit
# what pandas takes for an empty cell (its documentation of read_csv), and for a truth value
_GAPS = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"]
) | {"<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
_TRUTHS = {"TRUE", "true", "FALSE", "false"}
Names = Mapping[str, Iterable[str]]


def read_csv(path: Path, index: str | None, names: Names) -> tuple[pd.DataFrame, str]:
    """The table, and what to say of how it was read, if it is not as usual.

    `names` has each column's categories: 'N/A' or '01' are then what they are.
    """
    separator = _separator(path)
    # the header is read by itself: pandas would rename a repeated column to 'age.1'
    header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str).iloc[0].astype(str)
    if not header.is_unique:
        twice = header[header.duplicated()].iloc[0]
        raise InputError(f"'{path}' holds the column '{twice}' twice; rename or drop one")
    how: dict[str, Any] = {"sep": separator, **_as_named(header, names, index)}
    said = ""
    if separator != ",":
        how["decimal"] = _decimal(path, separator, index)
        mark = " and a comma as the decimal mark" if how["decimal"] == "," else ""
        said = f"'{path}' was read with {SEPARATORS[separator]} between its values{mark}"
    as_spelt = {index: str} if index is not None else None
    # when rows are longer than the header, pandas takes the first column for labels and every value
    # stands under its neighbour's name; with index_col=False it drops the last column and warns
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            table: pd.DataFrame = pd.read_csv(
                path, index_col=False, converters=as_spelt, **how, **EXACT
            )
        except pd.errors.ParserWarning as warning:
            raise InputError(
                f"'{path}' has rows with more values than its header has names; name every column"
            ) from warning
    return table, said


def _as_named(header: "pd.Series[str]", names: Names, index: str | None) -> dict[str, Any]:
    """How to read columns with a category that pandas would take for a gap, number or truth."""
    asked = {column: set(names.get(column, ())) for column in header if column != index}
    texts = {column: found for column, found in asked.items() if any(map(_misread, found))}
    if not texts:
        return {}
    gaps = {column: _GAPS - texts.get(column, set()) for column in asked}
    return {"dtype": dict.fromkeys(texts, str), "keep_default_na": False, "na_values": gaps}


def _misread(name: str) -> bool:
    """Whether a name, read without being known, comes back as something else.

    >>> [name for name in ("own", "7", "N/A", "01", "TRUE", "1e3") if _misread(name)]
    ['N/A', '01', 'TRUE', '1e3']
    """
    if name in _GAPS or name in _TRUTHS:
        return True
    try:
        return str(int(name)) != name
    except ValueError:
        pass
    try:
        return str(float(name)) != name
    except ValueError:
        return False


def _separator(path: Path) -> str:
    """What separates the values: a comma, unless the header and the rows clearly have another."""
    how: dict[str, Any] = {"mode": "rt", "encoding": "utf-8-sig", "newline": ""}
    with gzip.open(path, **how) if path.suffix == ".gz" else path.open(**how) as file:
        text = file.read(SAMPLE)
    lines = list(io.StringIO(text, newline=""))
    if len(text) == SAMPLE and len(lines) > 1:
        lines.pop()  # cut off
    fitting, uneven = {}, []
    for separator in SEPARATORS:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
        width = len(rows[0]) if rows else 0
        if width < 2:
            continue
        # a short row lacks values, and a separator may also end a row
        fine = [1 < len(r) <= width or (len(r) == width + 1 and not r[-1]) for r in rows]
        if all(fine):
            fitting[separator] = width
        elif any(fine[1:]):
            uneven.append(separator)
    most = max(fitting.values(), default=0)
    if len(fitting) > 1 and (list(fitting.values()).count(most) > 1 or fitting.get(",", 0) < most):
        ways = " or by ".join(f"{SEPARATORS[one]} ({n} columns)" for one, n in fitting.items())
        raise InputError(
            f"the values of '{path}' may be separated by {ways}; save it with commas between the "
            "values, and put names and values that hold a comma in double quotes"
        )
    if not fitting and uneven and "," not in uneven:
        raise InputError(
            f"the header of '{path}' is separated by {SEPARATORS[uneven[0]]}, but not all its rows "
            "have as many values; correct these rows, or save the table with commas"
        )
    return max(fitting, key=lambda one: fitting[one], default=",")


def _decimal(path: Path, separator: str, index: str | None) -> str:
    """How decimals are written where commas do not separate values: 1.5 or 1,5."""
    texts = pd.read_csv(path, sep=separator, index_col=False, dtype=str).drop(
        columns=[index], errors="ignore"
    )
    commas, points, clear = [], [], False
    for name in texts.columns:
        values = texts[name].dropna().str.strip()
        split = values[values.str.contains(",", regex=False)]
        if len(split) and values.str.fullmatch(_COMMA).all():
            commas.append(name)
            clear = clear or not split.str.fullmatch(_GROUPED).all()
        elif values.str.contains(".", regex=False).any() and values.str.fullmatch(_POINT).all():
            points.append(name)
    if commas and points:
        raise InputError(
            f"'{path}' writes decimals with a comma in {listing(commas)} and with a point in "
            f"{listing(points)}; write all numbers one way, without separators of thousands"
        )
    if commas and not clear:
        held = texts[commas[0]].dropna().str.strip()
        example = held[held.str.contains(",", regex=False)].iloc[0]
        raise InputError(
            f"column '{commas[0]}' of '{path}' holds '{example}', which may mean "
            f"{example.replace(',', '')} or {example.replace(',', '.')}; write it that way"
        )
    return "," if commas else "."
