"""The ways to repair side by side."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.promises import Promises
from standfast.promises.repair import (
    broken_by,
    compare_repairs,
    compare_some_repairs,
    honour,
    retrain,
    top_up,
)
from standfast.promises.repair.compare import COLUMNS


@pytest.fixture(scope="module")
def table(promised):
    model = RandomForestClassifier(9, max_depth=4, random_state=0)
    found = retrain(model, promised.train, promised.promises, keep=1.0)
    return compare_repairs(
        promised.promises,
        promised.f,
        promised.g,
        promised.q,
        retrained=found,
        held_out=promised.held,
    )


def test_every_way_has_its_row_and_the_columns_are_those_that_were_promised(table):
    assert tuple(table.columns) == COLUMNS
    ways = table[["way", "start", "under"]].agg(" ".join, axis=1).str.strip().tolist()
    assert ways == [
        "top up advice g",
        "top up advice f and g",
        "top up factual g",
        "top up factual f and g",
        "honour",
        "retrain  leaf values",
    ]


def test_the_numbers_are_those_of_the_ways_themselves(promised, table):
    broken = broken_by(promised.g, promised.promises)
    assert (table["broken"] == broken.sum()).all()
    for row, (start, champion) in zip(
        table.iloc[:4].itertuples(),
        [(s, c) for s in ("advice", "factual") for c in (None, promised.f)],
        strict=True,
    ):
        own = top_up(
            promised.promises, promised.g, promised.best, champion=champion, start=start
        ).summary
        assert row.mean_cost == own["mean_cost"]
        assert row.repaired == own["repaired"]
        assert row.impossible == own["impossible"] / broken.sum()
        assert row.share_lower <= row.share <= row.share_upper
    honoured = table[table["way"] == "honour"].iloc[0]
    assert honoured["mean_risk"] == honour(promised.promises, promised.g).summary["mean_risk"]
    assert honoured["share"] == 1
    retrained = table[table["way"] == "retrain"].iloc[0]
    assert retrained["share"] == 1
    assert retrained["people"] == len(promised.held)
    assert np.isclose(
        retrained["accepted_change"], retrained["newly_accepted"] - retrained["newly_refused"]
    )


def test_of_a_model_that_was_retrained_for_all_only_the_given_promises_count(promised, table):
    model = RandomForestClassifier(9, max_depth=4, random_state=0)
    found = retrain(model, promised.train, promised.promises, keep=1.0)
    broken = promised.promises[broken_by(promised.g, promised.promises)]
    part = compare_repairs(broken[3:9], None, promised.g, promised.q, retrained=found)
    assert (part["repaired"] <= 6).all()
    assert part["share"].iloc[-1] == 1
    assert part["people"].isna().all()


def test_without_a_champion_only_the_candidate_is_asked(promised):
    table = compare_repairs(promised.promises, None, promised.g, promised.q)
    assert set(table["under"]) == {"g", ""}
    assert len(table) == 3


def test_where_nothing_is_broken_nothing_costs(promised):
    table = compare_repairs(promised.promises, promised.f, promised.f, promised.q)
    assert (table["broken"] == 0).all()
    assert (table["repaired"] == 0).all()
    assert table["share"].isna().all()


def test_what_cannot_be_compared_is_refused(promised):
    given = promised.promises, promised.f, promised.g, promised.q
    with pytest.raises(sf.InputError, match="pass what retrain"):
        compare_repairs(*given, retrained="g2")
    found = retrain(
        RandomForestClassifier(3, max_depth=2, random_state=0), promised.train, given[0][:12]
    )
    with pytest.raises(sf.InputError, match="for 12 promises"):
        compare_repairs(*given, retrained=found)
    whole = retrain(
        RandomForestClassifier(3, max_depth=2, random_state=0), promised.train, given[0], keep=0.5
    )
    with pytest.raises(sf.InputError, match="held_out is a str"):
        compare_repairs(*given, retrained=whole, held_out="people.csv")
    with pytest.raises(sf.InputError, match="percentiles is a DataFrame"):
        compare_repairs(*given[:3], promised.train.table)


def test_an_estimate_tries_some_of_the_broken_promises_and_none_where_nothing_is_broken():
    people = pd.DataFrame({"late": np.arange(40)})
    q, f = sf.Percentiles.fit(people), sf.Linear([-1.0], 9.5)
    best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), q)
    promised = Promises.of(sf.recommend(best, f, people))
    whole = compare_repairs(promised, f, sf.Linear([-1.0], 4.5), q)
    some = compare_some_repairs(promised, f, sf.Linear([-1.0], 4.5), q, most=7)
    assert whole["broken"].eq(30).all()
    assert some["broken"].eq(7).all()
    assert some["mean_cost"][0] == pytest.approx(whole["mean_cost"][0])  # all stand at one point
    assert not len(compare_some_repairs(promised, f, f, q))
