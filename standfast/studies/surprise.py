"""What a rival adds to the cost of advice, and how well the bounds predict it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from standfast import bounds
from standfast.errors import InputError
from standfast.evaluation import Surprise, surprise
from standfast.evaluation.intervals import Vector, mean
from standfast.readers import as_score
from standfast.rivals.encoding import encoded
from standfast.scores import Score
from standfast.studies import names
from standfast.studies.advice import Judged
from standfast.studies.scene import Scene
from standfast.studies.steps import Advance

WEIGHT = 15.0
UNUSUAL = 0.05  # share of good people whom the isolation forest finds unusual
COLUMNS = {
    "n_f": "answered_f",
    "cost_f": "mean_cost_f",
    "n_g": "answered_g",
    "cost_g": "mean_cost_g",
    "n_joint": "answered_joint",
    "cost_joint": "mean_cost_joint",
    "ratio": "mean_ratio",
    "n_ratio": "n_ratio",
    "published": "published",
    "impossible": "infeasible_joint",
    "unproven": "unproven_joint",
    "asked": "n_people",
    "outside": "outside_schema",
}
REPAIRS = {
    "advised": "n_E",
    "broken": "broken",
    "from_advice": "mean_from_advice",
    "from_start": "mean_from_start",
}


def worst_rivals(transfer: pd.DataFrame, method: str = names.MINIMAL) -> dict[str, str]:
    """Of each grid the rival that breaks most of the cheapest advice, by grid."""
    table = transfer[transfer["method"] == method].dropna(subset=["transfer"])
    worst = table.sort_values("transfer", kind="stable").drop_duplicates("grid").set_index("grid")
    return {str(grid): str(worst.loc[grid, "rival"]) for grid in table["grid"].unique()}


def measured(judged: Judged, grid: str, rival: str) -> dict[str, pd.DataFrame]:
    """The tidy tables `surprise`, `bounds` and `support_costs` of one rival, as a step."""
    scene = judged.scene

    def make(advance: Advance) -> dict[str, pd.DataFrame]:
        g = scene.rivals.rivals[scene.rivals.names.index(rival)]
        table = scene.test.table
        refused = ~(scene.accepted & g.accepts(scene.data.schema.matrix(table)))
        rows = scene.drawn(np.flatnonzero(refused), scene.settings.sizes.joint)
        people, labels = table.iloc[rows], scene.test.labels.iloc[rows]
        advance(1, 10)
        support, jobs = _support(scene), scene.settings.jobs
        found = surprise(scene.f, g, people, scene.exact, support=support, jobs=jobs)
        advance(9, 10)
        sparse, supported = found.advice(names.WITHOUT_SUPPORT), found.advice(names.WITH_SUPPORT)
        limits = pd.DataFrame(_bounds(scene, g, people, labels.to_numpy(), sparse))
        return {
            "surprise": _surprise(found).assign(rival=rival, grid=grid),
            "bounds": limits.assign(rival=rival),
            "support_costs": _support_costs(sparse, supported),
        }

    sizes = scene.settings.sizes
    inputs = [scene.rivals_key, rival, sizes.joint, sizes.boxes]
    return scene.steps.tables(scene.name, f"surprise, {grid}", inputs, make, WEIGHT)


def _support(scene: Scene) -> Score:
    """An isolation forest of good training people: above zero what it finds usual."""
    from sklearn.ensemble import IsolationForest

    schema, train = scene.data.schema, scene.train
    good = scene.f.accepts(schema.matrix(train.table)) & (train.labels == 1).to_numpy()
    shape = {"n_estimators": 50, "contamination": UNUSUAL}
    forest = encoded(IsolationForest(**shape, random_state=scene.settings.seed), schema)
    people = train.table[good]
    plain = all(feature.coder is None for feature in schema)
    return as_score(forest.fit(people * 1.0 if plain else people), schema, favourable=1)


def _surprise(found: Surprise) -> pd.DataFrame:
    """The mean costs with their counts, without and with data support, and what repairs cost."""
    summary = found.summary
    table = summary[list(COLUMNS.values())].set_axis(list(COLUMNS), axis=1)
    # everybody asked about: answered, proven impossible, not answered, or outside the schema
    known = summary["outside_schema"] + table["n_joint"] + table["impossible"]
    table["unanswered"] = summary["n_people"] - known
    repairs = pd.DataFrame({kind: own.summary for kind, own in found.repairs.items()}).T
    for name, column in REPAIRS.items():
        table[name] = repairs.get(column, pd.Series(dtype=float)).reindex(table.index)
    return table.fillna({"advised": 0, "broken": 0}).rename_axis("advice").reset_index()


def _bounds(
    scene: Scene, rival: Score, people: pd.DataFrame, y: Vector, costs: pd.DataFrame
) -> Iterator[dict[str, object]]:
    """Every bound of the mean cost with the exact one beside it, over people with an answer."""
    X = scene.data.schema.matrix(people)
    box = float(scene.data.schema.mutable.sum())  # the largest total shift: 1 per input that moves
    f, g = scene.f.score(X), rival.score(X)
    either, joint = (f <= 0) | (g <= 0), costs["cost_joint"].to_numpy(dtype=float)
    known = either & np.isfinite(joint)
    about: dict[str, Any] = {"alpha": np.nan, "gamma": np.nan, "note": ""}
    about |= {"exact": mean(joint[known]), "n": int(known.sum())}
    if known.any():
        yield _row(names.EXACT, about["exact"], about)
    else:
        yield _no_row(names.EXACT, "nobody has advice that both models accept")
    try:
        found = bounds.alpha_gamma([f, g], np.where(either, joint, 0.0), box=box)
        alpha, gamma = found.alpha, found.gamma
        about |= {"alpha": alpha, "gamma": gamma, "note": _note(found, about["n"])}
        ours = bounds.residual([f[known], g[known]], alpha, gamma)
        paper = bounds.published(f[known], g[known], y[known], alpha, gamma)
        totals = {
            names.TIGHTER: ours.total,
            names.SLACK: found.confident,
            names.PROPOSITION_2: paper.total,
        }
        yield from [_row(bound, total, about) for bound, total in totals.items()]
    except InputError as error:
        yield _no_row(names.TIGHTER, str(error))
    try:
        own = costs["cost_f"].to_numpy(dtype=float)
        found = bounds.alpha_gamma([f], np.where(f <= 0, own, 0.0), box=box, gammas=(1.0,))
        mine = (f <= 0) & np.isfinite(own)
        limit = bounds.single_model(f[mine], y[mine], found.alpha)
        about = {"alpha": found.alpha, "gamma": 1.0, "note": _note(found, int(mine.sum()))}
        about |= {"exact": float(own[mine].mean()), "n": int(mine.sum())}
        yield _row(names.LEMMA_1, limit.total, about)
    except InputError as error:
        yield _no_row(names.LEMMA_1, str(error))


def _note(found: bounds.AlphaGamma, n: int) -> str:
    """What is to be said of the constants; where costs are unknown, also whose the mean is."""
    if not found.counts["without an incumbent"]:
        return found.note
    return f"{found.note}; the mean cost is that of the other {n}"


def _row(bound: str, total: float, about: dict[str, Any]) -> dict[str, object]:
    tightness = about["exact"] / total if total > 0 else np.nan
    return {"bound": bound, "total": total, "tightness": tightness} | about


def _no_row(bound: str, why: str) -> dict[str, object]:
    empty = dict.fromkeys(("exact", "alpha", "gamma", "total", "tightness"), float("nan"))
    return {"bound": bound, "n": 0, "note": why} | empty


def _support_costs(sparse: pd.DataFrame, support: pd.DataFrame) -> pd.DataFrame:
    """c_S and c_D of people whom the reference refuses; missing where there is no answer."""
    refused = sparse["refused_f"]
    sparse, support = sparse[refused], support[refused]
    # supported advice is advice: it counts where the other search was cut short
    cheap, supported = np.fmin(sparse["cost_f"], support["cost_f"]), support["cost_f"]
    proven = [table["outcome_f"].isin(["minimal", "infeasible"]) for table in (sparse, support)]
    table = pd.DataFrame({"sparse": cheap, "supported": supported, "proven": proven[0] & proven[1]})
    with np.errstate(invalid="ignore"):
        table["ratio"] = (supported / cheap).where(cheap > 0)
    return table.assign(person=[str(label) for label in table.index])
