"""The distribution fresh models are drawn from: people resampled, seeds and settings drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError, listing, type_of
from standfast.rivals.candidates import random_states, seeded
from standfast.rivals.fitting import Fit, People, Rows, people_of
from standfast.rivals.judging import check_classes, check_judges

BASELINE = "baseline"
VALIDATION = 0.2  # share of the training people set aside to judge the draws


@dataclass(frozen=True)
class Distribution:
    """What fresh models are drawn from: each follows from the seed, its part and its number."""

    estimator: Any
    people: People
    draws: Mapping[str, Any]
    seed: int

    def baseline(self, asked: Rows) -> Fit:
        """The estimator with its own settings, fitted on everybody once."""
        everybody = np.arange(len(self.people.X))
        return self._fit(BASELINE, self.estimator, everybody, asked)

    def draw(self, part: str, k: int, asked: Rows) -> tuple[Fit, str]:
        """The k-th draw of a part, and its settings in words."""
        from sklearn.base import clone

        name = f"{part} {k}"
        rng = np.random.default_rng(int(digest([self.seed, name])[:16], 16))
        settings = {key: _value(values, rng) for key, values in self.draws.items()}
        n = len(self.people.X)
        rows = rng.integers(0, n, n)
        while self.people.y[rows].all() or not self.people.y[rows].any():  # nothing to learn from
            rows = rng.integers(0, n, n)
        copy = clone(self.estimator)
        copy.set_params(**{key: int(rng.integers(2**31)) for key in random_states(copy)})
        copy.set_params(**settings)
        words = ", ".join(f"{key}={_shown(value)}" for key, value in settings.items())
        return self._fit(name, copy, rows, asked), words

    def _fit(self, name: str, estimator: Any, rows: Rows, asked: Rows) -> Fit:
        copy = seeded(estimator, self.seed, name)
        return Fit(name, copy, rows, asked, True, tuple(range(len(self.people.features))))


def _value(values: Any, rng: np.random.Generator) -> Any:
    if hasattr(values, "rvs"):
        drawn = values.rvs(random_state=rng)
        return drawn.item() if hasattr(drawn, "item") else drawn
    return values[int(rng.integers(len(values)))]


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def set_apart(train: Dataset, judges: object, seed: int) -> tuple[People, People]:
    """Those to fit on, and those to judge by, nobody in both."""
    everybody = people_of(train)
    check_classes(train, "the training people", 1)
    check_judges(judges, train)
    if isinstance(judges, Dataset):
        return everybody, people_of(judges)
    few = min(int(everybody.y.sum()), int((~everybody.y).sum()))
    if few < round(1 / VALIDATION):
        raise InputError(
            f"the training people hold only {few} of one class, too few to set a fifth aside; "
            "judge on held-out people, or pass more people"
        )
    from sklearn.model_selection import train_test_split

    fitted, held = train_test_split(
        np.arange(len(everybody.y)),
        test_size=VALIDATION,
        stratify=everybody.y,
        random_state=seed % 2**32,
    )
    return _part(everybody, fitted), _part(everybody, held)


def _part(people: People, rows: Rows) -> People:
    rows = np.sort(rows)
    return People(people.X[rows], people.y[rows], people.features)


def check_draws(estimator: Any, draws: object) -> None:
    """Refuse settings the estimator does not have, and values that cannot be drawn from."""
    if not isinstance(draws, Mapping):
        raise InputError(
            f"draws is {type_of(draws)}; pass a mapping from a setting's name to a list of "
            "values or a scipy distribution ({} varies the people and the seed only)"
        )
    known = estimator.get_params(deep=True)
    unknown = [name for name in draws if name not in known]
    if unknown:
        # of a pipeline, those of the same name inside it, or else those of its steps
        inner = sorted(k for k in known if k.rpartition("__")[2] in unknown)
        plain = sorted(known, key=lambda k: (k.count("__"), k))
        raise InputError(
            f"the model has no setting {listing(unknown)}; it has {listing(inner or plain, 30)}"
        )
    for name, values in draws.items():
        listed = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
        if not hasattr(values, "rvs") and not (listed and len(values)):
            raise InputError(
                f"draws[{name!r}] is {values!r}; pass a list with at least one value, or a scipy "
                "distribution"
            )
