"""The fits of a grid's candidates: each is done once, whichever reference it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from standfast.datasets import Dataset
from standfast.rivals.candidates import named, seeded
from standfast.rivals.fitting import (
    Counter,
    Fit,
    Fitted,
    People,
    Rows,
    check_settings,
    fit_all,
    people_of,
)
from standfast.rivals.merging import spaced
from standfast.scores.score import Matrix

FOLDS = 5
CHECKED = 1_000  # people whom a model fitted after cross-validation is asked about
Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CandidateFits:
    """Candidates by name, the people they are fitted on, and what came of every fit so far.

    No fit depends on the reference: the level sets of several references share them.
    """

    grid: Mapping[str, Any]
    train: Dataset
    seed: int
    jobs: int
    done: dict[Key, Fitted] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, candidates: Any, train: Dataset, seed: int = 0, jobs: int = 1) -> "CandidateFits":
        """Candidates as `level_set` takes them; nothing is fitted yet."""
        check_settings(train, seed, jobs)
        return cls(named(candidates), train, seed, jobs)

    @cached_property
    def people(self) -> People:
        """The people to fit on."""
        return people_of(self.train)

    @cached_property
    def folds(self) -> list[tuple[Rows, Rows]]:
        """Of each fold the rows to fit on and those held out, the same for every model."""
        from sklearn.model_selection import StratifiedKFold

        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        return list(splitter.split(self.people.X, self.people.y))

    @property
    def checked(self) -> Matrix:
        """The rows that candidates fitted on everybody are asked about."""
        return self.people.X[spaced(len(self.people.X), CHECKED)]

    def on_folds(
        self, others: Sequence[Fit], counter: Counter
    ) -> tuple[list[Fitted], dict[str, list[Fitted]]]:
        """What came of the other fits, done alongside, and of each candidate's on the folds."""
        wanted: dict[Key, Fit] = {
            (name, "fold", str(k)): self._fit(name, rows, held)
            for name in self.grid
            for k, (rows, held) in enumerate(self.folds)
        }
        own = self._complete(wanted, self.people.X, counter, others)
        return own, {
            name: [self.done[name, "fold", str(k)] for k in range(len(self.folds))]
            for name in self.grid
        }

    def on_everybody(self, names: Sequence[str], counter: Counter) -> dict[str, Fitted]:
        """These candidates fitted on all people, and asked about some of them."""
        everybody = np.arange(len(self.people.X))
        asked = spaced(len(everybody), CHECKED)
        wanted: dict[Key, Fit] = {
            (name, "everybody"): self._fit(name, everybody, asked, keep=True) for name in names
        }
        self._complete(wanted, self.people.X, counter)
        return {name: self.done[name, "everybody"] for name in names}

    def judged_by(self, judges: Dataset, counter: Counter) -> dict[str, Fitted]:
        """Every candidate fitted on all people, and asked about all the judges."""
        X = people_of(judges).X
        everybody, asked = np.arange(len(self.people.X)), np.arange(len(X))
        wanted: dict[Key, Fit] = {
            (name, "judged by", judges.digest): self._fit(name, everybody, asked, keep=True)
            for name in self.grid
        }
        self._complete(wanted, X, counter)
        return {name: self.done[name, "judged by", judges.digest] for name in self.grid}

    def _complete(
        self, wanted: Mapping[Key, Fit], X: Matrix, counter: Counter, others: Sequence[Fit] = ()
    ) -> list[Fitted]:
        """Do what is wanted and not done yet, and the other fits, whose results are given back."""
        new = {key: fit for key, fit in wanted.items() if key not in self.done}
        if len(new) < len(wanted):
            counter.skip(len(wanted) - len(new))
        found = fit_all([*others, *new.values()], self.people, X, self.jobs, counter.step)
        self.done.update(zip(new, found[len(others) :], strict=True))
        return found[: len(others)]

    def _fit(self, name: str, rows: Rows, asked: Rows, keep: bool = False) -> Fit:
        estimator = seeded(self.grid[name], self.seed, name)
        return Fit(name, estimator, rows, asked, keep, tuple(range(len(self.train.schema))))
