import re

import numpy as np
import pandas as pd
import pytest

from standfast.recommendations import Outcome
from standfast.report import sentences
from standfast.report.scenes import scenes
from standfast.report.wording import THIN


def shown(tables, subject):
    points = {p.subject: " ".join(p.sentences) for p in sentences.answer(tables)}
    return points[subject].replace("**", "").replace(THIN, " ")


def with_transfer(tables, **shares):
    """The first scene's means over all rivals, of these methods and shares, 10 people each."""
    row = tables["transfer_means"].iloc[0]
    rows = [
        {**row, "method": m.replace("_", " "), "rivals": "all", "count": 7, "n": 10, "transfer": s}
        for m, s in shares.items()
    ]
    return tables | {"transfer_means": pd.DataFrame(rows, columns=row.index)}


def test_the_rivals_keep_what_the_table_says(one_scene):
    few = with_transfer(one_scene, GS=0.304, minimal_cost=0.5, unanimous=1.0)
    assert shown(few, "What the rivals keep") == (
        "The 7 rivals keep on average 30 % of the advice from GS (10 people), 50 % from minimal "
        "cost (10 people) and 100 % of unanimous advice (10 people)."
    )


def test_two_scenes_give_a_span_and_say_where_a_method_is_missing(tables):
    text = shown(tables, "What the rivals keep")
    assert text.startswith("Depending on the scene, the 7 rivals keep on average 30 % of the")
    assert "from AR (11 people, in 1 of 2 scenes)" in text
    assert "40 to 50 % from C-CHVAE" in text


def test_people_as_they_stand_are_counted_too(one_scene):
    text = shown(with_transfer(one_scene, GS=0.5, do_nothing=0.1), "What the rivals keep")
    assert text.endswith("As they stand, the rivals accept 10 % of these people (10 people).")


def test_one_rival_and_one_person_are_singular(one_scene):
    single = with_transfer(one_scene, GS=1.0)
    single["transfer_means"] = single["transfer_means"].assign(count=1, n=1)
    assert shown(single, "What the rivals keep") == (
        "The one rival keeps on average 100 % of the advice from GS (1 person)."
    )


def test_the_sentence_may_begin_with_unanimous_advice(one_scene):
    text = shown(with_transfer(one_scene, unanimous=1.0), "What the rivals keep")
    assert text == "The 7 rivals keep on average 100 % of unanimous advice (10 people)."


def test_advice_for_nobody_is_said(one_scene):
    means = one_scene["transfer_means"].assign(n=0, transfer=np.nan)
    text = shown(one_scene | {"transfer_means": means}, "What the rivals keep")
    assert text == "There is no advice that a rival could judge."


def test_a_reference_that_refuses_nobody_is_said(one_scene):
    idle = one_scene["scenes"].assign(refused=0, people=0)
    means = one_scene["transfer_means"].iloc[:0]
    text = shown(one_scene | {"scenes": idle, "transfer_means": means}, "What the rivals keep")
    assert text == (
        "Twin of HELOC, linear reference: the reference refuses nobody, so nobody needs advice."
    )


def support_of(tables, ratios):
    row = tables["support_costs"].iloc[0]
    rows = [{**row, "sparse": 1.0, "supported": r, "ratio": r} for r in ratios]
    advice = tables["advice"].iloc[:0]
    return tables | {
        "support_costs": pd.DataFrame(rows, columns=row.index),
        "advice": advice,
    }


@pytest.mark.parametrize(
    ("ratios", "sentence"),
    [
        (
            [1.0, 1.5, 4.0],
            "Asking for data support makes the cheapest advice 1.50 times as costly, in the median "
            "(3 people).",
        ),
        (
            [1.25],
            "Asking for data support makes the cheapest advice 1.25 times as costly, for the one "
            "person it was measured for.",
        ),
        (
            [1.0, 1.0],
            "Asking for data support adds nothing to the cost of the cheapest advice, in the "
            "median (2 people).",
        ),
        ([np.inf, np.inf, 1.0], "For 2 of 3 people there is no advice with data support."),
        (
            [np.inf, np.nan, np.nan],
            "For 1 of 3 people there is no advice with data support; for 2 more the search ended "
            "before it found any with data support.",
        ),
    ],
)
def test_data_support_costs_what_the_table_says(one_scene, ratios, sentence):
    assert shown(support_of(one_scene, ratios), "What data support costs") == sentence


def test_cchvae_is_compared_with_the_minimal_cost_person_by_person(one_scene):
    row = one_scene["advice"].iloc[0]
    costs = {"C-CHVAE": {"a": 2.0, "b": 9.0, "c": 1.0}, "minimal cost": {"a": 1.0, "b": 3.0}}
    rows = [
        {**row, "method": method, "person": person, "found": True, "total": total}
        for method, own in costs.items()
        for person, total in own.items()
    ]
    study = one_scene | {
        "advice": pd.DataFrame(rows, columns=row.index),
        "support_costs": one_scene["support_costs"].iloc[:0],
    }
    assert shown(study, "What data support costs") == (
        "C-CHVAE’s advice costs 2.50 times the minimal cost, in the median (2 people)."
    )


