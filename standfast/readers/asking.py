"""How a fitted estimator wants to be asked: its classes, its inputs, its kind of answer."""

import math
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.own_names import OwnNames, own_names
from standfast.readers.own_threshold import OWN_THRESHOLD, own_threshold
from standfast.schema import Schema
from standfast.scores.prediction import Means, Place


def unwrapped(estimator: Any) -> Any:
    """The estimator that predicts: a search's best one, a frozen one's inner one."""
    name = type(estimator).__name__
    if any(kind.__name__ == "BaseSearchCV" for kind in type(estimator).__mro__):
        if hasattr(estimator, "best_estimator_"):
            return unwrapped(estimator.best_estimator_)
        if hasattr(estimator, "cv_results_"):
            raise InputError(
                f"the {name} was run with refit=False, so it holds no fitted model; set refit=True "
                "and fit it again, or fit the chosen model yourself"
            )
        raise InputError(f"the {name} is not fitted; call its fit(X, y) first")
    if name == "FrozenEstimator":
        return unwrapped(estimator.estimator)
    return estimator


def taken_apart(estimator: Any) -> tuple[list[Any], Any]:
    """A pipeline's transformers in order, those of nested pipelines too, and its final model."""
    estimator = unwrapped(estimator)
    kind = type(estimator)
    if kind.__name__ in OWN_THRESHOLD and kind.__module__.startswith("sklearn."):
        return taken_apart(getattr(estimator, "estimator_", estimator.estimator))
    if kind.__name__ != "Pipeline" or not kind.__module__.startswith("sklearn."):
        return [], estimator
    transformers = [step for _, step in estimator.steps[:-1]]
    further, model = taken_apart(estimator.steps[-1][1])
    return transformers + further, model


def check_fitted(estimator: Any) -> None:
    """Refuse an estimator that was not fitted, or that is a class instead of an instance."""
    if isinstance(estimator, type):
        raise InputError(
            f"{estimator.__name__} is a class, not a fitted model; fit an instance: "
            f"{estimator.__name__}().fit(X, y)"
        )
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise InputError(
            f"the {type(estimator).__name__} is not fitted; call its fit(X, y) first"
        ) from error
    except TypeError:  # no scikit-learn estimator; it will show what it can do
        return


def means_of(estimator: Any) -> Means:
    """Whether the estimator is asked for a probability, a decision value or a density score."""
    from sklearn.base import is_regressor

    name = type(estimator).__name__
    if says(is_regressor, estimator):
        raise InputError(
            f"{name} is a regressor: it predicts a number, not a class; fit a classifier, or pass "
            "a function of a table such as model.predict, with favourable=None and a threshold"
        )
    if type(taken_apart(estimator)[1]).__name__ == "IsolationForest":
        return "score_samples"
    own = own_threshold(estimator)
    if own is not None and own.response == "decision_function":
        return "decision"
    if hasattr(estimator, "predict_proba"):
        return "probability"
    if hasattr(estimator, "decision_function"):
        return "decision"
    raise InputError(
        f"{name} has neither predict_proba nor decision_function, so it gives no number to compare "
        "with a threshold; wrap it (CalibratedClassifierCV), or pass a function of a table"
    )


def says(question: Any, estimator: Any) -> bool:
    """What scikit-learn says of an estimator, such as `is_regressor`; False of others' estimators.

    They will show what they can do.
    """
    try:
        return bool(question(estimator))
    except (AttributeError, TypeError):
        return False


def classes_of(estimator: Any, otherwise: Sequence[Any] = (0, 1)) -> list[Any]:
    """The classes that a fitted estimator names, as plain values; a booster names none."""
    found = _classes(estimator)
    found = otherwise if found is None else found
    return list(getattr(found, "tolist", lambda: found)())


def _classes(estimator: Any) -> Any:
    """An estimator's own classes; a scorecard's are those of the model inside it."""
    inner = getattr(estimator, "estimator_", None)
    return getattr(estimator, "classes_", getattr(inner, "classes_", None))


def class_position(estimator: Any, favourable: object) -> Place:
    """The favourable class's place, 0 or 1, among the estimator's two classes.

    Of a set of favourable classes, all their places.
    """
    from sklearn.base import is_outlier_detector

    name = type(estimator).__name__
    if says(is_outlier_detector, estimator):
        if _same(favourable, 1):
            return 1
        raise InputError(
            f"{name} separates usual rows (1) from unusual ones (-1), and only the usual can be "
            f"favourable; pass favourable=1 instead of {favourable!r}"
        )
    found = _classes(estimator)
    if found is None:
        raise InputError(f"{name} has no classes_, so it is not a classifier; fit a classifier")
    if isinstance(found, list) or np.ndim(found) != 1:
        raise InputError(
            f"{name} predicts several outputs at once; a score needs one with two classes: "
            "fit one model per output"
        )
    classes = list(np.asarray(found).tolist())
    if isinstance(favourable, set | frozenset):
        return _places(classes, favourable, name, hasattr(estimator, "predict_proba"))
    return position_among(classes, favourable, name)


