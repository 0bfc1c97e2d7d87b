"""A fitted candidate as a score, its structure compared with its own answers."""

from typing import Any

import numpy as np

from standfast.readers.as_score import as_score
from standfast.rivals.risk import Answered
from standfast.schema import Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.score import Matrix, Score

AGREEMENT = 1e-6  # boosted trees add in single precision


def member(estimator: Any, schema: Schema, X: Matrix, answered: Answered) -> tuple[Score, float]:
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
