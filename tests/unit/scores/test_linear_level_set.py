"""The level set of logistic regression as a value and as a score."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.scores.linear_level_set import LinearLevelSet, default_epsilon
from standfast.scores.score import CLEARANCE, surely_accepts


def people(n=300, d=3, seed=0, scale=10.0):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * np.arange(1, d + 1) * scale).round(2)
    logit = X @ (1.0 / (scale * np.arange(1, d + 1))) - 0.4
    y = np.where(rng.logistic(size=n) < logit, 1, -1)
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    schema = sf.Schema(tuple(sf.Feature(name, "real", step=0.01) for name in table))
    return sf.datasets.Dataset(table, pd.Series(y), schema, "made")


@pytest.mark.parametrize(("C", "balanced"), [(np.inf, False), (1.0, False), (0.05, True)])
def test_the_best_model_is_scikit_learns(C, balanced):
    data = people()
    plain = LogisticRegression(
        C=C, class_weight="balanced" if balanced else None, tol=1e-10, max_iter=5000
    )
    fitted = make_pipeline(StandardScaler(), plain).fit(data.table, data.labels)
    peer = sf.as_score(fitted, data.schema, favourable=1)
    found = LinearLevelSet.fit(data, C=C, balanced=balanced)
    assert np.allclose(found.best.weights, peer.weights, rtol=1e-4)
    assert found.best.offset == pytest.approx(peer.offset, rel=1e-4, abs=1e-5)
    assert found.excess(found.best) == pytest.approx(0.0, abs=1e-13)
    assert found.excess(peer) >= -1e-15


def test_the_default_is_the_likelihood_ratios_confidence_set():
    data = people(400, 3)
    found = LinearLevelSet.fit(data)
    assert found.epsilon == pytest.approx(chi2.ppf(0.95, 4) / 800)
    assert "95 % confidence set" in repr(found)
    assert default_epsilon(400, 4, 0.5) == pytest.approx(chi2.ppf(0.5, 4) / 800)
    for convention in (
        LinearLevelSet.fit(data, C=1.0),
        LinearLevelSet.fit(data, balanced=True),
        LinearLevelSet.fit(data, epsilon=0.01),
        found.at(0.01),
    ):
        assert "a convention" in repr(convention)


def test_scaling_is_private():
    data = people()
    larger = sf.datasets.Dataset(data.table * 1000.0 + 7.0, data.labels, data.schema, "larger")
    a, b = LinearLevelSet.fit(data), LinearLevelSet.fit(larger)
    X = data.schema.matrix(data.table)[:20]
    assert np.allclose(a.raw(X), b.raw(X * 1000.0 + 7.0), atol=1e-8)
    assert a.digest != b.digest


def test_at_zero_the_set_is_the_best_model_alone():
    data = people()
    found = LinearLevelSet.fit(data, epsilon=0.0)
    X = data.schema.matrix(data.table)
    assert np.allclose(found.score(X), found.best.score(X))


def test_the_worst_member_is_a_model_in_table_units_inside_the_set():
    data = people()
    found = LinearLevelSet.fit(data)
    for x in data.schema.matrix(data.table)[:20]:
        member = found.worst(x)
        assert 0.999 * found.epsilon < found.excess(member.model) <= found.epsilon
        assert member.model.raw(x[None])[0] == pytest.approx(member.raw, abs=1e-8)
        assert member.model.score(x[None])[0] == pytest.approx(member.score, abs=1e-8)
        assert member.score == pytest.approx(found.score(x[None])[0])
        near = found.nearly_worst(x)
        assert found.excess(near.model) <= found.epsilon
        assert near.raw >= member.raw - 1e-12


def test_acceptance_is_the_score_and_a_point_s_epsilon_max_is_where_it_ends():
    data = people()
    X = data.schema.matrix(data.table)[:60]
    found = LinearLevelSet.fit(data)
    assert (found.accepts(X) == (found.score(X) > 0)).all()
    assert (found.accepts(X, 0.05) == (found.score(X) > 0.05)).all()
    for margin in (0.0, 0.05):
        most = found.epsilon_max(X, margin)
        assert ((most > 0) == found.best.accepts(X, margin)).all()
        for x, epsilon in zip(X, most, strict=True):
            if epsilon > 0:
                assert found.at(epsilon * (1 - 1e-6)).accepts(x[None], margin)[0]
                assert not found.at(epsilon * (1 + 1e-6)).accepts(x[None], margin)[0]


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_a_search_gets_the_verdict_of_the_score_without_the_score(margin):
    data = people(400, 4)
    X = data.schema.matrix(people(600, 4, seed=1).table)
    for epsilon in (0.0, 0.001, 0.01, 0.05):
        found = LinearLevelSet.fit(data, epsilon=epsilon)
        sure = surely_accepts(found, X, margin)
        assert (sure == (found.score(X) > margin + CLEARANCE)).all()
        assert 0 < sure.sum() < len(X)


def test_from_void_on_a_constant_model_refuses_everybody():
    data = people()
    found = LinearLevelSet.fit(data, threshold=0.6)
    X = data.schema.matrix(data.table)
    assert not found.refusal.accepts(X).any()
    assert found.excess(found.refusal) == pytest.approx(found.void)
    assert (found.epsilon_max(X) <= found.void * (1 + 1e-9)).all()
    assert not found.at(found.void * 1.0001).accepts(X).any()


def test_it_is_a_score_that_pickles_and_does_not_change_its_input():
    data = people()
    found = LinearLevelSet.fit(data)
    assert isinstance(found, sf.Score)
    assert found.probability
    again = pickle.loads(pickle.dumps(found))
    X = data.schema.matrix(data.table)[:5]
    before = X.copy()
    assert (again.score(X) == found.score(X)).all()
    assert (before == X).all()
    assert again.digest == found.digest
    assert again.digest != found.at(0.5).digest


def test_models_that_are_not_determined_are_refused_unless_penalised():
    data = people()
    still = data.table.assign(x2=5.0)
    constant = sf.datasets.Dataset(still, data.labels, data.schema, "still")
    with pytest.raises(sf.InputError, match=r"input 'x2' never varies.*C=1"):
        LinearLevelSet.fit(constant)
    penalised = LinearLevelSet.fit(constant, C=1.0)
    assert penalised.best.weights[2] == pytest.approx(0.0, abs=1e-9)
    twice = sf.datasets.Dataset(
        data.table.assign(x2=2 * data.table["x1"]), data.labels, data.schema, "twice"
    )
    with pytest.raises(sf.InputError, match="repeat one another"):
        LinearLevelSet.fit(twice)
    apart = pd.Series(np.where(data.table["x0"] > 0, 1, -1))
    with pytest.raises(sf.InputError, match="separate the classes"):
        LinearLevelSet.fit(sf.datasets.Dataset(data.table, apart, data.schema, "apart"))


def test_bad_input_is_refused_with_a_sentence():
    data = people()
    with pytest.raises(sf.InputError, match=r"pass a standfast\.Dataset"):
        LinearLevelSet.fit(data.table)
    for epsilon in (-0.1, np.inf, np.nan, True, "small"):
        with pytest.raises(sf.InputError, match="epsilon is"):
            LinearLevelSet.fit(data, epsilon=epsilon)
    for C in (0.0, -1.0, np.nan, "strong"):
        with pytest.raises(sf.InputError, match="C is"):
            LinearLevelSet.fit(data, C=C)
    with pytest.raises(sf.InputError, match="threshold"):
        LinearLevelSet.fit(data, threshold=1.5)
    good = sf.datasets.Dataset(data.table, data.labels * 0 + 1, data.schema, "good")
    with pytest.raises(sf.InputError, match="all of one class"):
        LinearLevelSet.fit(good)
    found = LinearLevelSet.fit(data)
    with pytest.raises(sf.InputError, match="reads 3 inputs"):
        found.score(np.zeros((2, 4)))
    with pytest.raises(sf.InputError, match="linear model of 3 inputs"):
        found.excess(sf.Linear([1.0], 0.0))


def test_categories_in_no_order_and_gaps_are_refused_with_what_to_do():
    with pytest.raises(sf.InputError, match=r"credit_history.*grids\.linear\(schema="):
        LinearLevelSet.fit(sf.datasets.twin("german_credit", 100))
