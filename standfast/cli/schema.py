"""standfast schema: a first draft of what the columns mean, for a person to edit."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from standfast.cli import options
from standfast.cli.command import argument, command, option, options_class
from standfast.cli.console import say
from standfast.cli.outputs import check_separate
from standfast.cli.scores import value_called
from standfast.cli.tables import about, from_file, without
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.schema import Schema

app = typer.Typer(
    no_args_is_help=True, help="Say what the columns mean and how advice may change them."
)


@options_class
class InferOptions(options.SchemaOutput):
    """The options of standfast schema infer."""

    table: Path = argument("A CSV or Parquet file", "TABLE")
    label: str | None = option(
        "The column that says how each person turned out; it is not an input.", "COLUMN"
    )
    favourable: str | None = option(
        "The label people want: 1, Good, …; with it directions are drafted.", "VALUE"
    )
    index: str | None = option(
        "The column that says who each person is; it is not an input.", "COLUMN"
    )
    step: Literal["auto", "decimals"] = option(
        "The steps of amounts: round numbers near one per cent of the inter-quartile range (auto), "
        "or as fine as the table's (decimals).",
        "auto|decimals",
        default="auto",
    )
    drop: list[str] = options.drop()


@app.command()
@command
def infer(given: InferOptions) -> None:
    """Draft a schema from a table of at most 10,000 inputs.

    The draft is for you to edit: check the guesses in its comments, say what may not change
    (mutable = false), which way things may move (direction), and uncomment the relations that are
    laws. With --label and --favourable directions are drafted from the data. Columns that look like
    the label or an identifier are named.
    """
    check_separate({"--out": [given.out]}, [given.table])
    check_free(given)
    from standfast.schema import Schema

    if given.favourable is not None and given.label is None:
        raise InputError("--favourable goes with --label: name the column of labels too")
    (frame,) = without(given.drop, from_file(given.table, index=given.index))
    wanted: object = given.favourable
    if given.label in frame.columns and given.favourable is not None:
        wanted = value_called(given.favourable, frame[given.label].unique().tolist())
    with about(given.table):
        draft = Schema.infer(frame, label=given.label, favourable=wanted, step=given.step)
    deliver(draft, given.out, "a draft: edit what advice may change")
    for name, why in draft.draft.suspects.items() if draft.draft else ():
        say(f"check '{name}': it {why}")


def check_free(given: options.SchemaOutput) -> None:
    """Refuse a schema's path that is taken or cannot be written, before any work."""
    out = given.out
    if out is None:
        return
    if out.is_file() and not given.force:
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
    say(f"wrote {out}: {len(schema)} feature{'s' * (len(schema) != 1)}, {note}")
