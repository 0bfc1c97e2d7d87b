"""A check that what was read from an estimator is what the estimator says."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.readers.columns.code import Binned, Coded, Filled, Marked
from standfast.readers.columns.read_columns import Column
from standfast.readers.columns.splined import Splined
from standfast.readers.columns.step import Ranked, Scaled, Step, Stretched, through
from standfast.readers.unreadable import refused_gaps, refused_names
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING
from standfast.schema.kinds import NOT_NEGATIVE, WHOLE
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.prediction import Prediction
from standfast.scores.score import Bools, Matrix, Score, Vector
from standfast.scores.tree_ensemble import TreeEnsemble

ROWS = 64


def agrees(
    score: Score,
    columns: Sequence[Column],
    prediction: Prediction,
    schema: Schema,
    threshold: float,
) -> bool:
    """Whether a score that was read from an estimator gives the estimator's own numbers.

    Asked about are made-up rows, rows with gaps where the schema provides for them, and rows on
    the splits of trees and right above them. A library that changes its arithmetic, or a function
    that looks at other rows, is caught here; such a model is asked instead of read.
    """
    X = _asked_about(score, columns, schema)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # probes are not the user's rows
        X = X[_allowed(X, columns, gaps=isinstance(score, TreeEnsemble))]
        if not len(X):
            return False
        try:
            own = prediction(X) - threshold
            decision = _decision(prediction, X) if isinstance(score, Linear | Additive) else None
        except Exception:  # whatever an estimator does about rows that we made up
            X = X[_allowed(X, columns, gaps=False)]  # gaps that it refuses are another matter
            if not isinstance(score, TreeEnsemble) or not _answers(prediction, X) or not len(X):
                return False
            own, decision = prediction(X) - threshold, None
        # boosted trees add in single precision
        tight = isinstance(score, TreeEnsemble) and not score.single
        near = np.allclose(
            score.score(X), own, rtol=0.0 if tight else 1e-5, atol=1e-10 if tight else 1e-6
        )
        if decision is not None and isinstance(score, Linear | Additive):
            exact = decision.dtype == np.float64  # 32-bit encoders make 32-bit models
            tolerance = 1e-9 if exact else 1e-5
            near = near and np.allclose(score.raw(X), decision, rtol=tolerance, atol=tolerance)
    return bool(near)


def _decision(prediction: Prediction, X: Matrix) -> NDArray[np.floating[Any]]:
    decision = np.asarray(prediction.estimator.decision_function(prediction.asked(X)))
    return decision if prediction.position == 1 else -decision


def _asked_about(score: Score, columns: Sequence[Column], schema: Schema) -> Matrix:
    X = probes(schema, columns)
    rng = np.random.default_rng(1)
    rows = [X]
    if isinstance(score, TreeEnsemble):
        on = rng.permutation(X)
        trees = score.trees
        inner = ~trees.leaf & (np.abs(trees.split) < 1e30)  # 32 bits must hold what is asked
        for j in np.unique(trees.feature[inner]):
            if schema.features[j].coder is None:
                splits = np.unique(trees.split[inner & (trees.feature == j)])
                chosen = rng.random(ROWS) < 0.7
                on[chosen, j] = rng.choice(splits, ROWS)[chosen]
        numbers = [j for j, f in enumerate(schema) if f.coder is None]
        above = on.copy()
        above[:, numbers] = np.nextafter(on[:, numbers], np.inf)
        rows += [on, above]
    whole = np.concatenate(rows)
    if schema.gapped:
        holes = rng.permutation(whole)
        for j in schema.gapped:
            holes[rng.random(len(holes)) < 0.3, j] = MISSING
        whole = np.concatenate([whole, holes])
    return whole


def _allowed(X: Matrix, columns: Sequence[Column], gaps: bool) -> Bools:
    """The rows that no step of the pipeline refuses; NaN is left to models that take `gaps`."""
    allowed = np.ones(len(X), dtype=bool)
    for column in columns:
        seen = through(column.steps, X[:, column.input])
        allowed &= ~np.isinf(seen) if gaps else np.isfinite(seen)
    return allowed


def check_answers(prediction: Prediction, schema: Schema) -> None:
    """Refuse a schema that provides for categories or gaps about which the estimator cannot say.

    Everything else being as in a row that it answers.
    """
    read = set(prediction.inputs)
    cases = [(j, MISSING) for j in schema.gapped if j in read]
    for j, feature in enumerate(schema):
        if feature.coder is not None and j in read:
            few = len(feature.categories or ()) if j not in schema.gapped else None
            cases += [(j, float(code)) for code in range(len(feature.coder.names[:few]))]
    if not cases:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        base = next((row for row in probes(schema) if _answers(prediction, row[None])), None)
        if base is None:  # the search will say more
            return
        X = np.tile(base, (len(cases), 1))
        X[np.arange(len(cases)), [j for j, _ in cases]] = [value for _, value in cases]
        if _answers(prediction, X):
            return
        refused = [
            case for case, row in zip(cases, X, strict=True) if not _answers(prediction, row[None])
        ]
    if not refused:
        return
    j = refused[0][0]
    feature = schema.features[j]
    names = [feature.shown(value) for i, value in refused if i == j and value != MISSING]
    raise refused_names(names, feature.name) if names else refused_gaps(feature.name)


def _answers(prediction: Prediction, X: Matrix) -> bool:
    try:
        prediction(X)
    except Exception:  # whatever an estimator does about rows that we made up
        return False
    return True


def probes(schema: Schema, columns: Sequence[Column] = ()) -> Matrix:
    """Made-up rows within the schema's bounds, some at the values the pipeline knows.

    The first half is positive unless a bound forbids it: logarithms are common.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([_values(feature, rng) for feature in schema])
    for j, feature in enumerate(schema):
        if feature.coder is not None:
            continue
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
    if feature.coder is not None:  # every name comes up, as long as there are rows
        names = len(
            feature.coder.names if feature.when_missing != "refuse" else feature.categories or ()
        )
        return rng.permutation(np.resize(np.arange(names, dtype=np.float64), ROWS))
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
    if feature.tokens and feature.when_missing != "refuse":
        chosen = rng.random(ROWS) < 0.2
        values[chosen] = rng.choice(feature.tokens, ROWS)[chosen]
    return values


def _landmarks(step: Step) -> Vector:
    """Values of a column at which a step has something to decide."""
    if isinstance(step, Coded):
        return step.categories
    if isinstance(step, Binned):
        return step.edges
    if isinstance(step, Filled | Marked):
        return np.array([step.marker])
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
