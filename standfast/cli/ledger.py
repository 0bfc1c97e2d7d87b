"""standfast ledger: what people were promised, what became of it, and whether it was altered."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import ledger_life as life
from standfast.cli import options, outputs, tables
from standfast.cli.command import command, flag, option
from standfast.cli.console import say, undisturbed
from standfast.cli.ledger_options import (
    LedgerOptions,
    file_of,
    key_in,
    on_date,
    write_key,
)
from standfast.cli.regions import RegionOptions
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.promises import Promises
    from standfast.promises.ledger import Terms

app = typer.Typer(no_args_is_help=True, help="Keep promises: issue, check, show, verify.")


@app.command()
@command
def init(given: LedgerOptions) -> None:
    """Make a new ledger. A key file that does not exist is written, readable by you alone.

    Keep the key apart from the database and its copies: without it nobody can read what people were
    promised, you included.
    """
    from standfast.promises.ledger import Ledger
    from standfast.promises.ledger.store import address_of

    address_of(given.ledger)
    outputs.check_separate({"--key": [given.key]}, [file_of(given.ledger)])
    new = not given.key.exists()
    key = write_key(given.key) if new else key_in(given.key)
    try:
        ledger = Ledger.create(given.ledger, key)
    except InputError:
        if new:
            given.key.unlink(missing_ok=True)  # it belongs to nothing
        raise
    if new:
        say(f"wrote the key to {given.key}; keep it apart from the ledger, and keep a copy")
    typer.echo(f"made the ledger {ledger.where}")


@app.command()
@command
def upgrade(given: LedgerOptions) -> None:
    """Bring a ledger of an earlier version of standfast to this one; make a copy first."""
    from standfast.promises.ledger import Ledger

    done = Ledger.upgrade(given.ledger, key_in(given.key))
    typer.echo("upgraded the ledger" if done else "the ledger is of this version already")


@dataclass(frozen=True, kw_only=True)
class IssueOptions(RegionOptions, LedgerOptions):
    """The options of standfast ledger issue."""

    recommendations: Path = options.recommendations()
    valid_for: str = option("How long you stand by it.", "PERIOD", default="365 days")
    retain_for: str = option("How long to keep the record after that.", "PERIOD", default="3 years")
    reasons: Path | None = option("What 'standfast reasons --out' wrote.", default=None)
    certificate: Path | None = option("What 'standfast certify --out' wrote.", default=None)
    draft: bool = flag("Write the promises down, and issue them later: standfast ledger release.")
    supersede: bool = flag("Let the new promises take the place of the same people's open ones.")
    by: str = option("Who issues them.", "NAME", default="")

    @property
    def terms(self) -> "Terms":
        """In which state, by whom, for how long, and in the place of what."""
        from standfast.promises.ledger import Terms

        return Terms(
            retain_for=self.retain_for,
            replaces="open" if self.supersede else None,
            draft=self.draft,
            by=self.by,
        )


@app.command()
@command
def issue(given: IssueOptions) -> None:
    """Record every decision, and promise the people with advice what it says.

    People are named by the labels of the recommendations (--index of standfast recommend). With
    --model, --favourable and --table a promise is a box around the advice. What is in the ledger
    already is kept once; the same command again goes on where it stopped.
    """
    from standfast.letters import evidence
    from standfast.promises.ledger import Evidence, times
    from standfast.recommendations import Recommendations

    now = times.instant(None)
    times.later(times.later(now, given.valid_for, "--valid-for"), given.retain_for, "--retain-for")
    if given.recommendations.is_dir():
        _issue_folder(given)
        return
    advice = Recommendations.read(given.recommendations)
    certificate, reasons = (
        None if path is None else evidence.read(path, advice, f"write it again: standfast {verb}")
        for path, verb in ((given.certificate, "certify"), (given.reasons, "reasons"))
    )
    beside = Evidence(certificate, reasons)
    ledger, regions = given.open(), given.around(advice)
    done = ledger.issue(
        advice, regions=regions, valid_for=given.valid_for, evidence=beside, terms=given.terms
    )
    typer.echo(done.sentence)


def _issue_folder(given: IssueOptions) -> None:
    """Issue a folder of parts, one after the other."""
    from standfast.portfolio import Advice

    if given.certificate is not None or given.reasons is not None:
        raise InputError(
            "--certificate and --reasons go with a file of advice; issue the parts of the folder "
            "one by one with them"
        )
    ledger = given.open()
    for part in Advice(given.recommendations):
        regions = given.around(part)
        done = ledger.issue(part, regions=regions, valid_for=given.valid_for, terms=given.terms)
        typer.echo(done.sentence)


@dataclass(frozen=True, kw_only=True)
class CheckOptions(LedgerOptions):
    """The options of standfast ledger check."""

    people: Path = option("The people who came back, with their values of today (CSV, Parquet).")
    index: str = option("The column that says who each person is.", "COLUMN")
    on: str | None = on_date()


@app.command()
@command
def check(given: CheckOptions) -> None:
    """Say of each person whether what they were promised is fulfilled; exit 0 if all are."""

    ledger = given.open()
    people = tables.from_file(given.people, index=given.index, names=ledger.category_names())
    every = True
    for i, subject in enumerate(people.index):
        found = ledger.check(subject, people.iloc[[i]], on=given.on)
        every = every and found.fulfilled
        typer.echo(f"{subject}: {found.sentence}")
    raise typer.Exit(0 if every else 1)


@dataclass(frozen=True, kw_only=True)
class ShowOptions(LedgerOptions):
    """The options of standfast ledger show."""

    subject: str | None = option("Show what happened to this person.", "NAME", default=None)
    on: str | None = on_date()


@app.command()
@command
def show(given: ShowOptions) -> None:
    """Show what is open and which models the ledger knows, or one person's history."""
    ledger = given.open()
    if given.subject is not None:
        for line in ledger.history(given.subject).to_dict("records"):
            number = "" if _absent(line["promise"]) else f" {line['promise']}"
            by = f" by {line['by']}" if line["by"] else ""
            typer.echo(f"{line['at']:%Y-%m-%d %H:%M} {line['event']}{number}{by}: {line['note']}")
        return
    count, soonest = 0, []
    for block in ledger.blocks(given.on):
        count += len(block)
        soonest.append(block.facts["valid_until"].min())
    until = f", the soonest ends on {min(soonest):%Y-%m-%d}" if soonest else ""
    typer.echo(f"{count:,} open promise{'s' * (count != 1)}{until}")
    drafts = len(ledger.drafts(given.on))
    if drafts:
        typer.echo(f"{drafts:,} draft{'s' * (drafts != 1)}, not issued yet")
    for line in ledger.models().to_dict("records"):
        name = line["name"] or line["fingerprint"][:12]
        typer.echo(f"  {line['role']}: {name} {line['address']}".rstrip())


