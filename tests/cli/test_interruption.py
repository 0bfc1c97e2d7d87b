"""Ctrl-C on a real terminal, in the middle of a run."""

import os
import pickle
import pty
import re
import select
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

import standfast as sf
from standfast.readers.files import save_model

PATIENCE = 600.0  # seconds: only a hang takes that long


def slow_problem(sandbox: Any) -> int:
    """Eight blocks of refused people before a model that takes its time."""
    rng = np.random.default_rng(0)
    n = 3000
    train = pd.DataFrame(
        {
            "income": rng.integers(100, 600, n) * 10,
            "debt": rng.uniform(0, 1, n).round(2),
            "age": rng.integers(20, 80, n),
        }
    )
    some = train.head(500)  # that a block takes a second will do
    labels = np.where(some["income"] > 4000, 1, -1)
    model = KNeighborsClassifier(15, algorithm="brute").fit(some.astype(float), labels)
    save_model(model, sandbox.path("model.skops"))
    people = train[train["income"] < 3000].head(512)
    people.to_csv(sandbox.path("people.csv"), index=False)
    return len(people)


def watch(terminal: int, pattern: str, until: float) -> str:
    """What the terminal shows, up to where the pattern appears or it closes."""
    seen = ""
    while not re.search(pattern, seen):
        assert time.monotonic() < until, seen
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says so when the other side closes
            break
        if not piece:
            break
        seen += piece.decode(errors="replace")
    return seen


def test_ctrl_c_writes_the_finished_rows_whole_and_exits_with_130(sandbox: Any) -> None:
    total = slow_problem(sandbox)
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "recommend"]
    terminal, theirs = pty.openpty()
    until = time.monotonic() + PATIENCE
    running = subprocess.Popen(
        [*command, *sandbox.options()],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    try:
        os.close(theirs)
        # the bar counts people: the first block is finished, the others are not
        shown = watch(terminal, rf"[1-9]\d*/{total}", until)
        running.send_signal(signal.SIGINT)
        shown += watch(terminal, "(?!)", until)
        summary, _ = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        os.close(terminal)
    assert running.returncode == 130, shown
    assert "stopping: what is finished will be kept" in shown
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert advice.interrupted
    assert len(advice) == total
    counts = advice.counts()
    assert counts["found"] > 0
    assert counts["exhausted"] > 0
    assert f"{counts['found']} found" in summary
    assert not list(Path(sandbox.folder).glob(".*"))  # no part of a file


def test_a_large_table_is_announced_at_a_terminal_before_it_is_read(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    pd.concat([train] * (6_000_000 // sandbox.path("train.csv").stat().st_size + 1)).to_csv(
        sandbox.path("train.csv"), index=False
    )
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "recommend"]
    terminal, theirs = pty.openpty()
    until = time.monotonic() + PATIENCE
    running = subprocess.Popen(
        [*command, *sandbox.options()], stdout=subprocess.PIPE, stderr=theirs
    )
    try:
        os.close(theirs)
        shown = watch(terminal, r"reading \S+train\.csv \(\d MB\) …", until)
    finally:
        running.kill()
        running.communicate()
        os.close(terminal)
    assert shown.startswith("reading ")
    assert "people.csv" not in shown  # which is small
    assert sandbox.recommend().stderr == ""  # where no terminal listens


class Endless:
    """A model whose loading says so and never ends."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"import time; print('loading', flush=True); time.sleep({10 * PATIENCE})",)


def test_ctrl_c_before_the_search_writes_nothing(sandbox: Any) -> None:
    sandbox.path("endless.pkl").write_bytes(pickle.dumps(Endless()))
    before = sorted(os.listdir(sandbox.folder))
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "recommend"]
    running = subprocess.Popen(
        [*command, *sandbox.options(model=sandbox.path("endless.pkl"), trust="pickle")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "loading\n"
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    assert running.returncode == 130
    assert said == "stopped; nothing was written\n"
    assert sorted(os.listdir(sandbox.folder)) == before


def test_the_bar_of_a_fit_tells_the_loss_and_ctrl_c_writes_nothing(sandbox: Any) -> None:
    before = sorted(os.listdir(sandbox.folder))
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "autoencoder", "fit"]
    given = [sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml"), "--drop", "label"]
    given += ["--out", sandbox.path("people.npz"), "--epochs", 1_000_000]
    terminal, theirs = pty.openpty()
    until = time.monotonic() + PATIENCE
    running = subprocess.Popen(
        [*command, *map(str, given)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    try:
        os.close(theirs)
        shown = watch(terminal, r"[1-9]\d*/1000000.*loss -?\d", until)
        running.send_signal(signal.SIGINT)
        shown += watch(terminal, "(?!)", until)
        running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        os.close(terminal)
    assert running.returncode == 130, shown
    assert "stopped; nothing was written" in shown
    assert sorted(os.listdir(sandbox.folder)) == before


def test_ctrl_c_while_libraries_load_is_one_sentence(tmp_path: Path) -> None:
    # a library that presses Ctrl-C when it is imported, and says so if that did not end us
    pressed = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('went on')\n"
    (tmp_path / "pandas.py").write_text(pressed)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-c", "import standfast_command; standfast_command.main()"]
    done = subprocess.run(
        [*command, "data", "twin", "heloc", "--out", str(tmp_path / "people.csv")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=PATIENCE,
    )
    assert done.returncode == 130
    assert done.stderr == "stopped; nothing was written\n"
    assert done.stdout == ""


def test_the_command_that_is_installed_is_the_one_that_is_tested() -> None:
    command = [sys.executable, "-c", "import standfast_command; standfast_command.main()"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("standfast ")
    (entry,) = entry_points(group="console_scripts", name="standfast")
    assert entry.value == "standfast_command:main"
