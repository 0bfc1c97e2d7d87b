"""A slice of scripts/hunt_ledger_faults.py: kills, edits, writers at once and noise."""

import sqlite3
from pathlib import Path

import pytest
from samples import faults, promised
from samples.promised import KEY

from standfast.promises.ledger import Ledger


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("ledgers") / "whole.db"
    faults.sample(path)
    return path.read_bytes()


def test_killed_work_is_neither_lost_nor_doubled(tmp_path: Path) -> None:
    seen, wrong = faults.kills(tmp_path, count=6, seed=1)
    assert wrong == []
    assert sum(one.startswith("killed") for one in seen) == 6


def test_a_killed_repair_leaves_everybody_one_promise(tmp_path: Path) -> None:
    seen, wrong = faults.kills_of_repair(tmp_path, count=4, seed=1)
    assert wrong == []
    assert sum(one.startswith("killed") for one in seen) == 4


def test_every_edit_that_changes_a_fact_is_found(tmp_path: Path) -> None:
    seen, wrong = faults.edits(tmp_path, count=60, seed=1)
    assert wrong == []
    assert any(one.startswith("changed a fact") for one in seen)


def test_noise_ends_in_sentences(tmp_path: Path) -> None:
    _, wrong = faults.fuzz(tmp_path, count=200, seed=1)
    assert wrong == []


def test_two_processes_write_one_chain_to_a_file(tmp_path: Path) -> None:
    assert faults.writers(tmp_path, None, 2)[1] == []


def test_eight_writers_write_one_chain_to_a_server(tmp_path: Path, database: str) -> None:
    seen, wrong = faults.writers(tmp_path, database, 8)
    assert wrong == []
    assert "PostgreSQL: 8 of 8 writers done" in seen


@pytest.mark.parametrize(
    ("command", "event"),
    [
        ("DELETE FROM events WHERE sequence = 5", 5),
        ("DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)", None),
        ("UPDATE events SET actor = 'Eve' WHERE sequence = 4", 4),
        ("UPDATE events SET kind = 'waived' WHERE kind = 'withdrawn'", 5),
        ("UPDATE events SET at = at + 1 WHERE sequence = 2", 2),
        ("UPDATE decisions SET subject = 2 WHERE number = 1", 3),
        ("DELETE FROM decisions WHERE number = 3", 3),
        ("DELETE FROM keys WHERE subject = 2", 3),
        ("UPDATE keys SET wrapped = zeroblob(60) WHERE subject = 2", 3),
        ("DELETE FROM touched", 4),
        ("DELETE FROM verdicts", 8),
        ("UPDATE verdicts SET first = 1000, last = 1001", 8),
        ("UPDATE head SET id = 2", None),
        ("CREATE TRIGGER t AFTER INSERT ON keys BEGIN DELETE FROM keys; END", 0),
        ("INSERT INTO keys SELECT 9999, wrapped FROM keys LIMIT 1", None),
    ],
)
def test_the_first_event_that_does_not_hold_is_named(
    tmp_path: Path, whole: bytes, command: str, event: int | None
) -> None:
    path = tmp_path / "edited.db"
    path.write_bytes(whole)
    with sqlite3.connect(path) as file:
        file.execute(command)
    file.close()
    found = Ledger.open(path, KEY).verify()
    assert not found
    if event is not None:
        assert found.event == event, found.sentence
        assert f"at event {event}:" in found.sentence


def test_a_chain_that_was_rewritten_as_a_whole_is_found_by_its_seal(
    tmp_path: Path, whole: bytes
) -> None:
    """Somebody without the key computes every hash again after changing one event."""
    from standfast.promises.ledger.chain import START, Event

    path = tmp_path / "edited.db"
    path.write_bytes(whole)
    with sqlite3.connect(path) as file:
        previous = START
        for row in file.execute("SELECT * FROM events ORDER BY sequence").fetchall():
            event = Event(*row)
            text = event.text.replace("a mistake", "no mistake")
            event = Event(*row[:5], text, previous, b"").hashed()
            previous = event.hash
            file.execute(
                "UPDATE events SET content = ?, previous = ?, hash = ? WHERE sequence = ?",
                (event.text, event.previous, event.hash, event.sequence),
            )
        file.execute("UPDATE head SET hash = ?", (previous,))
    file.close()
    found = Ledger.open(path, KEY).verify()
    assert not found
    assert "as it was sealed" in found.sentence or "gate run" in found.sentence


def test_a_root_stored_elsewhere_finds_a_ledger_that_was_set_back(tmp_path: Path) -> None:
    path = tmp_path / "promises.db"
    ledger = promised.issued(path)
    ledger.close()
    before = path.read_bytes()
    root = ledger.record_gate(faults.gate(ledger, "2026-02-01"), at="2026-02-01")
    assert ledger.verify(root)
    ledger.close()
    path.write_bytes(before)
    old = Ledger.open(path, KEY)
    assert old.verify()
    assert "no gate run has the root" in old.verify(root).sentence
