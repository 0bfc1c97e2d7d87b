"""A simulated year in sentences: what was kept, what it cost, and honest when it did not pay."""

import numpy as np
import pytest

from standfast.report import captions, sentences
from standfast.report.scenes import scenes
from standfast.report.wording import THIN


def plain(text):
    return text.replace(THIN, " ").replace("**", "")


def caption(tables):
    return plain(captions.caption("promises", tables, scenes(tables)[0])).splitlines()


def answer(tables):
    points = {point.subject: point.sentences for point in sentences.answer(tables)}
    return " ".join(plain(sentence) for sentence in points.get("A simulated year", ()))


def changed(tables, **numbers):
    """The tables with other numbers for Invariant's whole year."""
    total = tables["promises_total"].copy()
    for name, value in numbers.items():
        total.loc[total["method"] == "invariant", name] = value
    return tables | {"promises_total": total}


def test_there_is_a_paragraph_for_each_drift_with_every_method(one_scene):
    drifting, still = caption(one_scene)
    assert drifting.startswith("Data that drift by 0.5: after 4 retrainings the model in force")
    assert "25 % (15 to 35 %) of the cheapest advice" in drifting
    assert "85 % (75 to 95 %) of Invariant’s advice, over 20 people" in drifting
    assert "75 % of the people with the cheapest advice and 15 % of those with" in drifting
    assert "exceptions to honour then are 60 of 80 of the cheapest advice and 12 of 80" in drifting
    assert still.startswith("Nothing drifts: retraining alone:")
    assert "exceptions" not in still  # nobody is advised later there


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((0.7, 0.9), "it costs less, 0.80 times as much (0.70 to 0.90)"),
        ((1.1, 1.3), "it still costs 0.80 times as much (1.10 to 1.30)"),
        ((0.9, 1.1), "0.80 times as much (0.90 to 1.10), which may be chance"),
        ((np.nan, np.nan), "0.80 times as much, which may be chance"),
    ],
)
def test_the_whole_years_cost_is_said_as_sure_as_it_is(one_scene, ends, shown):
    lower, upper = ends
    tables = changed(one_scene, ratio=0.8, ratio_lower=lower, ratio_upper=upper)
    assert shown in caption(tables)[0]


def test_the_answer_goes_by_the_drifting_years_of_all_scenes(tables):
    text = answer(tables)
    assert "accepts 25 % of the cheapest advice and 85 % of Invariant’s (20 people" in text
    assert "costs 1.80 times as much at first" in text
    assert "surely less in 0, surely more in 0 of 2 scenes" in text
    lost = changed(tables, kept=0.1, ratio=1.5, ratio_lower=1.2, ratio_upper=1.7)
    assert "25 % of the cheapest advice and 10 % of Invariant’s" in answer(lost)
    assert "surely more in 2 of 2 scenes" in answer(lost)


def test_methods_that_answered_too_few_are_named(one_scene):
    shown = caption(changed(one_scene, kept=np.nan))
    assert "Not compared, for too few people got an answer: Invariant." in shown[0]
    assert answer(changed(one_scene, kept=np.nan)) == ""


def test_a_study_without_a_year_says_nothing_of_it(one_scene):
    none = {n: t.iloc[:0] if n.startswith("promises") else t for n, t in one_scene.items()}
    assert caption(none) == []
    assert answer(none) == ""
