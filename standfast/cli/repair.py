"""standfast repair: what it would cost to make good the promises that a new model breaks."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from standfast.cli import options, outputs, retraining, tables
from standfast.cli.advice import sources
from standfast.cli.command import command, option, options_class
from standfast.cli.console import undisturbed
from standfast.cli.ledger_options import ADDRESS, key_in, on_date
from standfast.cli.recording import Recording, RecordOptions
from standfast.cli.retraining import LabelledOptions
from standfast.cli.scores import score_asked
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.promises import Promises
    from standfast.promises.repair import Honoured, TopUp

FILES = ("repairs.csv", "exceptions.csv", "top_up.parquet")


@options_class
class RepairOptions(RecordOptions, LabelledOptions):
    """The options of standfast repair."""

    recommendations: Path | None = option(
        "Advice as promises: what 'standfast recommend --out' wrote."
    )
    ledger: str | None = option(f"{ADDRESS} Its open promises are repaired.", "FILE")
    key: Path | None = option("The file with the ledger's key.")
    model: Path = option(f"The model that is to decide from now on: {options.MODEL_FILE}")
    champion: Path | None = option(
        "The model that decided so far: top-ups that both accept are shown, too."
    )
    table: Path = option("The reference table that changes are measured by (CSV, Parquet).")
    start: Literal["advice", "factual"] = option(
        "Where the top-ups start that are written: advice, where people were sent; factual, where "
        "they stood.",
        "PLACE",
        default="advice",
    )
    on: str | None = on_date()
    time_limit: float | None = options.time_limit()
    out: Path | None = option(
        "A new folder for the comparison, the exceptions and the top-ups.", "FOLDER"
    )


@command
def run(given: RepairOptions) -> None:
    """Compare ways to make good the promises that a model breaks: top up, honour, or retrain.

    Top up: the cheapest further change, from where people were sent and from where they stand.
    Honour: a list of exceptions, and what they risk under the model. Retrain (--retrain): the model
    fitted again so that promises hold, share by share, and what that changes for everybody else.
    With --record one way is written into the ledger.
    """
    from standfast.promises.repair import compare_repairs, honour, side_by_side

    _check(given)
    promises = _promises(given)
    if given.ledger is not None and not len(promises):
        typer.echo("There are no open promises, so there is nothing to repair.")
        return
    schema, champion = promises.schema, given.champion
    g = score_asked(given, given.model, schema)
    f = None if champion is None else score_asked(given, champion, schema)
    percentiles = tables.percentiles(given.table, promises.schema)
    again = None
    if given.retrain is not None:
        again = given.retraining(given.model, schema, given.people(given.table, schema))
    limit = given.time_limit
    found = compare_repairs(promises, f, g, percentiles, on=given.on, time_limit=limit)
    if again is not None:
        found = side_by_side(found, again.compared(promises, g))
    exceptions = honour(promises, g, on=given.on)
    typer.echo(
        f"{found.dropna(axis=1, how='all').to_string(index=False, float_format='{:.3f}'.format)}"
    )
    typer.echo(f"\n{exceptions.sentence}")
    recording = Recording(given, promises, g, f, percentiles, given.start, limit)
    if given.out is not None:
        topped = recording.top_up(promises)
        typer.echo(topped.sentence)
        _write(given.out, found, exceptions, topped)
    if given.record is not None:
        assert given.ledger is not None
        assert given.key is not None
        recording.write(given.ledger, key_in(given.key))


def _promises(given: RepairOptions) -> "Promises":
    from standfast.promises import Promises
    from standfast.recommendations import Recommendations

    if given.recommendations is not None:
        return Promises.of(Recommendations.read(given.recommendations))
    assert given.key is not None
    from standfast.promises.ledger import Ledger

    with Ledger.open(given.ledger, key_in(given.key)) as ledger:
        return ledger.open_promises(on=given.on)


def _check(given: RepairOptions) -> None:
    """Refuse options that contradict each other, and to write over what is read or is there."""
    if (given.recommendations is None) == (given.ledger is None):
        raise InputError(
            "give --recommendations or --ledger, one of them: whose promises to repair"
        )
    if given.ledger is not None and given.key is None:
        raise InputError("--ledger needs --key, the file with the ledger's key")
    retraining.check(given, True)
    given.check(given.ledger, given.on)
    files, whole = sources(given.recommendations, given.ledger, given.key)
    files += [given.model, given.champion, given.table, given.retrain]
    outputs.check_separate({"--out": [given.out]}, files, whole)
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
