"""standfast study: the report, resuming after a kill, and what goes wrong on the way."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import standfast as sf
from standfast.studies.tables import TIDY

START = "from standfast.cli import app; app()"
COMMAND = [sys.executable, "-c", START, "study"]
STUDY = [*COMMAND, "--quick", "--people", "4", "--jobs", "1"]
CREDIT = ["--data", "twin:give_me_some_credit", "--reference", "linear"]
PATIENCE = 1200.0  # seconds: only a hang takes that long


def run(*options, check=True, before=(), **more):
    command = [*before, *STUDY, *map(str, options)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **more)
    assert not check or found.returncode == 0, found.stderr
    assert "Traceback" not in found.stderr
    return found


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    return {
        name: pd.read_parquet(folder / "tables" / f"{name}.parquet")
        for name in TIDY
        if name != "timings"
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "out"
    return folder, run(*CREDIT, "--out", folder)


def test_a_study_writes_report_tables_and_figures(undisturbed):
    folder, shown = undisturbed
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
    command = [word if word != START else watch + START for word in STUDY]
    command += [*CREDIT, "--out", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def test_a_killed_study_resumes_to_the_same_tables(undisturbed, tmp_path):
    folder = tmp_path / "out"
    # in the middle: the level set and GS are done
    assert signalled(signal.SIGKILL, "steps/GS-*", folder).returncode == -signal.SIGKILL
    assert not (folder / "report.html").exists()
    run(*CREDIT, "--out", folder)
    timings = pd.read_parquet(folder / "tables" / "timings.parquet").set_index("step")
    assert timings["resumed"]["level set"]
    assert not list((folder / "steps").glob(".unfinished-*"))
    whole = tables_of(undisturbed[0])
    for name, table in tables_of(folder).items():
        pd.testing.assert_frame_equal(table, whole[name])


def test_ctrl_c_says_that_the_same_command_continues(tmp_path):
    folder = tmp_path / "out"
    found = signalled(signal.SIGINT, "steps/*level-set-*", folder)
    assert found.returncode == 130
    assert "the same command continues there" in found.stderr
    assert "Traceback" not in found.stderr


def test_a_table_of_ones_own_with_a_missing_one_beside_it(tmp_path):
    people = sf.datasets.twin("give_me_some_credit", n=700, seed=1)
    table = people.table.assign(outcome=people.labels.map({1: "paid", -1: "late"}), id=1)
    table.to_csv(tmp_path / "mine.csv", index=False)
    people.schema.write(tmp_path / "schema.toml")
    found = run(
        *("--data", "mine.csv", "--data", "gone.csv"),
        *("--schema", "schema.toml", "--label", "outcome", "--favourable", "paid"),
        *("--drop", "id", "--reference", "linear", "--out", "out"),
        cwd=tmp_path,
    )
    assert "left out: cannot read 'gone.csv'" in found.stderr
    tables = tables_of(tmp_path / "out")
    assert set(tables["advice"]["data"]) == {"mine"}
    assert "there is no such file" in tables["missing"].set_index("data")["why"]["gone.csv"]
    assert not tables["scenes"]["twin"].any()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--data", "gone.csv"], "cannot read 'gone.csv': there is no such file"),
        (["--data", "twin:nobody"], "there is no data set 'twin:nobody'; there are twin:"),
        (["--full"], "--quick and --full contradict each other; leave one out"),
        (["--later", "l.csv"], "--later goes with one table of your own: give exactly one --data"),
        (["--data", "sba_case", "--later", "l.csv"], "--later goes with one table of your own"),
        (["--data", "a.csv", "--data", "b.csv", "--later", "l.csv"], "with one table of your own"),
        (["--data", "a.csv", "--later", "l.csv"], "by the frontier only: add --frontier"),
    ],
)
def test_misuse_is_one_sentence_before_any_work(options, told, tmp_path):
    found = run(*options, "--out", tmp_path / "out", check=False, cwd=tmp_path)
    assert found.returncode == 2
    assert told in found.stderr
    assert found.stderr.count("\n") == 1


def test_a_table_without_schema_and_label_says_what_to_give(tmp_path):
    (tmp_path / "my people.csv").write_text("a,b\n1,2\n")
    found = run("--data", "my people.csv", "--out", "out", check=False, cwd=tmp_path)
    assert found.returncode == 2
    assert "--schema and --label and --favourable must be given" in found.stderr
    (printed,) = re.findall("draft a schema: standfast (.*)", found.stderr)
    words = shlex.split(printed)
    ran = subprocess.run([*COMMAND[:-1], *words], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert sf.Schema.read(tmp_path / "schema.toml").names == ("a", "b")


def test_a_set_whose_file_is_not_given_is_one_sentence(tmp_path):
    without = {name: value for name, value in os.environ.items() if name != "STANDFAST_DATA"}
    found = run("--data", "german_credit", "--out", tmp_path / "out", check=False, env=without)
    assert found.returncode == 2
    assert "german_credit cannot be downloaded and has no twin; set STANDFAST_DATA" in found.stderr


OWN = ("--data", "mine.csv", "--schema", "schema.toml", "--label", "label", "--favourable", "1")
LATER = (*OWN, "--later", "later.csv", "--frontier", "--reference", "linear", "--out", "out")


@pytest.fixture
def two_tables(tmp_path):
    for name, seed in (("mine", 1), ("later", 2)):
        people = sf.datasets.twin("give_me_some_credit", n=1500, seed=seed)
        table = people.table.assign(label=people.labels)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    people.schema.write(tmp_path / "schema.toml")
    return tmp_path


def test_a_later_table_of_ones_own_belongs_to_the_study(two_tables):
    run(*LATER, cwd=two_tables)
    tables = tables_of(two_tables / "out")
    assert tables["missing"].empty, tables["missing"].to_dict("records")
    assert set(tables["frontier"]["data"]) == {"mine"}
    page = (two_tables / "out" / "report.html").read_text(encoding="utf-8")
    assert "mine, later" in page
    assert "from later.csv" in page


def test_a_later_table_with_other_columns_is_refused_before_any_work(two_tables):
    later = pd.read_csv(two_tables / "later.csv")
    for table, told in (
        (later.assign(extra=1), "'later.csv' holds 'extra', which the schema does not know"),
        (later.drop(columns="age"), "'later.csv': "),
        (later.drop(columns="label"), "'later.csv' has no such column"),
    ):
        table.to_csv(two_tables / "later.csv", index=False)
        found = run(*LATER, cwd=two_tables, check=False)
        assert found.returncode == 2
        assert told in found.stderr
        assert found.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    (tmp_path / "taken").write_text("a file")
    found = run(*CREDIT, "--out", tmp_path / "taken", check=False)
    assert found.returncode == 2
    assert "cannot write to" in found.stderr


def test_a_full_disk_ends_the_study_and_keeps_what_is_finished(tmp_path):
    # no file may grow beyond 30 kB: what a full disk does, without one
    small_disk = ["bash", "-c", 'ulimit -f 30; exec "$@"', "study"]
    found = run(*CREDIT, "--out", tmp_path / "out", check=False, before=small_disk)
    assert found.returncode == 2
    assert "what is finished is kept: make room" in found.stderr
    assert not list((tmp_path / "out" / "steps").glob(".unfinished-*"))


def test_a_table_in_which_nobody_can_be_helped_ends_with_a_report_and_says_no(tmp_path):
    people = sf.datasets.twin("give_me_some_credit", n=700, seed=1)
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
    assert found.returncode == 2
    assert "nobody was advised in any scene" in found.stderr
    assert (tmp_path / "out" / "report.html").is_file()
