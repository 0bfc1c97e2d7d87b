"""What the paper's propositions and facts give, and where they are corrected."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import standfast as sf
from standfast import bounds

VECTORS = arrays(np.float64, 12, elements=st.floats(-5, 5, allow_subnormal=False))
LABELS = arrays(np.int64, 12, elements=st.sampled_from([-1, 1]))


@given(VECTORS, VECTORS)
def test_the_residual_is_half_of_the_discrepancy_less_both_scores(f, g):
    refused = (f <= 0) | (g <= 0)
    if not refused.any():
        return
    found = bounds.residual([f, g], alpha=1.0)
    r = np.maximum(-f, -g)[refused]
    assert (r >= 0).all()
    assert np.abs(r - 0.5 * (np.abs(f - g) - f - g)[refused]).max() < 1e-12
    identity = 0.5 * (found.terms["delta"] - found.terms["mean of f + g"])
    assert found.terms["mean residual"] == pytest.approx(identity, abs=1e-12)


@given(VECTORS, LABELS, st.floats(0.1, 10))
def test_with_one_model_twice_the_published_bound_is_twice_lemma_1(f, y, alpha):
    # remark 1 says that it recovers the lemma; it is off by two
    if not (f <= 0).any():
        return
    twice = bounds.published(f, f, y, alpha).total
    assert twice == pytest.approx(2 * bounds.single_model(f, y, alpha).total, rel=1e-12)


@given(VECTORS, LABELS)
def test_inside_the_refused_the_risk_is_the_false_omission_rate_and_c_max_overpays(f, y):
    if not (f <= 0).any():
        return
    found = bounds.single_model(f, y, 1.0)
    assert found.terms["risk of f"] == found.terms["pi_f"]
    exact = -(found.terms["false negatives of f"] + found.terms["true negatives of f"])
    assert found.terms["mean residual"] == pytest.approx(exact, abs=1e-12)
    assert found.total >= found.terms["mean residual"] - 1e-12


@given(VECTORS, VECTORS, st.floats(0.05, 1.0))
def test_the_expected_power_is_at_most_the_power_of_the_expectation(f, g, gamma):
    if not ((f <= 0) | (g <= 0)).any():
        return
    found = bounds.residual([f, g], 2.0, gamma)
    assert found.total <= found.terms["Jensen"] * (1 + 1e-12)


@given(VECTORS, VECTORS, LABELS, st.floats(0.05, 1.0))
def test_our_bound_is_never_above_the_published_one(f, g, y, gamma):
    # r ≤ |f| 1[f ≤ 0] + |g| 1[g ≤ 0], and a mean over A is at most the mean over a part of it
    if not ((f <= 0) | (g <= 0)).any():
        return
    ours = bounds.residual([f, g], 2.0, gamma).total
    assert ours <= bounds.published(f, g, y, 2.0, gamma).total * (1 + 1e-9) + 1e-9


def test_fact_5_does_not_hold():
    # it claims P(y = 1 | both refuse) ≤ P(y = 1 | f refuses); proposition 2′ does without it
    f, g = np.array([-1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    y = np.array([1, -1, -1])
    both = (f <= 0) & (g <= 0)
    shown = bounds.published(f, g, y, 1.0).terms
    assert (y[both] == 1).mean() == 1.0 > shown["pi_f"] == shown["pi_g"] == 0.5


# proposition 1


def test_advice_on_the_data_may_cost_far_more_than_twice_the_sparse():
    # the data are the unit circle, x = (1, 0); accepted are x_0 > 1.05 and x_0 < −0.9
    angles = np.linspace(0, 2 * np.pi, 400_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    reachable = circle[(circle[:, 0] > 1.05) | (circle[:, 0] < -0.9)]
    c_support = np.linalg.norm(reachable - [1.0, 0.0], axis=1).min()
    c_sparse = 0.05
    assert c_support == pytest.approx(1.95, abs=0.005)
    assert c_support / c_sparse > 38
    # what does hold
    detour = np.linalg.norm(reachable - [1.05, 0.0], axis=1).min()
    assert c_sparse <= c_support <= c_sparse + detour


def jump(values):
    return np.where((values > 105) | (values < -90), 1.0, -1.0)


def near(values):
    return np.where(np.abs(values) <= 100, 1.0, -1.0)


def test_the_exact_search_finds_the_same_counterexample_on_a_line():
    schema = sf.Schema((sf.Feature("a", "real", lower=-200, upper=200, step=1.0),))
    q = sf.Percentiles.fit(pd.DataFrame({"a": np.arange(-200.0, 201.0)}))
    f, support = sf.Additive([jump], 0.0), sf.Additive([near], 0.0)
    best = sf.MinimalCost(schema, q, cost="l1", units=[1.0])
    person = pd.DataFrame({"a": [100.0]})
    found = sf.surprise(f, f, person, best, support=support)
    sparse, held = (found.advice(kind)["cost_f"] for kind in ("sparse", "support"))
    assert (sparse.iloc[0], held.iloc[0]) == (6.0, 191.0)


# definition 4 and proposition 3

COUNTS = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))
GRID = pd.DataFrame({"a": np.arange(21), "b": np.arange(21)})
REACHES_A, REACHES_B = sf.Linear([1.0, 0.0], -9.5), sf.Linear([0.0, 1.0], -9.5)


def exact():
    q = sf.Percentiles.fit(GRID)
    return sf.MinimalCost(COUNTS, q, cost="l1", units=[1.0, 1.0])


def test_the_published_surprise_can_exceed_one_where_the_ratio_of_each_person_cannot():
    # one person far from f, nine who are refused by g alone and need a single step
    people = pd.DataFrame({"a": [0] + [12] * 9, "b": [12] + [9] * 9})
    found = sf.surprise(REACHES_A, REACHES_B, people, exact())
    row = found.summary.loc["sparse"]
    assert row["published"] == pytest.approx(10 / ((10 + 9) / 10))
    assert (row["n_published_above"], row["n_published_below"]) == (1, 10)
    assert (row["mean_ratio"], row["n_ratio"]) == (1.0, 1)


def test_one_model_twice_refutes_the_lower_bound_behind_proposition_3():
    # its proof needs E c*(f) + E c*(g) + α Δ ≤ E c*(f, g)
    people = pd.DataFrame({"a": [0, 3, 12], "b": [12, 0, 3]})
    row = sf.surprise(REACHES_A, REACHES_A, people, exact()).summary.loc["sparse"]
    assert (
        row["mean_cost_f"] + row["mean_cost_g"]
        == 2 * row["mean_cost_joint"]
        > row["mean_cost_joint"]
    )
    assert row["mean_ratio"] == row["published"] == 1.0
