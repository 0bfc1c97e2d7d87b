"""Whether advice makes sense, method by method, and whether sensible advice transfers better."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.evidence import Evidence, Marked
from standfast.evaluation.intervals import bootstrap_difference, mean, share
from standfast.studies.advice import Judged
from standfast.studies.names import FAILS, HOLDS, PERVERSE, SENSIBLE, UNDECIDED

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
        groups = _groups(marked)
        counts.append(_counts(marked, groups).assign(method=method))
        shares = judged.kept[method].mean(axis=1).to_numpy()
        seed = judged.scene.settings.seed
        kept.append(_compared(shares, groups, seed).assign(method=method))
    if not counts:
        return {}
    return {
        "sense": pd.concat(counts, ignore_index=True),
        "sense_transfer": pd.concat(kept, ignore_index=True),
    }


def _groups(marked: Marked) -> dict[str, Bools]:
    """Who gets advice of each kind."""
    own = {kind: np.asarray(found.any(axis=1)) for kind, found in marked.kinds.items()}
    return own | {PERVERSE: marked.perverse, SENSIBLE: marked.sensible}


def _counts(marked: Marked, groups: Mapping[str, Bools]) -> pd.DataFrame:
    times, n = [int(who.sum()) for who in groups.values()], len(marked.moved)
    part, low, high = share(times, n)
    moves = {kind: float(found.sum()) for kind, found in marked.kinds.items()}
    return pd.DataFrame(
        {
            "kind": list(groups),
            "n": n,
            "people": times,
            "share": part,
            "lower": low,
            "upper": high,
            "moves": [moves.get(kind, np.nan) for kind in groups],
            "all_moves": int(marked.moved.sum()),
            "changed": float(marked.moved.sum(axis=1).mean()),
        }
    )


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
