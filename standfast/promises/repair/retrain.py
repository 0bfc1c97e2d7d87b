"""Retrain: a model refitted so that open promises hold, with the least change otherwise."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError, check_whole, type_of
from standfast.evaluation.intervals import share
from standfast.promises.promise import Promises
from standfast.promises.repair.leaf_values import LeafValues
from standfast.promises.repair.linear_constraints import LinearConstraints
from standfast.promises.repair.promise_rows import AdaptiveWeights
from standfast.promises.repair.task import Bools, Scheme, Task
from standfast.scores import Score

# in this order: the first that reads the estimator
SCHEMES: tuple[Scheme, ...] = (LinearConstraints(), LeafValues(), AdaptiveWeights())


@dataclass(frozen=True, eq=False)
class Retrained:
    """A model refitted so that promises hold.

    `estimator` is the refitted one, of the same kind as was given, and `score` the same as a score;
    `ordinary` is what a plain refit on the same people gives. `promises` has a row per promise:
    subject, whether the ordinary fit keeps it (`before`) and whether this one does (`after`), both
    by the estimator's own prediction. `keep` is the share that was asked for, `by` how it was done.
    """

    estimator: Any
    score: Score
    ordinary: Score
    promises: pd.DataFrame
    keep: float
    by: str

    @property
    def kept(self) -> float:
        """The share of promises that the model keeps."""
        return float(self.promises["after"].mean())

    @property
    def reached(self) -> bool:
        """Whether the share that was asked for is kept."""
        return bool(self.kept >= self.keep - 1e-12)

    @property
    def sentence(self) -> str:
        """What came of it, in words."""
        n, before, after = len(self.promises), *self.promises[["before", "after"]].sum()
        _, low, high = share(int(after), n)
        said = f"{after} of {n} promises are kept ({low:.1%} to {high:.1%}), {before} without it"
        if self.reached:
            return f"{said}."
        return (
            f"{said}: less than the {self.keep:.1%} that were asked for, which this estimator did "
            f"not reach by {self.by}; let it be more flexible, or honour the others."
        )

    def __repr__(self) -> str:
        return f"<Retrained by {self.by}: {self.sentence}>"


def retrain(
    estimator: Any,
    data: Any,
    promises: Promises,
    *,
    keep: float = 0.99,
    by: Scheme | None = None,
    threshold: float | None = None,
    classes: tuple[Any, Any] = (0, 1),
    seed: int = 0,
) -> Retrained:
    """The estimator refitted on the data so that at least `keep` of the promises hold.

    A promise holds where the model accepts the advice itself; whether it accepts a whole region is
    for the gate to prove. People who never got a promise are affected, too: `retraining_frontier`
    says how many.

    Parameters
    ----------
    estimator : estimator
        Unfitted, of any kind.
    data, promises : Dataset, Promises
        The people to fit on, and what was promised.
    keep : float
        The share of promises that must hold.
    by : Scheme, optional
        How; by default a logistic regression is refitted under a constraint per promise, trees and
        forests of scikit-learn keep their splits and change their leaves as little as that needs,
        and anything else gets promises as favourable rows whose weights rise while they are broken.
    threshold : float, optional
        What the estimator's probability must exceed.
    classes : tuple
        The labels the estimator is to learn, the unfavourable one first.
    seed : int
        The random state of estimators that have one.

    Returns
    -------
    Retrained
        `estimator`, `score`, `promises` before and after, `reached`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import standfast as sf
    >>> data = sf.datasets.twin("give_me_some_credit", n=800, seed=0)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    >>> f = sf.Linear([0, 0, -1, 0, 0, 0, 0, 0, 0, 0], 0.5)
    >>> advice = sf.recommend(sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table)), f,
    ...                       data.table.head(60))
    >>> found = retrain(model, data, Promises.of(advice), keep=1.0)
    >>> found.by, found.reached
    ('constraints', True)
    """
    check_keep(keep)
    check_whole(0, seed=seed)
    task = Task.of(estimator, data, promises, classes, threshold, seed)
    return retrained(task, promises, float(keep), scheme_for(task, by))


def retrained(task: Task, promises: Promises, keep: float, scheme: Scheme) -> Retrained:
    """What a scheme makes of the task; the ordinary fit where that keeps enough already."""
    ordinary = task.score(task.ordinary)
    before = ordinary.accepts(task.Z)
    if before.mean() >= keep:
        fitted, score, by = task.ordinary, ordinary, "an ordinary fit"
    else:
        fitted, by = scheme.retrained(task, keep), scheme.name
        score = task.score(fitted)
    return Retrained(fitted, score, ordinary, _judged(promises, before, score, task), keep, by)


def as_it_is(task: Task, promises: Promises, fitted: Any, by: str) -> Retrained:
    """A fit without a thought of promises, which was asked for no share."""
    ordinary, score = task.score(task.ordinary), task.score(fitted)
    table = _judged(promises, ordinary.accepts(task.Z), score, task)
    return Retrained(fitted, score, ordinary, table, float("nan"), by)


def _judged(promises: Promises, before: Bools, score: Score, task: Task) -> pd.DataFrame:
    after = score.accepts(task.Z)
    return pd.DataFrame({"subject": promises.facts["subject"], "before": before, "after": after})


def scheme_for(task: Task, by: object) -> Scheme:
    """The scheme that was asked for, if it reads the estimator; otherwise the first that does."""
    if by is None:
        return next(scheme for scheme in SCHEMES if scheme.reads(task))
    if not isinstance(by, Scheme) or isinstance(by, type):
        raise InputError(
            f"by is {type_of(by)}; pass a scheme such as repair.LeafValues(), or leave it out"
        )
    if not by.reads(task):
        kind = type(task.estimator).__name__
        raise InputError(f"'{by.name}' cannot retrain {kind}; leave by out, or choose another")
    return by


def check_keep(keep: object) -> None:
    """Refuse what is no share above 0."""
    number = isinstance(keep, Real) and not isinstance(keep, bool | np.bool_)
    if not number or not 0.0 < float(keep) <= 1.0:  # type: ignore[arg-type]
        raise InputError(
            f"keep is {keep!r}; it is the share of promises to keep: above 0 and at most 1, such "
            "as 0.99"
        )
