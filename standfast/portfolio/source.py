"""The people of a portfolio: which files there are, what each holds, whether they fit together."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from standfast.digests import digest_of_file
from standfast.errors import InputError, listing
from standfast.files.data_sets import (
    DataFile,
    blocks,
    data_files,
    open_parquet,
    plain,
    read_whole,
    with_partition,
)
from standfast.portfolio.block import Request
from standfast.schema import Schema

OF_PANDAS = "__index_level_"  # how pandas calls the column of an index without a name


@dataclass(frozen=True)
class SourceFile:
    """A file of people: its fingerprint and rows, or why it cannot be read."""

    file: DataFile
    sha256: str
    rows: int
    why: str = ""
    columns: pa.Schema = field(default_factory=lambda: pa.schema([]))

    @property
    def name(self) -> str:
        """The file's name in the data set."""
        return self.file.name

    def count(self, rows: int) -> int:
        """How many blocks of so many rows it is cut into."""
        return -(-self.rows // rows)


@dataclass(frozen=True)
class Source:
    """All files of people, in order, checked against a schema and each other."""

    files: tuple[SourceFile, ...]
    request: Request
    schema: Schema
    label: pa.DataType

    @classmethod
    def of(cls, path: Path | str, request: Request, schema: Schema) -> "Source":
        """The files of a data set; those that cannot be read stay, with the reason."""
        found = data_files(path)
        with ThreadPoolExecutor(4) as pool:  # hashing lets other threads run
            files = tuple(pool.map(lambda one: _looked_at(one, request, schema), found))
        there = [one for one in files if not one.why]
        if not there:
            raise InputError(f"no file of '{path}' can be read: {files[0].why}")
        if not any(one.rows for one in there):
            raise InputError(f"'{path}' holds no people: {_counted(files)}, none with a row")
        for one in there:
            _check_columns(one, there[0], request, schema)
        label = pa.string()
        if request.index is not None:
            label = there[0].columns.field(request.index).type
        return cls(files, request, schema, label)

    @property
    def rows(self) -> int:
        """How many people there are."""
        return sum(one.rows for one in self.files)

    def blocks(
        self, one: SourceFile, rows: int, wanted: Sequence[int]
    ) -> Iterator[tuple[int, pa.Table]]:
        """Some blocks of a file, in order, with the column that labels people."""
        columns = self.request.columns(self.schema)
        for number, table in self._tables(one, columns, rows, set(wanted)):
            if self.request.index is None:
                start = number * rows
                labels = [f"{one.name}:{start + k}" for k in range(len(table))]
                table = table.append_column("person", pa.array(labels, pa.string()))
            yield number, table

    def _tables(
        self, one: SourceFile, columns: list[str], rows: int, wanted: set[int]
    ) -> Iterator[tuple[int, pa.Table]]:
        numeric = [feature.name for feature in self.schema if feature.coder is None]
        if one.file.is_parquet:
            yield from blocks(one.file, columns, rows, wanted, numeric)
            return
        whole = read_whole(one.file, self.request.index, self.schema.category_names)
        table = with_partition(whole, one.file, columns, numeric)
        table = table.select([name for name in columns if name in table.column_names])
        for number in sorted(wanted):
            yield number, table.slice(number * rows, rows)


def _looked_at(file: DataFile, request: Request, schema: Schema) -> SourceFile:
    """What a file holds; why not, if it cannot be read."""
    try:
        sha256 = digest_of_file(file.path)
    except OSError as error:
        return SourceFile(file, "", 0, f"cannot read '{file.path}': {error.strerror}")
    try:
        if file.is_parquet:
            opened = open_parquet(file)
            rows = opened.metadata.num_rows
            empty = plain(opened.schema_arrow.empty_table())
            opened.close()
        else:
            table = read_whole(file, request.index, schema.category_names)
            rows, empty = len(table), table.slice(0, 0)
    except InputError as error:
        return SourceFile(file, sha256, 0, str(error))
    columns = with_partition(empty, file, [key for key, _ in file.keys]).schema
    return SourceFile(file, sha256, rows, "", columns.remove_metadata())


def _check_columns(one: SourceFile, first: SourceFile, request: Request, schema: Schema) -> None:
    """Refuse a file whose columns or types are not those of the first, or not the schema's."""
    needed = request.columns(schema)
    missing = [name for name in needed if name not in one.columns.names]
    if missing:
        has = f", which '{first.name}' has" if missing[0] in first.columns.names else ""
        raise InputError(
            f"'{one.name}' lacks {listing(missing)}{has}; all files of a portfolio have the same "
            f"columns: it has {listing(one.columns.names, 30)}"
        )
    keys = [key for key, _ in one.file.keys]
    own = [n for n in one.columns.names if n not in keys and not n.startswith(OF_PANDAS)]
    request.check_known(own, schema, f"'{one.name}' holds")
    for name in needed:
        mine, theirs = (columns.field(name).type for columns in (one.columns, first.columns))
        exact = name == request.index
        differ = mine != theirs if exact else len({_kind(mine), _kind(theirs)} - {"nothing"}) > 1
        if differ:
            raise InputError(
                f"'{one.name}' holds '{name}' as {mine} and '{first.name}' as {theirs}; write all "
                "files of a portfolio with the same types"
            )


def _kind(found: pa.DataType) -> str:
    """What a type's values are to a schema."""
    if kinds.is_integer(found) or kinds.is_floating(found):
        return "numbers"
    return "nothing" if kinds.is_null(found) else str(found)


def _counted(files: Sequence[Any]) -> str:
    return f"{len(files)} file{'s' * (len(files) > 1)}"
