"""What the ledger can report afterwards: about a person, the models, the exceptions."""

import json
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection

from standfast.errors import InputError
from standfast.promises.ledger import chain, gates, people, states, tables, times
from standfast.promises.ledger.batches import Batch
from standfast.promises.ledger.chain import event_at
from standfast.promises.ledger.keys import opened
from standfast.promises.ledger.packing import Packing
from standfast.promises.ledger.reading import Reader
from standfast.promises.ledger.states import State

COLUMNS = ["at", "event", "promise", "by", "note"]


def history(reader: Reader, pseudonym: bytes) -> pd.DataFrame:
    """All that happened to one person: decisions with their wording, events, verdicts of gates."""
    with reader.store.reading() as connection:
        known = people.every(connection, pseudonym)
        if not known:
            raise InputError("no decision about this person is in the ledger")
        rows = [line for one in known for line in _of_one(connection, reader, *one)]
    rows.sort(key=lambda line: line[0])
    found = pd.DataFrame([line[1:] for line in rows], columns=COLUMNS)
    return found.astype({"promise": "Int64"})


def _of_one(
    connection: Connection, reader: Reader, subject: int, wrapped: bytes | None
) -> list[tuple[Any, ...]]:
    table = tables.decisions
    query = sa.select(table).where(table.c.subject == subject).order_by(table.c.number)
    decisions = connection.execute(query).all()
    key = None if wrapped is None else reader.keyring.unwrapped([wrapped])[0]
    lines: list[tuple[Any, ...]] = []
    for row in decisions:
        event = event_at(connection, row.batch)
        content = "erased"
        if key is not None:
            schema = reader.schema(connection, Batch.of(event).schema)
            content = _content(opened([key], [row.sealed], [row.identity])[0], Packing(schema))
        kind = event.kind if row.promised else "decided"
        number = row.number if row.promised else None
        lines.append(_line(event, kind, number, content))
        marks = sa.select(tables.touched.c.sequence).where(tables.touched.c.promise == row.number)
        for sequence in connection.execute(marks).scalars().all():
            later = event_at(connection, sequence)
            lines.append(_line(later, later.kind, number, _note(later, row.number)))
    promised = [row.number for row in decisions if row.promised]
    for gate, number, verdict in gates.of_promises(connection, promised):
        event = event_at(connection, gate)
        name = event.content["name"] or event.content["model"][:12]
        lines.append(_line(event, "gate", number, f"{verdict.words} by {name}"))
    return lines


def _line(event: chain.Event, kind: str, number: int | None, note: str) -> tuple[Any, ...]:
    by = event.content.get("by", event.actor)
    by = by if isinstance(by, str) else event.actor
    return event.sequence, times.stamp(event.at), kind, number, by, note


def _note(event: chain.Event, promise: int) -> str:
    content = event.content
    if isinstance(content.get("by"), list):  # superseded or repaired: pairs of old and new
        return f"by promise {dict(content['by'])[promise]}"
    until = content.get("until")
    ends = f" until {times.said(until)}" if isinstance(until, int) else ""
    return f"{content.get('why', '')}{ends}".strip()


def _content(plain: bytes, packing: Packing) -> str:
    """The words of a decision, with the inputs of the reasons."""
    *_, (text,) = packing.unpacked([plain])
    wording, *reasons = json.loads(text)
    names = [packing.schema.features[one[0]].words for why in reasons for one in why["principal"]]
    return f"{wording} Reasons: {', '.join(names)}." if names else str(wording)


def exceptions(reader: Reader, on: int) -> pd.DataFrame:
    """Promises honoured by exception, by their people's pseudonyms: who decided, why, how long."""
    found: dict[int, chain.Event] = {}
    with reader.store.reading() as connection:
        for event in chain.walk(connection, "honoured"):
            if event.at <= on <= event.content["until"]:
                for first, last in event.content["promises"]:
                    found |= dict.fromkeys(range(first, last + 1), event)
        rows, whose = [], people.of_decisions(connection, list(found))
        for number, event in sorted(found.items()):
            moved = states.reached(connection, number, number, on)
            if moved.get(number) is State.HONOURED:
                content = event.content
                until = times.stamp(content["until"])
                line = (whose[number].hex(), number, content["by"], content["why"], until)
                rows.append(line)
    table = pd.DataFrame(rows, columns=["subject", "promise", "by", "why", "until"])
    return table.set_index("subject")


def models(connection: Connection) -> pd.DataFrame:
    """The models the ledger knows: those advice came from, those at gates, those registered.

    `since` and `until` are the first and the last event that names a model in that role; a
    registered role ends when another model takes it.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    holders: dict[str, tuple[str, str]] = {}

    def meet(event: chain.Event, fingerprint: str, role: str, name: str, address: str) -> None:
        row = found.setdefault((fingerprint, role), ["", "", event.at, event.at])
        row[0], row[1], row[3] = name or row[0], address or row[1], event.at

    for event in chain.walk(connection, "origin", "gate", "model", "issued"):
        content = event.content
        if event.kind == "origin":
            origin = content["provenance"]
            names = {one["digest"]: one["name"] for one in origin["models"]}
            meet(event, origin["model"], "advised", names.get(origin["model"], ""), "")
            for one in origin["models"]:  # one model alone is the whole
                if one["digest"] != origin["model"]:
                    meet(event, one["digest"], f"advised: {one['role']}", one["name"], "")
        elif event.kind == "issued":
            meet(event, content["model"], "advised", "", "")
        elif event.kind == "gate":
            meet(event, content["model"], "candidate", content["name"], content["address"])
        else:
            key, role = (event.about, content["role"]), content["role"]
            if role in holders and holders[role] != key:
                found[holders[role]][3] = event.at
            holders[role] = key
            meet(event, *key, content["name"], content["address"])
    for key in holders.values():
        found[key][3] = None  # in this role still
    rows = [
        (*key, name, address, times.stamp(since), pd.NaT if until is None else times.stamp(until))
        for key, (name, address, since, until) in found.items()
    ]
    columns = ["fingerprint", "role", "name", "address", "since", "until"]
    return pd.DataFrame(rows, columns=columns)
