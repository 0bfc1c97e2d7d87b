"""Retraining anything: promises as favourable rows of the training table, as heavy as needed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.promises.repair.task import Bools, Task, Vector

GROWTH = 1.6  # of a row's weight, from fit to fit


@dataclass(frozen=True)
class PromiseRows:
    """Every promise is a favourable row, and all weigh the same: doubled until enough hold.

    The plain way, which also moves people who never got a promise.
    """

    rounds: int = 8
    name: str = "rows"

    def reads(self, task: Task) -> bool:
        """Anything that can be fitted."""
        return True

    def retrained(self, task: Task, keep: float) -> Any:
        """The first fit that keeps enough, or the one that keeps most."""
        best = _Best(task, keep)
        for k in range(self.rounds):
            if best.tried(_fit(task, 2.0 ** (k - 1)) if k else task.ordinary):
                break
        return best.fitted


@dataclass(frozen=True)
class AdaptiveWeights:
    """A promise is a favourable row only if it is broken, and heavier as long as it is.

    After each fit the weights of broken promises are raised by the factor 1.6. With
    `counterweights`, training people whose decision differs from the ordinary fit's get a second
    row that says what the ordinary fit had decided, heavier as long as the decision differs:
    promises and everybody else pull in turn.
    """

    counterweights: bool = False
    rounds: int = 24

    @property
    def name(self) -> str:
        """What tables call it."""
        return "counterweights" if self.counterweights else "adaptive weights"

    def reads(self, task: Task) -> bool:
        """Anything that can be fitted."""
        return True

    def retrained(self, task: Task, keep: float) -> Any:
        """The first fit that keeps enough, or the one that keeps most."""
        best = _Best(task, keep)
        promised, others = np.zeros(len(task.Z)), np.zeros(len(task.X))
        before = task.values(task.ordinary, task.X) > 0.0
        fitted = task.ordinary
        for _ in range(self.rounds):
            if best.tried(fitted):
                break
            promised = _raised(promised, ~best.kept)
            if self.counterweights:
                others = _raised(others, (task.values(fitted, task.X) > 0.0) != before)
            fitted = _fit(task, promised, others, before)
        return best.fitted


@dataclass
class _Best:
    """The fit that keeps most so far."""

    task: Task
    keep: float
    fitted: Any = None
    share: float = -1.0

    def __post_init__(self) -> None:
        self.kept: Bools = np.zeros(len(self.task.Z), dtype=bool)

    def tried(self, fitted: Any) -> bool:
        """Whether this one keeps enough."""
        self.kept = self.task.values(fitted, self.task.Z) > 0.0
        share = float(self.kept.mean())
        if share > self.share:
            self.fitted, self.share = fitted, share
        return share >= self.keep


def _raised(weights: Vector, wanting: Bools) -> Vector:
    """Weights after another round: first one row's, then more and more."""
    return np.where(wanting, np.maximum(1.0, GROWTH * weights), weights)


def _fit(
    task: Task,
    promised: float | Vector,
    others: Vector | None = None,
    decided: Bools | None = None,
) -> Any:
    """A fit with rows for promises, and for others whose decisions are to stay.

    A promise without weight is no row, so that an ordinary fit stays one.
    """
    X, y = [task.X, task.Z], [task.y, np.ones(len(task.Z), dtype=bool)]
    weights = [np.ones(len(task.X)), np.broadcast_to(promised, len(task.Z))]
    if others is not None and decided is not None:
        X, y, weights = [*X, task.X], [*y, decided], [*weights, others]
    return task.fit(np.vstack(X), np.concatenate(y), np.concatenate(weights))
