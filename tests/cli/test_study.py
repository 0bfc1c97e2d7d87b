"""standfast study: the report, resuming after a kill, and what goes wrong on the way."""

import hashlib
import re
import shlex
import signal
import subprocess
import sys
from contextlib import chdir, contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from typer.testing import CliRunner

import standfast as sf
from standfast.cli import app
from standfast.schema import Relation
from standfast.studies import SIZES, Settings, study
from standfast.studies.people import named
from standfast.studies.tables import TIDY, write

START = "from standfast.cli import app; app()"
STUDY = ["study", "--quick", "--people", "4", "--jobs", "1"]
CREDIT = ["--data", "twin:give_me_some_credit", "--reference", "linear"]
GONE = ["--data", "gone.csv"]
PATIENCE = 1200.0  # seconds: only a hang takes that long
# what --quick means here, but for the study of a model of one's own: less of everything
SMALL = replace(SIZES["quick"], rows=500, linear=3, forests=2, boxes=300, rows_seen=20_000)
SMALLER = f"""
from standfast.studies import SIZES
from standfast.studies.settings import Sizes
SIZES["quick"] = {SMALL!r}
"""


@contextmanager
def standing(cwd, command):
    """In a folder, as the process that a command line starts."""
    before, sys.argv = sys.argv, ["standfast", *command]
    try:
        with chdir(cwd):
            yield
    finally:
        sys.argv = before


def run(*options, check=True, cwd=".", quick=SMALL):
    """A study in this process: what it has compiled serves the next one."""
    command = [*STUDY, *map(str, options)]
    with standing(cwd, command), pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIZES, "quick", quick)
        found = CliRunner().invoke(app, command)
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    assert not check or found.exit_code == 0, found.stderr
    return found


def apart(*options, before=(), first="", **more):
    """A study in a process of its own, which may be killed."""
    command = [*before, sys.executable, "-c", SMALLER + first + START, *STUDY, *map(str, options)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **more)
    assert "Traceback" not in found.stderr
    return found


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    return {
        name: pd.read_parquet(folder / "tables" / f"{name}.parquet")
        for name in TIDY
        if name != "timings"
    }


def signalled(number, step, folder):
    """A study that gets the signal as soon as a step's folder is there.

    It watches for the folder by itself: however busy the machine is, it is never too late.
    """
    watch = (
        "import os, pathlib, threading, time\n"
        "def watch():\n"
        f"    while not list(pathlib.Path({str(folder)!r}).glob({step!r})):\n"
        "        time.sleep(0.002)\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "threading.Thread(target=watch, daemon=True).start()\n"
    )
    return apart(*CREDIT, *GONE, "--out", folder, first=watch)


@pytest.fixture(scope="module")
def resumed(tmp_path_factory):
    """A study of a twin, killed in the middle and started again; a table it asks for is missing."""
    folder = tmp_path_factory.mktemp("resumed") / "out"
    # the level set and GS are done
    assert signalled(signal.SIGKILL, "steps/GS-*", folder).returncode == -signal.SIGKILL
    assert not (folder / "report.html").exists()
    return folder, run(*CREDIT, *GONE, "--out", folder)


def test_a_study_writes_report_tables_and_figures(resumed):
    folder, shown = resumed
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "statistical twin" in page
    assert "standfast study --quick --people 4" in page
    for name in TIDY:
        assert (folder / "tables" / f"{name}.csv").is_file()
        assert (folder / "tables" / f"{name}.parquet").is_file()
    drawn = {file.suffix for file in (folder / "figures").iterdir()}
    assert drawn == {".png", ".svg"}
    assert "unanimous" in shown.stdout
    assert f"report: {folder / 'report.html'}" in shown.stdout
    assert "level set" in shown.stderr  # what is running, line by line


def test_a_missing_table_is_left_out_and_named(resumed):
    folder, shown = resumed
    assert "left out: cannot read 'gone.csv'" in shown.stderr
    tables = tables_of(folder)
    assert set(tables["advice"]["data"]) == {"twin:give_me_some_credit"}
    assert tables["scenes"]["twin"].all()
    assert "there is no such file" in tables["missing"].set_index("data")["why"]["gone.csv"]


