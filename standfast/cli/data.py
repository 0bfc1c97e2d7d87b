"""standfast data: which data sets there are, and twins to try things on."""

from pathlib import Path

import typer

from standfast.cli import numbers, options
from standfast.cli.command import argument, command, option, options_class
from standfast.cli.console import say
from standfast.cli.outputs import check_separate, check_tables
from standfast.cli.schema import check_free, deliver
from standfast.errors import InputError, listing

app = typer.Typer(
    invoke_without_command=True,
    help="List the data sets: what is here, where from, with which digest. Draw twins of them.",
)


@app.callback()
def available(ctx: typer.Context) -> None:
    """List the data sets: what is here, where from, with which digest. Draw twins of them."""
    if ctx.invoked_subcommand is not None:
        return
    import pandas as pd

    from standfast import datasets

    for name, lines in datasets.available().groupby("name", sort=False):
        typer.echo(name)
        for line in lines.to_dict("records"):
            size = "" if pd.isna(line["rows"]) else f", {line['rows']:,} rows"
            where = line["where"] or "not here"
            typer.echo(f"  {line['kind']:5} {where}{size}: {line['note']}")
            if line["digest"]:
                typer.echo(f"        sha256 {line['digest']}")


def _real_sets() -> list[Path | None]:
    """The files of real sets that are here."""
    from standfast.datasets.catalogue import SOURCES

    found = []
    for source in SOURCES:
        try:
            found.append(source.locate())
        except InputError:  # this one is not here
            continue
    return found


@options_class
class TwinOptions:
    """The options of standfast data twin."""

    name: str = argument("heloc, give_me_some_credit or german_credit", "NAME")
    out: Path = option("The .csv or .parquet file to write.")
    rows: int = option("How many people.", allowed=(1, 10 * numbers.MANY), default=8000)
    seed: int = options.seed("people")


@app.command()
@command
def twin(given: TwinOptions) -> None:
    """Write a table of people who resemble a real set; nobody in it is real.

    The last column, label, is +1 (favourable) or -1.
    """
    from standfast import datasets
    from standfast.files import write_table

    check_tables({"--out": given.out}, _real_sets())
    people = datasets.twin(given.name, given.rows, seed=given.seed)
    write_table(people.table.assign(label=people.labels), given.out)
    say(f"wrote {given.out}: {people.origin}; the column 'label' is 1 (favourable) or -1")
    if given.out.suffix == ".csv":
        say("a CSV file does not record that its people are not real; Parquet does")


@options_class
class SchemaOptions(options.SchemaOutput):
    """The options of standfast data schema."""

    name: str = argument("heloc, give_me_some_credit, sba_case or german_credit", "NAME")
    variant: options.Variant = option(
        "Sensible directions and relations, or the paper's schema without directions.",
        "sensible|published",
        default="sensible",
    )


@app.command()
@command
def schema(given: SchemaOptions) -> None:
    """Write the ready schema of a data set."""
    check_separate({"--out": [given.out]}, _real_sets())
    check_free(given)
    from standfast.datasets.catalogue import SCHEMAS

    if given.name not in SCHEMAS:
        raise InputError(f"there is no data set {given.name!r}; there are {listing(SCHEMAS)}")
    made = SCHEMAS[given.name][given.variant]
    deliver(made, given.out, f"as the data set {given.name} has it")
