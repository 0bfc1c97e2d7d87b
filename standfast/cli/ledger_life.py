"""What happens to promises after they were written down, as commands of standfast ledger."""

import typer

from standfast.cli import numbers
from standfast.cli.command import command, flag, option, options_class
from standfast.cli.ledger_options import LedgerOptions, SignedOptions, on_date
from standfast.errors import InputError


@options_class
class ReleaseOptions(LedgerOptions):
    """The options of standfast ledger release."""

    promise: list[int] = option(
        "The draft's number; may be repeated.", allowed=(1, numbers.PROMISES), default=()
    )
    all: bool = flag("Issue all drafts.")
    by: str = option("Who issues them.", "NAME", default="")


@command
def release(given: ReleaseOptions) -> None:
    """Issue promises that were drafted."""
    if given.all == bool(given.promise):
        raise InputError("say what to issue: --promise N, or --all drafts")
    ledger = given.open()
    drafts = ledger.drafts() if given.all else given.promise
    _say(ledger.release(drafts, by=given.by) if drafts else 0, "issued")


@command
def fulfil(given: SignedOptions) -> None:
    """Record that people did what was asked of them, and were accepted."""
    _say(given.open().fulfil(given.promise, by=given.by), "fulfilled")


@command
def withdraw(given: SignedOptions) -> None:
    """Take promises back: by whom, and why."""
    _say(given.open().withdraw(given.promise, given.by, given.why), "withdrawn")


@command
def waive(given: SignedOptions) -> None:
    """Accept that promises are broken: by whom, and why."""
    _say(given.open().waive(given.promise, given.by, given.why), "waived")


@options_class
class HonourOptions(SignedOptions):
    """The options of standfast ledger honour."""

    until: str = option("The date on which the exception ends.", "DATE")


@command
def honour(given: HonourOptions) -> None:
    """Honour promises by exception, whatever a new model says, until a date."""
    done = given.open().honour(given.promise, given.by, given.why, given.until)
    _say(done, "honoured by exception")


@options_class
class ExpireOptions(LedgerOptions):
    """The options of standfast ledger expire."""

    on: str | None = on_date()


@command
def expire(given: ExpireOptions) -> None:
    """Record which promises have expired."""
    ledger = given.open()
    _say(ledger.expire() if given.on is None else ledger.expire(given.on), "expired")


def _say(count: int, what: str) -> None:
    typer.echo(f"{count:,} promise{'s' * (count != 1)} {what}")
