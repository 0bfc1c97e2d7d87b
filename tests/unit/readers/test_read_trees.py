"""Every library's trees, read in table units, say what the library says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from standfast.readers.columns.read_columns import Column, read_columns
from standfast.readers.read_trees import read_trees
from standfast.readers.translation import Translation
from standfast.schema import Feature
from standfast.scores.prediction import Prediction
from standfast.scores.score import CLEARANCE, Matrix

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

WIDTH = 6
NAMES = tuple("abcdef")


def table(n: int, seed: int, gaps: bool = False) -> tuple[Matrix, Any]:
    """Reals, decimals, counts, zeros, a flag and amounts of many sizes, and a label."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 500, n) / 100,
            rng.poisson(3.0, n).astype(float),
            rng.normal(size=n) * (rng.random(n) < 0.5),
            (rng.random(n) < 0.4).astype(float),
            rng.lognormal(3.0, 3.0, n),
        ]
    )
    pull = X[:, 0] + 0.4 * X[:, 1] - 0.3 * X[:, 2] + X[:, 3] + X[:, 4] - 0.2 * np.log(X[:, 5])
    y = (pull + rng.normal(size=n) > 0.2).astype(int)
    if gaps:
        X[rng.random(X.shape) < 0.08] = np.nan
    return X, y


def rows(trees: Any, n: int, gaps: bool) -> Matrix:
    """Fresh rows, a good part of them on the splits, next to them, or where 32 bits round."""
    largest = 1e30  # beyond 32 bits scikit-learn refuses
    rng = np.random.default_rng(3)
    out, _ = table(n, seed=4, gaps=gaps)
    inner = ~trees.trees.leaf
    for j in range(trees.width):
        split = np.unique(trees.trees.split[inner & (trees.trees.feature == j)])
        split = split[np.abs(split) < largest]
        odd = np.array([0.0, -0.0, 1e-36, -1e-36, 1e-35, 1e-300, largest, -largest])
        single = split.astype(np.float32)
        near = [
            split,
            np.nextafter(split, np.inf),
            np.nextafter(split, -np.inf),
            single,
            np.nextafter(single, np.float32(np.inf)),
            np.nextafter(single, np.float32(-np.inf)),
            odd,
        ]
        special = np.concatenate(near).astype(np.float64)
        chosen = rng.random(n) < 0.6
        out[chosen, j] = rng.choice(special, chosen.sum())
    return out


def read(model: Any, position: int = 1, **how: Any) -> Any:
    final = model.steps[-1][1] if isinstance(model, Pipeline) else model
    means = how.pop(
        "means", "score_samples" if type(final).__name__ == "IsolationForest" else "probability"
    )
    inputs = how.pop("inputs", tuple(range(WIDTH)))
    names = how.pop("names", None)
    threshold = final.offset_ if means == "score_samples" else 0.5
    columns = [Column(j) for j in inputs]
    if final is not model:
        columns = read_columns(model[0], columns)
    front = Translation(columns, [Feature(name) for name in NAMES])
    return read_trees(final, front, threshold, Prediction(model, means, inputs, names, position))


def assert_same_prediction(trees: Any, n: int = 20_000, gaps: bool = False) -> None:
    assert trees is not None
    assert trees.prediction is not None
    points = rows(trees, n, gaps)
    shown = trees.prediction(points) - trees.threshold
    score = trees.score(points)
    # XGBoost turns its log-odds into a probability in 32 bits
    tolerance, clearance = (2e-7, 1e-6) if trees.single else (1e-12, CLEARANCE)
    np.testing.assert_allclose(score, shown, rtol=0, atol=tolerance)
    clear = np.abs(score) > clearance
    np.testing.assert_array_equal(score[clear] > 0, shown[clear] > 0)
    np.testing.assert_array_equal(trees.accepts(points), shown > 0)


X, Y = table(2500, 1)

