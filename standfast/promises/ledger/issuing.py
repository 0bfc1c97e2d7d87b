"""Issuing: decisions are sealed and written batch by batch, each once, all or nothing."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.promises.ledger import chain, people, states, tables, times
from standfast.promises.ledger.batches import SIZE, Batch, next_number, root_of
from standfast.promises.ledger.chain import Pen, event_at
from standfast.promises.ledger.contents import Contents
from standfast.promises.ledger.keys import Keyring, sealed
from standfast.promises.ledger.store import Store, among, insert
from standfast.promises.ledger.terms import Issued
from standfast.promises.ledger.times import Period
from standfast.schema import Schema


class Decision(NamedTuple):
    """A row of decisions."""

    number: int
    batch: int
    subject: int
    identity: bytes
    promised: int
    outcome: str
    cost: float | None
    certified: float | None
    months: float
    sealed: bytes


@dataclass(frozen=True, eq=False)
class Issue:
    """One call to issue: what is promised to whom, until when."""

    contents: Contents
    pseudonyms: list[bytes]
    valid_for: times.Period

    def run(self, store: Store, keyring: Keyring) -> Issued:
        """Write what is not yet in the ledger; the same call again goes on where it stopped."""
        n = len(self.pseudonyms)
        numbers = np.zeros(n, dtype=np.int64)
        done = [0, 0, 0]
        for start in range(0, max(n, 1), SIZE):
            rows = slice(start, min(start + SIZE, n))
            part = Part(self, rows, self.contents.part(rows))
            with store.writing() as connection:
                pen = Pen.take(connection, keyring, self.contents.terms.at, self.contents.terms.by)
                found, *counts = part.write(pen)
            numbers[rows] = found
            done = [a + b for a, b in zip(done, counts, strict=True)]
        promises = pd.Series(numbers, self.contents.index, dtype="Int64", name="promise")
        new, already, decisions = done
        draft = self.contents.terms.draft
        return Issued(promises.where(numbers > 0), new, already, decisions, draft)


@dataclass(frozen=True, eq=False)
class Part:
    """One batch of an issue."""

    whole: Issue
    rows: slice
    contents: Contents

    def write(self, pen: Pen) -> tuple[NDArray[np.int64], int, int, int]:
        """The promise numbers, and how many promises were new or there, and decisions new."""
        given, connection = self.contents, pen.connection
        pseudonyms = self.whole.pseudonyms[self.rows]
        check_inputs(connection, given.schema)
        origin = digest([given.schema.digest, given.model, given.method]).encode()
        plain = given.packed()
        identity = [
            pen.keyring.identity(who, origin, text)
            for who, text in zip(pseudonyms, plain, strict=True)
        ]
        there = self._there(connection, pseudonyms, identity, pen.at)
        promised = given.promised
        new = [i for i, one in enumerate(identity) if one not in there]
        new = list({identity[i]: i for i in reversed(new)}.values())[::-1]  # each once
        found = dict(there)
        if new:
            rows = self._rows(pen, new, pseudonyms, (identity, plain))
            found |= {row.identity: row.number for row in rows}
        numbers = np.array([found[one] for one in identity], dtype=np.int64)
        fresh = int(promised[new].sum())
        numbers = np.where(promised, numbers, 0)
        self._replace(pen, numbers, new)
        return numbers, fresh, int(promised.sum()) - fresh, len(new)

    def _there(
        self, connection: Connection, pseudonyms: list[bytes], identity: list[bytes], on: int
    ) -> dict[bytes, int]:
        """Which of these decisions the ledger has, by number; ended promises do not count."""
        known = people.known(connection, pseudonyms)
        if not known:
            return {}
        table = tables.decisions
        rows = connection.execute(
            sa.select(table.c.number, table.c.identity, table.c.batch, table.c.promised)
            .where(among(connection, table.c.subject, [number for number, _ in known.values()]))
            .order_by(table.c.number)
        ).all()
        wanted = set(identity)
        rows = [row for row in rows if row.identity in wanted]
        if not rows:
            return {}
        moved = states.reached(connection, rows[0].number, rows[-1].number)
        own: dict[int, Batch] = {}
        found = {}
        for row in rows:
            if row.batch not in own:
                own[row.batch] = Batch.of(event_at(connection, row.batch))
            state = states.state_of(own[row.batch], moved.get(row.number), on)
            lives = state.open or state in (states.State.DRAFTED, states.State.FULFILLED)
            if lives or (not row.promised and state is not states.State.ERASED):
                found[row.identity] = row.number
        return found

    def _rows(
        self,
        pen: Pen,
        new: list[int],
        pseudonyms: list[bytes],
        content: tuple[list[bytes], list[bytes]],
    ) -> list[Decision]:
        """Write people, decisions and the event about them."""
        given, connection, (identity, plain) = self.contents, pen.connection, content
        declare(pen, given)
        who = people.admit(connection, pen.keyring, [pseudonyms[i] for i in new])
        bound = [identity[i] for i in new]
        texts = sealed(who.keys, [plain[i] for i in new], bound)
        first = next_number(connection, tables.decisions.c.number)
        batch = pen.head.sequence + 1
        every = given.facts
        facts = [every[i] for i in new]
        rows = [
            Decision(first + k, batch, subject, one, *fact, text)
            for k, (subject, one, fact, text) in enumerate(
                zip(who.numbers, bound, facts, texts, strict=True)
            )
        ]
        insert(connection, tables.decisions, rows)
        valid_until = times.later(pen.at, self.whole.valid_for)
        terms = given.terms
        about = {
            **given.about,
            "decisions": [first, first + len(rows) - 1],
            "subjects": [who.new[0].id, who.new[-1].id] if who.new else [],
            "valid_until": valid_until,
            "retain_until": times.later(valid_until, terms.retain_for, "retain_for"),
            "root": root_of(who.new, rows),
        }
        pen.append("drafted" if terms.draft else "issued", about, about=given.model)
        return rows

    def _replace(self, pen: Pen, numbers: NDArray[np.int64], new: list[int]) -> None:
        """Close the promises whose place others take; those that were closed before are left."""
        earlier = self._earlier(pen, numbers)
        if not earlier:
            return
        met = {number for i, each in earlier.items() for number in (int(numbers[i]), *each)}
        at = states.standings(pen.connection, sorted(met), pen.at)
        fresh, pairs = set(new), []
        for i, each in earlier.items():
            mine = int(numbers[i])
            for number in each:
                if number in at and at[number].subject != at[mine].subject:
                    raise InputError(
                        f"promise {number} is another person's, so no promise to "
                        f"{self.contents.index[i]!r} takes its place; check its number"
                    )
                if i in fresh or (number in at and at[number].state in states.FROM["superseded"]):
                    pairs.append([number, mine])
        if pairs:
            kind = "repaired" if self.contents.terms.repairs else "superseded"
            mark(pen, kind, states.check_numbers([old for old, _ in pairs]), {"by": sorted(pairs)})

    def _earlier(self, pen: Pen, numbers: NDArray[np.int64]) -> dict[int, list[int]]:
        """By position, the promises whose place a person's promise takes."""
        if isinstance(self.contents.terms.replaces, str):  # "open"
            found = self._open(pen)
        else:
            found = {i: [number] for i, number in self.contents.replaced.items()}
        own = {i: [n for n in each if n != numbers[i]] for i, each in found.items() if numbers[i]}
        return {i: each for i, each in own.items() if each}

    def _open(self, pen: Pen) -> dict[int, list[int]]:
        """By position, everything that a person may rely on or that is drafted for them."""
        pseudonyms = self.whole.pseudonyms[self.rows]
        known = people.known(pen.connection, pseudonyms)
        table = tables.decisions
        rows = pen.connection.execute(
            sa.select(table.c.number, table.c.subject)
            .where(
                among(pen.connection, table.c.subject, [number for number, _ in known.values()]),
                table.c.promised == 1,
            )
            .order_by(table.c.number)
        ).all()
        at = states.standings(pen.connection, [row.number for row in rows], pen.at)
        theirs: dict[int, list[int]] = {}
        for row in rows:
            if at[row.number].state in states.FROM["superseded"]:
                theirs.setdefault(row.subject, []).append(row.number)
        return {
            i: theirs[known[who][0]]
            for i, who in enumerate(pseudonyms)
            if who in known and known[who][0] in theirs
        }


