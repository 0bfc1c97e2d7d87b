"""standfast repair prints and exits as documented."""

from typing import Any

import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import standfast as sf
from standfast.promises import Promises


@pytest.fixture
def office(sandbox: Any) -> Any:
    """A sandbox with advice, and a stricter model that is to replace the one it was made under."""
    assert sandbox.recommend(method="minimal-cost").exit_code == 0
    train = pd.read_csv(sandbox.path("train.csv"))
    good = train["income"] / 6000 > train["debt"] + 0.2
    model = LogisticRegression(max_iter=10_000).fit(
        train[["income", "debt", "age"]], good.map({True: 1, False: -1})
    )
    sf.save_model(model, sandbox.path("next.skops"))
    return sandbox


def repair(sandbox: Any, *more: object, model: str = "next.skops") -> Any:
    given = (
        "--model",
        sandbox.path(model),
        "--favourable",
        1,
        "--table",
        sandbox.path("train.csv"),
    )
    return sandbox.run("repair", *given, *more)


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
    assert "would need an exception" in done.stdout
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


@pytest.fixture
def kept(office: Any) -> Any:
    """The office with a ledger of its advice, as boxes."""
    where = ("--ledger", office.path("promises.db"), "--key", office.path("key.txt"))
    assert office.run("ledger", "init", *where).exit_code == 0
    boxes = ("--model", office.path("model.skops"), "--favourable", 1)
    boxes += ("--table", office.path("train.csv"))
    issued = office.run("ledger", "issue", office.path("advice.csv"), *where, *boxes)
    assert issued.exit_code == 0, issued.output
    return office


def where(sandbox: Any) -> tuple[object, ...]:
    return "--ledger", sandbox.path("promises.db"), "--key", sandbox.path("key.txt")


def ledger(sandbox: Any) -> sf.Ledger:
    return sf.Ledger.open(sandbox.path("promises.db"), sandbox.path("key.txt").read_text().strip())


def test_top_ups_are_written_into_the_ledger_once(kept: Any) -> None:
    before = ledger(kept).open_promises().facts
    done = repair(kept, *where(kept), "--record", "top-up", "--by", "Ada")
    assert done.exit_code == 0, done.output
    count = int(done.stdout.split("recorded: ")[1].split()[0])
    after = ledger(kept).open_promises()
    gone, new = before.index.difference(after.facts.index), after.facts.index[-count:]
    assert len(gone) == count > 0
    assert set(after.facts.loc[new, "subject"]) == set(before.loc[gone, "subject"])
    strict = sf.as_score(sf.load_model(kept.path("next.skops")), after.schema, favourable=1)
    assert strict.accepts(after[-count:].point).all()
    assert (after[-count:].boxes.upper > after[-count:].boxes.lower).any()  # boxes stay boxes
    events = ledger(kept).verify()
    assert events, events.sentence
    again = repair(kept, *where(kept), "--record", "top-up", "--by", "Ada")
    assert again.exit_code == 0, again.output
    assert "nothing was recorded" in again.stdout
    assert ledger(kept).verify().events == events.events
    gate = ("gate", *where(kept), "--model", kept.path("next.skops"), "--favourable", 1)
    assert kept.run(*gate, "--require", "broken <= 0").exit_code == 0


@pytest.mark.parametrize("way", ["honour", "waive"])
def test_exceptions_and_waivers_are_written_by_name_and_reason(kept: Any, way: str) -> None:
    before = ledger(kept).open_promises()
    strict = sf.as_score(sf.load_model(kept.path("next.skops")), before.schema, favourable=1)
    broken = before.facts[~strict.accepts(before.point)]
    signed = ("--by", "Ada", "--why", "our word counts")
    done = repair(kept, *where(kept), "--record", way, *signed)
    assert done.exit_code == 0, done.output
    assert f"recorded: {len(broken)} promises are" in done.stdout
    now = ledger(kept)
    if way == "honour":
        listed = now.exceptions()
        assert listed["promise"].tolist() == broken.index.tolist()
        assert listed["until"].tolist() == broken["valid_until"].tolist()
    else:
        assert now.open_promises().facts.index.intersection(broken.index).empty
    assert now.verify()
    events = now.verify().events
    again = repair(kept, *where(kept), "--record", way, *signed)
    assert again.exit_code == 0, again.output
    assert "\nrecorded:" not in again.stdout
    assert "nothing" in again.stdout
    assert ledger(kept).verify().events == events


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--record", "honour", "--by", "Ada"], "why is empty; an exception needs the reason"),
        (["--record", "waive"], "by is empty; a waiver needs the name"),
        (["--record", "top-up", "--valid-for", "soon"], "write a number and a unit"),
        (["--record", "top-up", "--on", "2030-01-01"], "leave --on out"),
        (["--retrain", "train.csv"], "--retrain needs --label"),
        (["--retrain", "nowhere.csv", "--label", "label"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(
    kept: Any, given: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kept.folder)
    before = kept.path("promises.db").read_bytes()
    assert said in kept.sentence(repair(kept, *where(kept), *given))
    assert kept.path("promises.db").read_bytes() == before


def test_a_file_of_advice_records_nothing(office: Any) -> None:
    advice = ("--recommendations", office.path("advice.csv"))
    assert "--record needs --ledger" in office.sentence(
        repair(office, *advice, "--record", "top-up")
    )


def test_retraining_is_compared_share_by_share(office: Any) -> None:
    out = office.path("repair")
    advice = ("--recommendations", office.path("advice.csv"))
    more = ("--retrain", office.path("train.csv"), "--label", "label", "--out", out)
    done = repair(office, *advice, *more)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(out / "repairs.csv")
    rows = table[table["way"] == "retrain"]
    assert rows["under"].iloc[0] == "ordinary"
    asked = rows.dropna(subset="keep")
    assert asked["keep"].tolist() == [0.8, 0.9, 0.95, 0.99, 1.0]
    assert (asked["kept"] >= asked["keep"]).all()
    assert (rows["people"] == 100).all()  # a quarter of the same table is set aside
    recs = sf.Recommendations.read(office.path("advice.csv"))
    train = pd.read_csv(office.path("train.csv"))
    data = sf.Dataset(train.drop(columns="label"), train["label"], recs.schema, "train")
    fit, held = data.split(0.75, seed=0)
    model, both = sf.load_model(office.path("next.skops")), (-1, 1)
    found = sf.retrain(model, fit, Promises.of(recs), keep=1.0, classes=both)
    change = sf.repair.swap_set(found.ordinary, found.score, held)
    assert rows["newly_accepted"].iloc[-1] == pytest.approx(change["newly_accepted"])
    assert rows["auc_change"].iloc[-1] == pytest.approx(change["auc_change"])
