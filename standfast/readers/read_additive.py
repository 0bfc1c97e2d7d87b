"""Linear models, alone or behind a pipeline that keeps its columns apart, read as sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from standfast.readers.columns.code import Named
from standfast.readers.columns.contribution import Contribution, Steps, added_up, contribution
from standfast.readers.columns.read_columns import Column
from standfast.readers.columns.step import Clipped
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Feature
from standfast.schema.categories import MISSING
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.prediction import Prediction
from standfast.scores.score import IDENTITY, LOGISTIC, Link, Vector

# decision_function is w·x + b, and a probability, where there is one, its logistic
LINEAR_MODELS = frozenset(
    {"LogisticRegression", "LogisticRegressionCV", "LinearSVC", "SVC", "RidgeClassifier"}
    | {"RidgeClassifierCV", "SGDClassifier", "Perceptron", "PassiveAggressiveClassifier"}
    | {"LinearDiscriminantAnalysis"}
)


def read_additive(
    model: Any,
    columns: Sequence[Column],
    *,
    features: Sequence[Feature],
    threshold: float,
    prediction: Prediction,
) -> Linear | Additive | None:
    """A linear model behind the given columns as a score in table units, or None if it is none.

    raw(x) = b + Σ_k w_k column_k(x), sorted by the input each column stems from: `Linear` if every
    input's share is a straight line, `Additive` otherwise. A category or a gap that the pipeline
    refuses adds minus infinity, so that it is never advised.
    """
    read = _weights(model, prediction)
    if read is None:
        return None
    weights, offset, link = read
    if len(weights) != len(columns):
        raise UnreadableError("a step before it gives columns of its own making")
    terms: list[list[tuple[float, Steps]]] = [[] for _ in features]
    for column, weight in zip(columns, weights, strict=True):
        if column.words is not None:
            name = features[column.input].name
            raise UnreadableError(f"the column '{name}' reaches the model as text")
        steps = column.steps
        if column.gapped and not steps:
            steps = (Clipped(-np.inf, np.inf),)  # no straight line: a gap is refused
        terms[column.input].append((float(weight), steps))
    pairs = zip(terms, features, strict=True)
    functions = [_tabled(own, f) if f.coder else contribution(own) for own, f in pairs]
    return added_up(functions, offset, link, threshold, prediction)


def _tabled(terms: Sequence[tuple[float, Steps]], feature: Feature) -> Contribution:
    """What a named input adds: one number for each code, and one for a gap."""
    assert feature.coder is not None
    codes = np.arange(len(feature.coder.names), dtype=np.float64)
    added = Contribution(tuple(terms))(np.append(codes, MISSING))
    return Contribution(((1.0, (Named(added[:-1], float(added[-1])),)),)) if terms else NOTHING


NOTHING = contribution([])


def _weights(model: Any, prediction: Prediction) -> tuple[Vector, float, Link] | None:
    """Weights, offset and link of a linear model towards the favourable class."""
    kind = type(model)
    if kind.__name__ not in LINEAR_MODELS or not kind.__module__.startswith("sklearn."):
        return None
    if kind.__name__ == "SVC" and model.kernel != "linear":
        raise UnreadableError(f"its kernel is {model.kernel!r}")
    if prediction.means == "probability" and (
        kind.__name__ == "SVC"  # its probability is fitted on top
        or (kind.__name__ == "SGDClassifier" and model.loss != "log_loss")
    ):
        raise UnreadableError("its probability is not the logistic of its weighted sum")
    coefficients = model.coef_
    if hasattr(coefficients, "toarray"):  # after sparsify()
        coefficients = coefficients.toarray()
    weights = np.asarray(coefficients, dtype=np.float64)
    if weights.ndim == 2 and len(weights) != 1:
        raise UnreadableError("it does not separate two classes")
    offset = float(np.ravel(model.intercept_)[0])
    sign = 1.0 if prediction.position == 1 else -1.0
    link = LOGISTIC if prediction.means == "probability" else IDENTITY
    return sign * weights.ravel(), sign * offset, link
