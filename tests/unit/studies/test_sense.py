"""How much advice is odd in a study, and what the rivals keep of it."""

import numpy as np
import pytest
from scipy import stats

from standfast.evaluation.intervals import bootstrap_difference
from standfast.studies.sense import _compared

RNG = np.random.default_rng(0)


def compared(plain, odd, **kinds):
    shares = np.concatenate([plain, odd])
    who = np.arange(len(shares)) >= len(plain)
    return _compared(shares, {"perverse": who, "sensible": ~who}, seed=0).set_index("kind")


def test_sensible_advice_that_is_kept_more_often_is_found_and_the_other_way_round():
    low, high = RNG.beta(2, 5, 60), RNG.beta(5, 2, 80)
    row = compared(high, low).loc["perverse"]
    assert row["difference"] == pytest.approx(high.mean() - low.mean())
    assert (row["n_without"], row["n_with"], row["verdict"]) == (80, 60, "holds")
    assert compared(low, high).loc["perverse", "verdict"] == "does not hold"


def test_what_chance_may_explain_is_undecided_and_so_is_what_few_people_show():
    same = RNG.random(50)
    assert compared(same, RNG.permutation(same)).loc["perverse", "verdict"] == "undecided"
    assert compared(np.ones(50), np.zeros(4)).loc["perverse", "verdict"] == "undecided"
    assert compared(np.ones(50), np.zeros(5)).loc["perverse", "verdict"] == "holds"
    nobody = compared(np.ones(50), np.empty(0)).loc["perverse"]
    assert np.isnan(nobody["difference"])
    assert nobody["verdict"] == "undecided"


def test_the_interval_of_a_difference_is_an_independent_bootstrap_s():
    some, others = RNG.normal(1.0, 1.0, 70), RNG.normal(0.0, 2.0, 40)
    found = bootstrap_difference(some, others)
    expected = stats.bootstrap(
        (some, others),
        lambda a, b: a.mean() - b.mean(),
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found[0] == pytest.approx(some.mean() - others.mean())
    assert found[1:] == pytest.approx((expected.low, expected.high), abs=0.08)


def test_the_tables_agree_with_those_of_advice_and_transfer(small):
    _, found = small
    tables = found.tables
    sense, kept = tables["sense"], tables["sense_transfer"]
    assert set(sense["kind"]) == {"against", "broken", "small", "unseen", "perverse", "sensible"}
    means = tables["transfer_means"]
    for (data, reference, method), rows in kept.groupby(["data", "reference", "method"]):
        mine = {"data": data, "reference": reference, "method": method}
        asked = tables["advice"].loc[
            (tables["advice"][list(mine)] == list(mine.values())).all(axis=1)
        ]
        n = asked["found"].sum()
        assert (rows["n_with"] + rows["n_without"] == n).all()
        own = means[(means[list(mine)] == list(mine.values())).all(axis=1)]
        transferred = own.loc[own["rivals"] == "all", "transfer"].iloc[0]
        sides = rows[["kept_with", "kept_without"]].fillna(0).to_numpy()
        weights = rows[["n_with", "n_without"]].to_numpy()
        np.testing.assert_allclose((sides * weights).sum(axis=1) / n, transferred)
        odd = sense[(sense[list(mine)] == list(mine.values())).all(axis=1)].set_index("kind")
        assert odd.loc["perverse", "people"] == rows.set_index("kind").loc["perverse", "n_with"]
        assert odd["changed"].iloc[0] == pytest.approx(asked["changed"].mean())
        assert (odd["all_moves"] == asked["changed"].sum()).all()
