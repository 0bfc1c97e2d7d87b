"""Costs: what advice asks of people, in every measure and feature by feature."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.evaluation.advised import Matrix, Vector, advised_points
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations

MEASURES = ("total", "max", "log", "l0", "l1", "l2")
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Costs:
    """What advice costs: `people` a row each, `summary` one per measure, `features` one per input.

    total, max, log: percentile shifts. l0: how many inputs change; l1, l2: norms in standard
    deviations of the reference table. People without advice have no cost and stay in `people`; the
    distribution is over the n people who got advice. `features` says how many of them change each
    input, by how much, and what part of everybody's total shift it carries.
    """

    people: pd.DataFrame
    summary: pd.DataFrame
    features: pd.DataFrame

    @property
    def n(self) -> int:
        """How many people got advice."""
        return int(self.people["advised"].sum())

    def __repr__(self) -> str:
        total = self.summary.loc["total"]
        return (
            f"<Costs: n = {self.n}, total shift mean {total['mean']:.4g}, median "
            f"{total['50%']:.4g}>"
        )


def costs(recommendations: Recommendations, percentiles: Percentiles) -> Costs:
    """What each recommendation costs by every measure, with the distribution over people.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    percentiles : Percentiles
        The reference table.

    Returns
    -------
    Costs
        `people`, a row each; `summary`, one per measure; `features`, one per input.

    Examples
    --------
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("income", "count"),))
    >>> people = pd.DataFrame({"income": [1, 2, 3, 4]})
    >>> f = sf.Linear([1.0], -2.5)
    >>> q = sf.Percentiles.fit(people)
    >>> costs(sf.recommend(sf.MinimalCost(schema, q), f, people), q)
    <Costs: n = 2, total shift mean 0.375, median 0.375>
    """
    advised = advised_points(recommendations)
    X, Y, q = advised.X, advised.Y, percentiles.of(recommendations.schema)
    people = advised.table(measured(X, Y, q))
    summary = people.loc[advised.found, list(MEASURES)].describe(percentiles=list(QUANTILES)).T
    summary["std"] = people.loc[advised.found, list(MEASURES)].std(ddof=0)  # of all, not a sample
    summary = summary.rename(columns={"count": "n"}).astype({"n": "int64"}).rename_axis("cost")
    return Costs(people, summary, _features(X, Y, q, recommendations.schema.names))


def measured(X: Matrix, Y: Matrix, q: Percentiles) -> dict[str, Vector]:
    """Every measure of what it costs to go from each row of X to the same row of Y."""
    with np.errstate(invalid="ignore"):  # gaps
        moves = np.abs(Y - X) / q.scale
    # one unit for a change of category at the usual price, as in Gower's distance
    flat = q.priced(np.full(X.shape, np.nan), X, Y)
    moves = np.where(np.isnan(flat), moves, 2.0 * flat)
    values = (
        q.total(X, Y),
        q.maximal(X, Y),
        q.log(X, Y),
        (X != Y).sum(axis=1).astype(np.float64),
        moves.sum(axis=1),
        np.sqrt((moves**2).sum(axis=1)),
    )
    return dict(zip(MEASURES, values, strict=True))


def _features(X: Matrix, Y: Matrix, q: Percentiles, names: tuple[str, ...]) -> pd.DataFrame:
    flat = q.priced(np.full(X.shape, np.nan), X, Y)
    signed = np.where(np.isnan(flat), q.rank(Y) - q.rank(X), 0.0)  # a category has no direction
    shift, changed = q.shift(X, Y), X != Y
    times = changed.sum(axis=0)
    whole = shift.sum()
    return pd.DataFrame(
        {
            "n": len(X),
            "changed": times,
            "raised": ((Y > X) & np.isnan(flat)).sum(axis=0),
            "mean_shift": shift.mean(axis=0),
            "mean_shift_if_changed": np.where(
                times > 0, shift.sum(axis=0) / np.maximum(times, 1), np.nan
            ),
            "mean_signed_shift": signed.mean(axis=0),
            "contribution": shift.sum(axis=0) / whole if whole > 0 else np.zeros(len(names)),
        },
        index=pd.Index(names, name="feature"),
    )
