"""Repair: what people already advised must still do when a rival breaks their advice."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.advised import advised_points
from standfast.evaluation.rivals import check, judged
from standfast.methods import MinimalCost, recommend
from standfast.recommendations import Recommendations
from standfast.scores import Score


@dataclass(frozen=True)
class Repairs:
    """One row per person: whether the rival keeps the advice, and the cheapest repair if not.

    `from_advice` is the cheapest change that pleases the rival from x̃, where the advice had sent
    them; `from_start` the cheapest from x, for those who have not moved yet (0 where the rival
    accepts them as they are). Each has its lower bound and outcome beside it: they agree where
    proven. `summary` counts kept, broken, repaired and beyond repair, with means over their counts.
    """

    people: pd.DataFrame
    summary: pd.Series

    def __repr__(self) -> str:
        told = self.summary
        return (
            f"<Repairs: n_E = {told['n_E']:.0f}, {told['broken']:.0f} broken: mean repair "
            f"{told['mean_from_advice']:.4g} from the advice, {told['mean_from_start']:.4g} from "
            "the start>"
        )


def repair(
    recommendations: Recommendations,
    rival: Score,
    method: MinimalCost,
    *,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Repairs:
    """The cheapest repair of every recommendation that a rival breaks, by the exact search.

    The rival replaces the model the advice was made under, so it alone must be pleased.
    """
    found, X, Y = advised_points(recommendations)
    if recommendations.schema.names != method.schema.names:
        raise InputError(
            "the recommendations and the method were made with other inputs; use one schema"
        )
    check(rival, "the rival", Y.shape[1])
    _, kept = judged(rival, Y, "the rival")
    index = recommendations.index
    table = pd.DataFrame({"outcome": recommendations.outcome, "advised": found}, index=index)
    table["kept"] = pd.Series(kept, index=index[found], dtype="boolean").reindex(index)
    table["advice"] = recommendations.cost.where(found)
    broken = index[found][~kept]
    for name, points in (("from_advice", Y[~kept]), ("from_start", X[~kept])):
        for what, empty in (("", np.nan), ("_lower", np.nan), ("_outcome", "")):
            table[name + what] = empty
        if not len(broken):
            continue
        start = method.schema.table(points, broken)
        mended = recommend(method, rival, start, jobs=jobs, time_limit=time_limit)
        # proven hopeless costs infinitely much; a search that ended without an answer is unknown
        cost = mended.cost.mask(mended.outcome == "infeasible", np.inf)
        table.loc[broken, name] = cost
        table.loc[broken, name + "_lower"] = mended.results["lower_bound"]
        table.loc[broken, name + "_outcome"] = mended.outcome
    return Repairs(table, _summary(table, int(found.sum()), len(broken)))


def _summary(table: pd.DataFrame, n: int, broken: int) -> pd.Series:
    told: dict[str, float] = {"n_E": n, "kept": n - broken, "broken": broken}
    for name in ("from_advice", "from_start"):
        cost = table[name]
        mended = cost[np.isfinite(cost)]
        told[f"n_{name}"] = len(mended)
        told[f"mean_{name}"] = float(mended.mean()) if len(mended) else np.nan
        told[f"beyond_{name}"] = int(np.isinf(cost).sum())
        told[f"unknown_{name}"] = int((table[name + "_outcome"] != "").sum()) - int(
            cost.notna().sum()
        )
    told["extra_per_advised"] = float(
        table["from_advice"][np.isfinite(table["from_advice"])].sum() / n
    )
    return pd.Series(told, name="repairs")
