"""Models nobody has seen yet: drawn from a stated distribution, in parts that never mix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError, check_whole
from standfast.rivals.candidates import check_unfitted, family
from standfast.rivals.distribution import BASELINE, Distribution, check_draws, set_apart
from standfast.rivals.fitting import (
    Counter,
    Fit,
    Fitted,
    People,
    Progress,
    check_settings,
    fit_all,
    made_from,
    read_fitted,
)
from standfast.rivals.folder import Collection, read, write
from standfast.rivals.risk import WORDS, Quality, Tolerance, check_probable, needed, quality
from standfast.schema import Schema
from standfast.scores.score import Score

PARTS = ("search", "choose", "certify")
KIND = "fresh models"
# a part is given up when, after so many draws beyond its size, fewer than this share are inside
PATIENCE, LEAST = 20, 0.1
COLUMNS = ("part", "name", "parameters", "risk", "accuracy", "auc", "inside", "why", "digest")


class Part(tuple[Score, ...]):
    """Some of the fresh models: a tuple of scores with a name and the models' fingerprints.

    Models drawn elsewhere, each independently of the others, become one: `Part("certify", scores)`.

    Parameters
    ----------
    name : str
        What they are for: "search", "choose" or "certify".
    scores : iterable of Score
        The models.

    Examples
    --------
    >>> from standfast.scores.linear import Linear
    >>> Part("certify", [Linear([1.0], 0.0), Linear([1.0], 0.1)])
    Part certify: 2 models
    """

    name: str

    def __new__(cls, name: str, scores: Iterable[Score] = ()) -> "Part":
        """The scores, under the part's name."""
        self = super().__new__(cls, scores)
        self.name = name
        return self

    def __getnewargs__(self) -> tuple[str, tuple[Score, ...]]:
        return self.name, tuple(self)

    @property
    def digests(self) -> tuple[str, ...]:
        """The fingerprint of each model."""
        return tuple(score.digest for score in self)

    def __repr__(self) -> str:
        return f"Part {self.name}: {len(self)} models"


@dataclass(frozen=True, eq=False, repr=False)
class FreshModels:
    """Models drawn alike, in three parts: to search with, to choose a margin, to certify.

    No model is in two parts, so that a certificate never rests on a model the search or the choice
    has seen. Made by `fresh_models(...)`.

    Parameters
    ----------
    search, choose, certify : Part
        The models of each part.
    epsilon : float
        How much worse than the reference a model may be.
    draws : DataFrame
        One row per draw, in or out, with the reason.
    schema : Schema
        What the models read.
    provenance : mapping
        Which data, risk and seed they came from.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from standfast.datasets import twin
    >>> fresh = fresh_models(
    ...     DecisionTreeClassifier(max_depth=3),
    ...     twin("heloc", n=400, seed=0),
    ...     draws={"min_samples_leaf": [10, 20]},
    ...     sizes={"search": 2, "choose": 0, "certify": 3},
    ...     epsilon=0.2,
    ... )
    >>> fresh.search, fresh.certify
    (Part search: 2 models, Part certify: 3 models)
    """

    search: Part
    choose: Part
    certify: Part
    epsilon: float
    draws: pd.DataFrame
    schema: Schema
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for part in self.parts:
            for one in part.digests:
                if seen.setdefault(one, part.name) != part.name:
                    raise InputError(
                        f"the same model is in '{seen[one]}' and in '{part.name}', which would "
                        "certify what was searched with; let the draws vary more"
                    )

    @property
    def parts(self) -> tuple[Part, Part, Part]:
        """The three parts in order."""
        return self.search, self.choose, self.certify

    @cached_property
    def digest(self) -> str:
        """The fingerprint of all models in their parts."""
        return digest([(part.name, part.digests) for part in self.parts])

    def save(self, path: Path | str) -> None:
        """Write the models and the table of draws into a new folder, with their fingerprints."""
        about = {
            "sizes": {part.name: len(part) for part in self.parts},
            "epsilon": self.epsilon,
            "provenance": dict(self.provenance),
        }
        scores = tuple(score for part in self.parts for score in part)
        write(Collection(KIND, self.schema, scores, self.draws, about), Path(path))

    @classmethod
    def load(cls, path: Path | str, *, trust: Sequence[str] = ()) -> "FreshModels":
        """The fresh models in a folder; a changed or missing file is refused."""
        found = read(Path(path), KIND, trust)
        scores = iter(found.scores)
        sizes = found.about["sizes"]
        search, choose, certify = (Part(n, [next(scores) for _ in range(sizes[n])]) for n in PARTS)
        epsilon, about = found.about["epsilon"], found.about["provenance"]
        return cls(search, choose, certify, epsilon, found.table, found.schema, about)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def __repr__(self) -> str:
        return f"FreshModels: {self.summary}"

    @property
    def summary(self) -> str:
        """How many models each part holds, of how many drawn."""
        sizes = ", ".join(f"{len(part)} to {part.name}" for part in self.parts)
        drawn = int((self.draws["part"] != BASELINE).sum())
        return f"{sizes} (of {drawn} drawn, ε = {self.epsilon:g})"


