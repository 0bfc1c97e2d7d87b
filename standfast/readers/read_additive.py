"""Linear models, alone or behind a pipeline that keeps its columns apart, read as sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from standfast.readers.columns.contribution import Steps, contribution
from standfast.readers.columns.read_columns import Column
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
    model: Any, columns: Sequence[Column], *, width: int, threshold: float, prediction: Prediction
) -> Linear | Additive | None:
    """A linear model behind the given columns as a score in table units, or None if it is none.

    raw(x) = b + Σ_k w_k column_k(x), sorted by the input each column stems from: `Linear` if every
    input's share is a straight line, `Additive` otherwise.
    """
    read = _weights(model, prediction)
    if read is None or len(read[0]) != len(columns):
        return None
    weights, offset, link = read
    terms: list[list[tuple[float, Steps]]] = [[] for _ in range(width)]
    for column, weight in zip(columns, weights, strict=True):
        terms[column.input].append((float(weight), column.steps))
    functions = [contribution(own) for own in terms]
    lines = [f.line for f in functions]
    slopes = [line[0] for line in lines if line is not None]
    if len(slopes) == width:
        total = offset + sum(line[1] for line in lines if line is not None)
        return Linear(np.array(slopes), total, link, threshold, prediction)
    return Additive(functions, offset, link, threshold, prediction)


def _weights(model: Any, prediction: Prediction) -> tuple[Vector, float, Link] | None:
    """Weights, offset and link of a linear model towards the favourable class."""
    kind = type(model)
    if kind.__name__ not in LINEAR_MODELS or not kind.__module__.startswith("sklearn."):
        return None
    if kind.__name__ == "SVC" and model.kernel != "linear":
        return None
    if prediction.means == "probability" and (
        kind.__name__ == "SVC"  # its probability is fitted on top
        or (kind.__name__ == "SGDClassifier" and model.loss != "log_loss")
    ):
        return None
    coefficients = model.coef_
    if hasattr(coefficients, "toarray"):  # after sparsify()
        coefficients = coefficients.toarray()
    weights = np.asarray(coefficients, dtype=np.float64)
    if weights.ndim == 2 and len(weights) != 1:
        return None
    offset = float(np.ravel(model.intercept_)[0])
    sign = 1.0 if prediction.position == 1 else -1.0
    link = LOGISTIC if prediction.means == "probability" else IDENTITY
    return sign * weights.ravel(), sign * offset, link
