"""A check that what was read from an estimator is what the estimator says."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.readers.columns.code import Binned, Coded
from standfast.readers.columns.read_columns import Column
from standfast.readers.columns.splined import Splined
from standfast.readers.columns.step import Ranked, Scaled, Step, Stretched, through
from standfast.schema import Feature, Schema
from standfast.schema.feature import NOT_NEGATIVE, WHOLE
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.prediction import Prediction
from standfast.scores.score import Bools, Matrix, Score, Vector

ROWS = 64


def agrees(
    score: Score,
    columns: Sequence[Column],
    prediction: Prediction,
    schema: Schema,
    threshold: float,
) -> bool:
    """Whether a score that was read from an estimator gives the estimator's own numbers.

    A library that changes its arithmetic, or a function that looks at other rows, is caught here;
    such a model is asked instead of read.
    """
    X = probes(schema, columns)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # probes are not the user's rows
        X = X[_allowed(X, columns)]
        if not len(X):
            return False
        try:
            own = prediction(X) - threshold
            decision = _decision(prediction, X) if isinstance(score, Linear | Additive) else None
        except Exception:  # whatever an estimator does about rows that we made up
            return False
        # boosted trees add in single precision
        near = np.allclose(score.score(X), own, rtol=1e-5, atol=1e-6)
        if decision is not None and isinstance(score, Linear | Additive):
            exact = decision.dtype == np.float64  # 32-bit encoders make 32-bit models
            tolerance = 1e-9 if exact else 1e-5
            near = near and np.allclose(score.raw(X), decision, rtol=tolerance, atol=tolerance)
    return bool(near)


def _decision(prediction: Prediction, X: Matrix) -> NDArray[np.floating[Any]]:
    decision = np.asarray(prediction.estimator.decision_function(prediction.asked(X)))
    return decision if prediction.position == 1 else -decision


def _allowed(X: Matrix, columns: Sequence[Column]) -> Bools:
    """The rows that no step of the pipeline refuses."""
    allowed = np.ones(len(X), dtype=bool)
    for column in columns:
        allowed &= np.isfinite(through(column.steps, X[:, column.input]))
    return allowed


def probes(schema: Schema, columns: Sequence[Column] = ()) -> Matrix:
    """Made-up rows within the schema's bounds, some at the values the pipeline knows.

    The first half is positive unless a bound forbids it: logarithms are common.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([_values(feature, rng) for feature in schema])
    for j in range(len(schema)):
        known = [_landmarks(c.steps[0]) for c in columns if c.input == j and c.steps]
        marks = np.concatenate(known) if known else np.empty(0)
        marks = marks[np.isfinite(marks)]
        if len(marks):
            X[::2, j] = rng.choice(marks, len(X[::2]))
            if any(isinstance(c.steps[0], Coded) for c in columns if c.input == j and c.steps):
                X[:, j] = rng.choice(marks, ROWS)  # another value may be refused
    return X


def _values(feature: Feature, rng: np.random.Generator) -> Vector:
    low, high = feature.lower, feature.upper
    if feature.kind == "binary":
        return rng.integers(0, 2, ROWS).astype(np.float64)
    if low is not None and high is not None and np.isfinite([low, high]).all():
        values = rng.uniform(low, high, ROWS)
    else:
        values = rng.lognormal(0.0, 2.0, ROWS)
        if low is not None and np.isfinite(low):
            values = low + values
        elif high is not None and np.isfinite(high):
            values = high - values
        elif feature.kind not in NOT_NEGATIVE:
            values[ROWS // 2 :] *= rng.choice([-1.0, 1.0], ROWS - ROWS // 2)
    if feature.kind in WHOLE:
        half = ROWS // 2
        values = np.concatenate([np.ceil(values[:half]), np.rint(values[half:])])
    return values


def _landmarks(step: Step) -> Vector:
    """Values of a column at which a step has something to decide."""
    if isinstance(step, Coded):
        return step.categories
    if isinstance(step, Binned):
        return step.edges
    if isinstance(step, Ranked):
        return step.quantiles
    if isinstance(step, Splined):
        b = step.basis
        return b.knots[b.degree : len(b.knots) - b.degree]
    if isinstance(step, Scaled):
        return step.center + step.scale * np.array([0.0, 0.5, 1.0])
    if isinstance(step, Stretched) and step.factor:
        return (np.array([0.0, 0.5, 1.0]) - step.shift) / step.factor
    return np.empty(0)
