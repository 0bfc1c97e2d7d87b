"""Multiplicity: how far equally good models disagree about the same people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.evaluation.advised import Bools, Matrix, Vector
from standfast.evaluation.rivals import Rivals, judged, named
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
    level_set: Rivals | Mapping[str, Score],
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
    counted = Disagreement.of(level_set, schema.names, reference)
    V = counted.add(X)
    accepted, verdicts = V[:, 0], V[:, 1:]
    about = pd.DataFrame(
        {
            "accepted": accepted,
            "rivals": verdicts.shape[1],
            "refusing": (~verdicts).sum(axis=1),
            "share_refusing": (~verdicts).mean(axis=1),
            "conflicts": (verdicts != accepted[:, None]).sum(axis=1),
        },
        index=people.index,
    )
    rivals = counted.table()
    worst = float(rivals["conflict"].max())
    return Multiplicity(counted.ambiguity, worst, rivals, about, counted.pairwise())


@dataclass(eq=False)
class Disagreement:
    """How a reference and its rivals judge people, counted block by block.

    `both` counts for each two models, the reference first, whom both accept; `either` and `apart`
    for each rival g whom f or g refuses, and Σ|f − g| over these.
    """

    reference: Score
    rivals: Mapping[str, Score]
    both: Matrix
    either: NDArray[np.int64]
    apart: Vector
    n: int = 0
    differing: int = 0

    @classmethod
    def of(
        cls,
        level_set: Rivals | Mapping[str, Score],
        inputs: Sequence[str],
        reference: Score | None,
    ) -> "Disagreement":
        """Nobody counted yet; a mapping needs the reference beside it."""
        rivals = named(level_set, inputs)
        if reference is None:
            if not isinstance(level_set, Rivals):
                raise InputError("a mapping names no reference; give reference=, the model in use")
            reference = level_set.reference
        check_score(reference, "the reference", len(inputs))
        k = len(rivals)
        both, either = np.zeros((k + 1, k + 1)), np.zeros(k, dtype=np.int64)
        return cls(reference, rivals, both, either, np.zeros(k))

    def add(self, X: Matrix) -> Bools:
        """Count some people; whom each model accepts, the reference first."""
        V = np.empty((len(X), len(self.rivals) + 1), dtype=bool)
        f, V[:, 0] = judged(self.reference, X, "the reference")
        for j, (name, rival) in enumerate(self.rivals.items()):
            g, V[:, j + 1] = judged(rival, X, f"the rival '{name}'")
            refused = ~V[:, 0] | ~V[:, j + 1]
            self.either[j] += refused.sum()
            self.apart[j] += np.abs(f - g)[refused].sum()
        self.n += len(X)
        self.both += V.T.astype(np.float64) @ V
        self.differing += int((V[:, 1:] != V[:, :1]).any(axis=1).sum())
        return V

    @property
    def ambiguity(self) -> float:
        """The share of people whom at least one rival judges differently."""
        return self.differing / self.n

    def table(self) -> pd.DataFrame:
        """Each rival's conflicts with the reference, and Δ(f, g)."""
        accepts = np.diag(self.both).astype(np.int64)
        joint = self.both[0, 1:].astype(np.int64)
        one_scale = [self.reference.probability == g.probability for g in self.rivals.values()]
        with np.errstate(invalid="ignore"):
            delta = np.where(one_scale, self.apart / self.either, np.nan)
        return pd.DataFrame(
            {
                "n": self.n,
                "refused": self.n - accepts[1:],
                "newly_refused": accepts[0] - joint,
                "newly_accepted": accepts[1:] - joint,
                "conflict": (accepts[0] + accepts[1:] - 2 * joint) / self.n,
                "n_A": self.either,
                "delta": delta,
                "one_scale": one_scale,
            },
            index=pd.Index(list(self.rivals), name="rival"),
        )

    def pairwise(self) -> pd.DataFrame:
        """The share of people on whom each two models disagree."""
        shares = np.diag(self.both) / self.n
        differing = shares[:, None] + shares[None, :] - 2 * self.both / self.n
        np.fill_diagonal(differing, 0.0)
        labels = pd.Index(["reference", *self.rivals], name="model")
        return pd.DataFrame(np.maximum(differing, 0.0), index=labels, columns=labels)
