"""A model is asked in its own order by name, and not at all about what numbers cannot say."""

from types import SimpleNamespace

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.readers.files import load_model, save_model
from standfast.schema import Feature, Schema
from standfast.scores import BlackBox

QUIET = {"n_estimators": 5, "verbose": -1, "n_jobs": 1}
PLAIN = {"n_estimators": 5, "n_jobs": 1}
JOBS = ("clerk", "driver", "nurse", "cook")


@pytest.fixture(scope="module")
def people():
    """A table of numbers, the same with words in the column 'job', labels, and its schema."""
    rng = np.random.default_rng(3)
    n = 300
    codes = pd.DataFrame(
        {
            "income": rng.lognormal(0, 1, n),
            "age": rng.integers(18, 80, n).astype(float),
            "job": rng.integers(0, 4, n).astype(float),
        }
    )
    labels = ((codes.job == 2) * 1.5 + (codes.age > 45) + rng.random(n) > 1.4).astype(int)
    words = codes.assign(job=np.array(JOBS, dtype=object)[codes.job.astype(int)])
    schema = Schema(
        (Feature("job", "count", upper=3.0), Feature("age", "count"), Feature("income", "positive"))
    )
    return SimpleNamespace(
        codes=codes,
        words=words,
        labels=labels,
        schema=schema,
        sorts=words.astype({"job": "category"}),
    )


def catboost_classifier(**settings):
    catboost = pytest.importorskip("catboost")
    quiet = {"iterations": 5, "verbose": False, "allow_writing_files": False, "thread_count": 1}
    return catboost.CatBoostClassifier(**quiet, **settings)


def boosting_machine(**settings):
    glassbox = pytest.importorskip("interpret.glassbox")
    few = {"max_rounds": 20, "interactions": 0, "outer_bags": 1, "n_jobs": 1}
    return glassbox.ExplainableBoostingClassifier(**few, **settings)


def refusal(model, schema):
    with pytest.raises(InputError) as caught:
        as_score(model, schema, favourable=1)
    return str(caught.value)


def check_asked_by_name(model, people, own):
    score = as_score(model, people.schema, favourable=1)
    X = people.schema.matrix(people.codes)
    np.testing.assert_allclose(score.score(X), own - 0.5, rtol=0, atol=1e-6)


# the schema's columns in another order


