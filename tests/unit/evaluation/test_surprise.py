from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest

import standfast as sf
from standfast.evaluation import repair

COUNTS = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))
GRID = pd.DataFrame({"a": np.arange(21), "b": np.arange(21)})
Q = sf.Percentiles.fit(GRID)
EXACT = sf.MinimalCost(COUNTS, Q, cost="l1", units=[1.0, 1.0])
F, G = sf.Linear([1.0, 0.0], -9.5), sf.Linear([0.0, 1.0], -9.5)
PEOPLE = pd.DataFrame({"a": [0, 5, 12, 12], "b": [0, 12, 4, 12]}, index=list("pqrs"))


def test_costs_ratios_and_means_are_what_counting_steps_gives():
    found = sf.surprise(F, G, PEOPLE, EXACT)
    table = found.advice("sparse")
    assert table["cost_f"].tolist() == [10, 5, 0, 0]
    assert table["cost_g"].tolist() == [10, 0, 6, 0]
    assert table["cost_joint"].tolist() == [20, 5, 6, 0]
    assert table["ratio"].tolist()[:2] == [0.5, 1.0]
    assert table["ratio"].isna().tolist() == [False, False, True, True]
    row = found.summary.loc["sparse"]
    assert (row["n_f"], row["n_g"], row["n_joint"]) == (2, 2, 3)
    assert row["mean_ratio"] == 0.75
    assert row["published"] == pytest.approx(7.5 / (31 / 3))
    assert "mean ratio 0.750 (n = 2)" in repr(found)


def test_a_broken_recommendation_is_repaired_from_the_advice_and_from_the_start():
    advice = sf.recommend(EXACT, F, PEOPLE)
    found = repair(advice, sf.Linear([1.0, 1.0], -16.5), EXACT)
    people = found.people
    # p was sent to (10, 0) and needs 7 more, 17 from the start; q to (10, 12), which is kept
    assert people["kept"].isna().tolist() == [False, False, True, True]
    assert people["kept"].tolist()[:2] == [False, True]
    assert (people.loc["p", "from_advice"], people.loc["p", "from_start"]) == (7.0, 17.0)
    assert people.loc["q", "from_advice_outcome"] == ""
    assert found.summary["broken"] == found.summary["kept"] == 1
    assert found.summary["extra_per_advised"] == 3.5
    assert "1 broken" in repr(found)


def test_no_joint_advice_counts_as_zero_and_no_advice_at_all_as_nothing():
    against = sf.Linear([-1.0, 0.0], 9.5)
    row = sf.surprise(F, against, PEOPLE, EXACT)
    table = row.advice("sparse")
    assert np.isinf(table["cost_joint"]).all()
    assert table["ratio"].tolist()[:2] == [0.0, 0.0]
    assert row.summary.loc["sparse", "infeasible_joint"] == 4
    assert np.isnan(row.summary.loc["sparse", "published"])
    assert row.repairs["sparse"].summary["broken"] == 2
    never = sf.Linear([0.0, 0.0], -1.0)
    nothing = sf.surprise(never, F, PEOPLE, EXACT)
    assert nothing.people["ratio"].isna().all()
    assert nothing.summary.loc["sparse", "n_ratio"] == 0
    assert nothing.summary.loc["sparse", "infeasible_f"] == 4
    assert nothing.repairs == {}


def test_a_cost_of_nothing_over_nothing_counts_as_one():
    # nobody stands between 0 and 100, so that the shift to 60 is free
    schema = sf.Schema((sf.Feature("a", "count"),))
    q = sf.Percentiles.fit(pd.DataFrame({"a": [0, 100]}))
    best = sf.MinimalCost(schema, q, per_change=0.0)
    models = sf.Linear([1.0], -50.5), sf.Linear([1.0], -59.5)
    table = sf.surprise(*models, pd.DataFrame({"a": [10]}), best).advice("sparse")
    assert table[["cost_f", "cost_joint", "ratio"]].to_numpy().tolist() == [[0.0, 0.0, 1.0]]


def test_both_camps_bracket_the_truth_when_the_search_is_cut_short(world):
    usual = IsolationForest(n_estimators=20, contamination=0.2, random_state=0)
    support = sf.as_score(usual.fit(world.train.table), world.test.schema, favourable=1)
    people = world.recs.factual[world.recs.found].head(40)
    whole = sf.surprise(world.f, world.g, people, world.best, support=support)
    hasty = replace(world.best, boxes=3)
    cut = sf.surprise(world.f, world.g, people, hasty, support=support, repairs=False)
    assert cut.summary["unproven_joint"].sum() > 0
    for kind in ("sparse", "support"):
        exact, rough = whole.advice(kind), cut.advice(kind)
        assert whole.summary.loc[kind, "unproven_joint"] == 0
        known = exact["ratio"].notna() & rough["ratio_lower"].notna()
        assert (rough.loc[known, "ratio_lower"] <= exact.loc[known, "ratio"] + 1e-9).all()
        assert (rough.loc[known, "ratio_upper"] >= exact.loc[known, "ratio"] - 1e-9).all()
        assert exact["ratio"].dropna().between(0, 1).all()
        finite = np.isfinite(exact["cost_joint"])
        assert (exact["cost_f"] <= exact["cost_joint"] + 1e-9)[finite].all()
        assert (exact["cost_g"] <= exact["cost_joint"] + 1e-9)[finite].all()
    assert cut.repairs == {}


def test_mixed_models_keep_the_ratio_at_most_one(world):
    # the joint lattice of a forest and a weighted sum is finer than the weighted sum's own
    people = world.test.table.head(80)
    found = sf.surprise(world.h, world.g, people, world.best, repairs=False)
    assert found.people["ratio"].dropna().between(0, 1).all()
    assert found.summary.loc["sparse", "n_ratio"] > 5


def test_repairs_cost_what_a_search_from_there_costs(world):
    found = repair(world.recs, world.g, world.best)
    broken = found.people["kept"].notna() & ~found.people["kept"].fillna(True).astype(bool)
    assert broken.sum() > 3
    sent = world.recs.counterfactual[broken].astype(world.recs.factual.dtypes)
    again = sf.recommend(world.best, world.g, sent)
    np.testing.assert_allclose(found.people.loc[broken, "from_advice"], again.cost)
    stayed = sf.recommend(world.best, world.g, world.recs.factual[broken])
    np.testing.assert_allclose(found.people.loc[broken, "from_start"], stayed.cost)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"f": sf.Linear([0.0, 0.0], 1.0)}, "refuses none of the 4 people.*class_weight"),
        ({"g": sf.Linear([1.0], 1.0)}, "the rival reads 1 inputs and the people have 2"),
        ({"method": sf.GrowingSpheres(COUNTS, Q)}, "GrowingSpheres; surprise needs proven costs"),
    ],
)
def test_misuse_is_refused_before_any_search(change, sentence):
    given = {"f": F, "g": G, "people": PEOPLE, "method": EXACT} | change
    with pytest.raises(sf.InputError, match=sentence):
        sf.surprise(**given)


def test_recommendations_of_other_inputs_are_not_repaired(world):
    with pytest.raises(sf.InputError, match="different inputs"):
        repair(world.recs, F, EXACT)
