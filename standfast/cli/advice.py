"""Where commands that judge advice take it from: a file, or a ledger's open promises."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from standfast.cli.command import argument, option, options_class
from standfast.cli.console import say
from standfast.cli.ledger_options import ADDRESS, file_of, key_in, on_date
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.recommendations import Recommendations

PANEL = "Instead of a file of advice"


def check_key(ledger: str | None, key: Path | None) -> None:
    """Refuse a ledger without its key, and a key without its ledger."""
    if (ledger is None) != (key is None):
        raise InputError("--ledger and --key go together: the key reads what people were promised")


def sources(
    advice: Path | None, ledger: str | None, key: Path | None
) -> tuple[list[Path | None], list[Path | None]]:
    """The files, and the folder if it is one, that advice or a ledger's promises are read from."""
    from standfast.recommendations.storage import parts

    if advice is None:
        return [key, file_of(str(ledger))], []
    return ([], [advice]) if advice.is_dir() else ([*parts(advice)], [])


@options_class
class AdviceOptions:
    """A file of advice, or a ledger with its key."""

    recommendations: Path | None = argument(
        "What 'standfast recommend --out' wrote: .csv, .parquet or a folder; or give --ledger.",
        "RECOMMENDATIONS",
    )
    ledger: str | None = option(ADDRESS, "LEDGER", panel=PANEL)
    key: Path | None = option("The file with the ledger's key.", panel=PANEL)
    on: str | None = on_date()

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if (self.recommendations is None) == (self.ledger is None):
            raise InputError("name the advice: either a file of recommendations, or --ledger")
        check_key(self.ledger, self.key)

    @property
    def is_folder(self) -> bool:
        """Whether the advice is a folder of parts, which is read part by part."""
        return self.recommendations is not None and self.recommendations.is_dir()

    def sources(self) -> tuple[list[Path | None], list[Path | None]]:
        """The files and the folder that are read."""
        return sources(self.recommendations, self.ledger, self.key)

    def advice(self) -> "Recommendations":
        """The advice; of a ledger, the points of its open promises."""
        if self.recommendations is not None:
            from standfast.recommendations import Recommendations

            return Recommendations.read(self.recommendations)
        from standfast.promises.advice import advice_of
        from standfast.promises.ledger import Ledger

        assert self.ledger is not None
        assert self.key is not None
        say(
            "note: the ledger knows the model that made a promise, not others that searched or "
            "chose; only a file of advice shows whether those are among the models given"
        )
        ledger = Ledger.open(self.ledger, key_in(self.key))
        return advice_of(ledger.open_promises(self.on))

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let an error say which advice it is about."""
        try:
            yield
        except InputError as error:
            where = f"'{self.recommendations}'" if self.ledger is None else "the ledger"
            raise InputError(f"{where}: {error}") from error
