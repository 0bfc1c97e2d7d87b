"""What all commands of standfast ledger are given: the ledger, its key, dates and signatures."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.cli import numbers
from standfast.cli.command import option, options_class
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.promises.ledger import Ledger

ADDRESS = "A SQLite file, or the address of a PostgreSQL database: postgresql+psycopg://…"
MOST = 4096  # bytes of a key file


@options_class
class LedgerOptions:
    """Which ledger, with which key."""

    ledger: str = option(ADDRESS, "LEDGER")
    key: Path = option("The file with the ledger's key: 64 hexadecimal digits.")

    def open(self) -> "Ledger":
        """The ledger, if the key is its own."""
        from standfast.promises.ledger import Ledger

        return Ledger.open(self.ledger, key_in(self.key))

    @property
    def files(self) -> list[Path | None]:
        """The files that the ledger and its key are."""
        return [self.key, file_of(self.ledger)]


@options_class
class SignedOptions(LedgerOptions):
    """Promises, and who answers for what happens to them, and why."""

    promise: list[int] = option(
        "The promise's number; may be repeated.", allowed=(1, numbers.PROMISES), default=()
    )
    by: str = option("Who decides.", "NAME", default="")
    why: str = option("The reason.", "TEXT", default="")


def on_date() -> Any:
    """A day."""
    return option("A day, or a time with its zone; now unless given.", "DATE")


def file_of(address: str) -> Path | None:
    """The file of a ledger, if it is one."""
    if "://" not in address:
        return Path(address)
    name = address.partition("///")[2].partition("?")[0]
    return Path(name) if address.startswith("sqlite") and name else None


def key_in(path: Path) -> str:
    """The key that a file holds."""
    from standfast.files import read_text
    from standfast.promises.ledger.keys import master_of

    text = read_text(path, MOST, "the key").strip()
    try:
        master_of(text)
    except InputError as error:
        raise InputError(f"'{path}': {error}") from error
    return text


def write_key(path: Path) -> str:
    """A new key in a new file that only its owner can read."""
    from standfast.files import check_writable
    from standfast.promises.ledger import new_key

    check_writable(path)
    key = new_key()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key + "\n")
    return key
