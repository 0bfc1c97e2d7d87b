"""The models inside a model: read as it asks them, for a probability or for a decision value."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from standfast.readers.agreement import probes
from standfast.readers.asking import unwrapped
from standfast.readers.own_names import library_of
from standfast.readers.read_trees import rows_on_splits
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Schema
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.paired import Paired
from standfast.scores.prediction import Means, Place, Prediction
from standfast.scores.score import IDENTITY, LOGISTIC, Matrix
from standfast.scores.tree_ensemble import TreeEnsemble

Readable = Linear | Additive | TreeEnsemble | Paired
Response = Literal["decision_function", "predict_proba"]


def is_sklearn(model: Any, name: str) -> bool:
    """Whether a model is of this very class of scikit-learn's; a subclass may do anything."""
    return type(model).__name__ == name and library_of(model) == "sklearn"


def read_member(
    prediction: Prediction,
    schema: Schema,
    transformers: Sequence[Any],
    member: Any,
    asked: tuple[Response, Place],
) -> Readable:
    """A model inside another, behind the transformers that both share.

    Its raw value is the decision value where it is asked for that; where it is asked for a
    probability, its link gives that. `asked` is the response and the favourable class's place.
    """
    from standfast.readers.as_score import read_structure  # which imports this file

    member = unwrapped(member)
    response, position = asked
    name = type(member).__name__
    ways: list[Means] = ["probability"] if hasattr(member, "predict_proba") else []
    if response == "decision_function":
        ways.append("decision")
    for means in ways:
        alone = replace(
            prediction,
            estimator=_behind(transformers, member),
            means=means,
            position=position,
        )
        read = read_structure(alone, schema, 0.5 if means == "probability" else 0.0)
        if not isinstance(read, Linear | Additive | TreeEnsemble | Paired):
            continue
        if response == "predict_proba" or read.link in (IDENTITY, LOGISTIC):
            return read
    raise UnreadableError(f"the structure of the {name} inside cannot be read")


def _behind(transformers: Sequence[Any], member: Any) -> Any:
    if not transformers:
        return member
    from sklearn.pipeline import Pipeline

    return Pipeline([(str(k), step) for k, step in enumerate([*transformers, member])])


def rows_of(read: Readable, schema: Schema) -> Matrix:
    """Rows on which to compare: on the trees' splits, around the threshold, and anywhere."""
    X = probes(schema)
    for j, feature in enumerate(schema):
        if feature.coder is not None:
            X[:, j] = np.arange(len(X)) % len(feature.coder.names)
    if isinstance(read, TreeEnsemble):
        X = np.vstack([X, rows_on_splits(read.trees, X[0])])
    if isinstance(read, Linear) and read.weights.any() and all(f.coder is None for f in schema):
        w = read.weights
        cut = read.cutoff()
        middle = cut if np.isfinite(cut) else 0.0
        steps = middle - read.offset + np.linspace(-8.0, 8.0, 65)
        X = np.vstack([X, steps[:, None] * w / (w @ w)])
    return X
