"""Models on tables with text and gaps are read as structure and say what their estimator says."""

import json
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from samples.every import every
from samples.lender import HOUSING, JOBS, NEVER, NUMBERS, TEXT, lender, rows, schema
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from standfast import MinimalCost, Percentiles, recommend
from standfast.errors import InputError
from standfast.readers import as_score
from standfast.readers.files import load_model, save_model
from standfast.readers.structures import pack, unpack
from standfast.schema import Feature, Schema
from standfast.scores import Additive, BlackBox, TreeEnsemble

TABLE, LABELS = lender()
FULL = Percentiles.fit(TABLE)
ONE_HOT = {"handle_unknown": "ignore", "sparse_output": False}


def check_says_the_same(score: Any, own: Any) -> None:
    """The structure gives the estimator's numbers, on every kind of row."""
    X = rows(own, score)
    tolerance = 2e-7 if getattr(score, "single", False) else 1e-9
    said = score.prediction(X) - score.threshold
    np.testing.assert_allclose(score.score(X), said, rtol=0, atol=tolerance)


def split(text: Any, numbers: Any = None) -> ColumnTransformer:
    usual = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    return ColumnTransformer([("words", text, TEXT), ("numbers", numbers or usual, NUMBERS)])


def filled(encoder: Any, **how: Any) -> Any:
    return make_pipeline(SimpleImputer(**(how or {"strategy": "most_frequent"})), encoder)


NONE = {"strategy": "constant", "fill_value": "none"}
FRONTS = {
    "one-hot": split(OneHotEncoder(**ONE_HOT)),
    "without the first": split(filled(OneHotEncoder(drop="first"))),
    "binary": split(filled(OneHotEncoder(drop="if_binary"), **NONE)),
    "rare ones together": split(
        filled(OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist"))
    ),
    "ordinal": split(
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
        )
    ),
    "target": split(TargetEncoder(cv=2), SimpleImputer(strategy="mean")),
    "a number for never": split(
        filled(OneHotEncoder(), **NONE),
        make_pipeline(
            SimpleImputer(strategy="most_frequent", add_indicator=True),
            SimpleImputer(missing_values=NEVER, strategy="median", add_indicator=True),
        ),
    ),
    "bins": split(
        filled(OneHotEncoder(), **NONE),
        make_pipeline(
            SimpleImputer(),
            KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform"),
        ),
    ),
    "numbers in order": ColumnTransformer(
        [
            ("words", filled(OrdinalEncoder(), **NONE), TEXT),
            ("grade", OrdinalEncoder(), ["grade"]),
            ("numbers", SimpleImputer(), ["income", "age", "pdays"]),
        ]
    ),
}
MODELS = {
    "linear": LogisticRegression(max_iter=5000),
    "forest": RandomForestClassifier(4, max_depth=6, random_state=0),
    "boosted": GradientBoostingClassifier(n_estimators=4, random_state=0),
    "xgboost": xgboost.XGBClassifier(n_estimators=4, n_jobs=1),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=4, n_jobs=1, verbose=-1),
}


@pytest.mark.parametrize("front", FRONTS)
def test_models_behind_encoders_and_imputers_are_read_and_agree(front: str) -> None:
    for name, model in MODELS.items():
        fitted = make_pipeline(FRONTS[front], model).fit(TABLE, LABELS)
        score = as_score(fitted, schema(), favourable=1)
        assert isinstance(score, Additive if name == "linear" else TreeEnsemble), name
        check_says_the_same(score, schema())


def test_gaps_that_reach_the_trees_go_where_the_estimator_sends_them() -> None:
    own = schema()
    raw = split(OneHotEncoder(**ONE_HOT), "passthrough")
    for model in (
        HistGradientBoostingClassifier(max_iter=4),
        RandomForestClassifier(4, max_depth=6, random_state=0),
        MODELS["xgboost"],
        MODELS["lightgbm"],
    ):
        score = as_score(make_pipeline(raw, model).fit(TABLE, LABELS), own, favourable=1)
        assert isinstance(score, TreeEnsemble)
        check_says_the_same(score, own)


