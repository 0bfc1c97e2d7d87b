"""Whatever is wrong: one sentence, exit code 2, and nothing left behind."""

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from standfast.readers.files import save_model

INPUTS = ["income", "debt", "age"]
Spoil = Callable[[Any], dict[str, Any] | None]


def edit(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Spoil:
    def spoil(sandbox: Any) -> None:
        file = sandbox.path(name)
        change(pd.read_csv(file)).to_csv(file, index=False)

    return spoil


def put(name: str, column: str, value: object) -> Spoil:
    return edit(name, lambda t: t.assign(**{column: [value, *t[column][1:]]}))


def text(name: str, content: str | bytes) -> Spoil:
    def spoil(sandbox: Any) -> None:
        data = content.encode() if isinstance(content, str) else content
        sandbox.path(name).write_bytes(data)

    return spoil


def cut(name: str) -> Spoil:
    def spoil(sandbox: Any) -> None:
        file = sandbox.path(name)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    return spoil


def refit(model: Any, columns: list[str], rename: dict[str, str] | None = None) -> Spoil:
    def spoil(sandbox: Any) -> None:
        train = pd.read_csv(sandbox.path("train.csv"))
        X = train[columns].rename(columns=rename or {})
        fitted = model.fit(X if rename else X.to_numpy(), train["label"])
        save_model(fitted, sandbox.path("model.skops"))

    return spoil


def given(**changes: object) -> Spoil:
    """Options in place of the usual ones; paths are relative to the sandbox."""

    def spoil(sandbox: Any) -> dict[str, Any]:
        return {k: sandbox.path(v) if isinstance(v, Path) else v for k, v in changes.items()}

    return spoil


def doubled_header(sandbox: Any) -> None:
    file = sandbox.path("people.csv")
    file.write_text(file.read_text().replace("income,debt,age", "income,debt,debt", 1))


def longer_rows(sandbox: Any) -> None:
    file = sandbox.path("people.csv")
    head, *rows = file.read_text().splitlines()
    file.write_text("\n".join([head, *(f"{row},1" for row in rows)]))


def labelled_twice(sandbox: Any) -> dict[str, Any]:
    edit("people.csv", lambda t: t.assign(id=[7, 7, *range(100, 98 + len(t))]))(sandbox)
    return {"index": "id"}


def cut_parquet(sandbox: Any) -> dict[str, Any]:
    pd.read_csv(sandbox.path("people.csv")).to_parquet(sandbox.path("people.parquet"))
    cut("people.parquet")(sandbox)
    return {"people": sandbox.path("people.parquet")}


def cut_gzip(sandbox: Any) -> dict[str, Any]:
    sandbox.path("people.csv.gz").write_bytes(
        gzip.compress(sandbox.path("people.csv").read_bytes())
    )
    cut("people.csv.gz")(sandbox)
    return {"people": sandbox.path("people.csv.gz")}


def three_classes(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    model = LogisticRegression(max_iter=5000).fit(train[INPUTS] / 1000, np.arange(len(train)) % 3)
    save_model(model, sandbox.path("model.skops"))


def unfitted(sandbox: Any) -> None:
    save_model(LogisticRegression(), sandbox.path("model.skops"))


BOUNDS = "[features.income]\nlower = 5\nupper = 3\n[features.debt]\n[features.age]\n"
RELATION = 'relations = ["rent <= income"]\n[features.income]\n[features.debt]\n[features.age]\n'
TABLE = "[features.income]\nlower = 1e9\n[features.debt]\n[features.age]\n"

CASES: dict[str, tuple[Spoil, list[str]]] = {
    # tables
    "a column is missing from the people": (
        edit("people.csv", lambda t: t.drop(columns="debt")),
        ["people.csv'", "lacks the column 'debt'"],
    ),
    "a column is missing from the table": (
        edit("train.csv", lambda t: t.drop(columns="age")),
        ["train.csv'", "lacks the column 'age'"],
    ),
    "a column is too many": (
        edit("people.csv", lambda t: t.assign(shoe=1, **{"shoe size": 2})),
        ["people.csv'", "'shoe'", "--drop shoe --drop 'shoe size'"],
    ),
    "a column holds text": (put("people.csv", "debt", "low"), ["'debt' holds", "'low'"]),
    "a value is missing": (put("train.csv", "age", None), ["'age' holds 1 missing value"]),
    "a value is infinite": (put("train.csv", "debt", np.inf), ["'debt' holds 1 infinite value"]),
    "a table has a header only": (text("people.csv", "income,debt,age\n"), ["holds no rows"]),
    "a table is an empty file": (text("train.csv", ""), ["train.csv' is empty; a table needs"]),
    "a table is no table": (text("people.csv", b"\x89PNG\r\n\x1a\n\xff\xfe"), ["cannot read"]),
    "two columns share a name": (doubled_header, ["holds the column 'debt' twice"]),
    "rows are longer than the header": (longer_rows, ["more values than its header"]),
    "two people share a label": (labelled_twice, ["'id'", "'7' more than once"]),
    "the label column is not there": (given(index="id"), ["no column 'id'"]),
    "the label column is an input": (given(index="age"), ["--index age", "input of the schema"]),
    "a dropped column is not there": (given(drop=["label", "shoe"]), ["--drop shoe"]),
    "a Parquet file is cut off": (cut_parquet, ["cannot read", "people.parquet'"]),
    "a gzipped file is cut off": (cut_gzip, ["cannot read", "people.csv.gz'"]),
    "a table does not exist": (given(people=Path("gone.csv")), ["no file", "gone.csv'"]),
    "a table is a folder": (given(table=Path(".")), ["is a folder, not a file"]),
    # schema
    "a lower bound is above the upper": (text("schema.toml", BOUNDS), ["schema.toml'", "lower 5"]),
    "a relation names no feature": (text("schema.toml", RELATION), ["schema.toml'", "rent"]),
    "a bound contradicts the table": (text("schema.toml", TABLE), ["'income'", "reference table"]),
    "the schema is no TOML": (text("schema.toml", "features = ["), ["schema.toml'", "TOML"]),
    "the schema does not exist": (given(schema=Path("gone.toml")), ["gone.toml'"]),
    # model
    "the model reads fewer inputs": (
        refit(LogisticRegression(max_iter=5000), ["debt", "age"]),
        ["model.skops'", "reads 2 inputs", "schema has 3"],
    ),
    "the model knows other names": (
        refit(LogisticRegression(max_iter=5000), ["debt", "age"], {"debt": "owed"}),
        ["model.skops'", "was fitted on 'owed'"],
    ),
    "the model is not fitted": (unfitted, ["LogisticRegression is not fitted"]),
    "the model has three classes": (three_classes, ["3 classes"]),
    "the model is a regressor": (refit(LinearRegression(), INPUTS), ["is a regressor"]),
    "the model does not exist": (given(model=Path("gone.skops")), ["no file", "gone.skops'"]),
    "the model is a folder": (given(model=Path(".")), ["is a folder"]),
    "the model is an empty file": (text("model.skops", ""), ["model.skops' is empty"]),
    "the model is cut off": (cut("model.skops"), ["cannot read", "model.skops'"]),
    "the model is something else": (text("model.skops", "hello"), ["cannot read", "skops file"]),
    "the model is of no known kind": (given(model=Path("train.csv")), ["expected .skops"]),
    # options
    "the favourable class is unknown": (given(favourable="maybe"), ["'maybe'", "-1, 1"]),
    "the threshold is no probability": (given(threshold=1.5), ["threshold is 1.5"]),
    "the time limit is negative": (
        given(time_limit=-1),
        ["--time-limit is -1.0; it must be a positive number"],
    ),
    # out
    "out's folder is missing": (given(out=Path("gone/a.csv")), ["cannot write", "does not exist"]),
    "out is a folder": (given(out=Path("taken.csv")), ["cannot write", "it is a folder"]),
    "out's companion is a folder": (given(out=Path("half.csv")), ["half.csv.json'", "folder"]),
    "out has no known ending": (given(out=Path("advice.xlsx")), [".parquet or .csv"]),
    "out is one of the inputs": (given(out=Path("people.csv")), ["would overwrite"]),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_nothing_left_behind_when(sandbox: Any, case: str) -> None:
    spoil, words = CASES[case]
    for folder in ("taken.csv", "half.csv.json"):
        sandbox.path(folder).mkdir()
    changes = spoil(sandbox) or {}
    before = sandbox.listing()
    sentence = sandbox.sentence(sandbox.recommend(**changes))
    for word in words:
        assert word in sentence
    assert sandbox.listing() == before


@pytest.mark.parametrize(
    "changes",
    [{"method": "wishing"}, {"cost": "some"}, {"seed": -1}, {"jobs": 0}, {"people": None}],
    ids=str,
)
def test_misused_options_exit_with_2(sandbox: Any, changes: dict[str, Any]) -> None:
    before = sandbox.listing()
    result = sandbox.recommend(**changes)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    assert sandbox.listing() == before


@pytest.mark.parametrize("command", ["recommend", "study", "level-set", "fresh", "bounds"])
def test_a_column_without_any_value_is_named_with_its_file_before_any_work(
    sandbox: Any, command: str
) -> None:
    schema = sandbox.path("schema.toml").read_text() + '\n[features.note]\nkind = "real"\n'
    sandbox.path("schema.toml").write_text(schema + 'mutable = false\nwhen_missing = "keep"\n')
    edit("train.csv", lambda t: t.assign(note=np.nan))(sandbox)
    given = ("--schema", sandbox.path("schema.toml"), "--label", "label", "--favourable", 1)
    table, model = sandbox.path("train.csv"), sandbox.path("model.skops")
    out = ("--out", sandbox.path("new"))
    before = sandbox.listing()
    result = {
        "recommend": lambda: sandbox.recommend(),
        "study": lambda: sandbox.run("study", "--data", table, *given, "--quick", *out),
        "level-set": lambda: sandbox.run(
            *("level-set", "build", table, *given, "--reference", model, "--grid", "linear", *out)
        ),
        "fresh": lambda: sandbox.run("fresh", "draw", table, *given, "--model", model, *out),
        "bounds": lambda: sandbox.run("bounds", table, *given, "--model", model),
    }[command]()
    assert "train.csv': no row has a value for 'note'" in sandbox.sentence(result)
    assert sandbox.listing() == before


def test_a_table_of_another_separator_is_read_and_said_so(sandbox: Any) -> None:
    command = ("schema", "infer", sandbox.path("train.csv"), "--drop", "label")
    plain = sandbox.run(*command)
    table = pd.read_csv(sandbox.path("train.csv"))
    table.to_csv(sandbox.path("train.csv"), index=False, sep=";", decimal=",")
    ran = sandbox.apart(*command, stdout=subprocess.PIPE)
    assert (ran.returncode, ran.stdout) == (0, plain.stdout)
    shown = "was read with ';' between its values and a comma as the decimal mark"
    assert ran.stderr == f"warning: '{sandbox.path('train.csv')}' {shown}\n"


def test_pipes_and_devices_are_one_sentence_and_no_wait(sandbox: Any) -> None:
    os.mkfifo(sandbox.path("pipe.csv"))
    sandbox.path("zero.parquet").symlink_to("/dev/zero")
    for name in ("pipe.csv", "zero.parquet"):
        for option in ("people", "table"):
            sentence = sandbox.sentence(sandbox.recommend(**{option: sandbox.path(name)}))
            assert "it is a pipe or a device; name a regular file" in sentence


def test_a_full_disk_behind_the_output_is_one_sentence(sandbox: Any) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as nowhere:
        ran = sandbox.apart("schema", "infer", sandbox.path("train.csv"), stdout=nowhere)
    assert ran.returncode == 2
    assert ran.stderr == "error: No space left on device\n"
