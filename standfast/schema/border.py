"""The border between tables and matrices: what a table must satisfy to come in."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing


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


def columns_of(table: pd.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    """The named columns as a matrix of finite numbers, or one sentence about what is wrong."""
    check_names(table)
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
    if all(dtype.kind in "iufb" for dtype in table.dtypes):  # no column has to be named
        own = table if list(table.columns) == list(names) else table[list(names)]
        X = own.to_numpy(dtype=np.float64, na_value=np.nan)
        if np.isfinite(X).all():
            return X
    X = np.empty((len(table), len(names)))
    for j, name in enumerate(names):
        X[:, j] = _numbers(table[name], table.index)
    return X


def _numbers(column: pd.Series, index: pd.Index) -> NDArray[np.float64]:
    name = column.name
    if isinstance(column.dtype, pd.CategoricalDtype) or not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    ):
        example = next((v for v in column if v is not None), None)
        raise InputError(
            f"column '{name}' holds {column.dtype} values such as {example!r}; a model needs "
            "numbers: encode or convert the column"
        )
    if pd.api.types.is_complex_dtype(column.dtype):
        raise InputError(f"column '{name}' holds complex numbers; a model needs real ones")
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    for bad, what in ((np.isnan(values), "missing"), (np.isinf(values), "infinite")):
        if bad.any():
            rows = listing(index[bad], most=3)
            count = int(bad.sum())
            raise InputError(
                f"column '{name}' holds {count} {what} value{'s' * (count > 1)} "
                f"(row{'s' * (count > 1)} {rows}); drop or fill them before building a table"
            )
    return values


def _noun(names: Sequence[object]) -> str:
    return "the column" if len(names) == 1 else "the columns"
