"""The states of a promise, what leads from one to the next, and what does not."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError
from standfast.promises.ledger import tables, times
from standfast.promises.ledger.batches import Batch, batches
from standfast.promises.ledger.chain import event_at
from standfast.promises.ledger.store import among


class State(StrEnum):
    """How far a promise has come.

    >>> State("honoured by exception").open, State("fulfilled").open
    (True, False)
    """

    DRAFTED = "drafted"
    ISSUED = "issued"
    FULFILLED = "fulfilled"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    REPAIRED = "repaired"
    HONOURED = "honoured by exception"
    WAIVED = "waived"
    ERASED = "erased"

    @property
    def open(self) -> bool:
        """Whether the person may still rely on the promise."""
        return self in (State.ISSUED, State.HONOURED)


# which event leads to which state, and from which states it may come
AFTER = {
    "released": State.ISSUED,
    "fulfilled": State.FULFILLED,
    "withdrawn": State.WITHDRAWN,
    "superseded": State.SUPERSEDED,
    "repaired": State.REPAIRED,
    "honoured": State.HONOURED,
    "waived": State.WAIVED,
    "expired": State.EXPIRED,
    "erased": State.ERASED,
}
OPEN = (State.ISSUED, State.HONOURED)
FROM = {
    "released": (State.DRAFTED,),
    "withdrawn": (State.DRAFTED, *OPEN),
    "superseded": (State.DRAFTED, *OPEN),
    "erased": tuple(state for state in State if state is not State.ERASED),
}


EVER = 2**62
REACHED = sa.text(
    "SELECT t.promise, e.kind FROM touched t JOIN events e ON e.sequence = t.sequence "
    "WHERE t.promise BETWEEN :first AND :last AND e.at <= :until ORDER BY t.promise, t.sequence"
)


OF_SUBJECT = sa.text(
    "SELECT t.promise, e.kind FROM decisions d JOIN touched t ON t.promise = d.number "
    "JOIN events e ON e.sequence = t.sequence "
    "WHERE d.subject = :subject AND e.at <= :until ORDER BY t.promise, t.sequence"
)


def reached(
    connection: Connection, first: int, last: int, on: int | None = None
) -> dict[int, State]:
    """The states that events have led a run of promises to by then; those untouched are absent."""
    rows = connection.execute(
        REACHED, {"first": first, "last": last, "until": EVER if on is None else on}
    )
    return {promise: AFTER[kind] for promise, kind in rows if kind in AFTER}


def reached_of(connection: Connection, subject: int, on: int) -> dict[int, State]:
    """The states that events have led one person's promises to by then."""
    rows = connection.execute(OF_SUBJECT, {"subject": subject, "until": on})
    return {promise: AFTER[kind] for promise, kind in rows if kind in AFTER}


def state_of(batch: Batch, state: State | None, on: int) -> State:
    """The state of a promise of a batch on a date; what has run out is expired without an event."""
    found = state or (State.DRAFTED if batch.drafted else State.ISSUED)
    lapses = found.open or found is State.DRAFTED
    return State.EXPIRED if lapses and on > batch.valid_until else found


class Standing(NamedTuple):
    """Where one decision is: of which batch and person, whether it is a promise, its state."""

    batch: Batch
    subject: int
    promised: bool
    state: State


def standings(connection: Connection, numbers: Sequence[int], on: int) -> dict[int, Standing]:
    """Where decisions are on a date, by number; those that the ledger does not have are absent."""
    table = tables.decisions
    rows = connection.execute(
        sa.select(table.c.number, table.c.batch, table.c.subject, table.c.promised).where(
            among(connection, table.c.number, numbers)
        )
    ).all()
    return standings_of(connection, rows, on)


def standings_of(connection: Connection, rows: Sequence[Any], on: int) -> dict[int, Standing]:
    """Where decisions are on a date whose rows were read."""
    touched, events = tables.touched, tables.events
    kinds = connection.execute(
        sa.select(touched.c.promise, events.c.kind)
        .join_from(touched, events, touched.c.sequence == events.c.sequence)
        .where(among(connection, touched.c.promise, [row.number for row in rows]))
        .order_by(touched.c.promise, touched.c.sequence)
    )
    moved = {promise: AFTER[kind] for promise, kind in kinds if kind in AFTER}
    known: dict[int, Batch] = {}
    found = {}
    for row in rows:
        if row.batch not in known:
            known[row.batch] = Batch.of(event_at(connection, row.batch))
        batch = known[row.batch]
        state = state_of(batch, moved.get(row.number), on)
        found[row.number] = Standing(batch, row.subject, bool(row.promised), state)
    return found


def drafts(connection: Connection, on: int) -> list[int]:
    """The promises that are drafted on a date and not yet issued, by number."""
    found = []
    for batch in batches(connection):
        if batch.drafted and batch.at <= on <= batch.valid_until:
            moved = reached(connection, batch.first, batch.last, on)
            numbers = promised(connection, batch.first, batch.last)
            found += [number for number in numbers if number not in moved]
    return found


def promised(connection: Connection, first: int, last: int) -> Iterable[int]:
    """The promises among a run of decisions, by number."""
    table = tables.decisions
    return connection.execute(
        sa.select(table.c.number)
        .where(table.c.number.between(first, last), table.c.promised == 1)
        .order_by(table.c.number)
    ).scalars()


def check_transitions(connection: Connection, promises: Sequence[int], kind: str, on: int) -> None:
    """Refuse an event that does not follow from where each of the promises is."""
    found = standings(connection, promises, on)
    allowed = FROM.get(kind, OPEN)
    for number in promises:
        at = found.get(number)
        if at is None or (not at.promised and kind != "erased"):
            raise InputError(f"there is no promise {number} in the ledger; check its number")
        if at.state not in allowed:
            raise InputError(_refused(number, kind, at.state, at.batch))


def _refused(number: int, kind: str, state: State, batch: Batch) -> str:
    since = f" since {times.said(batch.valid_until)}" if state is State.EXPIRED else ""
    return (
        f"promise {number} is {state}{since}, so it cannot be {AFTER[kind]} any more; "
        f"'standfast ledger show' lists what happened to it"
    )


def check_numbers(promises: Iterable[object] | int) -> list[int]:
    """Promise numbers in ascending order, each once; what is none is refused."""
    alone = hasattr(promises, "__index__") or not isinstance(promises, Iterable)
    given: list[Any] = [promises] if alone else list(promises)  # type: ignore[arg-type]
    for one in given:
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            raise InputError(f"a promise is named {one!r}; promises have whole numbers")
    numbers = sorted({int(one) for one in given})
    if not numbers:
        raise InputError("no promise is named; give at least one number")
    if numbers[0] < 1 or numbers[-1] >= 2**63:
        raise InputError(f"there is no promise {numbers[0] if numbers[0] < 1 else numbers[-1]}")
    return numbers