def _absent(value: object) -> bool:
    import pandas as pd

    return value is None or value is pd.NA


for _act in (life.release, life.fulfil, life.withdraw, life.waive, life.honour, life.expire):
    app.command()(_act)


@dataclass(frozen=True, kw_only=True)
class EraseOptions(LedgerOptions):
    """The options of standfast ledger erase."""

    subject: str | None = option("Who is to be erased.", "NAME", default=None)
    due: bool = flag("Erase everybody whose decisions need not be kept any longer.")
    by: str = option("Who erases.", "NAME", default="")


@app.command()
@command
def erase(given: EraseOptions) -> None:
    """Delete people's keys, so that nobody can read their rows again; the chain stays valid.

    Copies of the database that were made before still hold the key: erase there too.
    """
    if (given.subject is None) == (not given.due):
        raise InputError("say who is to be erased: --subject NAME, or --due")
    ledger = given.open()
    if given.subject is not None:
        count = ledger.erase(given.subject, by=given.by)
        typer.echo(f"erased one person: {count:,} decision{'s' * (count != 1)} are unreadable now")
    else:
        count = ledger.erase_due(by=given.by)
        typer.echo(f"erased {count:,} {'person' if count == 1 else 'people'}")


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(LedgerOptions):
    """The options of standfast ledger verify."""

    root: str | None = option(
        "The root of a gate run that was stored elsewhere.", "HEX", default=None
    )


@app.command()
@command
def verify(given: VerifyOptions) -> None:
    """Say whether anything was altered, and the first event that does not hold; exit 1 if so."""
    found = given.open().verify(given.root)
    typer.echo(found.sentence)
    raise typer.Exit(0 if found else 1)


@dataclass(frozen=True, kw_only=True)
class ExportOptions(LedgerOptions):
    """The options of standfast ledger export."""

    out: Path = option("The .csv or .parquet file to write.")
    on: str | None = on_date()
    with_values: bool = flag("Add what people's rows hold: where they stood, and the advice.")


@app.command()
@command
def export(given: ExportOptions) -> None:
    """Write the open promises as a table: people by pseudonym, and no values unless asked for."""
    from standfast.files import check_table_path, write_table

    outputs.check_separate({"--out": [given.out]}, given.files)
    check_table_path(given.out)
    promises = given.open().open_promises(given.on)
    table = promises.facts.reset_index()
    if given.with_values:
        table = _with_values(table, promises)
    with undisturbed():
        write_table(table, given.out)
    say(f"wrote {given.out}: {len(table):,} open promise{'s' * (len(table) != 1)}")
    if not given.with_values:
        say("people's values are left out; --with-values adds them")


def _with_values(table: "pd.DataFrame", promises: "Promises") -> "pd.DataFrame":
    import pandas as pd

    parts = (("factual ", promises.factual), ("", promises.point))
    frames = [promises.schema.table(matrix).add_prefix(prefix) for prefix, matrix in parts]
    return pd.concat([table, *frames], axis=1)
