"""Reads a fitted estimator's trees, whichever library grew them, and checks them by its word."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.library_trees import Front, LibraryTrees, canonical
from standfast.readers.translation import Translation
from standfast.readers.unreadable import UnreadableError
from standfast.scores.prediction import Place, Prediction
from standfast.scores.score import Matrix, Vector
from standfast.scores.tree_ensemble import TreeEnsemble, Trees

# Rows on which a reading must repeat the estimator's own prediction before it is trusted.
PROBES = 64

OTHERWISE = "what was read of it does not give its own predictions"


def read_trees(
    estimator: Any,
    *,
    inputs: Sequence[int],
    width: int,
    favourable: Place,
    threshold: float | None,
    prediction: Prediction,
    front: Front | Translation | None = None,
) -> TreeEnsemble | None:
    """The estimator as trees in table units, or None if it has none; unreadable ones say why.

    `inputs[k]` is the schema's column that the estimator's column k reads, `favourable` the
    favourable class's place (0 or 1). `front(k, values)` is what a pipeline makes of the table's
    values before column k sees them, which must never decrease, or the translation of its columns.
    Without either, a reading that does not repeat the estimator's own prediction on rows that sit
    on the splits is dropped; what rows a pipeline admits is the caller's to know.
    """
    found = _found(estimator, favourable)
    if found is None:
        return None
    if isinstance(front, Translation):
        trees = front.trees(found)
    else:
        if found.has_groups:
            raise UnreadableError("it asks for sets of categories")
        plain = canonical(found, inputs, front)
        if plain is None:
            raise UnreadableError("a step before the trees is not defined for every number")
        trees = plain
    ensemble = TreeEnsemble(
        trees=trees,
        width=width,
        threshold=found.threshold if threshold is None else float(threshold),
        link=found.link,
        probability=found.probability,
        offset=found.offset,
        divisor=found.divisor,
        single=found.single,
        prediction=prediction,
    )
    if front is None and not _repeats(ensemble, prediction):
        raise UnreadableError(OTHERWISE)
    return ensemble


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


def _repeats(ensemble: TreeEnsemble, prediction: Prediction) -> bool:
    """Whether the trees say what the estimator says, on the splits and right above them."""
    X = rows_on_splits(ensemble.trees, np.ones(ensemble.width))
    X[PROBES // 2 :] = np.nextafter(X[PROBES // 2 :], np.inf)
    tolerance = 1e-6 if ensemble.single else 1e-10
    return bool(np.all(np.abs(ensemble.link.apply(ensemble.raw(X)) - prediction(X)) <= tolerance))


def rows_on_splits(trees: Trees, row: Vector) -> Matrix:
    """Copies of a row whose inputs, where a tree reads them, are the trees' own splits."""
    draw = np.random.default_rng(0)
    X = np.tile(row, (PROBES, 1))
    inner = ~trees.leaf & (np.abs(trees.split) < 1e30)  # 32 bits must hold what is asked
    for j in np.unique(trees.feature[inner]):
        X[:, j] = draw.choice(np.unique(trees.split[inner & (trees.feature == j)]), PROBES)
    return X
