import gzip
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from standfast.errors import InputError
from standfast.files import read_bytes, read_table, read_text, write_table, write_whole
from standfast.files.data_sets import plain
from standfast.files.lock import locked


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


def test_money_in_parquet_is_numbers_and_labels_stay_as_they_are(tmp_path: Path) -> None:
    people = {"policy": [Decimal(7), Decimal(8)], "premium": [Decimal("462.70"), None]}
    pd.DataFrame(people | {"town": ["01067", None]}).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", index="policy")
    assert table["premium"].dtype == "float64"
    assert table["premium"].iloc[0] == 462.7
    assert table["premium"].isna().tolist() == [False, True]
    assert table["town"].iloc[0] == "01067"
    assert table.index.tolist() == [Decimal(7), Decimal(8)]


def test_money_of_a_folder_is_the_number_that_its_digits_say() -> None:
    said = ["406.71", "899.30", "-0.07", None]
    money = pa.array([None if one is None else Decimal(one) for one in said], pa.decimal128(12, 2))
    found = plain(pa.table({"premium": money}))["premium"]
    assert found.type == pa.float64()
    assert found.to_pylist() == [406.71, 899.3, -0.07, None]


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


# separators and decimal marks

COLUMNS = {"age": [31, 45], "debt": [0.5, 0.125]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age;debt\n31;0.5\n45;0.125\n", r"';' between its values$"),
        (
            "age;debt\n31;0,5\n45;0,125\n",
            r"';' between its values and a comma as the decimal mark$",
        ),
        ("age\tdebt\n31\t0.5\n45\t0.125\n", r"tabs between"),
        ("age|debt\r\n31|0,5\r\n45|0,125\r\n", r"'\|' between its values and a comma"),
        ("\ufeffage;debt;\n31;0,5;\n45;0,125;\n".replace("debt;", "debt"), "';' between"),
    ],
    ids=["semicolons", "decimal commas", "tabs", "bars", "as a spreadsheet ends its rows"],
)
def test_a_separator_that_the_header_clearly_has_is_recognised(
    text: str, said: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=said):
        table = read_table(written(tmp_path / "t.csv", text))
    assert table.to_dict("list") == COLUMNS


def test_a_gzipped_file_has_its_separator_recognised_too(tmp_path: Path) -> None:
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"age;debt\n31;0,5\n45;0,125\n"))
    with pytest.warns(UserWarning, match="decimal mark"):
        assert read_table(file).to_dict("list") == COLUMNS


def test_every_digit_survives_a_decimal_comma(tmp_path: Path) -> None:
    values = [0.1 + 0.2, 1 / 3, 1e-17, 12345.678901234567]
    frame = pd.DataFrame({"a": range(4), "b": values})
    frame.to_csv(tmp_path / "t.csv", sep=";", decimal=",", index=False)
    with pytest.warns(UserWarning, match="decimal mark"):
        assert read_table(tmp_path / "t.csv")["b"].tolist() == values


def test_labels_of_a_semicolon_file_keep_their_spelling(tmp_path: Path) -> None:
    file = written(tmp_path / "t.csv", "id;debt\n007,1;0,5\n08;0,1\n")
    with pytest.warns(UserWarning, match="decimal mark"):
        table = read_table(file, index="id")
    assert table.index.tolist() == ["007,1", "08"]
    assert table["debt"].tolist() == [0.5, 0.1]