def invariance_of(tables, ends):
    """One person per end: a ratio, or the outcome of a search without an answer."""
    row = tables["invariance"].iloc[0]
    rows = [
        {**row, "ratio": end, "unanimous": end, "outcome": "minimal"}
        if not isinstance(end, str)
        else {**row, "ratio": np.nan, "unanimous": np.nan, "outcome": end}
        for end in ends
    ]
    return tables | {"invariance": pd.DataFrame(rows, columns=row.index)}


@pytest.mark.parametrize(
    ("ends", "last"),
    [
        ([1.0, 2.0], "There is such advice for all 2 people."),
        ([2.0], "There is such advice for the one person."),
        ([2.0, "infeasible"], "For 1 of 2 people it is proven that there is none."),
        (
            [2.0, "infeasible", "exhausted", "exhausted"],
            "For 1 of 4 people it is proven that there is none; for 2 more the search ended before "
            "it found any.",
        ),
        (["exhausted"], "For 1 of 1 person the search ended before it found any."),
        (
            [2.0, "outside_schema", "exhausted", "outside_schema"],
            "For 2 of 4 people nothing was searched, because their own values contradict the "
            "schema; for 1 more the search ended before it found any.",
        ),
        (
            ["already_favourable", "unsound", "infeasible", "exhausted"],
            "For 1 of 4 people it is proven that there is none; for 1 more nothing needs to "
            "change, because all models accept them as they stand; for 1 more the answer failed "
            "its re-check and is withheld; for 1 more the search ended before it found any.",
        ),
    ],
)
def test_people_without_unanimous_advice_are_counted(one_scene, ends, last):
    text = shown(invariance_of(one_scene, ends), "What unanimous advice costs")
    assert text.endswith(last)
    assert text.startswith("Advice that") == any(not isinstance(end, str) for end in ends)


@pytest.mark.parametrize("several", [False, True])
def test_everybody_is_counted_once_among_those_with_and_without_unanimous_advice(tables, several):
    outcomes = [str(outcome) for outcome in Outcome] * 2
    advised = [outcome if not Outcome(outcome).advises else 1.5 for outcome in outcomes]
    study = invariance_of(tables, advised)
    if several:
        study["invariance"]["reference"] = ["linear", "forest"] * len(Outcome)
    sentence = sentences.without_unanimous(study["invariance"])
    lacking = sum(map(int, re.findall(r"for \*{0,2}(\d+)", sentence, flags=re.IGNORECASE)))
    assert lacking == len(outcomes) - 2 * 3
    assert f"of {len(outcomes)}**" in sentence


def test_the_price_of_invariance_is_the_median_ratio(one_scene):
    text = shown(invariance_of(one_scene, [1.0, 1.2, 8.0]), "What unanimous advice costs")
    assert text.startswith(
        "Advice that the reference and all its rivals accept costs 1.20 times the reference’s "
        "cheapest, in the median (3 people). Each is proven cheapest."
    )


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        (["holds"], "One claim was checked once by rule: 1 holds, 0 do not, and 0 are undecided."),
        (
            ["holds", "holds", "does not hold", "undecided"],
            "One claim was checked 4 times by rule, scene by scene: 2 hold, 1 does not, and 1 is "
            "undecided.",
        ),
    ],
)
def test_verdicts_are_counted(tables, verdicts, sentence):
    row = tables["claims"].iloc[0]
    rows = [{**row, "verdict": verdict} for verdict in verdicts]
    claims = pd.DataFrame(rows, columns=row.index)
    assert shown(tables | {"claims": claims}, "What the paper claims") == sentence


def test_twins_are_named_as_such_and_real_people_are_not(tables):
    assert "Twin of HELOC is a statistical twin, not real people." in sentences.introduction(tables)
    real = tables["scenes"].assign(twin=False, data="heloc")
    text = sentences.introduction(tables | {"scenes": real})
    assert text == (
        "Studied: HELOC (linear and forest reference). Asked about: 12 people whom the reference "
        "refuses, beside 7 rivals per scene."
    )


def test_a_study_without_scenes_says_so(empty):
    assert sentences.introduction(empty) == "Nobody was studied."
    assert shown(empty, "Nothing to report") == "The study has no scene."


def test_scenes_with_like_names_have_their_own_addresses(tables):
    alike = tables["scenes"].assign(data=["a.csv", "a csv"], reference="linear")
    slugs = [scene.slug for scene in scenes(tables | {"scenes": alike})]
    assert slugs == ["a-csv-linear", "a-csv-linear-1"]


def test_advice_that_is_not_proven_cheapest_is_counted(one_scene):
    study = invariance_of(one_scene, [1.0, 1.2, "infeasible"])
    study["invariance"].loc[0, "outcome"] = "within_gap"
    text = shown(study, "What unanimous advice costs")
    assert "For 1 of 2 people it is proven cheapest; others may pay less. For 1 of 3" in text
