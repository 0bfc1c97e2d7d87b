"""Multiplicity: how far equally good models disagree about the same people."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.advised import Bools, Vector
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
    rivals = named(level_set, schema.names)
    if reference is None:
        if not isinstance(level_set, Rivals):
            raise InputError("a mapping names no reference; give reference=, the model in use")
        reference = level_set.reference
    check_score(reference, "the reference", X.shape[1])
    f, accepted = judged(reference, X, "the reference")
    answers = {name: judged(g, X, f"the rival '{name}'") for name, g in rivals.items()}
    verdicts = np.column_stack([verdict for _, verdict in answers.values()])
    differs = verdicts != accepted[:, None]
    rows = [
        _rival(f, accepted, g, verdict, reference.probability == rivals[name].probability)
        for name, (g, verdict) in answers.items()
    ]
    names = pd.Index(list(rivals), name="rival")
    about = pd.DataFrame(
        {
            "accepted": accepted,
            "rivals": len(rivals),
            "refusing": (~verdicts).sum(axis=1),
            "share_refusing": (~verdicts).mean(axis=1),
            "conflicts": differs.sum(axis=1),
        },
        index=people.index,
    )
    return Multiplicity(
        float(differs.any(axis=1).mean()),
        float(differs.mean(axis=0).max()),
        pd.DataFrame(rows, index=names),
        about,
        _pairwise(np.column_stack([accepted, verdicts]), ["reference", *rivals]),
    )


def _rival(
    f: Vector, accepted: Bools, g: Vector, verdict: Bools, one_scale: bool
) -> dict[str, object]:
    refused = ~accepted | ~verdict
    delta = float(np.abs(f - g)[refused].mean()) if one_scale and refused.any() else np.nan
    return {
        "n": len(f),
        "refused": int((~verdict).sum()),
        "newly_refused": int((accepted & ~verdict).sum()),
        "newly_accepted": int((~accepted & verdict).sum()),
        "conflict": float((accepted != verdict).mean()),
        "n_A": int(refused.sum()),
        "delta": delta,
        "one_scale": one_scale,
    }


def _pairwise(verdicts: Bools, names: list[str]) -> pd.DataFrame:
    """Share of people on whom each two models disagree."""
    V = verdicts.astype(np.float64)
    shares = V.mean(axis=0)
    both = V.T @ V / len(V)
    differing = shares[:, None] + shares[None, :] - 2 * both
    np.fill_diagonal(differing, 0.0)
    labels = pd.Index(names, name="model")
    return pd.DataFrame(np.maximum(differing, 0.0), index=labels, columns=labels)
