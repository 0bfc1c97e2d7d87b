"""Reads explainable boosting machines of interpret: a scorecard with tables for pairs of inputs."""

from itertools import product
from typing import Any

import numpy as np

from standfast.readers.asking import taken_apart
from standfast.readers.cells import NOTHING, Cells, Table, alone, trees_of
from standfast.readers.repeating import repeats, rows_over
from standfast.schema import Feature, Schema
from standfast.scores.additive import Additive
from standfast.scores.paired import Paired
from standfast.scores.prediction import Prediction
from standfast.scores.score import LOGISTIC

# a model whose tables have more entries is asked instead of read
MOST_ENTRIES = 2_000_000


def read_interpret(
    prediction: Prediction, schema: Schema, threshold: float
) -> Additive | Paired | None:
    """An explainable boosting machine as a sum, or None if the estimator is none.

    Where its bins end is read, what they add is asked of the machine itself: a table of one input
    is a function, a table of several a tree.
    """
    transformers, model = taken_apart(prediction.estimator)
    kind = type(model)
    if (
        transformers
        or kind.__name__ != "ExplainableBoostingClassifier"
        or not kind.__module__.startswith("interpret.")
    ):
        return None
    if prediction.means != "probability" or model.link_ != "logit" or np.size(model.intercept_) > 1:
        return None
    features = [schema.features[j] for j in prediction.inputs]
    terms = [
        tuple(_cells(model, k, len(term), features[k]) for k in term)
        for term in model.term_features_
    ]
    sizes = [int(np.prod([len(cells) for cells in term])) for term in terms]
    if sum(sizes) > MOST_ENTRIES:
        return None
    sign = 1.0 if prediction.position == 1 else -1.0
    functions: list[Any] = [NOTHING] * len(schema)
    tables: list[Table] = []
    places = [tuple(prediction.inputs[k] for k in term) for term in model.term_features_]
    for number, (inputs, cells) in enumerate(zip(places, terms, strict=True)):
        X = np.zeros((sizes[number], len(schema)))
        X[:, list(inputs)] = list(product(*(c.samples for c in cells)))
        amounts = sign * model.eval_terms(prediction.asked(X))[:, number]
        table = Table(inputs, cells, amounts.reshape([len(c) for c in cells]))
        if len(inputs) == 1 and functions[inputs[0]] is NOTHING:
            functions[inputs[0]] = cells[0].function(table.amounts)
        else:
            tables.append(table)
    offset = sign * float(np.ravel(model.intercept_)[0])
    read: Additive | Paired = Additive(functions, offset, LOGISTIC, threshold, prediction)
    if tables:
        trees = trees_of(tables, schema.gapped)
        read = Paired(functions, offset, trees, LOGISTIC, threshold, prediction)
    both = (zip(inputs, cells, strict=True) for inputs, cells in zip(places, terms, strict=True))
    rows = rows_over([one for term in both for one in term], schema)
    return read if repeats(read, rows, prediction) else None


def _cells(model: Any, k: int, level: int, feature: Feature) -> Cells:
    """The cells of a feature of the machine, for its own table or for one with other features."""
    levels = model.bins_[k]
    bins = levels[min(len(levels), level) - 1]
    if isinstance(bins, dict):  # categories, which may be numbers; any other number is unknown
        named = feature.coder is not None
        return Cells.of(feature, [] if named else [c for v in bins for c in alone(float(v))])
    return Cells.of(feature, bins)
