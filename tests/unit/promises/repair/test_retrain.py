"""Retraining: promises hold, the minimum is one, and what cannot be is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from scipy.optimize import minimize, nnls
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import standfast as sf
from standfast.promises import Promises
from standfast.promises.repair import (
    AdaptiveWeights,
    LeafValues,
    LinearConstraints,
    PromiseRows,
    retrain,
)
from standfast.promises.repair.task import Task
from standfast.rivals.encoding import encoded

LINEAR = make_pipeline(StandardScaler(), LogisticRegression(C=0.5, class_weight="balanced"))
TREES = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    RandomForestClassifier(9, max_depth=4, random_state=0),
    make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0)),
    GradientBoostingClassifier(n_estimators=12, random_state=0),
    HistGradientBoostingClassifier(max_iter=12, random_state=0),
]


def kind(model):
    return type(getattr(model, "steps", [(0, model)])[-1][1]).__name__


@pytest.mark.parametrize("keep", [0.9, 1.0])
@pytest.mark.parametrize("model", [LINEAR, *TREES], ids=kind)
def test_at_least_so_many_promises_hold_by_the_estimators_own_prediction(promised, model, keep):
    found = retrain(model, promised.train, promised.promises, keep=keep)
    assert found.by == ("constraints" if model is LINEAR else "leaf values")
    table = pd.DataFrame(promised.promises.point, columns=promised.train.schema.names)
    own = found.estimator.predict_proba(table)[:, 1] > 0.5
    assert own.mean() >= keep
    assert found.reached
    assert (found.promises["after"] == own).all()
    assert found.promises["before"].mean() < 0.9
    assert type(found.estimator) is type(model)
    assert str(int(own.sum())) in found.sentence


@pytest.mark.parametrize("model", [LINEAR, *TREES], ids=kind)
def test_what_was_given_is_left_as_it_was_and_the_same_seed_gives_the_same(promised, model):
    before = str(model.get_params())
    one, two = (retrain(model, promised.train, promised.promises, seed=4) for _ in range(2))
    assert one.score.digest == two.score.digest
    assert str(model.get_params()) == before
    assert not hasattr(model, "classes_")


def test_the_constrained_logistic_regression_is_the_minimum_of_another_solver(promised):
    found = retrain(LINEAR, promised.train, promised.promises, keep=1.0)
    scaler, model = found.estimator[0], found.estimator[-1]
    rows = scaler.transform(promised.train.table.astype(float))
    y = promised.train.labels.to_numpy()
    weights = len(y) / (2 * np.where(y == 1, (y == 1).sum(), (y == -1).sum()))
    A = np.column_stack([rows, np.ones(len(rows))])
    Z = pd.DataFrame(promised.promises.point, columns=promised.train.schema.names)
    P = np.column_stack([scaler.transform(Z), np.ones(len(Z))])

    def loss(theta):
        z = y * (A @ theta)
        value = 0.5 * weights @ np.logaddexp(0, -z) + 0.5 * theta[:-1] @ theta[:-1]
        slope = -0.5 * A.T @ (weights * y / (1 + np.exp(z)))
        return value, slope + np.append(theta[:-1], 0)

    ours = np.append(model.coef_.ravel(), model.intercept_)
    other = minimize(
        loss,
        ours + 0.1,
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda t: P @ t - 1e-5, "jac": lambda t: P},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert other.success
    assert loss(ours)[0] == pytest.approx(other.fun, rel=1e-6)
    assert np.allclose(ours, other.x, atol=2e-3)
    assert (P @ ours > 0).all()
    # the conditions of optimality: the slope is a non-negative sum of tight promises
    tight = P[P @ ours < 1e-4]
    pushes, rest = nnls(tight.T, loss(ours)[1])
    assert rest < 1e-3 * np.abs(loss(ours)[1]).max()
    assert pushes.max() > 0


def test_the_changed_leaves_are_the_least_change_of_another_solver(promised):
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    scheme = LeafValues(shrinkage=0.0)
    found = retrain(tree, promised.train, promised.promises, keep=1.0, by=scheme)
    X = promised.train.table.astype(float)
    old, new = found.ordinary.prediction.estimator, found.estimator
    # with one tree each leaf stands for itself: those with a broken promise rise to the threshold
    table = pd.DataFrame(promised.promises.point, columns=X.columns)
    needed = np.isin(old.apply(X), old.apply(table)[old.predict_proba(table)[:, 1] <= 0.5])
    before, after = (model.predict_proba(X)[:, 1] for model in (old, new))
    assert needed.any()
    assert np.allclose(after[needed], 0.5, atol=2e-3)
    assert (after[needed] > 0.5).all()
    assert np.allclose(after[~needed], before[~needed], atol=1e-6)
    assert np.array_equal(old.tree_.threshold, new.tree_.threshold)


def test_a_forests_leaves_stay_shares(promised):
    found = retrain(TREES[1], promised.train, promised.promises, keep=1.0)
    shares = np.concatenate([one.tree_.value[:, 0, :] for one in found.estimator.estimators_])
    assert shares.min() >= 0
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("model", [LINEAR, TREES[1], TREES[4]], ids=kind)
def test_what_was_retrained_is_saved_and_loaded_as_any_other_model(promised, model, tmp_path):
    found = retrain(model, promised.train, promised.promises, keep=1.0)
    sf.save_model(found.estimator, tmp_path / "next.skops")
    back = sf.load_model(tmp_path / "next.skops")
    assert sf.as_score(back, promised.train.schema, favourable=1).digest == found.score.digest


@pytest.mark.parametrize("model", [LINEAR, TREES[1], TREES[4]], ids=kind)
def test_the_favourable_label_may_be_the_first_of_the_classes(promised, model):
    plain = retrain(model, promised.train, promised.promises, keep=1.0)
    named = retrain(
        model, promised.train, promised.promises, keep=1.0, classes=("refused", "accepted")
    )
    assert list(named.estimator.classes_) == ["accepted", "refused"]
    assert named.reached
    people = promised.train.schema.matrix(promised.held.table)
    assert (plain.score.accepts(people) == named.score.accepts(people)).mean() > 0.97


@pytest.mark.parametrize("model", [LINEAR, TREES[1], TREES[4]], ids=kind)
def test_a_threshold_of_ones_own_is_what_a_promise_must_exceed(promised, model):
    found = retrain(model, promised.train, promised.promises, keep=1.0, threshold=0.6)
    table = pd.DataFrame(promised.promises.point, columns=promised.train.schema.names)
    assert (found.estimator.predict_proba(table)[:, 1] > 0.6).all()


@pytest.mark.parametrize("by", [PromiseRows(), AdaptiveWeights(), AdaptiveWeights(True)])
def test_rows_and_weights_keep_more_than_an_ordinary_fit(promised, by):
    found = retrain(TREES[1], promised.train, promised.promises, keep=0.95, by=by)
    assert found.by == by.name
    assert found.promises["after"].sum() > found.promises["before"].sum()
    assert found.reached or "less than the 95.0% that were asked for" in found.sentence


@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        KNeighborsClassifier(3),
        XGBClassifier(n_estimators=8, n_jobs=1),
        LGBMClassifier(n_estimators=8, n_jobs=1, verbose=-1),
    ],
    ids=kind,
)
def test_any_other_classifier_gets_weights_or_repeated_rows(promised, model):
    found = retrain(model, promised.train, promised.promises, keep=0.9)
    assert found.by == "adaptive weights"
    assert found.promises["after"].sum() > found.promises["before"].sum()
    assert found.reached or "did not reach" in found.sentence


def test_repeated_rows_weigh_as_much_as_their_weight(promised):
    model = KNeighborsClassifier(1)
    task = Task.of(model, promised.train, promised.promises, (0, 1), None, 0)
    fitted = task.fit(task.X[:4], task.y[:4], np.array([1.0, 0.0, 3.2, 2.0]))
    assert len(fitted._fit_X) == 6


def test_a_fit_that_keeps_enough_is_left_alone(promised):
    found = retrain(TREES[1], promised.train, promised.promises, keep=0.05)
    assert found.by == "an ordinary fit"
    assert found.score.digest == found.ordinary.digest


def test_a_search_that_was_run_gives_its_best_model(promised):
    search = GridSearchCV(TREES[0], {"max_depth": [2, 3]}, cv=2)
    labels = (promised.train.labels == 1).astype(int)
    search.fit(promised.train.table, labels)
    found = retrain(search, promised.train, promised.promises)
    assert found.estimator.max_depth == search.best_params_["max_depth"]


def test_what_lies_below_a_regression_without_intercept_may_be_out_of_reach(promised):
    model = LogisticRegression(fit_intercept=False)
    far = promised.promises.point.copy()
    far[:2] = [[1, 0, 0, 0], [0, 0, 0, 0]]  # the origin is on the border whatever the weights
    promises = replace(promised.promises, point=far)
    found = retrain(model, promised.train, promises, keep=1.0)
    assert not found.reached
    assert "honour the others" in found.sentence


@pytest.mark.parametrize("keep", [0, 1.2, -0.5, np.nan, "most", True, None])
def test_a_share_to_keep_must_be_one(promised, keep):
    with pytest.raises(sf.InputError, match="above 0 and at most 1"):
        retrain(LINEAR, promised.train, promised.promises, keep=keep)


def test_what_cannot_be_retrained_is_refused_with_a_sentence(promised):
    train, promises = promised.train, promised.promises
    one = sf.Dataset(train.table, train.labels * 0 + 1, train.schema, "good people")
    other = sf.Dataset(
        train.table[["late"]], train.labels, sf.Schema(train.schema.features[:1]), "one input"
    )
    refused = {
        "a score, which cannot be fitted again": (promised.g, train, promises),
        "is a class; pass an instance": (RandomForestClassifier, train, promises),
        "no fit and get_params": (lambda table: 1, train, promises),
        "predicts a number": (LinearRegression(), train, promises),
        "has no labels to learn from": (LINEAR, train.table, promises),
        "0 of 600 are unfavourable": (LINEAR, one, promises),
        "use one schema": (LINEAR, other, promises),
        "there are no promises": (LINEAR, train, promises[:0]),
        "the promises are a DataFrame": (LINEAR, train, train.table),
        "could not be fitted": (RandomForestClassifier(0), train, promises),
    }
    for said, given in refused.items():
        with pytest.raises(sf.InputError, match=said):
            retrain(*given)
    with pytest.raises(sf.InputError, match="pass a scheme"):
        retrain(LINEAR, train, promises, by="leaves")
    with pytest.raises(sf.InputError, match="cannot retrain"):
        retrain(LINEAR, train, promises, by=LeafValues())
    with pytest.raises(sf.InputError, match="cannot retrain"):
        retrain(clone(TREES[0]), train, promises, by=LinearConstraints())
    with pytest.raises(sf.InputError, match="the unfavourable one first"):
        retrain(LINEAR, train, promises, classes=(1, 1))
    with pytest.raises(sf.InputError, match="seed is -1"):
        retrain(LINEAR, train, promises, seed=-1)


@pytest.mark.parametrize("last", [LogisticRegression(), TREES[0], TREES[4], GaussianNB()], ids=kind)
def test_categories_and_gaps_are_retrained_as_they_are_fitted(last):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "job": rng.choice(["clerk", "nurse", "none"], 300),
            "income": np.where(rng.random(300) < 0.1, np.nan, rng.integers(0, 9, 300)),
        }
    )
    schema = sf.Schema(
        (
            sf.Feature("job", "nominal", categories=("clerk", "nurse", "none")),
            sf.Feature("income", "count", lower=0, upper=9, when_missing="keep"),
        )
    )
    good = (table["income"].fillna(3) + 2 * (table["job"] == "nurse") + rng.normal(size=300)) > 5
    data = sf.Dataset(table, good.map({True: 1, False: -1}), schema, "mixed")
    rule = sf.Rule("income >= 4", schema)
    best = sf.MinimalCost(schema, sf.Percentiles.fit(table))
    promises = Promises.of(sf.recommend(best, rule, table.head(80)))
    found = retrain(encoded(last, schema), data, promises, keep=1.0)
    assert found.promises["before"].mean() < 0.9
    assert found.promises["after"].sum() > found.promises["before"].sum()
    assert found.reached or found.by == "adaptive weights"
