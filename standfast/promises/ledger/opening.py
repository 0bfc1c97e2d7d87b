"""Opening and making ledgers: what is there, of which version, and whether the key fits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from standfast.digests import digest
from standfast.errors import InputError
from standfast.promises.ledger import chain, tables, times
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
                f"there is a database at '{store.where}' already; if it is your ledger, use it as "
                "it is, or choose another place"
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


def recorded(connection: sa.Connection) -> tuple[int, str]:
    """The event that last made or changed the tables, and their fingerprint after it."""
    found = chain.event_at(connection, 0)
    for event in chain.walk(connection, "upgraded"):
        found = event
    return found.sequence, str(found.content.get("definitions"))


def enter(store: Store, key: Any) -> Keyring:
    """The keys of the ledger that is there; another key is refused, and nothing is read."""
    with _at(store) as connection:
        if _revision(connection, store.where) != tables.REVISIONS[-1]:
            raise InputError(
                f"ledger '{store.where}' is of an earlier version of standfast; make a copy and "
                "run 'standfast ledger upgrade', or Ledger.upgrade"
            )
        return _keyring(connection, store.where, key)


def upgrade(store: Store, key: Any, at: times.Moment, by: str) -> bool:
    """Bring an earlier version's tables to this one's; whether there was something to do.

    The tables must be those that the ledger made, and an event says what they are afterwards.
    """
    from standfast.promises.ledger.migrations import upgrade as migrate

    with _at(store) as connection:
        before = _revision(connection, store.where)
        keyring = _keyring(connection, store.where, key)
    if before == tables.REVISIONS[-1]:
        return False
    with store.writing() as connection:
        pen = chain.Pen.take(connection, keyring, at, by)
        if recorded(connection)[1] != definitions(connection):
            raise InputError(
                f"ledger '{store.where}' does not have the tables that it made; 'standfast ledger "
                "verify' of the version that wrote it says more"
            )
        migrate(connection)
        content = {"from": before, "to": tables.REVISIONS[-1]}
        pen.append("upgraded", {**content, "definitions": definitions(connection)})
    return True


@contextmanager
def _at(store: Store) -> Iterator[sa.Connection]:
    if store.file is not None and not store.file.is_file():
        raise InputError(
            f"there is no ledger '{store.file}'; make one with 'standfast ledger init' or "
            "Ledger.create"
        )
    with store.reading() as connection:
        yield connection


def _keyring(connection: sa.Connection, where: str, key: Any) -> Keyring:
    """The keys that the first event's salt gives; another key than the ledger's is refused."""
    try:
        content = chain.event_at(connection, 0).content
        newer = content["format"] != FORMAT
        salt, check = (b"" if newer else bytes.fromhex(content[n]) for n in ("salt", "check"))
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"ledger '{where}' is damaged: its first event cannot be read") from error
    if newer:
        raise InputError(f"ledger '{where}' is of a newer version of standfast; upgrade standfast")
    keyring = Keyring.derive(key, salt)
    if keyring.check != check:
        raise InputError(f"ledger '{where}': {WRONG}")
    return keyring


def _revision(connection: sa.Connection, where: str) -> str:
    """Which of the versions that we know made the tables."""
    names = sa.inspect(connection).get_table_names()
    if "alembic_version" not in names or "events" not in names:
        raise InputError(
            f"'{where}' is not a ledger; make one with 'standfast ledger init' or Ledger.create"
        )
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
    if len(found) != 1 or found[0] not in tables.REVISIONS:
        raise InputError(
            f"ledger '{where}' is of a newer version of standfast, or damaged; upgrade standfast"
        )
    return str(found[0])
