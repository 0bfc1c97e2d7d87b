"""Tables in files: CSV (also gzipped) and Parquet, read with care and written whole."""

import io
import re
import warnings
from pathlib import Path

import pandas as pd

from standfast.errors import InputError, first_line
from standfast.files.comma_separated import Names, read_csv
from standfast.files.whole import check_regular, check_writable, read_bytes, write_whole


def read_table(
    path: Path | str, *, index: str | None = None, names: Names | None = None
) -> pd.DataFrame:
    """A table from a CSV (also gzipped) or Parquet file, every column under its own name.

    `index` names the column that labels the rows. Labels keep their spelling: 007 stays 007. Values
    may be separated by commas, semicolons, tabs or '|'; a warning says so if not by commas. `names`
    has the categories of columns (`schema.category_names`): in CSV, 'N/A' and '01' may be such.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"'{path}' is a folder, not a file; name a table in it")
    if not path.exists():
        raise InputError(f"there is no file '{path}'; check the path")
    check_regular(path, "a table")
    try:
        said = ""
        if path.suffix == ".parquet":
            table = _without_decimals(pd.read_parquet(path), index)
        else:
            table, said = read_csv(path, index, names or {})
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read '{path}' as a table: it is not UTF-8 text; save it as CSV in UTF-8, or "
            "as Parquet"
        ) from error
    except pd.errors.EmptyDataError as error:
        raise InputError(
            f"'{path}' is empty; a table needs a header and at least one row"
        ) from error
    except Exception as error:  # pandas and pyarrow raise a dozen kinds for a broken file
        uneven = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if uneven:
            raise InputError(
                f"line {uneven[2]} of '{path}' has {uneven[3]} values instead of {uneven[1]}; "
                "correct it, and put values that hold a separator in double quotes"
            ) from error
        raise InputError(
            f"cannot read '{path}' as a table ({first_line(error)}); expected CSV, "
            "gzipped CSV or Parquet"
        ) from error
    if said:
        warnings.warn(said, stacklevel=2)
    if table.empty:
        raise InputError(f"'{path}' holds no rows; a table needs at least one")
    return table if index is None else _labelled(table, index, path)


def _without_decimals(table: pd.DataFrame, index: str | None) -> pd.DataFrame:
    """The table with money, which Parquet keeps as decimals, as numbers; labels stay."""
    decimals = [
        name
        for j, (name, kind) in enumerate(table.dtypes.items())
        if pd.api.types.is_object_dtype(kind)
        and name != index
        and pd.api.types.infer_dtype(table.iloc[:, j], skipna=True) == "decimal"
    ]
    return table.astype(dict.fromkeys(decimals, "float64")) if decimals else table


def _labelled(table: pd.DataFrame, index: str, path: Path) -> pd.DataFrame:
    if table.index.name == index:
        table = table.reset_index()
    if index not in table.columns:
        raise InputError(f"'{path}' has no column '{index}' to label its rows by")
    labels = table[index]
    empty = labels.isna() | (labels.astype(str) == "")
    if empty.any():
        raise InputError(
            f"column '{index}' of '{path}' labels the rows but is empty in {int(empty.sum())} of "
            "them; fill it"
        )
    if not labels.is_unique:
        twice = labels[labels.duplicated()].iloc[0]
        raise InputError(
            f"column '{index}' of '{path}' holds {twice!r} more than once; every person needs "
            "their own label"
        )
    if path.suffix != ".parquet" and labels.str.fullmatch(r"0|-?[1-9][0-9]{0,17}").all():
        table[index] = labels.astype("int64")
    return table.set_index(index)


def read_parquet(path: Path | str, most: int, what: str) -> pd.DataFrame:
    """A table that a run has left for later, also one without rows."""
    try:
        return pd.read_parquet(io.BytesIO(read_bytes(path, most, what)))
    except InputError:
        raise
    except Exception as error:  # pyarrow raises a dozen kinds for a broken file
        raise InputError(f"cannot read {what} from '{path}': {first_line(error)}") from error


def check_table_path(path: Path | str) -> Path:
    """The path, if its ending names a format for tables and a file can be written there."""
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise InputError(f"'{path}' must end in .parquet or .csv; it says how to write the table")
    return check_writable(path)


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a table whole as CSV or Parquet; Parquet remembers where the table comes from."""
    path = check_table_path(path)
    if path.suffix == ".parquet":
        write_whole(path, lambda file: table.to_parquet(file))
    else:
        write_whole(path, lambda file: table.to_csv(file, index=False))
