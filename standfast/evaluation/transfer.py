"""Transfer: which recommendations a rival still accepts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.advised import Bools, Matrix, Vector, advised_points
from standfast.evaluation.intervals import share
from standfast.evaluation.rivals import judged, named
from standfast.recommendations import Recommendations
from standfast.rivals import LevelSet
from standfast.scores import Score, TreeLevelSet


@dataclass(frozen=True)
class Transfer:
    """What becomes of advice under each rival; one row per person, advised or not.

    `kept` (people × rivals) is True where the rival accepts x̃, False where the advice is broken and
    missing where there was none; `margins` are the rivals' scores g(x̃). `rivals` has for each rival
    n_E, how many it keeps and breaks, the transfer T, its interval and the mean margin; `people`
    has for each person the outcome and the share of rivals that accept.
    """

    kept: pd.DataFrame
    margins: pd.DataFrame
    rivals: pd.DataFrame
    people: pd.DataFrame
    confidence: float
    provenance: Mapping[str, Any]

    @property
    def mean(self) -> float:
        """The mean of T over all rivals, which is the mean share of rivals that keep an advice."""
        return float(self.people["share"].mean())

    @property
    def n(self) -> int:
        """n_E: how many people got a recommendation."""
        return int(self.people["advised"].sum())

    def to_frame(self) -> pd.DataFrame:
        """A long table, one row per person and rival: kept, margin."""
        kept, margins = self.kept.to_numpy(), self.margins.to_numpy()
        table = long_table(self.kept.index, list(self.kept.columns), kept, margins)
        return table.astype({"kept": "boolean"})

    def __repr__(self) -> str:
        T = self.rivals["transfer"]
        return (
            f"<Transfer: n_E = {self.n} of {len(self.people)} people, {len(T)} rivals: mean T "
            f"{self.mean:.3f}, least {T.min():.3f} ({T.idxmin()})>"
        )


def transfer(
    recommendations: Recommendations,
    level_set: LevelSet | TreeLevelSet | Mapping[str, Score] | Sequence[Score],
    *,
    confidence: float = 0.95,
) -> Transfer:
    """The share of recommendations each rival still accepts, and who is let down by how many.

    T(g) = mean of 1[g(x̃) > 0] over the n_E people who got a recommendation. As printed in the paper
    T lacks its sum and compares f(x̃) with g(x̃); f(x̃) > 0 for every recommendation. The interval is
    Clopper–Pearson's: people as independent draws, the rival fixed.

    A `TreeLevelSet` is one rival, which keeps what all of its trees accept; `people` then has the
    share of its trees that accept, counted exactly (or at least that; `share_upper` at most), so
    that `mean` is the mean of T over the complete level set.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    level_set : LevelSet, TreeLevelSet, mapping or sequence of Score
        The rivals, with names or without, such as a part of fresh models.
    confidence : float
        Of the intervals.

    Returns
    -------
    Transfer
        `kept`, `margins`, `rivals` and `people`, a table each; `mean`.

    Examples
    --------
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("income", "count"),))
    >>> people = pd.DataFrame({"income": [1, 2, 3, 4]})
    >>> f, g = sf.Linear([1.0], -2.5), sf.Linear([1.0], -3.5)
    >>> best = sf.MinimalCost(schema, sf.Percentiles.fit(people))
    >>> transfer(sf.recommend(best, f, people), {"stricter": g})
    <Transfer: n_E = 2 of 4 people, 1 rivals: mean T 0.000, least 0.000 (stricter)>
    """
    advised = advised_points(recommendations)
    whole = level_set if isinstance(level_set, TreeLevelSet) else None
    if isinstance(level_set, TreeLevelSet):
        level_set = {f"all {level_set.size} trees": level_set}
    rivals = named(level_set, recommendations.schema.names)
    margins, kept = verdicts(advised.Y, rivals)
    names, index = pd.Index(list(rivals), name="rival"), advised.index
    counted = kept.sum(axis=0), len(kept), margins.sum(axis=0)
    about = {"kept": kept.sum(axis=1), "share": kept.mean(axis=1)}
    if whole is not None:
        about["share"], about["share_upper"] = whole.shares(advised.Y).T
    by_person = advised.table(about | {"least_margin": margins.min(axis=1)})
    by_person.insert(2, "rivals", len(rivals))
    everybody = recommendations.index
    return Transfer(
        pd.DataFrame(kept, index, names, dtype="boolean").reindex(everybody),
        pd.DataFrame(margins, index, names).reindex(everybody),
        rival_table(list(rivals), *counted, confidence),
        by_person.astype({"kept": "Int64"}),
        confidence,
        {**recommendations.provenance, "rivals": {name: g.digest for name, g in rivals.items()}},
    )


def rival_table(
    names: Sequence[str], kept: NDArray[np.int64], n: int, margins: Vector, confidence: float
) -> pd.DataFrame:
    """For each rival how much of the advice of n people it keeps, and its mean margin."""
    transferred, low, high = share(kept, n, confidence)
    numbers = {
        "n_E": n,
        "kept": kept,
        "broken": n - kept,
        "transfer": transferred,
        "lower": low,
        "upper": high,
        "mean_margin": margins / n,
    }
    return pd.DataFrame(numbers, index=pd.Index(names, name="rival"))


def long_table(
    people: pd.Index, names: Sequence[str], kept: NDArray[Any], margins: Matrix
) -> pd.DataFrame:
    """A row for each person and rival: whether it keeps the advice, and its score."""
    return pd.DataFrame(
        {
            "person": np.repeat(people.to_numpy(), len(names)),
            "rival": np.tile(np.array(names, dtype=object), len(people)),
            "kept": kept.ravel(),
            "margin": margins.ravel(),
        }
    )


def verdicts(Y: Matrix, rivals: Mapping[str, Score]) -> tuple[Matrix, Bools]:
    """Points by rivals: every rival's score, and whether it accepts."""
    shape = len(Y), len(rivals)
    margins, kept = np.empty(shape), np.empty(shape, dtype=bool)
    for k, (name, rival) in enumerate(rivals.items() if len(Y) else ()):
        margins[:, k], kept[:, k] = judged(rival, Y, f"the rival '{name}'")
    return margins, kept
