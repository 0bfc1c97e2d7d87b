"""Models that add up other models: votes of forests, and stacks under a linear model."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from standfast.readers.asking import taken_apart
from standfast.readers.columns.contribution import Contribution, Steps, added_up, contribution
from standfast.readers.columns.read_columns import Column
from standfast.readers.members import Readable, Response, is_sklearn, read_member, rows_of
from standfast.readers.read_additive import read_additive
from standfast.readers.repeating import repeats
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Feature, Schema
from standfast.scores.linear import Linear
from standfast.scores.paired import Paired
from standfast.scores.prediction import Prediction
from standfast.scores.score import IDENTITY, Link
from standfast.scores.tree_ensemble import TreeEnsemble, Trees, joined


@dataclass
class Total:
    """A weighted sum of raw values: one function per input, and trees."""

    terms: list[list[tuple[float, Steps]]]
    offset: float = 0.0
    trees: list[Trees] = field(default_factory=list)

    def add(self, weight: float, model: Readable) -> None:
        """Add so many times a model's raw value."""
        if isinstance(model, TreeEnsemble):
            if model.single:
                raise UnreadableError("one of the models inside adds in 32 bits")
            self.offset += weight * model.offset / model.divisor
            self._add_trees(weight / model.divisor, model.trees)
            return
        self.offset += weight * model.offset
        if isinstance(model, Linear):
            for own, w in zip(self.terms, model.weights, strict=True):
                own.append((weight * float(w), ()))
            return
        for own, function in zip(self.terms, model.functions, strict=True):
            if not isinstance(function, Contribution):
                raise UnreadableError("one of the models inside adds functions of its own")
            own += [(weight * w, steps) for w, steps in function.terms]
        if isinstance(model, Paired):
            self._add_trees(weight, model.trees)

    def _add_trees(self, weight: float, trees: Trees) -> None:
        self.trees.append(replace(trees, value=weight * trees.value))

    def read(self, link: Link, threshold: float, prediction: Prediction) -> Readable:
        """The sum as a score, as plain as it can be."""
        functions = [contribution(own) for own in self.terms]
        alone = added_up(functions, self.offset, link, threshold, prediction)
        if not self.trees:
            return alone
        trees = joined(self.trees)
        if isinstance(alone, Linear) and not alone.weights.any():
            probability = link.probability or prediction.means == "probability"
            level = alone.offset
            return TreeEnsemble(
                trees, len(functions), threshold, link, probability, level, prediction=prediction
            )
        return Paired(functions, self.offset, trees, link, threshold, prediction)


def read_voting(prediction: Prediction, schema: Schema, threshold: float) -> Readable | None:
    """A soft vote of forests and trees as one forest, or None if the estimator is no vote.

    A mean of probabilities is a sum only if each of them is.
    """
    transformers, model = taken_apart(prediction.estimator)
    if not is_sklearn(model, "VotingClassifier") or prediction.means != "probability":
        return None
    weights = model._weights_not_none
    shares = np.ones(len(model.estimators_)) if weights is None else np.array(weights, dtype=float)
    total = Total([[] for _ in schema])
    for share, member in zip(shares / shares.sum(), model.estimators_, strict=True):
        asked: tuple[Response, Any] = ("predict_proba", prediction.position)
        own = read_member(prediction, schema, transformers, member, asked)
        if own.link != IDENTITY:
            raise UnreadableError(
                f"it takes the mean of probabilities, and that of its {_name(member)} is "
                "not a sum; vote with forests and trees only"
            )
        total.add(float(share), own)
    return _checked(total.read(IDENTITY, threshold, prediction), schema, prediction)


def read_stacking(prediction: Prediction, schema: Schema, threshold: float) -> Readable | None:
    """A stack under a linear model as one sum, or None if the estimator is no stack.

    What the linear model weighs must be a sum itself: the decision value of a linear model or of
    boosted trees, the votes of a forest.
    """
    transformers, model = taken_apart(prediction.estimator)
    if not is_sklearn(model, "StackingClassifier"):
        return None
    if len(model.classes_) != 2:
        raise UnreadableError("a stack for more than two classes is not a sum")
    passed = list(prediction.inputs) if model.passthrough else []
    members = [member for member in model.estimators_ if member != "drop"]
    width = len(members) + len(passed)
    final = read_additive(
        model.final_estimator_,
        [Column(k) for k in range(width)],
        features=[Feature(str(k)) for k in range(width)],
        threshold=threshold,
        prediction=prediction,
    )
    if not isinstance(final, Linear):
        raise UnreadableError("its final estimator is not a linear model")
    total = Total([[] for _ in schema], final.offset)
    methods = zip(members, model.stack_method_, strict=True)
    for weight, (member, method) in zip(final.weights[: len(members)], methods, strict=True):
        if method == "predict":
            raise UnreadableError(f"its {_name(member)} hands on classes, not numbers")
        own = read_member(prediction, schema, transformers, member, (method, 1))
        if method == "predict_proba" and own.link != IDENTITY:
            raise UnreadableError(
                f"the probability of its {_name(member)} is not a sum; stack with "
                "stack_method='decision_function'"
            )
        total.add(float(weight), own)
    if passed and (transformers or any(schema.features[j].coder is not None for j in passed)):
        raise UnreadableError("it passes on inputs that a pipeline or names have changed")
    for weight, j in zip(final.weights[len(members) :], passed, strict=True):
        total.terms[j].append((float(weight), ()))
    return _checked(total.read(final.link, threshold, prediction), schema, prediction)


def _name(member: Any) -> str:
    return type(taken_apart(member)[1]).__name__


def _checked(read: Readable, schema: Schema, prediction: Prediction) -> Readable:
    if not repeats(read, rows_of(read, schema), prediction):
        raise UnreadableError("its numbers are not the sum of those of the models inside")
    return read
