import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.schema import Feature, Schema
from standfast.scores import Additive, BlackBox, Linear, TreeEnsemble, Unanimous


def logistic(**options):
    return make_pipeline(StandardScaler(), LogisticRegression(**options))


def refusal(estimator, schema, favourable=1, threshold=None):
    with pytest.raises(InputError) as caught:
        as_score(estimator, schema, favourable=favourable, threshold=threshold)
    return str(caught.value)


# the favourable class


@pytest.mark.parametrize(
    ("classes", "favourable"),
    [
        ((0, 1), 1),
        ((0, 1), np.int64(1)),
        ((0, 1), True),
        ((0, 1), 1.0),
        ((-1, 1), 1),
        ((False, True), True),
        ((False, True), 1),
        (("bad", "good"), "good"),
        (("bad", "good"), np.str_("good")),
    ],
)
def test_the_favourable_class_is_found_whatever_its_type(credit, classes, favourable):
    model = logistic().fit(credit.table, np.array(classes)[credit.labels])
    score = as_score(model, credit.schema, favourable=favourable)
    other = as_score(model, credit.schema, favourable=classes[0])
    X = credit.fresh.to_numpy()
    assert np.array_equal(score.accepts(X), model.predict_proba(credit.fresh)[:, 1] > 0.5)
    np.testing.assert_allclose(other.score(X), -score.score(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("favourable", [None, 2, "1", [0, 1], np.array([0, 1])])
def test_a_favourable_class_that_the_model_does_not_know_is_refused(credit, favourable):
    model = logistic().fit(credit.table, credit.labels)
    assert "none of Pipeline's classes; pass one of 0, 1" in refusal(
        model, credit.schema, favourable
    )


def test_three_classes_one_class_and_several_outputs_are_refused(credit):
    X, y = credit.table, credit.labels
    three = logistic().fit(X, y + (credit.table.age > 60))
    assert "knows 3 classes (0, 1, 2)" in refusal(three, credit.schema)
    one = DummyClassifier().fit(X, np.ones(len(X)))
    assert "knows only one class (1.0)" in refusal(one, credit.schema)
    two = DecisionTreeClassifier(max_depth=2).fit(X, np.column_stack([y, 1 - y]))
    assert "predicts several outputs at once" in refusal(two, credit.schema)


# what is no fitted classifier


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        logistic(),
        RandomForestClassifier(),
        xgboost.XGBClassifier(),
        lightgbm.LGBMClassifier(),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}),
    ],
    ids=lambda model: type(model).__name__,
)
def test_an_unfitted_model_is_refused(credit, model):
    expected = f"the {type(model).__name__} is not fitted; call its fit(X, y) first"
    assert refusal(model, credit.schema) == expected


