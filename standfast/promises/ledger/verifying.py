"""Verifying: every hash is computed again, and every row must be named by an event."""

import bisect
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError, type_of
from standfast.promises.ledger import chain, gates, tables
from standfast.promises.ledger.batches import KINDS, count, key_digest, root_of
from standfast.promises.ledger.chain import START, Event
from standfast.promises.ledger.keys import Keyring
from standfast.promises.ledger.opening import definitions, recorded
from standfast.promises.ledger.states import AFTER
from standfast.promises.ledger.store import Store

PAGE = 20_000
DAMAGED = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, struct.error)


@dataclass(frozen=True)
class Verified:
    """Whether nothing was altered; true if so. `event` is the first that does not hold."""

    sound: bool
    sentence: str
    event: int | None = None
    events: int = 0
    decisions: int = 0

    def __bool__(self) -> bool:
        return self.sound


class _AlteredError(Exception):
    """Something does not fit, from this event on."""

    def __init__(self, event: int | None, what: str) -> None:
        super().__init__(what)
        self.event, self.what = event, what


def verify(store: Store, keyring: Keyring, root: str | None = None) -> Verified:
    """Read everything again, in little memory, and say what does not hold first."""
    if root is not None and not isinstance(root, str):
        raise InputError(f"the root is {type_of(root)}; give the text that record_gate gave")
    try:
        with store.reading() as connection:
            walk = _Walk(connection, keyring)
            walk.run(root)
            return Verified(
                True,
                f"The ledger is sound: {walk.events:,} events in one chain, {walk.decisions:,} "
                "decisions as they were written.",
                None,
                walk.events,
                walk.decisions,
            )
    except _AlteredError as found:
        place = "" if found.event is None else f" at event {found.event}"
        return Verified(False, f"The ledger was altered{place}: {found.what}.", found.event)
    except InputError as error:
        return Verified(False, f"The ledger cannot be verified: {error}.")


