"""Reads scikit-learn's decision trees, forests, boosted trees and isolation forests."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from standfast.readers.library_trees import (
    Group,
    LibraryTree,
    LibraryTrees,
    in_single_precision,
    set_bits,
)
from standfast.readers.unreadable import UnreadableError
from standfast.scores.prediction import Place
from standfast.scores.score import LOGISTIC, Bools, Link, Matrix, Vector
from standfast.scores.tree_ensemble import Indices

TWO_CLASSES = "it does not separate two classes"


def read_sklearn_trees(
    estimator: Any, names: frozenset[str], favourable: Place
) -> LibraryTrees | None:
    """The estimator's trees, or None if it is no tree model.

    `names` are the scikit-learn classes the estimator descends from; `favourable` says whose votes
    of a forest count.
    """
    if not names.isdisjoint(VOTING):
        return _votes(getattr(estimator, "estimators_", [estimator]), favourable)
    reader = next((ADDING[name] for name in ADDING if name in names), None)
    return None if reader is None else reader(estimator)


def in_double_precision(values: Vector, thresholds: Vector) -> Bools:
    """Histogram boosting compares in 64 bits."""
    return np.asarray(values <= thresholds)


def _tree(tree: Any, value: Vector, columns: Any = None) -> LibraryTree:
    """One of scikit-learn's trees with a value per node; `columns` if it saw only some."""
    column = np.maximum(tree.feature, 0)
    return LibraryTree(
        column=column if columns is None else np.asarray(columns)[column],
        threshold=tree.threshold,
        left=tree.children_left,
        right=tree.children_right,
        missing_left=np.asarray(tree.missing_go_to_left, dtype=bool),
        value=value,
    )


def _votes(estimators: Iterable[Any], favourable: Place) -> LibraryTrees:
    """Trees that vote with their leaves' shares of the favourable class."""
    trees = []
    places = list(favourable) if isinstance(favourable, tuple) else [favourable]
    several = isinstance(favourable, tuple)
    for estimator in estimators:
        if estimator.n_outputs_ != 1 or (estimator.n_classes_ != 2 and not several):
            raise UnreadableError(TWO_CLASSES)
        counts: Matrix = estimator.tree_.value[:, 0, :]
        wanted = counts[:, places].sum(axis=1)
        total = counts.sum(axis=1)
        # shares since scikit-learn 1.3, weights before; shares are left as they are, for their sum
        # is 1 only up to rounding and predict_proba does not divide by it either
        weights = np.abs(total - 1.0) > 1e-6
        share = np.where(weights, wanted / np.where(weights, total, 1.0), 0.0)
        share = np.where(weights, share, wanted)
        trees.append(_tree(estimator.tree_, share))
    return LibraryTrees(trees, in_single_precision, divisor=float(len(trees)))


def _gradient_boosting(estimator: Any) -> LibraryTrees:
    if estimator.estimators_.shape[1] != 1 or len(estimator.classes_) != 2:
        raise UnreadableError(TWO_CLASSES)
    offset = 0.0
    if not isinstance(estimator.init_, str):
        # any other first estimator is a model of its own, which no tree can hold
        if getattr(estimator.init_, "strategy", None) != "prior":
            raise UnreadableError("its trees are added to another model (init)")
        prior = float(estimator.init_.class_prior_[1])
        least = float(np.finfo(np.float32).eps)
        prior = min(max(prior, least), 1.0 - least)
        offset = math.log(prior / (1.0 - prior))
    elif estimator.init_ != "zero":
        raise UnreadableError("its trees are added to another model (init)")
    # the exponential loss's raw value is half the log-odds; doubling rounds nothing
    times = {"log_loss": 1.0, "exponential": 2.0}.get(estimator.loss)
    if times is None:
        raise UnreadableError(f"its loss is {estimator.loss!r}")
    stages = [stage.tree_ for stage in estimator.estimators_[:, 0]]
    rate = estimator.learning_rate
    trees = [_tree(stage, times * (rate * stage.value[:, 0, 0])) for stage in stages]
    return LibraryTrees(trees, in_single_precision, offset=offset, link=LOGISTIC)


