"""Fitting many estimators on the same people, in processes side by side, and asking them."""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.datasets import Dataset
from standfast.datasets.dataset import check_training
from standfast.errors import InputError, check_whole, first_line
from standfast.readers.as_score import as_score
from standfast.readers.asking import class_position, means_of, threshold_for
from standfast.readers.estimator_table import EstimatorTable
from standfast.rivals.risk import Answered
from standfast.schema import Feature, Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Bools, Matrix, Score

Rows = NDArray[np.int64]
Progress = Callable[[int, int], object]
AGREEMENT = 1e-6  # boosted trees add in single precision


@dataclass(frozen=True)
class People:
    """Rows in schema order, whether each is favourable, and what the columns are."""

    X: Matrix
    y: Bools
    features: tuple[Feature, ...]


@dataclass(frozen=True)
class Fit:
    """One estimator to fit: on which rows, with which labels and inputs, and whom to ask then.

    `classes` are the labels it sees, the unfavourable first; `inputs` its columns, in its order;
    `named` whether it gets them as a table. `keep` asks for the fitted estimator, not only its
    answers.
    """

    name: str
    estimator: Any
    rows: Rows
    asked: Rows
    keep: bool
    inputs: tuple[int, ...]
    classes: tuple[Any, Any] = (0, 1)
    named: bool = True


@dataclass(frozen=True)
class Fitted:
    """What came of a fit: the estimator if it was to be kept, its answers, its complaints."""

    estimator: Any
    answered: Answered
    complaints: tuple[str, ...]


class Counter:
    """Counts what is done, and reports it."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def step(self) -> None:
        """One more is done."""
        self.skip(1)

    def skip(self, count: int) -> None:
        """So many need not be done, or are."""
        self.done += count
        if self.progress:
            self.progress(self.done, self.total)


def people_of(dataset: Dataset) -> People:
    """The people as matrix and truth values."""
    X = dataset.schema.matrix(dataset.table)
    return People(X, dataset.labels.to_numpy() == 1, dataset.schema.features)


def made_from(train: Dataset) -> dict[str, object]:
    """What a provenance says of the people that models were made from, and of our version."""
    return {
        "standfast": version("standfast"),
        "data": train.table.attrs["origin"],
        "data_digest": train.digest,
        "schema_digest": train.schema.digest,
    }


def check_settings(train: object, seed: object, jobs: object) -> None:
    """Refuse what cannot be a training set, a seed or a number of workers."""
    check_training(train)
    check_whole(0, seed=seed)
    check_whole(jobs=jobs)


def fit_all(
    fits: Sequence[Fit], train: People, judged: Matrix, jobs: int, done: Callable[[], object]
) -> list[Fitted]:
    """Every fit's result, in order; `done` is called after each.

    Processes, not threads: an estimator of the user's may hold the interpreter all the time. The
    people are handed to them once, as a file they share.
    """
    from joblib import Parallel, delayed

    results: dict[int, Fitted | str] = {}
    work = Parallel(n_jobs=min(jobs, len(fits)) or 1, return_as="generator_unordered")
    for k, result in work(delayed(_fit)(k, fit, train, judged) for k, fit in enumerate(fits)):
        results[k] = result
        done()
    fitted: list[Fitted] = []
    for k, fit in enumerate(fits):
        result = results[k]
        if isinstance(result, str):
            raise InputError(f"'{fit.name}' could not be fitted: {result}")
        fitted.append(result)
    return fitted


def _fit(k: int, fit: Fit, train: People, judged: Matrix) -> tuple[int, Fitted | str]:
    """The fit's number with its result, or with what went wrong, which is for the caller to say."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            estimator, answered = _fitted_and_asked(fit, train, judged)
        except Exception as error:  # whatever an estimator of the user's raises
            # scikit-learn names its class: the 'C' parameter of LogisticRegression must be …
            return k, re.sub(r"( parameter) of \w+ (must)", r"\1 \2", first_line(error))
    complaints = dict.fromkeys(str(one.message).strip().splitlines()[0] for one in said)
    return k, Fitted(estimator if fit.keep else None, answered, tuple(complaints))


def _fitted_and_asked(fit: Fit, train: People, judged: Matrix) -> tuple[Any, Answered]:
    names = tuple(train.features[j].name for j in fit.inputs) if fit.named else None
    columns = None
    if names and any(train.features[j].coder is not None for j in fit.inputs):
        columns = EstimatorTable(train.features, fit.inputs, names, (None,) * len(names))
    how = (fit.inputs, names)
    given = Prediction(fit.estimator, "probability", *how, columns=columns).asked(train.X[fit.rows])
    labels = np.asarray(fit.classes)[train.y[fit.rows].astype(np.intp)]
    estimator = fit.estimator.fit(given, labels)
    if not len(fit.asked):
        return estimator, Answered(np.empty(0))
    means = means_of(estimator)
    position = class_position(estimator, fit.classes[1])
    prediction = Prediction(estimator, means, *how, position, columns)
    threshold = threshold_for(estimator, means, None)
    scores = prediction(judged[fit.asked]) - threshold
    return estimator, Answered(scores, threshold, means in ("probability", "booster"))


def read_fitted(
    estimator: Any, schema: Schema, X: Matrix, answered: Answered
) -> tuple[Score, float]:
    """The score of a model fitted on 0 and 1, and how far its structure is off for these rows.

    `answered` is what the estimator itself says of the rows. A structure that says otherwise about
    people of the table is not used: the estimator is asked instead.
    """
    score = as_score(estimator, schema, favourable=1)
    if isinstance(score, BlackBox) or not len(X):
        return score, 0.0
    difference = float(np.abs(score.score(X) - answered.scores).max())
    if difference <= AGREEMENT:
        return score, difference
    prediction, threshold = score.prediction, score.threshold  # type: ignore[attr-defined]
    return BlackBox(prediction, threshold, score.width, answered.probability), 0.0
