"""The rivals that may replace a model: those at most ε worse than it."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.rivals.candidates_table import COLUMNS, STANDS_FOR
from standfast.rivals.folder import Collection, read, write
from standfast.schema import Schema
from standfast.scores.score import Score
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
    >>> from standfast.rivals import level_set
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
