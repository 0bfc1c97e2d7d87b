"""standfast schema infer: what is no input is left out when named and flagged when not."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import standfast as sf


@pytest.fixture
def numbered(sandbox: Any) -> Path:
    table = pd.read_csv(sandbox.path("train.csv"))
    table.insert(0, "customer_id", np.arange(len(table)) + 7001)
    table.to_csv(sandbox.path("numbered.csv"), index=False)
    return Path(sandbox.path("numbered.csv"))


def test_label_and_index_are_left_out_of_the_draft(sandbox: Any, numbered: Path) -> None:
    out = sandbox.path("draft.toml")
    ran = sandbox.run(
        *("schema", "infer", numbered, "--label", "label", "--index", "customer_id", "--out", out)
    )
    assert ran.exit_code == 0
    said = f"wrote {out}: 3 features, a draft: edit what advice may change"
    assert ran.stderr.splitlines() == [said]
    draft = sf.Schema.read(out)
    assert draft.names == ("income", "debt", "age")
    assert [(f.kind, f.step) for f in draft] == [
        ("positive", 50),
        ("positive", 0.01),
        ("count", None),
    ]


def test_columns_that_look_like_no_inputs_are_named(sandbox: Any, numbered: Path) -> None:
    ran = sandbox.run("schema", "infer", numbered)
    assert ran.exit_code == 0
    first, second = ran.stderr.splitlines()
    assert first.startswith("check 'customer_id': it looks like an identifier")
    assert first.endswith("draft again with --index customer_id")
    assert second.startswith("check 'label': it looks like the label")
    draft = sf.Schema.from_toml(ran.stdout)
    assert {f.name for f in draft if not f.mutable} == {"customer_id", "age", "label"}


def test_the_favourable_label_gives_directions(sandbox: Any) -> None:
    rng = np.random.default_rng(0)
    income = rng.integers(900, 9000, 400)
    paid = np.where(income + rng.normal(0, 2000, 400) > 4000, 1, 0)
    table = sandbox.path("outcomes.csv")
    pd.DataFrame({"income": income, "paid": paid}).to_csv(table, index=False)
    command = ["schema", "infer", table, "--label", "paid"]
    ran = sandbox.run(*command, "--favourable", "1")
    assert ran.exit_code == 0, ran.stderr
    (feature,) = sf.Schema.from_toml(ran.stdout)
    assert (feature.direction, feature.step) == ("up", 50)
    assert "rank correlation +0." in ran.stdout
    (other,) = sf.Schema.from_toml(
        sandbox.run(*command, "--favourable", "0", "--step", "decimals").stdout
    )
    assert (other.direction, other.step) == ("down", 1)
    said = sandbox.sentence(sandbox.run(*command, "--favourable", "good"))
    assert "the favourable label is 'good', but the labels hold" in said
    said = sandbox.sentence(sandbox.run("schema", "infer", table, "--favourable", "1"))
    assert "--favourable goes with --label" in said


def test_a_label_that_is_not_there_is_a_sentence(sandbox: Any, numbered: Path) -> None:
    said = sandbox.sentence(sandbox.run("schema", "infer", numbered, "--label", "paid"))
    assert "no column 'paid' for the label" in said
    said = sandbox.sentence(sandbox.run("schema", "infer", numbered, "--index", "nr"))
    assert "no column 'nr'" in said


def test_a_pipe_or_a_folder_is_not_read_as_a_schema(sandbox: Any) -> None:
    for path, what in (("/dev/zero", "a device"), (sandbox.folder, "a folder")):
        said = sandbox.sentence(sandbox.recommend(schema=path))
        assert "cannot read the schema" in said
        assert what in said


def test_a_table_of_text_and_gaps_is_drafted(sandbox: Any) -> None:
    table = pd.DataFrame(
        {
            "housing": ["rent", "own", "rent", "own"] * 20,
            "mortgage": [0, 500, 0, 900] * 20,
            "income": [100, None, 300, 250] * 20,
        }
    )
    table.to_csv(sandbox.path("text.csv"), index=False)
    ran = sandbox.run("schema", "infer", sandbox.path("text.csv"))
    assert ran.exit_code == 0
    draft = sf.Schema.from_toml(ran.stdout)
    assert [f.kind == "nominal" for f in draft] == [True, False, False]
    assert [f.when_missing for f in draft] == ["refuse", "refuse", "keep"]
    assert '#     "if housing == rent then mortgage == 0",' in ran.stdout


def test_a_table_of_dates_is_refused_with_a_sentence(sandbox: Any) -> None:
    pd.DataFrame({"day": ["2020-01-31", "2020-02-01"], "n": [1, 2]}).to_csv(
        sandbox.path("days.csv"), index=False
    )
    said = sandbox.sentence(sandbox.run("schema", "infer", sandbox.path("days.csv")))
    assert "column 'day' holds dates such as 2020-01-31" in said
