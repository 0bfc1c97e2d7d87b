"""The way in for models: a fitted estimator, or a function, turned into a score in table units."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.agreement import agrees, probes
from standfast.readers.asking import (
    check_fitted,
    class_position,
    inputs_of,
    means_of,
    position_among,
    taken_apart,
    threshold_for,
    unwrapped,
)
from standfast.readers.columns.read_columns import Column, read_columns
from standfast.readers.estimator_table import EstimatorTable
from standfast.readers.model_document import ModelDocument
from standfast.readers.read_additive import read_additive
from standfast.readers.read_trees import read_trees
from standfast.readers.text_inputs import category_levels, check_numeric_inputs
from standfast.schema import Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score, Vector


def as_score(
    estimator: Any, schema: Schema, *, favourable: object, threshold: float | None = None
) -> Score:
    """A model as a number per person, in the table's own units: above zero is favourable.

    `estimator` is a fitted classifier with two classes (scikit-learn, XGBoost, LightGBM), a
    pipeline, a search (its best model is taken), an isolation forest, a LightGBM booster, a
    function, what `load_model` read from a PMML or ONNX file, or a score already, which is returned
    as it is. `favourable` is the class people want; it is never guessed. The score is
    p(favourable) − threshold (0.5 unless given) where the model has probabilities, its decision
    value towards the favourable class − threshold (0) otherwise, and for an isolation forest
    score_samples − threshold (its own offset).

    Linear models become `Linear`, or `Additive` behind transformers that keep columns apart (bins,
    splines, logarithms, one-hot codes, …); trees become `TreeEnsemble`, also behind transformers
    that keep each column's order. Anything else, and anything whose reading does not give the
    estimator's own numbers, is a `BlackBox` that is asked.

    A function gets a DataFrame with the schema's columns and gives one number per row, the larger
    the better: it has no classes, so `favourable` must be None.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.schema import Feature, Schema
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), [0, 0, 1, 1]
    >>> schema = Schema((Feature("income"), Feature("debt")))
    >>> model = as_score(LogisticRegression().fit(X, y), schema, favourable=1)
    >>> type(model).__name__, model.accepts(np.array([[5.0, 0.0]]))
    ('Linear', array([ True]))
    """
    if not isinstance(schema, Schema):
        raise InputError(f"the schema is a {type(schema).__name__}; pass a standfast.Schema")
    if isinstance(estimator, Score) and not isinstance(estimator, type):
        return _checked_score(estimator, schema, threshold)
    if isinstance(estimator, ModelDocument):
        return estimator.score(schema, favourable=favourable, threshold=threshold)
    estimator = unwrapped(estimator)
    library, kind = type(estimator).__module__.split(".")[0], type(estimator).__name__
    if kind == "Booster" and library == "xgboost":
        raise InputError(
            "an xgboost Booster does not say which classes it knows; load it into a classifier: "
            "XGBClassifier().load_model(file)"
        )
    if kind == "Booster" and library == "lightgbm":
        prediction = _booster(estimator, schema, favourable)
    elif _is_function(estimator):
        return _function(estimator, schema, favourable, threshold)
    else:
        prediction = _estimator(estimator, schema, favourable)
    level = threshold_for(estimator, prediction.means, threshold)
    read = _structure(prediction, schema, level)
    if read is not None:
        return read
    probability = prediction.means in ("probability", "booster")
    return BlackBox(prediction, level, len(schema), probability)


def _checked_score(score: Score, schema: Schema, threshold: float | None) -> Score:
    if score.width != len(schema):
        raise InputError(
            f"the score reads {score.width} inputs, but the schema has {len(schema)}; "
            "build it with this schema"
        )
    if threshold is not None:
        raise InputError(
            f"a {type(score).__name__} already holds its threshold; leave threshold out, or build "
            "the score anew from its estimator"
        )
    return score


def _estimator(estimator: Any, schema: Schema, favourable: object) -> Prediction:
    check_fitted(estimator)
    means = means_of(estimator)
    position = class_position(estimator, favourable)
    inputs, names = inputs_of(estimator, schema)
    columns = asked_with(estimator, schema, inputs, names)
    prediction = Prediction(estimator, means, inputs, names, position, columns)
    if names is None and not hasattr(estimator, "n_features_in_"):
        return _table_or_array(prediction, schema)
    return prediction


def asked_with(
    estimator: Any, schema: Schema, inputs: tuple[int, ...], names: tuple[str, ...] | None
) -> EstimatorTable | None:
    """How rows become what the estimator was fitted on; None where numbers will do."""
    features = [schema.features[j] for j in inputs]
    named = {f.name for f in features if f.coder is not None}
    check_numeric_inputs(estimator, [f.name for f in features], named and {*named, None})
    if not named:
        return None
    if names is None:
        raise InputError(
            f"{type(estimator).__name__} was fitted on an array, but the schema's "
            f"{listing(sorted(named))} has named categories; fit it on a table with named columns"
        )
    levels = category_levels(estimator, [f.name for f in features])
    return EstimatorTable(tuple(schema.features), inputs, names, levels)


def _table_or_array(prediction: Prediction, schema: Schema) -> Prediction:
    """How to ask an estimator that does not say what it was fitted on: by trying."""
    rows = probes(schema)[:2]
    named = Prediction(
        prediction.estimator, prediction.means, prediction.inputs, schema.names, prediction.position
    )
    failures: list[Exception] = []
    for way in (prediction, named):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a complaint about names is an answer, too
                way(rows)
        except Exception as error:
            failures.append(error)
        else:
            return way
    raise InputError(
        f"{prediction.name} answers neither an array nor a table with the schema's columns: "
        f"{failures[-1]}"
    ) from failures[-1]


def _booster(booster: Any, schema: Schema, favourable: object) -> Prediction:
    objective = str(booster.dump_model(num_iteration=1).get("objective", ""))
    if objective.split(" ")[0] != "binary":
        raise InputError(
            f"the LightGBM Booster's objective is {objective or 'unknown'!r}; a score needs one "
            "that separates two classes: train it with objective='binary'"
        )
    position = position_among([0, 1], favourable, "the LightGBM Booster")
    inputs, _ = inputs_of(booster, schema)
    check_numeric_inputs(booster, [schema.names[j] for j in inputs])
    return Prediction(booster, "booster", inputs, None, position)


def _is_function(estimator: Any) -> bool:
    known = ("fit", "predict_proba", "decision_function")
    if isinstance(estimator, type) or any(hasattr(estimator, name) for name in known):
        return False
    if not callable(estimator):
        raise InputError(
            f"{type(estimator).__name__} is not a model: pass a fitted classifier, a function of a "
            "table, or a score"
        )
    return True


def _function(
    function: Callable[..., Any], schema: Schema, favourable: object, threshold: float | None
) -> BlackBox:
    level = threshold_for(function, "callable", threshold)
    prediction = Prediction(function, "callable", tuple(range(len(schema))), schema.names)
    if favourable is not None:
        raise InputError(
            f"{prediction.name} has no classes, and its larger values count as favourable; pass "
            f"favourable=None instead of {favourable!r}, and give the negative if less is better"
        )
    rows = probes(schema)[:3]
    try:
        answer = prediction(rows)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{prediction.name} failed when asked about a table with the columns "
            f"{', '.join(schema.names)}: {type(error).__name__}: {error}"
        ) from error
    if not np.isfinite(answer).all():
        raise InputError(
            f"{prediction.name} gave {answer.tolist()} for three rows; a score needs one finite "
            "number per row"
        )
    return BlackBox(prediction, level, len(schema), False)


def _structure(prediction: Prediction, schema: Schema, threshold: float) -> Score | None:
    """The estimator's structure as a score that agrees with it, or None if it must be asked."""
    transformers, model = taken_apart(prediction.estimator)
    names: Sequence[str | None] = prediction.names or [None] * len(prediction.inputs)
    columns: list[Column] | None = [
        Column(j, (), name) for j, name in zip(prediction.inputs, names, strict=True)
    ]
    for transformer in transformers:
        if columns is not None:
            columns = read_columns(transformer, columns)
    if columns is None:
        return None
    read: Score | None = read_additive(
        model, columns, width=len(schema), threshold=threshold, prediction=prediction
    )
    if read is None and all(step.increasing for column in columns for step in column.steps):
        read = read_trees(
            model,
            inputs=[column.input for column in columns],
            width=len(schema),
            favourable=prediction.position,
            threshold=threshold,
            prediction=prediction,
            front=_front(columns),
        )
    if read is None or not agrees(read, columns, prediction, schema, threshold):
        return None
    return read


def _front(columns: Sequence[Column]) -> Callable[[int, Vector], Vector] | None:
    """The pipeline's arithmetic from table values to the model's column k, which never falls."""
    if not any(column.steps for column in columns):
        return None

    def front(k: int, values: Vector) -> Vector:
        with np.errstate(all="ignore"):
            for step in columns[k].steps:
                values = step(values)
        # undefined only below some value (the logarithm of a negative number): lowest of all
        return np.where(np.isnan(values), -np.inf, values)

    return front
