"""Reads a fitted estimator's trees, whichever library grew them."""

from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.library_trees import LibraryTrees
from standfast.readers.translation import Translation
from standfast.readers.unreadable import UnreadableError
from standfast.scores.prediction import Place, Prediction
from standfast.scores.score import Matrix, Vector
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
    """The trees in their library's terms; a library is imported only for its own estimators."""
    from sklearn.exceptions import NotFittedError

    ancestors = type(estimator).__mro__

    def names(library: str) -> frozenset[str]:
        theirs = (c for c in ancestors if c.__module__.partition(".")[0] == library)
        return frozenset(c.__name__ for c in theirs)

    try:
        # these libraries' estimators may descend from scikit-learn's as well
        if ours := names("xgboost"):
            from standfast.readers.read_xgboost import read_xgboost

            return read_xgboost(estimator, ours, favourable)
        if ours := names("lightgbm"):
            from standfast.readers.read_lightgbm import read_lightgbm

            return read_lightgbm(estimator, ours, favourable)
        if ours := names("catboost"):
            from standfast.readers.read_catboost import read_catboost

            if isinstance(favourable, tuple):
                raise UnreadableError("it does not separate two classes")
            return read_catboost(estimator, ours, favourable)
        if ours := names("sklearn"):
            from standfast.readers.read_sklearn_trees import read_sklearn_trees

            return read_sklearn_trees(estimator, ours, favourable)
    except NotFittedError:
        kind = type(estimator).__name__
        raise InputError(
            f"this {kind} is not fitted; call its fit(table, labels) before reading it"
        ) from None
    return None


def rows_on_splits(trees: Trees, row: Vector) -> Matrix:
    """Copies of a row whose inputs, where a tree reads them, are the trees' own splits."""
    draw = np.random.default_rng(0)
    X = np.tile(row, (PROBES, 1))
    inner = ~trees.leaf & (np.abs(trees.split) < 1e30)  # 32 bits must hold what is asked
    for j in np.unique(trees.feature[inner]):
        X[:, j] = draw.choice(np.unique(trees.split[inner & (trees.feature == j)]), PROBES)
    return X