def mark(pen: Pen, kind: str, promises: list[int], content: dict[str, Any]) -> None:
    """Write an event about some promises, if it follows from where they are."""
    states.check_transitions(pen.connection, promises, kind, pen.at)
    note(pen, kind, promises, content)


def note(pen: Pen, kind: str, promises: list[int], content: dict[str, Any]) -> None:
    """Write an event about some promises, and for each of them that there is one."""
    event = pen.append(kind, {**content, "promises": chain.as_ranges(promises)})
    insert(pen.connection, tables.touched, [(number, event.sequence) for number in promises])


def check_inputs(connection: Connection, schema: Schema) -> None:
    """Refuse a schema whose values mean something else than those of the promises before."""
    if chain.knows(connection, "schema", schema.digest):
        return
    for event in chain.walk(connection, "schema"):
        before = Schema.from_toml(str(event.content["toml"]))
        if meanings(before) != meanings(schema):
            odd = [name for name in schema.names if name not in before.names]
            odd += [name for name in before.names if name not in schema.names]
            what = f"; they differ in {listing(odd)}" if odd else ""
            raise InputError(
                "the ledger was made for another schema: inputs, kinds or categories "
                f"differ{what}; open the ledger of this schema, or make a new one"
            )
        return


def meanings(schema: Schema) -> list[tuple[Any, ...]]:
    """What a row of values says: the inputs in order with their kinds and codes."""
    return [(f.name, f.kind, f.coder.names if f.coder is not None else f.tokens) for f in schema]


def declare(pen: Pen, contents: Contents) -> None:
    """Write down the schema and the origin of the advice, unless the ledger has them."""
    schema = contents.schema
    if not chain.knows(pen.connection, "schema", schema.digest):
        pen.append("schema", {"toml": schema.to_toml()}, about=schema.digest)
    origin = contents.origin
    fingerprint = digest([chain.canonical(origin)])
    if not chain.knows(pen.connection, "origin", fingerprint):
        pen.append("origin", origin, about=fingerprint)


def repair(store: Store, keyring: Keyring, given: Contents, valid_for: Period) -> Issued:
    """Issue what is labelled by promise numbers to the people of those promises."""
    if given.terms.replaces is not None:
        raise InputError("the labels say which promises are repaired; leave replaces out")
    contents = given.advised()
    numbers = contents.index.tolist()
    states.check_numbers(numbers)
    terms = replace(contents.terms, replaces=pd.Series(numbers, contents.index), repairs=True)
    with store.reading() as connection:
        whose = people.of_decisions(connection, numbers)
    absent = [number for number in numbers if number not in whose]
    if absent:
        raise InputError(f"there is no promise {absent[0]} in the ledger; check its number")
    issue = Issue(replace(contents, terms=terms), [whose[n] for n in numbers], valid_for)
    return issue.run(store, keyring)
