"""Repair: what to do about promises that a model breaks, and what each way costs.

Examples
--------
>>> import pandas as pd
>>> import standfast as sf
>>> from standfast.promises import Promises
>>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
>>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(people))
>>> promised = Promises.of(sf.recommend(best, sf.Linear([-1.0], 1.5), people))
>>> found = sf.repair.top_up(promised, sf.Linear([-1.0], 0.5), best)
>>> found.recommendations.sentences().tolist()
['Lower late from 1 to 0.', 'Lower late from 1 to 0.']
"""

from standfast.promises.repair.broken import broken_by
from standfast.promises.repair.compare import (
    compare_repairs,
    compare_retrainings,
    compare_some_repairs,
    side_by_side,
)
from standfast.promises.repair.frontier import retraining_frontier, retrainings, swap_set
from standfast.promises.repair.honour import Honoured, honour
from standfast.promises.repair.leaf_values import LeafValues
from standfast.promises.repair.linear_constraints import LinearConstraints
from standfast.promises.repair.promise_rows import AdaptiveWeights, PromiseRows
from standfast.promises.repair.retrain import Retrained, retrain
from standfast.promises.repair.task import Scheme
from standfast.promises.repair.top_up import TopUp, top_up

__all__ = [
    "AdaptiveWeights",
    "Honoured",
    "LeafValues",
    "LinearConstraints",
    "PromiseRows",
    "Retrained",
    "Scheme",
    "TopUp",
    "broken_by",
    "compare_repairs",
    "compare_retrainings",
    "compare_some_repairs",
    "honour",
    "retrain",
    "retraining_frontier",
    "retrainings",
    "side_by_side",
    "swap_set",
    "top_up",
]
