"""Letters: what they say to whom, in which words, and what is refused."""

from dataclasses import replace
from datetime import date

import pandas as pd
import pytest

from standfast import (
    ActionableRecourse,
    Feature,
    InputError,
    Linear,
    MinimalCost,
    Percentiles,
    Schema,
    letters,
    recommend,
)
from standfast.recommendations.causes import RulesLeftAside


def said(advice, person, **settings):
    """A letter's text in one line, whose page says the same."""
    letter = letters.compose(advice, **settings)[person]
    return " ".join(letter.text.split())


def test_the_change_stands_in_the_language_s_own_sentences_and_numbers(advice):
    english, german = (said(advice, "minimal", language=code) for code in ("en", "de"))
    assert (
        "- Raise monthly income from 1,234.5 to 2,500 - Lower late payments from 3 to 1" in english
    )
    assert "Monatseinkommen von 1.234,5 auf 2.500 erhöhen" in german
    assert "- Verspätete Zahlungen von 3 auf 1 senken" in german


@pytest.mark.parametrize(
    ("person", "english", "german"),
    [
        ("minimal", "none is smaller overall", "insgesamt keine kleiner"),
        ("within_gap", "smaller overall by up to 12.5 %", "um bis zu 12,5 % kleiner"),
        ("found", "did not try all possibilities", "nicht alle Möglichkeiten geprüft"),
        ("already_favourable", "accepts yours as it stands", "so an, wie er ist"),
        ("infeasible", "No change that we consider possible", "Keine Änderung, die wir bei Ihnen"),
        ("exhausted", "does not mean that there is none", "heißt nicht, dass es keine gibt"),
        ("outside_schema", "age (yours: 130) - job (yours: pilot<br>)", "Alter (bei Ihnen: 130)"),
        ("unsound", "did not pass our final check", "letzte Prüfung nicht bestanden"),
    ],
)
def test_everybody_gets_the_text_of_their_outcome(advice, person, english, german):
    assert english in said(advice, person)
    assert german in said(advice, person, language="de")


@pytest.mark.parametrize(
    ("language", "clause"),
    [("en", "It is not an approval, and it does not"), ("de", "Er ist keine Zusage und erhebt")],
)
def test_a_letter_is_not_taken_to_be_about_a_loan(advice, language, clause):
    text = said(advice, "minimal", language=language)
    assert clause in text
    assert not any(word in text for word in ("loan", "Kredit"))


def test_the_cheapest_of_an_action_grid_is_not_said_to_be_the_smallest_possible():
    table = pd.DataFrame({"income": [float(k) for k in range(1000)]})
    schema = Schema((Feature("income", "positive", step=1),))
    ways = ActionableRecourse(schema, Percentiles.fit(table), actions=5)
    advice = recommend(ways, Linear([1.0], -500.0), table.iloc[[3]])
    assert advice.outcome.item() == "minimal"
    assert "did not try all possibilities" in said(advice, 3)
    assert "checked completely" not in said(advice, 3)


@pytest.mark.parametrize("language", ["en", "de"])
def test_nobody_without_advice_is_promised_anything(advice, language):
    for person in advice.index[~advice.found]:
        text = said(advice, person, language=language, valid_until="2027-05-31")
        assert "2027" not in text
        assert "2,500" not in text


def test_what_is_missing_is_to_be_provided(advice):
    assert "Provide monthly income, which is missing (this holds if it is 1,500.5)" in said(
        advice, "within_gap"
    )
    assert "Monatseinkommen nachreichen" in said(advice, "within_gap", language="de")


def test_a_broken_relation_names_the_inputs_it_is_about(advice):
    own = advice.factual.copy()
    own.loc["outside_schema"] = [1.0, 50, 20, "none"]
    text = said(replace(advice, factual=own), "outside_schema")
    assert "- late payments (yours: 50) - age (yours: 20)" in text


@pytest.mark.parametrize("until", ["2027-05-31", date(2027, 5, 31)])
def test_a_letter_says_until_when_it_holds(advice, until):
    assert "until 31 May 2027" in said(advice, "minimal", valid_until=until)
    german = said(advice, "minimal", valid_until=until, language="de")
    assert "bis zum 31. Mai 2027" in german
    assert "Nach dem 31. Mai 2027 kann das Modell ein anderes sein" in german


def test_without_a_date_none_is_promised(advice):
    assert "We promise no date until which this holds." in said(advice, "minimal")


