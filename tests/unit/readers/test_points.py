"""Scorecards given as tables of points."""

import pickle

import numpy as np
import pandas as pd
import pytest
from samples.cheapest import assert_cheapest

import standfast as sf
from standfast.errors import InputError
from standfast.readers import read_points
from standfast.readers.structures import pack, unpack

SCHEMA = sf.Schema(
    (
        sf.Feature("age", "count", mutable=False),
        sf.Feature("income", "real", when_missing="fill", missing=(-9,), step=1),
        sf.Feature(
            "home", "nominal", categories=("rent", "own", "family"), missing=("?",),
            when_missing="keep",
        ),
        sf.Feature("colour", "nominal", categories=("red", "blue")),
    )
)  # fmt: skip
CARD = """feature,lower,upper,category,points,note
base points,,,,200,everybody's
age,,25,,-10,
age,25,60,,15,
age,60,,,30,
income,,5,,0,
income,5,10,,20,
income,10,,,45.5,
income,,,-9,7,
income,,,missing,11,
home,,,rent|family,5,
home,,,own,40,
home,,,missing,-3,
"""


@pytest.fixture
def file(tmp_path):
    def write(text=CARD):
        path = tmp_path / "card.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def points_by_hand(x):
    age, income, home, _ = x
    total = 200 + (-10 if age < 25 else 15 if age < 60 else 30)
    if income == -np.inf:
        total += 11
    elif income == -9:
        total += 7
    else:
        total += 0 if income < 5 else 20 if income < 10 else 45.5
    return total + {0: 5, 1: 40, 2: 5, 3: -3, -np.inf: -3}[home]


def rows(n):
    rng = np.random.default_rng(0)
    income = rng.choice([-9.0, -np.inf, 5.0, 10.0, 4.999, -10.0, *rng.normal(7, 5, 9)], n)
    income = np.where(rng.random(n) < 0.3, np.nextafter(income, np.inf), income)
    age = rng.choice([0.0, 24.0, 25.0, 59.0, 60.0, 99.0], n)
    # the categories sort as family, own, rent, then the token and the gap
    home = rng.choice([0.0, 1.0, 2.0, 3.0, -np.inf], n)
    return np.column_stack((age, income, home, rng.integers(0, 2, n)))


def test_points_are_added_up_as_by_hand(file):
    card = read_points(file(), SCHEMA, cutoff=260)
    X = rows(3000)
    X[X[:, 1] == np.nextafter(-np.inf, np.inf), 1] = 1.0
    assert card.raw(X).tolist() == [points_by_hand(x) for x in X]
    assert card.accepts(X).tolist() == [points_by_hand(x) >= 260 for x in X]


def test_who_has_exactly_the_cut_off_is_accepted_by_the_score_and_surely(file):
    card = read_points(file(), SCHEMA, cutoff=220)
    just = np.array([[30.0, 1.0, 0.0, 0.0]])
    assert card.raw(just).tolist() == [220.0]
    assert card.accepts(just).all()
    assert card.raw(just)[0] > card.sure_cutoff()
    assert not read_points(file(), SCHEMA, cutoff=220.5).accepts(just).any()


def test_points_may_count_against_people(file):
    card = read_points(file(), SCHEMA, cutoff=220, wanted="fewer")
    X = rows(500)
    X = X[np.isfinite(X[:, 1]) | (X[:, 1] == -np.inf)]
    assert card.accepts(X).tolist() == [points_by_hand(x) <= 220 for x in X]


def test_a_table_and_a_file_with_semicolons_give_the_same_card(file):
    table = pd.read_csv(file())
    one = read_points(table, SCHEMA, cutoff=260)
    two = read_points(file(CARD.replace(",", ";")), SCHEMA, cutoff=260)
    three = read_points(file(), SCHEMA, cutoff=260)
    assert one.digest == two.digest == three.digest
    assert pickle.loads(pickle.dumps(one)).digest == one.digest
    assert read_points(table, SCHEMA, cutoff=261).digest != one.digest


def test_a_card_is_kept_in_files_to_the_last_bit(file):
    card = read_points(file(), SCHEMA, cutoff=260)
    packed = pack([card])
    (again,) = unpack(packed.about, packed.arrays, [None])
    assert again.digest == card.digest
    assert np.array_equal(again.raw(rows(99)), card.raw(rows(99)))


