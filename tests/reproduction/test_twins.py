import json
import os
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from standfast.datasets import Dataset, available, give_me_some_credit, heloc, twin
from standfast.datasets.give_me_some_credit import LATENESS
from standfast.datasets.twin import numbers

pytestmark = pytest.mark.skipif(
    not os.environ.get("STANDFAST_DATA"),
    reason="needs the real files: set STANDFAST_DATA to their folder",
)

NAMES = ("heloc", "give_me_some_credit")
SCRIPT = Path(__file__).parents[2] / "scripts" / "measure_twins.py"


@cache
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@cache
def real(name: str) -> Dataset:
    load = {"heloc": heloc, "give_me_some_credit": give_me_some_credit}[name]
    return load(variant="published")


@cache
def twin_of(name: str) -> Dataset:
    return twin(name, len(real(name)), seed=0)


def raw(file: str) -> pd.DataFrame:
    return pd.read_csv(Path(os.environ["STANDFAST_DATA"]) / file)


def test_heloc_is_the_papers_table() -> None:
    data = real("heloc")
    assert data.table.shape == (8291, 20)
    assert data.labels.value_counts().to_dict() == {-1: 4251, 1: 4040}
    assert data.origin == "real"
    table = raw("heloc.csv").drop(
        columns=["MSinceMostRecentDelq", "MSinceMostRecentInqexcl7days", "NetFractionInstallBurden"]
    )
    table = table[(table.drop(columns="RiskPerformance") >= 0).all(axis=1)]
    pd.testing.assert_frame_equal(data.table, table.drop(columns="RiskPerformance"))
    assert data.labels.eq(1).equals(table["RiskPerformance"].eq("Good").rename("label"))


def test_give_me_some_credit_is_the_papers_table() -> None:
    data = real("give_me_some_credit")
    assert data.table.shape == (120_269, 10)
    assert data.origin == "real"
    table = raw("give_me_some_credit.csv.gz").set_index("Unnamed: 0").dropna()
    expected = table.drop(columns="SeriousDlqin2yrs")
    pd.testing.assert_frame_equal(data.table, expected, check_dtype=False, check_names=False)
    bad = data.labels.eq(-1).to_numpy()
    np.testing.assert_array_equal(bad, table["SeriousDlqin2yrs"].eq(1).to_numpy())
    assert bad.sum() == 8357


def test_148_people_carry_lateness_codes_in_all_three_columns() -> None:
    codes = real("give_me_some_credit").table[list(LATENESS)].isin([96, 98])
    assert codes.all(axis=1).sum() == codes.any(axis=1).sum() == 148
    assert len(give_me_some_credit(keep_codes=False)) == 120_269 - 148


def test_the_files_are_known_by_their_checksums() -> None:
    table = available()
    assert list(table[table["kind"] == "real"]["note"]) == ["the published file"] * 5


@pytest.mark.parametrize("name", NAMES)
def test_no_real_person_breaks_a_declared_bound_or_relation(name: str) -> None:
    data = real(name)
    for feature in data.schema.features:
        column = data.table[feature.name]
        assert feature.lower is None or column.min() >= feature.lower
        assert feature.upper is None or column.max() <= feature.upper
    if name == "heloc":
        assert (data.table["NumInqLast6Mexcl7days"] <= data.table["NumInqLast6M"]).all()


@pytest.mark.parametrize("name", NAMES)
def test_models_reach_the_same_auc_on_the_twin_as_on_the_real_set(name: str) -> None:
    on_real, on_twin = (
        script()["aucs"](data, most=15_000, folds=3) for data in (real(name), twin_of(name))
    )
    assert len(on_real) == 3
    for model, auc in on_real.items():
        assert on_twin[model] == pytest.approx(auc, abs=0.03), model


@pytest.mark.parametrize("name", NAMES)
def test_marginals_and_rank_correlations_of_the_twin_are_close(name: str) -> None:
    largest, mean, gap, mean_gap = script()["distances"](real(name), twin_of(name)).values()
    assert largest < 0.05
    assert mean < 0.02
    assert gap < 0.15
    assert mean_gap < 0.03


@pytest.mark.parametrize("name", NAMES)
def test_the_embedded_numbers_are_those_of_the_script(name: str) -> None:
    plan = script()["PLANS"][name]
    # the embedded file went through JSON too
    found = json.loads(script()["written"](script()["measured"](real(name), plan)))
    embedded = numbers(name)
    for now, then in zip(found["groups"], embedded["groups"], strict=True):
        assert (now["about"], now["share"]) == (then["about"], then["share"])
        assert now["inputs"] == then["inputs"]
        # sampled, so the last digits may depend on the version of numpy
        np.testing.assert_allclose(now["correlations"], then["correlations"], atol=0.05)


def test_no_twin_is_a_real_person() -> None:
    same = real("heloc").table.merge(twin_of("heloc").table, how="inner")
    assert len(same) == 0
