"""Names of methods, verdicts and bounds are spelled once, and evaluation measures for studies."""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import standfast as sf
from standfast.studies import Missing, Settings, names
from standfast.studies.advice import judged
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps
from standfast.studies.study import STEPS

from .conftest import TINY

PACKAGE = Path(sf.__file__).parent
ROOMS = ("studies", "evaluation", "figures", "report")
# columns of tables, and the reference of the linear grid, are called the same
SHARED = {"linear", "sparse", "support", "refused", "exact", "unanimous"}
SPELLED = {
    text
    for value in vars(names).values()
    for text in (value if isinstance(value, tuple) else [value])
    if isinstance(text, str) and not text.startswith("_") and "\n" not in text
} - {names.__name__, names.__file__, names.__doc__, names.__package__, *SHARED}


def strings(path):
    """Every string of a file that is not documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documented
    ]


@pytest.mark.parametrize("room", ["studies", "figures", "report"])
def test_a_name_that_tables_figures_and_report_share_is_spelled_in_one_file(room):
    found = {
        (path.name, text)
        for path in (PACKAGE / room).glob("*.py")
        if path.name != "names.py"
        for text in strings(path)
        if text in SPELLED
    }
    found -= {(name, verb) for name in ("claims.py", "sentences.py") for verb in names.VERDICTS}
    assert found == set()  # but for verdicts that are conjugated in a sentence


def test_every_method_has_an_entry_in_the_glossary():
    assert set(names.GLOSSARY) == {*names.METHODS, *names.FRONTIER}


@pytest.mark.parametrize("room", ROOMS)
def test_no_text_of_these_rooms_speaks_in_metaphors(room):
    odd = re.compile(r"\b(dearer|pleases?|whoever|nobody's|jurors?|crowds?|court|told)\b")
    files = [*(PACKAGE / room).glob("*.py"), *(PACKAGE / room).rglob("*.html")]
    found = [(f.name, m[0]) for f in files for m in odd.finditer(f.read_text(encoding="utf-8"))]
    assert found == []


def test_support_takes_its_neighbours_as_one_value():
    assert len(inspect.signature(sf.support).parameters) == 6


def test_a_study_measures_as_the_library_does(small, credit):
    folder, found = small
    for reference in ("linear", "forest"):
        settings = Settings(sizes=TINY, frontier=True)
        scene = Scene(credit, reference, settings, Steps(folder / STEPS))
        recommendations = judged(scene, Missing()).recommendations
        tables = {n: t[t["reference"] == reference] for n, t in found.tables.items() if len(t)}
        for method, recs in recommendations.items():
            if not recs.found.any():
                continue
            measured = sf.transfer(recs, scene.rivals)
            rows = tables["transfer"][tables["transfer"]["method"] == method]
            for column in ("kept", "transfer", "lower", "upper"):
                assert rows[column].tolist() == measured.rivals[column].tolist()
            advice = tables["advice"][tables["advice"]["method"] == method]
            costs = sf.costs(recs, scene.percentiles).people
            for column, measure in (("total", "total"), ("max", "max"), ("changed", "l0")):
                np.testing.assert_array_equal(advice[column], costs[measure])
            share = measured.people["share"].to_numpy(dtype=float, na_value=np.nan)
            np.testing.assert_array_equal(advice["share"], share)
