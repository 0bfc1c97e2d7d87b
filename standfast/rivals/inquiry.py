"""How good each candidate is: fitted and judged on the same people as the reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from standfast.datasets import Dataset
from standfast.errors import InputError, check_whole
from standfast.rivals.candidates import REFERENCE, seeded
from standfast.rivals.fitting import Fit, Fitted, People, Progress, Rows, fit_all
from standfast.rivals.merging import spaced
from standfast.rivals.reference import Reference
from standfast.rivals.risk import (
    Answered,
    Quality,
    Risk,
    check_probable,
    quality,
    without_probabilities,
)
from standfast.scores.score import Bools, Matrix

FOLDS = 5
CHECKED = 1_000  # people whom a model fitted after cross-validation is asked about
# risks are sums of n-ths: R̂(g) = R̂(f) + ε must not fail in the last bit
ROUNDING = 1e-12


@dataclass(frozen=True)
class Judged:
    """A member's quality, what was said while fitting it, and its fit on all training people.

    `answered` is what that fit says of the people `Inquiry.asked`.
    """

    quality: Quality
    complaints: tuple[str, ...]
    estimator: Any = None
    answered: Answered | None = None


@dataclass(frozen=True)
class Inquiry:
    """Candidates to be judged beside the reference, and who watches."""

    grid: Mapping[str, Any]
    train: Dataset
    reference: Reference
    risk: Risk
    seed: int
    jobs: int
    progress: Progress | None

    def cross_validated(self, epsilon: float) -> tuple[dict[str, Judged], Matrix]:
        """Everybody judged on five held-out folds; then who is inside, fitted on all of train.

        With the rows that those fitted on all of train were asked about.
        """
        from sklearn.model_selection import StratifiedKFold

        people = people_of(self.train)
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        folds = [(rows, held) for rows, held in splitter.split(people.X, people.y)]
        fits = [self.reference.again(rows, held, self.seed) for rows, held in folds]
        fits += [self._fit(name, rows, held) for name in self.grid for rows, held in folds]
        watch = Watch(self.progress, len(fits) + len(self.grid))
        done = fit_all(fits, people, people.X, self.jobs, watch.step)
        truth = [people.y[held] for _, held in folds]
        found = {}
        for k, name in enumerate((REFERENCE, *self.grid)):
            mine = done[k * FOLDS : (k + 1) * FOLDS]
            measured = self._quality(name, truth, [one.answered for one in mine])
            found[name] = Judged(measured, _complaints(mine))
        own = found[REFERENCE].quality.risk
        inside = [n for n in self.grid if is_inside(found[n].quality.risk, own, epsilon)]
        everybody, asked = np.arange(len(people.X)), spaced(len(people.X), CHECKED)
        again = [self._fit(name, everybody, asked, keep=True) for name in inside]
        watch.skip(len(self.grid) - len(inside))
        for name, one in zip(
            inside, fit_all(again, people, people.X, self.jobs, watch.step), strict=True
        ):
            complaints = (*found[name].complaints, *one.complaints)
            found[name] = Judged(found[name].quality, complaints, one.estimator, one.answered)
        return found, people.X[asked]

    def held_out(self, judges: Dataset) -> tuple[dict[str, Judged], Matrix]:
        """Everybody fitted on train and judged on the judges, whose rows come too.

        The reference is judged as it is.
        """
        people, judged = people_of(self.train), people_of(judges)
        everybody, asked = np.arange(len(people.X)), np.arange(len(judged.X))
        fits = [self._fit(name, everybody, asked, keep=True) for name in self.grid]
        watch = Watch(self.progress, len(fits))
        done = fit_all(fits, people, judged.X, self.jobs, watch.step)
        own = self._quality(REFERENCE, [judged.y], [self.reference.answered(judged.X)])
        found = {REFERENCE: Judged(own, ())}
        for name, one in zip(self.grid, done, strict=True):
            measured = self._quality(name, [judged.y], [one.answered])
            found[name] = Judged(measured, one.complaints, one.estimator, one.answered)
        return found, judged.X

    def _quality(self, name: str, truth: list[Bools], answered: list[Answered]) -> Quality:
        if self.risk == "log_loss" and not all(one.probability for one in answered):
            raise without_probabilities(_called(name))
        return quality(truth, answered, self.risk)

    def _fit(self, name: str, rows: Rows, asked: Rows, keep: bool = False) -> Fit:
        estimator = seeded(self.grid[name], self.seed, name)
        return Fit(name, estimator, rows, asked, keep, tuple(range(len(self.train.schema))))


class Watch:
    """Counts what is done, for whoever watches."""

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
    return People(X, dataset.labels.to_numpy() == 1, dataset.schema.names)


def is_inside(risk: float, own: float, epsilon: float) -> bool:
    """Whether a risk is at most ε above the reference's own."""
    return bool(risk <= own + epsilon + ROUNDING)


def compared(risk: float, own: float, epsilon: float) -> str:
    """Why a risk is inside or not, in words."""
    limit = f"{own + epsilon:.4f} = {own:.4f} + {epsilon:g}"
    if is_inside(risk, own, epsilon):
        return f"its risk {risk:.4f} is at most {limit}"
    return f"its risk {risk:.4f} is above {limit}; an epsilon of {needed(risk, own)} would admit it"


def needed(risk: float, own: float) -> str:
    """The least ε, in four digits, that admits a risk: rounded up, so that it really does.

    >>> needed(0.30001, 0.28)
    '0.0201'
    """
    return f"{np.ceil(max(risk - own, 0.0) * 1e4 - 1e-7) / 1e4:.4f}"


def check_numbers(train: object, epsilon: object, seed: object, jobs: object) -> None:
    """Refuse what cannot be a training set, an ε, a seed or a number of workers."""
    if not isinstance(train, Dataset):
        raise InputError(
            f"train is a {type(train).__name__}; pass a standfast Dataset: a table with labels "
            "(+1 favourable, -1 not) and a schema"
        )
    is_number = isinstance(epsilon, Real) and not isinstance(epsilon, bool)
    if not is_number or not 0 <= float(epsilon) < float("inf"):  # type: ignore[arg-type]
        raise InputError(f"epsilon is {epsilon!r}; it must be a finite number of at least 0")
    check_whole(0, seed=seed)
    check_whole(jobs=jobs)


def check_probable_members(grid: Mapping[str, Any], reference: Reference, risk: Risk) -> None:
    """Refuse, before any fit, models without the probabilities that the risk needs."""
    if risk == "log_loss" and not reference.score.probability:
        raise without_probabilities(_called(REFERENCE))
    for name, estimator in grid.items():
        check_probable(estimator, _called(name), risk)


def _called(name: str) -> str:
    return "the reference" if name == REFERENCE else f"the candidate '{name}'"


def _complaints(fitted: list[Fitted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for one in fitted for c in one.complaints))
