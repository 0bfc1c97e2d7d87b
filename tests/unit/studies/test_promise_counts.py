"""Counting a simulated year, in a world so small that every number is known."""

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.studies.names import ALL_OPEN, AT_START, INVARIANT, MINIMAL, TOGETHER
from standfast.studies.promise_counts import Counted, by_period, totals
from standfast.studies.promise_gates import through

WHEN = tuple(f"quarter {q}" for q in range(5))
# accepts a number of late payments below 6.5, then below 4.5, 5.5, 2.5 and 3.5
BARS = (6.5, 4.5, 5.5, 2.5, 3.5)
COLUMNS = ["issued", "method", "person", "outcome", "cost"]


@pytest.fixture(scope="module")
def world():
    """One input from 0 to 9, a percentile a step of 0.1; the models of five quarters."""
    people = pd.DataFrame({"late": range(10)})
    schema = sf.Schema((sf.Feature("late", "count", lower=0, upper=9),))
    exact = sf.MinimalCost(schema, sf.Percentiles.fit(people), per_change=0.0)
    return exact, [sf.Linear([-1.0], bar) for bar in BARS]


def promised(world, *given):
    """The table of promises given as (period, method, person, point, cost)."""
    exact, models = world
    facts = [
        (p, m, who, "minimal" if cost == cost else "exhausted", cost)
        for p, m, who, _, cost in given
    ]
    points = np.array([[point] for *_, point, _ in given], dtype=float)
    return through(pd.DataFrame(facts, columns=COLUMNS), points, models, exact)


@pytest.fixture(scope="module")
def table(world):
    """Two people of the start and one of quarter 2, each advised by two methods."""
    nan = float("nan")
    given = [
        (0, MINIMAL, "a", 6, 0.2),
        (0, MINIMAL, "b", 6, 0.3),
        (0, MINIMAL, "c", nan, nan),
        (0, INVARIANT, "a", 2, 0.6),
        (0, INVARIANT, "b", 5, 0.4),
        (0, INVARIANT, "c", 1, 0.8),
        (2, MINIMAL, "d", 5, 0.1),
        (2, INVARIANT, "d", 1, 0.5),
    ]
    return promised(world, *given).assign(history=0)


def of(table, method, person):
    rows = table[(table["method"] == method) & (table["person"] == person)]
    return rows.set_index("period")


def test_a_promise_is_kept_where_the_model_in_force_accepts_its_point(table):
    assert of(table, MINIMAL, "a")["kept"].tolist() == [True, False, False, False, False]
    assert of(table, INVARIANT, "a")["kept"].tolist() == [True, True, True, True, True]
    assert of(table, INVARIANT, "b")["kept"].tolist() == [True, False, True, False, False]


def test_people_are_topped_up_from_where_they_were_last_sent(table):
    # from 6 to 4, then nothing, then from 4 to 2, then nothing: steps of a tenth
    assert of(table, MINIMAL, "a")["top_up"].tolist() == pytest.approx([0, 0.2, 0, 0.2, 0])
    # from 5 to 4, which quarter 2 accepts too, and to 2
    assert of(table, INVARIANT, "b")["top_up"].tolist() == pytest.approx([0, 0.1, 0, 0.2, 0])
    assert table["proven"][table["cost"].notna()].all()


def test_who_got_no_advice_has_one_row_and_is_not_kept(table):
    alone = of(table, MINIMAL, "c")
    assert len(alone) == 1
    assert not alone["kept"].any()


def test_newly_refused_people_meet_only_later_models(table):
    assert of(table, MINIMAL, "d").index.tolist() == [2, 3, 4]
    assert of(table, MINIMAL, "d")["kept"].tolist() == [True, False, False]


