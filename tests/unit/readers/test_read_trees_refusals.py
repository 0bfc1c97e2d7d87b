"""What is no readable tree model is left to others, and misuse is told in a sentence."""

import subprocess
import sys
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.readers.columns.read_columns import Column
from standfast.readers.read_trees import read_trees
from standfast.readers.translation import Translation
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Feature, Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Means, Prediction
from standfast.scores.tree_ensemble import TreeEnsemble

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

NO_TREES = (
    RandomForestRegressor,
    LogisticRegression,
    AdaBoostClassifier,
    xgboost.XGBRegressor,
    xgboost.Booster,
    lightgbm.LGBMRegressor,
    str,
)
NAMES = tuple("abcdef")
SCHEMA = Schema([Feature(name) for name in NAMES])
X = np.random.default_rng(0).normal(size=(1200, len(NAMES)))
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(int)


def read(model: Any, inputs: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Any:
    means: Means = "score_samples" if isinstance(model, IsolationForest) else "probability"
    front = Translation([Column(j) for j in inputs], SCHEMA.features)
    return read_trees(model, front, 0.5, Prediction(model, means, inputs))


def unreadable() -> list[Any]:
    three = np.arange(len(Y)) % 3
    boost = {"n_estimators": 3, "n_jobs": 1}
    quiet = {**boost, "verbose": -1}
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
        xgboost.XGBClassifier(**boost).fit(X, three),
        xgboost.XGBClassifier(**boost, booster="gblinear").fit(X, Y),
        xgboost.XGBClassifier(**boost, missing=0.0).fit(X, Y),
        xgboost.XGBClassifier(**boost, objective="binary:hinge").fit(X, Y),
        xgboost.XGBRegressor(**boost).fit(X, Y),
        xgboost.XGBClassifier(**boost).fit(X, Y).get_booster(),
        lightgbm.LGBMClassifier(**quiet).fit(X, three),
        lightgbm.LGBMClassifier(**quiet, linear_tree=True).fit(X, Y),
        lightgbm.LGBMClassifier(**quiet, pred_early_stop=True).fit(X, Y),
        lightgbm.LGBMClassifier(**quiet, objective="cross_entropy").fit(X, Y),
        lightgbm.LGBMRegressor(**quiet).fit(X, Y),
        "not a model",
    ]


def test_what_is_no_readable_tree_model_is_left_to_others() -> None:
    for model in unreadable():
        why = ""
        try:
            assert read(model) is None, model
        except UnreadableError as error:
            why = str(error)
        assert (why == "") == isinstance(model, NO_TREES), model


def test_why_trees_cannot_be_read_is_kept() -> None:
    early = lightgbm.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1, pred_early_stop=True)
    with pytest.raises(UnreadableError, match="it skips trees where the others are sure"):
        read(early.fit(X, Y))
    with pytest.raises(UnreadableError, match="takes the number 0 for a missing value"):
        read(xgboost.XGBClassifier(n_estimators=3, n_jobs=1, missing=0.0).fit(X, Y))


def test_zero_as_missing_is_read_only_where_zero_stays_among_its_neighbours() -> None:
    readable = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        some = np.where(rng.random(X.shape) < 0.3, 0.0, X + (seed % 2) * 5)
        model = lightgbm.LGBMClassifier(
            n_estimators=1 + seed, num_leaves=4, n_jobs=1, verbose=-1, zero_as_missing=True
        ).fit(some, Y)
        trees = None
        with suppress(UnreadableError):
            trees = read(model)
        readable.add(trees is not None)
        if trees is not None:
            some[rng.random(X.shape) < 0.1] = np.nan
            said = trees.prediction(some) - 0.5
            np.testing.assert_allclose(trees.score(some), said, rtol=0, atol=1e-12)
    assert readable == {True, False}


def test_trees_that_never_split_are_read() -> None:
    few, labels = X[:8], np.array([0, 1] * 4)
    for model in (
        DecisionTreeClassifier(min_samples_split=100),
        GradientBoostingClassifier(n_estimators=3, min_samples_split=100),
        HistGradientBoostingClassifier(max_iter=3),
        xgboost.XGBClassifier(n_estimators=3, min_child_weight=100, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1),
    ):
        trees = read(model.fit(few, labels))
        assert trees.trees.leaf.all()
        said = trees.prediction(X) - 0.5
        np.testing.assert_allclose(trees.score(X), said, rtol=0, atol=2e-7)


def test_the_threshold_is_the_library_s_unless_given() -> None:
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    inliers = IsolationForest(n_estimators=3, contamination=0.2, random_state=0).fit(X)
    for model, threshold, expected in (
        (forest, None, 0.5),
        (forest, 0.7, 0.7),
        (inliers, None, inliers.offset_),
        (inliers, -0.6, -0.6),
    ):
        trees = as_score(model, SCHEMA, favourable=1, threshold=threshold)
        assert isinstance(trees, TreeEnsemble)
        assert trees.threshold == expected
        assert trees.probability == (model is forest)


def test_an_estimator_that_was_never_fitted_is_refused_with_a_sentence() -> None:
    for model in (
        RandomForestClassifier(),
        HistGradientBoostingClassifier(),
        IsolationForest(),
        xgboost.XGBClassifier(),
        lightgbm.LGBMClassifier(),
    ):
        with pytest.raises(InputError, match=f"the {type(model).__name__} is not fitted"):
            as_score(model, SCHEMA, favourable=1)


def test_fewer_inputs_than_the_trees_read_are_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="but it was said to have 2"):
        read(RandomForestClassifier(5, random_state=0).fit(X, Y), inputs=(0, 1))


class Cautious(RandomForestClassifier):
    """A forest that predicts something else than its trees say."""

    def predict_proba(self, X: Any) -> Any:
        return 0.9 * super().predict_proba(X) + 0.05


def test_a_reading_that_does_not_repeat_the_prediction_is_dropped() -> None:
    model = Cautious(5, max_depth=3, random_state=0).fit(X, Y)
    asked = as_score(model, SCHEMA, favourable=1)
    assert isinstance(asked, BlackBox)
    assert asked.why == "what was read of it does not give its own predictions"


def test_reading_a_forest_imports_neither_xgboost_nor_lightgbm() -> None:
    script = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from standfast.readers.columns.read_columns import Column
from standfast.readers.read_trees import read_trees
from standfast.readers.translation import Translation
from standfast.schema import Feature
from standfast.scores.prediction import Prediction
assert "numba" not in sys.modules
X = np.random.default_rng(0).normal(size=(50, 2))
model = RandomForestClassifier(3).fit(X, X[:, 0] > 0)
said = Prediction(model, "probability", (0, 1))
front = Translation([Column(0), Column(1)], [Feature("a"), Feature("b")])
assert read_trees(model, front, 0.5, said) is not None
assert not {"xgboost", "lightgbm"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
