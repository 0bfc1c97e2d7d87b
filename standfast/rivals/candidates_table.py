"""The table of a level set's candidates: who is inside and why, and who stands for whom."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from standfast.rivals.candidates import REFERENCE, family, parameters
from standfast.rivals.judging import Judged
from standfast.rivals.reference import Reference
from standfast.rivals.risk import Tolerance, needed

COLUMNS = ("name", "family", "parameters", "risk", "accuracy", "auc", "inside", "why")
STANDS_FOR = "stands_for"


def judged_candidates(
    grid: Mapping[str, Any],
    model: Reference,
    found: Mapping[str, Judged],
    tolerance: Tolerance,
) -> pd.DataFrame:
    """One row for the reference and for each candidate, with its risk and why it is in or out."""
    own, kind = found[REFERENCE].quality.risk, family(model.estimator)
    rows = []
    for name, estimator in {REFERENCE: model.estimator, **grid}.items():
        q = found[name].quality
        inside = tolerance.admits(q.risk, own)
        why = "the reference itself" if name == REFERENCE else tolerance.compared(q.risk, own)
        if family(estimator) != kind:
            why += f"; another hypothesis class than the reference's {kind}"
        if found[name].complaints:
            why += f"; when fitted: {found[name].complaints[0]}"
        what = (name, family(estimator), parameters(estimator))
        rows.append((*what, *q, inside, why))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def nothing_inside(candidates: pd.DataFrame, epsilon: float) -> str:
    """What to say when no candidate is inside."""
    others = candidates.iloc[1:].sort_values("risk", kind="stable")
    own, risks = float(candidates["risk"].iloc[0]), others["risk"].tolist()
    return (
        f"no candidate is at most {epsilon:g} worse than the reference, whose risk is {own:.4f}; "
        f"an epsilon of {needed(risks[0], own)} would admit '{others['name'].iloc[0]}', one of "
        f"{needed(risks[-1], own)} all {len(others)}"
    )


def rivals_among(
    candidates: pd.DataFrame, everyone: Sequence[str], places: Sequence[int]
) -> list[str]:
    """The names of the rivals; the table then says who stands for whom.

    `places` has for each of `everyone`, the reference and those inside, who stands for it.
    """
    counts = dict.fromkeys(candidates["name"], 0)
    why = dict(zip(candidates["name"], candidates["why"], strict=True))
    for name, place in zip(everyone, places, strict=True):
        other = everyone[place]
        counts[other] += 1
        if other != name:
            called = "the reference" if other == REFERENCE else f"'{other}'"
            why[name] += f"; practically the same as {called}, which stands for it"
    candidates["why"] = list(why.values())
    candidates[STANDS_FOR] = list(counts.values())
    return [name for name in everyone if counts[name] and name != REFERENCE]
