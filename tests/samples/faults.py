"""Ways to harm a ledger, and what must not follow from them: for the hunt, and a slice of it."""

import multiprocessing
import random
import sqlite3
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import standfast as sf
from samples import promised
from samples.promised import KEY, START
from standfast.promises.ledger import Ledger, Terms, issuing
from standfast.promises.ledger.opening import enter
from standfast.promises.ledger.store import Store
from standfast.promises.verdict import GateRecord

Found = tuple[list[str], list[str]]  # what was seen, and the faults among it
# workers are forked from a process that has imported the ledger and nothing that runs threads
FORKED: Any = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["standfast.methods", "standfast.promises.ledger"])
PEOPLE = 120
BATCH = 15


def work(url: str, recs: sf.Recommendations, ready: Any) -> None:
    """Issue to many people in small batches, and record a gate; the same work again goes on."""
    issuing.SIZE = BATCH
    with Ledger.open(url, KEY) as ledger:
        ready.send("ready")
        ledger.issue(recs)
        ledger.record_gate(gate(ledger))


def repair(url: str, recs: sf.Recommendations, old: pd.Series, ready: Any) -> None:
    """Repair earlier promises by new ones, in small batches; the same work again goes on."""
    issuing.SIZE = BATCH
    with Ledger.open(url, KEY) as ledger:
        ready.send("ready")
        ledger.issue(recs, terms=Terms(replaces=old, repairs=True))


def gate(ledger: Ledger, day: str | None = None) -> GateRecord:
    """A gate run over all open promises."""
    judged = ledger.open_promises(day).facts.index.to_numpy()
    found, on = (judged % 3).astype(np.uint8), pd.Timestamp(day or START)
    return GateRecord("ab" * 32, "g", "", on, True, judged, found, {"kept": 0.5})


def worker(task: Callable[..., None], *given: Any) -> tuple[Any, Any]:
    """A process that does some work, and the pipe that says when it begins."""
    here, there = FORKED.Pipe()
    process = FORKED.Process(target=task, args=(*given, there))
    process.start()
    there.close()
    return process, here


def kills(folder: Path, count: int, seed: int) -> Found:
    """Kill the work at random moments, then do it again: all must be there once."""
    rng = random.Random(seed)
    seen: list[str] = []
    faults: list[str] = []
    recs = promised.many(promised.advice(), PEOPLE)
    expected = int(recs.found.sum())
    path = folder / "killed.db"
    promised.ledger(path).close()
    task = (work, str(path), recs)
    longest = _killed_after(600.0, *task)  # how long it takes if nobody interferes
    assert longest is not None
    killed = 0
    while killed < count:
        path.unlink(missing_ok=True)
        promised.ledger(path).close()
        finished = False
        while not finished and killed < count:
            moment = rng.uniform(0.0, longest)
            ended = _killed_after(moment, *task)
            killed += ended is None
            finished = ended is not None
            with Ledger.open(path, KEY) as ledger:
                fault = _fault(ledger, expected, finished)
                there = ledger.verify().decisions
            stage = "begun" if there < PEOPLE else "all issued"
            seen.append("finished" if finished else f"killed, {stage if there else 'nothing yet'}")
            if fault:
                faults.append(f"kill {killed} after {moment:.3f} s: {fault}")
    return seen, faults