def _histogram_boosting(estimator: Any) -> LibraryTrees:
    """Behind its own recoding of categories, which comes before the trees as a step."""
    if len(estimator.classes_) != 2:
        raise UnreadableError(TWO_CLASSES)
    known = _known_categories(estimator)
    trees = []
    for (predictor,) in estimator._predictors:
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        sorts = np.flatnonzero(~leaf & (nodes["is_categorical"] != 0)).tolist()
        groups = {
            i: Group(
                set_bits(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][i]]),
                known=known[int(nodes["feature_idx"][i])],
            )
            for i in sorts
        }
        trees.append(
            LibraryTree(
                column=nodes["feature_idx"].astype(np.intp),
                threshold=nodes["num_threshold"],
                left=np.where(leaf, -1, nodes["left"].astype(np.intp)),
                right=np.where(leaf, -1, nodes["right"].astype(np.intp)),
                missing_left=nodes["missing_go_to_left"].astype(bool),
                value=nodes["value"],
                groups=groups,
            )
        )
    offset = float(np.ravel(estimator._baseline_prediction)[0])
    return LibraryTrees(trees, in_double_precision, offset=offset, link=LOGISTIC)


def _known_categories(estimator: Any) -> dict[int, Indices]:
    """The categories that histogram boosting was fitted on, by column; it takes others for gaps."""
    if estimator.is_categorical_ is None:
        return {}
    if getattr(estimator, "_preprocessor", None) is None:
        raise UnreadableError("this version of scikit-learn hides how it codes categories")
    bits, place = estimator._bin_mapper.make_known_categories_bitsets()
    sorts = np.flatnonzero(estimator._is_categorical_remapped).tolist()
    return {k: set_bits(bits[place[k]]) for k in sorts}


def _isolation_forest(estimator: Any) -> LibraryTrees:
    """Mean path length: the splits on the way plus what a leaf's people would still need.

    score_samples = −2^(−mean / scale) with scale = c(max_samples), Liu et al. (2008), eq. (1).
    """
    scale = float(_average_path([estimator.max_samples_])[0])
    if scale == 0.0:
        raise UnreadableError("each of its trees saw one row only")
    width = estimator.n_features_in_
    trees = []
    for member, columns in zip(estimator.estimators_, estimator.estimators_features_, strict=True):
        tree = member.tree_
        # the order of these additions is scikit-learn's own
        value = _steps_to(tree) + _average_path(tree.n_node_samples) - 1.0
        # trees that saw every column were given the whole table, in its own order
        trees.append(_tree(tree, value, columns if len(columns) != width else None))
    return LibraryTrees(
        trees,
        in_single_precision,
        divisor=float(len(trees)),
        link=Link("isolation", scale),
        probability=False,
    )


def _steps_to(tree: Any) -> Vector:
    """How many nodes lie on the way to each node, both ends included."""
    steps = np.ones(tree.node_count)
    here = np.array([0])
    while (split := here[tree.children_left[here] >= 0]).size:
        left, right = tree.children_left[split], tree.children_right[split]
        steps[left] = steps[right] = steps[split] + 1.0
        here = np.concatenate((left, right))
    return steps


def _average_path(samples: Any) -> Vector:
    """The mean path length c(n) of an unsuccessful search in a tree of n samples."""
    n = np.maximum(np.asarray(samples, dtype=np.float64), 2.0)
    with np.errstate(divide="ignore"):
        length = 2.0 * (np.log(n - 1.0) + np.euler_gamma) - 2.0 * (n - 1.0) / n
    return np.where(np.asarray(samples) <= 1, 0.0, np.where(n == 2.0, 1.0, length))


VOTING = ("DecisionTreeClassifier", "ForestClassifier")
ADDING = {
    "GradientBoostingClassifier": _gradient_boosting,
    "HistGradientBoostingClassifier": _histogram_boosting,
    "IsolationForest": _isolation_forest,
}
