"""Data sets: tables in several files, by a file, a folder, hive partitions or a pattern."""

import glob
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from standfast.errors import InputError, first_line, listing
from standfast.files.comma_separated import Names
from standfast.files.tables import read_table
from standfast.files.whole import check_regular

PARQUET = (".parquet", ".parq", ".pq")
CSV = (".csv", ".csv.gz")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
BUFFER = 2**20  # bytes of a column that are read at a time


class UnreadableError(InputError):
    """A file of a data set is broken; others may not be."""


@dataclass(frozen=True)
class DataFile:
    """One file of a data set: its path, its name in the set, and its partition's keys and values.

    A value is a text as the folder's name spells it, or None where the folder says that it is
    missing.
    """

    path: Path
    name: str
    keys: tuple[tuple[str, str | None], ...] = ()

    @property
    def is_parquet(self) -> bool:
        """Whether it holds Parquet; otherwise it is CSV."""
        return self.path.name.endswith(PARQUET)


def is_pattern(source: Path | str) -> bool:
    """Whether a source names files by a pattern such as people/*.parquet."""
    return bool(re.search(r"[*?\[]", str(source))) and not Path(source).exists()


def data_files(source: Path | str) -> list[DataFile]:
    """The files of a data set in the order of their names.

    A folder is searched with all below it, without files and folders whose names begin with a dot
    or an underscore, which engines keep for themselves. Folders called key=value are partitions.
    """
    path = Path(source)
    if is_pattern(source):
        root = Path(*_fixed(path))
        found = [Path(one) for one in glob.glob(str(source), recursive=True)]
        what = f"no file is called '{source}'"
    elif path.is_dir():
        root, found = path, list(path.rglob("*"))
        what = f"there is no table in '{source}'"
    elif not path.exists():
        raise InputError(f"there is no file or folder '{source}'; check the path")
    else:
        check_regular(path, "a table")
        return [DataFile(path, path.name)]
    files = []
    for one in found:
        inside = one.relative_to(root)
        hidden = any(part.startswith((".", "_")) for part in inside.parts)
        if one.name.endswith((*PARQUET, *CSV)) and not hidden and one.is_file():
            files.append(DataFile(one, inside.as_posix(), _keys(inside)))
    if not files:
        raise InputError(f"{what}: name files that end in .parquet, .csv or .csv.gz")
    files.sort(key=lambda one: one.name)
    names = [[key for key, _ in one.keys] for one in files]
    odd = next((k for k, found_here in enumerate(names) if found_here != names[0]), None)
    if odd is not None:
        raise InputError(
            f"'{files[0].name}' lies in partitions by {listing(names[0]) or 'nothing'} and "
            f"'{files[odd].name}' by {listing(names[odd]) or 'nothing'}; a data set has "
            "one kind of partition"
        )
    return files


def _fixed(path: Path) -> list[str]:
    """The part of a pattern before its first wildcard."""
    parts = list(path.parts)
    first = next(k for k, part in enumerate(parts) if re.search(r"[*?\[]", part))
    return parts[:first]


def _keys(inside: Path) -> tuple[tuple[str, str | None], ...]:
    pairs = [part.split("=", 1) for part in inside.parent.parts if "=" in part]
    return tuple(
        (unquote(key), None if value == NO_VALUE else unquote(value)) for key, value in pairs
    )


@contextmanager
def readable(file: DataFile) -> Iterator[None]:
    """Whatever pyarrow raises about a broken file, in one sentence that names it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # pyarrow raises a dozen kinds for a broken file
        raise UnreadableError(f"cannot read '{file.path}' ({first_line(error)})") from error


def open_parquet(file: DataFile) -> Any:
    """The file, its metadata read, its columns to be read in pieces."""
    import pyarrow.parquet as pq

    with readable(file):
        return pq.ParquetFile(file.path, buffer_size=BUFFER, page_checksum_verification=True)


def with_partition(
    table: Any, file: DataFile, columns: Collection[str], numeric: Collection[str] = ()
) -> Any:
    """The table with those columns that the file's partition says for all its rows.

    Values are texts, those of `numeric` keys numbers.
    """
    import pyarrow as pa

    for key, value in file.keys:
        if key in columns and key not in table.column_names:
            if key in numeric and value is not None and is_number(value):
                column = pa.array([float(value)] * len(table), pa.float64())
            else:
                column = pa.array([value] * len(table), pa.string())
            table = table.append_column(key, column)
    return table


def is_number(text: str) -> bool:
    """Whether a text is how a number is written.

    >>> is_number("12.5"), is_number("north"), is_number("1_000")
    (True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text.isascii()


def plain(table: Any) -> Any:
    """The table with texts as texts, not as places in a dictionary, and money as numbers."""
    import pyarrow as pa
    import pyarrow.types as kinds

    for j, one in enumerate(table.schema):
        kind = one.type.value_type if kinds.is_dictionary(one.type) else one.type
        if kinds.is_decimal(kind):  # by its digits: the direct cast is off by the last bit
            digits = table.column(j).cast(kind).cast(pa.string())
            table, kind = table.set_column(j, one.name, digits), pa.float64()
        elif kinds.is_large_string(kind) or kinds.is_string_view(kind):
            kind = pa.string()
        if kind != one.type:
            table = table.set_column(j, one.name, table.column(j).cast(kind))
    return table


def read_whole(file: DataFile, index: str | None, names: Names | None = None) -> Any:
    """A CSV file as a table; it is read at once, for its types show only in all its rows."""
    import pyarrow as pa

    table = read_table(file.path, index=index, names=names)
    if index is not None:
        table = table.reset_index()
    with readable(file):
        return plain(pa.Table.from_pandas(table, preserve_index=False))


def blocks(
    file: DataFile,
    columns: list[str],
    rows: int,
    wanted: Collection[int],
    numeric: Collection[str] = (),
) -> Iterator[Any]:
    """Some of the blocks of so many rows that a Parquet file is cut into, as (number, table).

    What no wanted block needs is not read, by row groups; memory holds about one block.
    """
    import pyarrow as pa

    source, start, held = open_parquet(file), 0, list[Any]()
    there = set(source.schema_arrow.names)
    asked = [name for name in columns if name in there]
    total = source.metadata.num_rows
    for group in range(source.metadata.num_row_groups):
        size = source.metadata.row_group(group).num_rows
        inside = range(start // rows, (start + size - 1) // rows + 1)
        if not any(number in wanted for number in inside):
            start += size
            continue
        batches = source.iter_batches(batch_size=rows, row_groups=[group], columns=asked)
        while True:
            with readable(file):
                batch = next(batches, None)
            if batch is None:
                break
            while len(batch):
                number = start // rows
                taken = min(len(batch), (number + 1) * rows - start)
                start += taken
                if number in wanted:
                    held.append(batch.slice(0, taken))
                    if start == min((number + 1) * rows, total):
                        with readable(file):
                            table = plain(pa.Table.from_batches(held)).combine_chunks()
                        held = []
                        yield number, with_partition(table, file, columns, numeric)
                batch = batch.slice(taken)
    source.close()
