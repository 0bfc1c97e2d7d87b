"""The frontier: more promises kept, judged by people that no fit has seen."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import standfast as sf
from standfast.promises.repair import retrain, retraining_frontier, swap_set

FOREST = RandomForestClassifier(9, max_depth=4, random_state=0)


def test_the_frontier_shows_what_keeping_more_costs_others(promised):
    table = retraining_frontier(
        FOREST, promised.train, promised.promises, keeps=(1.0, 0.8), held_out=promised.held
    )
    assert table["by"].tolist() == ["ordinary", "another seed", "leaf values", "leaf values"]
    assert table["keep"].tolist()[2:] == [0.8, 1.0]
    assert (table["kept"][2:] >= table["keep"][2:]).all()
    assert (table["people"] == len(promised.held)).all()
    first = table.iloc[0]
    assert first[["newly_accepted", "newly_refused", "auc_change"]].eq(0).all()
    change = table["newly_accepted"] - table["newly_refused"]
    assert np.allclose(change, table["accepted"] - table["accepted_before"])
    assert np.allclose(table["auc"] - table["auc"].iloc[0], table["auc_change"])
    assert table["kept_lower"].lt(table["kept"]).all()


def test_the_row_of_a_share_is_what_retrain_gives(promised):
    table = retraining_frontier(
        FOREST, promised.train, promised.promises, keeps=[0.95], held_out=promised.held, seed=3
    )
    found = retrain(FOREST, promised.train, promised.promises, keep=0.95, seed=3)
    assert table["kept"].iloc[-1] == found.kept
    X = promised.held.schema.matrix(promised.held.table)
    before, after = found.ordinary.accepts(X), found.score.accepts(X)
    assert table["newly_accepted"].iloc[-1] == (after & ~before).mean()
    assert table["newly_refused"].iloc[-1] == (before & ~after).mean()
    area = roc_auc_score(promised.held.labels, found.score.score(X))
    assert table["auc"].iloc[-1] == pytest.approx(area)


def test_without_people_to_judge_by_a_quarter_of_the_data_is_set_aside(promised):
    model = LogisticRegression()
    table = retraining_frontier(model, promised.train, promised.promises, keeps=[1.0])
    assert (table["people"] == 150).all()
    assert table["by"].tolist() == ["ordinary", "constraints"]  # nothing was drawn at random


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"held_out": 3}, "held_out is an int"),
        ({"keeps": [0.0]}, "above 0 and at most 1"),
        ({"data": "train.csv"}, "has no labels to learn from"),
    ],
)
def test_what_gives_no_frontier_is_refused(promised, change, said):
    given = {"estimator": FOREST, "data": promised.train, "promises": promised.promises} | change
    with pytest.raises(sf.InputError, match=said):
        retraining_frontier(**given)


def test_people_held_out_are_not_those_of_the_training(promised):
    with pytest.raises(sf.InputError, match="the training table itself"):
        retraining_frontier(FOREST, promised.train, promised.promises, held_out=promised.train)


def test_the_swap_set_needs_both_kinds_of_people(promised):
    held = promised.held
    good = sf.Dataset(held.table, held.labels * 0 + 1, held.schema, "good")
    with pytest.raises(sf.InputError, match="models and their risk need both kinds"):
        swap_set(promised.f, promised.g, good)