def test_a_scaler_that_overflows_at_the_ends_of_a_scale_hides_no_piece_of_it() -> None:
    table = TABLE.assign(income=TABLE["income"] / 1e5)  # their spread is below one
    income = Feature("income", "positive", when_missing="fill")
    own = schema(income=income)
    for scaler in (StandardScaler(), MinMaxScaler(), RobustScaler()):
        numbers = make_pipeline(SimpleImputer(), scaler)
        model = make_pipeline(split(OneHotEncoder(**ONE_HOT), numbers), MODELS["forest"])
        score = as_score(model.fit(table, LABELS), own, favourable=1)
        assert isinstance(score, TreeEnsemble), score.why
        X = own.judged(table)[0]
        np.testing.assert_allclose(score.score(X), score.prediction(X) - 0.5, rtol=0, atol=1e-9)


def test_an_encoder_of_thousands_of_categories_that_refuses_gaps_is_read() -> None:
    codes = [f"c{k}" for k in range(4000)]
    table = pd.DataFrame({"code": codes, "n": np.arange(4000.0)})
    front = ColumnTransformer([("codes", OrdinalEncoder(), ["code"])], remainder="passthrough")
    model = make_pipeline(front, DecisionTreeClassifier(max_depth=3))
    model.fit(table, (table["n"] % 700 > 300).astype(int))
    own = Schema((Feature("code", "nominal", categories=codes), Feature("n", "count")))
    score = as_score(model, own, favourable=1)
    assert isinstance(score, TreeEnsemble)
    X = own.matrix(table)
    np.testing.assert_allclose(score.score(X), model.predict_proba(table)[:, 1] - 0.5, atol=1e-9)


def cheapest(x: Any, own: Any, score: Any) -> float:
    """The least cost over everything that the schema admits, by trying it all."""
    values = []
    for j, f in enumerate(own):
        end = len(f.categories) if f.categories else 0
        grid = np.arange(end) if end else np.arange(f.lower, f.upper + 1, f.step)
        values.append([x[j], *(v for v in grid if v != x[j])] if f.mutable else [x[j]])
    points = every(values)
    points = points[own.admits(x, points)]
    points = points[score.accepts(points)]
    if not len(points):
        return np.inf
    return float(FULL.of(own).total(np.tile(x, (len(points), 1)), points).min())


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_advice_is_the_cheapest_and_does_not_depend_on_the_order_of_categories(kind: str) -> None:
    people = lender(24, seed=9)[0]
    fitted = make_pipeline(FRONTS["one-hot"], MODELS[kind]).fit(TABLE, LABELS)
    answers = []
    for backwards in (False, True):
        own = schema(backwards=backwards).complete(TABLE)
        score = as_score(fitted, own, favourable=1)
        answers.append(recommend(MinimalCost(own, FULL, per_change=0.0), score, people))
    advice = answers[0]
    assert "unsound" not in set(map(str, advice.outcome))
    pd.testing.assert_frame_equal(advice.counterfactual, answers[1].counterfactual)
    own = schema().complete(TABLE)
    X, score = own.judged(people)[0], as_score(fitted, own, favourable=1)
    for i in range(0, len(X), 3):
        found = advice.cost.iloc[i]
        least = cheapest(X[i], own, score)
        assert least == (np.inf if np.isnan(found) else pytest.approx(found, abs=1e-9))


def test_a_category_that_an_encoder_refuses_is_never_advised_and_no_tree_can_hold_it() -> None:
    job = Feature("job", "nominal", categories=(*JOBS, "pilot"), when_missing="fill")
    wider = schema(job=job)
    linear = make_pipeline(FRONTS["without the first"], MODELS["linear"]).fit(TABLE, LABELS)
    score = as_score(linear, wider, favourable=1)
    place = wider.names.index("job")
    X = rows(wider, score, 50)
    X[:, place] = job.coder.of("pilot")
    assert isinstance(score, Additive)
    assert (score.raw(X) == -np.inf).all()
    assert not score.accepts(X).any()
    forest = make_pipeline(FRONTS["without the first"], MODELS["forest"]).fit(TABLE, LABELS)
    with pytest.raises(InputError, match="fitted without 'pilot' of 'job' and refuses it"):
        as_score(forest, wider, favourable=1)
    tolerant = make_pipeline(FRONTS["one-hot"], MODELS["forest"]).fit(TABLE, LABELS)
    check_says_the_same(as_score(tolerant, wider, favourable=1), wider)


