"""A person comes back: does their row fulfil what they were promised?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa

from standfast.errors import InputError, type_of
from standfast.promises.ledger import people, states, times
from standfast.promises.ledger.batches import Batch
from standfast.promises.ledger.chain import Event
from standfast.promises.ledger.keys import opened
from standfast.promises.ledger.packing import Packing
from standfast.promises.ledger.reading import Reader
from standfast.promises.ledger.states import State
from standfast.recommendations.boxes import Boxes, Matrix
from standfast.schema import Schema

OWN = sa.text(
    "SELECT d.number, d.identity, d.months, d.sealed, e.sequence, e.kind, e.at, e.actor, e.about, "
    "e.content, e.previous, e.hash FROM decisions d JOIN events e ON e.sequence = d.batch "
    "WHERE d.subject = :subject AND d.promised = 1 AND e.at <= :until ORDER BY d.number"
)


@dataclass(frozen=True)
class Checked:
    """What a person's row says about their promise; true if it is fulfilled.

    `promise` is the number of the promise that counts, None if there is none; `inside` whether the
    row lies in its box, and `outside` the inputs that do not. A promise that ended, but for being
    fulfilled, cannot be fulfilled any more.
    """

    promise: int | None
    state: State | None
    inside: bool
    outside: tuple[str, ...]
    valid_until: pd.Timestamp | None
    sentence: str

    @property
    def fulfilled(self) -> bool:
        """Whether the person did what was asked of them, in time."""
        return self.inside and self.state in (State.ISSUED, State.HONOURED, State.FULFILLED)

    def __bool__(self) -> bool:
        return self.fulfilled


def check(reader: Reader, pseudonym: bytes, row: Any, on: int) -> Checked:
    """Hold one person's row against the promises that they were given."""
    with reader.store.reading() as connection:
        known = people.latest(connection, pseudonym)
        if known is None:
            return _none("No decision about this person is in the ledger.")
        if known[1] is None:
            return replace(_none("This person was erased from the ledger."), state=State.ERASED)
        rows = connection.execute(OWN, {"subject": known[0], "until": on}).all()
        moved = states.reached_of(connection, known[0], on) if rows else {}
        found = []
        for one in rows:
            batch = Batch.of(Event(*one[4:]))
            state = states.state_of(batch, moved.get(one.number), on)
            found.append((one, batch, state, reader.schema(connection, batch.schema)))
    if not found:
        return _none("This person was given no promise by then.")
    (key,) = reader.keyring.unwrapped([known[1]])
    answers = [_held(row, key, *each, on) for each in found]
    return max(
        answers, key=lambda a: (a.fulfilled, a.state is not None and a.state.open, a.promise)
    )


def _none(sentence: str) -> Checked:
    return Checked(None, None, False, (), None, sentence)


def _held(
    row: Any, key: bytes, one: Any, batch: Batch, state: State, schema: Schema, on: int
) -> Checked:
    """One promise against the row."""
    x = _coded(row, schema)
    (plain,) = opened([key], [one.sealed], [one.identity])
    _, Y, boxes, _ = Packing(schema).unpacked([plain])
    passed = max(0.0, times.months_between(batch.at, on) - one.months)
    out = moved_with_time(boxes, Y, passed).outside(x)[0]
    names = tuple(np.array(schema.names, dtype=object)[out].tolist())
    until = times.stamp(batch.valid_until)
    bare = Checked(one.number, state, not names, names, until, "")
    return replace(bare, sentence=_sentence(bare, schema))


def moved_with_time(boxes: Boxes, Y: Matrix, months: float) -> Boxes:
    """The boxes after some months: what passes by itself is not held against anybody.

    An input with a drift may be where the promise has it, or further on in the drift's direction
    by what has passed, and one step more: nobody knows how long ago somebody turned 35.
    """
    schema = boxes.schema
    drift = schema.drift
    if not drift.any():
        return boxes
    step = np.where(schema.grid[0] > 0, schema.grid[0], np.abs(drift))
    far = schema.moved_on(Y, months) + np.sign(drift) * step
    ordered = ~np.isnan(boxes.lower) & np.isfinite(Y)
    upper = np.where(ordered & (drift > 0), np.maximum(boxes.upper, far), boxes.upper)
    lower = np.where(ordered & (drift < 0), np.minimum(boxes.lower, far), boxes.lower)
    return Boxes(schema, lower, upper, boxes.inside)


def _coded(row: Any, schema: Schema) -> Matrix:
    """A row in codes, given as a mapping, a Series or a table of one row."""
    if not isinstance(row, pd.DataFrame | pd.Series | Mapping):
        raise InputError(f"the row is {type_of(row)}; give the person's values by name")
    try:
        table = row if isinstance(row, pd.DataFrame) else pd.DataFrame([dict(row)])
        if len(table) != 1:
            raise InputError(f"the row has {len(table)} rows; give one person's values")
        X, _ = schema.judged(table)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # what pandas makes of odd values
        raise InputError(
            "the row holds something that is neither a number nor a name; give the person's values "
            "by name"
        ) from error
    return X


def _sentence(found: Checked, schema: Schema) -> str:
    """The answer in words, without the person's values."""
    until = f"{found.valid_until:%Y-%m-%d}"
    state = found.state
    if state is State.FULFILLED:
        return f"Promise {found.promise} was fulfilled before."
    if state is not None and not state.open:
        since = f" since {until}" if state is State.EXPIRED else ""
        return f"Promise {found.promise} is {state}{since}; it cannot be relied on any more."
    if found.inside:
        return f"Promise {found.promise} is fulfilled: every input lies in its box."
    names = [schema[name].words for name in found.outside]
    verb = "lies" if len(names) == 1 else "lie"
    return (
        f"Promise {found.promise} is not fulfilled yet: {_joined(names)} {verb} outside its box; "
        f"it is valid until {until}."
    )


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
