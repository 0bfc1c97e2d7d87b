"""A later version adds to the tables: the chain says so, and still shows what was altered."""

import sqlite3
from pathlib import Path

import pytest
from samples import promised
from samples.promised import KEY, START

import standfast as sf
from standfast.promises.ledger import Ledger, Terms, migrations, tables

LATER = """
import sqlalchemy as sa
from alembic import op

revision = "ledger_2"
down_revision = "ledger_1"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table("letters", sa.Column("number", sa.Integer, primary_key=True))
    op.add_column("decisions", sa.Column("branch", sa.Text))
"""


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What makes this version of standfast a later one, with a migration more."""
    folder = tmp_path / "versions"
    folder.mkdir()
    (folder / "ledger_2.py").write_text(LATER)

    def grow() -> None:
        monkeypatch.setattr(tables, "REVISIONS", [*tables.REVISIONS, "ledger_2"])
        monkeypatch.setattr(migrations, "FOLDERS", [*migrations.FOLDERS, folder])

    return grow


def test_a_ledger_is_upgraded_stays_sound_and_goes_on(place: str, later) -> None:
    ledger = promised.issued(place)
    before = ledger.open_promises(START)
    ledger.close()
    later()
    with pytest.raises(sf.InputError, match="earlier version of standfast; make a copy"):
        Ledger.open(place, KEY)
    with pytest.raises(sf.InputError, match="not the one that the ledger was made with"):
        Ledger.upgrade(place, "11" * 32)
    assert Ledger.upgrade(place, KEY, at="2026-02-01", by="Ada")
    assert not Ledger.upgrade(place, KEY)
    ledger = Ledger.open(place, KEY)
    sound = ledger.verify()
    assert sound, sound.sentence
    assert (ledger.open_promises(START).point == before.point).all()
    ledger.issue(promised.advice(seed=7), terms=Terms(at="2026-02-02"))
    sound = ledger.verify()
    assert sound, sound.sentence


@pytest.mark.parametrize(
    ("edit", "event"),
    [
        ("UPDATE decisions SET cost = 0.125 WHERE number = 2", 3),
        ("DROP TABLE letters", 4),
        ("ALTER TABLE letters ADD COLUMN more TEXT", 4),
        ("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM keys; END", 4),
    ],
)
def test_what_is_altered_after_an_upgrade_is_found(
    tmp_path: Path, later, edit: str, event: int
) -> None:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    later()
    Ledger.upgrade(path, KEY, at="2026-02-01")
    with sqlite3.connect(path) as file:
        file.execute(edit)
    file.close()
    found = Ledger.open(path, KEY).verify()
    assert not found
    assert found.event == event, found.sentence


def test_an_upgrade_does_not_bless_tables_that_were_altered_before(tmp_path: Path, later) -> None:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM keys; END")
    file.close()
    before = path.read_bytes()
    later()
    with pytest.raises(sf.InputError, match="does not have the tables that it made"):
        Ledger.upgrade(path, KEY)
    assert path.read_bytes() == before


def test_an_earlier_version_refuses_a_ledger_that_was_upgraded(
    tmp_path: Path, later, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    now = list(tables.REVISIONS)
    later()
    Ledger.upgrade(path, KEY, at="2026-02-01")
    monkeypatch.setattr(tables, "REVISIONS", now)
    with pytest.raises(sf.InputError, match="of a newer version of standfast"):
        Ledger.open(path, KEY)
