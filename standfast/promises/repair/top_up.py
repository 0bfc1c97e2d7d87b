"""Top up: the cheapest further change that makes a broken promise good."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from standfast.errors import InputError, type_of
from standfast.evaluation.intervals import bootstrap, share
from standfast.methods import MinimalCost, recommend
from standfast.promises.promise import Promises
from standfast.promises.repair.broken import broken_by, check_same_inputs
from standfast.recommendations import Outcome, Recommendations
from standfast.scores import Score, Unanimous
from standfast.scores.score import check_score

Start = Literal["advice", "factual"]


@dataclass(frozen=True, eq=False)
class TopUp:
    """What people whose promise is broken would still have to do.

    `recommendations` has a row per broken promise, labelled by its number: from where the top-up
    starts to where it leads. `people` has beside outcome, cost and lower bound the subject, what
    the whole way from the factual costs (`whole_cost`), and whether the schema admits it as one
    move (`direct`). `summary` counts, with the mean cost over those repaired and its 95 %
    interval. `promises` is how many were judged.
    """

    recommendations: Recommendations | None
    people: pd.DataFrame
    summary: "pd.Series[float]"

    @property
    def sentence(self) -> str:
        """What came of it, in words."""
        s = self.summary
        if not s["broken"]:
            return f"The model keeps all {s['promises']:.0f} promises: there is nothing to top up."
        return (
            f"Of {s['promises']:.0f} promises {s['broken']:.0f} are broken; {s['repaired']:.0f} "
            f"can be topped up at a mean cost of {s['mean_cost']:.3g}, for {s['impossible']:.0f} "
            f"it is proven that nothing helps, and for {s['unknown']:.0f} the search ended first."
        )

    def __repr__(self) -> str:
        return f"<TopUp: {self.sentence}>"


def top_up(
    promises: Promises,
    model: Score,
    method: MinimalCost,
    *,
    champion: Score | None = None,
    start: Start = "advice",
    time_limit: float | None = None,
    jobs: int = 1,
) -> TopUp:
    """The cheapest change that makes each promise good that the model breaks, with a proof.

    With the `champion`, the model that the promises were made under, both must accept, so that the
    same promise is not broken again should the champion stay after all.

    From the "advice": people have done what they were advised to do and stand at the point of the
    promise, which is now their own row. What the schema says of a person, it says of this row: what
    may not change stays, what may only fall falls no less than it did (nobody who was advised to go
    down is sent back up), and bounds, relations and rules hold as ever. Directions and bounds add
    up, so the way from the factual is within them, too. What does not add up (least moves,
    transitions between categories, coupled changes with a slack) is checked for the whole way:
    `direct` is False where the schema admits both steps but not the way as one.

    From the "factual": people have done nothing yet, and the model's cheapest advice replaces the
    old. Who is accepted by the model as they stand needs nothing; the cost is 0.

    >>> from standfast import Feature, Linear, Percentiles, Schema
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> promised = Promises.of(recommend(best, Linear([-1.0], 1.5), people))
    >>> found = top_up(promised, Linear([-1.0], 0.5), best)
    >>> found.recommendations.sentences().tolist()
    ['Lower late from 1 to 0.', 'Lower late from 1 to 0.']
    """
    broken = broken_by(model, promises)
    _check(promises, method, start)
    asked = model
    if champion is not None:
        check_score(champion, "the champion", len(promises.schema))
        asked = Unanimous((champion, model), names=("the champion", "the candidate"))
    left = promises[broken]
    if not broken.any():
        return TopUp(None, _table(left, left.point, None, method), _summary(promises, None))
    stand = left.point if start == "advice" else left.factual
    table = promises.schema.table(stand, left.facts.index)
    found = recommend(method, asked, table, time_limit=time_limit, jobs=jobs)
    return TopUp(found, _table(left, stand, found, method), _summary(promises, found))


def _check(promises: Promises, method: object, start: object) -> None:
    if not isinstance(method, MinimalCost):
        raise InputError(
            f"the method is {type_of(method)}; a repair is proven cheapest by MinimalCost(schema, "
            "percentiles)"
        )
    check_same_inputs(promises, method.schema, "the method")
    if start not in get_args(Start):
        raise InputError(f"start is {start!r}; allowed: {', '.join(get_args(Start))}")


def _table(
    left: Promises, stand: "np.ndarray", found: Recommendations | None, method: MinimalCost
) -> pd.DataFrame:
    """One row per broken promise."""
    table = pd.DataFrame({"subject": left.facts["subject"]})
    if found is None:
        names = ["cost", "lower_bound", "whole_cost"]
        return table.assign(outcome="", **dict.fromkeys(names, np.nan), direct=False)
    goal = found.matrices()[1]
    still = (found.outcome == Outcome.ALREADY_FAVOURABLE).to_numpy()
    goal[still] = stand[still]
    known = ~np.isnan(goal).any(axis=1)
    whole, direct = np.full(len(goal), np.nan), np.zeros(len(goal), dtype=bool)
    whole[known] = method.price(left.factual[known], goal[known])
    direct[known] = method.domain.admits(left.factual[known], goal[known])
    return table.assign(
        outcome=found.outcome,
        cost=found.cost,
        lower_bound=found.results["lower_bound"],
        whole_cost=whole,
        direct=direct,
    )


def _summary(promises: Promises, found: Recommendations | None) -> "pd.Series[float]":
    n = 0 if found is None else len(found)
    cost = np.empty(0) if found is None else found.cost.dropna().to_numpy()
    impossible = 0 if found is None else int((found.outcome == Outcome.INFEASIBLE).sum())
    mean, low, high = bootstrap(cost)
    proven, least, most = share(impossible, n)
    return pd.Series(
        {
            "promises": len(promises),
            "broken": n,
            "repaired": len(cost),
            "impossible": impossible,
            "unknown": n - len(cost) - impossible,
            "mean_cost": mean,
            "cost_lower": low,
            "cost_upper": high,
            "share_impossible": float(proven),
            "impossible_lower": float(least),
            "impossible_upper": float(most),
        },
        name="top up",
    )
