import os
from pathlib import Path

import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.files import read_bytes, read_table, read_text, write_table, write_whole


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_labels_keep_their_spelling(tmp_path: Path) -> None:
    file = written(tmp_path / "t.csv", "id,age\n007,31\n08,45\n")
    assert read_table(file, index="id").index.tolist() == ["007", "08"]


def test_labels_that_are_plain_whole_numbers_are_numbers(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "t.csv", "id,age\n7,31\n-8,45\n0,52\n"), index="id")
    assert table.index.tolist() == [7, -8, 0]
    assert table.columns.tolist() == ["age"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,age\n7,31\n7,45\n", "'7' more than once"),
        ("id,age\n7,31\n,45\n", "is empty in 1 of them"),
        ("key,age\n7,31\n8,45\n", "has no column 'id'"),
    ],
)
def test_labels_that_do_not_tell_people_apart_are_refused(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=sentence):
        read_table(written(tmp_path / "t.csv", text), index="id")


def test_an_index_kept_by_parquet_may_be_named_too(tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [31, 45]}, index=pd.Index(["x", "y"], name="id"))
    table.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet", index="id"), table)


@pytest.mark.parametrize(
    "rows",
    ["31,0.5,9\n45,0.1,9\n46,0.2,9\n", "31,0.5,9\n45,0.1,9\n", "0,31,0.5\n1,45,0.1\n2,46,0.2\n"],
    ids=["any values", "evenly spaced values", "row numbers"],
)
def test_rows_longer_than_the_header_are_refused_instead_of_shifted(
    rows: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="more values than its header"):
        read_table(written(tmp_path / "t.csv", f"age,debt\n{rows}"))


def test_commas_at_the_end_of_lines_shift_nothing(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "t.csv", "age,debt\n31,0.5,\n45,0.1,\n"))
    assert table.to_dict("list") == {"age": [31, 45], "debt": [0.5, 0.1]}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_comes_back_as_it_was(ending: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [31, 45], "debt": [0.1, 1 / 3]})
    table.attrs["origin"] = "twin of nobody"
    write_table(table, tmp_path / f"t.{ending}")
    back = read_table(tmp_path / f"t.{ending}")
    pd.testing.assert_frame_equal(back, table)
    assert back.attrs == (table.attrs if ending == "parquet" else {})


def test_a_write_that_fails_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    file = written(tmp_path / "note.txt", "old")

    def fail(part: Path) -> None:
        part.write_text("ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write .*No space left"):
        write_whole(file, fail)
    assert file.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == ["note.txt"]


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    large.write_bytes(b"\xff" * 11)
    cases = [(pipe, "a pipe or a device"), (tmp_path, "a folder"), (large, "more than 10 bytes")]
    for path, why in [*cases, (tmp_path / "none", "no such file"), ("/dev/zero", "a device")]:
        with pytest.raises(InputError, match=why):
            read_bytes(path, 10, "a note")
    assert read_bytes(large, 11, "a note") == b"\xff" * 11
    with pytest.raises(InputError, match="byte 0 is not UTF-8"):
        read_text(large, 11, "a note")
