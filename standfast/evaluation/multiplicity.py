"""Multiplicity: how far equally good models disagree about the same people."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.advised import Bools, Matrix
from standfast.evaluation.rivals import judged, named
from standfast.rivals import LevelSet
from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.score import check_score


@dataclass(frozen=True)
class Multiplicity:
    """How the reference and its rivals judge the same n people.

    `ambiguity`: share of people whom at least one rival judges differently from the reference;
    `discrepancy`: the largest share a single rival judges differently (Marx et al. 2020). `rivals`
    has the conflicts of each rival and Δ(f, g) over the n_A people whom f or g refuses; `people`
    how many rivals refuse each person; `pairwise` the share of people on whom two models disagree.
    """

    ambiguity: float
    discrepancy: float
    rivals: pd.DataFrame
    people: pd.DataFrame
    pairwise: pd.DataFrame

    @property
    def n(self) -> int:
        """How many people were judged."""
        return len(self.people)

    def __repr__(self) -> str:
        return (
            f"<Multiplicity: {self.n} people, {len(self.rivals)} rivals: ambiguity "
            f"{self.ambiguity:.3f}, discrepancy {self.discrepancy:.3f}>"
        )


def multiplicity(
    level_set: LevelSet | Mapping[str, Score],
    people: pd.DataFrame,
    schema: Schema,
    *,
    reference: Score | None = None,
) -> Multiplicity:
    """How far the rivals of a level set disagree with the reference, and with each other.

    Δ(f, g) = E_A|f − g|, A = H_f^- ∪ H_g^-, on the score scale. It is missing where nobody is
    refused, and where one score is a probability margin and the other is not: they share no unit.

    Parameters
    ----------
    level_set : LevelSet or mapping of Score
        The rivals; a mapping needs the `reference` beside it.
    people, schema : DataFrame, Schema
        Whom the models judge, and what the columns mean.
    reference : Score, optional
        The model the rivals are compared with.

    Returns
    -------
    Multiplicity
        `ambiguity`, `discrepancy`; `rivals`, `people` and `pairwise`, a table each.

    Examples
    --------
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("income", "count"),))
    >>> people = pd.DataFrame({"income": [1, 2, 3, 4]})
    >>> f, g = sf.Linear([1.0], -2.5), sf.Linear([1.0], -3.5)
    >>> multiplicity({"stricter": g}, people, schema, reference=f)
    <Multiplicity: 4 people, 1 rivals: ambiguity 0.250, discrepancy 0.250>
    """
    X = schema.matrix(people)
    rivals = named(level_set, schema.names)
    reference = reference_among(level_set, reference, X.shape[1])
    found = Disagreement(reference, rivals)
    accepted, verdicts = np.split(found.count(X), [1], axis=1)
    about = pd.DataFrame(
        {
            "accepted": accepted[:, 0],
            "rivals": len(rivals),
            "refusing": (~verdicts).sum(axis=1),
            "share_refusing": (~verdicts).mean(axis=1),
            "conflicts": (verdicts != accepted).sum(axis=1),
        },
        index=people.index,
    )
    return Multiplicity(
        found.ambiguity, found.discrepancy, found.by_rival(), about, found.pairwise()
    )


def reference_among(
    level_set: LevelSet | Mapping[str, Score], reference: Score | None, width: int
) -> Score:
    """The model that the rivals are compared with: the one given, or the level set's own."""
    if reference is None:
        if not isinstance(level_set, LevelSet):
            raise InputError("a mapping names no reference; give reference=, the model in use")
        reference = level_set.reference
    check_score(reference, "the reference", width)
    return reference


class Disagreement:
    """How often a reference and its rivals judge alike, counted block by block of people."""

    def __init__(self, reference: Score, rivals: Mapping[str, Score]) -> None:
        self.reference, self.rivals, k = reference, rivals, len(rivals)
        self.n = self.differing = 0  # people, and those whom some rival judges differently
        self.both = np.zeros((k + 1, k + 1))  # whom two models accept, the reference first
        self.refused, self.apart = np.zeros(k, dtype=np.int64), np.zeros(k)  # n_A, and Σ_A |f − g|

    def count(self, X: Matrix) -> Bools:
        """Count these people; gives whom the reference accepts, and whom each rival does."""
        accepts = np.empty((len(X), len(self.both)), dtype=bool)
        f, accepts[:, 0] = judged(self.reference, X, "the reference")
        for j, (name, rival) in enumerate(self.rivals.items()):
            g, accepts[:, j + 1] = judged(rival, X, f"the rival '{name}'")
            refused = ~(accepts[:, 0] & accepts[:, j + 1])
            self.refused[j] += refused.sum()
            self.apart[j] += np.abs(f - g)[refused].sum()
        self.n += len(X)
        self.both += accepts.T.astype(np.float64) @ accepts
        self.differing += int((accepts != accepts[:, :1]).any(axis=1).sum())
        return accepts

    @property
    def ambiguity(self) -> float:
        """The share of people whom at least one rival judges differently."""
        return self.differing / self.n

    @property
    def discrepancy(self) -> float:
        """The largest share of people whom a single rival judges differently."""
        return float(self.by_rival()["conflict"].max())

    def by_rival(self) -> pd.DataFrame:
        """For each rival the people it judges differently, and Δ(f, g)."""
        accepts, joint = np.diag(self.both).astype(np.int64), self.both[0, 1:].astype(np.int64)
        one_scale = [self.reference.probability == g.probability for g in self.rivals.values()]
        with np.errstate(invalid="ignore"):
            delta = np.where(one_scale, self.apart / self.refused, np.nan)
        return pd.DataFrame(
            {
                "n": self.n,
                "refused": self.n - accepts[1:],
                "newly_refused": accepts[0] - joint,
                "newly_accepted": accepts[1:] - joint,
                "conflict": (accepts[0] + accepts[1:] - 2 * joint) / self.n,
                "n_A": self.refused,
                "delta": delta,
                "one_scale": one_scale,
            },
            index=pd.Index(list(self.rivals), name="rival"),
        )

    def pairwise(self) -> pd.DataFrame:
        """The share of people on whom each two models disagree."""
        shares = np.diag(self.both) / self.n
        differing = np.maximum(shares[:, None] + shares[None, :] - 2 * self.both / self.n, 0.0)
        np.fill_diagonal(differing, 0.0)
        labels = pd.Index(["reference", *self.rivals], name="model")
        return pd.DataFrame(differing, index=labels, columns=labels)
