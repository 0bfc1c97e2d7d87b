"""The semantics table of one person: who says what, doubtful values marked and explained."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from standfast.figures.reading import ordered
from standfast.figures.wording import MISSING
from standfast.report.wording import exact, value

SIGNS = {"ambiguous": "†", "inconsistent": "‡"}


@dataclass(frozen=True)
class Told:
    """One value that a person is told, as shown."""

    text: str
    exact: str
    changed: bool
    mark: str
    sign: str
    why: str


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
    rows: Sequence[tuple[str, str, Sequence[Told]]]  # label, feature, values
    notes: Sequence[Note]


def semantics(table: pd.DataFrame) -> Semantics | None:
    """The table of a scene's one person; nothing if the scene has none."""
    if table.empty:
        return None
    methods = ["", *(m for m in ordered(table["method"]) if m)]
    cells = {(row["method"], row["feature"]): row for row in table.to_dict("records")}
    labels = table.drop_duplicates("feature").set_index("feature")["label"]
    rows = [
        (str(label), str(feature), [_told(cells, method, feature) for method in methods])
        for feature, label in labels.items()
    ]
    return Semantics(str(table["person"].iloc[0]), methods, rows, _notes(table, methods))


def _told(
    cells: dict[tuple[str, object], dict[object, object]], method: str, feature: object
) -> Told:
    cell, own = cells.get((method, feature)), cells.get(("", feature))
    if cell is None or pd.isna(cell["value"]):  # type: ignore[call-overload]
        return Told(MISSING, "", False, "", "", "")
    given, mark = float(str(cell["value"])), str(cell["mark"])
    changed = own is not None and float(str(own["value"])) != given
    return Told(value(given), exact(given), changed, mark, SIGNS.get(mark, ""), str(cell["why"]))


def _few(names: "pd.Series[str]", most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def _notes(table: pd.DataFrame, methods: Sequence[str]) -> list[Note]:
    marked = table[table["mark"] != ""]
    notes = []
    for mark, why in dict.fromkeys(zip(marked["mark"], marked["why"], strict=True)):
        rows = marked[(marked["mark"] == mark) & (marked["why"] == why)]
        inputs = {method: rows[rows["method"] == method]["feature"] for method in methods}
        by = [
            f"{method or 'the person'}: {_few(names)}"
            for method, names in inputs.items()
            if len(names)
        ]
        notes.append(Note(str(mark), SIGNS.get(str(mark), "*"), str(why), "; ".join(by)))
    return notes
