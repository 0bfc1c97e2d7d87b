import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import standfast as sf
from standfast.readers.files import save_model


@pytest.fixture
def advised(sandbox):
    """A sandbox with advice under its model, and a challenger that is stricter."""
    assert sandbox.recommend(method="minimal-cost").exit_code == 0
    train = pd.read_csv(sandbox.path("train.csv"))
    inputs, hard = train.drop(columns="label"), train["income"] / 9000 > train["debt"]
    strict = LogisticRegression(max_iter=2000).fit(inputs / 1.0, np.where(hard, 1, -1))
    save_model(strict, sandbox.path("strict.skops"))
    return sandbox


def gate(sandbox, *more, model="model.skops", **given):
    source = given.get("source", ("--recommendations", sandbox.path("advice.csv")))
    return sandbox.run(
        "gate", *source, "--model", sandbox.path(model), "--favourable", 1, *map(str, more)
    )


def test_the_model_that_advised_passes_and_a_stricter_one_is_held_back(advised):
    kept = gate(advised, "--require", "kept >= 0.98")
    assert kept.exit_code == 0, kept.output
    assert "The candidate passes: every condition holds" in kept.stdout
    held = gate(advised, "--require", "kept >= 0.98", model="strict.skops")
    assert held.exit_code == 1
    assert "NO  kept >= 0.98" in held.stdout


def test_the_report_is_written_in_three_formats(advised):
    out = advised.path("gate")
    more = ["--champion", advised.path("model.skops"), "--table", advised.path("train.csv")]
    more += ["--label", "label", "--segment", "age", "--approver", "<b>Ann</b>", "--out", out]
    conditions = ["--require", "upper(broken) <= 50% and newly_refused <= 1", "--require", "psi<=9"]
    result = gate(advised, *conditions, *more, model="strict.skops")
    assert result.exit_code in (0, 1), result.output
    found = json.loads((out / "gate.json").read_text())
    assert found["passed"] == (result.exit_code == 0)
    assert [one["condition"] for one in found["conditions"]] == [
        "upper(broken) <= 0.5",
        "newly_refused <= 1",
        "psi <= 9",
    ]
    counts = found["promises"]
    assert counts["open"] == counts["kept"] + counts["at_risk"] + counts["broken"] > 0
    swap = found["swap"]
    assert swap["people"] == 400
    assert swap["both"] + swap["newly_accepted"] + swap["newly_refused"] + swap["neither"] == 400
    page = (out / "gate.html").read_text()
    assert "<b>Ann</b>" not in page
    assert "&lt;b&gt;Ann&lt;/b&gt;" in page
    assert "<script" not in page
    assert "http" not in page
    suite = ElementTree.parse(out / "gate.junit.xml").getroot()
    assert int(suite.attrib["failures"]) == sum(not one["holds"] for one in found["conditions"])
    assert len(suite.findall("testcase")) == 3


def test_repair_is_priced_beside_the_verdict(advised):
    out = advised.path("gate")
    people = ["--table", advised.path("train.csv"), "--label", "label", "--repair", "--out", out]
    result = gate(advised, *people, "--require", "repair_cost <= 0.5", model="strict.skops")
    assert result.exit_code in (0, 1), result.output
    assert "repair_cost <= 0.5" in result.stdout
    found = json.loads((out / "gate.json").read_text())
    ways = [one["way"] for one in found["repairs"]]
    assert ways == ["top up", "top up", "honour"]
    assert all(one["repaired"] <= one["broken"] for one in found["repairs"])
    page = (out / "gate.html").read_text()
    assert "top up from where people were sent, candidate accepts" in page
    kept = gate(advised, *people)
    assert kept.exit_code == 0, kept.output  # nothing is broken, so nothing is priced
    assert json.loads((out / "gate.json").read_text())["repairs"] == []
    alone = gate(advised, "--repair")
    assert alone.exit_code == 2
    assert "--repair needs --table" in alone.stderr


def test_retraining_stands_beside_the_other_ways_share_by_share(advised):
    out = advised.path("gate")
    train = pd.read_csv(advised.path("train.csv"))
    train.head(300).to_csv(advised.path("fit.csv"), index=False)
    train.tail(100).to_csv(advised.path("judge.csv"), index=False)
    more = ["--table", advised.path("judge.csv"), "--label", "label", "--out", out]
    retrain = ["--retrain", advised.path("fit.csv")]
    result = gate(advised, *more, "--repair", *retrain, model="strict.skops")
    assert result.exit_code == 0, result.output
    found = json.loads((out / "gate.json").read_text())
    rows = [one for one in found["repairs"] if one["way"] == "retrain"]
    assert [one["keep"] for one in rows] == [None, 0.8, 0.9, 0.95, 0.99, 1.0]
    assert all(one["kept"] >= one["keep"] for one in rows[1:])
    assert {one["people"] for one in rows} == {100}  # those of --table judge
    assert rows[-1]["repaired"] == rows[-1]["broken"] > 0
    page = (out / "gate.html").read_text()
    assert "retrain, asked to keep 99 % (by constraints)" in page
    assert page.count("<svg") == 2
    assert page.count('class="asked"') == 10
    assert "http" not in page
    refused = gate(advised, *more, *retrain, model="strict.skops")
    assert "--retrain goes with --repair" in advised.sentence(refused)
    unlabelled = gate(advised, "--repair", *retrain, *more[:2])
    assert "needs --label" in advised.sentence(unlabelled)


