"""The frontier in sentences: prices, comparisons, and what could not be judged."""

import numpy as np
import pandas as pd
import pytest

from standfast.report import captions, sentences
from standfast.report.scenes import scenes
from standfast.report.wording import THIN

NAMES = ("frontier", "frontier_levels", "frontier_gaps")


def plain(text):
    return text.replace(THIN, " ").replace("**", "")


def caption(tables):
    return plain(captions.caption("frontier", tables, scenes(tables)[0])).splitlines()


def answer(tables):
    points = {point.subject: point.sentences for point in sentences.answer(tables)}
    return [plain(sentence) for sentence in points.get("Unseen models", ())]


def rows(table, changes):
    first = {**table.iloc[0], "judges": "same class", "models": 40, "n": 9}
    return pd.DataFrame([{**first, **change} for change in changes], columns=table.columns)


@pytest.fixture
def study(one_scene):
    """A study whose frontier is told row by row."""

    def shown(levels=(), gaps=(), points=()):
        given = dict(zip(NAMES, (points, levels, gaps), strict=True))
        return one_scene | {name: rows(one_scene[name], given[name]) for name in NAMES}

    return shown


def level(method, at, ratio, **more):
    return {
        "method": method,
        "level": at,
        "ratio": ratio,
        "lower": ratio - 0.1,
        "upper": ratio + 0.1,
    } | more


def gap(method, dial, difference, half=0.1, **more):
    about = {"own": "invariant", "method": method, "dial": dial, "validity": 0.7}
    ends = {"lower": difference - half, "upper": difference + half}
    return about | {"difference": difference} | ends | more


def test_prices_are_told_at_nine_in_ten_and_who_does_not_reach_it(study):
    shown = study(
        [
            level("raised threshold", 0.9, 1.6),
            level("invariant", 0.9, 1.4),
            level("invariant", 0.95, 1.9),
            level("ROAR", 0.9, np.nan),
        ]
    )
    assert caption(shown) == [
        "Under 40 fresh models of the reference’s class (9 people), at a mean validity of 90 %, "
        "Invariant costs 1.40 times (1.30 to 1.50) the cheapest advice for the reference alone and "
        "the raised threshold 1.60 times (1.50 to 1.70); ROAR does not reach it."
    ]


@pytest.mark.parametrize(
    ("reached", "words"),
    [
        ({0.7: 1.2, 0.8: 1.3, 0.9: np.nan}, "at a mean validity of 80 %, Invariant costs 1.30"),
        ({0.9: np.nan, 0.95: 1.5}, "at a mean validity of 95 %, Invariant costs 1.50"),
        (
            {0.7: np.nan, 0.8: np.nan},
            "no method with an adjustable setting reaches a mean validity of 70 %.",
        ),
    ],
)
def test_another_validity_is_told_where_nine_in_ten_is_not_reached(study, reached, words):
    shown = study([level("invariant", at, ratio) for at, ratio in reached.items()])
    assert words in caption(shown)[0]


def test_without_invariant_the_others_are_told(study):
    shown = study([level("BetaRCE", 0.8, 2.0, n=1, lower=np.nan, upper=np.nan)])
    assert caption(shown) == [
        "Under 40 fresh models of the reference’s class (1 person), at a mean validity of 80 %, "
        "BetaRCE costs 2.00 times the cheapest advice for the reference alone."
    ]


def test_settings_are_counted_by_their_intervals(study):
    shown = study(
        gaps=[
            gap("GS", "", -0.5),
            gap("raised threshold", "by 0.02", -0.3),
            gap("raised threshold", "by 0", 0.2),
            gap("ROAR", "δ = 0.1", -0.05),
            gap("BetaRCE", "δ = 0.9", np.nan),
            gap("C-CHVAE", "", np.nan, validity=np.nan),
        ],
        points=[{"method": "GS", "dial": ""}],
    )
    assert caption(shown) == [
        "Under 40 fresh models of the reference’s class, 1 setting was judged. Of 4 settings of "
        "other methods that reach a validity Invariant also reaches, Invariant is cheaper at 2 and "
        "costs more at 1 (raised threshold by 0), by 95 % intervals; 1 is undecided. 1 setting "
        "reaches more than the largest of Invariant: BetaRCE δ = 0.9."
    ]


