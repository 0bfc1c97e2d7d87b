import pickle

import numpy as np
import pytest

from standfast.errors import InputError
from standfast.scores import BlackBox, Linear, Score, Unanimous
from standfast.scores.score import LOGISTIC

RISES = Linear([1.0, 0.0], -1.0)
FALLS = Linear([0.0, -1.0], 1.0)
CHANCE = Linear([1.0, 1.0], 0.0, LOGISTIC, 0.5)
X = np.random.default_rng(0).normal(size=(200, 2))


def test_its_score_is_the_least_of_its_members():
    both = Unanimous([RISES, FALLS])
    assert isinstance(both, Score)
    assert np.array_equal(both.score(X), np.minimum(RISES.score(X), FALLS.score(X)))
    assert np.array_equal(both.accepts(X), RISES.accepts(X) & FALLS.accepts(X))


def test_each_member_is_asked_for_its_own_margin():
    both = Unanimous([RISES, FALLS], margin=[0.5, -0.2])
    assert np.array_equal(
        both.accepts(X, 0.1), RISES.accepts(X, 0.6) & FALLS.accepts(X, -0.2 + 0.1)
    )
    assert np.array_equal(both.score(X) > 0, both.accepts(X))


def test_members_after_a_refusal_are_not_asked_about_that_row():
    asked = []

    def prediction(rows):
        asked.append(len(rows))
        return np.ones(len(rows))

    Unanimous([RISES, BlackBox(prediction, 0.0, 2)]).accepts(X)
    assert asked == [int(RISES.accepts(X).sum())]


def test_a_common_margin_needs_probabilities():
    assert Unanimous([CHANCE, CHANCE], margin=0.1).margins == (0.1, 0.1)
    assert Unanimous([RISES], margin=0.1).margins == (0.1,)
    with pytest.raises(InputError, match=r"members \[1\] have no probability"):
        Unanimous([CHANCE, RISES], margin=0.1)


@pytest.mark.parametrize(
    ("members", "margin", "sentence"),
    [
        ([], 0.0, "at least one score"),
        ([np.mean], 0.0, "is not a score; turn it into one with as_score"),
        ([RISES, Linear([1.0], 0.0)], 0.0, r"read \[1, 2\] inputs"),
        ([RISES, FALLS], [0.1], "1 margins for 2 members"),
        ([RISES], np.nan, "a margin must be a finite number"),
    ],
)
def test_what_cannot_be_unanimous_is_refused(members, margin, sentence):
    with pytest.raises(InputError, match=sentence):
        Unanimous(members, margin)


def test_it_pickles_and_its_fingerprint_knows_members_and_margins():
    both = Unanimous([RISES, CHANCE])
    assert pickle.loads(pickle.dumps(both)).digest == both.digest
    assert Unanimous([CHANCE, RISES]).digest != both.digest
    assert Unanimous([RISES, CHANCE], margin=[0.0, 0.1]).digest != both.digest


def test_members_may_have_names_which_do_not_change_the_model():
    f, g = Linear([1.0], 0.0), Linear([1.0], -1.0)
    named = Unanimous((f, g), names=("the reference", "next year's"))
    assert named.digest == Unanimous((f, g)).digest
    for names in (("one",), ("one", "one")):
        with pytest.raises(InputError, match="different names for 2 members; give each its own"):
            Unanimous((f, g), names=names)