def kills_of_repair(folder: Path, count: int, seed: int) -> Found:
    """Kill the repair of promises at random moments: everybody has one open promise, old or new."""
    rng = random.Random(seed)
    seen: list[str] = []
    faults: list[str] = []
    before, after = (promised.many(promised.advice(seed=s), PEOPLE) for s in (0, 1))
    both = before.index[before.found.to_numpy() & after.found.to_numpy()]
    path, longest, killed = folder / "repaired.db", 0.0, 0
    while killed < count:
        path.unlink(missing_ok=True)
        with promised.ledger(path) as ledger:
            old = ledger.issue(before).promises[both]
        task, ended = (repair, str(path), after, old), None
        while ended is None and killed < count:
            ended = _killed_after(rng.uniform(0.0, longest) if longest else 600.0, *task)
            longest = longest or float(ended or 0.0)
            killed += ended is None
            with Ledger.open(path, KEY) as ledger:
                fault = "" if (sound := ledger.verify()) else sound.sentence
                facts = ledger.open_promises().facts
            theirs = facts["subject"].value_counts()
            left = int(facts.index.isin(old).sum())
            fault = fault or ("two open promises for one person" if theirs.max() > 1 else "")
            fault = fault or ("an old promise is still open" if ended and left else "")
            fault = fault or ("a promise is lost" if len(theirs) < len(both) else "")
            seen.append("finished" if ended else f"killed, {len(both) - left} of {len(both)}")
            if fault:
                faults.append(f"kill {killed} of a repair: {fault}")
    return seen, faults


def _killed_after(seconds: float, *task: Any) -> float | None:
    """Kill the worker so long after it is ready; the time it took, if it was done before."""
    process, pipe = worker(*task)
    try:
        pipe.recv()
        began = time.monotonic()
        process.join(seconds)
        if not process.is_alive():
            return time.monotonic() - began
        process.kill()
        process.join()
        return None
    finally:
        pipe.close()
        process.close()


def _fault(ledger: Ledger, expected: int, finished: bool) -> str:
    sound = ledger.verify()
    if not sound:
        return sound.sentence
    try:
        facts = ledger.open_promises().facts
    except sf.InputError as error:
        return "" if "no promises yet" in str(error) and not finished else str(error)
    if not facts["subject"].is_unique:
        return "a promise is there twice"
    if finished and len(facts) != expected:
        return f"{len(facts)} promises instead of {expected}"
    return ""


# edits


def edits(folder: Path, count: int, seed: int) -> Found:
    """Change one byte, or some rows: what changes a fact must be found."""
    rng = random.Random(seed)
    whole = folder / "whole.db"
    whole.unlink(missing_ok=True)
    sample(whole)
    content, facts = whole.read_bytes(), dump(whole)
    assert facts is not None
    seen: list[str] = []
    faults: list[str] = []
    path = folder / "edited.db"
    store = Store.at(path)  # opened anew for every edit; its statements are compiled once
    for k in range(count):
        path.write_bytes(content)
        if k % 4:
            place, byte = rng.randrange(len(content)), rng.randrange(1, 256)
            what = f"byte {place} ^ {byte}"
            with path.open("r+b") as file:
                file.seek(place)
                file.write(bytes([content[place] ^ byte]))
        else:
            what = _edit_rows(path, rng)
            if what == "refused by the database":
                seen.append(what)
                continue
        changed = dump(path) != facts
        found = detected(store)
        seen.append(f"{'changed a fact' if changed else 'changed nothing'}, {found}")
        if found.startswith("traceback") or (changed and found == "not found"):
            faults.append(f"{what}: {found}")
    return seen, faults


def sample(path: Path) -> None:
    """A ledger in which everything has happened."""
    ledger = promised.issued(path)
    numbers = ledger.open_promises(START).facts.index.tolist()
    ledger.fulfil(numbers[0], at="2026-02-01")
    ledger.withdraw(numbers[1:3], "Ada", "a mistake", at="2026-02-02")
    ledger.honour(numbers[3], "Ada", "our word", "2026-12-01", at="2026-02-03")
    ledger.register("aa" * 32, "champion", name="first", at="2026-02-03")
    ledger.record_gate(gate(ledger, "2026-02-04"), at="2026-02-04")
    recs = promised.advice(9, seed=3)
    ledger.issue(recs, terms=Terms(at="2026-02-05"))
    ledger.erase(recs.index[0], at="2026-02-06")
    ledger.close()


