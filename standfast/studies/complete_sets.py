"""Complete level sets: who has advice that every sparse tree accepts, and what the grids miss."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.intervals import share
from standfast.recommendations import Outcome, Recommendations
from standfast.scores import LinearLevelSet, Score, TreeLevelSet, Unanimous
from standfast.studies.advice import Judged
from standfast.studies.names import UNANIMOUS
from standfast.studies.scene import Scene
from standfast.studies.steps import Missing

EPSILONS = (0.0, 0.005, 0.01, 0.02, 0.05)
# both complete sets together are searched for few people, at one ε, in so many boxes each
BOTH_AT, BOTH_PEOPLE, BOTH_BOXES = 0.005, 10, 5_000
TREES, BOTH = "trees", "trees and linear"
WEIGHT = 30.0  # rough seconds of one scene


def complete(judged: Judged, missing: Missing) -> dict[str, pd.DataFrame]:
    """The tidy table `complete`: one row per ε for the set of trees, and one for both sets."""
    scene = judged.scene
    trees = TreeLevelSet.fit(scene.train, epsilon=0.0, balanced=scene.settings.balanced)
    rows = []
    for epsilon in EPSILONS:
        if epsilon >= trees.void_epsilon:  # the tree that refuses everybody is as good
            break
        level_set = trees.at(epsilon)
        recs = _advice(scene, TREES, level_set)
        about = {"set": TREES, "epsilon": epsilon, "trees": float(level_set.size.lower)}
        void = level_set.void(scene.people)["void"]
        rows.append(about | _row(judged, level_set, recs) | {"decided": int(void.sum())})
    with missing.tolerated(scene.name, "both complete level sets"):
        linear = LinearLevelSet.fit(scene.train, balanced=scene.settings.balanced)
        level_set = trees.at(BOTH_AT)
        both = Unanimous((level_set, linear), names=("every tree", "every linear model"))
        recs = _advice(scene, BOTH, both)
        about = {"set": BOTH, "epsilon": BOTH_AT, "trees": float(level_set.size.lower)}
        void = level_set.void(scene.people.iloc[:BOTH_PEOPLE])["void"]
        rows.append(about | _row(judged, both, recs) | {"decided": int(void.sum())})
    return {"complete": pd.DataFrame(rows)}


def _advice(scene: Scene, name: str, level_set: Score) -> Recommendations:
    """The cheapest advice that a set accepts as a whole, as a step."""
    whole = name == TREES
    exact = scene.exact if whole else replace(scene.exact, boxes=BOTH_BOXES)
    key = [scene.key, level_set.digest, exact.boxes, scene.labels]
    step = f"advice for all {name}, {level_set.digest[:8]}"
    count = None if whole else BOTH_PEOPLE
    return scene.recommended(step, key, lambda: (exact, level_set), WEIGHT / 6, count)


def _row(judged: Judged, level_set: Score, recs: Recommendations) -> dict[str, object]:
    """How the searches ended, what advice costs, and what the set says of the grids' advice."""
    ends = recs.outcome.value_counts()
    counts = {
        str(ending): int(ends.get(str(ending), 0))
        for ending in (Outcome.ALREADY_FAVOURABLE, Outcome.INFEASIBLE)
    }
    found = recs.found.to_numpy(dtype=bool)
    tried = judged.goals.get(UNANIMOUS)
    kept, n, grid_cost = 0, 0, float("nan")
    if tried is not None:
        there = tried.found[: len(recs)]
        n = int(there.sum())
        points = tried.points[: len(recs)][there]
        kept = int(level_set.accepts(points).sum()) if n else 0
        costs = judged.recommendations[UNANIMOUS].cost.to_numpy(dtype=float)[: len(recs)]
        grid_cost = _mean(costs[there])
    transferred, low, high = share(np.array([kept]), n)
    return {
        "people": len(recs),
        "accepted": counts[str(Outcome.ALREADY_FAVOURABLE)],
        "advised": int(found.sum()),
        "infeasible": counts[str(Outcome.INFEASIBLE)],
        "cost": _mean(recs.cost.to_numpy(dtype=float)[found]),
        "n": n,
        "grid_cost": grid_cost,
        "transfer": float(transferred[0]),
        "lower": float(low[0]),
        "upper": float(high[0]),
    }


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if values.size else float("nan")