SKLEARN: dict[str, Callable[[], Any]] = {
    "decision tree": lambda: DecisionTreeClassifier(max_depth=6, random_state=0),
    "extra tree": lambda: ExtraTreeClassifier(max_depth=6, random_state=0),
    "forest": lambda: RandomForestClassifier(30, max_depth=8, random_state=0),
    "full-grown forest": lambda: RandomForestClassifier(15, random_state=0),
    "weighted forest": lambda: RandomForestClassifier(
        9, max_depth=5, class_weight="balanced_subsample", random_state=0
    ),
    "extra trees": lambda: ExtraTreesClassifier(30, max_depth=8, random_state=0),
    "isolation forest": lambda: IsolationForest(n_estimators=40, contamination=0.1, random_state=0),
    "isolation forest on some columns": lambda: IsolationForest(
        n_estimators=40, max_features=0.5, max_samples=100, random_state=0
    ),
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=40, random_state=0),
    "histogram boosting that stopped": lambda: HistGradientBoostingClassifier(
        max_iter=60, early_stopping=True, n_iter_no_change=2, random_state=0
    ),
}
NO_GAPS: dict[str, Callable[[], Any]] = {
    "boosting": lambda: GradientBoostingClassifier(n_estimators=40, random_state=0),
    "boosting from zero": lambda: GradientBoostingClassifier(
        n_estimators=20, init="zero", random_state=0
    ),
    "exponential boosting": lambda: GradientBoostingClassifier(
        n_estimators=40, loss="exponential", random_state=0
    ),
    "boosting that stopped": lambda: GradientBoostingClassifier(
        n_estimators=200, n_iter_no_change=2, random_state=0
    ),
}
XGBOOST: dict[str, Callable[[], Any]] = {
    "XGBoost": lambda: xgboost.XGBClassifier(n_estimators=60, n_jobs=1),
    "XGBoost, base score": lambda: xgboost.XGBClassifier(
        n_estimators=20, n_jobs=1, base_score=0.3, scale_pos_weight=2.0
    ),
    "XGBoost, exact": lambda: xgboost.XGBClassifier(
        n_estimators=20, n_jobs=1, tree_method="exact", gamma=2.0
    ),
    "XGBoost, leaf by leaf": lambda: xgboost.XGBClassifier(
        n_estimators=20, n_jobs=1, grow_policy="lossguide", max_leaves=20, max_depth=0
    ),
    "XGBoost, parallel trees": lambda: xgboost.XGBClassifier(
        n_estimators=10, n_jobs=1, num_parallel_tree=3, subsample=0.5
    ),
    "XGBoost, dropout": lambda: xgboost.XGBClassifier(
        n_estimators=40, n_jobs=1, booster="dart", rate_drop=0.3, random_state=0
    ),
    "XGBoost forest": lambda: xgboost.XGBRFClassifier(n_estimators=20, n_jobs=1),
}
LIGHTGBM: dict[str, Callable[[], Any]] = {
    "LightGBM": lambda: lightgbm.LGBMClassifier(n_estimators=40, n_jobs=1, verbose=-1),
    "LightGBM, sigmoid": lambda: lightgbm.LGBMClassifier(
        n_estimators=20, n_jobs=1, verbose=-1, sigmoid=0.7
    ),
    "LightGBM, dropout": lambda: lightgbm.LGBMClassifier(
        n_estimators=20, n_jobs=1, verbose=-1, boosting_type="dart"
    ),
    "LightGBM forest": lambda: lightgbm.LGBMClassifier(
        n_estimators=20,
        n_jobs=1,
        verbose=-1,
        boosting_type="rf",
        bagging_freq=1,
        bagging_fraction=0.6,
    ),
    "LightGBM without missing values": lambda: lightgbm.LGBMClassifier(
        n_estimators=20, n_jobs=1, verbose=-1, use_missing=False
    ),
}
ALL = SKLEARN | NO_GAPS | XGBOOST | LIGHTGBM


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("name", ALL)
def test_trees_repeat_the_prediction_on_and_around_every_split(name: str, position: int) -> None:
    assert_same_prediction(read(ALL[name]().fit(X, Y), position))


