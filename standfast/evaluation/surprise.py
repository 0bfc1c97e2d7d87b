"""Surprise: what a rival adds to the cost of advice, by exact search."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from standfast.errors import InputError, type_of
from standfast.evaluation.advised import Vector
from standfast.evaluation.intervals import mean
from standfast.evaluation.repair import Repairs, known_cost, repair
from standfast.methods import MinimalCost, recommend
from standfast.recommendations import Recommendations
from standfast.scores import Score, Unanimous
from standfast.scores.score import check_score

PROBLEMS = ("f", "g", "joint")
UNPROVEN = ("within_gap", "exhausted", "unsound")


@dataclass(frozen=True)
class Surprise:
    """c*(f), c*(g) and c*(f, g) person by person, without data support ("sparse") and with it.

    `people` has one row per kind of advice, "sparse" or "support", and person: for each problem the
    cost (∞ where proven impossible, missing where a limit struck before an answer), its lower bound
    and outcome; `ratio` = c*(f) / c*(f, g) for people whom f refuses, with `ratio_lower` and
    `ratio_upper` where a limit left gaps. `summary` has every mean with its count. `repairs` has
    for each kind what people advised under f pay when g breaks the advice.
    """

    people: pd.DataFrame
    summary: pd.DataFrame
    repairs: dict[str, Repairs]

    def advice(self, kind: str) -> pd.DataFrame:
        """The people under one kind of advice: "sparse" or "support"."""
        return pd.DataFrame(self.people.loc[kind])

    def __repr__(self) -> str:
        kinds = ", ".join(
            f"{kind}: mean ratio {row['mean_ratio']:.3f} (n = {row['n_ratio']:.0f}), published "
            f"{row['published']:.3f}"
            for kind, row in self.summary.iterrows()
        )
        return f"<Surprise: {kinds}>"


def surprise(
    f: Score,
    g: Score,
    people: pd.DataFrame,
    method: MinimalCost,
    *,
    support: Score | None = None,
    repairs: bool = True,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Surprise:
    """How much more advice costs when the rival g must accept it too, or takes over.

    The per-person ratio lies in [0, 1]: 0 where joint advice is impossible, 0/0 counts as 1,
    missing where f alone is impossible. The published s̄ = E_{H_f^-}[c*(f)] / E_A[c*(f, g)]
    (definition 4) averages over other people above than below and can exceed 1. Both are over
    people with an answer; the others are counted beside.

    Parameters
    ----------
    f, g : Score
        The reference and the rival.
    people : DataFrame
        One row per person.
    method : MinimalCost
        The exact search; without support, the "sparse" kind.
    support : Score, optional
        Adds the same with this score accepting too.
    repairs : bool
        Whether to count what people advised under f pay when g breaks the advice.
    jobs, time_limit : int, float, optional
        Threads, and seconds per person.

    Returns
    -------
    Surprise
        `people`, `summary` and `repairs`, a table each.

    Examples
    --------
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("income", "count"),))
    >>> people = pd.DataFrame({"income": [1, 2, 3, 4]})
    >>> f, g = sf.Linear([1.0], -2.5), sf.Linear([1.0], -3.5)
    >>> best = sf.MinimalCost(schema, sf.Percentiles.fit(people), per_change=0)  # the paper's cost
    >>> surprise(f, g, people, best)
    <Surprise: sparse: mean ratio 0.583 (n = 2), published 0.750>
    """
    if not isinstance(method, MinimalCost):
        raise InputError(
            f"the method is {type_of(method)}; surprise needs proven costs: give a "
            "MinimalCost(schema, percentiles)"
        )
    X = method.schema.matrix(people)
    for score, name in ((f, "the reference"), (g, "the rival")):
        check_score(score, name, X.shape[1])
    if f.accepts(X).all():
        raise InputError(
            f"the reference refuses none of the {len(X)} people, so there is no advice to "
            "compare; raise its threshold, train it with class_weight='balanced', or give "
            "people it refuses"
        )
    kinds = {"sparse": replace(method, support=None)}
    held = support if support is not None else method.support
    if held is not None:
        kinds["support"] = replace(method, support=held)
    tables, rows, repaired = {}, {}, {}
    for kind, search in kinds.items():
        found = {
            name: recommend(search, model, people, jobs=jobs, time_limit=time_limit)
            for name, model in zip(PROBLEMS, (f, g, Unanimous((f, g))), strict=True)
        }
        tables[kind] = _people(found)
        rows[kind] = _summary(tables[kind])
        if repairs and found["f"].found.any():
            repaired[kind] = repair(found["f"], g, search, jobs=jobs, time_limit=time_limit)
    label = people.index.name if people.index.name is not None else "person"
    whole = pd.concat(tables, names=["advice", label])
    summary = pd.DataFrame.from_dict(rows, orient="index").rename_axis("advice")
    return Surprise(whole, summary, repaired)


def _people(found: dict[str, Recommendations]) -> pd.DataFrame:
    table = pd.DataFrame(index=found["f"].index)
    for name in ("f", "g"):
        served = found[name].outcome.isin(["already_favourable", "outside_schema"])
        table[f"refused_{name}"] = ~served
    for name, recs in found.items():
        table[f"cost_{name}"] = known_cost(recs)
        impossible = recs.outcome == "infeasible"
        table[f"lower_{name}"] = recs.results["lower_bound"].mask(impossible, np.inf).fillna(0.0)
        table[f"outcome_{name}"] = recs.outcome
    # f accepts joint advice too: where a limit ended the search for f alone with something more
    # expensive, the joint advice is f's advice
    for name in ("f", "g"):
        cost = np.fmin(table[f"cost_{name}"], table["cost_joint"])
        table[f"cost_{name}"] = cost
        table[f"lower_{name}"] = np.fmin(table[f"lower_{name}"], cost)
    names = ("lower_f", "cost_f", "lower_joint", "cost_joint")
    low, high, joint_low, joint = (table[name].to_numpy(dtype=np.float64) for name in names)
    # without an incumbent a cost may be anything above its lower bound
    highest, joint_highest = (np.where(np.isnan(cost), np.inf, cost) for cost in (high, joint))
    upper = np.where(np.isinf(highest), 1.0, np.minimum(_ratio(highest, joint_low), 1.0))
    known = table["refused_f"].to_numpy(dtype=bool) & ~np.isinf(high)
    ratios = {"": _ratio(high, joint), "_lower": _ratio(low, joint_highest), "_upper": upper}
    for end, ratio in ratios.items():
        table[f"ratio{end}"] = np.where(known, ratio, np.nan)
    return table


def _ratio(above: Vector, below: Vector) -> Vector:
    """above / below with 0/0 = 1 and anything over ∞ = 0; missing where either is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((above == 0.0) & (below == 0.0), 1.0, above / below)
    return np.where(np.isinf(below) & ~np.isnan(above), 0.0, ratio)