def dump(path: Path) -> list[Any] | None:
    """All rows of all tables as SQLite reads them; None where it cannot."""
    connection = sqlite3.connect(path)
    try:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        return [
            (name, sorted(map(repr, connection.execute(f"SELECT * FROM '{name}'"))))
            for name in sorted(names)
        ]
    except (sqlite3.Error, UnicodeError, OverflowError, ValueError):
        return None
    finally:
        connection.close()


def detected(store: Store) -> str:
    """How an edit is found: by opening, by verify, not at all, or by a crash, which is a fault."""
    try:
        ledger = Ledger(store, enter(store, KEY))
        return "not found" if ledger.verify() else "found by verify"
    except sf.InputError:
        return "found by opening"
    except Exception:
        return f"traceback: {traceback.format_exc(limit=-3)}"
    finally:
        store.close()


TABLES = {
    "events": "sequence",
    "decisions": "number",
    "subjects": "id",
    "keys": "subject",
    "touched": "promise",
    "verdicts": "gate",
    "head": "id",
}


def _edit_rows(path: Path, rng: random.Random) -> str:
    """Delete, swap, copy or change rows as somebody with SQL at hand would."""
    connection = sqlite3.connect(path)
    try:
        return _edited(connection, rng)
    except sqlite3.IntegrityError:
        return "refused by the database"
    finally:
        connection.close()


def _edited(connection: sqlite3.Connection, rng: random.Random) -> str:
    table = rng.choice(list(TABLES))
    key = TABLES[table]
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    one, other = rng.choice(rows), rng.choice(rows)
    way = rng.choice(["delete", "swap", "insert", "change"])
    where = " AND ".join(f"{name} IS ?" for name in names)
    if way == "delete":
        connection.execute(f"DELETE FROM {table} WHERE {where}", one)
    elif way == "swap":
        places = [names.index(name) for name in names if name != key]
        column = names[rng.choice(places)] if places else key
        at = names.index(column)
        for row, value in ((one, other[at]), (other, one[at])):
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}",
                               (value, *row))  # fmt: skip
    elif way == "insert":
        copy = list(one)
        copy[names.index(key)] = 10_000 + rng.randrange(1000)
        marks = ", ".join("?" * len(copy))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", copy)
    else:
        column = rng.choice(names)
        value = one[names.index(column)]
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}",
                           (_other(value, rng), *one))  # fmt: skip
    connection.commit()
    return f"{way} {table}"


def _other(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bytes) and value:
        at = rng.randrange(len(value))
        return value[:at] + bytes([value[at] ^ 1 << rng.randrange(8)]) + value[at + 1 :]
    if isinstance(value, str):
        return value + "x" if rng.random() < 0.5 else value[:-1]
    return rng.choice([7, 0.5, "x", b"x", -1])


# writers at once


def writers(folder: Path, address: str | None, count: int) -> Found:
    """Several processes issue at once: one chain, nothing lost."""
    seen: list[str] = []
    faults: list[str] = []
    places = {"SQLite": (str(folder / "shared.db"), 2)}
    if address is not None:
        places["PostgreSQL"] = (address, count)
    for name, (url, n) in places.items():
        promised.ledger(url).close()
        advice = promised.advice()
        parts = [promised.many(advice, PEOPLE, f"w{k}-") for k in range(n)]
        working = [worker(work, url, part) for part in parts]
        for process, _ in working:
            process.join()
        ends = [process.exitcode == 0 for process, _ in working]
        each = int(parts[0].found.sum())
        with Ledger.open(url, KEY) as ledger:
            fault = _fault(ledger, n * each, finished=True)
        seen.append(f"{name}: {sum(ends)} of {n} writers done")
        if fault or not all(ends):
            faults.append(f"{name}: {fault or 'a writer failed'}")
    return seen, faults


# noise

