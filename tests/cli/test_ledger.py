"""The commands of the ledger print and exit as documented."""

import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest


@pytest.fixture
def office(sandbox: Any) -> Any:
    """A sandbox with advice and a ledger."""
    people = pd.read_csv(sandbox.path("people.csv"))
    people.insert(0, "id", [f"applicant-{i}" for i in range(len(people))])
    people.to_csv(sandbox.path("people.csv"), index=False)
    result = sandbox.recommend(index="id", method="minimal-cost")
    assert result.exit_code == 0, result.output
    assert run(sandbox, "init").exit_code == 0
    return sandbox


def run(sandbox: Any, verb: str, *more: object) -> Any:
    given = ("--ledger", sandbox.path("promises.db"), "--key", sandbox.path("key.txt"))
    return sandbox.run("ledger", verb, *given, *more)


def test_a_ledger_from_the_first_day_to_the_last(office: Any) -> None:
    assert stat.S_IMODE(office.path("key.txt").stat().st_mode) == 0o600
    issued = run(office, "issue", office.path("advice.csv"), "--by", "Ada")
    assert issued.exit_code == 0, issued.output
    assert "Issued " in issued.stdout
    again = run(office, "issue", office.path("advice.csv"))
    assert "in the ledger already" in again.stdout
    shown = run(office, "show")
    assert "open promises, the soonest ends on" in shown.stdout
    assert shown.stdout.count("advised") == 1  # one model, named once
    exported = run(office, "export", "--out", office.path("open.csv"), "--with-values")
    assert exported.exit_code == 0, exported.output
    table = pd.read_csv(office.path("open.csv"))
    assert "applicant" not in office.path("open.csv").read_text()

    advice = pd.read_csv(office.path("advice.csv"))
    advised = advice[advice["income"].notna() & (advice["cost"] > 0)]
    assert len(table) == len(advised)
    back = advised[["id", "income", "debt", "age"]]
    back.head(3).to_csv(office.path("back.csv"), index=False)
    came = run(office, "check", "--people", office.path("back.csv"), "--index", "id")
    assert came.exit_code == 0, came.output
    assert came.stdout.count("is fulfilled: every input lies in its box") == 3
    stays = pd.read_csv(office.path("people.csv"))
    stays[stays["id"].isin(advised["id"])].to_csv(office.path("back.csv"), index=False)
    came = run(office, "check", "--people", office.path("back.csv"), "--index", "id")
    assert came.exit_code == 1

    a, b, c, d = table["promise"].head(4)
    signed = ("--by", "Ada", "--why", "a good reason")
    assert run(office, "fulfil", "--promise", a).stdout == "1 promise fulfilled\n"
    assert run(office, "withdraw", "--promise", b, *signed).exit_code == 0
    assert run(office, "waive", "--promise", c, *signed).exit_code == 0
    assert run(office, "honour", "--promise", d, *signed, "--until", "2150-01-01").exit_code == 0
    assert run(office, "expire").stdout == "0 promises expired\n"
    who = str(advised["id"].iloc[0])
    history = run(office, "show", "--subject", who)
    assert "issued" in history.stdout
    assert run(office, "erase", "--subject", who).exit_code == 0
    sound = run(office, "verify")
    assert sound.exit_code == 0
    assert "The ledger is sound" in sound.stdout


def test_a_changed_file_is_said_with_exit_1(office: Any) -> None:
    import sqlite3

    run(office, "issue", office.path("advice.csv"))
    with sqlite3.connect(office.path("promises.db")) as file:
        file.execute("UPDATE decisions SET cost = 0.25 WHERE number = 2")
    file.close()
    found = run(office, "verify")
    assert found.exit_code == 1
    assert "altered at event" in found.stdout


@pytest.mark.parametrize(
    ("verb", "more", "sentence"),
    [
        ("issue", ("nothing.csv",), "nothing.csv"),
        ("issue", ("advice.csv", "--valid-for", "soon"), "write a number and a unit"),
        ("check", ("--people", "none.csv", "--index", "id"), "there is no file"),
        ("check", ("--people", "people.csv", "--index", "id", "--on", "soon"), "is not a date"),
        ("show", ("--subject", "nobody"), "no decision about this person"),
        ("waive", ("--promise", "1"), "by is empty; a waiver needs the name"),
        ("waive", ("--promise", "1", "--by", "Ada"), "why is empty"),
        ("fulfil", (), "no promise is named"),
        ("erase", (), "say who is to be erased"),
        ("erase", ("--subject", "nobody"), "there is nothing to erase"),
        ("erase", ("--subject", "nobody", "--due"), "say who is to be erased"),
        ("export", ("--out", "open.txt"), "must end in .parquet or .csv"),
        ("init", (), "there is a database at"),
    ],
)
def test_misuse_is_one_sentence(
    office: Any, verb: str, more: tuple[str, ...], sentence: str, monkeypatch
) -> None:
    monkeypatch.chdir(office.folder)
    assert sentence in office.sentence(run(office, verb, *more))


