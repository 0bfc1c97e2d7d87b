"""Gates of a simulated year: what each new model makes of the promises that are open."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from standfast.evaluation.rivals import judged
from standfast.methods import MinimalCost
from standfast.scores import Score
from standfast.studies.scene import Matrix, recommended


def through(
    issued: pd.DataFrame,
    points: Matrix,
    models: Sequence[Score],
    exact: MinimalCost,
    jobs: int = 1,
) -> pd.DataFrame:
    """Promises through the periods: one row for each when it is issued, and one per later model.

    `issued` says in which period each promise was made, by which method, to whom and at what cost;
    `points` where it sends them (missing without advice). A promise is kept where the model in
    force accepts the promised point. Beside that, everybody whom the model refuses where they last
    were sent is topped up: sent on by the cheapest change that this model accepts. `top_up` is its
    cost: 0 where none was needed, missing where the search found none.
    """
    advised = issued["cost"].notna().to_numpy()
    rows = [issued.assign(period=issued["issued"], kept=advised, top_up=0.0, proven=advised)]
    current, when = points.copy(), issued["issued"].to_numpy()
    for period, model in enumerate(models):
        still = np.flatnonzero(advised & (when < period))
        if not len(still):
            continue
        _, kept = judged(model, points[still], f"the model of period {period}")
        _, there = judged(model, current[still], f"the model of period {period}")
        top_up, proven = np.zeros(len(still)), np.ones(len(still), dtype=bool)
        refused = still[~there]
        if len(refused):
            asked = exact.schema.table(current[refused], pd.RangeIndex(len(refused)))
            recs = recommended(exact, model, asked, seed=0, jobs=jobs)
            top_up[~there] = recs.cost.where(recs.found).to_numpy()
            proven[~there] = (recs.outcome == "minimal").to_numpy()
            moved = recs.found.to_numpy()
            current[refused[moved]] = recs.matrices()[1][moved]
        said = issued.iloc[still].assign(period=period, kept=kept, top_up=top_up, proven=proven)
        rows.append(said)
    return pd.concat(rows, ignore_index=True)