@pytest.mark.parametrize("until", ["31.5.2027", "2027-02-30", 2027, ""])
def test_what_is_no_date_is_refused(advice, until):
    with pytest.raises(
        InputError, match=r"valid_until is .*; it must be a date such as 2027-05-31"
    ):
        letters.compose(advice, valid_until=until)


def reasons(people, features, blocking):
    ranks = range(len(features), 0, -1)  # the last row is the first reason
    rows = {"rank": ranks, "feature": features, "blocking": blocking}
    return pd.DataFrame(rows, [people] * len(features))


def test_reasons_come_in_their_order_with_the_person_s_own_values(advice):
    found = reasons("minimal", ["late", "income"], 2)
    text = said(advice, "minimal", reasons=found)
    assert "1. monthly income (yours: 1,234.5) 2. late payments (yours: 3)" in text
    assert "As long as all of these stay as they are" in text
    assert "There are further reasons" in said(advice, "minimal", reasons=found.assign(blocking=5))
    one = said(advice, "within_gap", reasons=reasons("within_gap", ["income"], 1))
    assert "1. monthly income (missing) As long as this stays as it is" in one


def test_people_without_reasons_are_told_why(advice):
    found = reasons("minimal", ["late"], 1)
    assert "cannot name single reasons" in said(advice, "infeasible", reasons=found)
    assert "could not be established" in said(advice, "exhausted", reasons=found)
    for person in ("already_favourable", "outside_schema"):
        assert "reasons" not in said(advice, person, reasons=found)
    assert "reasons" not in said(advice, "minimal")


def test_alternatives_are_the_other_ways(advice):
    ways = pd.DataFrame(
        {
            "person": "minimal",
            "rank": [1, 2, 3],
            "outcome": ["minimal", "minimal", "within_gap"],
            "cost": [1.0, 1.5, 2.0],
            "lower_bound": [1.0, 1.5, 1.0],
            "income": [2500.0, 4000.0, 1234.5],
            "late": [1, 3, 0],
            "age": 40,
            "job": ["none", "none", "<script>alert(1)</script>"],
        }
    )
    letter = letters.compose(replace(advice, alternatives=ways))["minimal"]
    text = " ".join(letter.text.split())
    assert (
        "1. Raise monthly income from 1,234.5 to 4,000. 2. Lower late payments from 3 to 0" in text
    )
    assert "smaller overall by up to 50 %" in text
    assert "3. " not in text.split("Other ways")[1]
    assert "<script>" not in letter.html
    assert "Other ways" not in said(replace(advice, alternatives=ways), "found")


def test_waiting_is_said_in_months(advice):
    waiting = advice.results.assign(after_months=[5.0, 1.0, 0.0, *[float("nan")] * 5])
    still = advice.counterfactual.copy()
    still.loc["minimal"] = advice.factual.loc["minimal"]
    timed = replace(advice, results=waiting, counterfactual=still)
    assert "if you waited 5 months; nothing else has to change" in said(timed, "minimal")
    assert "in einem Monat annehmen, wenn Sie bis dahin" in said(timed, "within_gap", language="de")
    assert "month" not in said(timed, "found").replace("monthly", "")


def test_ways_over_time_start_where_people_will_stand_by_then():
    table = pd.DataFrame({"months": [2, 20, 30, 50], "debt": [0.9, 0.5, 0.3, 0.1]})
    schema = Schema(
        (
            Feature("months", "count", mutable=False, drift=1),
            Feature("debt", "positive", step=0.1, pace=0.05),
        )
    )
    best = MinimalCost(schema, Percentiles.fit(table), within=(0, 6, 12))
    advice = recommend(best, Linear([0.1, -1.0], 0.1), table.head(1))
    text = said(advice, 0)
    assert "if you waited 12 months; nothing else has to change" in text
    others = [way for way in advice.flipset(0)["sentence"] if way != advice.sentences()[0]]
    assert len(others) == 1
    assert others[0].startswith("Wait 6 months, and by then lower debt from 0.9 to ")
    assert f"1. {others[0]}" in text
    assert "2. " not in text


def test_what_somebody_asked_to_keep_is_said(advice):
    kept = pd.Series([("late", "age"), *[()] * 7], advice.index, dtype=object)
    shown = said(replace(advice, results=advice.results.assign(kept_inputs=kept)), "minimal")
    assert "As you asked, we left unchanged: late payments, age." in shown


