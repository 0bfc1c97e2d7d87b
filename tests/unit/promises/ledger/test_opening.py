"""Ledgers that are none, that are newer, locked, read-only, on a full disk: a sentence each."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from samples import promised
from samples.promised import KEY, START

import standfast as sf
from standfast.promises.ledger import Ledger, Terms, tables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    return path


def shown(url: object, key: object = KEY) -> str:
    with pytest.raises(sf.InputError) as error:
        Ledger.open(url, key)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


def test_what_is_no_ledger_is_said(tmp_path: Path, path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but a long enough text to look at " * 20)
    assert "the file is not a database" in shown(text)
    empty = tmp_path / "empty.db"
    empty.touch()
    assert "is not a ledger" in shown(empty)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE events (x)")
    other.close()
    assert "is not a ledger" in shown(tmp_path / "other.db")
    assert "there is no ledger" in shown(tmp_path / "absent.db")
    assert not (tmp_path / "absent.db").exists()
    assert "cannot be opened" in shown(tmp_path) or "there is no ledger" in shown(tmp_path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(sf.InputError, match="is damaged"):
        Ledger.open(path, KEY).open_promises(START)


def test_a_newer_ledger_asks_for_an_upgrade(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("UPDATE alembic_version SET version_num = 'ledger_99'")
    file.close()
    assert "newer version of standfast" in shown(path)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("11" * 32, "not the one that the ledger was made with"),
        ("short", "64 hexadecimal digits"),
        (b"short", "the key has 5 bytes"),
        (None, "the key is a NoneType"),
        (7, "the key is an int"),
    ],
)
def test_a_wrong_key_is_said_and_nothing_is_read(path: Path, key: object, sentence: str) -> None:
    assert sentence in shown(path, key)


def test_nobody_makes_a_ledger_over_another(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(sf.InputError, match="there is a database at"):
        Ledger.create(path, KEY)
    assert path.read_bytes() == before


def test_a_read_only_ledger_can_be_read_and_not_written(path: Path) -> None:
    ledger = Ledger.open(f"sqlite:///file:{path}?mode=ro&uri=true", KEY)
    assert ledger.verify()
    with pytest.raises(sf.InputError, match="it is read-only; nothing was written"):
        ledger.fulfil(1, at="2026-02-01")


def test_a_locked_ledger_is_said(path: Path) -> None:
    ledger = Ledger.open(f"sqlite:///{path}?timeout=0.05", KEY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sf.InputError, match="another process is writing"):
        ledger.fulfil(1, at="2026-02-01")
    other.execute("ROLLBACK")
    other.close()


def test_on_a_full_disk_nothing_of_a_batch_is_kept(path: Path) -> None:
    ledger = Ledger.open(path, KEY)
    events = ledger.verify().events

    @sa.event.listens_for(ledger._store.engine, "connect")
    def small(connection, _) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    ledger.close()
    more = promised.many(promised.advice(), 300)
    with pytest.raises(sf.InputError, match="the disk is full; nothing of this step was kept"):
        ledger.issue(more, terms=Terms(at="2026-02-01"))
    found = Ledger.open(path, KEY).verify()
    assert found, found.sentence
    assert found.events == events


def test_passwords_and_values_are_never_in_a_sentence() -> None:
    sentence = shown("postgresql+psycopg://ann:secret@127.0.0.1:1/nowhere")
    assert "secret" not in sentence
    assert "the server does not answer" in sentence


def test_the_migrations_make_the_tables_that_the_code_reads(place: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    ledger = promised.ledger(place)
    with ledger._store.reading() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == tables.REVISIONS[-1]
        assert compare_metadata(context, tables.metadata) == []


def test_importing_standfast_loads_no_database() -> None:
    code = (
        "import sys, standfast; "
        "print([n for n in ('sqlalchemy', 'alembic', 'cryptography') if n in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_a_missing_library_is_said_with_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sqlalchemy.py").write_text("raise ModuleNotFoundError('no', name='sqlalchemy')")
    code = "import standfast as sf\ntry:\n    sf.Ledger\nexcept sf.InputError as e:\n    print(e)"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert "pip install 'standfast[promises]'" in said.stdout, said.stderr
