"""Drafts of tables as they come: text, categories, gaps, and what columns suggest together."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from standfast import Feature, InputError, Schema

N = 400
RNG = np.random.default_rng(1)


def drafted(**columns):
    table = pd.DataFrame(columns)
    draft = Schema.infer(table)
    assert Schema.from_toml(draft.to_toml()) == draft
    assert draft.matrix(table).shape == table.shape  # a draft reads the table it was made from
    return draft


def comments(draft, name):
    return "\n".join(draft.draft.guesses[name])


def test_text_categories_and_truth_values_become_nominal_with_sorted_categories():
    draft = drafted(
        housing=RNG.choice(["rent", "own"], N),
        smokes=RNG.choice(["yes", "no"], N),
        employed=RNG.random(N) < 0.5,
        branch=pd.Categorical(RNG.choice(["b", "a"], N), ["b", "a", "c"]),
    )
    assert [f.kind for f in draft] == ["nominal"] * 4
    assert [f.categories for f in draft] == [
        ("own", "rent"),
        ("no", "yes"),
        (False, True),
        ("a", "b", "c"),
    ]
    assert all(draft.mutable)


def test_ordered_categories_become_an_ordinal_in_their_order():
    school = pd.Categorical(RNG.choice(["low", "mid"], N), ["low", "mid", "high"], ordered=True)
    (feature,) = drafted(school=school).features
    assert (feature.kind, feature.categories) == ("ordinal", ("low", "mid", "high"))


def test_many_categories_and_spellings_are_named_in_comments():
    draft = drafted(
        town=[f"town {i % 60}" for i in range(N)],
        job=RNG.choice(["clerk", "Clerk", "nurse", " nurse", "boss"], N),
        mixed=np.array([1, "two", True, 3] * (N // 4), dtype=object),
        written=np.array(["3", "two", "-1.5", "four"] * (N // 4)),
    )
    assert "numbers among words: '3', '-1.5': are they codes" in comments(draft, "written")
    assert "60 categories are many" in comments(draft, "town")
    said = comments(draft, "job")
    assert "'clerk'" in said
    assert "differ only in case or blanks" in said
    assert "boss" not in said
    assert "mixed types: text such as 'two'" in comments(draft, "mixed")


def test_text_that_nearly_never_repeats_may_not_move_and_is_flagged():
    draft = drafted(mail=[f"{i}@bank" for i in range(N)], rooms=RNG.integers(18, 90, N))
    assert draft.mutable.tolist() == [False, True]
    assert "looks like an identifier" in draft.draft.suspects["mail"]
    assert "--index mail" in draft.to_toml()


def test_text_that_looks_like_the_label_is_flagged():
    draft = drafted(class_=RNG.choice(["good", "bad"], N), credit_risk=RNG.choice(["a", "b"], N))
    assert "looks like the label" in draft.draft.suspects["credit_risk"]


def test_columns_with_gaps_keep_them_and_say_how_many():
    income = RNG.integers(10, 99, N).astype(float)
    income[:7] = np.nan
    town = np.array(["a", "b"] * (N // 2), dtype=object)
    town[3] = None
    draft = drafted(income=income, town=town)
    assert [f.when_missing for f in draft] == ["keep", "keep"]
    assert "7 of 400 values are missing" in comments(draft, "income")
    assert "1 of 400 values are missing" in comments(draft, "town")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (np.where(np.arange(N) % 9, RNG.integers(1, 60, N), 999), "missing = [999]"),
        (np.where(np.arange(N) % 9, RNG.integers(0, 60, N), -9), "missing = [-9]"),
        (
            np.select([np.arange(N) % 9 == k for k in range(3)], [-7, -8, -9], 5 + np.arange(N)),
            "missing = [-9, -8, -7]",
        ),
        (RNG.choice(["clerk", "boss", "unknown"], N), 'missing = ["unknown"]'),
        (RNG.choice(["clerk", "boss", "none given"], N), 'missing = ["none given"]'),
    ],
)
def test_values_that_may_stand_for_missing_ones_are_proposed_not_enforced(column, said):
    draft = drafted(code=column)
    assert said in comments(draft, "code")
    assert draft.features[0].missing == ()
    assert draft.features[0].when_missing == "refuse"


def test_ordinary_numbers_are_not_taken_for_missing_ones():
    draft = drafted(points=RNG.integers(0, 1100, N), balance=RNG.integers(-50, 50, N))
    assert "missing" not in comments(draft, "points") + comments(draft, "balance")


def test_numbers_with_a_word_for_missing_stay_numbers():
    spelt = np.where(np.arange(N) % 9, RNG.integers(1, 90, N).astype(str), "?")
    (feature,) = drafted(mark=spelt).features
    assert (feature.kind, feature.missing, feature.when_missing) == ("count", ("?",), "keep")


def test_a_column_without_any_value_is_flagged_and_may_not_move():
    draft = drafted(nothing=[np.nan] * N, rooms=RNG.integers(18, 90, N))
    assert draft.mutable.tolist() == [False, True]
    assert "holds no value at all" in draft.draft.suspects["nothing"]


@pytest.mark.parametrize(
    "days",
    [
        pd.date_range("2020-01-31", periods=3),
        [datetime.date(2020, 1, 31)] * 3,
        ["2020-01-31", "2020-02-01", None],
        ["31.01.2020", "01.02.2020", "02.02.2020"],
    ],
)
def test_dates_are_refused_with_what_to_do(days):
    with pytest.raises(InputError, match=r"'day' holds dates such as .*years since then"):
        Schema.infer(pd.DataFrame({"day": days}))


def test_more_texts_than_a_category_can_have_are_refused():
    with pytest.raises(InputError, match=r"holds 10,001 different texts.*the index"):
        Schema.infer(pd.DataFrame({"mail": [str(i) + "@" for i in range(10_001)]}))


@pytest.fixture
def related():
    rng = np.random.default_rng(2)
    housing = rng.choice(["rent", "own", "free"], N)
    a, b = rng.integers(0, 50, N), rng.integers(0, 50, N)
    table = pd.DataFrame(
        {
            "housing": housing,
            "mortgage": np.where(housing == "own", rng.integers(1, 50, N) * 100, 0),
            "a": a,
            "b": b,
            "both": a + b,
            "less": np.minimum(a, b),
        }
    )
    table.loc[3, "less"] = 60
    colour = rng.integers(0, 3, N)
    for k, name in enumerate(["red", "green", "blue"]):
        table[f"colour_{name}"] = (colour == k).astype(int)
    gaps = rng.random(N) < 0.1
    table["before"] = np.where(gaps, np.nan, rng.integers(0, 9, N))
    table["after"] = np.where(gaps, np.nan, rng.integers(0, 9, N))
    return table


def test_what_always_holds_is_proposed_as_comments_and_never_enforced(related):
    draft = Schema.infer(related)
    assert (draft.relations, draft.rules) == ((), ())
    relations = [str(relation) for relation in draft.draft.relations]
    assert "a <= both" in relations
    assert "both == a + b" in relations
    assert "if housing == rent then mortgage == 0" in draft.draft.rules
    assert "if housing == free then mortgage == 0" in draft.draft.rules
    assert not any("colour" in rule for rule in draft.draft.rules)
    remarks = "\n".join(draft.draft.remarks)
    assert "exactly one of 'colour_red', 'colour_green', 'colour_blue' is 1" in remarks
    assert 'categories = ["red", "green", "blue"]' in remarks
    assert "always missing together: 'before', 'after'" in remarks
    assert "nearly always: 'less <= a', broken in 1 of" in remarks
    text = draft.to_toml()
    assert '#     "if housing == rent then mortgage == 0",' in text
    assert Schema.from_toml(text) == draft


def test_what_is_proposed_may_be_uncommented(related):
    draft = Schema.infer(related)
    lines = draft.to_toml().splitlines()
    inside, found = False, []
    for line in lines:
        inside = inside or line in ("# relations = [", "# rules = [")
        found.append(line.removeprefix("# ") if inside else line)
        inside = inside and line != "# ]"
    held = Schema.from_toml("\n".join(found))
    assert len(held.relations) == len(draft.draft.relations) > 0
    assert len(held.rules) == len(draft.draft.rules) > 0
    X = held.matrix(related)
    assert not any(held.doubts(X))
    assert held.keeps_rules(X).all()


def test_chance_proposes_nothing():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({f"c{j}": rng.integers(0, 40, N) for j in range(8)})
    table["k"], table["l"] = rng.choice(["a", "b", "c"], N), rng.integers(0, 2, N)
    draft = Schema.infer(table).draft
    assert (draft.relations, draft.rules, draft.remarks) == ((), (), ())


def test_orders_are_proposed_where_both_values_are_known():
    rng = np.random.default_rng(4)
    late = rng.integers(0, 20, N).astype(float)
    very = np.floor(late * rng.random(N))
    late[:30], very[20:60] = np.nan, np.nan
    draft = drafted(late=late, very=very).draft
    assert [str(relation) for relation in draft.relations] == ["very <= late"]


def test_text_where_numbers_are_expected_is_told_apart_from_categories():
    schema = Schema((Feature("income", "positive"),))
    with pytest.raises(InputError, match=r"also text such as 'x' \(rows 1\); correct the table"):
        schema.matrix(pd.DataFrame({"income": pd.Series(["300", "x", "500"], dtype="str")}))
    with pytest.raises(InputError, match="numbers as text, such as '300'; turn them into numbers"):
        schema.matrix(pd.DataFrame({"income": pd.Series(["300", "500"], dtype="str")}))
    with pytest.raises(InputError, match=r"numbers as a Decimal, such as Decimal\('3\.5'\); turn"):
        schema.matrix(pd.DataFrame({"income": [Decimal("3.5"), None]}))


def test_the_name_of_a_file_is_not_its_text():
    with pytest.raises(InputError, match=r"to read a file, use Schema\.read"):
        Schema.from_toml("lender.toml")


def test_a_column_of_any_width_is_drafted():
    for column in ([1e308, -1e308, 5e-324, 2.0], [1e308, 1.0, 2.0, 3.5], [1e300, 1e300, 1.5]):
        table = pd.DataFrame({"a": column * 6})
        schema = Schema.infer(table)
        assert Schema.from_toml(schema.to_toml()) == schema
