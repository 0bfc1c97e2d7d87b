"""Labels as a draft reads them: who turned out favourably."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.values import described


def marks_of(labels: Any, favourable: object, people: pd.Index) -> NDArray[np.float64] | None:
    """+1 for everybody with the favourable label (or one of several) and −1 for everybody else.

    None if nothing is said about labels.
    """
    if labels is None and favourable is None:
        return None
    if labels is None or favourable is None:
        found, lacking = ("favourable", "labels") if labels is None else ("labels", "favourable")
        raise InputError(f"{found} is given without {lacking}; give both, or neither")
    if isinstance(labels, pd.Series) and not labels.index.equals(people):
        raise InputError("the labels must have the table's own index; align them with the table")
    column = pd.Series(labels if isinstance(labels, pd.Series) else list(labels))
    if len(column) != len(people):
        raise InputError(f"there are {len(column):,} labels for {len(people):,} rows; give as many")
    missing = int(column.isna().sum())
    if missing:
        raise InputError(f"{missing:,} of {len(column):,} labels are missing; leave these rows out")
    wanted = favourable if isinstance(favourable, list | tuple | set | frozenset) else [favourable]
    good = column.isin(list(wanted)).to_numpy()
    if good.all() or not good.any():
        held = column.unique().tolist()
        raise InputError(
            f"the favourable label is {described(favourable)}, but the labels hold "
            f"{listing(held)}; "
            + ("name one of them" if len(held) > 1 else "there must be at least two different ones")
        )
    return np.where(good, 1.0, -1.0)
