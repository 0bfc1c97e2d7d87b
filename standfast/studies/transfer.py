"""How much advice each rival keeps: rival by rival along the grids, and on average."""

import numpy as np
import pandas as pd

from standfast.evaluation.intervals import clopper_pearson
from standfast.studies.advice import Judged
from standfast.studies.resampling import interval, mean

GROUPS = ("same class", "other class", "all")


def members(judged: Judged) -> pd.DataFrame:
    """The reference and every candidate, with the accuracy of those inside on held-out people."""
    scene = judged.scene
    rivals = scene.rivals
    X, favourable = scene.data.schema.matrix(scene.test.table), scene.test.labels.to_numpy() == 1
    accuracy = {
        name: float((score.accepts(X) == favourable).mean())
        for name, score in zip(
            ("reference", *rivals.names), (rivals.reference, *rivals.rivals), strict=True
        )
    }
    table = rivals.candidates
    places = {name: (grid, place) for name, (grid, place, _) in scene.candidates.items()}
    found = [places.get(name, ("reference", 0)) for name in table["name"]]
    data, reference = scene.name
    return pd.DataFrame(
        {
            "data": data,
            "reference": reference,
            "rival": table["name"],
            "grid": [grid for grid, _ in found],
            "position": [place for _, place in found],
            "parameters": table["parameters"],
            "risk": table["risk"],
            "auc": table["auc"],
            "test_accuracy": [accuracy.get(name, np.nan) for name in table["name"]],
            "inside": table["inside"],
            "why": table["why"],
        }
    )


def transfer(judged: Judged, models: pd.DataFrame) -> pd.DataFrame:
    """One row per method and rival: n_E, how many are kept, T and its interval."""
    data, reference = judged.scene.name
    inside = models[models["inside"] & (models["grid"] != "reference")]
    parts = []
    for method in judged.goals:
        kept = judged.kept[method]
        counts = kept.sum().to_numpy()
        n = len(kept)
        low, high = clopper_pearson(counts, n) if n else (np.nan, np.nan)
        parts.append(
            pd.DataFrame(
                {
                    "data": data,
                    "reference": reference,
                    "method": method,
                    "rival": list(kept.columns),
                    "grid": inside["grid"].to_numpy(),
                    "position": inside["position"].to_numpy(),
                    "same_class": (inside["grid"] == judged.scene.grid).to_numpy(),
                    "test_accuracy": inside["test_accuracy"].to_numpy(),
                    "n": n,
                    "kept": counts,
                    "transfer": counts / n if n else np.nan,
                    "lower": low,
                    "upper": high,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def means(judged: Judged, table: pd.DataFrame) -> pd.DataFrame:
    """Transfer averaged over groups of rivals, and beside C-CHVAE's for the same people.

    People are resampled; the rivals are what they are.
    """
    data, reference = judged.scene.name
    seed = judged.scene.settings.seed
    first = table[table["method"] == table["method"].iloc[0]]
    same = dict(zip(first["rival"], first["same_class"], strict=True))
    rows = []
    for group in GROUPS:
        names = [r for r, own in same.items() if group == "all" or own == (group == "same class")]
        if not names:
            continue
        shares = {m: judged.kept[m][names].mean(axis=1) for m in judged.goals}
        ours = shares.get("C-CHVAE", pd.Series(dtype=float))
        for method, share in shares.items():
            low, high = interval(share.to_numpy(), seed)
            both = share.index.intersection(ours.index)
            below = (ours[both] - share[both]).to_numpy()
            below_low, below_high = interval(below, seed)
            rows.append(
                {
                    "data": data,
                    "reference": reference,
                    "method": method,
                    "rivals": group,
                    "count": len(names),
                    "n": len(share),
                    "transfer": mean(share.to_numpy()),
                    "lower": low,
                    "upper": high,
                    "paired_n": len(both),
                    "below_cchvae": mean(below),
                    "below_lower": below_low,
                    "below_upper": below_high,
                }
            )
    return pd.DataFrame(rows)
