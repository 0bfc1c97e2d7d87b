import pickle
import warnings

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    PassiveAggressiveClassifier,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.scores import Linear
from standfast.scores.score import LOGISTIC

MODELS = {
    "logistic regression": lambda: LogisticRegression(),
    "logistic regression, cross-validated": lambda: LogisticRegressionCV(
        Cs=2, cv=2, scoring="accuracy", l1_ratios=(0,), use_legacy_attributes=False
    ),
    "logistic regression by gradient": lambda: SGDClassifier(loss="log_loss", random_state=0),
    "discriminant": LinearDiscriminantAnalysis,
    "support vectors": LinearSVC,
    "support vectors, linear kernel": lambda: SVC(kernel="linear", C=0.01),
    "ridge": lambda: RidgeClassifier(fit_intercept=False),
    "ridge, cross-validated": RidgeClassifierCV,
    "hinge by gradient": lambda: SGDClassifier(random_state=0),
    "perceptron": lambda: Perceptron(random_state=0),
    "passive-aggressive": lambda: PassiveAggressiveClassifier(random_state=0),
}
FRONTS = {
    "standard": StandardScaler,
    "range": lambda: MinMaxScaler((-1, 2)),
    "maximum": MaxAbsScaler,
    "robust": RobustScaler,
    "nested": lambda: make_pipeline(make_pipeline(StandardScaler(), "passthrough"), MaxAbsScaler()),
    "filled": lambda: make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    "selected": lambda: make_pipeline(StandardScaler(), SelectKBest(k=4)),
    "by column": lambda: ColumnTransformer(
        [("a", StandardScaler(), [6, 1]), ("b", "drop", [0]), ("c", RobustScaler(), [3])],
        remainder="passthrough",
    ),
}


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence and deprecations are not what is tested
        return estimator.fit(X, y)


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_the_weights_repeat_the_estimators_own_numbers_on_every_row(credit, name, framed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = make_pipeline(StandardScaler(), MODELS[name]())
    estimator = fitted(estimator, credit.table if framed else credit.table.values, credit.labels)
    X = credit.fresh.to_numpy()
    rows = credit.fresh if framed else X
    for favourable, threshold in ((1, 0.3), (0, 0.7)):
        model = as_score(estimator, credit.schema, favourable=favourable, threshold=threshold)
        assert isinstance(model, Linear)
        decision = estimator.decision_function(rows) * (1 if favourable == 1 else -1)
        np.testing.assert_allclose(model.raw(X), decision, rtol=1e-9, atol=1e-9)
        if model.probability:
            decision = estimator.predict_proba(rows)[:, favourable]
        assert model.probability == hasattr(estimator, "predict_proba")
        np.testing.assert_allclose(model.score(X), decision - threshold, rtol=1e-9, atol=1e-9)
        assert np.array_equal(model.accepts(X, 0.05), decision - threshold > 0.05)


@pytest.mark.parametrize("name", FRONTS)
def test_scalers_are_folded_into_weights_in_table_units(credit, name):
    estimator = make_pipeline(FRONTS[name](), LogisticRegression(max_iter=3000))
    fitted(estimator, credit.table.to_numpy(), credit.labels)
    model = as_score(estimator, credit.schema, favourable=1)
    X = credit.fresh.to_numpy()
    assert isinstance(model, Linear)
    np.testing.assert_allclose(model.raw(X), estimator.decision_function(X), rtol=1e-9, atol=1e-9)


def test_columns_read_by_name_may_be_fewer_and_in_another_order(credit):
    names = ["trend", "age", "late"]
    estimator = LogisticRegression().fit(credit.table[names], credit.labels)
    model = as_score(estimator, credit.schema, favourable=1)
    own = estimator.predict_proba(credit.fresh[names])[:, 1] - 0.5
    assert np.flatnonzero(model.weights).tolist() == [1, 2, 6]
    np.testing.assert_allclose(model.score(credit.fresh.to_numpy()), own, rtol=0, atol=1e-12)
    assert np.array_equal(model.accepts(credit.fresh.to_numpy()), own > 0)


def test_a_rows_score_does_not_depend_on_its_company_or_its_memory():
    rng = np.random.default_rng(0)
    model = Linear(rng.normal(size=20), 0.1)
    X = rng.normal(size=(301, 20))
    alone = np.concatenate([model.score(X[i : i + 1]) for i in range(len(X))])
    assert np.array_equal(model.score(X), alone)
    assert np.array_equal(model.score(np.asfortranarray(X)), alone)
    assert np.array_equal(model.score(X[::3]), alone[::3])


def test_it_pickles_and_its_fingerprint_knows_the_threshold():
    model = Linear([1.0, 2.0], 0.5, LOGISTIC, 0.5)
    assert pickle.loads(pickle.dumps(model)).digest == model.digest
    assert Linear([1.0, 2.0], 0.5, LOGISTIC, 0.6).digest != model.digest


def test_the_cutoff_is_the_raw_value_at_which_the_score_reaches_its_margin():
    model = Linear([1.0], 0.0, LOGISTIC, 0.6)
    raw = model.cutoff(0.1)
    assert model.score(np.array([[raw]])) == pytest.approx([0.1])
    assert model.cutoff(0.5) == np.inf


def test_no_rows_give_no_scores(credit):
    estimator = LogisticRegression(max_iter=3000).fit(credit.table[["age"]], credit.labels)
    model = as_score(estimator, credit.schema, favourable=1)
    assert len(model.score(np.empty((0, 7)))) == len(model.accepts(np.empty((0, 7)))) == 0


@pytest.mark.parametrize(
    ("weights", "offset", "link", "sentence"),
    [
        ([1.0, np.nan], 0.0, None, "weight 1 is nan; weights must be finite"),
        ([[1.0]], 0.0, None, r"the shape \(1, 1\); give one number per input"),
        ([], 0.0, None, "give one number per input"),
        (["a"], 0.0, None, "weights must be numbers"),
        ([1.0], np.inf, None, "the offset is inf; it must be a finite number"),
        ([1.0], 0.0, LOGISTIC, "the threshold is 0, but a probability is compared with it"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(weights, offset, link, sentence):
    with pytest.raises(InputError, match=sentence):
        Linear(weights, offset, **({"link": link} if link else {}))


def test_a_matrix_of_another_width_is_refused():
    with pytest.raises(
        InputError, match=r"reads 2 inputs but was given a matrix of shape \(1, 3\)"
    ):
        Linear([1.0, 2.0], 0.0).score(np.zeros((1, 3)))