def test_a_value_that_may_not_be_missing_is_refused_where_it_is(file):
    schema = sf.Schema((sf.Feature("income"),))
    card = read_points(file("feature,points,lower,upper\nincome,1,,\n"), schema, cutoff=1)
    assert card.accepts(np.array([[3.0], [-np.inf]])).tolist() == [True, False]


def test_the_cheapest_advice_under_a_card_is_the_cheapest_there_is(file):
    card = read_points(file(), SCHEMA, cutoff=265)
    table = pd.DataFrame(
        {
            "age": [20, 30, 70, 41, 22, 50, 33, 61],
            "income": [3, 12, 6, np.nan, 9, -9, 14, 0],
            "home": ["rent", "own", None, "?", "family", "rent", "rent", "family"],
            "colour": ["red", "blue"] * 4,
        }
    )
    refused = table[~card.accepts(SCHEMA.judged(table)[0])]
    assert assert_cheapest(card, SCHEMA, table, refused) >= 3


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("age,25,60", "age,20,60", r"bins of 'age' overlap: line 3 \(-inf to 25\) and line 4"),
        ("age,25,60", "age,26,60", "'age' has no points from 25 up to 26, between line 3 and line"),
        ("age,,25", "age,18,25", "'age' has no points below 18; leave lower empty in line 3"),
        ("age,60,,,", "age,60,99,,", "'age' has no points from 99 on; leave upper empty in line 5"),
        ("age,25,60", "age,60,25", "line 4: lower 60 is not below upper 25"),
        (",15,", ",fifteen,", "line 4: points is 'fifteen'; it must be a number"),
        (",15,", ",nan,", "line 4: points is 'nan'; it must be a number"),
        (",15,", ",,", "line 4: points is empty; give a number"),
        ("age,25,60", "age,25,60 years", "line 4: upper is '60 years'; it must be a number"),
        ("age,25", "wage,25", "line 4: the schema has no feature 'wage'; it has 'age', 'income'"),
        (
            "own,40",
            "Own,40",
            r"line 12: 'Own' is not a category of 'home' \(did you mean 'own'\?\)",
        ),
        ("home,,,own,40,\n", "", "'home' has no points for 'own'; add a row for every category"),
        ("own,40", "rent,40", "line 12: 'rent' of 'home' has its points from line 11 already"),
        ("home,,,own", "home,1,,own", "line 12: give lower and upper, or a category, but not"),
        ("home,,,own", "home,,,", "line 12: 'home' has named values; say which category"),
        (
            "income,,,-9,7",
            "income,,,-8,7",
            "line 9: 'income' holds numbers, so '-8' is not a categor",
        ),
        ("income,,,missing,11,\n", "", "values of 'income' may be missing by the schema, but"),
        ("home,,,own", "home,,,missing", "missing values of 'home' have their points from line 12"),
        ("base points,,", "base points,3,", "line 2: base points are everybody's, given once"),
        (CARD, CARD + "base points,,,,1,\n", "base points are everybody's.*line 2 did already"),
        ("category,points", "group,points", "the unknown column 'group'; it needs the columns"),
        ("category,points", "category,note", "the table of points has no column 'points'"),
        ("age,60,,,30,", "age,60,,,30", "line 5 has 5 cells, the header 6; correct it"),
        (CARD, "feature,points\n", "the table of points has no rows"),
        (CARD, "feature,points\nbase points,3\n", "the table gives no feature any points"),
        (CARD, "", "the table of points has no column 'feature', 'points'"),
    ],
)
def test_what_is_wrong_with_a_table_is_named_with_its_line(file, old, new, sentence):
    assert old in CARD
    with pytest.raises(InputError, match=sentence):
        read_points(file(CARD.replace(old, new, 1)), SCHEMA, cutoff=260)


@pytest.mark.parametrize(
    ("ways", "sentence"),
    [
        ({"cutoff": "high"}, "the cut-off is 'high'; it must be a finite number"),
        ({"cutoff": 1, "wanted": "less"}, "wanted is 'less'; it must be 'more' or 'fewer'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(file, ways, sentence):
    with pytest.raises(InputError, match=sentence):
        read_points(file(), SCHEMA, **ways)
