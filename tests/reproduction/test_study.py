"""On the real people: what the study finds again and again, and what the committed tables say."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from standfast.studies import SIZES, Settings, study
from standfast.studies.people import named

SUMMARY = Path(__file__).parents[2] / "docs" / "reproduction"
SMALL = replace(SIZES["quick"], rows=3000, people=40, joint=8, linear=8, boxes=2000)

pytestmark = pytest.mark.skipif(
    not os.environ.get("STANDFAST_DATA"), reason="needs the real data sets in STANDFAST_DATA"
)


@pytest.fixture(scope="module", params=["heloc", "give_me_some_credit"])
def found(request, tmp_path_factory):
    data = named(request.param, SMALL.rows, seed=0, variant="published")
    folder = tmp_path_factory.mktemp(request.param)
    tables = study([data], Settings(sizes=SMALL, jobs=1), folder).tables
    assert tables["missing"].empty, tables["missing"].to_dict("records")
    return request.param, tables


def means(tables, reference, rivals):
    table = tables["transfer_means"]
    rows = table[(table["reference"] == reference) & (table["rivals"] == rivals)]
    return rows.set_index("method")["transfer"]


def test_the_cheapest_advice_for_one_model_is_broken_by_equally_good_ones(found):
    _, tables = found
    for reference in ("linear", "forest"):
        share = means(tables, reference, "all")
        assert share["minimal cost"] < 0.9
        assert share["unanimous"] == 1.0


def test_data_support_costs_more_and_transfers_better_on_heloc_only(found):
    name, tables = found
    cost = tables["advice"].query("reference == 'linear'").groupby("method")["total"].mean()
    assert cost["C-CHVAE"] > cost["GS"] > cost["AR"]
    share = means(tables, "linear", "same class")
    if name == "heloc":
        assert share["C-CHVAE"] > max(share["GS"], share["AR"])
    else:  # the paper's claim does not hold here: AR's advice is kept at least as often
        assert abs(share["C-CHVAE"] - share["AR"]) < 0.1


def test_growing_spheres_as_published_give_ambiguous_values(found):
    name, tables = found
    table = tables["consistency"]
    rows = table[table["rule"].str.startswith("whole counts") & (table["reference"] == "linear")]
    share = rows.set_index("method")["share"]
    assert share["GS, as published"] > 0.9, name
    assert share["GS"] == 0.0  # ours projects before the model judges


def test_nobody_pays_less_with_data_support_and_some_more_than_twice(found):
    _, tables = found
    ratio = tables["support_costs"]["ratio"].dropna()
    assert (ratio >= 1 - 1e-9).all()
    assert (ratio > 2).any()  # proposition 1 does not hold for this support


def test_published_relations_break_and_ours_hold(found):
    name, tables = found
    if name != "heloc":
        pytest.skip("Give Me Some Credit declares no relation")
    rule = "NumInqLast6Mexcl7days <= NumInqLast6M"
    table = tables["consistency"]
    rows = table[(table["rule"] == rule) & (table["reference"] == "linear")]
    share = rows.set_index("method")["share"]
    assert share["GS, as published"] > 0.5
    assert (share[["GS", "AR", "C-CHVAE", "minimal cost", "unanimous"]] == 0).all()


def test_the_committed_summary_tells_the_same_story(found):
    name, tables = found
    committed = pd.read_csv(SUMMARY / "transfer_means.csv")
    whole = committed[(committed["data"] == name) & (committed["rivals"] == "all")]
    assert len(whole)
    for reference in ("linear", "forest"):
        here = means(tables, reference, "all")
        there = whole[whole["reference"] == reference].set_index("method")["transfer"]
        assert set(there.index) == set(here.index)
        assert there["unanimous"] == 1.0
        # fewer people and rivals: the order of magnitude must agree
        assert (here - there).abs().max() < 0.35
