"""Reading promises back: block by block, so that a million of them need little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError
from standfast.promises.ledger import chain, states
from standfast.promises.ledger.batches import Batch, batches
from standfast.promises.ledger.keys import Keyring, opened
from standfast.promises.ledger.packing import Packing
from standfast.promises.ledger.states import State
from standfast.promises.ledger.store import Store
from standfast.promises.promise import FACTS, Promises
from standfast.schema import Schema

# in the order of their numbers; people who were erased have no key any more
OPEN = sa.text(
    "SELECT d.number, d.batch, d.identity, d.outcome, d.cost, d.certified, d.months, d.sealed, "
    "s.pseudonym, k.wrapped FROM decisions d JOIN subjects s ON s.id = d.subject "
    "JOIN keys k ON k.subject = d.subject "
    "WHERE d.number BETWEEN :first AND :last AND d.promised = 1 ORDER BY d.number"
)
COLUMNS = 10


@dataclass(eq=False)
class Reader:
    """Reads the promises of one ledger; schemas are read once."""

    store: Store
    keyring: Keyring
    schemas: dict[str, Schema] = field(default_factory=dict)

    def schema(self, connection: Connection, digest: str) -> Schema:
        """A schema by its fingerprint."""
        if digest not in self.schemas:
            event = next(chain.walk(connection, "schema", about=digest), None)
            if event is None:
                raise InputError(
                    "the ledger lacks the schema of a promise; 'standfast ledger verify' says more"
                )
            self.schemas[digest] = Schema.from_toml(str(event.content["toml"]))
        return self.schemas[digest]

    def blocks(self, on: int, size: int) -> Iterator[Promises]:
        """The promises that are open on a date, so many at a time, in the order of their numbers.

        A block has one schema. Every block is read in a transaction of its own: what is appended
        meanwhile changes none that was there, and a slow reader holds no writer up.
        """
        waiting: list[Promises] = []
        held = 0
        for run in self.runs(on, size):
            with self.store.reading() as connection:
                found = self.open_of(connection, run, on)
            if not len(found):
                continue
            if waiting and waiting[0].schema is not found.schema:
                yield Promises.joined(waiting)
                waiting, held = [], 0
            waiting.append(found)
            held += len(found)
            while held >= size:
                whole = Promises.joined(waiting)
                yield whole[:size]
                rest = whole[size:]
                waiting, held = ([rest], len(rest)) if len(rest) else ([], 0)
        if waiting:
            yield Promises.joined(waiting)

    def runs(self, on: int, size: int) -> Iterator[list[Batch]]:
        """Batches that may hold open promises, in runs of neighbours with one schema."""
        with self.store.reading() as connection:
            live = [b for b in batches(connection) if b.at <= on <= b.valid_until]
        run: list[Batch] = []
        for batch in live:
            apart = run and (batch.first != run[-1].last + 1 or batch.schema != run[0].schema)
            if run and (apart or run[-1].last - run[0].first + 1 >= size):
                yield run
                run = []
            run.append(batch)
        if run:
            yield run

    def open_of(self, connection: Connection, run: Sequence[Batch], on: int) -> Promises:
        """The open promises of neighbouring batches."""
        first, last = run[0].first, run[-1].last
        rows: list[Any] = list(connection.execute(OPEN, {"first": first, "last": last}).fetchall())
        moved = states.reached(connection, first, last, on)
        by_number = {batch.sequence: batch for batch in run}
        if moved or any(batch.drafted for batch in run):
            rows = [
                row
                for row in rows
                if states.state_of(by_number[row[1]], moved.get(row[0]), on).open
            ]
        return self.promises(self.schema(connection, run[0].schema), rows, run, moved)

    def promises(
        self,
        schema: Schema,
        rows: Sequence[Any],
        run: Sequence[Batch],
        moved: dict[int, State],
    ) -> Promises:
        """Rows as promises, decrypted."""
        columns = list(zip(*rows, strict=True)) if rows else [()] * COLUMNS
        numbers, _, identity, *_, sealed, pseudonyms, wrapped = columns
        plain = opened(self.keyring.unwrapped(wrapped), sealed, identity)
        X, Y, boxes, _ = Packing(schema).unpacked(plain)
        facts = _facts(columns, run)
        facts["subject"] = np.array([one.hex() for one in pseudonyms], dtype=object)
        if moved:
            facts["state"] = [str(moved.get(number, State.ISSUED)) for number in numbers]
        return Promises(schema, X, Y, boxes, facts)


def _facts(columns: Sequence[Any], run: Sequence[Batch]) -> pd.DataFrame:
    """What is known of promises beside their values."""
    numbers, batch, _, outcome, cost, certified, months, *_ = columns
    sequences = np.array([one.sequence for one in run], dtype=np.int64)
    whose = np.searchsorted(sequences, np.array(batch, dtype=np.int64))
    index = pd.Index(numbers, dtype=np.int64, name="promise")

    def noted(name: str) -> Any:
        return np.array([getattr(one, name) for one in run], dtype=object)[whose]

    def moments(name: str) -> Any:
        values = np.array([getattr(one, name) for one in run], dtype=np.int64)[whose]
        return pd.Series(values.view("datetime64[us]"), index=index).dt.tz_localize("UTC")

    known = {
        "subject": "",
        "model": noted("model"),
        "method": noted("method"),
        "outcome": np.array(outcome, dtype=object),
        "cost": np.array(cost, dtype=np.float64),  # None is NaN
        "certified": np.array(certified, dtype=np.float64),
        "confidence": np.array([one.confidence for one in run])[whose],
        "issued": moments("at"),
        "valid_until": moments("valid_until"),
        "state": str(State.ISSUED),
        "months": np.array(months, dtype=np.float64),
    }
    return pd.DataFrame(known, index=index)[list(FACTS)]
