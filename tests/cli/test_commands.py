from importlib.metadata import version
from typing import Any

import pandas as pd
import pytest

import standfast as sf
from standfast.datasets.twin import SCHEMAS as TWINS


@pytest.mark.parametrize(
    "command",
    ["", "recommend", "schema", "schema infer", "data", "data twin", "data schema"],
)
def test_every_command_explains_itself(sandbox: Any, command: str) -> None:
    result = sandbox.run(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout


def test_the_help_of_trust_says_why(sandbox: Any) -> None:
    words = " ".join(sandbox.run("recommend", "--help").stdout.replace("│", " ").split())
    assert "such a type can run code of its own when the model file is loaded" in words


def test_the_help_of_twin_names_every_twin(sandbox: Any) -> None:
    words = " ".join(sandbox.run("data", "twin", "--help").stdout.replace("│", " ").split())
    assert all(name in words for name in TWINS)


def test_the_version_is_the_package_s(sandbox: Any) -> None:
    result = sandbox.run("--version")
    assert (result.exit_code, result.stdout) == (0, f"standfast {version('standfast')}\n")


# schema


def test_an_inferred_schema_is_printed_or_written(sandbox: Any) -> None:
    out = sandbox.path("draft.toml")
    printed = sandbox.run("schema", "infer", sandbox.path("train.csv"), "--drop", "label")
    written = sandbox.run(
        "schema", "infer", sandbox.path("train.csv"), "--drop", "label", "--out", out
    )
    assert (printed.exit_code, written.exit_code) == (0, 0)
    assert printed.stdout == out.read_text()
    assert written.stdout == ""
    assert sf.Schema.read(out).names == ("income", "debt", "age")


def test_an_edited_schema_is_overwritten_only_by_force(sandbox: Any) -> None:
    edited = sandbox.path("schema.toml").read_text()
    command = ["schema", "infer", sandbox.path("people.csv"), "--out", sandbox.path("schema.toml")]
    assert "may hold your edits" in sandbox.sentence(sandbox.run(*command))
    assert sandbox.path("schema.toml").read_text() == edited
    assert sandbox.run(*command, "--force").exit_code == 0
    assert sandbox.path("schema.toml").read_text() != edited


def test_a_schema_of_a_table_with_text_has_its_categories(sandbox: Any) -> None:
    pd.DataFrame({"town": ["Graz", "Linz"] * 3}).to_csv(sandbox.path("towns.csv"), index=False)
    found = sandbox.run(
        "schema", "infer", sandbox.path("towns.csv"), "--out", sandbox.path("towns.toml")
    )
    assert found.exit_code == 0
    assert sf.Schema.read(sandbox.path("towns.toml"))["town"].categories == ("Graz", "Linz")


def test_a_schema_of_a_table_with_dates_is_refused_by_column(sandbox: Any) -> None:
    dates = pd.to_datetime(["2020-01-31", "2021-02-28"])
    pd.DataFrame({"since": dates}).to_parquet(sandbox.path("dates.parquet"))
    before = sandbox.listing()
    sentence = sandbox.sentence(
        sandbox.run(
            "schema", "infer", sandbox.path("dates.parquet"), "--out", sandbox.path("dates.toml")
        )
    )
    assert "dates.parquet'" in sentence
    assert "'since' holds" in sentence
    assert sandbox.listing() == before


# data


def test_data_lists_every_set_with_place_and_digest(sandbox: Any) -> None:
    result = sandbox.run("data")
    assert result.exit_code == 0
    for line in sf.datasets.available().to_dict("records"):
        assert line["name"] in result.stdout
        assert line["note"] in result.stdout
        assert line["digest"] in result.stdout


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_twin_is_written_with_its_label(sandbox: Any, ending: str) -> None:
    out = sandbox.path(f"twin.{ending}")
    command = ["data", "twin", "give_me_some_credit", "--rows", 50, "--seed", 3, "--out", out]
    result = sandbox.run(*command)
    assert result.exit_code == 0, result.output
    assert "twin of give_me_some_credit, n=50, seed=3" in result.stderr
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    twin = sf.datasets.twin("give_me_some_credit", 50, seed=3)
    pd.testing.assert_frame_equal(table, twin.table.assign(label=twin.labels))
    assert (table.attrs == twin.table.attrs) == (ending == "parquet")


def test_the_ready_schema_of_a_set_is_the_set_s(sandbox: Any) -> None:
    out = sandbox.path("heloc.toml")
    assert sandbox.run("data", "schema", "heloc", "--out", out).exit_code == 0
    assert sf.Schema.read(out) == sf.datasets.twin("heloc", 1).schema
    assert "exists" in sandbox.sentence(sandbox.run("data", "schema", "heloc", "--out", out))
    published = sandbox.run("data", "schema", "heloc", "--variant", "published").stdout
    assert (
        sf.Schema.from_toml(published) == sf.datasets.twin("heloc", 1, variant="published").schema
    )
    loans = sandbox.run("data", "schema", "sba_case").stdout
    assert "guaranteed share of the loan" in loans


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["twin", "iris", "--out", "iris.csv"], "no twin of 'iris'"),
        (["twin", "heloc", "--out", "twin.xlsx"], ".parquet or .csv"),
        (["twin", "heloc", "--out", "gone/twin.csv"], "does not exist"),
        (["schema", "iris"], "no data set 'iris'"),
    ],
)
def test_data_refuses_with_a_sentence(sandbox: Any, arguments: list[str], words: str) -> None:
    before = sandbox.listing()
    arguments = [str(sandbox.path(a)) if "." in a else a for a in arguments]
    assert words in sandbox.sentence(sandbox.run("data", *arguments))
    assert sandbox.listing() == before
