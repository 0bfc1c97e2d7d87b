"""The rivals that may replace a model: those at most ε worse than it."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.rivals.candidates import REFERENCE, named
from standfast.rivals.fitting import Progress
from standfast.rivals.folder import Shelf, read, write
from standfast.rivals.inquiry import (
    FOLDS,
    Inquiry,
    Judged,
    check_numbers,
    check_probable_members,
    people_of,
)
from standfast.rivals.member import member
from standfast.rivals.members import (
    COLUMNS,
    STANDS_FOR,
    judged_members,
    nobody_inside,
    rivals_among,
)
from standfast.rivals.merging import MERGE, check_merge, stand_ins
from standfast.rivals.reference import Reference
from standfast.rivals.risk import WORDS, Risk, check_risk
from standfast.schema import Schema
from standfast.scores.score import Matrix, Score
from standfast.scores.unanimous import Unanimous

RiskOn = Literal["cross-validation", "training"]
KIND = "a level set"


@dataclass(frozen=True, eq=False, repr=False)
class LevelSet:
    """A reference and its rivals: the candidates whose risk is at most the reference's plus ε.

    `members` has one row per candidate, and one for the reference (the first): name, family,
    parameters, risk, accuracy, auc, whether it is inside, why, and `stands_for`: for how many
    candidates it counts, itself among them. That is 0 for those outside, and for those inside that
    are practically the same model as an earlier one or the reference, which stands for them. The
    others inside are the rivals; the reference itself is none. `provenance` says which data, risk
    and seed it came from; with a `schema` it can be saved. Made by `level_set(...)`.
    """

    reference: Score
    names: tuple[str, ...]
    rivals: tuple[Score, ...]
    epsilon: float
    members: pd.DataFrame
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
        missing = [name for name in COLUMNS if name not in self.members.columns]
        if missing:
            raise InputError(f"the members' table lacks {listing(missing)}")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "rivals", rivals)
        object.__setattr__(self, "epsilon", float(self.epsilon))

    @property
    def merged(self) -> int:
        """How many candidates inside are practically the same as a rival or the reference."""
        if STANDS_FOR not in self.members.columns:  # saved by version 0.1.0, which kept them all
            return 0
        return int((self.members["inside"] & (self.members[STANDS_FOR] == 0)).sum())

    def unanimous(self, margin: float | tuple[float, ...] = 0.0) -> Unanimous:
        """The reference and all rivals as one score, above zero only where everyone accepts."""
        return Unanimous((self.reference, *self.rivals), margin, ("the reference", *self.names))

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the reference, the rivals, their names and ε."""
        rivals = [rival.digest for rival in self.rivals]
        return digest([self.reference.digest, list(self.names), rivals, self.epsilon])

    def save(self, path: Path | str) -> None:
        """Write the models and the members' table into a new folder, with their fingerprints."""
        if self.schema is None:
            raise InputError("a level set without a schema cannot be saved; build it with one")
        about = {
            "names": list(self.names),
            "epsilon": self.epsilon,
            "provenance": dict(self.provenance),
        }
        scores = (self.reference, *self.rivals)
        write(Shelf(KIND, self.schema, scores, self.members, about), Path(path))

    @classmethod
    def load(cls, path: Path | str, *, trust: Sequence[str] = ()) -> "LevelSet":
        """The level set in a folder; a changed or missing file is refused.

        `trust` names types that standfast does not trust by itself, as in `load_model`.
        """
        found = read(Path(path), KIND, trust)
        reference, *rivals = found.scores
        names, epsilon = tuple(found.about["names"]), found.about["epsilon"]
        about = found.about["provenance"]
        return cls(reference, names, tuple(rivals), epsilon, found.members, found.schema, about)

    def __len__(self) -> int:
        return len(self.rivals)

    def __repr__(self) -> str:
        return f"LevelSet: {self.summary}"

    @property
    def summary(self) -> str:
        """How many candidates are inside, by which risk, and how many different models they are."""
        about, merged = self.provenance, self.merged
        told = (
            f"{len(self) + merged} of {len(self.members) - 1} candidates are at most "
            f"{self.epsilon:g} worse than the reference"
        )
        if about:
            told += f" ({about['risk']} {about['risk_on']})"
        if merged:
            told += (
                f"; {len(self)} rival{'s' * (len(self) != 1)}, for {merged} of them "
                f"{'is' if merged == 1 else 'are'} practically the same as another"
            )
        return told

    def _repr_html_(self) -> str:
        """What a notebook shows: one line, and who is inside and why."""
        return f"<p>{html.escape(repr(self))}</p>{self.members.to_html(index=False)}"


