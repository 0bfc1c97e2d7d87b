"""Classifiers that bring a threshold of their own, fixed or tuned."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.scores.prediction import Place

OWN_THRESHOLD = ("TunedThresholdClassifierCV", "FixedThresholdClassifier")


@dataclass(frozen=True)
class OwnThreshold:
    """From which response on such a classifier chooses a class, and that class's place.

    The response is that of predict_proba or of decision_function.
    """

    value: float
    chosen: int
    response: str

    def towards(self, position: Place) -> float:
        """What the favourable class's probability, or decision value, must exceed.

        The classifier chooses its class at the threshold itself, the other one below it.
        """
        if position == self.chosen:
            return float(np.nextafter(self.value, -np.inf))
        return (1.0 - self.value) if self.response == "predict_proba" else -self.value


def own_threshold(estimator: Any) -> OwnThreshold | None:
    """The threshold of such a classifier, also at the end of a pipeline; None of any other."""
    kind = type(estimator)
    if not kind.__module__.startswith("sklearn."):
        return None
    if kind.__name__ == "Pipeline":
        return own_threshold(estimator.steps[-1][1])
    if kind.__name__ not in OWN_THRESHOLD:
        return None
    inner = getattr(estimator, "estimator_", estimator.estimator)
    proba = hasattr(inner, "predict_proba")
    asked = estimator.response_method
    response = asked if asked != "auto" else "predict_proba" if proba else "decision_function"
    label = getattr(estimator, "pos_label", None)
    if kind.__name__ == "TunedThresholdClassifierCV":
        value = estimator.best_threshold_
        label = estimator._curve_scorer._get_pos_label()
    else:
        usual = 0.5 if response == "predict_proba" else 0.0
        value = usual if estimator.threshold == "auto" else estimator.threshold
    classes = list(np.asarray(estimator.classes_).tolist())
    chosen = 1 if label is None else classes.index(label)
    return OwnThreshold(float(value), chosen, response)
