"""Reads LightGBM's boosted trees and random forests for two classes."""

from typing import Any

import numpy as np

from standfast.readers.library_trees import Group, LibraryTree, LibraryTrees, set_bits
from standfast.readers.unreadable import UnreadableError
from standfast.scores.score import LOGISTIC, Bools, Vector

# LightGBM takes everything this close to zero for zero (kZeroThreshold).
ZERO = float(np.float32(1e-35))

# The bits of a node's decision type: 0 categorical, 1 missing goes left, 2 and 3 what is missing.
CATEGORICAL, DEFAULT_LEFT = 1, 2
ZERO_IS_MISSING, NAN_IS_MISSING = 1, 2


def read_lightgbm(estimator: Any, names: frozenset[str]) -> LibraryTrees | None:
    """The trees that prediction uses, or None if this is no classifier.

    `names` are the LightGBM classes the estimator descends from.
    """
    if "LGBMClassifier" in names:
        booster = estimator.booster_
        if estimator.get_params().get("pred_early_stop", False):
            raise UnreadableError("it skips trees where the others are sure (pred_early_stop)")
    elif "Booster" in names:
        booster = estimator
    else:
        return None
    # without a number of rounds, both this text and prediction stop at the best round
    header, *blocks = booster.model_to_string().split("\n\nend of trees")[0].split("\nTree=")
    model = _fields(header)
    kind, *settings = model.get("objective", "").split() or [""]
    if kind != "binary" or model.get("num_tree_per_iteration") != "1":
        raise UnreadableError(f"its objective is {kind!r}")
    sigmoid = float(dict(s.split(":", 1) for s in settings if ":" in s).get("sigmoid", 1.0))
    trees = [_tree(_fields(block)) for block in blocks]
    return LibraryTrees(
        trees,
        in_double_precision_around_zero,
        divisor=(len(trees) if "average_output" in model else 1.0) / sigmoid,
        link=LOGISTIC,
    )


def in_double_precision_around_zero(values: Vector, thresholds: Vector) -> Bools:
    """LightGBM compares in 64 bits, tiny values as zero."""
    return np.asarray(np.where(np.abs(values) <= ZERO, 0.0, values) <= thresholds)


def _fields(block: str) -> dict[str, str]:
    """A block's lines `name=value`; a bare name has no value."""
    return dict(line.partition("=")[::2] for line in block.splitlines())


def _tree(block: dict[str, str]) -> LibraryTree:
    """One tree: LightGBM counts splits from 0 up and leaves from −1 down; here leaves follow."""

    def numbers(name: str, dtype: Any) -> Any:
        return np.array(block.get(name, "").split(), dtype=dtype)

    leaf_value = numbers("leaf_value", np.float64)
    if block.get("is_linear", "0") != "0":
        raise UnreadableError("its leaves hold linear models (linear_tree)")
    if len(leaf_value) == 1:
        alone, none = np.array([-1]), np.zeros(1)
        return LibraryTree(alone, none, alone, alone, none > 0, leaf_value)
    threshold, decision = numbers("threshold", np.float64), numbers("decision_type", np.int64)
    missing, default_left = (decision >> 2) & 3, (decision & DEFAULT_LEFT) > 0
    sorts = (decision & CATEGORICAL) > 0
    zero_left = threshold >= 0.0
    if np.any(~sorts & (missing == ZERO_IS_MISSING) & (default_left != zero_left)):
        # zero leaves its neighbours, so that no single split separates the sides
        raise UnreadableError("it takes zero for a missing value (zero_as_missing)")
    splits = len(threshold)
    left, right = numbers("left_child", np.intp), numbers("right_child", np.intp)
    leaves = np.full(len(leaf_value), -1)
    ends, words = numbers("cat_boundaries", np.intp), numbers("cat_threshold", "<u4")

    def filled(of_splits: Any, of_leaves: Any) -> Any:
        return np.concatenate((of_splits, of_leaves))

    def group(node: int) -> Group:
        which = int(threshold[node])
        return Group(set_bits(words[ends[which] : ends[which + 1]]))

    # where a gap is nothing special, LightGBM takes it for a zero; a gap is in no group
    gap_left = np.where(missing == NAN_IS_MISSING, default_left, zero_left) & ~sorts
    return LibraryTree(
        column=filled(numbers("split_feature", np.intp), leaves),
        threshold=filled(threshold, leaf_value),
        left=filled(np.where(left < 0, splits - 1 - left, left), leaves),
        right=filled(np.where(right < 0, splits - 1 - right, right), leaves),
        missing_left=filled(gap_left, leaves > 0),
        value=filled(np.zeros(splits), leaf_value),
        groups={node: group(node) for node in np.flatnonzero(sorts).tolist()},
    )
