"""standfast schema infer: what is no input is left out when named and flagged when not."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import standfast as sf


@pytest.fixture
def numbered(desk: Any) -> Path:
    table = pd.read_csv(desk.path("train.csv"))
    table.insert(0, "customer_id", np.arange(len(table)) + 7001)
    table.to_csv(desk.path("numbered.csv"), index=False)
    return Path(desk.path("numbered.csv"))


def test_label_and_index_are_left_out_of_the_draft(desk: Any, numbered: Path) -> None:
    out = desk.path("draft.toml")
    ran = desk.run(
        *("schema", "infer", numbered, "--label", "label", "--index", "customer_id", "--out", out)
    )
    assert ran.exit_code == 0
    said = f"wrote {out}: 3 features, a draft: edit what advice may change"
    assert ran.stderr.splitlines() == [said]
    draft = sf.Schema.read(out)
    assert draft.names == ("income", "debt", "age")
    assert [(f.kind, f.step) for f in draft] == [
        ("positive", 10),
        ("positive", 0.01),
        ("count", None),
    ]


def test_columns_that_look_like_no_inputs_are_named(desk: Any, numbered: Path) -> None:
    ran = desk.run("schema", "infer", numbered)
    assert ran.exit_code == 0
    first, second = ran.stderr.splitlines()
    assert first.startswith("check 'customer_id': it looks like an identifier")
    assert first.endswith("draft again with --index customer_id")
    assert second.startswith("check 'label': it looks like the label")
    draft = sf.Schema.from_toml(ran.stdout)
    assert {f.name for f in draft if not f.mutable} == {"customer_id", "label"}


def test_a_label_that_is_not_there_is_a_sentence(desk: Any, numbered: Path) -> None:
    said = desk.sentence(desk.run("schema", "infer", numbered, "--label", "paid"))
    assert "no column 'paid' for the label" in said
    said = desk.sentence(desk.run("schema", "infer", numbered, "--index", "nr"))
    assert "no column 'nr'" in said


def test_a_pipe_or_a_folder_is_not_read_as_a_schema(desk: Any) -> None:
    for path, what in (("/dev/zero", "a device"), (desk.folder, "a folder")):
        said = desk.sentence(desk.recommend(schema=path))
        assert "cannot read the schema" in said
        assert what in said