@pytest.mark.parametrize("fitted_on_gaps", [True, False])
@pytest.mark.parametrize("name", SKLEARN | XGBOOST | LIGHTGBM)
def test_missing_values_take_the_library_s_own_branch(name: str, fitted_on_gaps: bool) -> None:
    assert_same_prediction(read(ALL[name]().fit(*table(2500, 2, gaps=fitted_on_gaps))), gaps=True)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(clip=True), RobustScaler()])
@pytest.mark.parametrize(
    "name", ["forest", "boosting", "histogram boosting", "isolation forest", "XGBoost", "LightGBM"]
)
def test_a_scaler_in_front_moves_the_splits_exactly(name: str, scaler: Any) -> None:
    model = make_pipeline(scaler, ALL[name]()).fit(X, Y)
    trees = read(model)
    assert_same_prediction(trees)
    if name != "boosting":  # scikit-learn's gradient boosting refuses missing values
        assert_same_prediction(trees, 5000, gaps=True)


@pytest.mark.parametrize("name", ["forest", "histogram boosting", "XGBoost", "LightGBM"])
def test_a_model_fitted_on_some_columns_of_a_table_reads_those(name: str) -> None:
    names = ("f", "a", "c")
    inputs = tuple(NAMES.index(n) for n in names)
    model = ALL[name]().fit(pd.DataFrame(X, columns=list(NAMES))[list(names)], Y)
    trees = read(model, inputs=inputs, names=names)
    assert set(trees.trees.feature[~trees.trees.leaf]) == set(inputs)
    assert_same_prediction(trees)


@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost_s_own_sum_is_repeated_to_the_last_bit(name: str) -> None:
    model = XGBOOST[name]().fit(X, Y)
    trees = read(model)
    points = rows(trees, 20_000, True)
    own = model.get_booster().inplace_predict(points, predict_type="margin")
    np.testing.assert_array_equal(trees.raw(points), own.astype(np.float64))


def test_a_forest_s_mean_vote_is_repeated_to_the_last_bit() -> None:
    model = RandomForestClassifier(49, random_state=0).fit(X, Y)
    trees = read(model)
    points = rows(trees, 20_000, False)
    np.testing.assert_array_equal(trees.raw(points), model.predict_proba(points)[:, 1])


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_early_stopping_keeps_the_trees_up_to_the_best_round() -> None:
    slow = {"n_estimators": 300, "learning_rate": 0.4, "n_jobs": 1}
    held_out = [table(800, 9)]
    stop = xgboost.XGBClassifier(**slow, early_stopping_rounds=8, num_parallel_tree=2)
    stop.fit(X, Y, eval_set=held_out, verbose=False)
    trees = read(stop)
    assert_same_prediction(trees, 3000)
    assert len(trees.trees.roots) == 2 * (stop.best_iteration + 1)
    assert stop.best_iteration + 1 < stop.get_booster().num_boosted_rounds()

    # the model keeps its later rounds when the best one is set by hand
    light = lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1).fit(X, Y)
    light.booster_.best_iteration = 7
    for trees in (read(light), read(light.booster_, means="booster")):
        assert len(trees.trees.roots) == 7
        assert_same_prediction(trees, 3000)


@pytest.mark.parametrize("position", [0, 1])
def test_models_from_their_own_files_are_read(tmp_path: Path, position: int) -> None:
    XGBOOST["XGBoost"]().fit(X, Y).save_model(tmp_path / "model.json")
    loaded = xgboost.XGBClassifier()
    loaded.load_model(tmp_path / "model.json")
    assert_same_prediction(read(loaded, position), 3000)
    LIGHTGBM["LightGBM"]().fit(X, Y).booster_.save_model(tmp_path / "model.txt")
    booster = lightgbm.Booster(model_file=tmp_path / "model.txt")
    assert_same_prediction(read(booster, position, means="booster"), 3000)
