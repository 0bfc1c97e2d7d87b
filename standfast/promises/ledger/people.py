"""People in the ledger: by pseudonym, each with a key of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.promises.ledger import tables
from standfast.promises.ledger.batches import key_digest, next_number
from standfast.promises.ledger.keys import Keyring
from standfast.promises.ledger.store import among, insert

ONE = sa.text(
    "SELECT s.id, s.pseudonym, k.wrapped FROM subjects s LEFT JOIN keys k ON k.subject = s.id "
    "WHERE s.short = :short ORDER BY s.id"
)


class Person(NamedTuple):
    """A row of subjects."""

    id: int
    short: int
    pseudonym: bytes
    key_digest: bytes


def short_of(pseudonym: bytes) -> int:
    """A pseudonym's beginning as a whole number, for a small index."""
    return int.from_bytes(pseudonym[:8], "little", signed=True)


@dataclass(frozen=True)
class Admitted:
    """Who a batch is about: each person's number and key, and who of them is new."""

    numbers: list[int]
    keys: list[bytes]
    new: list[Person]


def known(
    connection: Connection, pseudonyms: Sequence[bytes]
) -> dict[bytes, tuple[int, bytes | None]]:
    """The people among these whom the ledger knows: number and wrapped key, None if erased."""
    table, held = tables.subjects, tables.keys
    shorts = [short_of(one) for one in pseudonyms]
    rows = connection.execute(
        sa.select(table.c.id, table.c.pseudonym, held.c.wrapped)
        .join_from(table, held, table.c.id == held.c.subject, isouter=True)
        .where(among(connection, table.c.short, shorts))
        .order_by(table.c.id)
    )
    wanted = set(pseudonyms)
    # of somebody who was erased and came back, the last row counts
    return {row.pseudonym: (row.id, row.wrapped) for row in rows if row.pseudonym in wanted}


def admit(connection: Connection, keyring: Keyring, pseudonyms: Sequence[bytes]) -> Admitted:
    """The people by number and key; who is new, or was erased, gets a row and a new key."""
    there = {
        who: (number, wrapped)
        for who, (number, wrapped) in known(connection, pseudonyms).items()
        if wrapped is not None
    }
    old = list(there)
    bare = keyring.unwrapped([there[who][1] for who in old])
    found = {who: (there[who][0], key) for who, key in zip(old, bare, strict=True)}
    strange = [who for who in dict.fromkeys(pseudonyms) if who not in found]
    fresh, wrapped = keyring.wrapped(len(strange))
    first = next_number(connection, tables.subjects.c.id)
    new = [
        Person(first + i, short_of(who), who, key_digest(wrapped[i]))
        for i, who in enumerate(strange)
    ]
    if new:
        insert(connection, tables.subjects, new)
        insert(connection, tables.keys, [(p.id, w) for p, w in zip(new, wrapped, strict=True)])
    found |= {p.pseudonym: (p.id, key) for p, key in zip(new, fresh, strict=True)}
    each = [found[who] for who in pseudonyms]
    return Admitted([number for number, _ in each], [key for _, key in each], new)


def every(connection: Connection, pseudonym: bytes) -> list[tuple[int, bytes | None]]:
    """All numbers that a person has had, each with the wrapped key, None where it was erased."""
    rows = connection.execute(ONE, {"short": short_of(pseudonym)})
    return [(number, wrapped) for number, whose, wrapped in rows if whose == pseudonym]


def latest(connection: Connection, pseudonym: bytes) -> tuple[int, bytes | None] | None:
    """One person's number and wrapped key; None for somebody unknown."""
    found = every(connection, pseudonym)
    return found[-1] if found else None  # of somebody who was erased and came back


def of_decisions(connection: Connection, numbers: Sequence[int]) -> dict[int, bytes]:
    """Whom decisions are about, by their pseudonyms."""
    decisions, subjects = tables.decisions, tables.subjects
    rows = connection.execute(
        sa.select(decisions.c.number, subjects.c.pseudonym)
        .join_from(decisions, subjects, decisions.c.subject == subjects.c.id)
        .where(among(connection, decisions.c.number, numbers))
    )
    return {row.number: row.pseudonym for row in rows}
