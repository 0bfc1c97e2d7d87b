"""Reads LightGBM's boosted trees and random forests for two classes."""

from typing import Any

import numpy as np

from standfast.readers.library_trees import LibraryTree, LibraryTrees
from standfast.scores.prediction import Place
from standfast.scores.score import LOGISTIC, Bools, Vector

# LightGBM takes everything this close to zero for zero (kZeroThreshold).
ZERO = float(np.float32(1e-35))

# The bits of a node's decision type: 0 categorical, 1 missing goes left, 2 and 3 what is missing.
CATEGORICAL, DEFAULT_LEFT = 1, 2
ZERO_IS_MISSING, NAN_IS_MISSING = 1, 2


def read_lightgbm(estimator: Any, names: frozenset[str], favourable: Place) -> LibraryTrees | None:
    """The trees that prediction uses, or None if this model cannot be read.

    `names` are the LightGBM classes the estimator descends from.
    """
    if "LGBMClassifier" in names:
        booster = estimator.booster_
        if estimator.get_params().get("pred_early_stop", False):
            return None  # trees are skipped where the others are sure
    elif "Booster" in names:
        booster = estimator
    else:
        return None
    # without a number of rounds, both this text and prediction stop at the best round
    header, *blocks = booster.model_to_string().split("\n\nend of trees")[0].split("\nTree=")
    model = _fields(header)
    kind, *settings = model.get("objective", "").split() or [""]
    if kind != "binary" or model.get("num_tree_per_iteration") != "1":
        return None
    sigmoid = float(dict(s.split(":", 1) for s in settings if ":" in s).get("sigmoid", 1.0))
    trees = [_tree(_fields(block)) for block in blocks]
    if not all(trees):
        return None
    found = LibraryTrees(
        [tree for tree in trees if tree is not None],
        in_double_precision_around_zero,
        divisor=(len(trees) if "average_output" in model else 1.0) / sigmoid,
        link=LOGISTIC,
    )
    return found if favourable == 1 else found.opposite()


def in_double_precision_around_zero(values: Vector, thresholds: Vector) -> Bools:
    """LightGBM compares in 64 bits, tiny values as zero."""
    return np.asarray(np.where(np.abs(values) <= ZERO, 0.0, values) <= thresholds)


def _fields(block: str) -> dict[str, str]:
    """A block's lines `name=value`; a bare name has no value."""
    return dict(line.partition("=")[::2] for line in block.splitlines())


def _tree(block: dict[str, str]) -> LibraryTree | None:
    """One tree: LightGBM counts splits from 0 up and leaves from −1 down; here leaves follow."""

    def numbers(name: str, dtype: Any) -> Any:
        return np.array(block.get(name, "").split(), dtype=dtype)

    leaf_value = numbers("leaf_value", np.float64)
    if block.get("num_cat", "0") != "0" or block.get("is_linear", "0") != "0":
        return None
    if len(leaf_value) == 1:
        alone, none = np.array([-1]), np.zeros(1)
        return LibraryTree(alone, none, alone, alone, none > 0, leaf_value)
    threshold, decision = numbers("threshold", np.float64), numbers("decision_type", np.int64)
    missing, default_left = (decision >> 2) & 3, (decision & DEFAULT_LEFT) > 0
    if np.any(decision & CATEGORICAL):
        return None
    zero_left = threshold >= 0.0
    if np.any((missing == ZERO_IS_MISSING) & (default_left != zero_left)):
        return None  # zero leaves its neighbours, so that no single split separates the sides
    splits = len(threshold)
    left, right = numbers("left_child", np.intp), numbers("right_child", np.intp)
    leaves = np.full(len(leaf_value), -1)

    def filled(of_splits: Any, of_leaves: Any) -> Any:
        return np.concatenate((of_splits, of_leaves))

    return LibraryTree(
        column=filled(numbers("split_feature", np.intp), leaves),
        threshold=filled(threshold, leaf_value),
        left=filled(np.where(left < 0, splits - 1 - left, left), leaves),
        right=filled(np.where(right < 0, splits - 1 - right, right), leaves),
        # where a gap is nothing special, LightGBM takes it for a zero
        missing_left=filled(
            np.where(missing == NAN_IS_MISSING, default_left, zero_left), leaves > 0
        ),
        value=filled(np.zeros(splits), leaf_value),
    )
