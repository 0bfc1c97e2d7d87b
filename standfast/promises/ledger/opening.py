"""Opening and making ledgers: what is there, of which version, and whether the key fits."""

import os
from typing import Any

import sqlalchemy as sa

from standfast.digests import digest
from standfast.errors import InputError
from standfast.promises.ledger import chain, tables
from standfast.promises.ledger.chain import START, Event, Head
from standfast.promises.ledger.keys import WRONG, Keyring
from standfast.promises.ledger.store import Store

FORMAT = 1


def make(store: Store, key: Any, at: int) -> Keyring:
    """The tables and the first event of a new ledger, where there is nothing yet."""
    from standfast.promises.ledger.migrations import upgrade

    salt = os.urandom(16)
    keyring = Keyring.derive(key, salt)
    with store.writing() as connection:
        if sa.inspect(connection).get_table_names():
            raise InputError(
                f"there is a database at '{store.where}' already; open it with Ledger.open, or "
                "choose another place"
            )
        upgrade(connection)
        content = {
            "format": FORMAT,
            "salt": salt.hex(),
            "check": keyring.check.hex(),
            "definitions": definitions(connection),
        }
        text = chain.canonical(content)
        first = Event(0, "created", at, "", "", text, START, b"").hashed()
        chain.write_event(connection, first)
        chain.write_head(connection, keyring, Head(0, first.hash, at), first=True)
    return keyring


def definitions(connection: sa.Connection) -> str:
    """The fingerprint of a SQLite file's tables and indexes: an altered one reads rows otherwise.

    A server's are left to the server; what SQLite notes about sizes does not count.
    """
    if connection.dialect.name != "sqlite":
        return ""
    rows = connection.exec_driver_sql(
        "SELECT type, name, tbl_name, sql FROM sqlite_master "
        "WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name"
    )
    return digest([tuple(row) for row in rows])


def enter(store: Store, key: Any) -> Keyring:
    """The keys of the ledger that is there; another key is refused, and nothing is read."""
    if store.file is not None and not store.file.is_file():
        raise InputError(
            f"there is no ledger '{store.file}'; make one with 'standfast ledger init' or "
            "Ledger.create"
        )
    with store.reading() as connection:
        _check_version(connection, store.where)
        salt, check = _start(connection, store.where)
    keyring = Keyring.derive(key, salt)
    if keyring.check != check:
        raise InputError(f"ledger '{store.where}': {WRONG}")
    return keyring


def _check_version(connection: sa.Connection, where: str) -> None:
    names = sa.inspect(connection).get_table_names()
    if "alembic_version" not in names or "events" not in names:
        raise InputError(
            f"'{where}' is not a ledger; make one with 'standfast ledger init' or Ledger.create"
        )
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
    if found != [tables.REVISION]:
        raise InputError(
            f"ledger '{where}' is of a newer version of standfast, or damaged; upgrade standfast"
        )


def _start(connection: sa.Connection, where: str) -> tuple[bytes, bytes]:
    """The salt and the check of the key, as the first event has them."""
    try:
        first = chain.event_at(connection, 0)
        content = first.content
        if content["format"] != FORMAT:
            raise InputError(
                f"ledger '{where}' is of a newer version of standfast; upgrade standfast"
            )
        return bytes.fromhex(content["salt"]), bytes.fromhex(content["check"])
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, InputError) and "newer" in str(error):
            raise
        raise InputError(f"ledger '{where}' is damaged: its first event cannot be read") from error
