"""Promises of recommendations, with and without regions."""

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.promises import Promises
from standfast.recommendations.boxes import Boxes
from standfast.schema.categories import MISSING

PEOPLE = pd.DataFrame(
    {"late": [0, 1, 2, 3, 4], "job": ["clerk", "nurse", "none", "none", "clerk"]},
    index=list("abcde"),
)
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", lower=0, upper=9),
        sf.Feature("job", "nominal", categories=("clerk", "nurse", "none")),
    )
)
Q = sf.Percentiles.fit(PEOPLE)
MODEL = sf.Rule("late <= 1 and job in (clerk, nurse)", SCHEMA)


def advised() -> sf.Recommendations:
    return sf.recommend(sf.MinimalCost(SCHEMA, Q), MODEL, PEOPLE)


def test_without_regions_a_promise_is_its_point() -> None:
    promised = Promises.of(advised())
    assert promised.facts["subject"].tolist() == ["c", "d", "e"]
    assert promised.boxes.contains(promised.point).all()
    assert not promised.boxes.contains(promised.factual).any()


def test_with_regions_a_promise_is_its_box() -> None:
    recs = advised()
    promised = Promises.of(recs, sf.region(recs, MODEL, Q))
    for late in range(10):
        for job in range(3):
            point = np.tile([float(late), float(job)], (len(promised), 1))
            assert (promised.boxes.contains(point) == MODEL.accepts(point)).all()


def test_regions_of_other_people_are_refused() -> None:
    recs = advised()
    others = sf.recommend(sf.MinimalCost(SCHEMA, Q), MODEL, PEOPLE.iloc[1:])
    with pytest.raises(sf.InputError, match="of other people"):
        Promises.of(recs, sf.region(others, MODEL, Q))


def test_an_open_end_holds_no_gap_and_a_kept_gap_nothing_else() -> None:
    schema = sf.Schema((sf.Feature("income", "real", when_missing="keep"),))
    wide = Boxes(schema, np.array([[-np.inf]]), np.array([[5.0]]), {})
    gap = Boxes(schema, np.array([[MISSING]]), np.array([[MISSING]]), {})
    assert wide.contains(np.array([[-1e300]])).all()
    assert not wide.contains(np.array([[MISSING]])).any()
    assert gap.contains(np.array([[MISSING]])).all()
    assert not gap.contains(np.array([[0.0]])).any()


def test_parts_are_the_whole() -> None:
    promised = Promises.of(advised())
    parts = list(promised.in_parts(2))
    assert [len(part) for part in parts] == [2, 1]
    assert np.array_equal(np.vstack([part.point for part in parts]), promised.point)