def test_a_killed_study_resumes_to_the_tables_of_one_that_nothing_disturbs(resumed, tmp_path):
    folder, _ = resumed
    timings = pd.read_parquet(folder / "tables" / "timings.parquet").set_index("step")
    assert timings["resumed"]["level set"]
    assert not timings["resumed"].all()
    assert not list((folder / "steps").glob(".unfinished-*"))
    sizes = replace(SMALL, people=4, joint=4)
    whole = study([named(CREDIT[1], sizes.rows, 0)], Settings(("linear",), sizes), tmp_path)
    write(whole.tables, tmp_path / "tables")
    undisturbed = tables_of(tmp_path)
    for name, table in tables_of(folder).items():
        if name != "missing":  # what the library is not asked for cannot be missing
            pd.testing.assert_frame_equal(table, undisturbed[name])


def test_ctrl_c_says_that_the_same_command_continues(tmp_path):
    folder = tmp_path / "out"
    found = signalled(signal.SIGINT, "steps/*level-set-*", folder)
    assert found.returncode == 130
    assert "the same command continues there" in found.stderr


@pytest.mark.parametrize(
    ("options", "stated"),
    [
        (["--data", "gone.csv"], "cannot read 'gone.csv': there is no such file"),
        (["--data", "twin:nobody"], "there is no data set 'twin:nobody'; there are twin:"),
        (["--full"], "--quick and --full contradict each other; leave one out"),
        (["--later", "l.csv"], "--later goes with one table of your own: give exactly one --data"),
        (["--data", "sba_case", "--later", "l.csv"], "--later goes with one table of your own"),
        (["--data", "a.csv", "--data", "b.csv", "--later", "l.csv"], "with one table of your own"),
        (["--data", "a.csv", "--later", "l.csv"], "by the frontier only: add --frontier"),
        (
            ["--promises", "--as-published"],
            "--promises is not in the paper, so nothing of it is as",
        ),
        (["--drift", "0.5"], "--drift goes with --promises: add it, or leave --drift out"),
        (["--promises", "--drift", "-1"], "--drift is -1.0; it must lie between 0 and 5"),
        (["--promises", "--drift", "nan"], "--drift is nan; it must lie between 0 and 5"),
    ],
)
def test_misuse_is_one_sentence_before_any_work(options, stated, tmp_path):
    found = run(*options, "--out", tmp_path / "out", check=False, cwd=tmp_path)
    assert found.exit_code == 2
    assert stated in found.stderr
    assert found.stderr.count("\n") == 1


def test_a_table_without_schema_and_label_says_what_to_give(tmp_path):
    (tmp_path / "my people.csv").write_text("a,b\n1,2\n")
    found = run("--data", "my people.csv", "--out", "out", check=False, cwd=tmp_path)
    assert found.exit_code == 2
    assert "--schema and --label and --favourable must be given" in found.stderr
    (printed,) = re.findall("draft a schema: standfast (.*)", found.stderr)
    words = shlex.split(printed)
    with standing(tmp_path, words):
        ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.stderr
    assert sf.Schema.read(tmp_path / "schema.toml").names == ("a", "b")


def test_a_set_whose_file_is_not_given_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    found = run("--data", "german_credit", "--out", tmp_path / "out", check=False)
    assert found.exit_code == 2
    assert "german_credit cannot be downloaded and has no twin; set STANDFAST_DATA" in found.stderr


OWN = ("--data", "mine.csv", "--schema", "schema.toml", "--label", "outcome", "--drop", "id")
LATER = (
    *OWN,
    "--favourable",
    "paid",
    "--later",
    "later.csv",
    "--frontier",
    "--reference",
    "linear",
    "--out",
    "out",
)


@pytest.fixture
def two_tables(tmp_path):
    for name, seed in (("mine", 1), ("later", 2)):
        people = sf.datasets.twin("give_me_some_credit", n=600, seed=seed)
        table = people.table.assign(outcome=people.labels.map({1: "paid", -1: "late"}), id=1)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    people.schema.write(tmp_path / "schema.toml")
    return tmp_path


