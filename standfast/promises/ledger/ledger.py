"""The ledger: what people were promised, what became of it, and proof that nothing was altered."""

import os
from collections.abc import Iterator
from typing import Any

import pandas as pd
import sqlalchemy as sa

from standfast.errors import InputError, check_whole
from standfast.methods.region import Regions
from standfast.promises.ledger import chain, gates, reading, tables, times
from standfast.promises.ledger.chain import START, Event, Head, Pen
from standfast.promises.ledger.contents import Contents
from standfast.promises.ledger.issuing import Issue
from standfast.promises.ledger.keys import WRONG, Keyring
from standfast.promises.ledger.reading import Reader
from standfast.promises.ledger.store import Store
from standfast.promises.ledger.terms import Evidence, Issued, Terms
from standfast.promises.promise import Promises
from standfast.promises.verdict import GateRecord
from standfast.recommendations import Recommendations

FORMAT = 1
BLOCK = 50_000


class Ledger:
    """The record of promises: append-only, tamper-evident, and private.

    A SQLite file by default, a PostgreSQL database by its address. Every event carries the hash of
    the one before. People stand in it by a keyed hash, and what their rows hold is encrypted with a
    key per person; `key` makes and reads both and is never stored.

    >>> import standfast as sf
    >>> from standfast.promises.ledger import new_key
    >>> table = pd.DataFrame({"late": [0, 1, 2, 3]}, index=["ann", "bob", "cem", "dua"])
    >>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(table))
    >>> advice = sf.recommend(best, sf.Linear([-1.0], 1.5), table)
    >>> ledger = Ledger.create("sqlite://", key=new_key())
    >>> ledger.issue(advice, valid_for="365 days")
    <Issued: Issued 2 promises and recorded 2 decisions without advice.>
    >>> len(ledger.open_promises())
    2
    """

    def __init__(self, store: Store, keyring: Keyring) -> None:
        self._store, self._keyring = store, keyring
        self._reader = Reader(store, keyring)

    @classmethod
    def create(cls, url: Any, key: Any, *, at: times.Moment = None) -> "Ledger":
        """A new ledger at a path or an address; one that is there is refused."""
        salt = os.urandom(16)
        keyring = Keyring.derive(key, salt)
        moment = times.instant(at, "at")
        store = Store.at(url)
        from standfast.promises.ledger.migrations import upgrade

        with store.writing() as connection:
            if sa.inspect(connection).get_table_names():
                raise InputError(
                    f"there is a database at '{store.where}' already; open it with Ledger.open, "
                    "or choose another place"
                )
            upgrade(connection)
            content = {"format": FORMAT, "salt": salt.hex(), "check": keyring.check.hex()}
            text = chain.canonical(content)
            bare = Event(0, "created", moment, "", "", text, START, b"")
            first = Event(0, "created", moment, "", "", text, START, bare.expected())
            chain.write_event(connection, first)
            chain.write_head(connection, keyring, Head(0, first.hash, moment), first=True)
        return cls(store, keyring)

    @classmethod
    def open(cls, url: Any, key: Any) -> "Ledger":
        """The ledger at a path or an address, with the key that it was made with."""
        store = Store.at(url)
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
        return cls(store, keyring)

    @property
    def where(self) -> str:
        """The ledger's address, without a password."""
        return self._store.where

    def close(self) -> None:
        """Let go of the database; the ledger can be used again all the same."""
        self._store.close()

    def pseudonym(self, subject: Any) -> str:
        """The keyed hash that stands for a person in this ledger, as 64 hexadecimal digits."""
        return self._keyring.pseudonym(subject).hex()

    # promising

    def issue(
        self,
        recommendations: Recommendations,
        *,
        regions: Regions | None = None,
        valid_for: times.Period = "365 days",
        subjects: Any = None,
        evidence: Evidence | None = None,
        terms: Terms | None = None,
    ) -> Issued:
        """Record the decisions about people, and promise those with advice what it says.

        With `regions` a promise is the whole box, otherwise the advised point alone. `subjects`
        names the people, in order; the labels of the recommendations do it otherwise. A promise
        that is in the ledger already, and has not ended, is kept once. Batches of 20,000 are
        written whole or not at all; the same call again goes on where it stopped.
        """
        contents = Contents.of(recommendations, regions, evidence or Evidence(), terms or Terms())
        names = _named(contents.index, subjects)
        pseudonyms = [self._keyring.pseudonym(name) for name in names]
        times.later(times.instant(contents.terms.at, "at"), valid_for)
        return Issue(contents, pseudonyms, valid_for).run(self._store, self._keyring)

    # reading

    def blocks(self, on: times.Moment = None, size: int = BLOCK) -> Iterator[Promises]:
        """The open promises, so many at a time and in one schema each, in little memory."""
        check_whole(size=size)
        return self._reader.blocks(times.instant(on), size)

    def open_promises(self, on: times.Moment = None) -> Promises:
        """All open promises at once; where schemas differ in bounds or steps, the newest counts."""
        found = list(self.blocks(on))
        if found:
            return reading.joined(found)
        with self._store.reading() as connection:
            known = [event.about for event in chain.walk(connection, "schema")]
            if not known:
                raise InputError("the ledger holds no promises yet; issue some first")
            return reading.none_of(self._reader.schema(connection, known[-1]))

    # gates

    def record_gate(self, record: GateRecord, *, at: times.Moment = None, by: str = "") -> str:
        """Write down a gate run; its Merkle root also covers all that was in the ledger before.

        Store the root elsewhere: as a file, a git note, a model's tag. `verify(root)` compares.
        """
        with self._store.writing() as connection:
            return gates.record(Pen.take(connection, self._keyring, at, by), record)

    def __repr__(self) -> str:
        return f"<Ledger: {self.where}>"


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


def _named(index: pd.Index, subjects: Any) -> list[Any]:
    """Who the people are, in the order of the recommendations."""
    if subjects is None:
        if isinstance(index, pd.MultiIndex):
            raise InputError("people have several labels each; give subjects, one name per person")
        return index.tolist()
    if isinstance(subjects, pd.Series):
        if not subjects.index.equals(index):
            raise InputError("subjects is a Series of other people; label it as the advice is")
        return subjects.tolist()
    if isinstance(subjects, str | bytes) or not hasattr(subjects, "__len__"):
        raise InputError("subjects must be a list with one name per person")
    found = list(subjects)
    if len(found) != len(index):
        raise InputError(
            f"subjects has {len(found)} names for {len(index)} people; give one per person"
        )
    return found
