"""How good each candidate is: fitted and judged on the same people as the reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.datasets import Dataset
from standfast.datasets.dataset import check_training
from standfast.errors import InputError, check_whole, listing
from standfast.rivals.candidates import REFERENCE, seeded
from standfast.rivals.fitting import Fit, Fitted, People, Progress, Rows, fit_all
from standfast.rivals.merging import spaced
from standfast.rivals.reference import Reference
from standfast.rivals.risk import (
    Answered,
    Quality,
    Tolerance,
    check_probable,
    quality,
    without_probabilities,
)
from standfast.scores.score import Bools, Matrix

FOLDS = 5
CHECKED = 1_000  # people whom a model fitted after cross-validation is asked about


@dataclass(frozen=True)
class Judged:
    """A model's quality, the warnings of its fits, and its fit on all training people.

    `answered` is what that fit says of the rows that come with the judgement.
    """

    quality: Quality
    complaints: tuple[str, ...]
    estimator: Any = None
    answered: Answered | None = None


@dataclass(frozen=True)
class Judging:
    """Candidates to be judged beside the reference, and to whom progress is reported."""

    grid: Mapping[str, Any]
    train: Dataset
    reference: Reference
    tolerance: Tolerance
    seed: int
    jobs: int
    progress: Progress | None

    def run(self) -> tuple[dict[str, Judged], Matrix]:
        """Everybody judged as the tolerance says, and the rows that were asked about at last."""
        judges = self.tolerance.on
        if judges == "cross-validation":
            return self._cross_validated()
        return self._held_out(judges if isinstance(judges, Dataset) else self.train)

    def _cross_validated(self) -> tuple[dict[str, Judged], Matrix]:
        """Everybody judged on five held-out folds; then who is inside, fitted on all of train."""
        from sklearn.model_selection import StratifiedKFold

        people = people_of(self.train)
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        folds = [(rows, held) for rows, held in splitter.split(people.X, people.y)]
        fits = [self.reference.again(rows, held, self.seed) for rows, held in folds]
        fits += [self._fit(name, rows, held) for name in self.grid for rows, held in folds]
        counter = Counter(self.progress, len(fits) + len(self.grid))
        done = fit_all(fits, people, people.X, self.jobs, counter.step)
        truth = [people.y[held] for _, held in folds]
        found = {}
        for k, name in enumerate((REFERENCE, *self.grid)):
            mine = done[k * FOLDS : (k + 1) * FOLDS]
            measured = self._quality(name, truth, [one.answered for one in mine])
            found[name] = Judged(measured, _complaints(mine))
        own = found[REFERENCE].quality.risk
        inside = [n for n in self.grid if self.tolerance.admits(found[n].quality.risk, own)]
        everybody, asked = np.arange(len(people.X)), spaced(len(people.X), CHECKED)
        again = [self._fit(name, everybody, asked, keep=True) for name in inside]
        counter.skip(len(self.grid) - len(inside))
        for name, one in zip(
            inside, fit_all(again, people, people.X, self.jobs, counter.step), strict=True
        ):
            complaints = (*found[name].complaints, *one.complaints)
            found[name] = Judged(found[name].quality, complaints, one.estimator, one.answered)
        return found, people.X[asked]

    def _held_out(self, judges: Dataset) -> tuple[dict[str, Judged], Matrix]:
        """Everybody fitted on train and judged on the judges; the reference as it is."""
        people, judged = people_of(self.train), people_of(judges)
        everybody, asked = np.arange(len(people.X)), np.arange(len(judged.X))
        fits = [self._fit(name, everybody, asked, keep=True) for name in self.grid]
        counter = Counter(self.progress, len(fits))
        done = fit_all(fits, people, judged.X, self.jobs, counter.step)
        own = self._quality(REFERENCE, [judged.y], [self.reference.answered(judged.X)])
        found = {REFERENCE: Judged(own, ())}
        for name, one in zip(self.grid, done, strict=True):
            measured = self._quality(name, [judged.y], [one.answered])
            found[name] = Judged(measured, one.complaints, one.estimator, one.answered)
        return found, judged.X

    def _quality(self, name: str, truth: list[Bools], answered: list[Answered]) -> Quality:
        if self.tolerance.risk == "log_loss" and not all(one.probability for one in answered):
            raise without_probabilities(_called(name))
        return quality(truth, answered, self.tolerance.risk)

    def _fit(self, name: str, rows: Rows, asked: Rows, keep: bool = False) -> Fit:
        estimator = seeded(self.grid[name], self.seed, name)
        return Fit(name, estimator, rows, asked, keep, tuple(range(len(self.train.schema))))


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


def check_settings(train: object, seed: object, jobs: object) -> None:
    """Refuse what cannot be a training set, a seed or a number of workers."""
    check_training(train)
    check_whole(0, seed=seed)
    check_whole(jobs=jobs)


def check_judges(judges: object, train: Dataset) -> None:
    """Refuse people to judge by who have other inputs, are all alike, or are those of train."""
    if not isinstance(judges, Dataset):
        return
    if judges.schema.names != train.schema.names:
        raise InputError(
            f"the people to judge by have the inputs {listing(judges.schema.names)}, those of "
            f"train {listing(train.schema.names)}; they must be the same"
        )
    check_classes(judges, "the people to judge by", 1)
    if judges.digest == train.digest:
        raise InputError(
            "the people to judge by are the training table itself; pass others, or on='training'"
        )


def check_classes(people: Dataset, who: str, least: int) -> None:
    """Refuse people of whom fewer than `least` are of one class."""
    favourable = int((people.labels == 1).sum())
    for count, what in ((favourable, "favourable"), (len(people) - favourable, "unfavourable")):
        if count < least:
            reason = (
                f"every one of the {least} folds needs at least one: judge on the training people "
                "or on held-out ones instead, or give more people"
                if count
                else "models and their risk need both kinds"
            )
            raise InputError(f"of {who} {count} of {len(people)} are {what}, but {reason}")


def check_probabilities(grid: Mapping[str, Any], reference: Reference, risk: str) -> None:
    """Refuse, before any fit, models without the probabilities that the risk needs."""
    if risk == "log_loss" and not reference.score.probability:
        raise without_probabilities(_called(REFERENCE))
    for name, estimator in grid.items():
        check_probable(estimator, _called(name), risk)


def _called(name: str) -> str:
    return "the reference" if name == REFERENCE else f"the candidate '{name}'"


def _complaints(fitted: list[Fitted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for one in fitted for c in one.complaints))
