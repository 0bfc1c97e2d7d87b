"""Complete level sets in sentences: who can be promised anything, and what the grids miss."""

from typing import Any

import numpy as np
import pandas as pd

from standfast.figures.reading import numbers
from standfast.figures.wording import number
from standfast.report.scenes import Tables
from standfast.report.wording import people, share

TREES = "trees"


def ran(tables: Tables) -> bool:
    """Whether the study has complete level sets."""
    return len(tables["complete"]) > 0


def caption(table: pd.DataFrame) -> str:
    """One line per ε of the trees, and one for both sets."""
    return "\n".join(_line(row) for row in table.to_dict("records"))


def _line(row: dict[Any, Any]) -> str:
    asked, advised = int(_number(row, "people")), int(_number(row, "advised"))
    which = "tree" if row["set"] == TREES else "tree and every linear model"
    said = [
        f"At ε = {_number(row, 'epsilon'):g} every {which} accepts advice for {advised} of "
        f"{people(asked)}"
    ]
    if np.isfinite(_number(row, "cost")):
        said[0] += f" at a mean cost of {number(_number(row, 'cost'))}"
    if np.isfinite(_number(row, "grid_cost")):
        both = int(_number(row, "compared"))
        said[0] += f" ({_compared(row, both, advised)})"
    none = int(_number(row, "infeasible"))
    if none:
        decided = int(_number(row, "decided"))
        said.append(
            f"for {none} there is none, for {decided} of them because one tree decides on what "
            "cannot change"
        )
    left = asked - advised - none - int(_number(row, "accepted"))
    if left:
        said.append(f"for {left} the search did not end")
    if np.isfinite(_number(row, "transfer")):
        said.append(
            f"{share(_number(row, 'transfer'))} of the advice that all members of the grids "
            "accept is kept"
        )
    return f"{'; '.join(said)}."


def _compared(row: dict[Any, Any], both: int, advised: int) -> str:
    """What advice for the grids costs the same people, or those who have both."""
    grids = f"for all members of the grids {number(_number(row, 'grid_cost'))}"
    if both == advised:
        return grids
    own = number(_number(row, "own_cost"))
    return f"the {both} who have both: {own}, {grids}"


def _number(row: dict[Any, Any], name: str) -> float:
    return float(numbers(pd.Series([row[name]]))[0])
