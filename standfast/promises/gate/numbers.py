"""Every number that a gate's conditions may ask for."""

import pandas as pd

from standfast.errors import InputError
from standfast.promises.gate.condition import Number
from standfast.promises.gate.swap import Swap
from standfast.promises.verdict import NAMES, Verdict


def numbers_of(
    table: pd.DataFrame,
    segments: pd.DataFrame | None,
    swap: Swap | None,
    repairs: pd.DataFrame | None,
    confidence: float,
) -> dict[str, Number]:
    """Every number that a condition may ask for."""
    kept, at_risk, broken = (table["verdict"] == verdict for verdict in Verdict)
    which = {
        **{"kept": kept, "at_risk": at_risk, "broken": broken},
        "undecided": at_risk & ~table["shown"],
        "unrepaired": broken & ~table["honoured"],
        "accepted": ~broken,
    }
    n = len(table)
    found = {name: Number.of_share(int(c.sum()), n, confidence) for name, c in which.items()}
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
        everybody = segments["promises"].to_numpy()
        count = (
            everybody - segments["broken"] if name == "accepted" else segments[name]
        ).to_numpy()
        good = name in ("kept", "accepted")
        i = int((count / everybody).argmin() if good else (count / everybody).argmax())
        number = Number.of_share(int(count[i]), int(everybody[i]), confidence)
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