def level_set(
    candidates: Any,
    train: Dataset,
    *,
    reference: Any,
    epsilon: float = 0.05,
    risk: Risk = "error",
    risk_on: RiskOn | Dataset = "cross-validation",
    merge: float | None = MERGE,
    favourable: object = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> LevelSet:
    """The candidates at most ε worse than the reference: R̂(g) ≤ R̂(f) + ε.

    `candidates` is a grid (`grids.forests()`, two of them joined with `|`), a mapping of names to
    unfitted estimators, or a list of them, from the reference's hypothesis class or another one
    (the paper's case b). They see the labels 0 and 1, 1 favourable. `reference` is the fitted
    model; `favourable` its class that people want, the larger of −1/+1 or 0/1 unless given.

    R̂ is the `risk`, and ε is in its units: "error", the share of mistakes; "balanced_error", the
    mean of both classes' shares; "log_loss", the mean log-loss, for models with probabilities;
    "auc", one minus the area under the curve. The paper counts training mistakes, of which deep
    forests make almost none; by default we judge by cross-validation, five folds, the same for
    all, with a copy of the reference fitted anew, and then fit who is inside on all of `train`.
    `risk_on="training"` is the paper's way, and a Dataset of people none of the models has seen is
    the third.

    Fifty penalties may be one and the same logistic regression over and over. Candidates inside
    whose scores are at most `merge` apart for everybody they are judged on (the training people
    for cross-validation; 10,000 of them, evenly spaced, if there are more) therefore count as one:
    the reference or else the first of them stands for the others, and `members` says for how many.
    `merge` is a difference of probabilities, or a share of the range of decision values; with
    None every candidate inside is a rival, as in the paper.

    `progress(done, total)` is called as models are fitted; `jobs` processes give the same answer.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> f = LogisticRegression(solver="newton-cholesky").fit(people.table, people.labels)
    >>> grid = {f"C = {C}": LogisticRegression(C=C, solver="newton-cholesky") for C in (0.1, 1.0)}
    >>> level_set(grid, people, reference=f)
    LevelSet: 2 of 2 candidates are at most 0.05 worse than the reference
    (error by cross-validation); 1 rival, for 1 of them is practically the same as another
    """
    _check_options(train, epsilon, risk_on, seed, jobs)
    risk = check_risk(risk)
    check_merge(merge)
    grid = named(candidates)
    cross = not isinstance(risk_on, Dataset) and risk_on == "cross-validation"
    _check_classes(train, "the training people", FOLDS if cross else 1)
    model = Reference.of(reference, train, favourable)
    check_probable_members(grid, model, risk)
    inquiry = Inquiry(grid, train, model, risk, seed, jobs, progress)
    judges = risk_on if isinstance(risk_on, Dataset) else train
    if cross:
        model.check_refittable()
        found, asked = inquiry.cross_validated(epsilon)
    else:
        found, asked = inquiry.held_out(judges)
    members = judged_members(grid, model, found, epsilon)
    inside = [name for name, within in zip(grid, members["inside"][1:], strict=True) if within]
    if not inside:
        raise InputError(nobody_inside(members, epsilon))
    read = {name: _read(found[name], train.schema, asked) for name in inside}
    everyone = {REFERENCE: model.score, **{name: score for name, (score, _) in read.items()}}
    places = stand_ins(list(everyone.values()), people_of(judges).X, merge)
    names = rivals_among(members, list(everyone), places)
    if not names:
        raise InputError(
            f"every candidate that is at most {epsilon:g} worse than the reference ({len(inside)}) "
            f"is practically the same as it: scores at most {merge:g} apart for everybody; add "
            "candidates that differ more, lower the tolerance, or keep every candidate"
        )
    provenance = {
        "standfast": version("standfast"),
        "data": train.table.attrs["origin"],
        "data_digest": train.digest,
        "schema_digest": train.schema.digest,
        "risk": WORDS[risk],
        "risk_on": _told(risk_on),
        "merge": merge,
        "structures": {
            "rows": len(asked),
            "largest_difference": max(difference for _, difference in read.values()),
        },
        "seed": seed,
    }
    rivals = tuple(everyone[name] for name in names)
    return LevelSet(model.score, tuple(names), rivals, epsilon, members, train.schema, provenance)


def _read(judged: Judged, schema: Schema, asked: Matrix) -> tuple[Score, float]:
    assert judged.answered is not None
    return member(judged.estimator, schema, asked, judged.answered)


def _told(risk_on: RiskOn | Dataset) -> str:
    if isinstance(risk_on, Dataset):
        return f"on {risk_on.table.attrs['origin']} ({risk_on.digest[:12]})"
    return {"cross-validation": "by cross-validation", "training": "on the training people"}[
        risk_on
    ]


def _check_options(
    train: object, epsilon: object, risk_on: object, seed: object, jobs: object
) -> None:
    check_numbers(train, epsilon, seed, jobs)
    assert isinstance(train, Dataset)
    if isinstance(risk_on, Dataset):
        if risk_on.schema.names != train.schema.names:
            raise InputError(
                f"the people of risk_on have the inputs {listing(risk_on.schema.names)}, those of "
                f"train {listing(train.schema.names)}; they must be the same"
            )
        _check_classes(risk_on, "the people of risk_on", 1)
        if risk_on.digest == train.digest:
            raise InputError(
                "risk_on is the training table itself; pass other people, or risk_on='training'"
            )
    elif risk_on not in ("cross-validation", "training"):
        raise InputError(
            f"risk_on is {risk_on!r}; allowed are 'cross-validation', 'training' and a Dataset of "
            "held-out people"
        )


def _check_classes(people: Dataset, who: str, least: int) -> None:
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
