"""The rivals that may replace a model: those at most ε worse than it."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.rivals.candidates import REFERENCE, named
from standfast.rivals.candidates_table import (
    COLUMNS,
    STANDS_FOR,
    judged_candidates,
    nothing_inside,
    rivals_among,
)
from standfast.rivals.fitting import Progress, read_fitted
from standfast.rivals.folder import Collection, read, write
from standfast.rivals.judging import (
    FOLDS,
    Judged,
    Judging,
    check_classes,
    check_judges,
    check_probabilities,
    check_settings,
    people_of,
)
from standfast.rivals.merging import MERGE, check_merge, stand_ins
from standfast.rivals.reference import Reference
from standfast.rivals.risk import WORDS, Tolerance
from standfast.schema import Schema
from standfast.scores.score import Matrix, Score
from standfast.scores.unanimous import Unanimous

KIND = "a level set"


@dataclass(frozen=True, eq=False, repr=False)
class LevelSet:
    """A reference and its rivals: the candidates whose risk is at most the reference's plus ε.

    Made by `level_set(...)`. The reference itself is no rival.

    Parameters
    ----------
    reference : Score
        The model that advice is made under.
    names, rivals : tuple of str, tuple of Score
        The rivals and what they are called.
    epsilon : float
        How much worse than the reference a rival may be.
    candidates : DataFrame
        One row per candidate, and one for the reference (the first): name, family, parameters,
        risk, accuracy, auc, whether it is inside, why, and `stands_for`: for how many candidates it
        counts, itself among them. That is 0 for those outside, and for those inside that are
        practically the same model as an earlier one or the reference, which stands for them.
    schema : Schema, optional
        What the models read; with it the set can be saved.
    provenance : mapping
        Which data, risk and seed it came from.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> f = LogisticRegression(solver="newton-cholesky").fit(people.table, people.labels)
    >>> grid = {"strong penalty": LogisticRegression(C=1e-5, solver="newton-cholesky")}
    >>> rivals = level_set(grid, people, reference=f)
    >>> rivals.names, len(rivals.unanimous().scores)
    (('strong penalty',), 2)
    """

    reference: Score
    names: tuple[str, ...]
    rivals: tuple[Score, ...]
    epsilon: float
    candidates: pd.DataFrame
    schema: Schema | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names, rivals = tuple(self.names), tuple(self.rivals)
        if len(names) != len(rivals) or not rivals:
            raise InputError(
                f"{len(names)} names for {len(rivals)} rivals; a level set needs at least one "
                "rival, and one name for each"
            )
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InputError(f"the rivals' names hold {listing(twice)} more than once; rename some")
        for score in (self.reference, *rivals):
            if not isinstance(score, Score):
                raise InputError(
                    f"{type(score).__name__} is not a score; turn it into one with as_score(...)"
                )
        other = [n for n, g in zip(names, rivals, strict=True) if g.width != self.reference.width]
        if other:
            raise InputError(
                f"{listing(other)} read other inputs than the reference, which has "
                f"{self.reference.width}; build all with one schema"
            )
        if not np.isfinite(self.epsilon) or self.epsilon < 0:
            raise InputError(f"epsilon is {self.epsilon!r}; it must be a number of at least 0")
        missing = [name for name in COLUMNS if name not in self.candidates.columns]
        if missing:
            raise InputError(f"the table of candidates lacks {listing(missing)}")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "rivals", rivals)
        object.__setattr__(self, "epsilon", float(self.epsilon))

    @property
    def merged(self) -> int:
        """How many candidates inside are practically the same as a rival or the reference."""
        table = self.candidates
        if STANDS_FOR not in table.columns:  # saved by version 0.1.0, which merged none
            return 0
        return int((table["inside"] & (table[STANDS_FOR] == 0)).sum())

    def unanimous(self, margin: float | tuple[float, ...] = 0.0) -> Unanimous:
        """The reference and all rivals as one score, above zero only where everyone accepts."""
        return Unanimous((self.reference, *self.rivals), margin, ("the reference", *self.names))

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the reference, the rivals, their names and ε."""
        rivals = [rival.digest for rival in self.rivals]
        return digest([self.reference.digest, list(self.names), rivals, self.epsilon])

    def save(self, path: Path | str) -> None:
        """Write models and candidates' table into a new folder, with their fingerprints."""
        if self.schema is None:
            raise InputError("a level set without a schema cannot be saved; build it with one")
        about = {
            "names": list(self.names),
            "epsilon": self.epsilon,
            "provenance": dict(self.provenance),
        }
        scores = (self.reference, *self.rivals)
        write(Collection(KIND, self.schema, scores, self.candidates, about), Path(path))

    @classmethod
    def load(cls, path: Path | str, *, trust: Sequence[str] = ()) -> "LevelSet":
        """The level set in a folder; a changed or missing file is refused.

        `trust` names types that standfast does not trust by itself, as in `load_model`.
        """
        found = read(Path(path), KIND, trust)
        reference, *rivals = found.scores
        names, epsilon = tuple(found.about["names"]), found.about["epsilon"]
        about = found.about["provenance"]
        return cls(reference, names, tuple(rivals), epsilon, found.table, found.schema, about)

    def __len__(self) -> int:
        return len(self.rivals)

    def __repr__(self) -> str:
        return f"LevelSet: {self.summary}"

    @property
    def summary(self) -> str:
        """How many candidates are inside, by which risk, and how many different models they are."""
        about, merged = self.provenance, self.merged
        summary = (
            f"{len(self) + merged} of {len(self.candidates) - 1} candidates are at most "
            f"{self.epsilon:g} worse than the reference"
        )
        if about:
            summary += f" ({about['risk']} {about['risk_on']})"
        if merged:
            summary += (
                f"; {len(self)} rival{'s' * (len(self) != 1)}, for {merged} of them "
                f"{'is' if merged == 1 else 'are'} practically the same as another"
            )
        return summary

    def _repr_html_(self) -> str:
        """What a notebook shows: one line, and who is inside and why."""
        return f"<p>{html.escape(repr(self))}</p>{self.candidates.to_html(index=False)}"


