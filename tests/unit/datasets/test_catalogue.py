from pathlib import Path

import pandas as pd
import pytest

from standfast.datasets import available


def line(table: pd.DataFrame, name: str, kind: str) -> pd.Series:
    return table[(table["name"] == name) & (table["kind"] == kind)].iloc[0]


def test_without_files_the_twins_are_here_and_the_real_sets_at_openml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    table = available()
    assert list(table["name"]) == [
        *["give_me_some_credit"] * 2,
        *["heloc"] * 2,
        "sba_case",
        *["german_credit"] * 3,
    ]
    for name, number, rows in (("heloc", 46932, 8291), ("give_me_some_credit", 46929, 120_269)):
        real, twin = line(table, name, "real"), line(table, name, "twin")
        assert (real["found"], real["where"], real["rows"]) == (False, f"OpenML {number}", rows)
        assert (twin["found"], twin["where"], len(twin["digest"])) == (True, "embedded", 64)


def test_a_set_that_cannot_be_downloaded_says_which_file_must_be_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    table = available()
    shown = table[~table["found"] & (table["where"] == "")].set_index("name")["note"]
    assert len(shown) == 3
    for (name, note), file in zip(
        shown.items(),
        ("sba_case.csv", "german_credit_statlog.csv", "south_german_credit.csv"),
        strict=True,
    ):
        assert note.startswith(f"{name} cannot be downloaded and has no twin; set STANDFAST_DATA")
        assert f"'{file}'" in note


def test_a_file_that_is_not_the_published_one_is_found_but_told_apart(tmp_path: Path) -> None:
    (tmp_path / "heloc.csv").write_text("anything")
    found = line(available(tmp_path), "heloc", "real")
    assert found["found"]
    assert found["where"] == str(tmp_path / "heloc.csv")
    assert "not the published file" in found["note"]
    assert pd.isna(found["rows"])


def test_a_missing_folder_is_a_note_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDFAST_DATA", str(tmp_path / "gone"))
    missing = line(available(), "heloc", "real")
    assert not missing["found"]
    assert "does not exist" in missing["note"]
