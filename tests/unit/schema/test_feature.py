import re
from dataclasses import replace

import numpy as np
import pytest

from standfast.errors import InputError
from standfast.schema import Feature, Schema
from standfast.schema.decimals import inferred_step


@pytest.mark.parametrize(
    ("options", "stated"),
    [
        ({"kind": "categorical"}, "kind is 'categorical'; allowed: real"),
        ({"direction": "sideways"}, "direction is 'sideways'"),
        ({"mutable": "yes"}, "mutable is 'yes'"),
        ({"lower": 3, "upper": 1}, "lower 3 is above upper 1"),
        ({"lower": float("nan")}, "NaN"),
        ({"lower": "low"}, "lower is 'low'; it must be a number"),
        ({"step": -1}, "step is -1"),
        ({"kind": "count", "lower": -1}, "never negative"),
        ({"kind": "positive", "lower": -5, "upper": -1}, "never negative"),
        ({"kind": "count", "step": 0.5}, "whole steps"),
        ({"kind": "ordinal", "step": 0}, "whole steps"),
        ({"kind": "binary", "upper": 2}, "0 or 1"),
    ],
)
def test_a_feature_that_contradicts_itself_is_refused_with_a_sentence(options, stated):
    with pytest.raises(InputError, match=stated):
        Feature("x", **options)


def test_a_name_must_be_a_text():
    with pytest.raises(InputError, match="non-empty text"):
        Feature("")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DebtRatio", "debt ratio"),
        ("monthly_income", "monthly income"),
        ("NumberOfTime30-59DaysPastDueNotWorse", "number of time 30-59 days past due not worse"),
        ("NumInqLast6M", "num inq last 6 m"),
    ],
)
def test_a_name_is_taken_apart_into_words(name, words):
    assert Feature(name).words == words


def test_a_label_is_what_people_read():
    assert Feature("NumInqLast6M", label="credit inquiries").words == "credit inquiries"


def test_what_is_open_is_filled_from_the_table():
    filled = Feature("x", "positive").complete(np.array([0.25, 1.5, 3.0]))
    assert (filled.lower, filled.upper, filled.step) == (0.25, 3.0, 0.01)


def test_what_is_declared_stays_when_filled():
    filled = Feature("x", lower=-1, upper=9, step=0.5).complete(np.array([0.25, 1.5]))
    assert (filled.lower, filled.upper, filled.step) == (-1, 9, 0.5)


def test_a_bound_beyond_the_table_asks_for_the_other_one():
    with pytest.raises(InputError, match="give both lower and upper"):
        Feature("x", lower=10).complete(np.array([0.0, 5.0]))


def test_a_binary_spans_zero_and_one_whatever_the_table_holds():
    filled = Feature("x", "binary").complete(np.array([1.0, 1.0]))
    assert (filled.lower, filled.upper, filled.step) == (0.0, 1.0, 1.0)


def test_steps_follow_the_decimals_of_the_table():
    assert inferred_step(np.array([1.0, 2.0, 500.0])) == 1.0
    assert inferred_step(np.array([0.5, 1.5, 2.0])) == 0.1
    assert inferred_step(np.array([0.25, 12.0])) == 0.01


def test_nine_decimals_become_a_step_people_can_follow():
    ratios = np.random.default_rng(0).uniform(0, 1, 1000).round(9)
    assert inferred_step(ratios) == 0.0001


def test_a_value_is_shown_with_the_decimals_of_its_step():
    ratio = Feature("x", step=0.001)
    assert [ratio.shown(v) for v in (0.42, 0.7, 1234.0, -0.001)] == [
        "0.42",
        "0.7",
        "1234",
        "-0.001",
    ]
    assert Feature("n", "count", step=1).shown(100.0) == "100"
    assert Feature("x", step=0.0).shown(0.1 + 0.2) == "0.30000000000000004"


def test_labels_by_language_come_back_from_a_file_and_count_only_where_there_are_some():
    plain = Feature("age", "count", label="age")
    named = replace(plain, labels={"fr": 'l"âge', "de": "Alter"})
    assert repr(plain) == repr(replace(named, labels={}))
    assert Schema((plain,)).digest == Schema((replace(named, labels=()),)).digest
    assert "labels" not in Schema((plain,)).to_toml()
    schema = Schema((named,))
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert again.digest == schema.digest
    assert hash(again["age"]) == hash(named)
    assert [named.words_in(code) for code in ("de", "fr", "en")] == ["Alter", 'l"âge', "age"]
    assert schema.loosened()["age"].labels == named.labels


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ({"German": "Alter"}, "labels: a language is 'German'; it must be a code such as de"),
        ({"de": " "}, "the text for 'de' is empty"),
        ({"de": 3}, "the text for 'de' is 3; it must be a text"),
        ("Alter", "labels is 'Alter'; write a text per language"),
        ((1, 2), "labels is a list; write a text per language"),
    ],
)
def test_labels_that_are_none_are_refused(labels, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        Feature("age", labels=labels)
