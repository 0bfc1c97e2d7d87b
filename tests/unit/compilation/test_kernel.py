"""What people read while kernels are compiled, in processes of their own: it is said only once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import standfast.compilation

CODE = """
from standfast.compilation import kernel

@kernel
def doubled(x):
    return 2 * x
"""
START = "import standfast_guest; print(standfast_guest.doubled(21))"


@pytest.fixture
def guest(tmp_path: Path) -> Path:
    """A module with one kernel, in a folder whose `__pycache__` cannot be a folder."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "standfast_guest.py").write_text(CODE)
    # root may write to a read-only folder: a file in the cache's place stops everybody
    (tmp_path / "code" / "__pycache__").write_text("")
    return tmp_path


def run(guest: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    package = Path(standfast.compilation.__file__).parents[1]
    paths = {"PYTHONPATH": os.pathsep.join([str(guest / "code"), str(package)])}
    homeless = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "LOCALAPPDATA": os.devnull}
    asked = {**os.environ, **paths, **homeless, **environment}
    if "NUMBA_CACHE_DIR" not in environment:
        asked.pop("NUMBA_CACHE_DIR", None)
    ran = subprocess.run([sys.executable, "-c", START], env=asked, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "42\n"
    return ran


def test_where_nothing_can_be_kept_kernels_run_and_the_message_says_how_to_set_a_folder(
    guest: Path,
) -> None:
    for _ in range(2):
        (shown,) = run(guest).stderr.splitlines()
        assert "about 15 seconds" in shown
        assert "every run" in shown
        assert "set the environment variable NUMBA_CACHE_DIR to a folder" in shown


def test_with_the_folder_that_the_message_asks_for_kernels_are_compiled_once(guest: Path) -> None:
    folder = str(guest / "kept")
    (shown,) = run(guest, NUMBA_CACHE_DIR=folder).stderr.splitlines()
    assert "once per installation" in shown
    assert "NUMBA_CACHE_DIR" not in shown
    assert run(guest, NUMBA_CACHE_DIR=folder).stderr == ""
