"""What is taken away says what the page said."""

import contextlib
import io
import json
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from samples import workbench as sample

from standfast.workbench import exports, person
from standfast.workbench.code import program
from standfast.workbench.question import asked


def run(text: str) -> dict[str, object]:
    shown = io.StringIO()
    space: dict[str, object] = {"__name__": "exported"}
    with contextlib.redirect_stdout(shown):
        exec(compile(text, "advice.py", "exec"), space)
    return space | {"printed": shown.getvalue()}


BODIES = [
    {"method": "reference"},
    {"method": "all"},
    {"method": "all", "members": [0, 2], "keep": ["late"]},
    {"method": "reference", "only": [{"input": "income", "lower": 0.0, "upper": 3200.0}]},
    {"method": "reference", "only": [{"input": "late", "lower": 100.0, "upper": None}]},
    {"method": "later"},
    {"method": "spheres", "keep": ["job", "income"]},
]


@pytest.mark.parametrize("body", BODIES, ids=json.dumps)
def test_the_code_gives_the_same_advice(bench, body):
    body = body | {"person": sample.refused()}
    shown = person.advise(bench, body)
    found = run(exports.code(bench, body))
    advice = found["advice"]
    assert advice.sentences().item() == shown["sentence"]
    assert found["printed"].strip() == shown["sentence"]
    assert advice.outcome.item() == shown["outcome"]
    if shown["found"]:
        assert advice.matrices()[1][0].tolist() == shown["values"]


def test_the_code_of_a_person_with_a_gap_runs(bench):
    gaps = np.flatnonzero(bench.world.people["income"].isna())
    body = {"person": int(gaps[0]), "method": "reference"}
    advice = run(exports.code(bench, body))["advice"]
    assert advice.sentences().item() == person.advise(bench, body)["sentence"]


def test_a_hostile_label_stays_a_text_in_the_code(bench):
    from dataclasses import replace

    question = asked(bench.world, {"person": 1})
    hostile = "'); raise SystemExit('run'); ('"
    text = program(bench.world, replace(question, label=hostile))
    assert run(text)["person"].index[0] == hostile


def test_the_table_has_a_row_for_every_method(bench):
    body = {"person": sample.refused(), "keep": ["job"]}
    table = pd.read_csv(io.StringIO(exports.csv(bench, body)))
    assert table["method"].tolist()[:2] == ["Cheapest for forest", "Cheapest for all 3 models"]
    assert len(table) == 5
    for key, row in zip(["reference", "all", "lasting"], table.to_dict("records"), strict=False):
        shown = person.advise(bench, body | {"method": key})
        assert row["sentence"] == shown["sentence"]
        assert row["cost"] == pytest.approx(shown["cost"])


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "@SUM(A1)", "-2+3"])
def test_no_cell_is_a_formula(text):
    assert exports._harmless(text) == f"'{text}"
    assert exports._harmless(-2.5) == -2.5


def test_the_letter_is_a_page_without_scripts(server):
    query = quote(json.dumps({"person": sample.refused(), "method": "all"}))
    status, headers, text = server.send(
        "GET", f"/export/letter.html?q={query}", X_Standfast_Token=sample.TOKEN
    )
    assert status == 200
    assert "script-src" not in headers["content-security-policy"]
    assert "sandbox" in headers["content-security-policy"]
    letter = text.decode()
    assert "<script" not in letter
    shown = server.ask("advise", {"person": sample.refused(), "method": "all"})[1]
    number = shown["sentence"].rstrip(".").split()[-1]
    assert number in letter.replace(",", "")
