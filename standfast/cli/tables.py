"""Tables as the commands read them: some columns left out, every complaint naming its file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from standfast.errors import InputError, listing

if TYPE_CHECKING:
    import pandas as pd

    from standfast.schema import Schema


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Let an error say which file it is about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"'{path}': {error}") from error


def without(columns: Sequence[str], *tables: "pd.DataFrame") -> list["pd.DataFrame"]:
    """The tables without the columns, each of which at least one table must have."""
    for name in columns:
        if not any(name in table.columns for table in tables):
            raise InputError(
                f"--drop {name}: there is no such column; there are "
                f"{listing(tables[0].columns, 30)}"
            )
    return [table.drop(columns=[n for n in columns if n in table.columns]) for table in tables]


def check(table: "pd.DataFrame", schema: "Schema", path: Path) -> None:
    """Refuse a table that does not fit the schema, with the option that helps."""
    extra = [str(name) for name in table.columns if name not in schema.names]
    if extra:
        options = " ".join(f"--drop '{name}'" if " " in name else f"--drop {name}" for name in extra)
        raise InputError(
            f"'{path}' holds {listing(extra)}, which the schema does not know; leave columns out "
            f"with {options}, or add them to the schema"
        )
    with about(path):
        schema.matrix(table)
