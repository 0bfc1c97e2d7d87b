"""Gate runs in the ledger: one event each, with a Merkle root to be stored elsewhere."""

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection

from standfast.errors import InputError, type_of
from standfast.promises.ledger import merkle, states, tables, times
from standfast.promises.ledger.chain import Event, Pen, canonical
from standfast.promises.ledger.store import insert
from standfast.promises.verdict import GateRecord, Verdict

PART = 50_000  # verdicts in one row


def record(pen: Pen, given: GateRecord) -> str:
    """Write a gate run and give its root."""
    numbers, found = checked(given)
    check_known(pen.connection, numbers)
    about = {
        "model": given.model,
        "name": given.name,
        "address": given.address,
        "on": times.instant(given.on),
        "passed": bool(given.passed),
        "summary": dict(given.summary),
        "verdicts": {v.words: int((found == v).sum()) for v in Verdict},
    }
    try:
        root = root_of(pen.head.hash, about, numbers, found)
    except (TypeError, ValueError) as error:
        raise InputError(
            "the summary of a gate holds something that is not a plain value; give texts, finite "
            "numbers, lists and tables of them"
        ) from error
    event = pen.append("gate", {**about, "root": root}, about=given.model)
    parts = [slice(start, start + PART) for start in range(0, len(numbers), PART)]
    for k, part in enumerate(parts):
        own = numbers[part]
        row = (event.sequence, k, int(own[0]), int(own[-1]), packed(own, found[part]))
        insert(pen.connection, tables.verdicts, [row])
    return root


def checked(given: GateRecord) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Promise numbers in ascending order with their verdicts."""
    if not isinstance(given, GateRecord):
        raise InputError(f"expected a GateRecord, got {type_of(given)}")
    if not isinstance(given.summary, Mapping):
        raise InputError(f"the summary of a gate is {type_of(given.summary)}; give a mapping")
    for name in ("model", "name", "address"):
        if not isinstance(getattr(given, name), str):
            raise InputError(f"the {name} of a gate's record is no text")
    numbers = np.asarray(given.promises, dtype=np.int64)
    found = np.asarray(given.verdicts, dtype=np.uint8)
    order = np.argsort(numbers, kind="stable")
    numbers, found = numbers[order], found[order]
    if len(numbers) and (np.diff(numbers) == 0).any():
        raise InputError("a gate's record judges one promise twice")
    if (found > max(Verdict)).any():
        raise InputError("a gate's record holds an unknown verdict")
    return numbers, found


def check_known(connection: Connection, numbers: NDArray[np.int64]) -> None:
    """Refuse verdicts about promises that the ledger does not have."""
    for start in range(0, len(numbers), PART):
        asked = numbers[start : start + PART]
        found = states.promised(connection, int(asked[0]), int(asked[-1]))
        there = np.fromiter(found, dtype=np.int64)
        strange = np.setdiff1d(asked, there)
        if len(strange):
            raise InputError(f"there is no promise {strange[0]} in the ledger; check its number")


def packed(numbers: NDArray[np.int64], found: NDArray[np.uint8]) -> bytes:
    """Numbers as steps, and verdicts; both shrink to little."""
    steps = np.diff(numbers, prepend=np.int64(0)).astype("<i8").tobytes()
    return zlib.compress(struct.pack("<q", len(numbers)) + steps + found.tobytes(), 6)


def unpacked(content: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Numbers and verdicts of one part."""
    try:
        plain = zlib.decompress(content)
        (n,) = struct.unpack_from("<q", plain)
        if len(plain) != 8 + 9 * n:
            raise ValueError
        steps = np.frombuffer(plain, dtype="<i8", count=n, offset=8)
        return np.cumsum(steps), np.frombuffer(plain, dtype=np.uint8, offset=8 + 8 * n)
    except (zlib.error, ValueError, struct.error, TypeError) as error:
        raise InputError("the verdicts of a gate are damaged") from error


def root_of(
    head: bytes, about: Mapping[str, Any], numbers: NDArray[np.int64], found: NDArray[np.uint8]
) -> str:
    """The Merkle root over the chain so far, the run, and each promise's verdict."""
    table = np.empty((len(numbers), 9), dtype=np.uint8)
    table[:, :8] = numbers.astype("<i8").view(np.uint8).reshape(-1, 8)
    table[:, 8] = found
    flat = table.tobytes()
    rows = (flat[i : i + 9] for i in range(0, len(flat), 9))
    leaves = [merkle.leaf(head), merkle.leaf(canonical(about).encode()), *map(merkle.leaf, rows)]
    return merkle.root(leaves).hex()


def verdicts_of(connection: Connection, gate: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """All verdicts of one gate run; parts that do not say what they hold are refused."""
    table = tables.verdicts
    rows = connection.execute(
        sa.select(table).where(table.c.gate == gate).order_by(table.c.part)
    ).all()
    parts = [unpacked(row.content) for row in rows]
    recorded = [(k, numbers[0], numbers[-1]) for k, (numbers, _) in enumerate(parts)]
    if [(row.part, row.first, row.last) for row in rows] != recorded:
        raise InputError("the verdicts of a gate are damaged")
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
    return np.concatenate([n for n, _ in parts]), np.concatenate([v for _, v in parts])


def of_promises(connection: Connection, promises: list[int]) -> Iterator[tuple[int, int, Verdict]]:
    """For some promises every verdict: the gate's event, the promise, what it got."""
    table = tables.verdicts
    if not promises:
        return
    low, high = min(promises), max(promises)
    rows = connection.execute(
        sa.select(table.c.gate, table.c.content)
        .where(table.c.first <= high, table.c.last >= low)
        .order_by(table.c.gate, table.c.part)
    )
    for gate, content in rows:
        numbers, found = unpacked(content)
        for k in np.flatnonzero(np.isin(numbers, promises)):
            yield gate, int(numbers[k]), Verdict(int(found[k]))


def is_sound(connection: Connection, event: Event) -> bool:
    """Whether a gate run's root fits what is stored of it."""
    content = event.content
    root = content.pop("root", None)
    numbers, found = verdicts_of(connection, event.sequence)
    return bool(root == root_of(event.previous, content, numbers, found))
