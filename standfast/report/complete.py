"""Complete level sets in sentences: who can be promised anything, and what the grids miss."""

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd

from standfast.figures.reading import numbers
from standfast.figures.wording import number
from standfast.report.wording import people, share

TABLES = ("complete",)
TREES = "trees"


def caption(table: pd.DataFrame) -> str:
    """One line per ε of the trees, and one for both sets."""
    measured = pd.DataFrame({str(name): numbers(table[name]) for name in table})
    rows = zip(table["set"], measured.to_dict("records"), strict=True)
    return "\n".join(_line(which, row) for which, row in rows)


def _line(which: str, row: Mapping[Hashable, float]) -> str:
    asked, advised, none = (int(row[name]) for name in ("people", "advised", "infeasible"))
    every = "tree" if which == TREES else "tree and every linear model"
    said = [
        f"At ε = {row['epsilon']:g} every {every} accepts advice for {advised} of {people(asked)}"
    ]
    if np.isfinite(row["cost"]):
        said[0] += f" at a mean cost of {number(row['cost'])}"
    if np.isfinite(row["grid_cost"]):
        said[0] += f" ({_compared(row)})"
    if none:
        said.append(
            f"for {none} there is none, for {row['decided']:.0f} of them because one tree decides "
            "on what cannot change"
        )
    left = asked - advised - none - int(row["accepted"])
    if left:
        said.append(f"for {left} the search did not end")
    if np.isfinite(row["transfer"]):
        kept = share(row["transfer"])
        said.append(f"{kept} of the advice that all members of the grids accept is kept")
    return f"{'; '.join(said)}."


def _compared(row: Mapping[Hashable, float]) -> str:
    """What advice for the grids costs the same people, or those who have both."""
    grids = f"for all members of the grids {number(row['grid_cost'])}"
    if row["compared"] == row["advised"]:
        return grids
    return f"the {row['compared']:.0f} who have both: {number(row['own_cost'])}, {grids}"
