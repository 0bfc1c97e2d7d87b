"""Complete level sets: who has advice that every sparse tree accepts, and what the grids miss."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.intervals import mean, share
from standfast.recommendations import Outcome, Recommendations
from standfast.scores import LinearLevelSet, Score, TreeLevelSet, Unanimous
from standfast.studies.scene import Scene
from standfast.studies.steps import Missing

EPSILONS = (0.0, 0.005, 0.01, 0.02, 0.05)
# both complete sets together are searched for few people, in so many boxes each
BOTH_PEOPLE, BOTH_BOXES = 10, 1_000
TREES, BOTH = "trees", "trees and linear"
WEIGHT = 30.0  # rough seconds of one scene


def complete(
    scene: Scene, tried: Recommendations | None, missing: Missing
) -> dict[str, pd.DataFrame]:
    """The tidy table `complete`: a row per ε for all trees, and one for all linear models, too.

    `tried` is the advice that all members of the grids accept, where there is any.
    """
    trees = TreeLevelSet.fit(scene.train, epsilon=0.0, balanced=scene.settings.balanced)
    # from some ε on the tree that refuses everybody is a member
    sets = [trees.at(epsilon) for epsilon in EPSILONS if epsilon < trees.void_epsilon]
    rows = [_row(scene, TREES, trees_within, trees_within, tried) for trees_within in sets]
    with missing.tolerated(scene.name, "both complete level sets"):
        linear = LinearLevelSet.fit(scene.train, balanced=scene.settings.balanced)
        for trees_within in sets:
            both = Unanimous((trees_within, linear), names=("every tree", "every linear model"))
            rows.append(_row(scene, BOTH, both, trees_within, tried))
    return {"complete": pd.DataFrame(rows)}


def _row(
    scene: Scene, name: str, every: Score, trees: TreeLevelSet, tried: Recommendations | None
) -> dict[str, object]:
    """How the searches ended, what advice costs, and what the set says of the grids' advice."""
    recs = _advice(scene, name, every)
    ends, found = recs.outcome.value_counts(), recs.found.to_numpy(dtype=bool)
    void = trees.void(scene.people.iloc[: len(recs)])["void"]
    return {
        "set": name,
        "epsilon": trees.epsilon,
        "trees": float(trees.size.lower),
        "people": len(recs),
        "accepted": int(ends.get(str(Outcome.ALREADY_FAVOURABLE), 0)),
        "advised": int(found.sum()),
        "infeasible": int(ends.get(str(Outcome.INFEASIBLE), 0)),
        "decided": int(void.sum()),
        "cost": mean(_costs(recs)[found]),
    } | _beside(every, recs, tried)


def _beside(every: Score, recs: Recommendations, tried: Recommendations | None) -> dict[str, float]:
    """What the grids' advice costs those who have both, and how much of it the set accepts."""
    costs, points, there = np.empty(0), np.empty((0, 0)), np.zeros(len(recs), dtype=bool)
    if tried is not None:
        costs, points = _costs(tried)[: len(recs)], tried.matrices()[1][: len(recs)]
        there = ~np.isnan(points).any(axis=1)
    n, both = int(there.sum()), there & recs.found.to_numpy(dtype=bool)
    kept = int(every.accepts(points[there]).sum()) if n else 0
    share_kept, low, high = (float(value[0]) for value in share(np.array([kept]), n))
    return {
        "compared": int(both.sum()),
        "own_cost": mean(_costs(recs)[both]),
        "grid_cost": mean(costs[both]) if n else float("nan"),
        "n": n,
        "transfer": share_kept,
        "lower": low,
        "upper": high,
    }


def _advice(scene: Scene, name: str, every: Score) -> Recommendations:
    """The cheapest advice that a set accepts as a whole, as a step."""
    whole = name == TREES
    exact = scene.exact if whole else replace(scene.exact, boxes=BOTH_BOXES)
    key = [scene.key, every.digest, exact.boxes, scene.labels]
    step = f"advice for all {name}, {every.digest[:8]}"
    count = None if whole else BOTH_PEOPLE
    return scene.recommended(step, key, lambda: (exact, every), WEIGHT / 10, count)


def _costs(recs: Recommendations) -> NDArray[np.float64]:
    return recs.cost.to_numpy(dtype=np.float64)
