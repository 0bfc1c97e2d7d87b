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
    none = int(_number(row, "infeasible"))
    if none:
        decided = int(_number(row, "decided"))
        said.append(
            f"for {none} there is none, {decided} of them because one tree decides on what cannot "
            "change"
        )
    if np.isfinite(_number(row, "transfer")):
        said.append(
            f"of the advice that all members of the grids accept it keeps "
            f"{share(_number(row, 'transfer'))}"
        )
    return f"{'; '.join(said)}."


def _number(row: dict[Any, Any], name: str) -> float:
    return float(numbers(pd.Series([row[name]]))[0])
