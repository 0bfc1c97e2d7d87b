"""standfast repair prints and exits as documented."""

from typing import Any

import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import standfast as sf


@pytest.fixture
def office(desk: Any) -> Any:
    """A desk with advice, and a stricter model that is to replace the one it was made under."""
    assert desk.recommend(method="minimal-cost").exit_code == 0
    train = pd.read_csv(desk.path("train.csv"))
    good = train["income"] / 6000 > train["debt"] + 0.2
    model = LogisticRegression(max_iter=10_000).fit(
        train[["income", "debt", "age"]], good.map({True: 1, False: -1})
    )
    sf.save_model(model, desk.path("next.skops"))
    return desk


def repair(desk: Any, *more: object, model: str = "next.skops") -> Any:
    given = ("--model", desk.path(model), "--favourable", 1, "--table", desk.path("train.csv"))
    return desk.run("repair", *given, *more)


def test_ways_to_repair_are_compared_and_written(office: Any) -> None:
    out = office.path("repair")
    done = repair(
        office,
        *("--recommendations", office.path("advice.csv")),
        *("--champion", office.path("model.skops"), "--out", out),
    )
    assert done.exit_code == 0, done.output
    assert "honour" in done.stdout
    assert "f and g" in done.stdout
    assert "are honoured by exception" in done.stdout
    table = pd.read_csv(out / "repairs.csv")
    assert (table["broken"] > 0).all()
    exceptions = pd.read_csv(out / "exceptions.csv")
    assert len(exceptions) == table["broken"].iloc[0]
    topped = sf.Recommendations.read(out / "top_up.parquet")
    assert len(topped) == len(exceptions)
    again = repair(office, "--recommendations", office.path("advice.csv"), "--out", out)
    assert "is there already" in office.sentence(again)


def test_a_model_that_keeps_all_needs_no_repair(office: Any) -> None:
    out = office.path("repair")
    advice = ("--recommendations", office.path("advice.csv"))
    done = repair(office, *advice, "--out", out, model="model.skops")
    assert done.exit_code == 0, done.output
    assert "no exception is needed" in done.stdout
    assert "nothing to top up" in done.stdout
    assert not (out / "top_up.parquet").exists()


def test_open_promises_of_a_ledger_are_repaired(office: Any) -> None:
    where = ("--ledger", office.path("promises.db"), "--key", office.path("key.txt"))
    assert office.run("ledger", "init", *where).exit_code == 0
    assert office.run("ledger", "issue", office.path("advice.csv"), *where).exit_code == 0
    done = repair(office, *where, "--out", office.path("repair"))
    assert done.exit_code == 0, done.output
    exceptions = pd.read_csv(office.path("repair") / "exceptions.csv")
    assert exceptions["subject"].str.len().eq(64).all()  # pseudonyms
    assert exceptions["until"].notna().all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "give --recommendations or --ledger"),
        (["--ledger", "promises.db"], "--ledger needs --key"),
        (["--recommendations", "advice.csv", "--ledger", "promises.db"], "one of them"),
        (["--recommendations", "nowhere.csv"], "there is no such file"),
        (["--recommendations", "people.csv"], "people.csv"),
        (["--recommendations", "advice.csv", "--on", "someday"], "give a date"),
    ],
)
def test_what_cannot_be_repaired_is_refused_in_one_sentence(
    office: Any, given: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(office.folder)
    assert said in office.sentence(repair(office, *given))