def test_the_quarters_of_the_start_are_counted_over_those_whom_all_answered(table):
    rows = by_period(table, WHEN, seed=0)
    start = rows[(rows["people"] == AT_START) & (rows["method"] == INVARIANT)]
    assert start["answered"].tolist() == [3, 3, 3, 3]
    assert start["n"].tolist() == [2, 2, 2, 2]  # a and b: minimal cost has nothing for c
    assert start["kept"].tolist() == [0.5, 1.0, 0.5, 0.5]
    assert start["unbroken"].tolist() == [0.5, 0.5, 0.5, 0.5]
    assert start["exceptions"].tolist() == [1, 0, 1, 1]
    assert start["top_up"].tolist() == pytest.approx([0.05, 0, 0.1, 0])
    assert start["total"].tolist() == pytest.approx([0.55, 0.55, 0.65, 0.65])
    assert start["when"].tolist() == list(WHEN[1:])


def test_open_promises_grow_with_those_who_are_refused_later(table):
    rows = by_period(table, WHEN, seed=0)
    every = rows[(rows["people"] == ALL_OPEN) & (rows["method"] == MINIMAL)]
    assert every["n"].tolist() == [2, 2, 3, 3]
    assert every["exceptions"].tolist() == [2, 2, 3, 3]


def test_the_whole_year_adds_advice_and_top_ups(table):
    rows = totals(table, seed=0).set_index("method")
    assert rows["asked"].tolist() == [3, 3]
    assert rows.loc[MINIMAL, ["first", "top_ups", "total"]].tolist() == pytest.approx(
        [0.25, 0.4, 0.65]
    )
    assert rows.loc[INVARIANT, ["first", "top_ups", "total"]].tolist() == pytest.approx(
        [0.5, 0.15, 0.65]
    )
    assert rows.loc[INVARIANT, ["first_ratio", "ratio"]].tolist() == pytest.approx([2.0, 1.0])
    assert rows["topped"].to_dict() == {MINIMAL: 1.0, INVARIANT: 0.5}
    # one history says nothing about others
    assert rows[["lower", "upper", "ratio_lower"]].isna().all(axis=None)


def test_intervals_draw_histories_as_clusters(world):
    # in half of the histories everybody's promise is kept, in the others nobody's
    exact, models = world
    facts = pd.DataFrame([(0, MINIMAL, p, "minimal", 0.1) for p in "abcdef"], columns=COLUMNS)
    parts = [
        through(facts, np.full((6, 1), 2.0 if h % 2 else 6.0), models, exact).assign(history=h)
        for h in range(8)
    ]
    row = totals(pd.concat(parts), seed=0).iloc[0]
    assert row["kept"] == 0.5
    assert (row["lower"], row["upper"]) == pytest.approx((0.125, 0.875), abs=0.13)
    alone = pd.concat([part.assign(history=0) for part in parts])
    alone["person"] = alone["person"] + alone.groupby(["person", "period"]).cumcount().astype(str)
    counted = Counted(alone, seed=0)
    assert not counted.weights.any()


def test_a_method_that_answers_too_few_is_left_out_and_its_numbers_are_missing(world):
    nan = float("nan")
    given = [(0, MINIMAL, who, 6, 0.2) for who in "abc"]
    given += [
        (0, TOGETHER, "a", 2, 0.5),
        (0, TOGETHER, "b", nan, nan),
        (0, TOGETHER, "c", nan, nan),
    ]
    rows = totals(promised(world, *given).assign(history=0), seed=0).set_index("method")
    assert rows.loc[MINIMAL, "n"] == 3
    assert rows.loc[TOGETHER, "answered"] == 1
    assert rows.loc[TOGETHER, ["kept", "total", "ratio"]].isna().all()


def test_people_for_whom_no_top_up_exists_are_counted_and_left_out_of_the_costs(world):
    exact, models = world
    stuck = sf.Schema((sf.Feature("late", "count", lower=5, upper=9),))
    strict = sf.MinimalCost(stuck, exact.percentiles, per_change=0.0)
    facts = pd.DataFrame([(0, MINIMAL, p, "minimal", 0.1) for p in "ab"], columns=COLUMNS)
    rows = through(facts, np.array([[6.0], [5.0]]), models, strict).assign(history=0)
    year = by_period(rows, WHEN, seed=0)
    assert year["beyond"].tolist() == [2, 0, 2, 2]
    assert year["paid"].tolist() == [0, 0, 0, 0]
    assert year["total"].isna().all()
    assert year["kept"].tolist() == [0.0, 0.5, 0.0, 0.0]
