"""standfast repair: what it would cost to make good the promises that a new model breaks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import options, outputs, tables
from standfast.cli.command import command, option
from standfast.cli.console import undisturbed
from standfast.cli.ledger_options import ADDRESS, file_of, key_in, on_date
from standfast.cli.scores import score_of
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.promises import Promises
    from standfast.promises.repair import Honoured, TopUp

FILES = ("repairs.csv", "exceptions.csv", "top_up.parquet")


@dataclass(frozen=True, kw_only=True)
class RepairOptions:
    """The options of standfast repair."""

    recommendations: Path | None = option(
        "Advice as promises: what 'standfast recommend --out' wrote.", default=None
    )
    ledger: str | None = option(f"{ADDRESS} Its open promises are repaired.", default=None)
    key: Path | None = option("The file with the ledger's key.", default=None)
    model: Path = option(f"The model that is to decide from now on: {options.MODEL_FILE}")
    champion: Path | None = option(
        "The model that decided so far: top-ups that both accept are shown, too.", default=None
    )
    favourable: str = options.favourable()
    threshold: float | None = options.threshold()
    table: Path = option("The reference table that changes are measured by (CSV, Parquet).")
    on: str | None = on_date()
    time_limit: float | None = options.time_limit()
    trust: list[str] = options.trust()
    out: Path | None = option(
        "A new folder for the comparison, the exceptions and the top-ups.", "FOLDER", default=None
    )


@command
def run(given: RepairOptions) -> None:
    """Compare ways to make good the promises that a model breaks: top up, or honour.

    Top up: the cheapest further change, from where people were sent and from where they stand.
    Honour: a list of exceptions, and what they risk under the model. Retraining needs the training
    people and is done in Python: standfast.retrain.
    """
    from standfast.files import read_table
    from standfast.methods import MinimalCost
    from standfast.percentiles import Percentiles
    from standfast.promises.repair import compare_repairs, honour, top_up

    _check_out(given)
    promises = _promises(given)
    g, f = (
        None
        if path is None
        else score_of(path, promises.schema, given.trust, given.favourable, given.threshold)
        for path in (given.model, given.champion)
    )
    assert g is not None
    reference = read_table(given.table)
    with tables.about(given.table):
        inputs = [name for name in promises.schema.names if name in reference]
        promises.schema.matrix(reference[inputs])
        percentiles = Percentiles.fit(reference[inputs])
    limit = given.time_limit
    found = compare_repairs(promises, f, g, percentiles, on=given.on, time_limit=limit)
    exceptions = honour(promises, g, on=given.on)
    typer.echo(
        f"{found.dropna(axis=1, how='all').to_string(index=False, float_format='{:.3f}'.format)}"
    )
    typer.echo(f"\n{exceptions.sentence}")
    if given.out is not None:
        method = MinimalCost(promises.schema, percentiles)
        topped = top_up(promises, g, method, champion=f, time_limit=limit)
        typer.echo(topped.sentence)
        _write(given.out, found, exceptions, topped)


def _promises(given: RepairOptions) -> "Promises":
    from standfast.promises import Promises
    from standfast.recommendations import Recommendations

    if (given.recommendations is None) == (given.ledger is None):
        raise InputError(
            "give --recommendations or --ledger, one of them: whose promises to repair"
        )
    if given.recommendations is not None:
        return Promises.of(Recommendations.read(given.recommendations))
    if given.key is None:
        raise InputError("--ledger needs --key, the file with the ledger's key")
    from standfast.promises.ledger import Ledger

    with Ledger.open(given.ledger, key_in(given.key)) as ledger:
        return ledger.open_promises(on=given.on)


def _check_out(given: RepairOptions) -> None:
    """Refuse to write over what is read, or over what is there."""
    ledger = None if given.ledger is None else file_of(given.ledger)
    read = [given.recommendations, given.model, given.champion, given.table, given.key, ledger]
    outputs.check_separate({"--out": [given.out]}, read)
    if given.out is not None and given.out.exists():
        raise InputError(f"--out '{given.out}' is there already; choose a new folder")


def _write(out: Path, found: "pd.DataFrame", exceptions: "Honoured", topped: "TopUp") -> None:
    from standfast.files import write_table

    with undisturbed():
        out.mkdir(parents=True)
        write_table(found, out / FILES[0])
        write_table(exceptions.exceptions.reset_index(), out / FILES[1])
        if topped.recommendations is not None:
            topped.recommendations.write(out / FILES[2])
    typer.echo(f"written to {out}")
