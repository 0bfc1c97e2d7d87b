"""Whether advice makes sense, method by method, and whether sensible advice transfers better."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.evidence import Evidence, Marked
from standfast.evaluation.intervals import bootstrap_difference, mean
from standfast.evaluation.sense import summary
from standfast.studies.advice import Judged
from standfast.studies.names import FAILS, HOLDS, SENSIBLE, UNDECIDED

LEAST = 5  # people on either side, without whom nothing is decided

Bools = NDArray[np.bool_]


def sense(judged: Judged) -> dict[str, pd.DataFrame]:
    """The tidy tables `sense` and `sense_transfer`: what is odd about advice, and what is kept."""
    evidence = Evidence.of(judged.scene.train)
    counts, kept = [], []
    for method in judged.recommendations:
        goals = judged.goals[method]
        who = goals.found
        if not who.any():
            continue
        marked = evidence.marked(judged.X[who], goals.points[who])
        counts.append(_counts(marked).assign(method=method))
        shares = judged.kept[method].mean(axis=1).to_numpy()
        seed = judged.scene.settings.seed
        kept.append(_compared(shares, marked.groups, seed).assign(method=method))
    if not counts:
        return {}
    return {
        "sense": pd.concat(counts, ignore_index=True),
        "sense_transfer": pd.concat(kept, ignore_index=True),
    }


def _counts(marked: Marked) -> pd.DataFrame:
    changed = marked.moved.sum(axis=1)
    table = summary(marked).astype({"moves": float}).reset_index()
    return table.assign(all_moves=int(changed.sum()), changed=float(changed.mean()))


def _compared(shares: NDArray[np.float64], groups: Mapping[str, Bools], seed: int) -> pd.DataFrame:
    """How much is kept of advice with and without moves of each kind.

    A person counts once, with the share of rivals that keep their advice; people are resampled on
    either side, the rivals are what they are.
    """
    rows = []
    for kind, who in groups.items():
        if kind == SENSIBLE:
            continue
        odd, plain = shares[who], shares[~who]
        difference, low, high = bootstrap_difference(plain, odd, seed)
        decided = min(len(odd), len(plain)) >= LEAST
        verdict = HOLDS if low > 0 else FAILS if high < 0 else UNDECIDED
        rows.append(
            {
                "kind": kind,
                "n_with": len(odd),
                "kept_with": mean(odd),
                "n_without": len(plain),
                "kept_without": mean(plain),
                "difference": difference,
                "lower": low,
                "upper": high,
                "verdict": verdict if decided else UNDECIDED,
            }
        )
    return pd.DataFrame(rows)