ODD: list[Any] = [
    *("", " ", "\x00", "x", "://", "sqlite://", "sqlite:///", "sqlite:////nowhere/at/all/x.db"),
    *("sqlite:///file:none?mode=ro&uri=true", "postgresql://", "postgresql+psycopg://nobody@/x"),
    *(
        "postgresql+psycopg://u:p@127.0.0.1:1/x",
        "postgresql+asyncpg://h/x",
        "mysql://h",
        "http://x",
    ),
    *("sqlite+aiosqlite:///x", "postgresql+psycopg://[::1", "/", ".", "..", "a:b", "C:", "-1"),
    *(None, 7, 1.5, b"x", [], {}, True, float("nan"), np.int64(3), pd.NaT, object()),
    *(
        "2026-13-01",
        "2026-02-30",
        "now",
        "-5 days",
        "1e9 days",
        "∞",
        "\ud800",
        "🦄" * 50,
        "a" * 5000,
    ),
    *("2026-11-17T14:00", pd.Timestamp("2026-11-17 14:00"), pd.Timestamp.max, "0001-01-01"),
]


def fuzz(folder: Path, count: int, seed: int) -> Found:
    """Odd values in every place: a sentence or an answer, never a traceback."""
    rng = random.Random(seed)
    ledger = promised.issued(folder / "fuzzed.db")
    recs = promised.advice()
    label = recs.index[0]
    columns = promised.SCHEMA.names

    def odd() -> Any:
        value = rng.choice(ODD)
        if isinstance(value, str) and value and rng.random() < 0.5:
            at = rng.randrange(len(value))
            value = value[:at] + chr(rng.randrange(1, 0xD7FF)) + value[at:]
        return value

    def address() -> Any:
        value = odd()
        local = isinstance(value, str) and "://" not in value and value.strip()
        return folder / value.replace("/", "_")[:100] if local else value

    calls: dict[str, Callable[[], Any]] = {
        "open": lambda: Ledger.open(address(), KEY),
        "key": lambda: Ledger.open(folder / "fuzzed.db", odd()),
        "check": lambda: ledger.check(odd(), {name: odd() for name in columns}, on=odd()),
        "row": lambda: ledger.check(label, odd(), on=START),
        "cells": lambda: ledger.check(label, {name: odd() for name in columns}, on=START),
        "blocks": lambda: list(ledger.blocks(odd(), size=odd())),
        "issue": lambda: ledger.issue(odd()),
        "valid": lambda: ledger.issue(recs, valid_for=odd()),
        "subjects": lambda: ledger.issue(recs, subjects=rng.choice([odd(), [odd()] * len(recs)])),
        "terms": lambda: ledger.issue(recs, terms=Terms(at=odd(), language=odd(), by=odd())),
        "fulfil": lambda: ledger.fulfil(odd(), at=odd()),
        "waive": lambda: ledger.waive(odd(), odd(), odd()),
        "honour": lambda: ledger.honour([1], "Ada", "so", odd()),
        "expire": lambda: ledger.expire(odd()),
        "erase": lambda: ledger.erase(odd()),
        "history": lambda: ledger.history(odd()),
        "exceptions": lambda: ledger.exceptions(odd()),
        "register": lambda: ledger.register(odd(), odd(), name=odd()),
        "gate": lambda: ledger.record_gate(odd()),
        "verify": lambda: ledger.verify(odd()),
    }
    seen: list[str] = []
    faults: list[str] = []
    for k in range(count):
        name = list(calls)[k % len(calls)]
        try:
            calls[name]()
            seen.append("answered")
        except sf.InputError as error:
            seen.append("refused")
            if "\n" in str(error).strip() or not str(error):
                faults.append(f"{name}: {error!r} is not one sentence")
        except Exception:
            seen.append("traceback")
            faults.append(f"{name}: {traceback.format_exc(limit=-4)}")
    if not (sound := ledger.verify()):
        faults.append(sound.sentence)
    return seen, faults
