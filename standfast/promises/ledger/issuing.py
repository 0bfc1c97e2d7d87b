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
from standfast.promises.ledger.batches import SIZE, next_number, root_of
from standfast.promises.ledger.chain import Pen
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
        terms, numbers, counts = self.contents.terms, [], np.zeros(3, dtype=np.int64)
        for start in range(0, len(self.pseudonyms), SIZE):
            rows = slice(start, start + SIZE)
            part = replace(
                self, contents=self.contents.part(rows), pseudonyms=self.pseudonyms[rows]
            )
            with store.writing() as connection:
                found, *more = part.write(Pen.take(connection, keyring, terms.at, terms.by))
            numbers.append(found)
            counts += more
        each = pd.Series(np.concatenate(numbers), self.contents.index, "Int64", "promise")
        new, already, decisions = counts.tolist()
        return Issued(each.where(each > 0), new, already, decisions, terms.draft)

    def write(self, pen: Pen) -> tuple[NDArray[np.int64], int, int, int]:
        """Write it as one batch: promise numbers, how many promises are new or there, decisions."""
        given, connection = self.contents, pen.connection
        check_inputs(connection, given.schema)
        about = given.about
        origin = digest([about["schema"], about["model"], about["method"]]).encode()
        plain = given.packed()
        identity = [
            pen.keyring.identity(who, origin, text)
            for who, text in zip(self.pseudonyms, plain, strict=True)
        ]
        there = self._there(connection, identity, pen.at)
        promised = given.promised
        new = [i for i, one in enumerate(identity) if one not in there]
        new = list({identity[i]: i for i in reversed(new)}.values())[::-1]  # each once
        found = dict(there)
        if new:
            rows = self._rows(pen, new, (identity, plain))
            found |= {row.identity: row.number for row in rows}
        numbers = np.array([found[one] for one in identity], dtype=np.int64)
        fresh = int(promised[new].sum())
        numbers = np.where(promised, numbers, 0)
        self._replace(pen, numbers, new)
        return numbers, fresh, int(promised.sum()) - fresh, len(new)

    def _before(self, connection: Connection) -> list[Any]:
        """What was decided about these people before, by number."""
        table, subjects, wanted = tables.decisions, tables.subjects, set(self.pseudonyms)
        columns = table.c["number", "identity", "batch", "subject", "promised"]
        rows = connection.execute(
            sa.select(*columns, subjects.c.pseudonym)
            .join_from(subjects, table, table.c.subject == subjects.c.id)
            .where(among(connection, subjects.c.short, [people.short_of(who) for who in wanted]))
            .order_by(table.c.number)
        )
        return [row for row in rows if row.pseudonym in wanted]

    def _there(self, connection: Connection, identity: list[bytes], on: int) -> dict[bytes, int]:
        """Which of these decisions the ledger has, by number; ended promises do not count."""
        wanted = set(identity)
        rows = [row for row in self._before(connection) if row.identity in wanted]
        at = states.standings_of(connection, rows, on)
        found = {}
        for row in rows:
            state = at[row.number].state
            lives = state.open or state in (states.State.DRAFTED, states.State.FULFILLED)
            if lives or (not row.promised and state is not states.State.ERASED):
                found[row.identity] = row.number
        return found

    def _rows(
        self,
        pen: Pen,
        new: list[int],
        content: tuple[list[bytes], list[bytes]],
    ) -> list[Decision]:
        """Write people, decisions and the event about them."""
        given, connection, (identity, plain) = self.contents, pen.connection, content
        declare(pen, given)
        who = people.admit(connection, pen.keyring, [self.pseudonyms[i] for i in new])
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
        valid_until = times.later(pen.at, self.valid_for)
        terms = given.terms
        about = {
            **given.about,
            "decisions": [first, first + len(rows) - 1],
            "subjects": [who.new[0].id, who.new[-1].id] if who.new else [],
            "valid_until": valid_until,
            "retain_until": times.later(valid_until, terms.retain_for, "retain_for"),
            "root": root_of(who.new, rows),
        }
        pen.append("drafted" if terms.draft else "issued", about, about=about["model"])
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
        rows = [row for row in self._before(pen.connection) if row.promised]
        at = states.standings_of(pen.connection, rows, pen.at)
        theirs: dict[bytes, list[int]] = {}
        for row in rows:
            if at[row.number].state in states.FROM["superseded"]:
                theirs.setdefault(row.pseudonym, []).append(row.number)
        return {i: theirs[who] for i, who in enumerate(self.pseudonyms) if who in theirs}


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
