"""The chain of events: each carries the hash of the one before, and the last is sealed."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError, type_of
from standfast.promises.ledger import tables, times
from standfast.promises.ledger.keys import Keyring

START = bytes(32)  # what the first event has for a predecessor
SKEW = 60_000_000  # microseconds that two machines' clocks may differ
PAGE = 1000  # events read at a time
DAMAGED = "the end of its chain does not fit; 'standfast ledger verify' says what is wrong"


ONE = sa.text(
    "SELECT sequence, kind, at, actor, about, content, previous, hash FROM events "
    "WHERE sequence = :sequence"
)


def canonical(content: Mapping[str, Any]) -> str:
    """The one way to write a content, so that it has one hash.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


@dataclass(frozen=True)
class Event:
    """Something that happened: what, when (microseconds UTC), by whom, about what."""

    sequence: int
    kind: str
    at: int
    actor: str
    about: str
    text: str
    previous: bytes
    hash: bytes

    def hashed(self) -> "Event":
        """The same event with its own hash."""
        return replace(self, hash=self.expected())

    @property
    def content(self) -> dict[str, Any]:
        """What there is to say of it."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def expected(self) -> bytes:
        """The hash that these fields have."""
        fields = [self.sequence, self.kind, self.at, self.actor, self.about, self.text]
        body = json.dumps([*fields, self.previous.hex()], ensure_ascii=False)
        return hashlib.sha256(body.encode()).digest()


@dataclass(frozen=True)
class Head:
    """The last event: its number, its hash and its time."""

    sequence: int
    hash: bytes
    at: int


def read_head(connection: Connection, keyring: Keyring, *, lock: bool = False) -> Head:
    """Where the chain ends; with `lock` nobody else appends until this transaction is over."""
    query = sa.select(tables.head.c.sequence, tables.head.c.hash, tables.head.c.seal).where(
        tables.head.c.id == 1
    )
    found = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise InputError(f"the ledger is damaged: {DAMAGED}")
    last = sa.select(tables.events.c.at, tables.events.c.hash).where(
        tables.events.c.sequence == found.sequence
    )
    event = connection.execute(last).one_or_none()
    seal = keyring.seal_of_head(_ending(found.sequence, found.hash))
    sound = event is not None and event.hash == found.hash
    if not sound or not hmac.compare_digest(bytes(found.seal), seal):
        raise InputError(f"the ledger is damaged: {DAMAGED}")
    return Head(found.sequence, found.hash, event.at)  # type: ignore[union-attr]


def _ending(sequence: int, hash_: bytes) -> bytes:
    return sequence.to_bytes(8, "little") + hash_


@dataclass
class Pen:
    """Appends events within one transaction, which alone may write."""

    connection: Connection
    keyring: Keyring
    head: Head
    at: int
    actor: str

    @classmethod
    def take(
        cls, connection: Connection, keyring: Keyring, at: times.Moment = None, actor: str = ""
    ) -> "Pen":
        """The pen of a ledger; others wait for it. A time before the last event is refused."""
        if not isinstance(actor, str):
            raise InputError(f"by is {type_of(actor)}; give a name as a text")
        head = read_head(connection, keyring, lock=True)
        moment = times.instant(at, "at")
        if moment < head.at:
            if at is not None:
                raise InputError(
                    f"the time given is {times.said(moment)} and the ledger's last event is of "
                    f"{times.said(head.at)}; events are written in their order"
                )
            if head.at - moment > SKEW:
                raise InputError(
                    f"the clock says {times.said(moment)} and the ledger's last event is of "
                    f"{times.said(head.at)}: the clock goes backwards; set it right"
                )
            moment = head.at
        return cls(connection, keyring, head, moment, actor)

    def append(self, kind: str, content: Mapping[str, Any], about: str = "") -> Event:
        """Write one event at the end of the chain."""
        try:
            text = canonical(content)
            text.encode()
        except (TypeError, ValueError) as error:
            raise InputError(
                f"an event '{kind}' holds something that is not a plain value; give texts, finite "
                "numbers, lists and tables of them"
            ) from error
        number = self.head.sequence + 1
        bare = Event(number, kind, self.at, self.actor, about, text, self.head.hash, b"")
        event = bare.hashed()
        write_event(self.connection, event)
        self.head = Head(event.sequence, event.hash, event.at)
        write_head(self.connection, self.keyring, self.head, first=False)
        return event


def write_event(connection: Connection, event: Event) -> None:
    """One more row of events."""
    row = {name: getattr(event, name) for name in ("sequence", "kind", "at", "actor", "about")}
    more = {"content": event.text, "previous": event.previous, "hash": event.hash}
    connection.execute(sa.insert(tables.events), row | more)


def write_head(connection: Connection, keyring: Keyring, head: Head, *, first: bool) -> None:
    """Say where the chain ends now."""
    seal = keyring.seal_of_head(_ending(head.sequence, head.hash))
    row = {"sequence": head.sequence, "hash": head.hash, "seal": seal}
    if first:
        connection.execute(sa.insert(tables.head), {"id": 1, **row})
    else:
        connection.execute(sa.update(tables.head).where(tables.head.c.id == 1), row)


def walk(connection: Connection, *kinds: str, about: str | None = None) -> Iterator[Event]:
    """Events in their order, a page at a time; those of some kinds, or about one thing."""
    table = tables.events
    query = sa.select(table).order_by(table.c.sequence).limit(PAGE)
    if kinds:
        query = query.where(table.c.kind.in_(kinds))
    if about is not None:
        query = query.where(table.c.about == about)
    after = -1
    while True:
        rows = connection.execute(query.where(table.c.sequence > after)).all()
        for row in rows:
            yield Event(*row)
        if len(rows) < PAGE:
            return
        after = rows[-1].sequence


def knows(connection: Connection, kind: str, about: str) -> bool:
    """Whether an event of a kind is about this thing."""
    return next(walk(connection, kind, about=about), None) is not None


def event_at(connection: Connection, sequence: int) -> Event:
    """One event by its number."""
    row = connection.execute(ONE, {"sequence": sequence}).one_or_none()
    if row is None:
        raise InputError(
            f"event {sequence} is not in the ledger; 'standfast ledger verify' says what is wrong"
        )
    return Event(*row)


def as_ranges(numbers: Any) -> list[list[int]]:
    """Ascending whole numbers as runs of first and last.

    >>> as_ranges([3, 4, 5, 9])
    [[3, 5], [9, 9]]
    """
    found: list[list[int]] = []
    for number in map(int, numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
