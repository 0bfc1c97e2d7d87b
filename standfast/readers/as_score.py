"""The way in for models: a fitted estimator, or a function, turned into a score in table units."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from standfast.errors import InputError, listing, type_of
from standfast.readers.agreement import agrees, check_answers, probes
from standfast.readers.asking import (
    check_fitted,
    class_position,
    inputs_of,
    means_of,
    position_among,
    threshold_for,
    unwrapped,
)
from standfast.readers.estimator_table import EstimatorTable
from standfast.readers.first_columns import columns_before
from standfast.readers.model_document import ModelDocument
from standfast.readers.read_additive import read_additive
from standfast.readers.read_trees import read_trees
from standfast.readers.text_inputs import (
    category_levels,
    check_categories,
    check_numeric_inputs,
    text_inputs,
    words_for_gaps,
)
from standfast.readers.translation import Translation
from standfast.readers.unreadable import UnreadableError
from standfast.readers.wrapped import points_score, read_wrapped
from standfast.schema import Schema
from standfast.scores.additive import Additive
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score

# what every score has
PARTS = ("width", "probability", "digest", "score", "accepts")


def as_score(
    estimator: Any, schema: Schema, *, favourable: object, threshold: float | None = None
) -> Score:
    """A model as a number per person, in the table's own units: above zero is favourable.

    The score is p(favourable) − threshold (0.5 unless given) where the model has probabilities, its
    decision value towards the favourable class − threshold (0) otherwise, and for an isolation
    forest score_samples − threshold (its own offset).

    Linear models become `Linear`, or `Additive` behind transformers that keep columns apart (bins,
    splines, logarithms, encoders of text, imputers, …); trees become `TreeEnsemble`, also behind
    such transformers and with splits on sets of categories; sums of both become `Paired`. Anything
    else, and anything whose reading does not give the estimator's own numbers, is a `BlackBox` that
    is asked and says why.

    A category of the schema's that the model refuses adds minus infinity to an `Additive`, so that
    it is never advised; any other model with one is refused, as is one that cannot answer for a
    missing value that the schema provides for.

    Parameters
    ----------
    estimator : estimator, callable or Score
        A fitted classifier (scikit-learn, XGBoost, LightGBM, CatBoost, interpret, OptBinning), a
        pipeline, a search (its best model is taken), an isolation forest, a LightGBM booster, what
        `load_model` read from a PMML or ONNX file, or a score already, which is returned as it is.
        A function gets a DataFrame with the schema's columns and gives one number per row, the
        larger the better.
    schema : Schema
        The columns in the model's order.
    favourable : object
        The class people want; it is never guessed. Of more than two classes it is the set of those
        people want, and p(favourable) their sum. None for a function, which has no classes, and for
        a scorecard of OptBinning whose points are meant.
    threshold : float, optional
        What must be exceeded; a classifier with a threshold of its own brings it along.

    Returns
    -------
    Score
        `Linear`, `Additive`, `TreeEnsemble`, `Paired` or `BlackBox`.

    Examples
    --------
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
        raise InputError(f"the schema is {type_of(schema)}; pass a standfast.Schema")
    if isinstance(estimator, Score) and not isinstance(estimator, type):
        return _checked_score(estimator, schema, threshold)
    if isinstance(estimator, ModelDocument):
        return estimator.score(schema, favourable=favourable, threshold=threshold)
    estimator = unwrapped(estimator)
    points = points_score(estimator, schema, favourable, threshold)
    if points is not None:
        return points
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
    level = threshold_for(estimator, prediction.means, threshold, prediction.position)
    try:
        read = read_structure(prediction, schema, level)
    except UnreadableError as error:
        probability = prediction.means in ("probability", "booster")
        read = BlackBox(prediction, level, len(schema), probability, str(error))
    if not isinstance(read, Additive):  # which knows what it refuses
        check_answers(prediction, schema)
    return read


def _checked_score(score: Score, schema: Schema, threshold: float | None) -> Score:
    if score.width != len(schema):
        raise InputError(
            f"the score reads {score.width} inputs, but the schema has {len(schema)}; "
            "build it with this schema"
        )
    if threshold is not None:
        raise InputError(
            f"{type_of(score)} already holds its threshold; leave threshold out, or build "
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
    found = list(text_inputs(estimator, [f.name for f in features]))
    check_numeric_inputs(estimator, found, named and {*named, None})
    if not named:
        return None
    if names is None:
        raise InputError(
            f"{type(estimator).__name__} was fitted on an array, but the schema's "
            f"{listing(sorted(named))} has named categories; fit it on a table with named columns"
        )
    check_categories(found, features)
    levels = category_levels(estimator, [f.name for f in features], named)
    gaps = words_for_gaps(found, features)
    return EstimatorTable(tuple(schema.features), inputs, names, levels, gaps)


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
    inputs, names = inputs_of(booster, schema)
    columns = asked_with(booster, schema, inputs, names)
    asked = names if columns is not None else None
    return Prediction(booster, "booster", inputs, asked, position, columns)


def _is_function(estimator: Any) -> bool:
    known = ("fit", "predict_proba", "decision_function")
    if isinstance(estimator, type) or any(hasattr(estimator, name) for name in known):
        return False
    if not callable(estimator):
        lacking = [part for part in PARTS if not hasattr(estimator, part)]
        almost = f", which has {listing(PARTS)}; this one lacks {listing(lacking)}"
        raise InputError(
            f"{type(estimator).__name__} is not a model: pass a fitted classifier, a function of a "
            f"table, or a score{almost if len(lacking) < len(PARTS) else ''}"
        )
    return True


def _function(
    function: Callable[..., Any], schema: Schema, favourable: object, threshold: float | None
) -> BlackBox:
    level = threshold_for(function, "callable", threshold)
    inputs = tuple(range(len(schema)))
    columns = asked_with(function, schema, inputs, schema.names)
    prediction = Prediction(function, "callable", inputs, schema.names, columns=columns)
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


def read_structure(prediction: Prediction, schema: Schema, threshold: float) -> Score:
    """The structure of the estimator, or of one around others; unreadable if it must be asked."""
    read = read_wrapped(prediction, schema, threshold)
    if read is not None:
        return read
    try:
        return _structure(prediction, schema, threshold)
    except UnreadableError:
        if isinstance(prediction.position, tuple):
            raise UnreadableError(
                "the probabilities of several classes add up to a plain sum in forests and trees "
                "only"
            ) from None
        raise


def _structure(prediction: Prediction, schema: Schema, threshold: float) -> Score:
    """The estimator's structure as a score that agrees with it; unreadable if it must be asked."""
    columns, model = columns_before(prediction, schema)
    read: Score | None = read_additive(
        model, columns, features=schema.features, threshold=threshold, prediction=prediction
    )
    if read is None:
        read = read_trees(model, Translation(columns, schema.features), threshold, prediction)
    if read is None:
        raise UnreadableError(f"{type(model).__name__} is neither a weighted sum nor trees")
    if not agrees(read, columns, prediction, schema, threshold):
        raise UnreadableError("what was read of it does not give its own predictions")
    return read
