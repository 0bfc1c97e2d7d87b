import numpy as np
import pandas as pd
import pytest

from standfast.report import captions
from standfast.report.scenes import scenes
from standfast.report.wording import THIN


def caption(exhibit, tables):
    return captions.caption(exhibit, tables, scenes(tables)[0]).replace(THIN, " ")


def with_rows(tables, name, *changes):
    """A table of rows that differ from the sample's first in what is told."""
    row = tables[name].iloc[0]
    return tables | {name: pd.DataFrame([{**row, **c} for c in changes], columns=row.index)}


@pytest.mark.parametrize("exhibit", [*captions.SENTENCE, "frontier"])
def test_every_exhibit_has_a_sentence_and_none_without_rows(exhibit, tables):
    assert caption(exhibit, tables).endswith(".")
    bare = tables | {name: tables[name].iloc[:0] for name in tables if name != "scenes"}
    assert caption(exhibit, bare) == ""


def test_transfer_spans_the_rivals(one_scene):
    study = with_rows(
        one_scene,
        "transfer",
        {"method": "GS", "rival": "a", "n": 10, "transfer": 0.1},
        {"method": "GS", "rival": "b", "n": 10, "transfer": 0.6},
    )
    assert caption("transfer", study) == (
        "From the least to the most, 2 rivals keep: GS 10 to 60 % (10 people)."
    )
    one = with_rows(one_scene, "transfer", {"method": "GS", "rival": "a", "n": 1, "transfer": 1.0})
    assert caption("transfer", one) == "Kept by the one rival: GS 100 % (1 person)."


def test_costs_are_medians_of_advice_that_exists(one_scene):
    study = with_rows(
        one_scene,
        "advice",
        {"method": "GS", "total": 0.5},
        {"method": "GS", "total": 1.5},
        {"method": "GS", "total": np.nan},
        {"method": "AR", "total": np.nan},
    )
    assert caption("costs", study) == "Median total shift: GS 1.00 (2 people)."
    none = with_rows(one_scene, "advice", {"method": "AR", "total": np.nan})
    assert caption("costs", none) == "No method found advice for anybody."


def test_support_above_the_papers_two_is_counted(one_scene):
    study = with_rows(one_scene, "support_costs", {"ratio": 1.0}, {"ratio": 3.0}, {"ratio": np.inf})
    assert caption("support_costs", study) == (
        "c_D / c_S is 3.00 in the median; above 2 for 2 of 3 people. Both costs are proven minimal "
        "for 3 of 3 people."
    )


def test_a_broken_bound_is_said(one_scene):
    rows = [{"bound": "lemma 1", "tightness": t} for t in (0.5, 1.5)]
    study = with_rows(one_scene, "bounds", *rows)
    assert (
        caption("bounds", study)
        == "Median tightness: 1.00 for lemma 1 (2 rivals). 1 bound is broken."
    )


def test_the_rule_broken_most_is_named(one_scene):
    study = with_rows(
        one_scene,
        "consistency",
        {"method": "GS", "rule": "a <= b", "n": 1, "broken": 1, "share": 1.0},
        {"method": "AR", "rule": "c <= d", "n": 4, "broken": 1, "share": 0.25},
    )
    assert caption("consistency", study) == (
        "Most often broken: “a <= b”, by the advice of GS for 1 of 1 person (100 %)."
    )
    kept = with_rows(one_scene, "consistency", {"n": 4, "broken": 0, "share": 0.0})
    assert caption("consistency", kept) == "No method’s advice breaks a rule."


def test_sense_says_how_much_is_perverse_and_what_transfers_better(one_scene):
    counts = {"kind": "perverse", "n_with": 6, "n_without": 4}
    study = with_rows(
        one_scene,
        "sense_transfer",
        counts
        | {"method": "GS", "difference": 0.2, "lower": 0.1, "upper": 0.3, "verdict": "holds"},
        counts | {"method": "AR", "n_with": 0, "n_without": 10, "difference": np.nan},
        counts
        | {"method": "C-CHVAE", "difference": -0.1, "lower": -0.3, "upper": 0.1}
        | {"verdict": "undecided"},
        counts | {"kind": "small", "method": "GS"},
    )
    assert caption("sense", study) == (
        "Perverse advice, against the data’s direction or breaking a relation: GS 60 % "
        "(10 people), AR 0 % (10 people) and C-CHVAE 60 % (10 people). Other advice transfers "
        "better: GS +20 (+10 to +30) points. Undecided whether other advice transfers better: "
        "C-CHVAE −10 (−30 to +10) points."
    )
    alone = with_rows(one_scene, "sense_transfer", counts | {"method": "GS", "n_without": 0})
    assert caption("sense", alone).endswith(
        "No method has both kinds of advice, so nothing can be compared."
    )
