"""The ways to repair broken promises side by side: what each costs, risks and moves."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.errors import InputError, check_whole, type_of
from standfast.evaluation.intervals import share
from standfast.methods import MinimalCost
from standfast.percentiles import Percentiles
from standfast.promises.promise import Promises
from standfast.promises.repair.broken import broken_by
from standfast.promises.repair.frontier import judged_by
from standfast.promises.repair.honour import honour
from standfast.promises.repair.retrain import Retrained
from standfast.promises.repair.top_up import Start, TopUp, top_up
from standfast.scores import Score

MOST = 1000  # promises that an estimate tries
COLUMNS = (
    "way",
    "start",
    "under",
    "keep",
    "kept",
    "promises",
    "broken",
    "repaired",
    "share",
    "share_lower",
    "share_upper",
    "mean_cost",
    "cost_lower",
    "cost_upper",
    "impossible",
    "unknown",
    "mean_risk",
    "expected_bad",
    "people",
    "accepted_change",
    "newly_accepted",
    "newly_refused",
    "auc_change",
)


def compare_repairs(
    promises: Promises,
    f: Score | None,
    g: Score,
    percentiles: Percentiles,
    *,
    retrained: Retrained | Sequence[Retrained] = (),
    held_out: Dataset | None = None,
    on: Any = None,
    time_limit: float | None = None,
) -> pd.DataFrame:
    """What it would cost to make good the promises that g breaks: a row for each way.

    Ways: "top up" from the "advice" and from the "factual", under "g" or under "f and g" (left out
    where f is None); "honour"; "retrain" for each model given that was retrained for these
    promises, under the scheme that did it. Columns, empty where they say nothing about a way:

    - `keep`: the share that a retraining was asked for; `kept`: the share of all its promises that
      the model keeps;
    - `promises` judged, `broken` by g, `repaired`: broken ones that are made good; `share` of the
      broken that is, with its exact 95 % interval;
    - `mean_cost` to people over those repaired, the total percentile shift and 0.01 for each
      changed input, with its 95 % interval; 0 where nobody has to move;
    - `impossible`: share of the broken for which it is proven that nothing helps; `unknown`: for
      which the search ended first;
    - `mean_risk`: g's own 1 − p at the promised points of the exceptions, and `expected_bad`, the
      sum;
    - of the `people` held out: `accepted_change`, `newly_accepted`, `newly_refused` (shares) and
      `auc_change`, against the ordinary fit of the same estimator.

    >>> from standfast import Feature, Linear, Schema, recommend
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> f, g, q = Linear([-1.0], 1.5), Linear([-1.0], 0.5), Percentiles.fit(people)
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), q)
    >>> promised = Promises.of(recommend(best, f, people))
    >>> compare_repairs(promised, f, g, q)[["way", "start", "under", "repaired", "mean_cost"]]
          way    start    under  repaired  mean_cost
    0  top up   advice        g         2      0.260
    1  top up   advice  f and g         2      0.260
    2  top up  factual        g         2      0.635
    3  top up  factual  f and g         2      0.635
    4  honour                           2      0.000
    """
    broken = broken_by(g, promises, "g")
    exceptions = honour(promises, g, on=on).summary
    method = MinimalCost(promises.schema, percentiles)
    rows: list[dict[str, Any]] = []
    starts: tuple[Start, ...] = ("advice", "factual")
    for start in starts:
        for under, champion in (("g", None), ("f and g", f)):
            if under == "g" or f is not None:
                found = top_up(
                    promises, g, method, champion=champion, start=start, time_limit=time_limit
                )
                rows.append({"start": start, "under": under} | _topped_up(found))
    rows.append(
        {
            "way": "honour",
            "repaired": int(exceptions["exceptions"]),
            "mean_cost": 0.0,
            "mean_risk": exceptions["mean_risk"],
            "expected_bad": exceptions["expected_bad"],
        }
    )
    ways = _tidy(rows, len(promises), int(broken.sum()))
    several = isinstance(retrained, list | tuple)
    each: Any = retrained if several else [retrained]
    if not each:
        return ways
    return side_by_side(ways, compare_retrainings(each, promises, g, held_out=held_out))


def compare_retrainings(
    retrained: Sequence[Retrained],
    promises: Promises,
    g: Score,
    *,
    held_out: Dataset | None = None,
) -> pd.DataFrame:
    """The rows of `compare_repairs` about models that were retrained for these promises.

    `retrainings` gives a model for each share to keep, with an ordinary fit and one whose seed
    differs to compare with: one number alone would hide what keeping more costs.
    """
    broken = broken_by(g, promises, "g")
    rows = [_retrained(one, promises[broken].facts.index, held_out) for one in retrained]
    return _tidy(rows, len(promises), int(broken.sum()))


def side_by_side(*tables: pd.DataFrame) -> pd.DataFrame:
    """Tables of ways, one after another."""
    rows = [row for table in tables for row in table.to_dict("records")]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def compare_some_repairs(
    promises: Promises,
    f: Score | None,
    g: Score,
    percentiles: Percentiles,
    *,
    most: int = MOST,
    on: Any = None,
) -> pd.DataFrame:
    """`compare_repairs` of at most so many of the broken promises, taken at even distances.

    An estimate where they are very many. The columns `promises` and `broken` count those that were
    tried; without a broken promise the table is empty.
    """
    check_whole(most=most)
    broken = np.flatnonzero(broken_by(g, promises, "g") if len(promises) else ())
    if not len(broken):
        return pd.DataFrame(columns=list(COLUMNS))
    some = broken[np.linspace(0, len(broken) - 1, min(most, len(broken))).astype(np.intp)]
    return compare_repairs(promises[some], f, g, percentiles, on=on)


def _topped_up(found: TopUp) -> dict[str, Any]:
    s, n = found.summary, max(found.summary["broken"], 1)
    costs = {name: s[name] for name in ("mean_cost", "cost_lower", "cost_upper")}
    shares = {name: s[name] / n for name in ("impossible", "unknown")}
    return {"way": "top up", "repaired": int(s["repaired"])} | costs | shares


def _retrained(found: Retrained, broken: pd.Index, held_out: object) -> dict[str, Any]:
    if not isinstance(found, Retrained):
        raise InputError(f"retrained is {type_of(found)}; pass what retrain(...) gives")
    after = found.promises["after"]
    if not broken.isin(after.index).all():
        raise InputError(
            f"the model was retrained for {len(after)} promises, and some of these are others; "
            "retrain it for the same"
        )
    row = {"way": "retrain", "under": found.by, "keep": found.keep, "kept": found.kept}
    row |= {"repaired": int(after.loc[broken].sum()), "mean_cost": 0.0}
    judged = judged_by(found, held_out)
    if judged:
        row["accepted_change"] = judged["accepted"] - judged["accepted_before"]
        names = ("people", "newly_accepted", "newly_refused", "auc_change")
        row |= {name: judged[name] for name in names}
    return row


def _tidy(rows: list[dict[str, Any]], promises: int, broken: int) -> pd.DataFrame:
    bare = {"start": "", "under": "", "promises": promises, "broken": broken}
    table = pd.DataFrame([bare | row for row in rows], columns=list(COLUMNS))
    shares = [share(times, broken) for times in table["repaired"]]
    table[["share", "share_lower", "share_upper"]] = np.array(shares, dtype=np.float64)
    return table