LIBRARIES = {
    "CatBoost": catboost_classifier,
    "interpret": boosting_machine,
    "LightGBM": lambda: lightgbm.LGBMClassifier(**QUIET),
    "XGBoost": lambda: xgboost.XGBClassifier(**PLAIN),
    "calibrated CatBoost": lambda: CalibratedClassifierCV(catboost_classifier(), cv=2),
    "CatBoost in a pipeline": lambda: make_pipeline("passthrough", catboost_classifier()),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_in_another_order_than_the_schema_s_are_asked_by_name(people, library):
    model = LIBRARIES[library]().fit(people.codes, people.labels)
    check_asked_by_name(model, people, model.predict_proba(people.codes)[:, 1])


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_that_the_schema_does_not_hold_are_refused(people, library):
    model = LIBRARIES[library]().fit(people.codes.rename(columns={"age": "years"}), people.labels)
    assert "was fitted on 'years', which the schema does not hold" in refusal(model, people.schema)


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_that_a_library_makes_up_for_an_array_mean_its_places(people, library):
    in_order = people.codes[list(people.schema.names)].to_numpy()
    model = LIBRARIES[library]().fit(in_order, people.labels)
    check_asked_by_name(model, people, model.predict_proba(in_order)[:, 1])
    narrow = LIBRARIES[library]().fit(in_order[:, :2], people.labels)
    assert "reads 2 inputs and does not know their names" in refusal(narrow, people.schema)


@pytest.mark.parametrize("library", ["CatBoost", "LightGBM", "XGBoost"])
def test_a_table_whose_columns_are_numbered_is_asked_by_place(people, library):
    numbered = people.codes[list(people.schema.names)].set_axis([0, 1, 2], axis=1)
    model = LIBRARIES[library]().fit(numbered, people.labels)
    check_asked_by_name(model, people, model.predict_proba(numbered)[:, 1])


def test_made_up_names_that_the_schema_holds_are_names(people):
    columns = ("Column_2", "Column_1", "Column_0")
    schema = Schema(tuple(Feature(name) for name in columns))
    table = people.codes.set_axis(["Column_0", "Column_1", "Column_2"], axis=1)
    model = lightgbm.LGBMClassifier(**QUIET).fit(table, people.labels)
    score = as_score(model, schema, favourable=1)
    own = model.predict_proba(table)[:, 1] - 0.5
    np.testing.assert_allclose(score.score(schema.matrix(table)), own, rtol=0, atol=1e-12)


def test_only_lightgbm_takes_an_underscore_for_a_blank(people):
    table = people.codes.rename(columns={"age": "the_age"})
    schema = Schema((Feature("job"), Feature("the age"), Feature("income")))
    known = LogisticRegression(max_iter=999).fit(table, people.labels)
    assert "was fitted on 'the_age', which the schema does not hold" in refusal(known, schema)
    model = lightgbm.LGBMClassifier(**QUIET).fit(
        people.codes.rename(columns={"age": "the age"}), people.labels
    )
    for wrapped in (model, CalibratedClassifierCV(model, cv=2).fit(table, people.labels)):
        score = as_score(wrapped, schema, favourable=1)
        own = wrapped.predict_proba(table)[:, 1] - 0.5
        X = people.codes[["job", "age", "income"]].to_numpy()
        np.testing.assert_allclose(score.score(X), own, rtol=0, atol=1e-12)
    both = Schema((Feature("job"), Feature("the age"), Feature("the_age"), Feature("income")))
    assert "knows an input as 'the_age', which fits more than one column" in refusal(model, both)


# text and categories


def split(encoder):
    return ColumnTransformer([("words", encoder, ["job"])], remainder=StandardScaler())


def behind(encoder, model=None):
    return make_pipeline(split(encoder), model or LogisticRegression(max_iter=999))


UNKNOWN = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
ON_WORDS = {
    "one-hot": behind(OneHotEncoder(handle_unknown="ignore")),
    "one-hot that refuses": behind(OneHotEncoder()),
    "ordinal, trees": behind(OrdinalEncoder(**UNKNOWN), lightgbm.LGBMClassifier(**QUIET)),
    "target": behind(TargetEncoder(cv=2)),
    "filled first": behind(
        make_pipeline(
            SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
        )
    ),
    "in a union": behind(FeatureUnion([("a", OneHotEncoder(handle_unknown="ignore"))])),
    "chosen by type": make_pipeline(
        ColumnTransformer(
            [
                ("w", OneHotEncoder(handle_unknown="ignore"), make_column_selector("job")),
                ("n", StandardScaler(), ["age", "income"]),
            ]
        ),
        LogisticRegression(),
    ),
    "words counted": make_pipeline(
        ColumnTransformer([("w", CountVectorizer(), "job")], remainder="passthrough"),
        LogisticRegression(max_iter=999),
    ),
    "calibrated": CalibratedClassifierCV(behind(OneHotEncoder(handle_unknown="ignore")), cv=2),
    "voting": VotingClassifier(
        [("a", behind(OneHotEncoder(handle_unknown="ignore")))], voting="soft"
    ),
    "stacked": StackingClassifier([("a", behind(OneHotEncoder(handle_unknown="ignore")))], cv=2),
    "searched": GridSearchCV(
        behind(OneHotEncoder(handle_unknown="ignore")), {"logisticregression__C": [1.0]}, cv=2
    ),
}


@pytest.mark.parametrize("name", ON_WORDS)
def test_an_encoder_of_text_is_refused_with_the_column_s_name(people, name):
    shown = refusal(ON_WORDS[name].fit(people.words, people.labels), people.schema)
    assert "was fitted on text or categories" in shown
    assert "in the column 'job'" in shown
    assert "'clerk'" in shown or name == "filled first"
    assert "or fit the model again with numeric codes" in shown
    assert "\n" not in shown


def test_an_encoder_of_text_in_an_array_is_refused_by_its_place(people):
    words = people.words[list(people.schema.names)].to_numpy()
    first = ColumnTransformer([("w", OneHotEncoder(handle_unknown="ignore"), [0])])
    model = make_pipeline(first, LogisticRegression())
    for one in (model, BaggingClassifier(model, 3, random_state=0)):
        shown = refusal(one.fit(words, people.labels), people.schema)
        assert "in the column 'job'" in shown


@pytest.mark.parametrize("kind", ["text", "category"])
def test_boosting_on_categories_is_refused(people, kind):
    table = people.sorts if kind == "category" else people.words
    models = [
        catboost_classifier(cat_features=["job"]).fit(table, people.labels),
        boosting_machine().fit(table, people.labels),
    ]
    if kind == "category":
        light = lightgbm.LGBMClassifier(**QUIET).fit(table, people.labels)
        models += [
            light,
            light.booster_,
            make_pipeline(
                ColumnTransformer(
                    [("all", "passthrough", list(table))], verbose_feature_names_out=False
                ).set_output(transform="pandas"),
                lightgbm.LGBMClassifier(**QUIET),
            ).fit(table, people.labels),
            xgboost.XGBClassifier(**PLAIN, enable_categorical=True).fit(table, people.labels),
            HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype").fit(
                table, people.labels
            ),
        ]
    for model in models:
        shown = refusal(model, people.schema)
        assert "was fitted on text or categories" in shown, model
        assert "in the column 'job'" in shown, model


