"""Tables as the commands read them: some columns left out, every complaint naming its file."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from standfast.cli.console import say_reading
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    import pandas as pd

    from standfast.files.comma_separated import Names
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Let an error say which file it is about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"'{path}': {error}") from error


def from_file(
    path: Path, *, index: str | None = None, names: "Names | None" = None
) -> "pd.DataFrame":
    """A table from a file, as `read_table` takes it; a large one is announced at a terminal."""
    from standfast.files import read_table

    say_reading(path)
    return read_table(path, index=index, names=names)


def percentiles(path: Path, schema: "Schema") -> "Percentiles":
    """The percentiles of a reference table, which may have more columns than the schema."""
    from standfast.percentiles import Percentiles

    reference = from_file(path, names=schema.category_names)
    with about(path):
        inputs = [name for name in schema.names if name in reference]
        schema.matrix(reference[inputs])
        return Percentiles.fit(reference[inputs])


def read(
    table: Path, people: Path, schema: "Schema", drop: Sequence[str], index: str | None
) -> tuple["pd.DataFrame", "pd.DataFrame"]:
    """The reference table and the people, both fitting the schema.

    What is missing or unknown about one person is left to the advice, which says so in their row.
    """
    if index is not None and index in schema.names:
        raise InputError(f"--index {index}: this is an input of the schema; name another column")
    names = schema.category_names
    everybody = from_file(table, names=names)
    alike = table == people and index is None
    asked = everybody if alike else from_file(people, index=index, names=names)
    reference, refused = without(drop, everybody, asked)
    if index in reference.columns:  # both tables may come from one that has labels
        reference = reference.drop(columns=index)
    check(reference, schema, table)
    check_columns(refused.columns, schema, people)
    with about(people):
        schema.judged(refused)
    return reference, refused


def without(columns: Sequence[str], *tables: "pd.DataFrame") -> list["pd.DataFrame"]:
    """The tables without the columns, each of which at least one table must have."""
    for name in columns:
        if not any(name in table.columns for table in tables):
            raise InputError(
                f"--drop {shlex.quote(name)}: there is no such column; there are "
                f"{listing(tables[0].columns, 30)}"
            )
    return [table.drop(columns=[n for n in columns if n in table.columns]) for table in tables]


def check(table: "pd.DataFrame", schema: "Schema", path: Path) -> None:
    """Refuse a table that does not fit the schema, naming the option that helps."""
    check_columns(table.columns, schema, path)
    with about(path):
        schema.matrix(table)
    empty = [name for name in schema.names if len(table) and table[name].isna().all()]
    if empty:
        raise InputError(
            f"'{path}': no row has a value for {listing(empty)}, so nothing can be measured or "
            "learnt from it; leave it out of the table, the schema and the model"
        )


def check_columns(columns: Iterable[object], schema: "Schema", path: Path) -> None:
    """Refuse a table with columns that the schema does not know, naming the option that helps."""
    extra = [str(name) for name in columns if name not in schema.names]
    if extra:
        options = " ".join(f"--drop {shlex.quote(name)}" for name in extra)
        raise InputError(
            f"'{path}' holds {listing(extra)}, which the schema does not know; leave out what is "
            f"not an input ({options}) or add it to the schema"
        )
