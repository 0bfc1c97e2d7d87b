"""Methods and scores of one's own that lack something, or answer wrongly: a sentence says what."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import standfast as sf

TABLE = pd.DataFrame({"late": [0, 0, 1, 2, 3], "cards": [1, 2, 3, 4, 5]})
SCHEMA = sf.Schema((sf.Feature("late", "count"), sf.Feature("cards", "count")))
Q = sf.Percentiles.fit(TABLE)
MODEL = sf.Linear([-1.0, 0.0], 0.5)
PEOPLE = TABLE.tail(3)
RIGHT = sf.Answers(
    np.zeros((3, 2)), (sf.Outcome.FOUND,) * 3, (sf.Note("Nobody is late."),) * 3, np.full(3, np.nan)
)


@dataclass
class Own:
    """A method that gives what it was made with, and may lack some attributes."""

    answers: Any = RIGHT
    lacking: tuple[str, ...] = ()
    inner: Any = field(default_factory=lambda: sf.GrowingSpheres(SCHEMA, Q))

    def __getattr__(self, name):
        if name in self.lacking:
            raise AttributeError(name)
        return getattr(self.inner, name)

    def prepare(self, model):
        return self

    def advise(self, X, streams, budget):
        return self.answers


@dataclass
class Verdicts:
    """A score that gives the same verdicts to whoever asks."""

    accepted: Any
    width: int = 2
    probability: bool = False
    digest: str = "verdicts"

    def score(self, X):
        return np.full(len(X), -1.0)

    def accepts(self, X, margin=0.0):
        return self.accepted


class Halfway:
    """Almost a score."""

    width, probability = 2, False

    def score(self, X):
        return np.zeros(len(X))


def test_a_method_of_ones_own_that_does_its_duties_is_asked():
    recs = sf.recommend(
        Own(replace(RIGHT, points=np.array([[0.0, c] for c in (3, 4, 5)]))), MODEL, PEOPLE
    )
    assert recs.outcome.tolist() == ["found"] * 3


@pytest.mark.parametrize("duty", ["name", "schema", "domain", "percentiles", "settings", "price"])
def test_a_method_without_one_of_its_duties_is_refused_by_its_name(duty):
    with pytest.raises(sf.InputError, match=f"is an? Own without '{duty}'; a method has 'name'"):
        sf.prepare(Own(lacking=(duty,)), MODEL)


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (None, "gave a NoneType; advise.. must give Answers"),
        (replace(RIGHT, points=np.zeros((2, 2))), r"points of shape \(2, 2\) for 3 people"),
        (replace(RIGHT, outcomes=RIGHT.outcomes[:2]), "gave 2 outcomes for 3 people"),
        (replace(RIGHT, causes=()), "gave 0 causes for 3 people"),
        (replace(RIGHT, lower_bounds=np.zeros(4)), "gave 4 lower_bounds for 3 people"),
        (replace(RIGHT, outcomes=("found",) * 3), "outcomes of type str; each must be an Outcome"),
        (replace(RIGHT, causes=("none",) * 3), "causes of type str; each must be a cause such as"),
    ],
)
def test_answers_that_do_not_fit_the_people_are_refused(answers, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.recommend(Own(answers), MODEL, PEOPLE)


@pytest.mark.parametrize("verdicts", [np.zeros((3, 1), bool), np.zeros(2, bool), np.zeros(3)])
def test_a_score_that_does_not_say_yes_or_no_for_each_row_is_refused(verdicts):
    with pytest.raises(sf.InputError, match=r"accepts\(\) of a Verdicts gave .* for 3 rows"):
        sf.recommend(sf.GrowingSpheres(SCHEMA, Q), Verdicts(verdicts), PEOPLE)


def test_what_a_score_lacks_is_named():
    with pytest.raises(sf.InputError, match=r"a score, which has .* lacks 'digest', 'accepts'"):
        sf.prepare(sf.GrowingSpheres(SCHEMA, Q), Halfway())
