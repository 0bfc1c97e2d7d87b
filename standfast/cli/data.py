"""standfast data: which data sets there are, and twins to try things on."""

from pathlib import Path
from typing import Annotated, Any

import typer

from standfast.cli import numbers, options
from standfast.cli.console import say
from standfast.cli.outputs import check_spared
from standfast.cli.schema import check_free, deliver
from standfast.errors import InputError, listing

app = typer.Typer(
    invoke_without_command=True,
    help="List the data sets: what is here, where from, with which digest. Draw twins of them.",
)


def _name(help: str) -> Any:
    return typer.Argument(help=help, metavar="NAME", show_default=False)


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


@app.command()
def twin(
    name: Annotated[str, _name("heloc or give_me_some_credit")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="The .csv or .parquet file to write.", metavar="FILE", show_default=False
        ),
    ],
    rows: Annotated[
        int,
        typer.Option("--rows", help="How many people.", min=1, max=10 * numbers.MANY, metavar="N"),
    ] = 8000,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Same seed, same people.", min=0, max=numbers.SEEDS, metavar="N"
        ),
    ] = 0,
) -> None:
    """Write a table of people who resemble a real set; nobody in it is real.

    The last column, label, is +1 (favourable) or -1.
    """
    from standfast import datasets
    from standfast.files import check_table_path, write_table

    check_spared({"--out": [out]}, _real_sets())
    check_table_path(out)
    people = datasets.twin(name, rows, seed=seed)
    write_table(people.table.assign(label=people.labels), out)
    say(f"wrote {out}: {people.origin}; the column 'label' is 1 (favourable) or -1")
    if out.suffix == ".csv":
        say("a CSV file forgets that its people are not real; Parquet remembers")


@app.command()
def schema(
    name: Annotated[str, _name("heloc, give_me_some_credit, sba_case or german_credit")],
    out: options.SchemaOut = None,
    force: options.Force = False,
) -> None:
    """Write the ready schema of a data set."""
    check_spared({"--out": [out]}, _real_sets())
    check_free(out, force)
    from standfast.datasets.catalogue import SCHEMAS

    if name not in SCHEMAS:
        raise InputError(f"there is no data set {name!r}; there are {listing(SCHEMAS)}")
    deliver(SCHEMAS[name], out, f"as the data set {name} has it")