def test_nobody_is_named_on_the_page(advised):
    advice = advised.path("advice.csv")
    assert advised.recommend(method="minimal-cost", index="age", out=advice).exit_code == 2
    out = advised.path("gate")
    gate(advised, "--out", out)
    people = pd.read_csv(advice)
    person = people.iloc[0]
    assert f"{person['income']}" not in (out / "gate.html").read_text()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--require", "kept => 0.98"], "cannot be read at the ^"),
        (["--require", "kepd >= 0.98"], "did you mean 'kept'?"),
        (["--require", "kept >= 98"], "a share lies between 0 and 1"),
        (["--require", "newly_refused <= 0.1"], "--champion"),
        (["--require", "worst_segment(kept) >= 0.1"], "--segment"),
        (["--require", "repair_cost <= 0.1"], "repairs"),
        (["--segment", "nothing"], "is not an input of the promises"),
        (["--ledger", "promises.db"], "either --ledger with --key, or --recommendations"),
        (["--champion", "model.skops"], "--champion needs --table"),
        (["--on", "someday"], "not a date"),
        (["--confidence", "1"], "--confidence"),
        (["--out", "advice.csv"], "--out would overwrite"),
    ],
)
def test_misuse_is_one_sentence(advised, monkeypatch, more, sentence):
    monkeypatch.chdir(advised.folder)
    assert sentence in advised.sentence(gate(advised, *more))


def test_a_model_of_other_inputs_is_refused(advised):
    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    save_model(forest.fit(np.eye(4), [0, 1, 0, 1]), advised.path("other.skops"))
    assert advised.sentence(gate(advised, model="other.skops"))


def issued(sandbox, until="2030-01-01"):
    """A ledger with the sandbox's advice, and its key in a file."""
    from standfast.promises.ledger import Ledger, new_key

    key = new_key()
    sandbox.path("key").write_text(key)
    ledger = Ledger.create(sandbox.path("promises.db"), key=key)
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    ledger.issue(advice, valid_for="365 days", subjects=[f"person-{i}" for i in advice.index])
    return ledger


def test_a_ledger_is_judged_and_keeps_the_record(advised):
    ledger = issued(advised)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    out = advised.path("gate")
    result = gate(
        advised, "--require", "kept >= 0.98", "--out", out, model="strict.skops", source=source
    )
    assert result.exit_code == 1, result.output
    root = json.loads((out / "gate.json").read_text())["root"]
    assert root
    assert f"Merkle root: {root}" in result.stdout
    assert ledger.verify(root)
    assert "person-" not in Path(out / "gate.html").read_text()
    same = gate(advised, "--require", "kept >= 0.98", source=source)
    assert same.exit_code == 0, same.output


def test_a_day_after_all_promises_end_has_none_to_judge(advised):
    issued(advised)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    result = gate(
        advised,
        "--require",
        "kept >= 0.98",
        "--on",
        "2040-01-01",
        model="strict.skops",
        source=source,
    )
    assert result.exit_code == 0, result.output
    assert "There are no open promises" in result.stdout
    assert "nothing to judge" in result.stdout


def test_transfer_of_a_ledger_is_that_of_the_advice_that_was_promised(advised):
    issued(advised)
    train = pd.read_csv(advised.path("train.csv"))
    forest = RandomForestClassifier(9, max_depth=5, random_state=0)
    save_model(forest.fit(train.drop(columns="label"), train["label"]), advised.path("other.skops"))
    models = ("--model", advised.path("other.skops"), "--model", advised.path("model.skops"))
    models += ("--favourable", 1)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    tables = []
    for name, given in (("file", (advised.path("advice.csv"),)), ("ledger", source)):
        out = ("--out", advised.path(f"{name}.csv"), "--people-out", advised.path(f"{name}-p.csv"))
        result = advised.run("transfer", *given, *models, *out)
        assert result.exit_code == 0, result.output
        tables.append([pd.read_csv(path) for path in out[1::2]])
    (rivals, people), (by_ledger, promised) = tables
    pd.testing.assert_frame_equal(rivals, by_ledger)
    assert 0 < rivals["transfer"].min() < rivals["transfer"].max() == 1
    advice = sf.Recommendations.read(advised.path("advice.csv"))
    numbers = dict(zip(advice.index, range(1, len(advice) + 1), strict=True))
    first = people.columns[0]
    own = people.dropna().assign(**{first: people[first].map(numbers)})
    assert own.to_numpy().tolist() == promised.to_numpy().tolist()
    assert "the ledger knows the model that made a promise" in result.stderr
    later = advised.run("transfer", *source, *models, "--on", "2040-01-01")
    assert "there are no open promises on this day" in later.stderr


