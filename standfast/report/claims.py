"""The paper's claims, one row per claim and scene: measured, judged, and by which rule."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from standfast.report.scenes import where
from standfast.report.sentences import FAILS, HOLDS, UNDECIDED
from standfast.report.sortable import Column, interval, sort_key
from standfast.report.wording import floats, number

SIGNS = {HOLDS: "✓", FAILS: "✕", UNDECIDED: "?"}
_ORDER = {HOLDS: 0, FAILS: 1, UNDECIDED: 2}
_VALUE = Column("value", "Value", "number", ("lower", "upper"))


@dataclass(frozen=True)
class Claim:
    """One claim in one scene."""

    name: str
    statement: str
    scene: str
    measured: str
    value: str
    interval: str
    sort: str
    n: str
    sort_n: str
    verdict: str
    sign: str
    kind: str
    order: int
    rule: str


def claim_rows(table: pd.DataFrame) -> Sequence[Claim]:
    """The table of claims as the page shows it, in its own order."""
    sizes, counts = floats(table["value"]), floats(table["n"])
    return [
        Claim(
            name=str(row["claim"]),
            statement=str(row["statement"]),
            scene=where(row["data"], row["reference"]),
            measured=str(row["measured"]),
            value=number(float(size)),
            interval=interval(row, _VALUE),
            sort=sort_key(float(size)),
            n=number(float(n)),
            sort_n=sort_key(float(n)),
            verdict=str(row["verdict"]),
            sign=SIGNS.get(str(row["verdict"]), "?"),
            kind=str(row["verdict"]).replace(" ", "-"),
            order=_ORDER.get(str(row["verdict"]), 3),
            rule=str(row["rule"]),
        )
        for row, size, n in zip(table.to_dict("records"), sizes, counts, strict=True)
    ]