def test_categories_spelt_otherwise_or_all_unknown_are_refused_with_their_names() -> None:
    model = make_pipeline(FRONTS["one-hot"], MODELS["linear"]).fit(TABLE, LABELS)
    spelt = Feature("housing", "nominal", categories=("Rent", "own"), when_missing="keep")
    with pytest.raises(InputError, match=r"'Rent' of 'housing' \(did you mean 'rent'\?\)"):
        as_score(model, schema(housing=spelt), favourable=1)
    other = Feature("housing", "nominal", categories=("flat", "tent"), when_missing="keep")
    with pytest.raises(InputError, match="none of the schema's categories of 'housing'"):
        as_score(model, schema(housing=other), favourable=1)


def test_gaps_that_a_model_refuses_are_never_kept_or_told_beforehand() -> None:
    raw = split(OneHotEncoder(**ONE_HOT), "passthrough")
    whole = TABLE.fillna({"income": 1000.0})
    linear = make_pipeline(raw, MODELS["linear"]).fit(whole, LABELS)
    score = as_score(linear, schema(), favourable=1)
    X = rows(schema(), score, 50)
    X[:, schema().names.index("income")] = -np.inf
    assert not score.accepts(X).any()
    boosted = make_pipeline(raw, MODELS["boosted"]).fit(whole, LABELS)
    with pytest.raises(InputError, match="missing values of 'income', which the model refuses"):
        as_score(boosted, schema(), favourable=1)


def test_the_refusal_of_an_exact_method_says_why_a_model_cannot_be_read() -> None:
    mixed = make_pipeline(FRONTS["one-hot"], PCA(3), LogisticRegression()).fit(TABLE, LABELS)
    own = schema().complete(TABLE)
    score = as_score(mixed, own, favourable=1)
    assert isinstance(score, BlackBox)
    with pytest.raises(InputError, match="the step PCA may mix columns"):
        recommend(MinimalCost(own, FULL), score, TABLE.head(2))


def test_a_function_gets_the_names_that_codes_stand_for() -> None:
    own = schema()
    seen: list[set[str]] = []

    def by_job(table: pd.DataFrame) -> Any:
        seen.append(set(table["job"].dropna()))
        return np.where(table["housing"] == HOUSING[1], 1.0, -1.0)

    score = as_score(by_job, own, favourable=None)
    X = own.matrix(TABLE)
    np.testing.assert_array_equal(score.score(X) > 0, TABLE["housing"] == HOUSING[1])
    assert set().union(*seen) == set(JOBS)


def test_a_tree_of_one_hot_codes_is_the_same_after_a_file(tmp_path: Any) -> None:
    model = make_pipeline(FRONTS["one-hot"], DecisionTreeClassifier(max_depth=4, random_state=0))
    model.fit(TABLE, LABELS)
    save_model(model, tmp_path / "model.skops")
    again = as_score(load_model(tmp_path / "model.skops"), schema(), favourable=1)
    assert again.digest == as_score(model, schema(), favourable=1).digest


def test_what_was_read_of_names_and_gaps_is_kept_whole() -> None:
    kinds = ("linear", "forest")
    fitted = [make_pipeline(FRONTS["one-hot"], MODELS[k]).fit(TABLE, LABELS) for k in kinds]
    scores = [as_score(model, schema(), favourable=1) for model in fitted]
    packed = pack(scores)
    again = unpack(json.loads(json.dumps(packed.about)), packed.arrays, [None, None])
    X = rows(schema(), scores[1])
    for score, copy in zip(scores, again, strict=True):
        np.testing.assert_array_equal(copy.score(X), score.score(X))
        assert copy.digest == score.digest


@pytest.mark.parametrize("encoder", [OneHotEncoder(**ONE_HOT), OneHotEncoder(drop="first")])
def test_truth_values_and_numbers_beside_text_in_one_imputer_are_read(encoder):
    rng = np.random.default_rng(0)
    columns = {
        "job": rng.choice(["clerk", "cook", None], 300),
        "insured": rng.random(300) < 0.5,
        "rooms": rng.integers(1, 4, 300),
    }
    table = pd.DataFrame(columns)
    y = (table["insured"] | (table["job"] == "cook")) & (table["rooms"] > 1)
    own = Schema.infer(table)
    model = make_pipeline(
        ColumnTransformer([("all", filled(encoder), list(table))]), LogisticRegression()
    )
    score = as_score(model.fit(table, y), own, favourable=True)
    assert isinstance(score, Additive)
    np.testing.assert_allclose(
        score.score(own.matrix(table)), model.predict_proba(table)[:, 1] - 0.5, atol=1e-12
    )
