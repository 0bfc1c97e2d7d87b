"""The paper's claims: how often each holds here, and every check with its number and verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from standfast.figures.reading import ordered
from standfast.figures.wording import enumerated
from standfast.report.scenes import where
from standfast.report.sortable import Sortable, sortable
from standfast.studies.names import FAILS, HOLDS, UNDECIDED

SIGNS = {HOLDS: "✓", FAILS: "✕", UNDECIDED: "?"}
_TALLY = {
    HOLDS: ("holds", "hold"),
    FAILS: ("does not hold", "do not hold"),
    UNDECIDED: ("is undecided", "are undecided"),
}


@dataclass(frozen=True)
class Claim:
    """What the paper says, the rules it is judged by, and its checks as a table.

    `signs` has a verdict and a sentence for each check, those that hold first.
    """

    name: str
    statement: str
    rules: Sequence[str]
    signs: Sequence[tuple[str, str]]
    table: Sortable

    @property
    def heading(self) -> str:
        """The name with a capital, unless it begins with a formula."""
        return f"{self.name[:1].upper()}{self.name[1:]}" if self.name[:2].isalpha() else self.name

    @property
    def tally(self) -> str:
        """How many checks hold, do not, or are undecided."""
        given = [verdict for verdict, _ in self.signs]
        return enumerated(
            [
                f"{given.count(verdict)} {one if given.count(verdict) == 1 else many}"
                for verdict, (one, many) in _TALLY.items()
                if verdict in given
            ]
        )


def claims(table: pd.DataFrame) -> list[Claim]:
    """The table of claims, claim by claim in its own order."""
    found = []
    for name, rows in table.groupby("claim", sort=False):
        scenes = [where(*scene) for scene in rows[["data", "reference"]].to_numpy()]
        shown = sortable("claims", rows.assign(reference=scenes))
        checks = [(row[-1].text, ": ".join(cell.text for cell in row[:3])) for row in shown.rows]
        places = {verdict: k for k, verdict in enumerate(ordered(rows["verdict"], SIGNS))}
        signs = sorted(checks, key=lambda check: places[check[0]])
        rules = list(dict.fromkeys(rows["rule"].astype(str)))
        found.append(Claim(str(name), str(rows["statement"].iloc[0]), rules, signs, shown))
    return found
