"""The command line: parse, call the library, print."""

from typing import Annotated

import typer

from standfast.cli import (
    autoencoder,
    bounds,
    certify,
    data,
    fresh,
    gate,
    ledger,
    letter,
    level_set,
    reasons,
    recommend,
    repair,
    schema,
    sense,
    study,
    transfer,
    workbench,
)
from standfast.cli.console import Commands

app = typer.Typer(
    name="standfast",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.add_typer(schema.app, name="schema")
app.command("recommend")(recommend.run)
app.command("reasons")(reasons.run)
app.add_typer(level_set.app, name="level-set")
app.command("transfer")(transfer.run)
app.command("sense")(sense.run)
app.command("bounds")(bounds.run)
app.add_typer(fresh.app, name="fresh")
app.command("certify")(certify.run)
app.command("gate")(gate.run)
app.command("repair")(repair.run)
app.command("letter")(letter.run)
app.add_typer(ledger.app, name="ledger")
app.command("study")(study.run)
app.command("workbench")(workbench.run)
app.add_typer(autoencoder.app, name="autoencoder")
app.add_typer(data.app, name="data")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"standfast {version('standfast')}")
        raise typer.Exit()


@app.callback()
def standfast(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error happened (before the command).")
    ] = False,
) -> None:
    """Recommend to declined people changes that stand when the model changes.

    Try it without data of your own: standfast data twin heloc --out people.csv

    Exit codes: 0 the command ran, 1 a check says no, 2 something given cannot be used, 130 stopped.
    """