def test_markup_in_an_input_s_label_is_escaped(advice):
    features = tuple(replace(f, labels={"de": f"<i>{f.name}</i>"}) for f in advice.schema)
    marked = replace(advice, schema=replace(advice.schema, features=features))
    page = letters.compose(marked, language="de")["minimal"].html
    assert "<i>" not in page
    assert page.count("&lt;i&gt;") == 2


@pytest.mark.parametrize("language", ["en", "de"])
def test_markup_in_labels_notes_and_categories_is_escaped(named, language):
    letter = letters.compose(named, language=language)["<script>alert(1)</script>"]
    assert "<script" not in letter.html
    assert letter.html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3
    assert letter.text.count("<script>alert(1)</script>") == 3
    assert "see <script>" in letter.text  # in one line


def test_a_label_that_the_schema_lacks_in_a_language_is_said_once(advice):
    bare = tuple(replace(f, labels=()) if f.name in ("late", "age") else f for f in advice.schema)
    short = replace(advice, schema=replace(advice.schema, features=bare))
    with pytest.warns(
        UserWarning, match="no label in 'de' for 'late', 'age'; the usual"
    ) as said_of:
        text = letters.compose(short, language="de")["minimal"].text
    assert len(said_of) == 1
    assert "Late payments von 3 auf 1 senken" in text
    letters.compose(short)  # English is what labels without a language are in


def test_categories_are_called_by_their_label_in_the_language(advice):
    german = said(advice, "within_gap", language="de")
    assert "Beruf von keiner zu <script>" in german
    assert "Change job from none to <script>" in said(advice, "within_gap")


def test_a_category_that_the_schema_has_no_label_for_is_said_once(advice):
    *others, job = advice.schema
    bare = replace(job, category_labels={"de": {"none": "keiner"}})
    short = replace(advice, schema=replace(advice.schema, features=(*others, bare)))
    words = "no label in 'de' for '<script>alert.1.</script>' of 'job'; the usual ones are used"
    with pytest.warns(UserWarning, match=words) as said_of:
        text = said(short, "within_gap", language="de")
    assert len(said_of) == 1
    assert "Beruf von keiner zu <script>" in text
    letters.compose(short)


def test_advice_searched_as_published_is_not_sent(advice):
    aside = pd.Series([RulesLeftAside(), *[None] * 7], advice.index, dtype=object)
    with pytest.raises(InputError, match="searched as published"):
        letters.compose(replace(advice, results=advice.results.assign(cause=aside)))


def test_a_picture_stands_in_the_page(advice):
    drawn = '<?xml version="1.0"?>\n<svg width="1"><title>minimal</title></svg>'
    found = letters.compose(advice, picture=lambda person: drawn.replace("minimal", person))
    assert '<svg width="1"><title>found</title></svg>' in found["found"].html
    assert "<?xml" not in found["found"].html
    assert "svg" not in found["found"].text


@pytest.mark.parametrize(
    "labels", [["../../etc/passwd", "a/b", "a\\b", "CON", "a b", "A B", "", "é" * 300]]
)
def test_files_are_named_safely_for_any_label(advice, tmp_path, labels):
    people = replace(
        advice,
        factual=advice.factual.set_axis(labels),
        counterfactual=advice.counterfactual.set_axis(labels),
        results=advice.results.set_axis(labels),
    )
    letters.compose(people).write(tmp_path / "out")
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len({name.casefold() for name in written}) == 2 * len(labels) + 1
    listed = pd.read_csv(tmp_path / "out" / "letters.csv", keep_default_na=False)
    assert listed["person"].tolist() == labels
    assert sorted([*listed["html"], *listed["text"], "letters.csv"]) == written
    assert all(len(name) < 60 and name.isascii() for name in written)


def test_the_folder_must_be_new(advice, tmp_path):
    (tmp_path / "out").mkdir()
    found = letters.compose(advice)
    found.write(tmp_path / "out")  # empty
    with pytest.raises(InputError, match="there is something already"):
        found.write(tmp_path / "out")


def test_nobody_is_named_by_a_summary(named):
    found = letters.compose(named)
    assert repr(found) == "<Letters: 1 in 'en'>"
    with pytest.raises(InputError, match="there is no person 'x'"):
        found["x"]


def test_only_advice_can_be_sent():
    with pytest.raises(InputError, match="expected Recommendations, got dict"):
        letters.compose({})