def test_a_later_table_with_other_columns_is_refused_before_any_work(two_tables):
    later = pd.read_csv(two_tables / "later.csv")
    for table, stated in (
        (later.assign(extra=1), "'later.csv' holds 'extra', which the schema does not know"),
        (later.drop(columns="age"), "'later.csv': "),
        (later.drop(columns="outcome"), "'later.csv' has no such column"),
    ):
        table.to_csv(two_tables / "later.csv", index=False)
        found = run(*LATER, cwd=two_tables, check=False)
        assert found.exit_code == 2
        assert stated in found.stderr
        assert found.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    (tmp_path / "taken").write_text("a file")
    found = run(*CREDIT, "--out", tmp_path / "taken", check=False)
    assert found.exit_code == 2
    assert "cannot write to" in found.stderr


def test_a_full_disk_ends_the_study_and_keeps_what_is_finished(tmp_path):
    # no file may grow beyond 30 kB: what a full disk does, without one
    small_disk = ["bash", "-c", 'ulimit -f 30; exec "$@"', "study"]
    found = apart(*CREDIT, "--out", tmp_path / "out", before=small_disk)
    assert found.returncode == 2
    assert "what is finished is kept: make room" in found.stderr
    assert not list((tmp_path / "out" / "steps").glob(".unfinished-*"))


def test_a_table_in_which_nobody_can_be_helped_ends_with_a_report_and_says_no(tmp_path):
    people = sf.datasets.twin("give_me_some_credit", n=500, seed=1)
    stuck = sf.Schema(
        tuple(sf.Feature(f.name, f.kind, mutable=False) for f in people.schema.features)
    )
    people.table.assign(label=people.labels).to_csv(tmp_path / "mine.csv", index=False)
    stuck.write(tmp_path / "schema.toml")
    found = run(
        *("--data", "mine.csv", "--schema", "schema.toml", "--label", "label"),
        *("--favourable", "1", "--reference", "linear", "--out", "out"),
        cwd=tmp_path,
        check=False,
    )
    assert found.exit_code == 2
    assert "nobody was advised in any scene" in found.stderr
    assert (tmp_path / "out" / "report.html").is_file()


