"""How good each candidate is: fitted and judged on the same people as the reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from standfast.datasets import Dataset
from standfast.errors import InputError, listing
from standfast.rivals.candidate_fits import CandidateFits
from standfast.rivals.candidates import REFERENCE
from standfast.rivals.fitting import Counter, Fitted, Progress, people_of
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

    fits: CandidateFits
    reference: Reference
    tolerance: Tolerance
    progress: Progress | None

    def run(self) -> tuple[dict[str, Judged], Matrix]:
        """Everybody judged as the tolerance says, and the rows that were asked about at last."""
        judges = self.tolerance.on
        if judges == "cross-validation":
            return self._cross_validated()
        return self._held_out(judges if isinstance(judges, Dataset) else self.fits.train)

    def _cross_validated(self) -> tuple[dict[str, Judged], Matrix]:
        """Everybody judged on five held-out folds; then who is inside, fitted on all of train."""
        fits, grid = self.fits, self.fits.grid
        again = [self.reference.again(rows, held, fits.seed) for rows, held in fits.folds]
        counter = Counter(self.progress, len(again) * (1 + len(grid)) + len(grid))
        own, theirs = fits.on_folds(again, counter)
        truth = [fits.people.y[held] for _, held in fits.folds]
        found = {}
        for name, mine in {REFERENCE: own, **theirs}.items():
            measured = self._quality(name, truth, [one.answered for one in mine])
            found[name] = Judged(measured, _complaints(mine))
        risk = found[REFERENCE].quality.risk
        inside = [n for n in grid if self.tolerance.admits(found[n].quality.risk, risk)]
        counter.skip(len(grid) - len(inside))
        for name, one in fits.on_everybody(inside, counter).items():
            complaints = (*found[name].complaints, *one.complaints)
            found[name] = Judged(found[name].quality, complaints, one.estimator, one.answered)
        return found, fits.checked

    def _held_out(self, judges: Dataset) -> tuple[dict[str, Judged], Matrix]:
        """Everybody fitted on train and judged on the judges; the reference as it is."""
        judged, grid = people_of(judges), self.fits.grid
        done = self.fits.judged_by(judges, Counter(self.progress, len(grid)))
        own = self._quality(REFERENCE, [judged.y], [self.reference.answered(judged.X)])
        found = {REFERENCE: Judged(own, ())}
        for name, one in done.items():
            measured = self._quality(name, [judged.y], [one.answered])
            found[name] = Judged(measured, one.complaints, one.estimator, one.answered)
        return found, judged.X

    def _quality(self, name: str, truth: list[Bools], answered: list[Answered]) -> Quality:
        if self.tolerance.risk == "log_loss" and not all(one.probability for one in answered):
            raise without_probabilities(_called(name))
        return quality(truth, answered, self.tolerance.risk)


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
