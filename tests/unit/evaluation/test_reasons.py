"""Reasons: what people read, what is refused, and that advice always moves one of them."""

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.evaluation.hitting_sets import smallest_hitting_set

TABLE = pd.DataFrame({"late": [0, 0, 1, 4], "cards": [1, 2, 2, 3], "age": [30, 40, 50, 60]})
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count"),
        sf.Feature("cards", "count"),
        sf.Feature("age", "count", mutable=False),
    )
)
METHOD = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(TABLE))
EITHER = sf.Linear([-1.0, -1.0, 0.0], 6.5)  # late + cards ≤ 6: either may fall


def test_a_person_reads_which_inputs_block():
    found = sf.reasons(METHOD, EITHER, TABLE.tail(2))
    assert found.sentences().tolist() == [
        "Not refused: the model accepts already.",
        "Refused because of late and cards: unless one of them changes, nothing else is accepted.",
    ]
    assert found.people()["blocking"].tolist() == [0, 2]
    assert found.to_frame()["feature"].tolist() == ["late", "cards"]
    assert found.to_frame().index.tolist() == [3, 3]


def test_reasons_beyond_the_most_asked_for_are_counted():
    found = sf.reasons(METHOD, EITHER, TABLE.tail(1), most=1)
    assert found.refusals[0].blocking == 2
    assert len(found.to_frame()) == 1
    assert "and 1 further input: unless one of them changes" in found.sentences().item()


def test_a_person_whom_nothing_helps_has_no_reasons():
    strict = sf.Linear([0.0, 0.0, -1.0], 20.5)
    found = sf.reasons(METHOD, strict, TABLE.tail(1))
    assert found.refusals[0].ending == "nothing helps"
    assert found.to_frame().empty


def test_people_outside_the_schema_are_said_to_be():
    odd = pd.DataFrame({"late": [-1], "cards": [1], "age": [30]})
    assert sf.reasons(METHOD, EITHER, odd).refusals[0].ending == "outside the schema"


def test_a_limit_leaves_reasons_undecided():
    found = sf.reasons(METHOD, EITHER, TABLE.tail(1), time_limit=1e-12)
    assert found.refusals[0].ending == "undecided"


def test_every_unanimous_advice_moves_a_reason():
    data = sf.datasets.twin("german_credit", n=600, seed=0)
    rng = np.random.default_rng(0)
    models = [_scorecard(data, rng) for _ in range(2)]
    both = sf.Unanimous(models)
    method = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    people = data.table.head(60)
    found = sf.reasons(method, both, people, most=20, jobs=2)
    X, Y = sf.recommend(sf.GrowingSpheres(data.schema, method.percentiles), both, people).matrices()
    moved = [
        (x != y)[[r.column for r in refusal.principal]].any()
        for x, y, refusal in zip(X, Y, found.refusals, strict=True)
        if refusal.ending == "proven" and not np.isnan(y).all()
    ]
    assert len(moved) >= 10
    assert all(moved)


def _scorecard(data, rng):
    from sklearn.linear_model import LogisticRegression

    from standfast.rivals.encoding import encoded

    rows = rng.integers(len(data.table), size=len(data.table))
    model = encoded(LogisticRegression(C=0.1, max_iter=1000), data.schema, scaled=True)
    model.fit(data.table.iloc[rows], data.labels[rows])
    return sf.as_score(model, data.schema, favourable=1)


def test_methods_that_prove_nothing_are_refused():
    with pytest.raises(sf.InputError, match="GrowingSpheres is none; use MinimalCost"):
        sf.reasons(sf.GrowingSpheres(SCHEMA, METHOD.percentiles), EITHER, TABLE)


@pytest.mark.parametrize("bad", [{"most": 0}, {"jobs": 0}, {"time_limit": -1.0}])
def test_impossible_options_are_refused(bad):
    with pytest.raises(sf.InputError, match=next(iter(bad))):
        sf.reasons(METHOD, EITHER, TABLE, **bad)


def test_hitting_sets_are_the_smallest():
    rng = np.random.default_rng(1)
    for _ in range(200):
        sets = [frozenset(np.flatnonzero(row).tolist()) for row in rng.random((6, 7)) < 0.35]
        sets = [one for one in sets if one]
        found = smallest_hitting_set(sets, {})
        assert all(found & one for one in sets)
        bits = [sum(1 << j for j in one) for one in sets]
        fewest = min(m.bit_count() for m in range(128) if all(m & b for b in bits))
        assert len(found) == fewest
