"""The semantics table of one person: what each method advises, doubtful values marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from standfast.figures.reading import ordered
from standfast.figures.wording import MISSING
from standfast.report.wording import exact, value
from standfast.studies.names import AMBIGUOUS, INCONSISTENT

SIGNS = {AMBIGUOUS: "†", INCONSISTENT: "‡"}
_NAMED = 5  # so many inputs are named in a note, more are counted


@dataclass(frozen=True)
class Value:
    """One value that a method advises, as shown."""

    text: str = MISSING
    exact: str = ""
    changed: bool = False
    mark: str = ""
    sign: str = ""
    why: str = ""


@dataclass(frozen=True)
class Note:
    """Why values are in doubt, and whose."""

    mark: str
    sign: str
    why: str
    where: str


@dataclass(frozen=True)
class Semantics:
    """Inputs down, methods across; the first column is where the person stands."""

    person: str
    methods: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[Value]]]  # label, feature, values
    notes: Sequence[Note]


def semantics(table: pd.DataFrame) -> Semantics | None:
    """The table of a scene's one person; nothing if the scene has none."""
    if table.empty:
        return None
    methods = ["", *(m for m in ordered(table["method"]) if m)]
    rows = []
    for feature, own in table.groupby("feature", sort=False):
        cells = {str(row["method"]): row for row in own.to_dict("records")}
        values = [_value(cells.get(method), cells.get("")) for method in methods]
        rows.append((str(own["label"].iloc[0]), str(feature), values))
    return Semantics(str(table["person"].iloc[0]), methods, rows, _notes(table, methods))


def _value(cell: Mapping[Any, Any] | None, own: Mapping[Any, Any] | None) -> Value:
    if cell is None or pd.isna(cell["value"]):
        return Value()
    given, mark = float(cell["value"]), str(cell["mark"])
    changed = own is not None and float(own["value"]) != given
    return Value(value(given), exact(given), changed, mark, SIGNS.get(mark, ""), str(cell["why"]))


def _notes(table: pd.DataFrame, methods: Sequence[str]) -> list[Note]:
    notes = []
    marked = table[table["mark"] != ""]
    for (mark, why), rows in marked.groupby(["mark", "why"], sort=False):
        inputs = {method: rows.loc[rows["method"] == method, "feature"] for method in methods}
        by = [
            f"{m or 'the person'}: {_few(list(found))}" for m, found in inputs.items() if len(found)
        ]
        notes.append(Note(str(mark), SIGNS.get(str(mark), "*"), str(why), "; ".join(by)))
    return notes


def _few(inputs: Sequence[object]) -> str:
    more = f" and {len(inputs) - _NAMED} more" if len(inputs) > _NAMED else ""
    return ", ".join(map(str, inputs[:_NAMED])) + more
