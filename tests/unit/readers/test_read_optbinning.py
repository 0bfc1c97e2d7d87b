"""OptBinning's scorecards and binning, read bin by bin; its models live in another process."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

WORLD = Path(__file__).parents[2] / "samples" / "optbinning_world.py"
KINDS = ["weights of evidence", "event rates", "two of the columns", "a card's probability"]
KINDS += ["points by odds", "points by range", "points as a function", "points without a scale"]

if importlib.util.find_spec("optbinning") is None:
    pytest.skip("optbinning is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def found():
    run = subprocess.run([sys.executable, str(WORLD)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", KINDS)
def test_a_table_of_bins_is_read_as_the_sum_it_is(found, name):
    assert found[name]["kind"] == "Additive"
    assert found[name]["off"] <= 1e-9
    assert found[name]["same"]
    assert found[name]["kept"]


@pytest.mark.parametrize("name", ["weights of evidence", "points by odds"])
def test_the_cheapest_advice_under_bins_is_the_cheapest_there_is(found, name):
    assert found[name]["advised"] >= 3


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ("no cut-off", "a scorecard's points need a cut-off: say threshold=…"),
        ("a class", "a scorecard's points have no classes, and more points count as favourable"),
        ("no such class", "favourable is 'good', which is none of Scorecard's classes"),
        ("not fitted", "the Scorecard is not fitted; call its fit(X, y) first"),
        ("words", "declare the column as nominal with its categories in the schema"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(found, case, sentence):
    assert sentence in found["sentences"][case]
