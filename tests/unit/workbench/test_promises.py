"""Does the promises screen say what the ledger, the gate and repair say, and write nothing?"""

import sqlite3

import pytest
from samples import promised

import standfast as sf
from standfast.errors import InputError
from standfast.promises.gate.settings import GateSettings
from standfast.promises.ledger import Ledger
from standfast.workbench import promises
from standfast.workbench.service import Service
from standfast.workbench.world import Member, World

STRICT = sf.Rule("late <= 0 and job in (clerk, nurse)", promised.SCHEMA)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "promises.db"
    promised.issued(path).close()
    return path


@pytest.fixture(scope="module")
def kept(file):
    members = (Member("current", promised.MODEL), Member("strict", STRICT))
    world = World(
        "A lender", promised.SCHEMA, promised.percentiles(), promised.people(5), members, ""
    )
    address = f"sqlite:///{file}?timeout=0.1"
    return Service(world, ledger=lambda: Ledger.open(address, promised.KEY))


def test_the_open_promises_are_counted_and_listed(kept):
    shown = promises.promises(kept, {})
    with kept.ledger() as ledger:
        facts = ledger.open_promises().facts
    assert shown["open"] == len(facts) > 0
    assert shown["methods"] == {"minimal cost": len(facts)}
    assert [row["number"] for row in shown["rows"]] == facts.index.tolist()
    assert {row["until"] for row in shown["rows"]} == {"2027-01-01"}
    assert shown["where"] == "promises.db"


@pytest.mark.parametrize("candidate", [0, 1])
def test_the_gate_is_the_librarys_and_nothing_is_recorded(kept, file, candidate):
    before = file.read_bytes()
    shown = promises.gated(kept, {"candidate": candidate, "require": "kept >= 0.98, broken <= 0.1"})
    with kept.ledger() as ledger:
        model = kept.world.members[candidate].score
        report = sf.gate(
            ledger.open_promises(),
            model,
            require=["kept >= 0.98", "broken <= 0.1"],
            settings=GateSettings(name=kept.world.members[candidate].name),
        )
    assert shown["sentence"] == report.sentence
    assert shown["passed"] == report.passed == (candidate == 0)
    assert shown["kept"] == round(report.kept * report.n)
    assert shown["broken"] == round(report.broken * report.n)
    assert [one["holds"] for one in shown["conditions"]] == [c.holds for c in report.conditions]
    assert [one["text"] for one in shown["conditions"]] == ["kept >= 0.98", "broken <= 0.1"]
    assert shown["conditions"][0]["found"] == pytest.approx(report.kept)
    assert file.read_bytes() == before


def test_repairs_are_compared(kept):
    shown = promises.repaired(kept, {"candidate": 1})
    assert shown["broken"] > 0
    assert {way["way"] for way in shown["ways"]} == {"top up", "honour"}
    assert promises.repaired(kept, {"candidate": 0})["ways"] == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"candidate": 7}, "there is no model 7"),
        ({"require": "kept is nice"}, "cannot be read"),
        ({"candidate": -1}, "whole number"),
    ],
)
def test_what_cannot_be_asked_is_refused(kept, body, words):
    with pytest.raises(InputError, match=words):
        promises.gated(kept, body)


def test_a_locked_ledger_is_said(kept, file):
    other = sqlite3.connect(file, isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="another process is writing to it"):
            promises.promises(kept, {})
    finally:
        other.rollback()
        other.close()
    assert promises.promises(kept, {})["open"] > 0


def test_without_a_ledger_it_says_how_to_give_one(kept):
    with pytest.raises(InputError, match="start the workbench with --ledger and --key"):
        promises.promises(Service(kept.world), {})
