"""Repair: what people already advised must still do when a rival breaks their advice."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.advised import advised_points
from standfast.evaluation.intervals import mean
from standfast.evaluation.rivals import judged
from standfast.methods import MinimalCost, recommend
from standfast.recommendations import Recommendations
from standfast.scores import Score
from standfast.scores.score import check_score


@dataclass(frozen=True)
class Repairs:
    """One row per person: whether the rival keeps the advice, and the cheapest repair if not.

    `from_advice` is the cheapest change that the rival accepts from x̃, where the advice had sent
    them; `from_start` the cheapest from x, for those who have not moved yet (0 where the rival
    accepts them as they are). Each has its lower bound and outcome beside it: they agree where
    proven. `summary` counts kept, broken, repaired and beyond repair, with means over their counts.
    """

    people: pd.DataFrame
    summary: pd.Series

    def __repr__(self) -> str:
        return (
            "<Repairs: n_E = {n_E:.0f}, {broken:.0f} broken: mean repair {mean_from_advice:.4g} "
            "from the advice, {mean_from_start:.4g} from the start>"
        ).format_map(self.summary)


def repair(
    recommendations: Recommendations,
    rival: Score,
    method: MinimalCost,
    *,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Repairs:
    """The cheapest repair of every recommendation that a rival breaks, by the exact search.

    The rival replaces the model the advice was made under, so it alone must accept.
    """
    advised = advised_points(recommendations)
    if recommendations.schema.names != method.schema.names:
        raise InputError(
            "the recommendations and the method were made with different inputs; use one schema"
        )
    check_score(rival, "the rival", advised.Y.shape[1])
    _, kept = judged(rival, advised.Y, "the rival")
    table = advised.table({"kept": pd.array(kept)})
    table["advice"] = recommendations.cost.where(recommendations.found)
    broken = advised.index[~kept]
    for name, points in (("from_advice", advised.Y), ("from_start", advised.X)):
        table[[name, f"{name}_lower"]], table[f"{name}_outcome"] = np.nan, ""
        if not len(broken):
            continue
        start = method.schema.table(points[~kept], broken)
        found = recommend(method, rival, start, jobs=jobs, time_limit=time_limit)
        table.loc[broken, name] = known_cost(found)
        table.loc[broken, f"{name}_lower"] = found.results["lower_bound"]
        table.loc[broken, f"{name}_outcome"] = found.outcome
    return Repairs(table, _summary(table, len(kept), len(broken)))


def known_cost(found: Recommendations) -> "pd.Series[float]":
    """Everybody's cost: infinite where advice is proven impossible, missing where it is unknown."""
    return found.cost.mask(found.outcome == "infeasible", np.inf)


def _summary(table: pd.DataFrame, n: int, broken: int) -> "pd.Series[float]":
    row: dict[str, float] = {"n_E": n, "kept": n - broken, "broken": broken}
    for name in ("from_advice", "from_start"):
        cost = table[name]
        repaired = cost[np.isfinite(cost)]
        searched = int((table[f"{name}_outcome"] != "").sum())
        row[f"n_{name}"], row[f"mean_{name}"] = len(repaired), mean(repaired.to_numpy())
        row[f"beyond_{name}"] = int(np.isinf(cost).sum())
        row[f"unknown_{name}"] = searched - int(cost.notna().sum())
    extra = table["from_advice"]
    row["extra_per_advised"] = float(extra[np.isfinite(extra)].sum() / n)
    return pd.Series(row, name="repairs")