@dataclass
class _Walk:
    """One pass over the chain, and what its events record."""

    connection: Connection
    keyring: Keyring
    events: int = 0
    decisions: int = 0
    subjects: int = 0
    parts: int = 0
    erased: set[int] = field(default_factory=set)
    marks: list[tuple[int, int, int]] = field(default_factory=list)
    admitted: list[tuple[int, int]] = field(default_factory=list)  # last person, event
    roots: set[str] = field(default_factory=set)

    def run(self, root: str | None) -> None:
        previous = START
        for event in self._events():
            if event.sequence != self.events:
                raise _AlteredError(self.events, "it is missing, or its number was changed")
            if event.previous != previous:
                raise _AlteredError(event.sequence, "it does not follow from the event before")
            if event.hash != event.expected():
                raise _AlteredError(event.sequence, "its content does not have its hash")
            self._check(event)
            previous = event.hash
            self.events += 1
        self._check_end()
        self._check_rows()
        self._check_marks()
        self._check_keys()
        self._check_file()
        if root is not None and root not in self.roots:
            raise _AlteredError(
                None,
                "no gate run has the root that was given; events were removed, or it is the root "
                "of another ledger",
            )

    def _events(self) -> Iterator[Event]:
        walk = chain.walk(self.connection)
        while True:
            try:
                event = next(walk, None)
                if event is not None:
                    event.expected()
            except DAMAGED as error:
                raise _AlteredError(self.events, "it cannot be read") from error
            if event is None:
                return
            yield event

    def _check(self, event: Event) -> None:
        """What an event is about must be there as it says."""
        try:
            content = event.content
            if event.kind in KINDS:
                self._check_batch(event, content)
            elif event.kind == "gate":
                self._check_gate(event)
            elif event.kind in AFTER:
                ranges = [(first, last) for first, last in content["promises"]]
                self.marks += [(first, last, event.sequence) for first, last in ranges]
                if event.kind == "erased":
                    self.erased |= set(content["subjects"])
        except (*DAMAGED, json.JSONDecodeError, InputError) as error:
            raise _AlteredError(event.sequence, "what it records cannot be read") from error

    def _check_batch(self, event: Event, content: dict[str, Any]) -> None:
        first, last = content["decisions"]
        people: list[Any] = []
        if content["subjects"]:
            low, high = content["subjects"]
            people = _run(self.connection, tables.subjects, tables.subjects.c.id, low, high)
            if low != self.subjects + 1 or [row[0] for row in people] != [*range(low, high + 1)]:
                raise _AlteredError(event.sequence, "a person that it records is missing")
            self.subjects = high
            self.admitted.append((high, event.sequence))
        rows = _run(self.connection, tables.decisions, tables.decisions.c.number, first, last)
        if first != self.decisions + 1 or [row[0] for row in rows] != [*range(first, last + 1)]:
            raise _AlteredError(event.sequence, "a decision that it records is missing")
        if root_of(people, rows) != content["root"]:
            raise _AlteredError(event.sequence, "a decision or a person that it records changed")
        self.decisions = last

    def _check_gate(self, event: Event) -> None:
        if not gates.is_sound(self.connection, event):
            raise _AlteredError(event.sequence, "the verdicts of this gate run changed")
        table = tables.verdicts
        query = sa.select(sa.func.count()).where(table.c.gate == event.sequence)
        self.parts += int(self.connection.execute(query).scalar_one())
        self.roots.add(event.content["root"])

    def _check_end(self) -> None:
        try:
            head = chain.read_head(self.connection, self.keyring)
        except (InputError, *DAMAGED) as error:
            raise _AlteredError(
                max(0, self.events - 1), "the chain does not end here as it was sealed"
            ) from error
        if head.sequence != self.events - 1 or count(self.connection, tables.head) != 1:
            raise _AlteredError(self.events, "it is missing: the chain was cut off")

    def _check_rows(self) -> None:
        """No rows beyond those that events record."""
        last = self.events - 1
        for table, known in (
            (tables.decisions, self.decisions),
            (tables.subjects, self.subjects),
            (tables.verdicts, self.parts),
        ):
            if count(self.connection, table) != known:
                raise _AlteredError(last, f"there are {table.name} that no event records")

    def _check_marks(self) -> None:
        total = sum(last - first + 1 for first, last, _ in self.marks)
        known = np.empty((total, 2), dtype=np.int64)
        at = 0
        for first, last, sequence in self.marks:
            n = last - first + 1
            known[at : at + n, 0] = np.arange(first, last + 1)
            known[at : at + n, 1] = sequence
            at += n
        known = known[np.lexsort((known[:, 1], known[:, 0]))]
        at = 0
        query = sa.select(tables.touched).order_by(*tables.touched.primary_key.columns)
        for rows in self.connection.execute(query).partitions(PAGE):
            found = np.array([tuple(row) for row in rows], dtype=object)
            wanted = known[at : at + len(rows)]
            if len(wanted) < len(rows) or (found != wanted).any():
                self._mismatched()
            at += len(rows)
        if at != total:
            self._mismatched()

    def _mismatched(self) -> None:
        first = self.marks[0][2] if self.marks else None
        raise _AlteredError(first, "the list of promises that it, or a later one, records changed")

    def _check_keys(self) -> None:
        """People's keys are as they were made, unless they were erased."""
        table, held = tables.subjects, tables.keys
        query = (
            sa.select(table.c.id, table.c.key_digest, held.c.wrapped)
            .join_from(table, held, table.c.id == held.c.subject, isouter=True)
            .order_by(table.c.id)
        )
        there = 0
        for low in range(1, self.subjects + 1, PAGE):
            page = query.where(table.c.id.between(low, low + PAGE - 1))
            for row in self.connection.execute(page):
                there += row.wrapped is not None
                gone = row.id in self.erased
                sound = row.wrapped is None if gone else _has_key(row)
                if not sound:
                    place = bisect.bisect_left(self.admitted, (row.id, -1))
                    raise _AlteredError(
                        self.admitted[place][1], "a person's key was changed or removed"
                    )
        if count(self.connection, held) != there:
            raise _AlteredError(self.events - 1, "there are keys that no event records")

    def _check_file(self) -> None:
        """SQLite's own opinion of its file: an index that lies would hide people."""
        if self.connection.dialect.name != "sqlite":
            return
        made, fingerprint = recorded(self.connection)
        if fingerprint != definitions(self.connection):
            raise _AlteredError(made, "the tables are not those that it made")
        said = self.connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        if said != ["ok"]:
            raise _AlteredError(None, "the database file is damaged")


def _has_key(row: Any) -> bool:
    return isinstance(row.wrapped, bytes) and key_digest(row.wrapped) == row.key_digest


def _run(connection: Connection, table: sa.Table, column: Any, low: int, high: int) -> list[Any]:
    names = ", ".join(one.name for one in table.columns)
    command = (
        f"SELECT {names} FROM {table.name} WHERE {column.name} BETWEEN :low AND :high "
        f"ORDER BY {column.name}"
    )
    return list(connection.execute(sa.text(command), {"low": low, "high": high}).fetchall())
