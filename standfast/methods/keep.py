"""What people cannot change, or the only things they can: names of inputs, for all or for each."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema import Schema
from standfast.schema.values import described

Bools = NDArray[np.bool_]
# names for everybody, or each person's by their label in the table
Names = str | Collection[str]
Inputs = Names | Mapping[Any, Names | None] | pd.Series

BETWEEN = ";"  # names in one cell of a table


def kept_inputs(
    schema: Schema, people: pd.Index, keep: Inputs | None, only: Inputs | None
) -> Bools | None:
    """Which inputs (columns) each person (rows) leaves as they are; None if nobody was asked.

    `keep` names inputs that stay, `only` those that may change. What is immutable stays anyway.
    """
    if keep is not None and only is not None:
        raise InputError("give keep or only, not both: only names the inputs that are not kept")
    if keep is None and only is None:
        return None
    what, given = ("keep", keep) if only is None else ("only", only)
    kept: Bools
    if isinstance(given, Mapping | pd.Series):
        cells = _cells(people, given, what)
        named = np.array([_columns(schema, cell, what) for cell in cells])
        kept = named.reshape(len(people), len(schema))
        if only is not None:
            unnamed = np.array([cell is None for cell in cells], dtype=bool)
            kept = ~kept & ~unnamed[:, None]
    else:
        named = _columns(schema, given, what)
        kept = np.tile(named if only is None else ~named, (len(people), 1))
    shared = not isinstance(given, Mapping | pd.Series) and not schema.drift.any()
    if shared and len(kept) and not (schema.mutable & ~kept[0]).any():
        mutable = [f.name for f in schema if f.mutable]
        free = f"; leave one of {listing(mutable)} free" if mutable else ""
        raise InputError(f"{what} leaves no input that advice may change{free}")
    return kept & schema.mutable


def _cells(
    people: pd.Index, given: Mapping[Any, Names | None] | pd.Series, what: str
) -> list[Names | None]:
    """Each person's names; None where a table says nothing about them."""
    if isinstance(given, pd.Series) and given.index.equals(people):
        return [None if _empty(cell) else cell for cell in given]
    by_label = dict(given.items())
    strangers = [label for label in by_label if label not in people]
    if strangers:
        raise InputError(
            f"{what} names {listing(strangers, 3)}, who is not among the people; use the labels of "
            "the table's index"
        )
    return [None if _empty(cell := by_label.get(label)) else cell for label in people]


def _empty(cell: object) -> bool:
    return cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell))


def _columns(schema: Schema, cell: Names | None, what: str) -> Bools:
    """The inputs that a cell names: a collection, or one text with names between semicolons."""
    if isinstance(cell, str):
        cell = [name.strip() for name in cell.split(BETWEEN) if name.strip()]
    if cell is not None and not isinstance(cell, Collection):
        raise InputError(
            f"{what} is {described(cell)}; it must be a set of inputs such as {{'income'}}"
        )
    names = list(cell or ())
    unknown = [name for name in names if name not in schema.names]
    if unknown:
        raise InputError(
            f"{what} names {listing(unknown, 3)}, which is not an input; the schema has "
            f"{listing(schema.names)}"
        )
    return np.array([name in names for name in schema.names])
