"""How wrong a model is: the risks a level set may be judged by, each the smaller the better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from standfast.errors import InputError, listing
from standfast.scores.score import Bools, Vector

Risk = Literal["error", "balanced_error", "log_loss", "auc"]
RISKS: tuple[Risk, ...] = get_args(Risk)
# what sentences call them
WORDS: dict[str, str] = {
    "error": "error",
    "balanced_error": "balanced error",
    "log_loss": "log-loss",
    "auc": "1 − AUC",
}


@dataclass(frozen=True)
class Answered:
    """A model's scores of some people: their probabilities minus the threshold, if it has any."""

    scores: Vector
    threshold: float = 0.5
    probability: bool = True


@dataclass(frozen=True)
class Quality:
    """How well scores tell favourable people from others: risk, accuracy, area under the curve."""

    risk: float
    accuracy: float
    auc: float


def quality(favourable: Sequence[Bools], answered: Sequence[Answered], risk: Risk) -> Quality:
    """The risk over all groups of people, with the share decided rightly and the area.

    error: the share of mistakes; balanced_error: the mean of both classes' shares; log_loss: the
    mean of −log of the probability that each person's own class was given; auc: one minus the area
    under the curve. Groups are folds: the area is averaged over them, for the scores of one fold's
    model are not compared with those of another's.

    >>> y, s = np.array([True, True, True, False]), np.array([0.3, 0.2, -0.1, 0.1])
    >>> quality([y], [Answered(s)], "error")
    Quality(risk=0.5, accuracy=0.5, auc=0.6666666666666666)
    >>> [round(quality([y], [Answered(s)], one).risk, 3) for one in RISKS]
    [0.5, 0.667, 0.603, 0.333]
    """
    from sklearn.metrics import log_loss, roc_auc_score

    truth = np.concatenate(list(favourable))
    wrong = truth != (np.concatenate([one.scores for one in answered]) > 0.0)
    error = float(wrong.mean())
    pairs = zip(favourable, answered, strict=True)
    auc = float(np.mean([roc_auc_score(y, one.scores) for y, one in pairs]))
    if risk == "error":
        found = error
    elif risk == "balanced_error":
        found = float((wrong[truth].mean() + wrong[~truth].mean()) / 2)
    elif risk == "auc":
        found = 1.0 - auc
    else:
        p = np.concatenate([one.scores + one.threshold for one in answered])
        found = float(log_loss(truth, np.clip(p, 0.0, 1.0)))
    return Quality(found, 1.0 - error, auc)


def check_risk(risk: object) -> Risk:
    """The risk, if it is one of those there are."""
    for known in RISKS:
        if isinstance(risk, str) and risk == known:
            return known
    raise InputError(f"risk is {risk!r}; allowed are {listing(RISKS)}")


def check_probable(estimator: Any, what: str, risk: Risk) -> None:
    """Refuse a model without probabilities where the risk needs them; it may be unfitted."""
    if risk == "log_loss" and not hasattr(estimator, "predict_proba"):
        raise without_probabilities(what)


def without_probabilities(what: str) -> InputError:
    """The sentence about a model that the log-loss cannot judge."""
    return InputError(
        f"the log-loss needs probabilities, and {what} gives none; choose the risk "
        "'error', 'balanced_error' or 'auc', or calibrate the model so that it gives probabilities"
    )
