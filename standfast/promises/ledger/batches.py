"""Batches: the decisions that one event wrote, and all that they have in common."""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError
from standfast.promises.ledger import chain, merkle
from standfast.promises.ledger.chain import Event

KINDS = ("issued", "drafted")
SIZE = 25_000  # decisions in one batch: one transaction, one event
FIXED = struct.Struct("<qqqBddd")
NAN = float("nan")


@dataclass(frozen=True)
class Batch:
    """One batch: its event, the numbers of its decisions and what holds for all of them."""

    sequence: int
    at: int
    drafted: bool
    first: int
    last: int
    valid_until: int
    retain_until: int
    schema: str
    model: str
    method: str
    confidence: float

    @classmethod
    def of(cls, event: Event) -> "Batch":
        """The batch that an event wrote."""
        content = event.content
        try:
            first, last = content["decisions"]
            confidence = content["confidence"]
            return cls(
                event.sequence,
                event.at,
                event.kind == "drafted",
                int(first),
                int(last),
                int(content["valid_until"]),
                int(content["retain_until"]),
                str(content["schema"]),
                str(content["model"]),
                str(content["method"]),
                NAN if confidence is None else float(confidence),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"event {event.sequence} is damaged; 'standfast ledger verify' says more"
            ) from error


def batches(connection: Connection) -> Iterator[Batch]:
    """All batches in their order."""
    return map(Batch.of, chain.walk(connection, *KINDS))


def subject_leaf(row: Sequence[Any]) -> bytes:
    """The hash of a person's row: number, pseudonym, and their key's fingerprint."""
    number, short, pseudonym, digest = row
    return merkle.leaf(struct.pack("<qq", number, short) + pseudonym + digest)


def decision_leaf(row: Sequence[Any]) -> bytes:
    """The hash of a decision's row."""
    number, batch, subject, identity, promised, outcome, cost, certified, months, sealed = row
    known = (NAN if cost is None else cost, NAN if certified is None else certified, months)
    fixed = FIXED.pack(number, batch, subject, promised, *known)
    word = outcome.encode()
    return merkle.leaf(fixed + len(word).to_bytes(2, "little") + word + identity + sealed)


def key_digest(wrapped: bytes) -> bytes:
    """The fingerprint of a wrapped key, by which a changed one is found."""
    return hashlib.sha256(wrapped).digest()


def root_of(people: Sequence[Any], decisions: Sequence[Any]) -> str:
    """The Merkle root over a batch's new people and its decisions."""
    leaves = [*map(subject_leaf, people), *map(decision_leaf, decisions)]
    return merkle.root(leaves).hex()


def next_number(connection: Connection, column: Any) -> int:
    """The number after the largest one that is taken; the first is 1."""
    return int(connection.execute(sa.select(sa.func.max(column))).scalar() or 0) + 1


def count(connection: Connection, table: sa.Table) -> int:
    """How many rows a table has."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
