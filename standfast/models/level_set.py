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
from standfast.models.as_score import as_score
from standfast.models.candidates import REFERENCE, family, named, parameters
from standfast.models.fitting import Progress
from standfast.models.folder import Shelf, read, write
from standfast.models.inquiry import (
    FOLDS,
    Inquiry,
    Judged,
    check_numbers,
    compared,
    is_inside,
    needed,
)
from standfast.models.reference import Reference
from standfast.models.score import Score
from standfast.models.unanimous import Unanimous
from standfast.schema import Schema

RiskOn = Literal["cross-validation", "training"]
KIND = "a level set"
COLUMNS = ("name", "family", "parameters", "risk", "accuracy", "auc", "inside", "why")


@dataclass(frozen=True, eq=False, repr=False)
class LevelSet:
    """A reference and its rivals: the candidates whose risk is at most the reference's plus ε.

    `members` has one row per candidate, and one for the reference (the first): name, family,
    parameters, risk, accuracy, auc, whether it is inside, and why. Only those inside are rivals;
    the reference itself is none. `provenance` says which data, risk and seed it came from; with a
    `schema` it can be saved. Made by `level_set(...)`.
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
        about = self.provenance
        return (
            f"LevelSet: {len(self)} of {len(self.members) - 1} candidates are at most "
            f"{self.epsilon:g} worse than the reference"
            + (f" ({about['risk']} {about['risk_on']})" if about else "")
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: one line, and who is inside and why."""
        return f"<p>{html.escape(repr(self))}</p>{self.members.to_html(index=False)}"


def level_set(
    candidates: Any,
    train: Dataset,
    *,
    reference: Any,
    epsilon: float = 0.05,
    risk_on: RiskOn | Dataset = "cross-validation",
    balanced: bool = False,
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

    R̂ is the share of mistakes, with `balanced` the mean of both classes' shares. The paper counts
    training mistakes, of which deep forests make almost none; by default we count by
    cross-validation, five folds, the same for all, with a copy of the reference fitted anew, and
    then fit who is inside on all of `train`. `risk_on="training"` is the paper's count, and a
    Dataset of people none of the models has seen is the third way.

    `progress(done, total)` is called as models are fitted; `jobs` processes give the same answer.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> f = LogisticRegression(solver="newton-cholesky").fit(people.table, people.labels)
    >>> grid = {f"C = {C}": LogisticRegression(C=C, solver="newton-cholesky") for C in (0.1, 1.0)}
    >>> level_set(grid, people, reference=f)
    LevelSet: 2 of 2 candidates are at most 0.05 worse than the reference
    (error by cross-validation)
    """
    _check_options(train, epsilon, risk_on, seed, jobs)
    grid = named(candidates)
    cross = not isinstance(risk_on, Dataset) and risk_on == "cross-validation"
    _check_classes(train, "the training people", FOLDS if cross else 1)
    model = Reference.of(reference, train, favourable)
    inquiry = Inquiry(grid, train, model, balanced, seed, jobs, progress)
    if cross:
        model.check_refittable()
        found = inquiry.cross_validated(epsilon)
    else:
        judges = risk_on if isinstance(risk_on, Dataset) else train
        found = inquiry.held_out(judges)
    members = _members(grid, model, found, epsilon)
    inside = members["inside"].to_numpy()[1:]
    if not inside.any():
        raise InputError(_nobody(members, epsilon))
    names = [name for name, within in zip(grid, inside, strict=True) if within]
    rivals = [as_score(found[n].estimator, train.schema, favourable=1) for n in names]
    provenance = {
        "standfast": version("standfast"),
        "data": train.table.attrs["origin"],
        "data_digest": train.digest,
        "schema_digest": train.schema.digest,
        "risk": "balanced error" if balanced else "error",
        "risk_on": _told(risk_on),
        "seed": seed,
    }
    return LevelSet(
        model.score, tuple(names), tuple(rivals), epsilon, members, train.schema, provenance
    )


def _told(risk_on: RiskOn | Dataset) -> str:
    if isinstance(risk_on, Dataset):
        return f"on {risk_on.table.attrs['origin']} ({risk_on.digest[:12]})"
    return {"cross-validation": "by cross-validation", "training": "on the training people"}[
        risk_on
    ]


def _members(
    grid: Mapping[str, Any], model: Reference, found: Mapping[str, Judged], epsilon: float
) -> pd.DataFrame:
    own, kind = found[REFERENCE].quality.risk, family(model.estimator)
    rows = []
    for name, estimator in {REFERENCE: model.estimator, **grid}.items():
        q = found[name].quality
        inside = is_inside(q.risk, own, epsilon)
        why = "the reference itself" if name == REFERENCE else compared(q.risk, own, epsilon)
        if family(estimator) != kind:
            why += f"; another hypothesis class than the reference's {kind}"
        if found[name].complaints:
            why += f"; when fitted: {found[name].complaints[0]}"
        told = (name, family(estimator), parameters(estimator))
        rows.append((*told, q.risk, q.accuracy, q.auc, inside, why))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _nobody(members: pd.DataFrame, epsilon: float) -> str:
    others = members.iloc[1:].sort_values("risk", kind="stable")
    own, risks = float(members["risk"].iloc[0]), others["risk"].tolist()
    return (
        f"no candidate is at most {epsilon:g} worse than the reference, whose risk is {own:.4f}; "
        f"epsilon={needed(risks[0], own)} would admit '{others['name'].iloc[0]}', "
        f"epsilon={needed(risks[-1], own)} all {len(others)}"
    )


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
                f"every one of the {least} folds needs at least one: pass risk_on='training' or a "
                "Dataset, or more people"
                if count
                else "models and their risk need both kinds"
            )
            raise InputError(f"of {who} {count} of {len(people)} are {what}, but {reason}")
