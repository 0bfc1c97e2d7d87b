"""Every number that a gate's conditions may ask for."""

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.promises.gate.condition import Number
from standfast.promises.gate.swap import Swap
from standfast.promises.gate.tally import NAMES, share_number
from standfast.promises.verdict import Verdict


def numbers_of(
    table: pd.DataFrame,
    segments: pd.DataFrame | None,
    swap: Swap | None,
    repairs: pd.DataFrame | None,
    confidence: float,
) -> dict[str, Number]:
    """Every number that a condition may ask for."""
    n, counts = len(table), np.bincount(table["verdict"], minlength=3)
    found = {name: share_number(int(counts[k]), n, confidence) for k, name in enumerate(NAMES)}
    undecided = int(((table["verdict"] == Verdict.AT_RISK) & ~table["shown"]).sum())
    found["undecided"] = share_number(undecided, n, confidence)
    unrepaired = int(((table["verdict"] == Verdict.BROKEN) & ~table["honoured"]).sum())
    found["unrepaired"] = share_number(unrepaired, n, confidence)
    found["accepted"] = share_number(int(counts[0] + counts[1]), n, confidence)
    found["promises"] = Number.exactly(float(n))
    if segments is not None:
        found |= _worst(segments, confidence)
    if swap is not None:
        found |= swap.numbers(confidence)
    if repairs is not None:
        found["repair_cost"] = Number.exactly(_least_cost(repairs))
    return found


def _worst(segments: pd.DataFrame, confidence: float) -> dict[str, Number]:
    """Each share in the segment where it is worst."""
    found = {}
    for name in (*NAMES, "accepted"):
        if not len(segments):
            found[f"worst_segment({name})"] = Number.exactly(float("nan"))
            continue
        good = name in ("kept", "accepted")
        rest = segments["promises"] - segments["broken"]
        count = rest if name == "accepted" else segments[name]
        rates = count / segments["promises"]
        i = int(rates.to_numpy().argmin() if good else rates.to_numpy().argmax())
        number = share_number(int(count.iloc[i]), int(segments["promises"].iloc[i]), confidence)
        found[f"worst_segment({name})"] = number
    return found


def _least_cost(repairs: pd.DataFrame) -> float:
    """The least mean cost of a top-up; not a number where there is none."""
    if not {"way", "mean_cost"} <= set(repairs.columns):
        raise InputError(
            "repairs needs the columns way and mean_cost; make the table with compare_repairs(…)"
        )
    costs = repairs.loc[repairs["way"].astype(str).str.startswith("top up"), "mean_cost"].dropna()
    return float(costs.min()) if len(costs) else float("nan")
