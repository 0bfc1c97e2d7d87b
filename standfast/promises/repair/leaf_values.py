"""Retraining trees: the splits stay, and the leaves say something else where a promise needs it."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.promises.repair.constrained import Constrained
from standfast.promises.repair.leaves import Leaves, leaves_of
from standfast.promises.repair.task import Matrix, Task, Vector, in_front
from standfast.scores.score import LOGISTIC

SHRINKAGE = 0.005  # chosen on one split of HELOC and of GMSC among 0.00005 to 0.3, by the swap set
# how far above the cut-off a promise must lie, and what the solver may miss of it
CLEAR, MISSED = 1e-3, 2e-4


@dataclass(frozen=True)
class LeafValues:
    """The ordinary fit with the least change of its leaves under which promises hold.

    With its splits fixed, a sum of trees is linear in the values of its leaves. So promises are
    linear constraints, as they are for a linear model, and the change δ is the one that moves the
    training people's scores the least:

        minimise Σ_i ω_i Δ(x_i)² + shrinkage · Σ_leaves (their people's ω) δ² · trees · times²

    subject to raw(x̃) + Δ(x̃) > cut-off for the promises that are kept, and shares between 0 and 1.
    Δ is the change of the sum. ω is 1 for a forest and p(1 − p) for boosting, whose sums are
    log-odds: what counts is the change of a probability. Shrinkage keeps the trees from cancelling
    each other for exactly the people they were fitted on, which would not help anybody else.
    """

    shrinkage: float = SHRINKAGE
    name: str = "leaf values"

    def reads(self, task: Task) -> bool:
        """Whether the final model is a tree model of scikit-learn's."""
        return leaves_of(in_front(task.ordinary, task.given(task.X[:1]))[1]) is not None

    def retrained(self, task: Task, keep: float) -> Any:
        """The ordinary fit with the changed leaves."""
        fitted = deepcopy(task.ordinary)
        rows, model = in_front(fitted, task.given(task.X))
        points, _ = in_front(fitted, task.given(task.Z))
        leaves = leaves_of(model)
        assert leaves is not None
        sign = 1.0 if model.classes_[1] == task.classes[1] else -1.0
        B, A = leaves.design(rows), leaves.design(points)
        raw, cutoff = self._raw(task, leaves)
        used = np.unique(np.concatenate([B.indices, A.indices]))
        problem, scale = self._problem(
            (B[:, used], A[:, used]), raw, (cutoff, sign), leaves, leaves.values[used]
        )
        solved = problem.least(keep, passes=2)
        values = leaves.values.copy()
        values[used] += sign * solved.theta / scale
        leaves.write(np.clip(values, 0.0, 1.0) if leaves.bounded else values)
        return fitted

    def _raw(self, task: Task, leaves: Leaves) -> tuple[tuple[Vector, Vector], float]:
        """The ordinary fit's raw values of people and promises, and the raw value to exceed."""
        values = [task.values(task.ordinary, X) for X in (task.X, task.Z)]
        if leaves.bounded:
            return (values[0], values[1]), CLEAR
        threshold = 0.5 if task.threshold is None else task.threshold
        odds = [_log_odds(v + threshold) for v in values]
        return (odds[0], odds[1]), LOGISTIC.invert(threshold) + 10.0 * CLEAR

    def _problem(
        self,
        designs: tuple[Any, Any],
        raw: tuple[Vector, Vector],
        wanted: tuple[float, float],
        leaves: Leaves,
        values: Vector,
    ) -> tuple[Constrained, Vector]:
        """The programme over scaled changes towards the favourable class, and the scale."""
        B, A = designs
        cutoff, sign = wanted
        heavy = np.ones(len(raw[0])) if leaves.bounded else _curvature(raw[0])
        heavy = heavy / heavy.sum()
        people = np.asarray(B.T @ heavy).ravel() / leaves.times  # of each leaf
        trees = B.indptr[1]
        shrunk = self.shrinkage * trees * leaves.times**2 * (people + 1e-3 * people.mean())
        scale = np.sqrt(people * leaves.times**2 + shrunk)  # descent in units of the curvature
        B, A = B.multiply(1.0 / scale).tocsr(), A.multiply(1.0 / scale).tocsr()
        back, ridge = B.T.tocsr(), shrunk / scale**2

        def loss(theta: Vector) -> tuple[float, Vector]:
            change = B @ theta
            pull = ridge * theta
            value = 0.5 * float(heavy @ change**2) + 0.5 * float(pull @ theta)
            return value, back @ (heavy * change) + pull

        bounds = None
        if leaves.bounded:
            ends: Matrix = np.sort(np.stack([-values, 1.0 - values]) * sign, axis=0) * scale
            bounds = (ends[0], ends[1])
        needs = cutoff - raw[1]
        start = np.zeros(len(scale))
        return Constrained(loss, A, needs, start, bounds, MISSED), scale


def _log_odds(p: Vector) -> Vector:
    inner = np.clip(p, 1e-12, 1.0 - 1e-12)
    return np.asarray(np.log(inner) - np.log1p(-inner))


def _curvature(odds: Vector) -> Vector:
    p = LOGISTIC.apply(odds)
    return p * (1.0 - p)