def test_a_class_and_a_text_are_refused(credit):
    assert "LogisticRegression is a class" in refusal(LogisticRegression, credit.schema)
    assert "str is not a model" in refusal("model.skops", credit.schema)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        xgboost.XGBRegressor(n_estimators=2, n_jobs=1),
        lightgbm.LGBMRegressor(n_estimators=2, verbose=-1, n_jobs=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_regressor_is_refused(credit, model):
    assert "is a regressor" in refusal(model.fit(credit.table, credit.labels), credit.schema)


def test_a_classifier_that_gives_no_number_is_refused(credit):
    hard = VotingClassifier([("a", DecisionTreeClassifier(max_depth=2))], voting="hard")
    shown = refusal(hard.fit(credit.table, credit.labels), credit.schema)
    assert "neither predict_proba nor decision_function" in shown


def test_the_schema_must_be_one(credit):
    model = logistic().fit(credit.table, credit.labels)
    assert "the schema is a DataFrame" in refusal(model, credit.table)


# inputs


def test_another_number_of_inputs_is_refused(credit):
    model = logistic().fit(credit.table.to_numpy(), credit.labels)
    narrow = Schema((Feature("age"), Feature("late")))
    shown = refusal(model, narrow)
    assert "reads 7 inputs and does not know their names, but the schema has 2" in shown


def test_names_that_the_schema_does_not_hold_are_named(credit):
    renamed = credit.table.rename(columns={"age": "years"})
    for model in (
        logistic().fit(renamed, credit.labels),
        make_pipeline("passthrough", DecisionTreeClassifier()).fit(renamed, credit.labels),
        xgboost.XGBClassifier(n_estimators=2, n_jobs=1).fit(renamed, credit.labels),
        lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(renamed, credit.labels),
    ):
        assert "was fitted on 'years', which the schema does not hold" in refusal(
            model, credit.schema
        )


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, max_depth=4, random_state=0),
        HistGradientBoostingClassifier(max_iter=5),
        xgboost.XGBClassifier(n_estimators=5, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1),
        CalibratedClassifierCV(LogisticRegression(), cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_some_columns_in_another_order_are_asked_by_name_without_a_warning(credit, model):
    names = ["trend", "age", "late"]
    model.fit(credit.table[names], credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    own = model.predict_proba(credit.fresh[names])[:, 1].astype(float) - 0.5
    X = credit.fresh.to_numpy()
    assert np.array_equal(score.accepts(X), own > 0)
    np.testing.assert_allclose(score.score(X), own, rtol=0, atol=1e-6)


def test_a_blank_in_a_name_is_found_again_in_lightgbm(credit):
    table = credit.table.rename(columns={"age": "the age"})
    schema = Schema(tuple(Feature(name) for name in table))
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1).fit(table, credit.labels)
    score = as_score(model, schema, favourable=1)
    own = model.predict_proba(credit.fresh.set_axis(model.feature_name_, axis=1))[:, 1] - 0.5
    np.testing.assert_allclose(score.score(credit.fresh.to_numpy()), own, rtol=0, atol=1e-12)


class ByName(ClassifierMixin, BaseEstimator):
    """A home-made classifier that picks its column from a table and remembers nothing else."""

    def fit(self, table, labels):
        self.classes_ = np.unique(labels)
        return self

    def predict_proba(self, table):
        p = 1 / (1 + np.exp(40 - table["age"].to_numpy()))
        return np.column_stack([1 - p, p])


def test_a_home_made_classifier_is_asked_with_a_table_if_it_needs_one(credit):
    score = as_score(ByName().fit(credit.table, credit.labels), credit.schema, favourable=1)
    assert isinstance(score, BlackBox)
    assert np.array_equal(score.accepts(credit.fresh.to_numpy()), credit.fresh.age > 40)


# thresholds


def test_the_threshold_is_the_usual_one_for_the_kind_of_answer(credit):
    X, y = credit.table, credit.labels
    assert as_score(logistic().fit(X, y), credit.schema, favourable=1).threshold == 0.5
    machine = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    assert as_score(machine, credit.schema, favourable=1).threshold == 0.0
    kernel = make_pipeline(StandardScaler(), SVC()).fit(X[:200], y[:200])
    asked = as_score(kernel, credit.schema, favourable=0)
    own = -kernel.decision_function(credit.fresh[:100])
    assert (asked.threshold, asked.probability) == (0.0, False)
    assert np.array_equal(asked.score(credit.fresh.to_numpy()[:100]), own)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 1.5, -0.1, np.nan, "half"])
def test_a_threshold_that_no_probability_can_cross_is_refused(credit, threshold):
    model = logistic().fit(credit.table, credit.labels)
    shown = refusal(model, credit.schema, threshold=threshold)
    assert f"the threshold is {threshold!r}" in shown
    assert "pass a number between 0 and 1" in shown


def test_an_infinite_threshold_is_refused(credit):
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(credit.table, credit.labels)
    assert "pass a finite number" in refusal(model, credit.schema, threshold=np.inf)


def test_a_model_with_a_threshold_of_its_own_brings_it_along(credit):
    model = FixedThresholdClassifier(logistic(), threshold=0.3).fit(credit.table, credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    assert score.threshold == pytest.approx(0.3)
    assert as_score(model, credit.schema, favourable=1, threshold=0.4).threshold == 0.4


# searches, scores, outlier detectors


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV])
def test_a_search_is_read_through_its_best_model(credit, search):
    options = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    found = search(logistic(), {"logisticregression__C": [0.1, 1.0]}, cv=2, **options)
    found.fit(credit.table, credit.labels)
    for model in (found, make_pipeline("passthrough", found)):
        score = as_score(model, credit.schema, favourable=1)
        own = found.predict_proba(credit.fresh)[:, 1] - 0.5
        assert isinstance(score, Linear)
        np.testing.assert_allclose(score.score(credit.fresh.to_numpy()), own, rtol=0, atol=1e-12)


def test_a_search_that_kept_no_model_is_refused(credit):
    search = GridSearchCV(logistic(), {"logisticregression__C": [0.1]}, cv=2, refit=False)
    assert "run with refit=False" in refusal(search.fit(credit.table, credit.labels), credit.schema)


