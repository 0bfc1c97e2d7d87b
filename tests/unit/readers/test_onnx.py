"""ONNX files against onnxruntime, on random rows, on thresholds and next to them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import standfast as sf
from standfast.readers.onnx import OnnxModel
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING
from standfast.scores import Additive, Linear, TreeEnsemble

pytest.importorskip("skl2onnx")
pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the converters

RNG = np.random.default_rng(0)
NUMBERS = ["income", "age", "debt"]
PLAIN = Schema(tuple(Feature(name) for name in NUMBERS))
GAPPED = Schema(tuple(Feature(name, when_missing="fill") for name in NUMBERS))
X = np.round(RNG.normal(size=(300, 3)) * [10, 5, 1] + [30, 40, 0], 2).astype(np.float32)
Y = (X[:, 0] - 5 * X[:, 2] + RNG.normal(size=300) * 5 > 30).astype(int)


def converted(estimator: Any, types: Any = None) -> bytes:
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType

    types = types or [("X", FloatTensorType([None, 3]))]
    options = {"zipmap": False} if hasattr(estimator, "predict_proba") else None
    return convert_sklearn(estimator, initial_types=types, options=options).SerializeToString()


def referee(data: bytes, feeds: dict[str, Any]) -> np.ndarray:
    import onnxruntime

    session = onnxruntime.InferenceSession(data)
    read = {one.name for one in session.get_inputs()}
    feeds = {name: feed for name, feed in feeds.items() if name in read}
    return np.asarray(session.run(None, feeds)[-1], dtype=np.float64)


def asked(X: np.ndarray) -> np.ndarray:
    return np.where(X == MISSING, np.nan, X).astype(np.float32)


def rows(score: Any, schema: Schema, n: int = 2000) -> np.ndarray:
    """Rows between, on and next to the splits, as doubles that 32 bits do not hold."""
    draw = np.random.default_rng(1)
    found = draw.normal(size=(n, 3)) * [10, 5, 1] + [30, 40, 0]
    if isinstance(score, TreeEnsemble):
        trees = score.trees
        for j in range(3):
            own = np.unique(trees.split[(trees.feature == j) & np.isfinite(trees.split)])
            if len(own):
                near = np.concatenate([own, np.nextafter(own, np.inf), np.float32(own)])
                half = draw.random(n) < 0.7
                found[half, j] = draw.choice(near, half.sum())
    for j in schema.gapped:
        found[draw.random(n) < 0.15, j] = MISSING
    return found


TREES = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(8, max_depth=5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=10, random_state=0),
}


@pytest.mark.parametrize("favourable", [0, 1])
@pytest.mark.parametrize("name", TREES)
def test_trees_go_where_the_runtime_goes_on_every_threshold(name: str, favourable: int) -> None:
    data = converted(TREES[name].fit(X, Y))
    score = sf.as_score(OnnxModel.of(data), PLAIN, favourable=favourable)
    assert isinstance(score, TreeEnsemble)
    assert score.probability
    people = rows(score, PLAIN)
    own = score.link.apply(score.raw(people))
    theirs = referee(data, {"X": asked(people)})[:, favourable]
    assert np.abs(own - theirs).max() <= 1e-6


def test_gaps_go_where_the_runtime_sends_them() -> None:
    gaps = np.where(RNG.random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    data = converted(HistGradientBoostingClassifier(max_iter=15, random_state=0).fit(gaps, Y))
    score = sf.as_score(OnnxModel.of(data), GAPPED, favourable=1)
    people = rows(score, GAPPED)
    own = score.link.apply(score.raw(people))
    assert np.abs(own - referee(data, {"X": asked(people)})[:, 1]).max() <= 1e-6


def test_thresholds_behind_a_scaler_and_an_imputer_are_those_of_32_bits() -> None:
    gaps = np.where(RNG.random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    model = make_pipeline(SimpleImputer(), StandardScaler(), RandomForestClassifier(5, max_depth=5))
    data = converted(model.fit(gaps, Y))
    score = sf.as_score(OnnxModel.of(data), GAPPED, favourable=1)
    people = rows(score, GAPPED, 4000)
    own = score.link.apply(score.raw(people))
    assert np.abs(own - referee(data, {"X": asked(people)})[:, 1]).max() <= 1e-6


LINEAR = {
    "logistic": LogisticRegression(),
    "scaled": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    "machine": LinearSVC(),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_are_read_as_lines(name: str) -> None:
    data = converted(LINEAR[name].fit(X, Y))
    score = sf.as_score(OnnxModel.of(data), PLAIN, favourable=1)
    assert isinstance(score, Linear)
    people = rows(score, PLAIN)
    theirs = referee(data, {"X": asked(people)})
    theirs = theirs.ravel() if name == "machine" else theirs[:, 1]
    own = score.link.apply(score.raw(people))
    assert score.threshold == (0.0 if name == "machine" else 0.5)
    assert np.abs(own - theirs).max() <= (1e-5 if name == "machine" else 1e-6)


@pytest.mark.parametrize(
    "model",
    [RandomForestRegressor(5, max_depth=4), DecisionTreeRegressor(), Ridge(), LinearRegression()],
)
@pytest.mark.parametrize("side", ["above", "below"])
def test_a_model_of_a_number_has_two_sides_of_a_cut_off(model: Any, side: str) -> None:
    data = converted(model.fit(X, X[:, 0] * 0.1 + Y))
    score = sf.as_score(OnnxModel.of(data), PLAIN, favourable=side, threshold=3.5)
    people = rows(score, PLAIN)
    theirs = referee(data, {"X": asked(people)}).ravel()
    own = score.raw(people) * (1 if side == "above" else -1)
    assert np.abs(own - theirs).max() <= 2e-6
    clear = np.abs(theirs - 3.5) > 1e-4
    wanted = theirs > 3.5 if side == "above" else theirs < 3.5
    np.testing.assert_array_equal(score.accepts(people)[clear], wanted[clear])


# tables with names

NAMED = Schema(
    (
        Feature("job", "nominal", categories=("clerk", "smith", "none", "pilot")),
        Feature("age", when_missing="fill"),
        Feature("housing", "nominal", categories=("own", "rent", "family")),
        Feature("income", when_missing="fill"),
        Feature("branch", "nominal", categories=(3, 7, 11)),
    )
)
TABLE = pd.DataFrame(
    {
        "income": X[:, 0],
        "age": X[:, 1],
        "housing": RNG.choice(["own", "rent", "family"], 300),
        "job": RNG.choice(["clerk", "smith", "none"], 300),
        "branch": RNG.choice([3, 7, 11], 300),
    }
)
LABELS = (X[:, 0] + 8 * (TABLE["housing"] == "own") - 6 * (TABLE["job"] == "none") > 30).map(
    {True: "good", False: "bad"}
)


def named(model: Any) -> bytes:
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    kinds = [FloatTensorType, FloatTensorType, StringTensorType, StringTensorType, Int64TensorType]
    types = [(c, kind([None, 1])) for c, kind in zip(TABLE, kinds, strict=True)]
    return converted(model.fit(TABLE, LABELS), types)


def named_rows(score: Any, n: int = 2000) -> tuple[np.ndarray, dict[str, Any]]:
    draw = np.random.default_rng(2)
    people = np.column_stack(
        [
            draw.integers(0, len(f.coder.names), n) if f.coder else draw.normal(size=n) * 10 + 35
            for f in NAMED
        ]
    ).astype(float)
    if isinstance(score, TreeEnsemble):
        for j in (1, 3):
            own = score.trees.split[(score.trees.feature == j) & np.isfinite(score.trees.split)]
            half = draw.random(n) < 0.5
            people[half, j] = draw.choice(
                np.concatenate([own, np.nextafter(own, np.inf)]), half.sum()
            )
    for j in (1, 3):
        people[draw.random(n) < 0.1, j] = MISSING
    feeds: dict[str, Any] = {}
    for feature, column in zip(NAMED, people.T, strict=True):
        if feature.coder is None:
            feeds[feature.name] = asked(column)[:, None]
        else:
            names = [feature.coder.names[int(code)] for code in column]
            kind = np.int64 if feature.name == "branch" else object
            feeds[feature.name] = np.array(names, dtype=kind)[:, None]
    return people, feeds


def test_categories_behind_encoders_are_matched_by_name() -> None:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    for final, kind in (
        (LogisticRegression(), Additive),
        (RandomForestClassifier(5), TreeEnsemble),
    ):
        front = make_column_transformer(
            (numbers, ["income", "age"]),
            (OneHotEncoder(handle_unknown="ignore"), ["housing", "job", "branch"]),
        )
        data = named(make_pipeline(front, final))
        score = sf.as_score(OnnxModel.of(data), NAMED, favourable="good")
        assert isinstance(score, kind)
        people, feeds = named_rows(score)
        own = score.link.apply(score.raw(people))
        assert np.abs(own - referee(data, feeds)[:, 1]).max() <= 1e-6


def test_columns_that_are_picked_by_a_gather_are_the_columns_picked() -> None:
    import onnx

    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore")
    front = make_column_transformer((encoder, ["job"]), (numbers, ["age", "income"]))
    data = named(make_pipeline(front, RandomForestClassifier(5, max_depth=6, random_state=0)))
    assert "Gather" in {node.op_type for node in onnx.load_from_string(data).graph.node}
    score = sf.as_score(OnnxModel.of(data), NAMED, favourable="good")
    people, feeds = named_rows(score)
    own = score.link.apply(score.raw(people))
    assert np.abs(own - referee(data, feeds)[:, 1]).max() <= 1e-6
    graph = onnx.load_from_string(data)
    for node in graph.graph.node:
        if node.op_type == "Gather":
            node.attribute[0].i = 0
    with pytest.raises(sf.InputError, match=r"the axis 0 of the operator Gather .* is not read"):
        sf.as_score(OnnxModel.of(graph.SerializeToString()), NAMED, favourable="good")


def test_ordinal_codes_are_looked_up() -> None:
    front = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["housing", "job"]),
        (SimpleImputer(), ["income", "age"]),
    )
    model = make_pipeline(front, RandomForestClassifier(6, max_depth=6, random_state=0))
    data = named(model)
    score = sf.as_score(OnnxModel.of(data), NAMED, favourable="bad")
    people, feeds = named_rows(score)
    own = score.link.apply(score.raw(people))
    assert np.abs(own - referee(data, feeds)[:, 0]).max() <= 1e-6


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_boosted_trees_of_other_libraries(library: str) -> None:
    onnxmltools = pytest.importorskip("onnxmltools")
    from onnxmltools.convert.common.data_types import FloatTensorType

    gaps = np.where(RNG.random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    if library == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        model = lightgbm.LGBMClassifier(n_estimators=12, max_depth=4, verbose=-1).fit(gaps, Y)
        convert = onnxmltools.convert_lightgbm
    else:
        xgboost = pytest.importorskip("xgboost")
        model = xgboost.XGBClassifier(n_estimators=12, max_depth=4).fit(gaps, Y)
        convert = onnxmltools.convert_xgboost
    proto = convert(model, initial_types=[("X", FloatTensorType([None, 3]))])
    data = proto.SerializeToString()
    score = sf.as_score(OnnxModel.of(data), GAPPED, favourable=1)
    assert isinstance(score, TreeEnsemble)
    people = rows(score, GAPPED)
    own = score.link.apply(score.raw(people))
    import onnxruntime

    answers = onnxruntime.InferenceSession(data).run(None, {"X": asked(people)})[-1]
    theirs = (
        np.array([one[1] for one in answers]) if isinstance(answers[0], dict) else answers[:, 1]
    )
    assert np.abs(own - theirs).max() <= 1e-6
