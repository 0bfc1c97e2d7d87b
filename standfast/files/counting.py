"""How often each value of a data set appears: exact counts, part by part."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.files.comma_separated import Names
from standfast.files.data_sets import (
    DataFile,
    blocks,
    data_files,
    is_number,
    open_parquet,
    read_whole,
    with_partition,
)

ROWS = 2**17  # read at a time
WAITING = 2**20  # distinct values of a column that wait to be merged

Tally = tuple[NDArray[Any], NDArray[np.int64]]


class _Numbers:
    """The distinct numbers of a column, ascending, with their counts."""

    def __init__(self) -> None:
        self.parts: list[Tally] = [(np.empty(0), np.empty(0, dtype=np.int64))]

    def add(self, column: "pd.Series[Any]") -> None:
        known = column.dropna().to_numpy(dtype=np.float64)
        self.parts.append(np.unique(known, return_counts=True))
        if sum(len(values) for values, _ in self.parts[1:]) > WAITING:
            self.tally()

    def tally(self) -> Tally:
        every, counts = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        values, where = np.unique(every, return_inverse=True)
        times = np.zeros(len(values), dtype=np.int64)
        np.add.at(times, where, counts)
        self.parts = [(values, times)]
        return values, times


class _Names:
    """The distinct names of a column, in the order of their spelling, with their counts."""

    def __init__(self) -> None:
        self.times: Counter[Any] = Counter()

    def add(self, column: "pd.Series[Any]") -> None:
        self.times.update(column.dropna().astype(object).value_counts().to_dict())

    def tally(self) -> Tally:
        names = sorted(self.times, key=str)
        found = np.empty(len(names), dtype=object)
        found[:] = names
        return found, np.array([self.times[name] for name in names], dtype=np.int64)


def count_values(
    source: Path | str, columns: Sequence[str] | None, names: Names | None = None
) -> tuple[int, dict[str, Tally]]:
    """How many rows a data set has, and for each column its distinct values and their counts.

    Columns of numbers have their values ascending, all others by spelling; gaps are not counted.
    """
    files = data_files(source)
    counters: dict[str, _Numbers | _Names] = {}
    rows = 0
    keys = [key for key, _ in files[0].keys]
    spelt = {key: [dict(file.keys)[key] for file in files] for key in keys}
    numeric = [key for key in keys if all(v is None or is_number(v) for v in spelt[key])]
    for file in files:
        for table in _tables(file, columns, numeric, names):
            taken = list(columns) if columns is not None else list(table.column_names)
            missing = [name for name in taken if name not in table.column_names]
            if missing:
                raise InputError(f"'{file.path}' lacks {listing(missing)}")
            rows += len(table)
            frame = table.select(taken).to_pandas()
            for name in taken:
                _count(counters, frame[name], file)
    if not rows:
        raise InputError(f"'{source}' holds no rows; a reference table needs at least one")
    return rows, {name: counter.tally() for name, counter in counters.items()}


def _count(
    counters: dict[str, _Numbers | _Names], column: "pd.Series[Any]", file: DataFile
) -> None:
    """Add a part of a column to its counter; one of gaps alone says nothing about its kind."""
    name = str(column.name)
    gaps = bool(column.isna().all())
    kind = _Numbers if gaps or pd.api.types.is_numeric_dtype(column.dtype) else _Names
    known = counters.setdefault(name, kind())
    if gaps:
        return
    if type(known) is not kind:
        if len(known.tally()[0]):
            raise InputError(
                f"'{file.path}' holds '{name}' as {column.dtype}, and files before it as another "
                "type; write all files with the same types"
            )
        known = counters[name] = kind()
    known.add(column)


def _tables(
    file: DataFile, columns: Sequence[str] | None, numeric: Sequence[str], names: Names | None
) -> Any:
    keys = [key for key, _ in file.keys]
    if not file.is_parquet:
        yield with_partition(read_whole(file, None, names), file, keys, numeric)
        return
    opened = open_parquet(file)
    wanted = [*(opened.schema_arrow.names if columns is None else columns)]
    every = range(-(-opened.metadata.num_rows // ROWS))
    opened.close()
    wanted += [key for key in keys if key not in wanted]
    for _, table in blocks(file, wanted, ROWS, every, numeric):
        yield table