def _summary(table: pd.DataFrame) -> dict[str, float]:
    refused_f = table["refused_f"].to_numpy(dtype=bool)
    refused_g = table["refused_g"].to_numpy(dtype=bool)
    either = refused_f | refused_g
    outside = int((table["outcome_f"] == "outside_schema").sum())
    row: dict[str, float] = {"n_people": len(table), "outside_schema": outside}
    for name, group in zip(PROBLEMS, (refused_f, refused_g, either), strict=True):
        own = table[group]
        answered = own[np.isfinite(own[f"cost_{name}"])]
        row[f"n_{name}"], row[f"answered_{name}"] = len(own), len(answered)
        row[f"infeasible_{name}"] = int(np.isinf(own[f"cost_{name}"]).sum())
        row[f"unproven_{name}"] = int(own[f"outcome_{name}"].isin(UNPROVEN).sum())
        for number in ("cost", "lower"):
            row[f"mean_{number}_{name}"] = mean(answered[f"{number}_{name}"].to_numpy())
    for name in ("ratio", "ratio_lower", "ratio_upper"):
        row[f"mean_{name}"] = mean(table[name].dropna().to_numpy())
    row["n_ratio"] = int(table["ratio"].notna().sum())
    row["n_ratio_bounds"] = int(table["ratio_lower"].notna().sum())
    # people without a joint answer cost infinitely much: they are left out above and below
    answered = np.isfinite(table["cost_joint"]) & np.isfinite(table["cost_f"])
    above, below = table[answered & refused_f], table[answered & either]
    for name, over, under in (
        ("published", "cost_f", "cost_joint"),
        ("published_lower", "lower_f", "cost_joint"),
        ("published_upper", "cost_f", "lower_joint"),
    ):
        top, bottom = mean(above[over].to_numpy()), mean(below[under].to_numpy())
        row[name] = float(_ratio(np.array(top), np.array(bottom)))
    row["n_published_above"], row["n_published_below"] = len(above), len(below)
    return row
