"""How much advice each rival keeps, rival by rival and on average, and what unanimity costs."""

from collections import Counter

import numpy as np
import pandas as pd

from standfast.evaluation.intervals import bootstrap, share
from standfast.studies.advice import Judged
from standfast.studies.names import ALL, C_CHVAE, MINIMAL, OTHER, SAME, UNANIMOUS


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
    places = {name: (grid, place) for name, (grid, place, _) in scene.candidates.members.items()}
    found = [places.get(name, ("reference", 0)) for name in table["name"]]
    return table[["parameters", "risk", "auc", "inside", "why"]].assign(
        rival=table["name"],
        grid=[grid for grid, _ in found],
        position=[place for _, place in found],
        test_accuracy=table["name"].map(accuracy),
    )


def transfer(judged: Judged, models: pd.DataFrame) -> pd.DataFrame:
    """One row per method and rival: n_E, how many are kept, T and its interval."""
    inside = models[models["inside"] & (models["grid"] != "reference")]
    rivals = inside[["rival", "grid", "position", "test_accuracy"]]
    rivals = rivals.assign(same_class=inside["grid"] == judged.scene.grid)
    parts = []
    for method in judged.goals:
        kept = judged.kept[method]
        times, n = kept[list(rivals["rival"])].sum().to_numpy(), len(kept)
        transferred, low, high = share(times, n)
        numbers = rivals.assign(n=n, kept=times, transfer=transferred, lower=low, upper=high)
        parts.append(numbers.assign(method=method))
    return pd.concat(parts, ignore_index=True)


def means(judged: Judged, table: pd.DataFrame) -> pd.DataFrame:
    """Transfer averaged over groups of rivals, and beside C-CHVAE's for the same people.

    People are resampled; the rivals are what they are.
    """
    seed = judged.scene.settings.seed
    same = table.drop_duplicates("rival").set_index("rival")["same_class"]
    rows = []
    for group, mine in ((SAME, same), (OTHER, ~same), (ALL, same | True)):
        names = list(same.index[mine])
        if not names:
            continue
        shares = {m: judged.kept[m][names].mean(axis=1) for m in judged.goals}
        ours = shares.get(C_CHVAE, pd.Series(dtype=float))
        for method, kept in shares.items():
            transferred, low, high = bootstrap(kept.to_numpy(), seed)
            below = (ours - kept).reindex(kept.index).dropna().to_numpy()
            extra, below_low, below_high = bootstrap(below, seed)
            about = {"method": method, "rivals": group, "count": len(names), "n": len(kept)}
            about |= {"transfer": transferred, "lower": low, "upper": high}
            about |= {"paired_n": len(below), "below_cchvae": extra}
            rows.append(about | {"below_lower": below_low, "below_upper": below_high})
    return pd.DataFrame(rows)


def invariance(judged: Judged) -> dict[str, pd.DataFrame]:
    """The tidy tables `invariance` and `binding`: the price of unanimous advice, and who binds.

    There are none where either search could not be made.
    """
    alone, unanimous = (judged.recommendations.get(method) for method in (MINIMAL, UNANIMOUS))
    if alone is None or unanimous is None:
        return {}
    price = pd.DataFrame(
        {
            "alone": alone.cost.where(alone.found),
            "unanimous": unanimous.cost.where(unanimous.found),
            "outcome": unanimous.outcome,
            "lower_bound": unanimous.results["lower_bound"],
        }
    )
    cost = price["alone"].to_numpy(dtype=float)
    price["ratio"] = price["unanimous"] / np.where(cost > 0, cost, np.nan)
    found = unanimous.results["binding"][unanimous.found]
    names = unanimous.provenance.names
    times = Counter(names[m] for models in found for m in models)
    binding = pd.DataFrame(times.most_common(), columns=["rival", "times"])
    binding = binding.assign(n=len(found), share=binding["times"] / max(len(found), 1))
    return {"invariance": price.assign(person=judged.scene.labels), "binding": binding}