def test_certificates_of_a_ledger_are_those_of_the_advice_that_was_promised(advised):
    drawn = advised.run(
        *("fresh", "draw", advised.path("train.csv"), "--schema", advised.path("schema.toml")),
        *("--label", "label", "--favourable", 1, "--model", advised.path("model.skops")),
        *("--search", 0, "--choose", 0, "--certify", 12, "--epsilon", 0.2),
        *("--out", advised.path("fresh")),
    )
    assert drawn.exit_code == 0, drawn.output
    issued(advised)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    found = []
    for name, given in (("file", (advised.path("advice.csv"),)), ("ledger", source)):
        out = advised.path(f"{name}.csv")
        more = ("--fresh", advised.path("fresh"), "--tau", 0.5, "--out", out)
        result = advised.run("certify", *given, *more)
        assert result.exit_code == 0, result.output
        found.append((result.stdout, pd.read_csv(out)))
    (shown, people), (by_ledger, promised) = found
    sentence = next(line for line in shown.splitlines() if "%" in line)
    assert sentence in by_ledger
    own = people.dropna(subset="lower")
    assert len(own) == len(promised) > 0
    for column in ("kept", "lower", "sentence"):
        if column in own:
            assert own[column].tolist() == promised[column].tolist()
    assert 0 < promised["lower"].max() < 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "name the advice: either a file"),
        (["--ledger", "promises.db"], "--ledger and --key go together"),
        (["advice.csv", "--ledger", "promises.db"], "name the advice: either a file"),
    ],
)
def test_advice_comes_from_one_place(advised, monkeypatch, given, sentence):
    monkeypatch.chdir(advised.folder)
    for command in (["transfer", "--model", "strict.skops"], ["certify", "--fresh", "fresh"]):
        assert sentence in advised.sentence(advised.run(*command, *given))


def test_who_is_hit_is_shown_by_a_column_that_is_no_input(advised):
    issued(advised)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    advice = sf.Recommendations.read(advised.path("advice.csv"))
    region = ["north", "south", None, "<b>"]
    people = pd.DataFrame({"who": [f"person-{i}" for i in advice.index[:-1]]})
    people["region"] = [region[i % 4] for i in range(len(people))]
    people.to_csv(advised.path("people_by_region.csv"), index=False)
    given = ["--segments", advised.path("people_by_region.csv"), "--index", "who"]
    out = advised.path("gate")
    more = [*given, "--segment", "region", "--require", "worst_segment(kept) >= 0.5", "--out", out]
    result = gate(advised, *more, source=source)
    assert result.exit_code == 0, result.output
    found = json.loads((out / "gate.json").read_text())
    counts = {one["segment"]: one["promises"] for one in found["segments"]}
    known = people.set_axis(advice.index[:-1])["region"].reindex(advice.index).fillna("not known")
    assert counts == known[advice.found].value_counts().to_dict()
    page = (out / "gate.html").read_text()
    assert "Who is affected, by region" in page
    assert "<b>" not in page
    by_file = gate(advised, *given, "--segment", "region")  # nobody of the table is in the advice
    assert by_file.exit_code == 0, by_file.output
    assert "--index needs --segments" in advised.sentence(gate(advised, *given[2:]))
    assert "has no such column" in advised.sentence(gate(advised, *given, "--segment", "area"))


def test_what_is_honoured_by_exception_can_be_left_out_of_a_condition(advised):
    ledger = issued(advised)
    source = ("--ledger", advised.path("promises.db"), "--key", advised.path("key"))
    require = ["--require", "unrepaired <= 0"]
    held = gate(advised, *require, model="strict.skops", source=source)
    assert held.exit_code == 1
    numbers = ledger.open_promises().facts.index
    ledger.honour(numbers, "Ada", "our word counts", "2040-01-01")
    out = advised.path("gate")
    passed = gate(advised, *require, "--out", out, model="strict.skops", source=source)
    assert passed.exit_code == 0, passed.output
    assert json.loads((out / "gate.json").read_text())["promises"]["honoured"] == len(numbers)
    assert f"{len(numbers)} are honoured by exception" in (out / "gate.html").read_text()
