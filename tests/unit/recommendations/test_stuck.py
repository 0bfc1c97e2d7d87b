"""Who is beyond a bound that their direction leads away from is told so."""

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.schema.bounds import stuck

TABLE = pd.DataFrame({"income": [1000.0, 2000.0, 6000.0], "late": [0, 2, 1], "age": [30, 40, 50]})
SCHEMA = sf.Schema(
    (
        sf.Feature("income", "positive", direction="up", step=100, lower=0, upper=5000),
        sf.Feature("late", "count", direction="down", lower=1, upper=9, labels={"de": "Verzüge"}),
        sf.Feature("age", "count", mutable=False, labels={"de": "Alter"}),
    )
)
Q = sf.Percentiles.fit(TABLE)
NEVER = sf.Linear([1.0, -1.0, 0.0], -9000.0)
METHODS = [
    sf.MinimalCost(SCHEMA, Q),
    sf.GrowingSpheres(SCHEMA, Q),
    sf.ActionableRecourse(SCHEMA, Q),
]
RISES = "Income stays at 6000: it may only rise, and advice goes no higher than 5000."
FALLS = "Late stays at 0: it may only fall, and advice goes no lower than 1."


def test_a_value_is_stuck_beyond_a_bound_that_its_direction_leads_away_from():
    X = np.array([[6000.0, 0, 30], [5000.0, 1, 30], [4000.0, 9, 99], [-np.inf, 5, 30]])
    assert stuck(SCHEMA, X).tolist() == [[True, True, False], *[[False] * 3] * 3]
    low, high, *_ = SCHEMA.complete(TABLE).bounds(X[:2])
    assert (low[0] > high[0]).tolist() == [True, True, False]  # where nothing is left to propose


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_a_person_without_advice_is_told_what_cannot_move(method):
    recs = sf.recommend(method, NEVER, TABLE)
    assert not recs.found.any()
    said = recs.sentences()
    assert FALLS in said[0]
    assert RISES not in said[0]
    assert RISES in said[2]
    assert "stays" not in said[1]


def test_who_gets_advice_is_not_bothered():
    recs = sf.recommend(METHODS[0], sf.Linear([1.0, -1.0, 0.0], -1500.0), TABLE)
    assert recs.found[0]
    assert not recs.explanations().str.contains("stays").any()


def test_a_letter_says_it_in_its_language():
    recs = sf.recommend(METHODS[0], NEVER, TABLE)
    english = " ".join(sf.letters.compose(recs)[2].text.split())
    assert (
        "Income (yours: 6,000) cannot change: it may only rise, and we propose nothing" in english
    )
    with pytest.warns(UserWarning, match="no label in 'de' for 'income'"):
        letter = sf.letters.compose(recs, language="de")[0]
    assert "Verzüge (bei Ihnen: 0) kann sich nicht ändern" in " ".join(letter.text.split())
    assert "wir schlagen nichts unter 1 vor" in " ".join(letter.html.split())


def test_of_many_inputs_the_first_are_named():
    many = [sf.Feature(f"x{k}", direction="up", lower=0, upper=1, step=1) for k in range(5)]
    table = pd.DataFrame({f"x{k}": [2.0, 0.0] for k in range(5)})
    schema = sf.Schema(tuple(many))
    best = sf.MinimalCost(schema, sf.Percentiles.fit(table))
    text = sf.recommend(best, sf.Linear([1.0] * 5, -99.0), table.head(1)).sentences()[0]
    assert text.count("stays at 2") == 3
    assert text.endswith("The same holds for 2 more inputs.")


def test_what_was_kept_on_request_is_said_beside_it():
    recs = sf.recommend(METHODS[0], NEVER, TABLE, keep={"late"})
    assert recs.sentences()[2].endswith(f"{RISES} Left unchanged on request: late.")
    advised = sf.recommend(METHODS[0], sf.Linear([1.0, 0.0, 0.0], -1500.0), TABLE, keep={"late"})
    assert not advised.explanations().str.contains("on request").any()
