"""Conditions: what they say of rows, how they print, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from standfast import Feature, InputError
from standfast.schema.condition import (
    Comparison,
    Condition,
    Every,
    Implication,
    IsMissing,
    Not,
    Some,
)
from standfast.schema.condition_tree import tree_of

GAP = -np.inf
FEATURES = (
    Feature("income", "real", missing=(-9, "refused"), when_missing="keep"),
    Feature("age", "count"),
    Feature(
        "job",
        "nominal",
        categories=("clerk", "night nurse", "o'brien", "OR"),
        missing=("unknown",),
        when_missing="fill",
    ),
    Feature("school", "ordinal", categories=("none", "primary", "secondary")),
    Feature("co debtor", "binary"),
    Feature("co-op", "binary"),
)
RNG = np.random.default_rng(0)
ROWS = np.column_stack(
    [
        RNG.choice([GAP, -9.0, -3.5, 0.0, 1199.99, 1200.0, 5000.0], 800),
        RNG.integers(0, 70, 800),
        RNG.choice([GAP, 0.0, 1.0, 2.0, 3.0, 4.0], 800),
        RNG.integers(0, 3, 800),
        RNG.integers(0, 2, 800),
        RNG.integers(0, 2, 800),
    ]
).astype(np.float64)
NAMES = [feature.name for feature in FEATURES]


def row(**values):
    found = {"income": 0.0, "age": 0.0, "job": 0.0, "school": 0.0, "co": 0.0, "op": 0.0} | values
    return np.array([list(found.values())])


def code(name, value):
    return FEATURES[NAMES.index(name)].coder.of(value)


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("income >= 1200 and age >= 18", row(income=1200.0, age=18.0)),
        ("income>=1200 and 18<=age<65", row(income=1200.0, age=64.0)),
        ("1200 <= income", row(income=1200.0)),
        ("job in (clerk, 'night nurse')", row(job=code("job", "night nurse"))),
        ("job == 'o''brien'", row(job=code("job", "o'brien"))),
        ('job == "o\'brien"', row(job=code("job", "o'brien"))),
        ("job in (OR, clerk) and age < 3", row(job=code("job", "OR"))),
        ("school >= primary", row(school=2.0)),
        ("not (age == 3 or `co debtor` == yes)", row(age=4.0)),
        ("if age >= 3 then co-op == true", row(age=3.0, op=1.0)),
        ("missing(income) and not missing(job)", row(income=-9.0)),
        ("income == -9", row(income=-9.0)),
        ("job == unknown", row(job=code("job", "unknown"))),
    ],
)
def test_a_condition_holds_where_it_says(text, yes):
    condition = Condition.parse(text, FEATURES)
    assert condition.holds(yes).all()
    assert not condition.holds(row(age=3.0, co=1.0, op=0.0, income=2.0)).all()


@pytest.mark.parametrize("text", ["income >= 0", "income < 0", "income != 3", "not income == 3"])
def test_a_comparison_with_a_missing_value_neither_holds_nor_is_broken(text):
    condition = Condition.parse(text, FEATURES)
    gaps = np.vstack([row(income=GAP), row(income=-9.0)])
    assert not condition.holds(gaps).any()
    assert not condition.broken(gaps).any()


def test_what_is_known_may_decide_beside_what_is_missing():
    both = Condition.parse("income >= 0 and age >= 18", FEATURES)
    assert both.broken(row(income=GAP, age=17.0)).all()
    assert not both.broken(row(income=GAP, age=18.0)).any()
    one = Condition.parse("income >= 0 or age >= 18", FEATURES)
    assert one.holds(row(income=GAP, age=18.0)).all()


@pytest.mark.parametrize(
    ("text", "marked", "why"),
    [
        ("income >> 3", "income >^> 3", "expected a value"),
        ("incme > 3", "^incme > 3", "no column 'incme' .did you mean 'income'"),
        ("job == clrk", "job == ^clrk", "not a category of 'job' .did you mean 'clerk'"),
        ("job == Clerk", "job == ^Clerk", "did you mean 'clerk'"),
        ("income > age", "income > ^age", "two columns.*relations"),
        ("income > `age`", "income > ^`age`", "two columns"),
        ("job < clerk", "job < ^clerk", "no order"),
        ("age ==", "age ==^", "expected a value"),
        ("age = 3", "age ^= 3", "write == for equal"),
        ("'age' > 3", "^'age' > 3", "quotes are for values"),
        ("income > 'x", "income > ^'x", "not closed"),
        ("age in 3", "age in ^3", "a list of values"),
        ("age > 3 income > 2", "age > 3 ^income > 2", "'and', 'or' or the end"),
        ("income > abc", "income > ^abc", "not a number"),
        ("income > inf", "income > ^inf", "not a number"),
        ("age >= 18 and (income > 3", "(income > 3^", "expected '\\)'"),
        ("if age > 3", "if age > 3^", "then"),
        ("age", "age^", "expected a comparison"),
        ("", "^", "empty"),
        ("(" * 60 + "age > 3" + ")" * 60, "^", "nested too deeply"),
        (" and ".join(["age > 3"] * 201), "age > 3^", "more than 200"),
    ],
)
def test_what_cannot_be_read_is_marked(text, marked, why):
    with pytest.raises(InputError, match=why) as refused:
        Condition.parse(text, FEATURES)
    assert marked in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_text_is_no_condition():
    with pytest.raises(InputError, match="write it like"):
        Condition.parse(3, FEATURES)


def names(kind):
    return st.sampled_from([n for n, f in zip(NAMES, FEATURES, strict=True) if kind(f)])


def category(name):
    feature = FEATURES[NAMES.index(name)]
    return st.sampled_from(feature.coder.names)


NUMERIC = names(lambda f: f.coder is None)
CODED = names(lambda f: f.coder is not None)
NUMBERS = st.sampled_from([-9, -3.5, 0, 1, 2, 18, 1199.99, 1200])
COMPARED = st.builds(
    lambda name, sign, value: Comparison(name, sign, (value,)),
    NUMERIC,
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    NUMBERS,
)
AMONG = CODED.flatmap(
    lambda name: st.builds(
        lambda sign, values: Comparison(name, sign, tuple(values)),
        st.sampled_from(["in", "not in"]),
        st.lists(category(name), min_size=1, max_size=3, unique=True),
    )
)
ATOMS = COMPARED | AMONG | st.builds(IsMissing, st.sampled_from(NAMES))
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(lambda p: Every(tuple(p)), st.lists(inner, min_size=2, max_size=3))
        | st.builds(lambda p: Some(tuple(p)), st.lists(inner, min_size=2, max_size=3))
        | st.builds(Implication, inner, inner)
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_every_condition_reads_back_as_it_was_printed(expression):
    condition = Condition(expression, FEATURES)
    again = Condition.parse(str(condition), FEATURES)
    assert again == condition
    assert hash(again) == hash(condition)
    assert pickle.loads(pickle.dumps(condition)) == condition


def follow(node, X):
    if not node.children:
        return np.full(len(X), node.value)
    near, far = (follow(child, X) for child in node.children)
    return np.where(X[:, node.feature] <= node.split, near, far)


@given(EXPRESSIONS)
def test_a_tree_says_what_its_condition_says(expression):
    condition = Condition(expression, FEATURES)
    assert ((follow(tree_of(condition, strict=True), ROWS) > 0) == condition.holds(ROWS)).all()
    assert ((follow(tree_of(condition, strict=False), ROWS) < 0) == condition.broken(ROWS)).all()


@given(EXPRESSIONS)
def test_three_values_follow_from_two_where_nothing_is_missing(expression):
    def plain(e, X):
        match e:
            case Comparison(name, sign, values):
                x, j = X[:, NAMES.index(name)], NAMES.index(name)
                c = [
                    float(v) if FEATURES[j].coder is None else FEATURES[j].coder.of(v)
                    for v in values
                ]
                tests = {"<": x < c[0], "<=": x <= c[0], ">": x > c[0], ">=": x >= c[0]}
                one = np.isin(x, c)
                return tests.get(sign, one if sign in ("==", "in") else ~one)
            case IsMissing(_):
                return np.zeros(len(X), dtype=bool)
            case Not(part):
                return ~plain(part, X)
            case Every(parts):
                return np.all([plain(p, X) for p in parts], axis=0)
            case Some(parts):
                return np.any([plain(p, X) for p in parts], axis=0)
            case Implication(a, b):
                return ~plain(a, X) | plain(b, X)

    full = ROWS[np.isfinite(ROWS).all(axis=1) & (ROWS[:, 0] != -9) & (ROWS[:, 2] != 4)]
    condition = Condition(expression, FEATURES)
    assert (condition.holds(full) == plain(expression, full)).all()
    assert (condition.broken(full) == ~plain(expression, full)).all()