def level_set(
    candidates: Any,
    train: Dataset,
    *,
    reference: Any,
    epsilon: float | Tolerance = 0.05,
    merge: float | None = MERGE,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> LevelSet:
    """The candidates at most ε worse than the reference: R̂(g) ≤ R̂(f) + ε.

    R̂ is the share of mistakes unless ε says otherwise: `Tolerance(0.02, risk="auc")`. The paper
    counts training mistakes, of which deep forests make almost none; by default we judge by
    cross-validation, five folds, the same for all, with a copy of the reference fitted anew, and
    then fit who is inside on all of `train`. `Tolerance(0.05, on="training")` is the paper's way,
    and a Dataset of people none of the models has seen is the third.

    Fifty penalties may be one and the same logistic regression over and over. Candidates inside
    whose scores are at most `merge` apart for everybody they are judged on (the training people
    for cross-validation; 10,000 of them, evenly spaced, if there are more) therefore count as one:
    the reference or else the first of them stands for the others, and the table says for how many.

    Parameters
    ----------
    candidates : mapping or list of unfitted estimators
        A grid (`grids.forests()`, two of them joined with `|`), a mapping of names to estimators,
        or a list of them, from the reference's hypothesis class or another one (the paper's case
        b). They see the labels 0 and 1, 1 favourable.
    train : Dataset
        The people on whom models are fitted and judged.
    reference : estimator or Score
        The fitted model; the larger of its classes −1/+1 or 0/1 is favourable, and with other
        classes its score says which one: `as_score(model, schema, favourable="Good")`.
    epsilon : float or Tolerance
        How much worse a rival may be.
    merge : float, optional
        A difference of probabilities, or a share of the range of decision values; with None every
        candidate inside is a rival, as in the paper.
    seed, jobs, progress : int, int, callable
        The seed, how many processes fit (the answer is the same), and `progress(done, total)` as
        models are fitted.

    Returns
    -------
    LevelSet
        The reference, its rivals, and a table of all candidates.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> f = LogisticRegression(solver="newton-cholesky").fit(people.table, people.labels)
    >>> grid = {f"C = {C}": LogisticRegression(C=C, solver="newton-cholesky") for C in (0.1, 1.0)}
    >>> level_set(grid, people, reference=f)
    LevelSet: 2 of 2 candidates are at most 0.05 worse than the reference
    (error by cross-validation); 1 rival, for 1 of them is practically the same as another
    """
    check_settings(train, seed, jobs)
    tolerance = Tolerance.of(epsilon, "cross-validation", "training")
    check_judges(tolerance.on, train)
    check_merge(merge)
    grid = named(candidates)
    cross = tolerance.on == "cross-validation"
    check_classes(train, "the training people", FOLDS if cross else 1)
    model = Reference.of(reference, train)
    check_probabilities(grid, model, tolerance.risk)
    if cross:
        model.check_refittable()
    found, asked = Judging(grid, train, model, tolerance, seed, jobs, progress).run()
    table = judged_candidates(grid, model, found, tolerance)
    inside = [name for name, within in zip(grid, table["inside"][1:], strict=True) if within]
    if not inside:
        raise InputError(nothing_inside(table, tolerance.epsilon))
    read = {name: _read(found[name], train.schema, asked) for name in inside}
    everyone = {REFERENCE: model.score, **{name: score for name, (score, _) in read.items()}}
    judges = tolerance.on if isinstance(tolerance.on, Dataset) else train
    places = stand_ins(list(everyone.values()), people_of(judges).X, merge)
    names = rivals_among(table, list(everyone), places)
    if not names:
        raise InputError(
            f"every candidate that is at most {tolerance.epsilon:g} worse than the reference "
            f"({len(inside)}) "
            f"is practically the same as it: scores at most {merge:g} apart for everybody; add "
            "candidates that differ more, lower the tolerance, or keep every candidate"
        )
    provenance = {
        "standfast": version("standfast"),
        "data": train.table.attrs["origin"],
        "data_digest": train.digest,
        "schema_digest": train.schema.digest,
        "risk": WORDS[tolerance.risk],
        "risk_on": tolerance.where,
        "merge": merge,
        "structures": {
            "rows": len(asked),
            "largest_difference": max(difference for _, difference in read.values()),
        },
        "seed": seed,
    }
    rivals = tuple(everyone[name] for name in names)
    return LevelSet(
        model.score,
        tuple(names),
        rivals,
        tolerance.epsilon,
        table,
        train.schema,
        provenance,
    )


def _read(judged: Judged, schema: Schema, asked: Matrix) -> tuple[Score, float]:
    assert judged.answered is not None
    return read_fitted(judged.estimator, schema, asked, judged.answered)
