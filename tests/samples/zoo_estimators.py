"""scikit-learn's models on a table with categories and gaps, each judged by its own prediction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from samples.bank import World

Judge = Callable[[pd.DataFrame], "np.ndarray[Any, np.dtype[np.bool_]]"]


@dataclass(frozen=True)
class Kept:
    """A model as a score, and its own word about a table as it was fitted on."""

    name: str
    score: Any
    accepts: Judge


def front(world: World, words: Any = None, numbers: Any = None) -> ColumnTransformer:
    """What stands before a model: an encoder for text, a filler for numbers."""
    usual = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    rest = [f.name for f in world.schema if f.name not in (*world.texts, *world.numbers)]
    return ColumnTransformer(
        [
            ("words", hot if words is None else words, world.texts),
            ("numbers", usual if numbers is None else numbers, world.numbers),
            ("rest", "passthrough", rest),
        ]
    )


def filled(encoder: Any) -> Any:
    return make_pipeline(SimpleImputer(strategy="constant", fill_value="unknown"), encoder)


CODES = OrdinalEncoder(
    handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
)
FOREST = RandomForestClassifier(5, max_depth=5, random_state=0)
MORE = ExtraTreesClassifier(5, max_depth=5, random_state=1)
LOGISTIC = LogisticRegression(max_iter=3000)


def estimators(world: World) -> dict[str, tuple[Any, float | None]]:
    """Unfitted scikit-learn models that read the table as it is, and their thresholds."""
    bins = make_pipeline(
        SimpleImputer(), KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
    )
    curves = make_pipeline(SimpleImputer(), StandardScaler(), SplineTransformer(4))
    coded = front(world, CODES, "passthrough")
    hot = front(world)

    def behind(model: Any, before: Any = hot) -> Any:
        return make_pipeline(clone(before), clone(model))

    def steps() -> Any:
        return make_pipeline(clone(coded), clone(FOREST))

    grown = [("f", behind(FOREST)), ("g", behind(MORE, coded))]
    aimed = front(world, filled(TargetEncoder(cv=2)))
    sums = [("s", behind(LinearSVC())), ("l", behind(LOGISTIC, aimed))]
    stacked = {"stack_method": "decision_function", "cv": 2}
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    boosting = GradientBoostingClassifier(n_estimators=12, random_state=0)
    own = {"threshold": 0.37, "pos_label": "yes"}
    return {
        "logistic, one-hot": (behind(LOGISTIC), None),
        "logistic, ordinal codes": (behind(LOGISTIC, front(world, CODES)), 0.37),
        "logistic, target codes": (behind(LOGISTIC, aimed), 0.6180339887498949),
        "logistic, bins": (behind(LOGISTIC, front(world, None, bins)), 0.51),
        "logistic, splines": (behind(LOGISTIC, front(world, None, curves)), None),
        "linear support vectors": (behind(LinearSVC()), 0.1),
        "tree, ordinal codes": (behind(tree, coded), 1 / 3),
        "forest, one-hot": (behind(FOREST), None),
        "forest, ordinal codes": (steps(), 0.6),
        "extra trees, target codes": (behind(MORE, aimed), 0.55),
        "boosting, one-hot": (behind(boosting), None),
        "vote of forests": (VotingClassifier(grown, voting="soft", weights=[2, 1]), None),
        "stack of sums": (StackingClassifier(sums, LogisticRegression(), **stacked), None),
        "stack of forests": (StackingClassifier(grown, LogisticRegression(), cv=2), 0.45),
        "forest, threshold of its own": (FixedThresholdClassifier(steps(), **own), None),
        "calibrated forest, sigmoid": (Calibrated(steps(), "sigmoid"), None),
        "calibrated forest, isotonic": (Calibrated(steps(), "isotonic"), 0.6),
        "calibrated logistic, isotonic": (Calibrated(behind(LOGISTIC), "isotonic"), None),
        "neural network": (behind(MLPClassifier((8,), max_iter=60, random_state=0)), None),
    }


@dataclass(frozen=True)
class Calibrated:
    """A fitted model with one calibrator, once it is fitted."""

    inside: Any
    method: str

    def fit(self, table: pd.DataFrame, labels: Any) -> Any:
        fitted = FrozenEstimator(self.inside.fit(table, labels))
        return CalibratedClassifierCV(fitted, method=self.method, ensemble=False).fit(table, labels)


def _own(model: Any, favourable: object, threshold: float | None, table: Any) -> Any:
    """A classifier's own word: its class, and its number against the threshold."""
    if not hasattr(model, "predict_proba"):
        towards = 1.0 if list(model.classes_).index(favourable) == 1 else -1.0
        return towards * model.decision_function(table) > (threshold or 0.0)
    classes = list(model.classes_)
    several = favourable if isinstance(favourable, set) else {favourable}
    share = np.asarray(model.predict_proba(table))[:, [classes.index(c) for c in several]].sum(
        axis=1
    )
    if threshold is None and len(several) == 1:  # of two classes, or with a threshold of its own
        return np.asarray(model.predict(table)).ravel() == favourable
    return share > (0.5 if threshold is None else threshold)


def keep(
    name: str,
    model: Any,
    world: World,
    favourable: Any = "yes",
    threshold: float | None = None,
    as_fitted: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table,
) -> Kept:
    """A fitted classifier as a score, judged by itself on the table it was fitted on."""
    score = sf.as_score(model, world.schema, favourable=favourable, threshold=threshold)
    return Kept(name, score, lambda table: _own(model, favourable, threshold, as_fitted(table)))
