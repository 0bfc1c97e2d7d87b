"""What happens to promises after they were issued, each an event that follows from the last."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
import sqlalchemy as sa

from standfast.errors import InputError, type_of
from standfast.promises.ledger import people, states, tables, times
from standfast.promises.ledger.batches import batches
from standfast.promises.ledger.chain import Pen
from standfast.promises.ledger.issuing import mark, note
from standfast.promises.ledger.states import State
from standfast.promises.ledger.store import among


def act(pen: Pen, kind: str, promises: Iterable[object] | int, **content: Any) -> int:
    """One event about some promises; gives how many."""
    numbers = states.check_numbers(promises)
    mark(pen, kind, numbers, content)
    return len(numbers)


def signed(by: Any, why: Any, what: str) -> dict[str, str]:
    """Who answers for an exception, and why; neither may be missing."""
    for name, value in (("by", by), ("why", why)):
        if not isinstance(value, str):
            raise InputError(f"{name} is {type_of(value)}; {what} needs it as a text")
        if not value.strip():
            meaning = "the name of who decides" if name == "by" else "the reason"
            raise InputError(f"{name} is empty; {what} needs {meaning}")
    return {"by": by.strip(), "why": why.strip()}


def ends_of(promises: Iterable[object] | int, until: Any) -> dict[int, list[int]]:
    """When exceptions end, each moment with its promises."""
    numbers = states.check_numbers(promises)
    found: dict[int, list[int]] = {}
    for number in numbers:
        end = until.get(number) if isinstance(until, pd.Series) else until
        if end is None or end is pd.NaT:
            raise InputError(
                f"until is missing for promise {number}; an exception needs the date it ends"
            )
        found.setdefault(times.instant(end, "until"), []).append(number)
    return found


def honour(pen: Pen, numbers: list[int], signature: dict[str, str], end: int) -> int:
    """One event about promises that are honoured until then; gives how many."""
    if end <= pen.at:
        raise InputError(f"until is {times.said(end)}, which is over; give a later date")
    return act(pen, "honoured", numbers, **signature, until=end)


def expire(pen: Pen, on: int) -> int:
    """Write down which promises had run out by then; gives how many."""
    if on > pen.at:
        raise InputError(
            f"{times.said(on)} is yet to come; promises expire when their time is over"
        )
    done = 0
    for batch in batches(pen.connection):
        if batch.valid_until >= on:
            continue
        rows = states.promised(pen.connection, batch.first, batch.last)
        moved = states.reached(pen.connection, batch.first, batch.last)
        before = State.DRAFTED if batch.drafted else State.ISSUED
        over = [n for n in rows if (s := moved.get(n, before)).open or s is State.DRAFTED]
        if over:
            note(pen, "expired", over, {"on": on})
            done += len(over)
    return done


def erase(pen: Pen, pseudonym: bytes) -> int:
    """Delete a person's key, and with it all that can be read of them; gives the promises hit."""
    known = people.latest(pen.connection, pseudonym)
    if known is None:
        raise InputError("this person is not in the ledger; there is nothing to erase")
    if known[1] is None:
        raise InputError("this person was erased from the ledger already")
    return _forget(pen, [known[0]])


def erase_due(pen: Pen, on: int) -> int:
    """Erase everybody whose decisions need not be kept any longer; gives how many people."""
    kept = [batch.sequence for batch in batches(pen.connection) if batch.retain_until >= on]
    table, held = tables.decisions, tables.keys
    needed = sa.exists().where(
        table.c.subject == held.c.subject, among(pen.connection, table.c.batch, kept)
    )
    due = list(pen.connection.execute(sa.select(held.c.subject).where(~needed)).scalars())
    for start in range(0, len(due), 10_000):
        _forget(pen, sorted(due[start : start + 10_000]))
    return len(due)


def _forget(pen: Pen, subjects: list[int]) -> int:
    table, held = tables.decisions, tables.keys
    numbers = list(
        pen.connection.execute(
            sa.select(table.c.number)
            .where(among(pen.connection, table.c.subject, subjects))
            .order_by(table.c.number)
        ).scalars()
    )
    pen.connection.execute(sa.delete(held).where(among(pen.connection, held.c.subject, subjects)))
    note(pen, "erased", numbers, {"subjects": subjects})
    return len(numbers)
