"""Retraining a logistic regression: its own loss, minimised so that promises hold."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.promises.repair.constrained import Constrained, Solved
from standfast.promises.repair.task import Matrix, Task, Vector, in_front
from standfast.scores.logistic_loss import LogisticLoss
from standfast.scores.score import LOGISTIC

# how far above the cut-off a promise must lie, in log-odds: ten times what the solver may miss
CLEAR, MISSED = 1e-5, 1e-6


@dataclass(frozen=True)
class LinearConstraints:
    """Logistic regression, perhaps behind transformers, under a constraint per promise.

    minimise Σ_i s_i log(1 + exp(−y_i θ·a_i)) + ½ ‖w‖²/C subject to θ·a(x̃) > log-odds of the
    threshold for the promises that are kept, a = (transformed inputs, 1): a convex programme. The
    transformers are those of the ordinary fit. With an intercept it always has a solution, for who
    accepts everybody keeps everything.
    """

    name: str = "constraints"

    def reads(self, task: Task) -> bool:
        """Whether the final model is a logistic regression with a ridge penalty."""
        model = in_front(task.ordinary, task.given(task.X[:1]))[1]
        if type(model).__name__ != "LogisticRegression":
            return False
        ridge = getattr(model, "penalty", "l2") in ("l2", "deprecated", None)
        return ridge and not getattr(model, "l1_ratio", 0.0) and model.solver != "liblinear"

    def retrained(self, task: Task, keep: float) -> Any:
        """The ordinary fit with the weights of the constrained minimum."""
        problem, towards = self.problem(task)
        return self._written(task, problem.least(keep), towards)

    def problem(self, task: Task) -> tuple[Constrained, float]:
        """The programme over θ = (weights, intercept), and the favourable class's sign."""
        from sklearn.utils.class_weight import compute_sample_weight

        rows, model = in_front(task.ordinary, task.given(task.X))
        points, _ = in_front(task.ordinary, task.given(task.Z))
        favourable = model.classes_[1] == task.classes[1]
        labels = np.asarray(task.classes)[task.y.astype(np.intp)]
        weights = compute_sample_weight(model.class_weight, labels).astype(np.float64)
        own = model.intercept_.item() if model.fit_intercept else 0.0
        start = np.append(model.coef_.ravel(), own)[: rows.shape[1] + model.fit_intercept]
        sign = 1.0 if favourable else -1.0
        ridge = 0.0 if getattr(model, "penalty", "l2") is None else 1.0 / model.C
        penalty = np.full(len(start), ridge / weights.sum())
        penalty[rows.shape[1] :] = 0.0
        signed = np.where(task.y, 1.0, -1.0)[:, None] * _with_one(rows, len(start))
        loss = LogisticLoss(signed, weights / weights.sum(), penalty)
        threshold = 0.5 if task.threshold is None else task.threshold
        cutoff = LOGISTIC.invert(threshold) + CLEAR
        A = _with_one(points, len(start))
        needs = np.full(len(A), cutoff)
        return Constrained(
            lambda theta: loss.slope(theta)[:2],
            A,
            needs,
            sign * start,
            tolerance=MISSED,
            hessian=lambda theta: loss.hessian(loss.slope(theta)[2]),
        ), sign

    def _written(self, task: Task, solved: Solved, sign: float) -> Any:
        fitted = deepcopy(task.ordinary)
        _, model = in_front(fitted, task.given(task.X[:1]))
        d = model.coef_.shape[1]
        model.coef_ = (sign * solved.theta[:d])[None, :]
        if model.fit_intercept:
            model.intercept_ = np.array([sign * solved.theta[d]])
        return fitted


def _with_one(rows: Any, width: int) -> Matrix:
    """The rows with a column of ones, if there is an intercept."""
    values: Matrix = np.asarray(rows, dtype=np.float64)
    ones: Vector = np.ones((len(values), width - values.shape[1]))
    return np.hstack([values, ones])