@pytest.mark.parametrize(
    "text",
    [
        "age,debt|old\n31,0.5\n45,0.1\n",
        "a;b\n31\n45\n",
        "age,town\n31,Graz; Linz\n45,Wels|Steyr\n",
        '"age;years",debt\n31,0.5\n',
        "age\n31\n",
    ],
)
def test_a_file_with_commas_is_read_as_before(text: str, tmp_path: Path) -> None:
    file = written(tmp_path / "t.csv", text)
    pd.testing.assert_frame_equal(read_table(file), pd.read_csv(file))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "age;debt, EUR;rent\n31;0,5;9\n45;0,1;8\n",
            r"may be separated by ',' \(2 columns\) or by ';' \(3 columns\)",
        ),
        ("a;b|c\n1;2|3\n", r"by ';' \(2 columns\) or by '\|' \(2 columns\)"),
        ("age;debt\n31;0,5;7\n45;0,1\n", "the header .* is separated by ';', but not all its rows"),
        ("age;debt;rent\n31;0,5;9\n45;0,1;9.5\n", "a comma in 'debt' and with a point in 'rent'"),
        ("age;debt\n31;1,234\n45;2,500\n", "'1,234', which may mean 1234 or 1.234"),
    ],
)
def test_a_table_that_can_be_read_in_two_ways_is_refused(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=sentence):
        read_table(written(tmp_path / "t.csv", text))


# what is no table, and what no file can hold


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_pipe_or_a_device_is_no_table(ending: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"pipe.{ending}")
    (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(InputError, match="a pipe or a device; name a regular file"):
            read_table(tmp_path / f"{name}.{ending}")


def test_a_table_that_is_not_utf8_says_how_to_save_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe,debt\n1,2\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text; save it as CSV in UTF-8, or as Parquet"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1]], columns=pd.Index(["a\ud800"], dtype=object)),
        pd.DataFrame({"a": pd.Series(["x\udfff"], dtype=object)}),
    ],
    ids=["a column's name", "a value"],
)
def test_half_a_character_is_refused_with_a_sentence_and_no_file(
    ending: str, table: pd.DataFrame, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"\\ud.* holds a character that no file can hold"):
        write_table(table, tmp_path / f"t.{ending}")
    assert not list(tmp_path.iterdir())


def test_what_a_schema_names_is_read_as_it_is_written(tmp_path: Path) -> None:
    text = "id,home,zone,own,debt\nNA,N/A,01,TRUE,NA\nb,,1,FALSE,2.5\nc,NULL,02,TRUE,3\n"
    file = written(tmp_path / "t.csv", text)
    names = {"home": ["N/A", "rent"], "zone": ["01", "1", "02"], "own": ["TRUE", "FALSE"]}
    found = read_table(file, index="id", names=names)
    assert found.index.tolist() == ["NA", "b", "c"]
    assert found.home.isna().tolist() == [False, True, True]
    assert found.home.iloc[0] == "N/A"
    assert found.zone.tolist() == ["01", "1", "02"]
    assert found.own.tolist() == ["TRUE", "FALSE", "TRUE"]
    assert found.debt.isna().tolist() == [True, False, False]  # a number's NA is a gap
    assert found.debt.iloc[1:].tolist() == [2.5, 3.0]


def test_names_that_are_read_alike_anyway_change_nothing(tmp_path: Path) -> None:
    file = written(tmp_path / "t.csv", "job,floor\nclerk,1\nnone,2\n")
    plain = read_table(file)
    pd.testing.assert_frame_equal(plain, read_table(file, names={"job": ["none"], "floor": ["1"]}))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "t.csv' is empty; a table needs a header and at least one row"),
        ("a,b\n1,2\n3,4,5\n", "line 3 of .*t.csv' has 3 values instead of 2; correct it"),
    ],
)
def test_a_broken_table_says_what_is_wrong_in_the_reader_s_words(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=sentence):
        read_table(written(tmp_path / "t.csv", text))


HOLDER = """
import sys, time
from pathlib import Path
from standfast.files.data_sets import plain
from standfast.files.lock import locked
with locked(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_lock_keeps_others_out_until_its_process_ends_however_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            for shared in (False, True):
                with (
                    pytest.raises(InputError, match="somebody is there"),
                    locked(file, "somebody is there", shared=shared),
                ):
                    raise AssertionError
        finally:
            holder.kill()
    assert file.exists()
    with locked(file, "somebody is there"):
        pass
    with locked(file, "", shared=True), locked(file, "", shared=True):
        pass