def test_a_score_is_returned_as_it_is(credit):
    linear = Linear(np.ones(7), 0.0)
    additive = Additive([np.zeros_like] * 7, 0.0)
    for score in (linear, additive, BlackBox(np.ravel, 0.0, 7), Unanimous([linear, additive])):
        assert as_score(score, credit.schema, favourable=None) is score
    assert "already holds its threshold" in refusal(linear, credit.schema, threshold=0.3)
    assert "reads 1 inputs, but the schema has 7" in refusal(Linear([1.0], 0.0), credit.schema)


@pytest.mark.parametrize("front", [None, StandardScaler()])
def test_an_isolation_forest_accepts_the_usual(credit, front):
    forest = IsolationForest(n_estimators=20, contamination=0.2, random_state=0)
    model = (forest if front is None else make_pipeline(front, forest)).fit(credit.table.to_numpy())
    score = as_score(model, credit.schema, favourable=1)
    X = credit.fresh.to_numpy()
    assert isinstance(score, TreeEnsemble)
    assert not score.probability
    assert np.array_equal(score.accepts(X), model.predict(X) == 1)
    np.testing.assert_allclose(
        score.score(X), model.score_samples(X) - forest.offset_, rtol=0, atol=1e-12
    )
    assert "only the usual can be favourable" in refusal(model, credit.schema, favourable=-1)


def test_another_outlier_detector_is_asked_for_its_decision(credit):
    model = OneClassSVM().fit(credit.table[:200])
    score = as_score(model, credit.schema, favourable=1)
    assert np.array_equal(
        score.score(credit.fresh.to_numpy()[:50]), model.decision_function(credit.fresh[:50])
    )


# boosters and functions


def test_an_xgboost_booster_is_sent_to_its_classifier(credit):
    data = xgboost.DMatrix(credit.table, credit.labels)
    booster = xgboost.train({"objective": "binary:logistic", "nthread": 1}, data, 2)
    assert "XGBClassifier().load_model(file)" in refusal(booster, credit.schema)


@pytest.mark.parametrize("framed", [True, False])
def test_a_lightgbm_booster_has_the_classes_zero_and_one(credit, framed):
    names = ["trend", "age", "late"] if framed else list(credit.table)
    data = lightgbm.Dataset(credit.table[names] if framed else credit.table.values, credit.labels)
    options = {"objective": "binary", "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, data, 5)
    own = booster.predict(credit.fresh[names].to_numpy())
    X = credit.fresh.to_numpy()
    for favourable, expected in ((1, own), (0, 1 - own)):
        score = as_score(booster, credit.schema, favourable=favourable, threshold=0.4)
        np.testing.assert_allclose(score.score(X), expected - 0.4, rtol=0, atol=1e-12)
        assert np.array_equal(score.accepts(X), expected - 0.4 > 0)
    assert "pass one of 0, 1" in refusal(booster, credit.schema, favourable=-1)


def test_a_lightgbm_booster_for_numbers_is_refused(credit):
    data = lightgbm.Dataset(credit.table, credit.labels)
    booster = lightgbm.train({"objective": "regression", "verbose": -1, "num_threads": 1}, data, 2)
    assert "objective is 'regression'" in refusal(booster, credit.schema)


def test_a_function_is_asked_with_a_table_and_compared_with_the_threshold(credit):
    def free_income(table):
        return table["income"] - table["debt"]

    score = as_score(free_income, credit.schema, favourable=None, threshold=1000.0)
    own = (credit.fresh.income - credit.fresh.debt - 1000.0).to_numpy()
    assert isinstance(score, BlackBox)
    assert np.array_equal(score.score(credit.fresh.to_numpy()), own)
    assert as_score(free_income, credit.schema, favourable=None).threshold == 0.0


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda table: 3.0, "an answer of shape () for 3 rows; a score needs one number per row"),
        (lambda table: table, "an answer of shape (3, 7) for 3 rows"),
        (lambda table: table["age"] * np.nan, "gave NaN for 3 of 3 rows"),
        (lambda table: np.full(3, np.inf), "needs one finite number per row"),
        (lambda table: table["years"], "failed when asked about a table with the columns usage"),
    ],
)
def test_a_function_that_does_not_give_one_number_per_row_is_refused(credit, function, sentence):
    assert sentence in refusal(function, credit.schema, favourable=None)


def test_a_function_has_no_favourable_class(credit):
    shown = refusal(lambda table: table["age"], credit.schema, favourable=1)
    assert "its larger values count as favourable; pass favourable=None" in shown


# trees behind a pipeline

