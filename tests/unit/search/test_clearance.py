"""Clearances are on the raw scale: extreme thresholds lose no advice, and none is refused."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from samples.every import every
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

import standfast as sf

THRESHOLDS = (0.001, 0.5, 0.999, 0.9999)
D, VALUES = 4, 6


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, VALUES, (1500, D)), columns=list("abcd"))
    y = (X.sum(axis=1) + rng.normal(0, 0.6, len(X)) > 9).astype(int)
    schema = sf.Schema([sf.Feature(name, "count") for name in X])
    return X, y, schema, every([range(VALUES)] * D).astype(float)


@pytest.fixture(
    scope="module",
    params=[
        XGBClassifier(n_estimators=80, max_depth=3, n_jobs=1, random_state=0),
        LGBMClassifier(n_estimators=80, num_leaves=8, n_jobs=1, verbose=-1, random_state=0),
        LogisticRegression(C=1e4, max_iter=5000),
    ],
    ids=lambda model: type(model).__name__,
)
def estimator(request, world):
    X, y, _, _ = world
    return request.param.fit(X, y)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("favourable", [0, 1])
def test_the_cheapest_advice_is_what_the_estimator_itself_accepts_cheapest(
    world, estimator, threshold, favourable
):
    X, _, schema, everything = world
    f = sf.as_score(estimator, schema, favourable=favourable, threshold=threshold)
    q = sf.Percentiles.fit(X)
    p = estimator.predict_proba(pd.DataFrame(everything, columns=list(X)))[:, favourable]
    yes = everything[np.asarray(p, dtype=float) > threshold]
    refused = X[~f.accepts(schema.matrix(X))].head(12)
    if refused.empty:  # at so low a threshold
        assert (f.score(schema.matrix(X)) > 0).all()
        return
    recs = sf.recommend(sf.MinimalCost(schema, q, per_change=0.0), f, refused)
    assert not (recs.outcome == "unsound").any()
    for x, outcome, cost in zip(schema.matrix(refused), recs.outcome, recs.cost, strict=True):
        if not len(yes):
            assert outcome == "infeasible"
            continue
        best = q.total(np.broadcast_to(x, yes.shape), yes).min()
        assert (outcome, cost) == ("minimal", pytest.approx(best))


def test_rounding_in_32_bits_hides_little_of_the_raw_value():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(2000, 8)), columns=list("abcdefgh"))
    labels = (wide.sum(axis=1) + rng.normal(0, 1, len(wide)) > 0).astype(int)
    model = XGBClassifier(n_estimators=120, max_depth=4, n_jobs=1).fit(wide, labels)
    inputs = sf.Schema([sf.Feature(name) for name in wide])
    for threshold, most in ((0.5, 1e-6), (0.999, 3e-4), (0.9999, 3e-3)):
        f = sf.as_score(model, inputs, favourable=1, threshold=threshold)
        assert 0.0 < f.sure_cutoff() - f.cutoff() < most


def test_a_threshold_that_is_attained_withholds_nothing_and_depends_on_no_company(world):
    X, y, schema, _ = world
    model = XGBClassifier(n_estimators=80, max_depth=3, n_jobs=1, random_state=0).fit(X, y)
    p = np.sort(np.unique(model.predict_proba(X)[:, 1].astype(float)))
    for threshold in p[[len(p) // 3, len(p) // 2, 2 * len(p) // 3]]:
        f = sf.as_score(model, schema, favourable=1, threshold=float(threshold))
        people = X[model.predict_proba(X)[:, 1] <= threshold].head(40)
        q = sf.Percentiles.fit(X)
        for method in (sf.GrowingSpheres(schema, q), sf.MinimalCost(schema, q)):
            recs = sf.recommend(method, f, people)
            assert not recs.outcome.isin(["unsound", "already_favourable"]).any()
        near = X[np.abs(model.predict_proba(X)[:, 1] - threshold) < 1e-6]
        together = f.accepts(schema.matrix(near))
        alone = [bool(f.accepts(schema.matrix(near.iloc[[i]]))[0]) for i in range(len(near))]
        assert together.tolist() == alone
