"""What is retrained: an estimator, the people it learns from, and the promises it is to keep."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from standfast.datasets import Dataset
from standfast.errors import InputError, first_line, type_of
from standfast.promises.promise import Promises
from standfast.promises.repair.broken import check_promises, check_same_inputs
from standfast.readers import as_score
from standfast.readers.asking import (
    class_position,
    means_of,
    says,
    taken_apart,
    threshold_for,
    unwrapped,
)
from standfast.readers.estimator_table import EstimatorTable
from standfast.rivals.candidates import seeded
from standfast.rivals.fitting import people_of
from standfast.rivals.judging import check_classes
from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.prediction import Prediction

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Task:
    """One retraining: rows X, whether each is favourable, and the promised points Z.

    `estimator` is unfitted; `classes` are the labels it sees, the unfavourable first.
    """

    estimator: Any
    X: Matrix
    y: Bools
    Z: Matrix
    schema: Schema
    classes: tuple[Any, Any]
    threshold: float | None

    @classmethod
    def of(
        cls,
        estimator: Any,
        data: object,
        promises: Promises,
        classes: tuple[Any, Any],
        threshold: float | None,
        seed: int,
    ) -> "Task":
        """The task, once everything given is found to be usable."""
        check_promises(promises)
        if not isinstance(data, Dataset):
            raise InputError(
                f"data is {type_of(data)}, which has no labels to learn from; pass a "
                "standfast.Dataset: a table with labels (+1 favourable, -1 not) and a schema"
            )
        check_same_inputs(promises, data.schema, "the data")
        check_classes(data, "the training people", 1)
        if not isinstance(classes, tuple | list) or len(set(classes)) != 2:
            raise InputError(
                f"classes is {classes!r}; give the two labels the estimator is to learn, the "
                "unfavourable one first, such as (0, 1)"
            )
        people = people_of(data)
        copy = seeded(refittable(estimator), seed, "retrained")
        both = (classes[0], classes[1])
        return cls(copy, people.X, people.y, promises.point, data.schema, both, threshold)

    def given(self, X: Matrix) -> Any:
        """Rows as a table that the estimator is fitted on and asked with."""
        return self._asking(self.estimator).asked(X)

    def fit(self, X: Matrix, y: Bools, weights: Vector | None = None) -> Any:
        """A fitted copy; where the estimator takes no weights, rows are repeated instead."""
        from sklearn.base import clone

        copy = clone(self.estimator)
        named: dict[str, Vector] = {}
        if weights is not None:
            taken = weights > 0
            X, y, weights = X[taken], y[taken], weights[taken]
            name = weights_name(copy)
            if name is None:
                times = np.maximum(np.rint(weights), 1).astype(np.intp)
                X, y = np.repeat(X, times, axis=0), np.repeat(y, times)
            else:
                named[name] = weights
        labels = np.asarray(self.classes)[y.astype(np.intp)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of convergence: what counts is judged afterwards
                return copy.fit(self.given(X), labels, **named)
        except Exception as error:  # whatever an estimator of the user's raises
            raise InputError(f"the estimator could not be fitted: {first_line(error)}") from error

    @cached_property
    def ordinary(self) -> Any:
        """The estimator fitted without a thought of promises: the candidate as it would be."""
        return self.fit(self.X, self.y)

    def values(self, fitted: Any, X: Matrix) -> Vector:
        """What a fitted estimator says of rows, minus its threshold; above zero is favourable."""
        prediction = self._asking(fitted)
        level = threshold_for(fitted, prediction.means, self.threshold, prediction.position)
        return prediction(X) - level

    def score(self, fitted: Any) -> Score:
        """The fitted estimator as a score."""
        favourable = self.classes[1]
        return as_score(fitted, self.schema, favourable=favourable, threshold=self.threshold)

    def _asking(self, estimator: Any) -> Prediction:
        names, inputs = self.schema.names, tuple(range(len(self.schema)))
        columns = None
        if any(feature.coder is not None for feature in self.schema):
            features = tuple(self.schema.features)
            columns = EstimatorTable(features, inputs, names, (None,) * len(names))
        if estimator is self.estimator:
            return Prediction(estimator, "probability", inputs, names, columns=columns)
        position = class_position(estimator, self.classes[1])
        return Prediction(estimator, means_of(estimator), inputs, names, position, columns)


def refittable(estimator: Any) -> Any:
    """The estimator, if it can be fitted anew; of a search that was run, the best one."""
    if isinstance(estimator, type):
        raise InputError(f"the estimator is a class; pass an instance: {estimator.__name__}()")
    if isinstance(estimator, Score):
        raise InputError(
            f"the estimator is {type_of(estimator)}, a score, which cannot be fitted again; pass "
            "the estimator that it was read from"
        )
    if hasattr(estimator, "best_estimator_"):
        estimator = unwrapped(estimator)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise InputError(
            f"the estimator is {type_of(estimator)}, which has no fit and get_params, so it cannot "
            "be fitted again; pass a scikit-learn style classifier"
        )
    from sklearn.base import is_regressor

    if says(is_regressor, estimator):
        raise InputError("the estimator predicts a number; pass a classifier")
    return estimator


def weights_name(estimator: Any) -> str | None:
    """What `fit` calls the weights of rows, through pipelines; None if it takes none."""
    from sklearn.utils.validation import has_fit_parameter

    if type(estimator).__name__ == "Pipeline":
        last, model = estimator.steps[-1]
        inner = weights_name(model)
        return None if inner is None else f"{last}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def in_front(fitted: Any, table: Any) -> tuple[Any, Any]:
    """A table after a pipeline's transformers, and the pipeline's final model."""
    steps, model = taken_apart(fitted)
    for step in steps:
        table = table if step in (None, "passthrough") else step.transform(table)
    return (table.toarray() if hasattr(table, "toarray") else table), model


@runtime_checkable
class Scheme(Protocol):
    """A way to retrain so that promises hold."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def reads(self, task: Task) -> bool:
        """Whether it knows how to retrain this estimator."""
        ...

    def retrained(self, task: Task, keep: float) -> Any:
        """A fitted estimator of the same kind that keeps the share, or comes as near as it can."""
        ...
