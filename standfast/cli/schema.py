"""standfast schema: a first draft of what the columns mean, for a person to edit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from standfast.cli import options
from standfast.cli.console import say
from standfast.cli.outputs import check_spared
from standfast.cli.tables import about, without
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.schema import Schema

app = typer.Typer(no_args_is_help=True, help="Say what the columns mean and who may move them.")


LabelOut = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="The column that says how each person turned out; it is no input.",
        metavar="COLUMN",
        show_default=False,
    ),
]
IndexOut = Annotated[
    str | None,
    typer.Option(
        "--index",
        help="The column that says who each person is; it is no input.",
        metavar="COLUMN",
        show_default=False,
    ),
]


@app.command()
def infer(
    table: Annotated[
        Path, typer.Argument(help="A CSV or Parquet file", metavar="TABLE", show_default=False)
    ],
    label: LabelOut = None,
    index: IndexOut = None,
    drop: options.Drop = None,
    out: options.SchemaOut = None,
    force: options.Force = False,
) -> None:
    """Draft a schema from a table of at most 10,000 inputs.

    The draft is for you to edit: check the guesses in its comments, say what may not change
    (mutable = false), which way things may move (direction), and uncomment the relations that are
    laws. Columns that look like the label or an identifier are named.
    """
    check_spared({"--out": [out]}, [table])
    check_free(out, force)
    from standfast.files import read_table
    from standfast.schema import Schema

    (frame,) = without(drop or [], read_table(table, index=index))
    with about(table):
        draft = Schema.infer(frame, label=label)
    deliver(draft, out, "a draft: edit who may move what")
    for name, why in draft.draft.suspects.items() if draft.draft else ():
        say(f"check '{name}': it {why}")


def check_free(out: Path | None, force: bool) -> None:
    """Refuse a schema's path that is taken or cannot be written, before any work."""
    if out is None:
        return
    if out.is_file() and not force:
        raise InputError(
            f"'{out}' exists and may hold your edits; choose another path or add --force"
        )
    from standfast.files import check_writable

    check_writable(out)


def deliver(schema: "Schema", out: Path | None, note: str) -> None:
    """Write the schema, or print it where there is no path."""
    if out is None:
        typer.echo(schema.to_toml(), nl=False)
        return
    schema.write(out)
    say(f"wrote {out}: {len(schema)} features, {note}")