ODD = {"age": r"$\frac{$ <b>", "NumberOfDependents": "_" + "x" * 200}
MINE = (
    *("--frontier", "--later", "later.csv"),
    *("--table", "my people.csv", "--schema", "schema.toml", "--label", "the outcome"),
    *("--favourable", "paid", "--index", "customer", "--drop", "id", "--model", "my card.skops"),
)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table with odd names, blanks and people outside the schema, studied under a model of it.

    And a later table of the kind, whose models judge the advice too.
    """
    folder = tmp_path_factory.mktemp("own")
    for name, seed in (("later", 2), ("my people", 1)):
        people = sf.datasets.twin("give_me_some_credit", n=1200, seed=seed)
        table = people.table.rename(columns=ODD)
        outcome = people.labels.map({1: "paid", -1: "late"})
        customers = [f"C-{k:04d}" for k in range(len(table))]
        table.assign(**{"the outcome": outcome, "customer": customers, "id": 1}).to_csv(
            folder / f"{name}.csv", index=False
        )
    model = RandomForestClassifier(10, max_depth=4, class_weight="balanced", random_state=0)
    sf.save_model(model.fit(table, outcome), folder / "my card.skops")
    few = Relation((("NumberOfOpenCreditLinesAndLoans", 1.0),), 8.0)
    features = tuple(replace(f, name=ODD.get(f.name, f.name)) for f in people.schema)
    sf.Schema(features, (few,)).write(folder / "schema.toml")
    # less of what nothing below looks at
    less = replace(SMALL, rows=SIZES["quick"].rows, frontier=3, fresh=6)
    shown = run(*MINE, "--out", "my out", cwd=folder, quick=less)
    page = (folder / "my out" / "report.html").read_text(encoding="utf-8")
    return folder, tables_of(folder / "my out"), page, shown.stdout


def test_a_model_of_ones_own_is_the_only_reference_and_named_by_file_and_fingerprint(own):
    folder, tables, page, shown = own
    assert set(tables["scenes"]["reference"]) == {"my card.skops"}
    digest = hashlib.sha256((folder / "my card.skops").read_bytes()).hexdigest()
    assert f"the model in my card.skops (RandomForestClassifier, SHA-256 {digest})" in page
    assert "my people, my card.skops as the reference" in shown
    forests = tables["transfer"].query("grid == 'forests'")
    assert forests["same_class"].all()
    assert not tables["transfer"].query("grid == 'linear'")["same_class"].any()
    table = pd.read_csv(folder / "my people.csv").set_index("customer")
    model = sf.load_model(folder / "my card.skops")
    asked = table.loc[tables["advice"]["person"].unique()]
    assert (model.predict(asked.drop(columns=["the outcome", "id"])) == "late").all()


def test_a_table_of_ones_own_is_no_twin_and_a_later_one_belongs_to_the_study(own):
    _, tables, page, _ = own
    assert not tables["scenes"]["twin"].any()
    assert set(tables["frontier"]["data"]) == set(tables["advice"]["data"]) == {"my people"}
    assert "later data" in set(tables["frontier"]["judges"])
    assert "my people, later" in page
    assert "from later.csv" in page


def test_people_keep_the_labels_of_the_index(own):
    _, tables, page, _ = own
    for name in ("advice", "values", "verdicts", "invariance", "support_costs", "semantics"):
        assert tables[name]["person"].str.fullmatch(r"C-\d{4}").all(), name
    assert f"Person {tables['semantics']['person'].iloc[0]}" in page


def test_the_command_of_the_report_runs_the_same_study_again(own):
    _, _, page, _ = own
    command = unescape(re.findall(r'class="command"><code>(.*?)</code>', page)[0])
    assert shlex.split(command) == ["standfast", *STUDY, *MINE, "--out", "my out"]


def test_names_with_formulas_and_no_end_of_letters_are_drawn(own):
    folder, tables, _, _ = own
    assert tables["missing"].empty, tables["missing"].to_dict("records")
    assert set(ODD.values()) <= set(tables["values"]["feature"])
    assert len(list((folder / "my out" / "figures").glob("*.svg"))) >= 7


def test_in_a_study_with_people_outside_the_schema_every_count_adds_up(own):
    _, tables, page, _ = own
    people = int(tables["scenes"]["people"].iloc[0])
    advice = tables["advice"][tables["advice"]["outcome"] != ""]
    assert "outside_schema" in set(advice["outcome"])
    assert set(advice.groupby("method")["outcome"].count()) == {people}
    counts = tables["surprise"]
    parts = counts[["n_joint", "impossible", "unanswered", "outside"]].sum(axis=1)
    assert (parts == counts["asked"]).all()
    assert (counts["outside"] > 0).any()
    outside = int((tables["invariance"]["outcome"] == "outside_schema").sum())
    said = re.sub(r"<[^>]+>", "", page)
    assert re.search(rf"(For {outside} of {people} people|for {outside} more) nothing was", said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--index", "id"], "--index id goes with a table of your own: give --data FILE"),
        (["--trust", "my.Type"], "--trust goes with --model: add --model FILE"),
        (["--model", "m.skops"], "--model goes with the one table it was fitted for"),
        (["--data", "twin:heloc", "--model", "gone.skops"], "there is no file 'gone.skops'"),
    ],
)
def test_options_for_ones_own_without_ones_own_are_refused_in_a_sentence(options, said, tmp_path):
    found = CliRunner().invoke(app, ["study", "--quick", "--out", str(tmp_path), *options])
    assert found.exit_code == 2
    assert said in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--index": "age of nobody"}, "'my people.csv' has no column 'age of nobody'"),
        ({"--index": "the outcome"}, "--index the outcome: this is the column of labels"),
        ({"--index": "DebtRatio"}, "--index DebtRatio: this is an input of the schema"),
        ({"--model": "schema.toml"}, "does not say which kind of model it is"),
    ],
)
def test_an_index_or_a_model_that_does_not_fit_is_refused_before_any_work(own, changed, said):
    folder, *_ = own
    flag, *pairs = MINE
    given = dict(zip(pairs[::2], pairs[1::2], strict=True)) | changed
    flat = [flag, *(part for pair in given.items() for part in pair)]
    flat = [str(folder / part) if (folder / part).is_file() else part for part in flat]
    found = CliRunner().invoke(app, ["study", "--quick", *flat, "--out", str(folder / "again")])
    assert found.exit_code == 2
    assert said.replace("'my people.csv'", "my people.csv'") in found.stderr
    assert not list((folder / "again").glob("steps/*"))
