"""What figures read from tables: each scene's rows, columns as numbers, methods in order."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from standfast.studies.names import METHODS
from standfast.studies.tables import TIDY, of_scene

Tables = Mapping[str, pd.DataFrame]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


def rows_of(tables: Tables, name: str, data: str = "", reference: str = "") -> pd.DataFrame:
    """A table's rows, of one scene if one is named; none where the study has no such table."""
    table = tables.get(name)
    if table is None or table.empty:
        return pd.DataFrame(columns=list(TIDY[name].columns))
    return of_scene(table, data, reference) if data else table


def scenes(tables: Tables, name: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Data, reference and rows of every scene that a table has, in the table's order."""
    for key, rows in rows_of(tables, name).groupby(["data", "reference"], sort=False):
        data, reference = map(str, key)
        yield data, reference, rows


def numbers(column: Iterable[object]) -> Vector:
    """A column as floats; what is no number is missing."""
    if isinstance(column, pd.Series) and column.dtype in (np.float64, np.int64, np.bool_):
        return np.array(column, dtype=np.float64)  # nothing to look for: they are numbers
    return np.array(pd.to_numeric(pd.Series(list(column)), errors="coerce"), dtype=np.float64)


def finite(column: Iterable[object]) -> Vector:
    """A column's finite numbers."""
    values = numbers(column)
    return values[np.isfinite(values)]


def first(column: Iterable[object]) -> float:
    """The first finite number of a column; missing if there is none."""
    return float(next(iter(finite(column)), np.nan))


def mean(column: Iterable[object]) -> float:
    """The mean of the finite numbers; missing if there are none."""
    values = finite(column)
    return float(values.mean()) if values.size else float("nan")


def ordered(names: Iterable[object], first: Iterable[str] = METHODS) -> list[str]:
    """Every name once: those with a usual place first, the others as they come.

    >>> ordered(["mine", "AR", "GS", "AR"])
    ['GS', 'AR', 'mine']
    """
    given = list(dict.fromkeys(map(str, names)))
    known = [name for name in first if name in given]
    return known + [name for name in given if name not in known]


def each(
    rows: pd.DataFrame, column: str = "method", first: Iterable[str] = METHODS
) -> list[tuple[str, pd.DataFrame]]:
    """Every name in a column, in order, with its rows."""
    codes, found = pd.factorize(rows[column])
    code_of = {name: code for code, name in enumerate(found)}
    none = len(found)  # what is missing has no rows
    return [(name, rows[codes == code_of.get(name, none)]) for name in ordered(rows[column], first)]
