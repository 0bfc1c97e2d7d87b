"""standfast recommend with a folder of people: parts in, parts out, at any size."""

import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import tables
from standfast.cli.console import STOPPED, progress_bar, say, stoppable
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    import pandas as pd

    from standfast.files.data_sets import DataFile
    from standfast.methods import Advisor
    from standfast.portfolio import Summary
    from standfast.schema import Schema

EVERY = 30.0  # seconds between lines where standard error is no screen
MOST = 2 / 3  # accepted people: a list of refused ones holds fewer


def is_folder(people: Path, out: Path) -> bool:
    """Whether a run is one over folders: people in one, or advice into one."""
    from standfast.files.data_sets import is_pattern

    whole = people.is_dir() or is_pattern(people)
    if whole and out.suffix in (".csv", ".parquet") and not out.is_dir():
        raise InputError(
            f"--people {people} is a data set, so --out names a folder for the parts of the "
            f"advice, not a file; '{out.with_suffix('')}', say"
        )
    return whole or not out.suffix or (out.is_dir() and out.suffix not in (".csv", ".parquet"))


def check_columns(given: Any, schema: "Schema") -> None:
    """Refuse columns to leave out that no table has, and reference columns nobody can place."""
    from standfast.files.data_sets import UnreadableError, data_files

    known: dict[str, None] = {}
    beside = {*given.drop, given.index, given.keep_column}  # as in the table of people, perhaps
    for file in data_files(given.table):
        keys = [key for key, _ in file.keys]
        columns, labels = _columns(file)
        known |= dict.fromkeys([*columns, *keys])
        left = [name for name in columns if name not in (*beside, *labels, *keys)]
        tables.check_columns(left, schema, file.path)
    for file in data_files(given.people) if given.drop else ():
        try:
            known |= dict.fromkeys([*_columns(file)[0], *(key for key, _ in file.keys)])
        except UnreadableError:  # which the run names, and goes on
            continue
    strangers = [name for name in given.drop if name not in known]
    if strangers:
        raise InputError(
            f"--drop {shlex.quote(strangers[0])}: there is no such column; there are "
            f"{listing(known, 30)}"
        )


def _columns(file: "DataFile") -> tuple[list[str], list[str]]:
    """The columns of a file, and those among them that pandas wrote as an index."""
    from standfast.files.data_sets import open_parquet, read_whole

    if not file.is_parquet:
        return read_whole(file, None).column_names, []
    with open_parquet(file) as opened:
        found = opened.schema_arrow
    return found.names, (found.pandas_metadata or {}).get("index_columns", [])


def shard_of(text: str | None) -> tuple[int, int]:
    """What --shard says: 2/8 is the second of eight.

    >>> shard_of("2/8"), shard_of(None)
    ((2, 8), (1, 1))
    """
    if text is None:
        return 1, 1
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard {text}: write which of how many, such as 2/8; count from 1")
    return int(found[1]), int(found[2])


def run(advisor: "Advisor", given: Any, keep: Any, only: Any) -> None:
    """Advise a data set and say what became of it; exit 1 if something could not be done."""
    from standfast import portfolio

    for name in ("time_limit", "total_time"):
        if getattr(given, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} makes answers depend on the machine, and the parts of "
                "a data set are to be the same in every run; limit the search with --boxes, or "
                "stop the run when you like: the same command continues it"
            )
    with stoppable(), _reporting() as progress:
        try:
            found = portfolio.run(
                advisor,
                given.people,
                given.out,
                jobs=given.jobs,
                rows=given.part_rows or portfolio.ROWS,
                shard=shard_of(given.shard),
                progress=progress,
                trust=given.trust,
                index=given.index,
                seed=given.seed,
                keep=keep or (),
                only=only or (),
                keep_column=given.keep_column,
                drop=given.drop,
            )
        except KeyboardInterrupt:
            say("stopped; finished parts are kept, and the same command continues the run")
            raise typer.Exit(STOPPED) from None
    _summarise(found, given.out)
    if not found.complete:
        raise typer.Exit(1)


def _summarise(found: "Summary", out: Path) -> None:
    from standfast.recommendations import Outcome

    for note in found.notes:
        say(f"note: {note}")
    rate = f"{found.people / found.seconds:,.0f} per second" if found.seconds else ""
    typer.echo(f"{found.sentence}\n")
    for name, count in found.outcomes.items():
        typer.echo(f"{count:>12,} {name:<18} {Outcome(name).sentence}")
    if found.advised:
        typer.echo(f"\nmean cost {found.mean_cost:.4g} (n = {found.advised:,})")
    typer.echo(f"\n{found.people:,} people in {found.seconds:,.1f} s, {rate}; written to {out}")
    total = sum(found.outcomes.values())
    accepted = found.outcomes.get(str(Outcome.ALREADY_FAVOURABLE), 0)
    if accepted > MOST * total:
        say(
            f"warning: {accepted:,} of {total:,} people are already accepted by the model; if you "
            "expected most to be refused, check --favourable"
        )
    for name, why in list(found.failed.items())[:5]:
        say(f"not done: '{name}': {why}")
    if len(found.failed) > 5:
        say(f"not done: {listing(list(found.failed)[5:])}")


@contextmanager
def _reporting() -> Iterator[Callable[[int, int], None]]:
    """A bar with its rate on a screen; elsewhere a line now and then."""
    with progress_bar("people") as bar:
        began = said = time.monotonic()

        def report(done: int, total: int) -> None:
            nonlocal said
            now = time.monotonic()
            rate = done / max(now - began, 1e-9)
            if bar is not None:
                bar(done, total, f"{rate:,.0f} per second")
            elif done and (now - said >= EVERY):
                said = now
                left = (total - done) / rate
                say(f"{done:,} of {total:,} people, {rate:,.0f} per second, {left:,.0f} s left")
                sys.stderr.flush()

        yield report


@contextmanager
def appending(path: Path | None) -> "Iterator[Callable[[pd.DataFrame], None] | None]":
    """Appends rows to a table in a CSV or Parquet file, which is there only when it is whole.

    All rows have the columns and types of the first.
    """
    if path is None:
        yield None
        return
    from standfast.files import check_table_path

    part = check_table_path(path).with_name(f".{path.stem}-part{path.suffix}")
    part.unlink(missing_ok=True)
    writer: Any = None

    def add(rows: "pd.DataFrame") -> None:
        nonlocal writer
        if path.suffix == ".csv":
            rows.to_csv(part, mode="a", header=not part.exists(), index=False)
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = None if writer is None else writer.schema
        table = pa.Table.from_pandas(rows, schema=schema, preserve_index=False)
        if writer is None:
            writer = opened.enter_context(pq.ParquetWriter(part, table.schema))
        writer.write_table(table)

    try:
        with ExitStack() as opened:
            yield add
        if part.exists():
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