def fresh_models(
    estimator: Any,
    train: Dataset,
    *,
    draws: Mapping[str, Any],
    sizes: Mapping[str, int],
    epsilon: float | Tolerance = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> FreshModels:
    """Models as a later training might give them: bootstrap × seed × settings, at most ε worse.

    A draw is kept if its risk is at most ε above that of the estimator with its own settings,
    fitted on the same people without resampling. The risk is the share of mistakes on people that
    neither saw, a fifth of `train` set aside for that, unless ε is a `Tolerance` that names another
    risk or a Dataset to judge on. Each part has its own stream of draws: asking for more models to
    search with does not change those that certify.

    Parameters
    ----------
    estimator : estimator
        Unfitted; each draw takes a copy with a random state of its own and fits it on a bootstrap
        sample.
    train : Dataset
        The people to draw from.
    draws : mapping
        For each setting its values, one of which is taken at random, or its scipy distribution;
        `step__setting` within a pipeline.
    sizes : mapping
        How many models are kept to "search", "choose" and "certify".
    epsilon : float or Tolerance
        How much worse than the estimator a draw may be.
    seed, jobs, progress : int, int, callable
        The seed, how many processes fit, and `progress(done, total)` as models are fitted.

    Returns
    -------
    FreshModels
        The three parts, and a table of all draws.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from standfast.datasets import twin
    >>> fresh_models(
    ...     DecisionTreeClassifier(max_depth=4),
    ...     twin("heloc", n=400, seed=0),
    ...     draws={"max_depth": [3, 4, 5], "min_samples_leaf": [10, 20]},
    ...     sizes={"search": 3, "choose": 2, "certify": 4},
    ...     epsilon=0.2,
    ... )
    FreshModels: 3 to search, 2 to choose, 4 to certify (of ... drawn, ε = 0.2)
    """
    check_settings(train, seed, jobs)
    tolerance = Tolerance.of(epsilon, "validation")
    check_unfitted(estimator, "the estimator")
    check_probable(estimator, "the estimator", tolerance.risk)
    check_draws(estimator, draws)
    _check_sizes(sizes)
    people, judges = set_apart(train, tolerance.on, seed)
    counter = Counter(progress, 1 + sum(sizes.values()))
    distribution = Distribution(estimator, people, draws, seed)
    drawing = _Drawing(distribution, judges, train.schema, sizes, tolerance, jobs, counter)
    kept, rows = drawing.run()
    provenance = {
        **made_from(train),
        "family": family(estimator),
        "estimator": " ".join(repr(estimator).split()),
        "draws": {name: repr(values) for name, values in draws.items()},
        "risk": WORDS[tolerance.risk],
        "risk_on": tolerance.on.digest if isinstance(tolerance.on, Dataset) else "validation",
        "seed": seed,
    }
    search, choose, certify = (Part(name, kept[name]) for name in PARTS)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return FreshModels(search, choose, certify, tolerance.epsilon, table, train.schema, provenance)


@dataclass(frozen=True)
class _Drawing:
    """Rounds of draws until every part is full, each part from its own stream."""

    distribution: Distribution
    judges: People
    schema: Schema
    sizes: Mapping[str, int]
    tolerance: Tolerance
    jobs: int
    counter: Counter

    def run(self) -> tuple[dict[str, list[Score]], list[tuple[Any, ...]]]:
        """The models kept for each part, and a row for every draw."""
        asked = np.arange(len(self.judges.X))
        ((own, _),) = self._judged([self.distribution.baseline(asked)])
        why = "the estimator's own settings"
        rows: list[tuple[Any, ...]] = [(BASELINE, BASELINE, "", *own, True, why, "")]
        kept: dict[str, list[Score]] = {name: [] for name in PARTS}
        tried = dict.fromkeys(PARTS, 0)
        while True:
            wanted = [n for n in PARTS for _ in range(self.sizes[n] - len(kept[n]))]
            if not wanted:
                return kept, rows
            self._check_patience(kept, rows, own.risk)
            drawn = []
            for name in wanted:
                drawn.append(self.distribution.draw(name, tried[name], asked))
                tried[name] += 1
            found = self._judged([fit for fit, _ in drawn])
            for name, (fit, settings), (q, one) in zip(wanted, drawn, found, strict=True):
                inside, mark = self.tolerance.admits(q.risk, own.risk), ""
                if inside:
                    score, _ = read_fitted(one.estimator, self.schema, self.judges.X, one.answered)
                    kept[name].append(score)
                    mark = kept[name][-1].digest
                else:
                    self.counter.total += 1
                why = self.tolerance.compared(q.risk, own.risk)
                rows.append((name, fit.name, settings, *q, inside, why, mark))

    def _judged(self, fits: Sequence[Fit]) -> list[tuple[Quality, Fitted]]:
        done = fit_all(fits, self.distribution.people, self.judges.X, self.jobs, self.counter.step)
        truth = [self.judges.y]
        return [(quality(truth, [one.answered], self.tolerance.risk), one) for one in done]

    def _check_patience(
        self, kept: Mapping[str, list[Score]], rows: Sequence[tuple[Any, ...]], own: float
    ) -> None:
        """Give up a part whose draws are hardly ever inside, saying what would help."""
        for name in PARTS:
            risks = [row[3] for row in rows if row[0] == name]
            size, got = self.sizes[name], len(kept[name])
            if got < size and len(risks) >= PATIENCE + size and got < LEAST * len(risks):
                raise InputError(
                    f"only {got} of {len(risks)} draws to {name} are at most "
                    f"{self.tolerance.epsilon:g} worse than the estimator's own risk "
                    f"{own:.4f}, but {size} are asked for; an epsilon of "
                    f"{needed(float(np.median(risks)), own)} would admit half of them, or let "
                    "the draws vary less"
                )


def _check_sizes(sizes: object) -> None:
    if not isinstance(sizes, Mapping) or sorted(map(str, sizes)) != sorted(PARTS):
        raise InputError(
            f"sizes is {sizes!r}; say how many models each part gets: "
            '{"search": 20, "choose": 20, "certify": 59}'
        )
    for name, size in sizes.items():
        check_whole(0, **{f"sizes['{name}']": size})
    if not any(sizes.values()):
        raise InputError("all sizes are 0; ask for at least one model")