def test_keys_and_ledgers_that_are_none_get_a_sentence(office: Any) -> None:
    other = office.path("other.txt")
    ledger, key = office.path("promises.db"), office.path("key.txt")

    def stated(ledger: Path | str, key: Path, verb: str = "verify") -> str:
        return office.sentence(office.run("ledger", verb, "--ledger", ledger, "--key", key))

    other.write_text("00" * 32)
    assert "not the one that the ledger was made with" in stated(ledger, other)
    other.write_text("hello")
    assert "must be 64 hexadecimal digits" in stated(ledger, other)
    assert "cannot read the key" in stated(ledger, office.path("absent.txt"))
    assert "there is no ledger" in stated(office.path("absent.db"), key)
    assert "is not a database" in stated(office.path("people.csv"), key)
    assert "SQLite and PostgreSQL" in stated("mysql://root@host/x", key)
    assert "would overwrite" in stated(key, key, "init")
    assert not office.path("absent.db").exists()


def test_with_the_model_a_promise_is_a_box(office: Any) -> None:
    model = ("--model", office.path("model.skops"), "--favourable", 1)
    boxes = (*model, "--table", office.path("train.csv"))
    issued = run(office, "issue", office.path("advice.csv"), *boxes)
    assert issued.exit_code == 0, issued.output
    exported = run(office, "export", "--out", office.path("open.csv"), "--with-values")
    assert exported.exit_code == 0, exported.output
    advice = pd.read_csv(office.path("advice.csv"))
    advised = advice[advice["cost"] > 0].iloc[:1]
    more = advised[["id", "income", "debt", "age"]].assign(income=advised["income"] + 1)
    more.to_csv(office.path("back.csv"), index=False)  # more than was asked for
    came = run(office, "check", "--people", office.path("back.csv"), "--index", "id")
    assert came.exit_code == 0, came.output
    for given, sentence in (
        (model, "--model needs --table"),
        (boxes[2:], "go with --model"),
    ):
        refused = run(office, "issue", office.path("advice.csv"), *given)
        assert refused.exit_code == 2
        assert sentence in refused.stderr


def test_drafts_are_issued_and_open_promises_superseded(office: Any) -> None:
    drafted = run(office, "issue", office.path("advice.csv"), "--draft")
    assert "Drafted" in drafted.stdout
    shown = run(office, "show").stdout
    assert shown.startswith("0 open promises")
    assert "drafts, not issued yet" in shown
    assert "say what to issue" in office.sentence(run(office, "release"))
    count = int(drafted.stdout.split()[1])
    assert run(office, "release", "--promise", 1000).exit_code == 2
    assert run(office, "release", "--all").stdout == f"{count} promises issued\n"
    assert run(office, "release", "--all").stdout == "0 promises issued\n"
    assert run(office, "show").stdout.startswith(f"{count} open promises")

    assert office.recommend(index="id", method="growing-spheres").exit_code == 0
    both = ("--supersede", "--draft")
    refused = run(office, "issue", office.path("advice.csv"), *both)
    assert "a draft takes no promise's place" in office.sentence(refused)
    advice = pd.read_csv(office.path("advice.csv"))
    new = run(office, "issue", office.path("advice.csv"), "--supersede")
    assert new.exit_code == 0, new.output
    assert run(office, "show").stdout.startswith(f"{count} open promises")
    who = str(advice.loc[advice["cost"] > 0, "id"].iloc[0])
    history = run(office, "show", "--subject", who).stdout
    assert [line.split()[2] for line in history.splitlines()] == [
        "drafted",
        "released",
        "issued",
        "superseded",
    ]
    assert "by promise" in history
    assert run(office, "verify").exit_code == 0
    assert run(office, "upgrade").stdout == "the ledger is of this version already\n"


def test_the_advice_of_a_folder_supersedes_open_promises_too(office: Any) -> None:
    assert run(office, "issue", office.path("advice.csv")).exit_code == 0
    open_ones = run(office, "show").stdout.split()[0]
    people = office.path("people")
    people.mkdir()
    office.path("people.csv").rename(people / "people.csv")
    parts = {"people": people, "out": office.path("parts"), "index": "id", "part_rows": 40}
    assert office.recommend(**parts, method="growing-spheres").exit_code == 0
    both = run(office, "issue", office.path("parts"), "--supersede", "--draft")
    assert "a draft takes no promise's place" in office.sentence(both)
    new = run(office, "issue", office.path("parts"), "--supersede")
    assert new.exit_code == 0, new.output
    assert run(office, "show").stdout.split()[0] == open_ones
    assert run(office, "verify").exit_code == 0


@pytest.mark.parametrize("option", ["--valid-for", "--retain-for"])
def test_a_period_that_is_none_is_refused_before_any_work(office: Any, option: str) -> None:
    boxes = ("--model", office.path("nothing.skops"), "--favourable", 1, "--table", "nothing.csv")
    result = run(office, "issue", office.path("advice.csv"), *boxes, option, "a while")
    assert result.exit_code == 2
    assert f"error: {option} is 'a while'; write a number and a unit" in result.stderr
