"""Reading promises back: block by block, so that a million of them need little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.promises.ledger import people, states, tables
from standfast.promises.ledger.batches import Batch, batches, schema_of
from standfast.promises.ledger.keys import Keyring, opened
from standfast.promises.ledger.packing import Packing
from standfast.promises.ledger.store import Store
from standfast.promises.promise import FACTS, Promises
from standfast.recommendations.boxes import Boxes
from standfast.schema import Schema


@dataclass(eq=False)
class Reader:
    """Reads the promises of one ledger; schemas are read once."""

    store: Store
    keyring: Keyring
    schemas: dict[str, Schema] = field(default_factory=dict)

    def schema(self, connection: Connection, digest: str) -> Schema:
        """A schema by its fingerprint."""
        if digest not in self.schemas:
            self.schemas[digest] = schema_of(connection, digest)
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
                yield joined(waiting)
                waiting, held = [], 0
            waiting.append(found)
            held += len(found)
            while held >= size:
                whole = joined(waiting)
                yield whole[:size]
                rest = whole[size:]
                waiting, held = ([rest], len(rest)) if len(rest) else ([], 0)
        if waiting:
            yield joined(waiting)

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
        table = tables.decisions
        rows = connection.execute(
            sa.select(table)
            .where(table.c.number.between(first, last), table.c.promised == 1)
            .order_by(table.c.number)
        ).all()
        moved = states.reached(connection, first, last, on)
        by_number = {batch.sequence: batch for batch in run}
        kept: list[Any] = []
        for row in rows:
            batch = by_number.get(row.batch)
            if batch is None or row.number in moved or batch.drafted:
                reached = moved.get(row.number)
                if batch is None or not states.state_of(batch, reached, on).open:
                    continue
            kept.append(row)
        return self.promises(connection, kept, by_number, moved)

    def promises(
        self,
        connection: Connection,
        rows: Sequence[Any],
        by_number: dict[int, Batch],
        moved: dict[int, states.State],
    ) -> Promises:
        """Rows as promises; those of people who were erased are left out."""
        schema = self.schema(connection, next(iter(by_number.values())).schema)
        names, wrapped = _people(connection, [row.subject for row in rows])
        rows = [row for row in rows if row.subject in wrapped]
        keys = self.keyring.unwrapped([wrapped[row.subject] for row in rows])
        plain = opened(keys, [row.sealed for row in rows], [row.identity for row in rows])
        X, Y, boxes, _ = Packing(schema).unpacked(plain)
        facts = _facts(rows, by_number)
        facts["subject"] = people.hexadecimal([names[row.subject] for row in rows])
        facts["state"] = [str(moved.get(row.number, states.State.ISSUED)) for row in rows]
        return Promises(schema, X, Y, boxes, facts)


def _people(
    connection: Connection, numbers: Sequence[int]
) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """The pseudonyms and the wrapped keys of people; by runs, since numbers mostly follow."""
    names: dict[int, bytes] = {}
    wrapped: dict[int, bytes] = {}
    table = tables.subjects
    for first, last in _stretches(sorted(set(numbers))):
        rows = connection.execute(
            sa.select(table.c.id, table.c.pseudonym).where(table.c.id.between(first, last))
        )
        names |= {row.id: row.pseudonym for row in rows}
        wrapped |= people.wrapped_keys(connection, first, last)
    return names, wrapped


def _stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of numbers that lie close to each other: one question for each."""
    start = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or numbers[i] - numbers[i - 1] > 1000:
            yield numbers[start], numbers[i - 1]
            start = i


def _facts(rows: Sequence[Any], by_number: dict[int, Batch]) -> pd.DataFrame:
    order = list(by_number)
    place = {sequence: k for k, sequence in enumerate(order)}
    whose = np.array([place[row.batch] for row in rows], dtype=np.intp)
    common = list(by_number.values())
    index = pd.Index([row.number for row in rows], dtype=np.int64, name="promise")

    def told(name: str) -> Any:
        return np.array([getattr(batch, name) for batch in common], dtype=object)[whose]

    def moments(name: str) -> Any:
        values = np.array([getattr(batch, name) for batch in common], dtype=np.int64)[whose]
        return pd.Series(values.view("datetime64[us]"), index=index).dt.tz_localize("UTC")

    def numbers(name: str) -> Any:
        return np.array([getattr(row, name) for row in rows], dtype=np.float64)  # None is NaN

    columns = {
        "subject": "",
        "model": told("model"),
        "method": told("method"),
        "outcome": np.array([row.outcome for row in rows], dtype=object),
        "cost": numbers("cost"),
        "certified": numbers("certified"),
        "confidence": np.array([batch.confidence for batch in common])[whose],
        "issued": moments("at"),
        "valid_until": moments("valid_until"),
        "state": "",
        "months": numbers("months"),
    }
    return pd.DataFrame(columns, index=index)[list(FACTS)]


def joined(parts: Sequence[Promises]) -> Promises:
    """Several blocks as one; the last one's schema counts."""
    if len(parts) == 1:
        return parts[0]
    schema = parts[-1].schema
    boxes = Boxes(
        schema,
        np.vstack([p.boxes.lower for p in parts]),
        np.vstack([p.boxes.upper for p in parts]),
        {j: np.vstack([p.boxes.inside[j] for p in parts]) for j in parts[-1].boxes.inside},
    )
    return Promises(
        schema,
        np.vstack([p.factual for p in parts]),
        np.vstack([p.point for p in parts]),
        boxes,
        pd.concat([p.facts for p in parts]),
    )


def none_of(schema: Schema) -> Promises:
    """No promises."""
    nothing = np.empty((0, len(schema)))
    facts = pd.DataFrame(FACTS, index=pd.RangeIndex(0, name="promise"))
    for moment in ("issued", "valid_until"):
        facts[moment] = pd.Series([], dtype="datetime64[us, UTC]")
    return Promises(schema, nothing, nothing, Boxes.of_points(schema, nothing), facts)