def _places(classes: list[Any], favourable: Set[object], name: str, probable: bool) -> Place:
    """Where the favourable ones are among any number of classes."""
    unknown = [one for one in favourable if not any(_same(one, known) for known in classes)]
    if unknown or not favourable:
        wrong = f"names {listing(unknown)}, which {name} does not know" if unknown else "is empty"
        raise InputError(f"the set of favourable classes {wrong}; choose from {listing(classes)}")
    places = tuple(k for k, c in enumerate(classes) if any(_same(one, c) for one in favourable))
    if len(places) == len(classes):
        raise InputError(
            f"all classes of {name} are favourable, so nobody needs advice; leave at least one of "
            f"{listing(classes)} out"
        )
    if len(classes) == 2:
        return places[0]
    if not probable:
        raise InputError(
            f"{name} gives no probabilities, so those of several classes cannot be added up; wrap "
            "it (CalibratedClassifierCV), or fit it on two classes"
        )
    return places


def position_among(classes: list[Any], favourable: object, name: str) -> int:
    """The favourable class's place among the classes, of which there must be two."""
    if len(classes) != 2:
        what = "only one class" if len(classes) == 1 else f"{len(classes)} classes"
        raise InputError(
            f"{name} knows {what} ({listing(classes)}); a score needs a favourable and an "
            "unfavourable one: fit it on two classes, or say which of several are favourable, as a "
            "set such as {'good', 'fair'}"
        )
    for position, known in enumerate(classes):
        if _same(favourable, known):
            return position
    raise InputError(
        f"favourable is {favourable!r}, which is none of {name}'s classes; pass one of "
        f"{listing(classes)}"
    )


def _same(a: object, b: object) -> bool:
    try:
        return bool(a == b)
    except (TypeError, ValueError):  # an array, say
        return False


def inputs_of(estimator: Any, schema: Schema) -> tuple[tuple[int, ...], tuple[str, ...] | None]:
    """Which of the schema's columns the estimator reads, in its order, and their names if it knows.

    Fitted on a table, it may read some of the columns, in any order; fitted on an array, it must
    have one input per column, in the schema's order. Names that a library makes up for an array
    count as none, unless the schema's columns are called the same.
    """
    name = type(estimator).__name__
    own = own_names(estimator)
    if own.names is not None and not (own.made_up and not set(own.names) <= set(schema.names)):
        return _placed(own, schema, name)
    if own.count is not None and own.count != len(schema):
        raise InputError(
            f"{name} reads {own.count} inputs and does not know their names, but the schema has "
            f"{len(schema)} ({listing(schema.names)}); fit it on a table with named columns, or on "
            "exactly the schema's columns in their order"
        )
    # a table whose columns were numbered is asked as one, an array as an array
    numbered = own.names is not None and own.names[0] == "0"
    return tuple(range(len(schema))), own.names if numbered else None


def _placed(
    own: OwnNames, schema: Schema, model: str
) -> tuple[tuple[int, ...], tuple[str, ...] | None]:
    names = own.names or ()
    # LightGBM writes an underscore for a blank
    blank = "_" if own.library == "lightgbm" else " "
    spelt: dict[str, list[int]] = {}
    for j, column in enumerate(schema.names):
        spelt.setdefault(column.replace(" ", blank), []).append(j)
    wanted = {name: spelt.get(name.replace(" ", blank), []) for name in names}
    unknown = [name for name, found in wanted.items() if not found]
    if unknown:
        raise InputError(
            f"{model} was fitted on {listing(unknown)}, which the schema does not hold; it has "
            f"{listing(schema.names)}: add the features or rename them"
        )
    unclear = [name for name, found in wanted.items() if len(found) > 1]
    if unclear or len(wanted) < len(names):
        twice = unclear or [name for name in wanted if names.count(name) > 1]
        raise InputError(
            f"{model} knows an input as '{twice[0]}', which fits more than one column; give every "
            "column a name of its own, blanks and underscores counting as the same, and fit again"
        )
    return tuple(found[0] for found in wanted.values()), names


def threshold_for(
    estimator: Any, means: Means, threshold: float | None, position: Place = 1
) -> float:
    """The threshold, or the estimator's own, or the usual one for this kind of answer."""
    name = type(estimator).__name__
    if threshold is None:
        own = own_threshold(estimator)
        if own is not None:
            return own.towards(position)
        model = taken_apart(estimator)[1]
        if means == "score_samples":
            return float(model.offset_)
        return 0.5 if means in ("probability", "booster") else 0.0
    try:
        value = float(threshold)
    except (TypeError, ValueError):
        value = math.nan
    probability = means in ("probability", "booster")
    if not math.isfinite(value) or (probability and not 0.0 < value < 1.0):
        allowed = "a number between 0 and 1, such as 0.5" if probability else "a finite number"
        what = "a probability" if probability else "a number"
        raise InputError(f"the threshold is {threshold!r}, but {name} gives {what}; pass {allowed}")
    return value