def test_before_the_other_class_the_search_over_both_is_compared(study):
    other = {"own": "invariant, both classes", "judges": "other class"}
    (shown,) = caption(study(gaps=[gap("GS", "", -0.5, **other)]))
    assert shown.startswith("Under 40 fresh models of the other class, ")
    assert shown.endswith(
        "a validity Invariant over both classes also reaches, Invariant over both classes is "
        "cheaper at 1 and costs more at none, by 95 % intervals."
    )


def test_who_answered_too_few_is_named_once(study):
    none = {"method": "BetaRCE", "dial": "δ = 0.9", "answered": 2, "validity": np.nan}
    shown = study(points=[{}, none, none | {"judges": "other class"}])
    assert caption(shown)[-1] == (
        "Not drawn, for too few people got an answer: BetaRCE δ = 0.9 (2 answered)."
    )


def test_later_people_are_told_apart(tables):
    linear, forest = (captions.caption("frontier", tables, one) for one in scenes(tables))
    assert "Nothing is certified for models fitted on later people." in linear.splitlines()[2]
    assert "later" not in forest
    assert answer(tables)[-1] == "Nothing is certified for models fitted on later people."


def test_the_answer_spans_the_scenes_and_says_where_a_price_is_missing(tables):
    levels = tables["frontier_levels"].copy()
    at = (levels["level"] == 0.9) & (levels["judges"] == "same class")
    forest = levels["reference"] == "forest"
    levels.loc[at & (levels["method"] == "invariant"), "ratio"] = [1.4, 1.9]
    levels.loc[at & forest & (levels["method"] == "raised threshold"), "ratio"] = np.nan
    levels = levels[levels["method"].isin(["invariant", "raised threshold"])]
    price = levels.loc[at & ~forest & (levels["method"] == "raised threshold"), "ratio"].item()
    assert answer(tables | {"frontier_levels": levels})[0] == (
        "Under fresh models of the reference’s class (9 people per scene), at a mean validity of "
        "90 %, Invariant costs 1.40 to 1.90 times the cheapest advice for the reference alone and "
        f"the raised threshold {price:.2f} times (in 1 of 2 scenes)."
    )


def test_the_answer_counts_every_comparison(study):
    shown = study(gaps=[gap("GS", "", -0.5), gap("AR", "", -0.5), gap("ROAR", "δ = 0.1", 0.0)])
    assert answer(shown) == [
        "Under fresh models of the reference’s class, of 3 settings of other methods, compared at "
        "the same validity, 2 cost more than Invariant, 0 cost less and 1 is undecided."
    ]


def test_comparisons_of_several_scenes_are_counted_in_each(tables):
    assert answer(tables)[1].startswith(
        "Of 31 settings of other methods (counted in each scene), compared at the same validity, "
    )


def test_a_validity_that_nobody_reaches_is_said(study):
    assert answer(study([level("invariant", 0.9, np.nan)])) == [
        "Under fresh models of the reference’s class (9 people) no method reaches a mean validity "
        "of 90 %."
    ]


@pytest.mark.parametrize("name", NAMES)
def test_any_of_the_tables_may_be_alone(name, tables):
    few = {n: t if n == name or n not in NAMES else t.iloc[:0] for n, t in tables.items()}
    assert caption(few)
    assert all(sentence.endswith(".") for sentence in caption(few) + answer(few))


def test_no_frontier_no_words(tables):
    none = tables | {name: tables[name].iloc[:0] for name in NAMES}
    assert caption(none) == []
    assert answer(none) == []
