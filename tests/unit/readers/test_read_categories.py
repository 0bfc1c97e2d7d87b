"""Splits on sets of categories and branches for gaps, as each library keeps them, are read."""

import functools
import json
from dataclasses import replace
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from samples.lender import JOBS, NUMBERS, TEXT, lender, rows, schema
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.readers.files import load_model, save_model
from standfast.schema import Feature, Schema
from standfast.scores import TreeEnsemble

catboost = pytest.importorskip("catboost")
frozen = pytest.importorskip("sklearn.frozen")  # scikit-learn 1.6

TABLE, LABELS = lender()
# the order of a pandas category is not that of the schema
LEVELS = {c: pd.CategoricalDtype(sorted(TABLE[c].dropna().unique())[::-1]) for c in TEXT}
SORTS = TABLE.astype(LEVELS)
OWN = schema()
PLAIN = Schema(tuple(f for f in OWN if f.name not in TEXT))
COUNTED = TABLE[list(PLAIN.names)].astype({"grade": int})
NOMINAL = Feature("grade", "nominal", categories=(1, 2, 3, 4))
LIGHT = {"n_estimators": 5, "n_jobs": 1, "verbose": -1, "min_data_per_group": 5, "cat_smooth": 1}
BOOST = {"n_estimators": 5, "n_jobs": 1, "enable_categorical": True}
CAT = {"iterations": 8, "verbose": False, "allow_writing_files": False, "thread_count": 1}


def check_read(model: Any, own: Schema) -> TreeEnsemble:
    score = as_score(model, own, favourable=1)
    assert isinstance(score, TreeEnsemble), getattr(score, "why", "")
    X = rows(own, score)
    tolerance = 2e-7 if score.single else 1e-9
    said = score.prediction(X) - score.threshold
    np.testing.assert_allclose(score.score(X), said, rtol=0, atol=tolerance)
    other = as_score(model, own, favourable=0)
    np.testing.assert_allclose(other.score(X), -score.score(X), rtol=0, atol=tolerance)
    return score


def histogram(categories: Any) -> Any:
    return HistGradientBoostingClassifier(max_iter=5, categorical_features=categories)


def test_histogram_boosting_on_categories_is_read() -> None:
    check_read(histogram("from_dtype").fit(SORTS, LABELS), OWN)
    check_read(histogram([*TEXT, "grade"]).fit(TABLE, LABELS), OWN)
    check_read(histogram(["grade"]).fit(COUNTED, LABELS), PLAIN)


def test_lightgbm_on_categories_is_read_also_as_a_booster_and_in_a_pipeline() -> None:
    model = lightgbm.LGBMClassifier(**LIGHT).fit(SORTS, LABELS)
    score = check_read(model, OWN)
    assert (score.trees.feature[~score.trees.leaf] == OWN.names.index("job")).any()
    check_read(model.booster_, OWN)
    passed = ColumnTransformer(
        [("words", "passthrough", TEXT), ("numbers", "passthrough", NUMBERS)]
    ).set_output(transform="pandas")
    check_read(make_pipeline(passed, lightgbm.LGBMClassifier(**LIGHT)).fit(SORTS, LABELS), OWN)


def test_a_model_around_one_with_categories_asks_it_with_its_categories() -> None:
    blank = {"housing": "the housing"}  # LightGBM writes an underscore for a blank
    wide = Schema(tuple(replace(f, name=blank.get(f.name, f.name)) for f in OWN))
    for model in (lightgbm.LGBMClassifier(**LIGHT), xgboost.XGBClassifier(**BOOST)):
        fitted = frozen.FrozenEstimator(model.fit(SORTS.rename(columns=blank), LABELS))
        calibrated = CalibratedClassifierCV(fitted, method="sigmoid", ensemble=False)
        check_read(calibrated.fit(SORTS.rename(columns=blank), LABELS), wide)
        members = [("a", model), ("b", clone(model).set_params(max_depth=2))]
        vote = VotingClassifier(members, voting="soft").fit(SORTS, LABELS)
        said = vote.predict_proba(SORTS)[:, 1] - 0.5
        score = as_score(vote, OWN, favourable=1)
        np.testing.assert_allclose(score.score(OWN.judged(TABLE)[0]), said, rtol=0, atol=1e-6)


def test_categories_of_whole_numbers_are_read_as_numbers_and_as_names() -> None:
    model = lightgbm.LGBMClassifier(**LIGHT)
    model.fit(COUNTED, LABELS, categorical_feature=["grade"])
    check_read(model, PLAIN)
    check_read(model, Schema(tuple(NOMINAL if f.name == "grade" else f for f in PLAIN)))
    kinds = ["c" if name == "grade" else "q" for name in PLAIN.names]
    boosted = xgboost.XGBClassifier(**BOOST, feature_types=kinds)
    check_read(boosted.fit(COUNTED.to_numpy(dtype=float), LABELS), PLAIN)


def test_a_category_that_lightgbm_never_used_confuses_nothing() -> None:
    idle = SORTS.assign(purpose=pd.Categorical(["car"] * len(SORTS), categories=["tv", "car"]))
    check_read(lightgbm.LGBMClassifier(**LIGHT).fit(idle, LABELS), OWN)


@pytest.mark.parametrize("most", [1, 100])
def test_xgboost_on_categories_is_read_in_sets_and_one_by_one(most: int) -> None:
    check_read(xgboost.XGBClassifier(**BOOST, max_cat_to_onehot=most).fit(SORTS, LABELS), OWN)


