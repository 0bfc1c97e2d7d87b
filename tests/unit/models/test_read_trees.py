"""Every library's trees, read in table units, say what the library says."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from standfast.errors import InputError
from standfast.models.prediction import Prediction
from standfast.models.read_trees import read_trees
from standfast.models.score import CLEARANCE, Matrix, Vector
from standfast.models.tree_ensemble import TreeEnsemble

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


X, Y = table(2500, seed=1)
X_GAPS, Y_GAPS = table(2500, seed=2, gaps=True)


def rows(trees: TreeEnsemble, n: int = 20_000, gaps: bool = False, largest: float = 1e30) -> Matrix:
    """Fresh rows, a good part of them on the splits, next to them, or where 32 bits round."""
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


def read(model: Any, position: int = 1, **how: Any) -> TreeEnsemble | None:
    final = model.steps[-1][1] if isinstance(model, Pipeline) else model
    means = how.pop(
        "means", "score_samples" if isinstance(final, IsolationForest) else "probability"
    )
    inputs = how.pop("inputs", tuple(range(WIDTH)))
    names = how.pop("names", None)
    width = how.pop("width", WIDTH)
    front = how.pop("front", None)
    threshold = how.pop("threshold", None)
    prediction = Prediction(model, means, inputs, names, position)
    return read_trees(
        final,
        inputs=inputs,
        width=width,
        favourable=position,
        threshold=threshold,
        prediction=prediction,
        front=front,
    )


def agree(trees: TreeEnsemble | None, points: Matrix) -> None:
    assert trees is not None and trees.prediction is not None
    told = trees.prediction(points) - trees.threshold
    score = trees.score(points)
    # XGBoost turns its log-odds into a probability in 32 bits
    tolerance, clearance = (2e-7, 1e-6) if trees.single else (1e-12, CLEARANCE)
    np.testing.assert_allclose(score, told, rtol=0, atol=tolerance)
    clear = np.abs(score) > clearance
    np.testing.assert_array_equal(score[clear] > 0, told[clear] > 0)
    np.testing.assert_array_equal(trees.accepts(points), told > 0)


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
    trees = read(ALL[name]().fit(X, Y), position)
    assert trees is not None
    agree(trees, rows(trees))


@pytest.mark.parametrize("fitted_on_gaps", [True, False])
@pytest.mark.parametrize("name", SKLEARN | XGBOOST | LIGHTGBM)
def test_missing_values_take_the_library_s_own_branch(name: str, fitted_on_gaps: bool) -> None:
    model = ALL[name]().fit(*((X_GAPS, Y_GAPS) if fitted_on_gaps else (X, Y)))
    trees = read(model)
    assert trees is not None
    agree(trees, rows(trees, gaps=True))


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(clip=True), RobustScaler()])
@pytest.mark.parametrize(
    "name", ["forest", "boosting", "histogram boosting", "isolation forest", "XGBoost", "LightGBM"]
)
def test_a_scaler_in_front_moves_the_splits_exactly(name: str, scaler: Any) -> None:
    model = make_pipeline(scaler, ALL[name]()).fit(X, Y)

    def front(k: int, values: Vector) -> Vector:
        asked = np.zeros((len(values), WIDTH))
        asked[:, k] = values
        return np.asarray(model[0].transform(asked)[:, k])

    trees = read(model, front=front)
    assert trees is not None
    agree(trees, rows(trees))
    if name != "boosting":  # scikit-learn's gradient boosting refuses missing values
        agree(trees, rows(trees, gaps=True, n=5000))


@pytest.mark.parametrize("name", ["forest", "histogram boosting", "XGBoost", "LightGBM"])
def test_a_model_fitted_on_some_columns_of_a_table_reads_those(name: str) -> None:
    names = ("f", "a", "c")
    inputs = tuple(NAMES.index(n) for n in names)
    model = ALL[name]().fit(pd.DataFrame(X, columns=list(NAMES))[list(names)], Y)
    trees = read(model, inputs=inputs, names=names)
    assert trees is not None
    assert set(trees.trees.feature[~trees.trees.leaf]) == set(inputs)
    agree(trees, rows(trees))


def test_xgboost_s_own_sum_is_repeated_to_the_last_bit() -> None:
    for name in ("XGBoost", "XGBoost, dropout", "XGBoost, parallel trees"):
        model = XGBOOST[name]().fit(X, Y)
        trees = read(model)
        assert trees is not None
        points = rows(trees)
        own = model.get_booster().inplace_predict(points, predict_type="margin")
        np.testing.assert_array_equal(trees.raw(points), own.astype(np.float64))


def test_a_forest_s_mean_vote_is_repeated_to_the_last_bit() -> None:
    model = RandomForestClassifier(49, random_state=0).fit(X, Y)
    trees = read(model)
    assert trees is not None
    points = rows(trees)
    np.testing.assert_array_equal(trees.raw(points), model.predict_proba(points)[:, 1])


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_boosting_that_stopped_early_uses_the_trees_up_to_its_best_round() -> None:
    held_out = table(800, seed=9)
    slow = dict(n_estimators=300, learning_rate=0.4, n_jobs=1)
    models = [
        xgboost.XGBClassifier(**slow, early_stopping_rounds=8).fit(
            X, Y, eval_set=[held_out], verbose=False
        ),
        lightgbm.LGBMClassifier(**slow, verbose=-1).fit(
            X, Y, eval_set=[held_out], callbacks=[lightgbm.early_stopping(8, verbose=False)]
        ),
    ]
    for model in models:
        trees = read(model)
        assert trees is not None
        best = (
            model.best_iteration + 1 if hasattr(model, "best_iteration") else model.best_iteration_
        )
        assert len(trees.trees.roots) == best
        agree(trees, rows(trees, 3000))


def test_a_lightgbm_booster_from_its_text_is_read() -> None:
    model = LIGHTGBM["LightGBM"]().fit(X, Y)
    booster = lightgbm.Booster(model_str=model.booster_.model_to_string())
    for position in (0, 1):
        trees = read(booster, position, means="booster")
        assert trees is not None
        agree(trees, rows(trees, 3000))


def test_an_xgboost_model_from_its_file_is_read(tmp_path: Any) -> None:
    XGBOOST["XGBoost"]().fit(X, Y).save_model(tmp_path / "model.json")
    model = xgboost.XGBClassifier()
    model.load_model(tmp_path / "model.json")
    trees = read(model)
    assert trees is not None
    agree(trees, rows(trees, 3000))


def test_trees_that_never_split_are_read() -> None:
    few, labels = X[:8], np.array([0, 1] * 4)
    models = [
        DecisionTreeClassifier(min_samples_split=100),
        GradientBoostingClassifier(n_estimators=3, min_samples_split=100),
        HistGradientBoostingClassifier(max_iter=3),
        xgboost.XGBClassifier(n_estimators=3, min_child_weight=100, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1),
    ]
    for model in models:
        trees = read(model.fit(few, labels))
        assert trees is not None
        assert trees.trees.leaf.all()
        agree(trees, X[:50])


def test_zero_as_missing_is_read_only_where_zero_stays_among_its_neighbours() -> None:
    read_some = []
    for seed in range(6):
        values, labels = table(600, seed=seed)
        values[np.random.default_rng(seed).random(values.shape) < 0.3] = 0.0
        model = lightgbm.LGBMClassifier(
            n_estimators=1 + seed // 3, num_leaves=3, n_jobs=1, verbose=-1, zero_as_missing=True
        ).fit(values, labels)
        trees = read(model)
        read_some.append(trees is not None)
        if trees is not None:
            agree(trees, rows(trees, 3000, gaps=True))
    assert any(read_some) and not all(read_some)


def test_the_threshold_is_the_library_s_unless_given() -> None:
    forest = SKLEARN["forest"]().fit(X, Y)
    inliers = SKLEARN["isolation forest"]().fit(X)
    for model, threshold, expected in (
        (forest, None, 0.5),
        (forest, 0.7, 0.7),
        (inliers, None, inliers.offset_),
        (inliers, -0.6, -0.6),
    ):
        trees = read(model, threshold=threshold)
        assert trees is not None
        assert trees.threshold == expected
        assert trees.probability == (model is forest)


def unreadable() -> list[Any]:
    three = np.arange(len(Y)) % 3
    flags = np.random.default_rng(0).integers(0, 5, len(Y))
    coded = X.copy()
    coded[:, 2] = flags
    label = (flags % 2 == 0).astype(int) ^ (Y & (X[:, 0] > 0))
    frame = pd.DataFrame(coded, columns=list(NAMES))
    frame["c"] = frame["c"].astype(int).astype("category")
    boost = dict(n_estimators=3, n_jobs=1)
    quiet = dict(boost, verbose=-1)
    return [
        RandomForestRegressor(3).fit(X, Y),
        LogisticRegression().fit(X[:, :5], Y),
        AdaBoostClassifier(n_estimators=3).fit(X, Y),
        RandomForestClassifier(3).fit(X, three),
        RandomForestClassifier(3).fit(X, np.column_stack((Y, three))),
        RandomForestClassifier(3).fit(X, np.zeros(len(Y))),
        GradientBoostingClassifier(n_estimators=2).fit(X, three),
        GradientBoostingClassifier(n_estimators=2, init=DummyClassifier(strategy="uniform")).fit(
            X, Y
        ),
        GradientBoostingClassifier(n_estimators=2, init=DecisionTreeClassifier(max_depth=1)).fit(
            X, Y
        ),
        HistGradientBoostingClassifier(max_iter=2).fit(X, three),
        HistGradientBoostingClassifier(max_iter=2, categorical_features=[2]).fit(coded, label),
        xgboost.XGBClassifier(**boost).fit(X, three),
        xgboost.XGBClassifier(**boost, booster="gblinear").fit(X, Y),
        xgboost.XGBClassifier(**boost, missing=0.0).fit(X, Y),
        xgboost.XGBClassifier(**boost, objective="binary:hinge").fit(X, Y),
        xgboost.XGBClassifier(**boost, enable_categorical=True, tree_method="hist").fit(
            frame, label
        ),
        xgboost.XGBRegressor(**boost).fit(X, Y),
        xgboost.XGBClassifier(**boost).fit(X, Y).get_booster(),
        lightgbm.LGBMClassifier(**quiet).fit(X, three),
        lightgbm.LGBMClassifier(**quiet, linear_tree=True).fit(X, Y),
        lightgbm.LGBMClassifier(**quiet, pred_early_stop=True).fit(X, Y),
        lightgbm.LGBMClassifier(**quiet).fit(frame, label),
        lightgbm.LGBMClassifier(**quiet, objective="cross_entropy").fit(X, Y),
        lightgbm.LGBMRegressor(**quiet).fit(X, Y),
        "not a model",
    ]


def test_what_is_no_readable_tree_model_is_left_to_others() -> None:
    for model in unreadable():
        assert read(model) is None, model


def test_an_estimator_that_was_never_fitted_is_refused_with_a_sentence() -> None:
    for model in (
        RandomForestClassifier(),
        HistGradientBoostingClassifier(),
        IsolationForest(),
        xgboost.XGBClassifier(),
        lightgbm.LGBMClassifier(),
    ):
        with pytest.raises(InputError, match=f"this {type(model).__name__} is not fitted"):
            read(model)


def test_fewer_inputs_than_the_trees_read_are_refused_with_a_sentence() -> None:
    model = SKLEARN["forest"]().fit(X, Y)
    with pytest.raises(InputError, match="but it was said to have 2"):
        read(model, inputs=(0, 1))


class Cautious(RandomForestClassifier):
    """A forest that predicts something else than its trees say."""

    def predict_proba(self, X: Any) -> Any:
        return 0.9 * super().predict_proba(X) + 0.05


def test_a_reading_that_does_not_repeat_the_prediction_is_dropped() -> None:
    assert read(Cautious(5, max_depth=3, random_state=0).fit(X, Y)) is None


def test_reading_a_forest_imports_neither_xgboost_nor_lightgbm() -> None:
    script = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from standfast.models.prediction import Prediction
from standfast.models.read_trees import read_trees
assert "numba" not in sys.modules
X = np.random.default_rng(0).normal(size=(50, 2))
model = RandomForestClassifier(3).fit(X, X[:, 0] > 0)
said = Prediction(model, "probability", (0, 1))
how = dict(inputs=(0, 1), width=2, favourable=1, threshold=None, prediction=said)
assert read_trees(model, **how) is not None
assert not {"xgboost", "lightgbm"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
