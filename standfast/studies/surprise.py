"""What a rival adds to the cost of advice, and how well the bounds foretell it."""

import numpy as np
import pandas as pd

from standfast import bounds
from standfast.errors import InputError
from standfast.evaluation import surprise
from standfast.methods import MinimalCost
from standfast.scores import Score
from standfast.studies.advice import Judged
from standfast.studies.scene import Scene
from standfast.studies.steps import Tell

WEIGHT = 15.0
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
}


def worst_rivals(transfer: pd.DataFrame, method: str = "minimal cost") -> dict[str, str]:
    """Of each grid the rival that breaks most of the cheapest advice, by grid."""
    table = transfer[transfer["method"] == method]
    found = {}
    for grid, rows in table.groupby("grid", sort=False):
        if len(rows) and rows["transfer"].notna().any():
            found[str(grid)] = str(rows.sort_values("transfer", kind="stable")["rival"].iloc[0])
    return found


def measured(judged: Judged, grid: str, rival: str) -> dict[str, pd.DataFrame]:
    """The tidy tables `surprise`, `bounds` and `support_costs` of one rival, as a step."""
    scene = judged.scene

    def make(tell: Tell) -> dict[str, pd.DataFrame]:
        g = scene.rivals.rivals[scene.rivals.names.index(rival)]
        return _measured(scene, grid, rival, g, tell)

    sizes = scene.settings.sizes
    inputs = [scene.rivals_key, rival, sizes.joint, sizes.boxes]
    return scene.steps.tables(scene.name, f"surprise, {grid}", inputs, make, WEIGHT)


def _measured(scene: Scene, grid: str, rival: str, g: Score, tell: Tell) -> dict[str, pd.DataFrame]:
    people, labels = scene.either_refused(g)
    method = MinimalCost(scene.data.schema, scene.percentiles, boxes=scene.settings.sizes.boxes)
    tell(1, 10)
    found = surprise(scene.f, g, people, method, support=scene.support, jobs=scene.settings.jobs)
    tell(9, 10)
    data, reference = scene.name
    rows = []
    for camp, told in found.summary.iterrows():
        row = {name: told[column] for name, column in COLUMNS.items()}
        repairs = found.repairs.get(str(camp))
        mended = repairs.summary.to_dict() if repairs is not None else {}
        row |= {
            "advised": mended.get("n_E", 0),
            "broken": mended.get("broken", 0),
            "from_advice": mended.get("mean_from_advice", np.nan),
            "from_start": mended.get("mean_from_start", np.nan),
        }
        # everybody asked about: answered, proven impossible, not answered, or outside the schema
        asked, outside = int(told["n_people"]), int(told["outside_schema"])
        known = int(told["answered_joint"] + told["infeasible_joint"])
        row |= {"asked": asked, "outside": outside, "unanswered": asked - outside - known}
        about = {"data": data, "reference": reference, "camp": str(camp)}
        rows.append(about | {"rival": rival, "grid": grid} | row)
    sparse = found.camp("sparse")
    X = scene.data.schema.matrix(people)
    limits = _bounds(scene.f.score(X), g.score(X), labels.to_numpy(), sparse, _largest(scene))
    named = {"data": data, "reference": reference, "rival": rival}
    return {
        "surprise": pd.DataFrame(rows),
        "bounds": pd.DataFrame(limits).assign(**named),
        "support_costs": _support_costs(scene, sparse, found.camp("support")),
    }


def _largest(scene: Scene) -> float:
    """The largest total shift there can be: 1 per input that may move."""
    return float(scene.data.schema.mutable.sum())


def _bounds(
    f: np.ndarray, g: np.ndarray, y: np.ndarray, costs: pd.DataFrame, box: float
) -> list[dict[str, object]]:
    """Every bound of the mean cost with the exact one beside it, over people with an answer."""
    rows: list[dict[str, object]] = []
    joint = costs["cost_joint"].to_numpy(dtype=float)
    rows += _tried("exact", lambda: _exact(joint, (f <= 0) | (g <= 0)))
    known = np.isfinite(joint) & ((f <= 0) | (g <= 0))
    exact = float(joint[known].mean()) if known.any() else float("nan")
    n = int(known.sum())

    def calibrated() -> list[dict[str, object]]:
        found = bounds.alpha_gamma([f, g], np.where((f <= 0) | (g <= 0), joint, 0.0), box=box)
        alpha, gamma = found.alpha, found.gamma
        ours = bounds.residual([f[known], g[known]], alpha, gamma)
        paper = bounds.published(f[known], g[known], y[known], alpha, gamma)
        about = {"exact": exact, "alpha": alpha, "gamma": gamma, "n": n, "note": found.note}
        return [
            _row("proposition 2'", ours.total, about),
            _row("proposition 2' + slack", found.confident, about),
            _row("proposition 2", paper.total, about),
        ]

    def alone() -> list[dict[str, object]]:
        own = costs["cost_f"].to_numpy(dtype=float)
        refused = f <= 0
        found = bounds.alpha_gamma([f], np.where(refused, own, 0.0), box=box, gammas=(1.0,))
        mine = refused & np.isfinite(own)
        limit = bounds.single_model(f[mine], y[mine], found.alpha)
        about = {"exact": float(own[mine].mean()), "alpha": found.alpha, "gamma": 1.0}
        return [_row("lemma 1", limit.total, about | {"n": int(mine.sum()), "note": found.note})]

    rows += _tried("proposition 2'", calibrated)
    rows += _tried("lemma 1", alone)
    return rows


def _exact(joint: np.ndarray, either: np.ndarray) -> list[dict[str, object]]:
    known = joint[either & np.isfinite(joint)]
    if not len(known):
        raise InputError("nobody has advice that both models accept")
    about = {"exact": float(known.mean()), "alpha": np.nan, "gamma": np.nan, "n": len(known)}
    return [_row("exact", float(known.mean()), about | {"note": ""})]


def _row(bound: str, total: float, about: dict[str, object]) -> dict[str, object]:
    exact = about["exact"]
    assert isinstance(exact, float)
    tightness = exact / total if total > 0 else np.nan
    return {"bound": bound, "total": total, "tightness": tightness} | about


def _tried(bound: str, make) -> list[dict[str, object]]:  # type: ignore[no-untyped-def]
    """The rows, or one that says why there are none."""
    try:
        rows: list[dict[str, object]] = make()
        return rows
    except InputError as error:
        empty = dict.fromkeys(("exact", "alpha", "gamma", "total", "tightness"), float("nan"))
        return [{"bound": bound, "n": 0, "note": str(error)} | empty]


def _support_costs(scene: Scene, sparse: pd.DataFrame, support: pd.DataFrame) -> pd.DataFrame:
    """c_S and c_D of people whom the reference refuses; missing where there is no answer."""
    refused = sparse["refused_f"].to_numpy(dtype=bool)
    cheap, supported = (t["cost_f"].to_numpy(dtype=float)[refused] for t in (sparse, support))
    cheap = np.fmin(cheap, supported)  # supported advice is advice: where a search was cut short
    proven = np.all(
        [t["outcome_f"].isin(["minimal", "infeasible"])[refused] for t in (sparse, support)],
        axis=0,
    )
    data, reference = scene.name
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(cheap > 0, supported / cheap, np.nan)
    return pd.DataFrame(
        {
            "data": data,
            "reference": reference,
            "person": [str(label) for label in sparse.index[refused]],
            "sparse": cheap,
            "supported": supported,
            "ratio": ratio,
            "proven": proven,
        }
    )
