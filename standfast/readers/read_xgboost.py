"""Reads XGBoost's boosted trees and random forests for two classes."""

import json
import math
from typing import Any

import numpy as np

from standfast.readers.library_trees import Group, LibraryTree, LibraryTrees
from standfast.readers.unreadable import UnreadableError
from standfast.scores.score import LOGISTIC, Bools, Vector


def read_xgboost(estimator: Any, names: frozenset[str]) -> LibraryTrees | None:
    """The trees that predict_proba uses, or None if this is no classifier.

    `names` are the XGBoost classes the estimator descends from.
    """
    if "XGBClassifier" not in names:
        return None
    booster = estimator.get_booster()
    missing = estimator.missing
    if missing is not None and not math.isnan(missing):
        raise UnreadableError(f"it takes the number {missing:g} for a missing value")
    learner = json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]
    if learner["objective"]["name"] != "binary:logistic":
        raise UnreadableError(f"its objective is '{learner['objective']['name']}'")
    offset = _log_odds(learner["learner_model_param"]["base_score"])
    drawn = learner["gradient_booster"]
    model = drawn.get("gbtree", drawn).get("model")
    if offset is None or model is None or "trees" not in model:
        raise UnreadableError("it has no trees (gblinear), or several base scores")
    count = _trees_used(estimator, model)
    weights = np.asarray(drawn.get("weight_drop", ()), dtype=np.float32)
    trees = []
    for t, drawn_tree in enumerate(model["trees"][:count]):
        left = np.asarray(drawn_tree["left_children"], dtype=np.intp)
        condition = np.asarray(drawn_tree["split_conditions"], dtype=np.float32)
        if len(condition) != len(left):
            raise UnreadableError("its leaves hold several numbers")
        # dropout takes each tree's sum with the base score apart again, rounding both ways
        leaf = ((condition + offset) - offset) * weights[t] if weights.size else condition
        trees.append(
            LibraryTree(
                column=np.asarray(drawn_tree["split_indices"], dtype=np.intp),
                threshold=condition.astype(np.float64),
                left=left,
                right=np.asarray(drawn_tree["right_children"], dtype=np.intp),
                missing_left=np.asarray(drawn_tree["default_left"], dtype=bool),
                value=leaf.astype(np.float64),
                groups=_groups(drawn_tree),
            )
        )
    return LibraryTrees(
        trees,
        strictly_in_single_precision,
        offset=float(offset),
        single=True,
        link=LOGISTIC,
        category=_category,
    )


def strictly_in_single_precision(values: Vector, thresholds: Vector) -> Bools:
    """XGBoost rounds a value to 32 bits and goes left if it is below the threshold."""
    return np.asarray(values.astype(np.float32) < thresholds)


def _category(values: Vector) -> Vector:
    """XGBoost rounds a value to 32 bits and cuts off its decimals; no category is negative."""
    rounded = values.astype(np.float32).astype(np.float64)
    return np.where(rounded < 0.0, -1.0, np.trunc(rounded))


def _groups(drawn_tree: Any) -> dict[int, Group]:
    """The categories of each node that asks for some: they go right, everything else left."""
    nodes = drawn_tree.get("categories_nodes") or []
    begins, sizes = drawn_tree.get("categories_segments"), drawn_tree.get("categories_sizes")
    found = {}
    for n, node in enumerate(nodes):
        chosen = drawn_tree["categories"][begins[n] : begins[n] + sizes[n]]
        found[int(node)] = Group(np.array(chosen, dtype=np.intp), inside_left=False)
    return found


def _log_odds(base_score: Any) -> np.float32 | None:
    """The base score as log-odds, in XGBoost's own 32-bit steps: −log(1/p − 1).

    Written as a number, as its text, or (since version 3.1) as a list with one number in it.
    """
    texts = str(base_score).strip("[] ").split(",")
    p = np.float32(texts[0])
    if len(texts) != 1 or not 0.0 < p < 1.0:
        return None
    return np.float32(-math.log(float(np.float32(1.0) / p - np.float32(1.0))))


def _trees_used(estimator: Any, model: Any) -> int:
    """How many trees predict_proba adds up: those up to the best round of early stopping."""
    try:
        rounds = int(estimator.best_iteration) + 1
    except AttributeError:  # no early stopping
        return len(model["trees"])
    if "iteration_indptr" in model:
        return int(model["iteration_indptr"][rounds])
    return rounds * int(model["gbtree_model_param"]["num_parallel_tree"])
