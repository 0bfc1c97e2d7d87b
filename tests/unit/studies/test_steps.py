"""Steps are done once, whole or not at all."""

import pandas as pd
import pytest
from samples.damage import hanging, raw_errors, spoilt
from samples.study import sample_tables

from standfast.errors import InputError
from standfast.studies import tables
from standfast.studies.steps import LOCK, Missing, Steps, UnwritableError, code_digest, sweep

SCENE = ("people", "linear")


def counting(times):
    def make(tell):
        times.append(1)
        tell(1, 2)
        return {"squares": pd.DataFrame({"k": range(4), "square": [k * k for k in range(4)]})}

    return make


def test_a_step_is_done_once_per_set_of_inputs(tmp_path):
    times = []
    for _ in range(2):
        steps = Steps(tmp_path)
        (table,) = steps.tables(SCENE, "squares", ["a"], counting(times)).values()
        assert table["square"].tolist() == [0, 1, 4, 9]
    assert len(times) == 1
    Steps(tmp_path).tables(SCENE, "squares", ["b"], counting(times))
    assert len(times) == 2


def test_other_code_does_the_step_again(tmp_path):
    times = []
    Steps(tmp_path, code="one").tables(SCENE, "squares", [], counting(times))
    Steps(tmp_path, code="two").tables(SCENE, "squares", [], counting(times))
    assert len(times) == 2
    code = code_digest()
    code_digest.cache_clear()
    assert code_digest() == code


def test_a_step_that_fails_leaves_nothing_behind(tmp_path):
    def fill(part, tell):
        (part / "half").write_text("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Steps(tmp_path).folder_of(SCENE, "half", [], fill)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_swept_away(tmp_path):
    (tmp_path / ".unfinished-abc").mkdir()
    (tmp_path / "level-set-123").mkdir()
    sweep(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["level-set-123"]


def test_a_second_study_in_the_same_folder_is_refused_and_a_killed_one_locks_nobody_out(tmp_path):
    steps = Steps(tmp_path / "steps")
    with steps.alone():
        half = steps.folder / ".unfinished-abc"
        half.mkdir()
        said = f"another study is running in '{tmp_path}'; wait until it ends, or choose another"
        with pytest.raises(InputError, match=said), Steps(steps.folder).alone():
            raise AssertionError
        assert half.is_dir()  # what the first one is doing is left alone
    with Steps(steps.folder).alone():  # the file that stands for the lock is still there
        assert (steps.folder / LOCK).exists()
        assert not half.exists()


def test_a_fault_of_the_disk_says_what_is_kept_and_is_never_tolerated(tmp_path):
    def full(part, tell):
        raise OSError(28, "No space left on device")

    missing = Missing()
    shown = pytest.raises(
        UnwritableError, match="No space left on device; what is finished is kept"
    )
    with shown, missing.tolerated(SCENE, "a step"):
        Steps(tmp_path).folder_of(SCENE, "full", [], full)
    assert missing.rows == []


def test_faults_of_a_part_are_written_down(tmp_path):
    missing = Missing()
    with missing.tolerated(SCENE, "this"):
        raise InputError("the table is empty; fill it")
    with missing.tolerated(SCENE, "that"):
        raise ValueError("math domain error\nmore")
    table = pd.DataFrame(missing.rows)
    assert table["what"].tolist() == ["this", "that"]
    assert table["why"].tolist() == ["the table is empty; fill it", "ValueError: math domain error"]
    with pytest.raises(KeyboardInterrupt), missing.tolerated(SCENE, "stopped"):
        raise KeyboardInterrupt


def test_a_damaged_table_of_an_earlier_day_says_what_to_remove(tmp_path):
    Steps(tmp_path).tables(SCENE, "squares", [], counting([]))
    (file,) = tmp_path.glob("*/squares.parquet")
    damages = [("fine", file.read_bytes()), *spoilt(file.read_bytes(), seed=0)]
    read = lambda: Steps(tmp_path).tables(SCENE, "squares", [], counting([]))  # noqa: E731
    assert raw_errors(damages, file.write_bytes, read) == []
    assert hanging(file, read) == []
    file.write_bytes(b"PAR1")
    shown = r"cannot read a table of a study from .* remove the folder .*squares-.* and run the"
    with pytest.raises(InputError, match=shown):
        read()


def test_the_tables_of_a_study_are_read_or_refused_with_a_sentence(tmp_path):
    tables.write(sample_tables(), tmp_path)
    whole = tables.read(tmp_path)
    assert sorted(whole) == sorted(tables.TIDY)
    file = tmp_path / "claims.parquet"
    damages = spoilt(file.read_bytes(), seed=1, flips=20)
    assert raw_errors(damages, file.write_bytes, lambda: tables.read(tmp_path)) == []
    whole["claims"].drop(columns="verdict").to_parquet(file)
    with pytest.raises(InputError, match=r"claims\.parquet' lacks the columns 'verdict'"):
        tables.read(tmp_path)
