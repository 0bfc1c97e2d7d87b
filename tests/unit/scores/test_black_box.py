import pickle

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.scores import BlackBox


def logs_of_all(table):
    return np.log1p(np.abs(table))


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(3),
        make_pipeline(StandardScaler(), PCA(3), LogisticRegression()),
        make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(max_iter=5000)),
        make_pipeline(FunctionTransformer(logs_of_all), LogisticRegression(max_iter=5000)),
        make_pipeline(StandardScaler(), SGDClassifier(loss="modified_huber", random_state=0)),
    ],
    ids=["neighbours", "components", "products", "own function of several", "modified huber"],
)
def test_a_model_that_cannot_be_read_is_asked(credit, model, framed):
    model.fit(credit.table if framed else credit.table.to_numpy(), credit.labels)
    score = as_score(model, credit.schema, favourable=0, threshold=0.3)
    X = credit.fresh.to_numpy()[:500]
    own = model.predict_proba(credit.fresh[:500] if framed else X)[:, 0] - 0.3
    assert isinstance(score, BlackBox)
    assert score.probability
    assert np.array_equal(score.score(X), own)
    assert np.array_equal(score.accepts(X, 0.1), own > 0.1)


def test_a_whole_batch_is_asked_at_once():
    sizes = []

    def prediction(X):
        sizes.append(len(X))
        return X[:, 0]

    BlackBox(prediction, 0.0, 2).score(np.zeros((5000, 2)))
    assert sizes == [5000]


def test_an_estimator_that_answers_with_nan_is_told_so(credit):
    def fussy(table):
        return np.where(table["age"] > 1e6, np.nan, 1.0)

    score = as_score(fussy, credit.schema, favourable=None)
    X = credit.fresh.to_numpy()[:3].copy()
    X[1, 1] = 1e7
    with pytest.raises(InputError, match="function fussy gave NaN for 1 of 3 rows"):
        score.score(X)


def test_a_row_that_the_estimator_refuses_is_a_sentence(credit):
    logs = make_pipeline(FunctionTransformer(logs_of_all), StandardScaler(), PCA(2))
    model = make_pipeline(logs, LogisticRegression()).fit(credit.table, credit.labels)
    X = credit.fresh.to_numpy()[:2].copy()
    X[0, 0] = np.inf
    with pytest.raises(InputError, match=r"cannot answer for these rows: .*schema bounds"):
        as_score(model, credit.schema, favourable=1).score(X)


def test_the_callers_rows_are_never_written_to(credit):
    scaler = StandardScaler(copy=False)
    model = make_pipeline(scaler, KNeighborsClassifier()).fit(
        credit.table.to_numpy(copy=True), credit.labels
    )
    X = credit.fresh.to_numpy(copy=True)
    as_score(model, credit.schema, favourable=1).score(X)
    assert np.array_equal(X, credit.fresh.to_numpy())


def test_it_pickles_with_the_same_fingerprint(credit):
    model = KNeighborsClassifier(3).fit(credit.table, credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    again = pickle.loads(pickle.dumps(score))
    assert again.digest == score.digest
    assert as_score(model, credit.schema, favourable=0).digest != score.digest
    assert as_score(model, credit.schema, favourable=1, threshold=0.4).digest != score.digest


def test_functions_that_do_something_else_have_other_fingerprints(credit):
    def at_least(years):
        return lambda table: table["age"] - years

    def digest_of(function):
        return as_score(function, credit.schema, favourable=None).digest

    assert digest_of(at_least(20)) == digest_of(at_least(20)) != digest_of(at_least(30))
    one = LogisticRegression().fit(credit.table[["age"]], credit.labels)
    other = LogisticRegression(C=0.1).fit(credit.table[["age"]], credit.labels)
    asked = BlackBox(one.decision_function, 0.0, 7), BlackBox(other.decision_function, 0.0, 7)
    assert asked[0].digest != asked[1].digest