TREES = [
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(10, max_depth=6, random_state=0),
    GradientBoostingClassifier(n_estimators=10, random_state=0),
    HistGradientBoostingClassifier(max_iter=10),
    xgboost.XGBClassifier(n_estimators=10, n_jobs=1),
    lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1),
]
ORDER_KEEPING = {
    "standard": StandardScaler(),
    "clipped range": MinMaxScaler(clip=True),
    "maximum": MaxAbsScaler(),
    "robust": RobustScaler(),
    "power": PowerTransformer(),
    "ranks": QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    "filled": make_pipeline(SimpleImputer(), StandardScaler()),
    "bins": KBinsDiscretizer(8, encode="ordinal", strategy="uniform"),
    "by column": ColumnTransformer(
        [
            ("log", make_pipeline(FunctionTransformer(np.log1p), StandardScaler()), [3, 4]),
            ("root", FunctionTransformer(np.sqrt), [0]),
            ("gone", "drop", [5]),
        ],
        remainder="passthrough",
    ),
}


PAIRS = [(TREES[1], front) for front in ORDER_KEEPING] + [(t, "by column") for t in TREES]


@pytest.mark.parametrize(
    ("trees", "front"), PAIRS, ids=[f"{type(t).__name__}, {front}" for t, front in PAIRS]
)
def test_trees_behind_steps_that_keep_the_order_are_read_in_table_units(credit, trees, front):
    model = make_pipeline(ORDER_KEEPING[front], trees).fit(credit.table.to_numpy(), credit.labels)
    X = credit.fresh.to_numpy()
    with np.errstate(all="ignore"):
        chance = model.predict_proba(X).astype(float)
    for favourable, threshold in ((1, 0.35), (0, None)):
        score = as_score(model, credit.schema, favourable=favourable, threshold=threshold)
        assert isinstance(score, TreeEnsemble)
        own = chance[:, favourable] - (threshold or 0.5)
        np.testing.assert_allclose(score.score(X), own, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "front",
    [
        KBinsDiscretizer(3, strategy="uniform", encode="onehot-dense"),
        SimpleImputer(missing_values=0.0),
        make_pipeline(SimpleImputer(), SimpleImputer(missing_values=0.0, add_indicator=True)),
        ColumnTransformer([("codes", OneHotEncoder(handle_unknown="ignore"), [5])]),
        ColumnTransformer([("codes", OrdinalEncoder(), [5])], remainder="passthrough"),
    ],
    ids=["one-hot bins", "a marker of gaps", "filled twice", "one-hot codes", "codes in order"],
)
def test_trees_behind_steps_that_jump_are_read_in_table_units(credit, front):
    model = make_pipeline(front, DecisionTreeClassifier(max_depth=6, random_state=0))
    model.fit(credit.table.to_numpy(), credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    X = credit.fresh.to_numpy()
    X = X[np.isin(X[:, 5], credit.table["homes"])]
    assert isinstance(score, TreeEnsemble)
    np.testing.assert_allclose(score.score(X), model.predict_proba(X)[:, 1] - 0.5, atol=1e-12)


def test_trees_behind_anything_else_are_asked(credit):
    model = make_pipeline(FunctionTransformer(np.square), DecisionTreeClassifier(max_depth=4))
    model.fit(credit.table.to_numpy(), credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    X = credit.fresh.to_numpy()
    assert isinstance(score, BlackBox)
    assert score.why == "a step before the trees does not keep the order of a column's numbers"
    assert np.array_equal(score.score(X), model.predict_proba(X)[:, 1] - 0.5)


# what is read is checked


def minus_its_mean(column):
    return column - column.mean()


class Doubling(StandardScaler):
    """A subclass may do anything."""

    def transform(self, X):
        return 2.0 * super().transform(X)


@pytest.mark.parametrize(
    "front",
    [
        ColumnTransformer([("own", FunctionTransformer(minus_its_mean), [1])]),
        SplineTransformer(degree=1, extrapolation="linear"),  # wrong beyond the first column in 1.9
        Doubling(),
    ],
    ids=["a function of other rows", "an unusual arithmetic", "a subclass"],
)
def test_a_reading_that_does_not_repeat_the_estimator_is_not_used(credit, front):
    model = make_pipeline(front, LogisticRegression(max_iter=9000))
    model.fit(credit.table.to_numpy(), credit.labels)
    score = as_score(model, credit.schema, favourable=1)
    X = credit.fresh.to_numpy()
    np.testing.assert_allclose(score.score(X), model.predict_proba(X)[:, 1] - 0.5, atol=1e-12)


def test_importing_models_imports_no_heavy_library():
    heavy = "{'sklearn', 'scipy', 'numba', 'xgboost', 'lightgbm'}"
    code = f"import sys, standfast.rivals; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