def test_xgboost_s_categories_without_their_names_are_refused(tmp_path: Any) -> None:
    model = xgboost.XGBClassifier(**BOOST).fit(SORTS, LABELS)
    document = json.loads(bytes(model.get_booster().save_raw(raw_format="json")))
    del document["learner"]["gradient_booster"]["model"]["cats"]  # as before version 3.1
    (tmp_path / "old.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="which name has which number"):
        as_score(load_model(tmp_path / "old.json"), OWN, favourable=1)
    accents = TABLE.assign(job=TABLE["job"].str.replace("nurse", "infirmière")).astype(
        dict.fromkeys(TEXT, "category")
    )
    job = Feature("job", "nominal", categories=("infirmière", "clerk"), when_missing="fill")
    with pytest.raises(InputError, match="letters beyond A to Z"):
        as_score(xgboost.XGBClassifier(**BOOST).fit(accents, LABELS), schema(job=job), favourable=1)


def test_a_new_category_is_what_its_library_makes_of_it() -> None:
    job = Feature("job", "nominal", categories=(*JOBS, "pilot"), when_missing="fill")
    wider = schema(job=job)
    check_read(histogram(TEXT).fit(TABLE, LABELS), wider)
    check_read(lightgbm.LGBMClassifier(**LIGHT).fit(SORTS, LABELS), wider)
    with pytest.raises(InputError, match="fitted without 'pilot' of 'job'"):
        as_score(xgboost.XGBClassifier(**BOOST).fit(SORTS, LABELS), wider, favourable=1)


def test_histogram_boosting_on_categories_comes_out_of_a_file(tmp_path: Any) -> None:
    save_model(histogram(TEXT).fit(TABLE, LABELS), tmp_path / "model.skops")
    check_read(load_model(tmp_path / "model.skops"), OWN)
    foreign = FunctionTransformer(functools.partial(np.clip, a_min=0.0, a_max=1.0))
    save_model(foreign.fit(COUNTED), tmp_path / "foreign.skops")
    with pytest.raises(InputError, match="a function with settings of its own"):
        load_model(tmp_path / "foreign.skops")


# CatBoost, which takes no empty cells among categories: they are words of their own

WORDS = TABLE.fillna(dict.fromkeys(TEXT, "unknown"))
SPOKEN = schema(
    job=Feature("job", "nominal", categories=JOBS, missing=("unknown",), when_missing="fill"),
    housing=Feature(
        "housing",
        "nominal",
        categories=OWN["housing"].categories,
        missing=("unknown",),
        when_missing="keep",
    ),
)
WAYS = {
    "counts": {"max_ctr_complexity": 1},
    "buckets": {"max_ctr_complexity": 1, "simple_ctr": ["Buckets", "Counter"]},
    "one by one": {"one_hot_max_size": 30, "nan_mode": "Max"},
    "leaf by leaf": {"one_hot_max_size": 4, "max_ctr_complexity": 1, "grow_policy": "Lossguide"},
}


@pytest.mark.parametrize("way", WAYS)
def test_catboost_on_categories_is_read(way: str) -> None:
    model = catboost.CatBoostClassifier(**CAT, **WAYS[way], cat_features=TEXT)
    check_read(model.fit(WORDS, LABELS), SPOKEN)


def test_empty_cells_among_catboost_s_categories_are_refused_beforehand() -> None:
    model = catboost.CatBoostClassifier(**CAT, **WAYS["counts"], cat_features=TEXT)
    with pytest.raises(InputError, match="declare the word that stands for them"):
        as_score(model.fit(WORDS, LABELS), OWN, favourable=1)


def test_catboost_on_numbers_with_gaps_is_read() -> None:
    check_read(catboost.CatBoostClassifier(**CAT).fit(COUNTED, LABELS), PLAIN)


def test_catboost_from_a_file_still_knows_its_inputs(tmp_path: Any) -> None:
    model = catboost.CatBoostClassifier(**CAT, **WAYS["counts"], cat_features=TEXT)
    model.fit(WORDS, LABELS).save_model(str(tmp_path / "model.cbm"))
    again = catboost.CatBoostClassifier().load_model(str(tmp_path / "model.cbm"))
    assert check_read(again, SPOKEN).digest == as_score(model, SPOKEN, favourable=1).digest


def test_catboost_s_combinations_of_columns_are_asked_and_the_reason_is_kept() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({c: rng.choice(list("abcdef"), 600) for c in "xyz"})
    labels = (table.x.isin(list("abc")) ^ table.y.isin(list("abc"))).astype(int)
    model = catboost.CatBoostClassifier(**CAT, max_ctr_complexity=3, cat_features=list("xyz"))
    own = Schema(tuple(Feature(c, "nominal", categories=tuple("abcdef")) for c in "xyz"))
    score = as_score(model.fit(table, labels), own, favourable=1)
    assert "max_ctr_complexity=1" in score.why
    said = model.predict_proba(table)[:, 1] - 0.5
    np.testing.assert_allclose(score.score(own.matrix(table)), said)


def test_catboost_s_trees_without_a_question_are_read() -> None:
    """With rare labels some rounds find nothing to ask, and their tree is one leaf."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"job": rng.choice(list("abc"), 300), "x": rng.integers(0, 3, 300)})
    rare = {**CAT, "iterations": 30, "depth": 4, "random_seed": 0}
    model = catboost.CatBoostClassifier(**rare, max_ctr_complexity=1, cat_features=["job"])
    model.fit(table, (rng.random(300) < 0.07).astype(int))
    own = Schema(
        (
            Feature("job", "nominal", categories=("a", "b", "c")),
            Feature("x", "count", lower=0, upper=2),
        )
    )
    score = as_score(model, own, favourable=1)
    assert isinstance(score, TreeEnsemble)
    asked = model.predict_proba(table)[:, 1] - score.threshold
    np.testing.assert_allclose(score.score(own.matrix(table)), asked, rtol=0, atol=1e-9)
