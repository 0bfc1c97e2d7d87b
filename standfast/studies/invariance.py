"""The price of invariance: unanimous advice beside the reference's cheapest, and who binds."""

from collections import Counter

import numpy as np
import pandas as pd

from standfast.studies.advice import Judged


def invariance(judged: Judged) -> dict[str, pd.DataFrame]:
    """The tidy tables `invariance` and `binding`; none where either search could not be made."""
    both = [judged.recommendations.get(method) for method in ("minimal cost", "unanimous")]
    if both[0] is None or both[1] is None:
        return {}
    alone, unanimous = both[0], both[1]
    data, reference = judged.scene.name
    a, b = (recs.cost.where(recs.found).to_numpy(dtype=float) for recs in (alone, unanimous))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(a > 0, b / a, np.nan)
    price = pd.DataFrame(
        {
            "data": data,
            "reference": reference,
            "person": judged.labels,
            "alone": a,
            "unanimous": b,
            "ratio": ratio,
            "outcome": unanimous.outcome.to_numpy(),
            "lower_bound": unanimous.results["lower_bound"].to_numpy(),
        }
    )
    found, names = unanimous.results["binding"][unanimous.found], unanimous.provenance.names
    times = Counter(names[m] for models in found for m in models)
    n = len(found)
    rows = [
        {
            "data": data,
            "reference": reference,
            "rival": name,
            "times": count,
            "n": n,
            "share": count / n,
        }
        for name, count in times.most_common()
    ]
    columns = ["data", "reference", "rival", "times", "n", "share"]
    return {"invariance": price, "binding": pd.DataFrame(rows, columns=columns)}
