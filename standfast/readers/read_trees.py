"""Reads a fitted estimator's trees, whichever library grew them."""

from dataclasses import replace
from typing import Any

import numpy as np

from standfast.readers.library_trees import LibraryTrees
from standfast.readers.read_catboost import read_catboost
from standfast.readers.read_lightgbm import read_lightgbm
from standfast.readers.read_sklearn_trees import read_sklearn_trees
from standfast.readers.read_xgboost import read_xgboost
from standfast.readers.translation import Translation
from standfast.scores.prediction import Place, Prediction
from standfast.scores.score import LOGISTIC, Matrix, Vector
from standfast.scores.tree_ensemble import TreeEnsemble, Trees

# rows on which a reading must repeat the estimator's own prediction before it is trusted
PROBES = 64


def read_trees(
    estimator: Any, front: Translation, threshold: float, prediction: Prediction
) -> TreeEnsemble | None:
    """The estimator as trees in table units, or None if it has none; unreadable ones say why.

    `front` are the columns that it reads, as a pipeline before it makes them.
    """
    found = _found(estimator, prediction.position)
    if found is None:
        return None
    return TreeEnsemble(
        trees=front.trees(found),
        width=len(front.features),
        threshold=threshold,
        link=found.link,
        probability=found.probability,
        offset=found.offset,
        divisor=found.divisor,
        single=found.single,
        prediction=prediction,
    )


def _found(estimator: Any, favourable: Place) -> LibraryTrees | None:
    """The trees in their library's terms, seen from the favourable class."""
    ancestors = type(estimator).__mro__

    def names(library: str) -> frozenset[str]:
        theirs = (c for c in ancestors if c.__module__.partition(".")[0] == library)
        return frozenset(c.__name__ for c in theirs)

    found = None
    # the other libraries' estimators may descend from scikit-learn's as well
    if ours := names("xgboost"):
        found = read_xgboost(estimator, ours)
    elif ours := names("lightgbm"):
        found = read_lightgbm(estimator, ours)
    elif ours := names("catboost"):
        found = read_catboost(estimator, ours)
    elif ours := names("sklearn"):
        found = read_sklearn_trees(estimator, ours, favourable)
    if found is None or found.link != LOGISTIC or favourable == 1:
        return found
    # boosted trees add up to the log-odds of the second class; each changes its sign
    trees = [replace(tree, value=-tree.value) for tree in found.trees]
    return replace(found, trees=trees, offset=-found.offset)


def rows_on_splits(trees: Trees, row: Vector) -> Matrix:
    """Copies of a row whose inputs, where a tree reads them, are the trees' own splits."""
    draw = np.random.default_rng(0)
    X = np.tile(row, (PROBES, 1))
    inner = ~trees.leaf & (np.abs(trees.split) < 1e30)  # 32 bits must hold what is asked
    for j in np.unique(trees.feature[inner]):
        X[:, j] = draw.choice(np.unique(trees.split[inner & (trees.feature == j)]), PROBES)
    return X
