"""The leaves of a fitted tree model: who falls into which, what they say, and other values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.promises.repair.task import Matrix, Vector

Indices = NDArray[np.intp]
FORESTS = (
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "DecisionTreeClassifier",
    "ExtraTreeClassifier",
)


@dataclass(frozen=True, eq=False)
class Leaves:
    """A sum of trees as a sum of leaf values: raw(x) = times · Σ_t value of x's node in tree t.

    `places(rows)` gives for each row and tree the node's place among all nodes, one tree after the
    other; `values` what each node says towards the second class; `write` puts other values into the
    model. A forest's values are shares, `bounded` by 0 and 1; boosting's are log-odds.
    """

    places: Callable[[Any], Indices]
    values: Vector
    write: Callable[[Vector], None]
    times: float
    bounded: bool

    def design(self, rows: Any) -> Any:
        """The sparse matrix that turns leaf values into raw values: rows × nodes."""
        from scipy.sparse import csr_matrix

        at = self.places(rows)
        n, trees = at.shape
        starts = np.arange(0, n * trees + 1, trees)
        data = np.full(n * trees, self.times)
        return csr_matrix((data, at.ravel(), starts), shape=(n, len(self.values)))


def leaves_of(model: Any) -> Leaves | None:
    """The leaves of a fitted scikit-learn tree model of two classes; None of any other."""
    kind = type(model)
    if not kind.__module__.startswith("sklearn.") or len(getattr(model, "classes_", ())) != 2:
        return None
    if kind.__name__ in FORESTS:
        return _forest(model)
    if kind.__name__ == "GradientBoostingClassifier" and model.loss == "log_loss":
        return _gradient_boosting(model)
    if kind.__name__ == "HistGradientBoostingClassifier":
        return _histogram_boosting(model)
    return None


def _forest(model: Any) -> Leaves:
    """Shares of the second class, whose mean is the forest's probability."""
    members = [one.tree_ for one in getattr(model, "estimators_", [model])]
    offsets = _offsets([tree.node_count for tree in members])

    def places(rows: Any) -> Indices:
        at = np.asarray(model.apply(rows), dtype=np.intp).reshape(-1, len(members))
        return np.asarray(at + offsets[:-1])

    def write(values: Vector) -> None:
        for tree, a, b in zip(members, offsets[:-1], offsets[1:], strict=True):
            tree.value[:, 0, 1] = values[a:b]
            tree.value[:, 0, 0] = 1.0 - values[a:b]

    shares = [tree.value[:, 0, :] for tree in members]
    values = np.concatenate([share[:, 1] / share.sum(axis=1) for share in shares])
    return Leaves(places, values, write, 1.0 / len(members), True)


def _gradient_boosting(model: Any) -> Leaves:
    members = [stage.tree_ for stage in model.estimators_[:, 0]]
    offsets = _offsets([tree.node_count for tree in members])

    def places(rows: Any) -> Indices:
        # its trees were fitted on an array, and complain about a table
        at = np.asarray(model.apply(np.asarray(rows)), dtype=np.intp)[:, :, 0]
        return np.asarray(at + offsets[:-1])

    def write(values: Vector) -> None:
        for tree, a, b in zip(members, offsets[:-1], offsets[1:], strict=True):
            tree.value[:, 0, 0] = values[a:b] / model.learning_rate

    values = model.learning_rate * np.concatenate([tree.value[:, 0, 0] for tree in members])
    return Leaves(places, values, write, 1.0, False)


def _histogram_boosting(model: Any) -> Leaves:
    members = [predictor for (predictor,) in model._predictors]
    offsets = _offsets([len(one.nodes) for one in members])

    def places(rows: Any) -> Indices:
        from copy import deepcopy

        X: Matrix = model._preprocess_X(rows, reset=False)
        known = model._bin_mapper.make_known_categories_bitsets()
        found = np.empty((len(X), len(members)), dtype=np.intp)
        for t, one in enumerate(members):
            named = deepcopy(one)  # its own walk down the tree, with numbers for values
            named.nodes["value"] = np.arange(len(named.nodes))
            found[:, t] = np.rint(named.predict(X, *known, 1)).astype(np.intp)
        return np.asarray(found + offsets[:-1])

    def write(values: Vector) -> None:
        for one, a, b in zip(members, offsets[:-1], offsets[1:], strict=True):
            one.nodes["value"] = values[a:b]

    values = np.concatenate([one.nodes["value"] for one in members])
    return Leaves(places, values, write, 1.0, False)


def _offsets(counts: list[int]) -> Indices:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
