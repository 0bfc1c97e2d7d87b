"""Writing a repair into the ledger: top-ups in the place of broken promises, or exceptions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import typer

from standfast.cli.command import option, options_class
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.methods.region import Regions
    from standfast.percentiles import Percentiles
    from standfast.promises import Promises
    from standfast.promises.ledger import Ledger
    from standfast.promises.repair import TopUp
    from standfast.scores import Score

PANEL = "Writing into the ledger"


@options_class
class RecordOptions:
    """Which way is written, and who answers for it."""

    record: Literal["top-up", "honour", "waive"] | None = option(
        "Write one way into the ledger for every promise that the model breaks: top-up, new "
        "promises in the place of the old; honour, exceptions until the promises end; waive.",
        "WAY",
        panel=PANEL,
    )
    by: str = option("Who decides; needed to honour and to waive.", "NAME", default="", panel=PANEL)
    why: str = option("The reason; needed to honour and to waive.", "TEXT", default="", panel=PANEL)
    valid_for: str = option(
        "How long you stand by a top-up.", "PERIOD", default="365 days", panel=PANEL
    )

    def check(self, ledger: str | None, on: str | None) -> None:
        """Refuse what cannot be written, before any work."""
        if self.record is None:
            return
        from standfast.promises.ledger import acts, times

        if ledger is None:
            raise InputError("--record needs --ledger: a file of advice records nothing")
        if on is not None:
            raise InputError("--record writes what is broken now; leave --on out")
        if self.record == "top-up":
            times.later(times.instant(None), self.valid_for, "--valid-for")
        else:
            what = "an exception" if self.record == "honour" else "a waiver"
            acts.signed(self.by, self.why, what)


@dataclass(frozen=True, eq=False)
class Recording:
    """Open promises, the model that breaks some, and how one way is written down."""

    given: RecordOptions
    promises: "Promises"
    model: "Score"
    champion: "Score | None"
    percentiles: "Percentiles"
    start: Any
    time_limit: float | None

    def top_up(self, promises: "Promises") -> "TopUp":
        """The cheapest change that makes each broken promise good."""
        from standfast.methods import MinimalCost
        from standfast.promises.repair import top_up

        method = MinimalCost(promises.schema, self.percentiles)
        return top_up(
            promises,
            self.model,
            method,
            champion=self.champion,
            start=self.start,
            time_limit=self.time_limit,
        )

    def write(self, address: str, key: str) -> None:
        """Write the way down, for what is broken and not honoured by exception yet."""
        from standfast.promises.ledger import Ledger, State
        from standfast.promises.repair import broken_by

        broken = self.promises[broken_by(self.model, self.promises)]
        honoured = (broken.facts["state"] == State.HONOURED).to_numpy()
        if honoured.any():
            typer.echo(f"{_counted(int(honoured.sum()))} honoured by exception already: left alone")
        left = broken[~honoured]
        if not len(left):
            typer.echo("nothing was recorded: no other promise is broken")
            return
        with Ledger.open(address, key) as ledger:
            if self.given.record == "top-up":
                self._top_ups(ledger, left)
                return
            by, why, numbers = self.given.by, self.given.why, left.facts.index
            if self.given.record == "honour":
                count = ledger.honour(numbers, by, why, left.facts["valid_until"])
                typer.echo(f"recorded: {_counted(count)} honoured by exception until they end")
            else:
                typer.echo(f"recorded: {_counted(ledger.waive(numbers, by, why))} waived")

    def _top_ups(self, ledger: "Ledger", left: "Promises") -> None:
        from standfast.promises.ledger import Terms

        found = self.top_up(left)
        if found.recommendations is None or not found.recommendations.found.any():
            typer.echo(f"nothing was recorded: {found.sentence}")
            return
        done = ledger.repair(
            found.recommendations,
            regions=self._boxes(left, found),
            valid_for=self.given.valid_for,
            terms=Terms(by=self.given.by),
        )
        typer.echo(f"recorded: {_counted(done.new)} issued, which repair as many broken ones")
        rest = len(left) - int(found.recommendations.found.sum())
        if rest:
            typer.echo(
                f"{_counted(rest)} still broken, without a top-up: honour or waive them "
                "(--record honour, --record waive)"
            )

    def _boxes(self, left: "Promises", found: "TopUp") -> "Regions | None":
        """Boxes around the top-ups, if what they repair were boxes and not points alone."""
        from standfast.methods.region import region
        from standfast.scores import Unanimous

        boxes = left.boxes
        wide = (boxes.lower != boxes.upper) & ~(boxes.lower != boxes.lower)  # not of categories
        several = any((members.sum(axis=1) > 1).any() for members in boxes.inside.values())
        if not (wide.any() or several):
            return None
        assert found.recommendations is not None
        asked = self.model if self.champion is None else Unanimous((self.champion, self.model))
        return region(found.recommendations, asked, self.percentiles)


def _counted(n: int) -> str:
    return f"{n:,} promise{'s' * (n != 1)} {'is' if n == 1 else 'are'}"