def test_categories_of_numbers_in_another_order_are_refused(people):
    shuffled = pd.Categorical(people.codes.job.astype(int), categories=[2, 0, 3, 1])
    table = people.codes.assign(job=shuffled)
    for model in (
        lightgbm.LGBMClassifier(**QUIET).fit(table, people.labels).booster_,
        xgboost.XGBClassifier(**PLAIN, enable_categorical=True).fit(table, people.labels),
    ):
        assert "in the column 'job'" in refusal(model, people.schema)


@pytest.mark.parametrize("ending", ["txt", "json", "ubj", "skops"])
def test_categories_are_still_known_after_a_file(people, ending, tmp_path):
    if ending == "skops":
        model = behind(OneHotEncoder(handle_unknown="ignore")).fit(people.words, people.labels)
    elif ending == "txt":
        model = lightgbm.LGBMClassifier(**QUIET).fit(people.sorts, people.labels)
    else:
        model = xgboost.XGBClassifier(**PLAIN, enable_categorical=True)
        model.fit(people.sorts, people.labels)
    save_model(model, tmp_path / f"model.{ending}")
    shown = refusal(load_model(tmp_path / f"model.{ending}"), people.schema)
    assert "in the column 'job'" in shown


def test_numeric_codes_are_asked_as_they_are(people):
    whole = people.codes.astype({"job": int})
    in_order = people.codes[list(people.schema.names)].to_numpy()
    kinds = ["continuous", "continuous", "nominal"]
    for model, table in (
        (behind(OneHotEncoder(handle_unknown="ignore")), people.codes),
        (boosting_machine(feature_types=kinds), people.codes),
        (HistGradientBoostingClassifier(max_iter=5, categorical_features=["job"]), people.codes),
        (
            xgboost.XGBClassifier(**PLAIN, feature_types=["c", "q", "q"], enable_categorical=True),
            in_order,
        ),
    ):
        model.fit(table, people.labels)
        check_asked_by_name(model, people, model.predict_proba(table)[:, 1])
    light = lightgbm.LGBMClassifier(**QUIET).fit(whole, people.labels, categorical_feature=["job"])
    for model in (light, light.booster_):
        check_asked_by_name(model, people, light.predict_proba(whole)[:, 1])


def in_words(table):
    return table.assign(job=np.array(JOBS, dtype=object)[table["job"].astype(int)])


class InWords(TransformerMixin, BaseEstimator):
    def fit(self, table, labels=None):
        self.feature_names_in_ = np.asarray(table.columns)
        return self

    def transform(self, table):
        return in_words(table)


@pytest.mark.parametrize("translation", [FunctionTransformer(in_words), InWords()])
def test_a_pipeline_that_translates_the_codes_itself_is_asked(people, translation):
    model = make_pipeline(translation, behind(OneHotEncoder()))
    model.fit(people.codes, people.labels)
    score = as_score(model, people.schema, favourable=1)
    assert isinstance(score, BlackBox)
    schema = Schema(tuple(Feature(name) for name in people.codes))
    in_order = as_score(model, schema, favourable=1).score(people.codes.to_numpy())
    np.testing.assert_allclose(in_order, model.predict_proba(people.codes)[:, 1] - 0.5)


def test_the_way_out_that_the_refusal_names_works(people):
    model = boosting_machine().fit(people.words, people.labels)
    names = list(people.words)

    def translated(table):
        return model.predict_proba(in_words(table)[names])[:, 1]

    score = as_score(translated, people.schema, favourable=None, threshold=0.5)
    own = model.predict_proba(people.words)[:, 1] - 0.5
    np.testing.assert_allclose(score.score(people.schema.matrix(people.codes)), own)


def test_an_answer_that_a_library_refuses_in_its_own_way_is_a_sentence(people):
    words = make_pipeline(FunctionTransformer(lambda t: t["job"]), CountVectorizer())
    model = make_pipeline(words, LogisticRegression()).fit(people.words, people.labels)
    score = as_score(model, people.schema, favourable=1)
    with pytest.raises(InputError, match="cannot answer for these rows"):
        score.score(people.schema.matrix(people.codes))
