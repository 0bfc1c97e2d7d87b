"""Calibrated classifiers with one calibrator: the model inside, seen through another link."""

from dataclasses import replace
from typing import Any

import numpy as np

from standfast.errors import with_article
from standfast.readers.asking import taken_apart
from standfast.readers.members import Readable, Response, is_sklearn, read_member, rows_of
from standfast.readers.repeating import repeats
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Schema
from standfast.scores.prediction import Prediction
from standfast.scores.score import IDENTITY, Link
from standfast.scores.tree_ensemble import TreeEnsemble


def read_calibrated(prediction: Prediction, schema: Schema, threshold: float) -> Readable | None:
    """A calibrated classifier as the model inside it, or None if it is none.

    A sigmoid or a temperature is a logistic link, an isotonic calibrator one of straight lines;
    both work on the model's decision value, or on its probability if it has no other answer.
    """
    transformers, model = taken_apart(prediction.estimator)
    if not is_sklearn(model, "CalibratedClassifierCV") or prediction.means != "probability":
        return None
    if len(model.calibrated_classifiers_) > 1:
        raise UnreadableError(
            f"its probability is the mean of {len(model.calibrated_classifiers_)} calibrated "
            "models; calibrate with ensemble=False"
        )
    (one,) = model.calibrated_classifiers_
    if len(one.calibrators) != 1 or isinstance(prediction.position, tuple):
        raise UnreadableError("several classes are calibrated one by one and then scaled to 1")
    decides = hasattr(one.estimator, "decision_function")
    response: Response = "decision_function" if decides else "predict_proba"
    own = read_member(
        prediction, schema, transformers, one.estimator, (response, prediction.position)
    )
    after = None if decides or own.link == IDENTITY else own.link
    link = _link(one.calibrators[0], prediction.position == 1, decides, after)
    changes: dict[str, Any] = {"probability": True} if isinstance(own, TreeEnsemble) else {}
    read = replace(own, link=link, threshold=threshold, prediction=prediction, **changes)
    if not repeats(read, rows_of(read, schema), prediction):
        raise UnreadableError("its numbers are not those of the model inside, calibrated")
    return read


def _link(calibrator: Any, first: bool, decides: bool, after: Link | None) -> Link:
    """The favourable class's probability from the decision value, or probability, towards it.

    The calibrator works on that of the second class, v: for the first class it is −v or 1 − v.
    """
    kind = type(calibrator).__name__
    turned = 0.0 if decides else 1.0
    if kind == "_SigmoidCalibration":
        a, b = float(calibrator.a_), float(calibrator.b_)
        if not a < 0.0:
            raise UnreadableError("its calibrator turns the model's order around, or forgets it")
        return Link("logistic", -a, -b if first else a * turned + b, after=after)
    if kind == "_TemperatureScaling" and decides:
        return Link("logistic", 2.0 * float(calibrator.beta_), after=after)
    if kind == "IsotonicRegression" and calibrator.increasing_:
        x = np.asarray(calibrator.X_thresholds_, dtype=np.float64)
        y = np.asarray(calibrator.y_thresholds_, dtype=np.float64)
        if not first:
            x, y = (turned - x)[::-1], (1.0 - y)[::-1]
        if not (np.diff(x) > 0).all():
            raise UnreadableError("its calibrator's values are too close together")
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        return Link("isotonic", knots=tuple(pairs), after=after)
    called = with_article(kind.lstrip("_"))
    raise UnreadableError(f"its calibrator, {called}, is not one that can be read")
