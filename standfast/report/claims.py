"""The paper's claims: how often each holds here, and every check with its number and verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from standfast.figures.reading import numbers
from standfast.figures.wording import enumerated, number
from standfast.report.scenes import where
from standfast.report.sentences import FAILS, HOLDS, UNDECIDED
from standfast.report.sortable import Column, interval, sort_key
from standfast.report.wording import whole

SIGNS = {HOLDS: "✓", FAILS: "✕", UNDECIDED: "?"}
_TALLY = {
    HOLDS: ("holds", "hold"),
    FAILS: ("does not hold", "do not hold"),
    UNDECIDED: ("is undecided", "are undecided"),
}
_VALUE = Column("value", "Value", "number", ("lower", "upper"))


@dataclass(frozen=True)
class Check:
    """One check of a claim: where, what was measured, and the verdict."""

    scene: str
    measured: str
    value: str
    interval: str
    sort: str
    n: str
    sort_n: str
    verdict: str

    @property
    def sign(self) -> str:
        """The verdict's sign."""
        return SIGNS.get(self.verdict, "?")

    @property
    def kind(self) -> str:
        """The verdict as the style sheet knows it."""
        return self.verdict.replace(" ", "-")

    @property
    def order(self) -> int:
        """The verdict's place when sorted."""
        return list(SIGNS).index(self.verdict) if self.verdict in SIGNS else len(SIGNS)


@dataclass(frozen=True)
class Claim:
    """What the paper says, the rules it is judged by, and its checks."""

    name: str
    statement: str
    rules: Sequence[str]
    checks: Sequence[Check]

    @property
    def heading(self) -> str:
        """The name with a capital, unless it begins with a formula."""
        return f"{self.name[:1].upper()}{self.name[1:]}" if self.name[:2].isalpha() else self.name

    @property
    def by_verdict(self) -> list[Check]:
        """The checks, those that hold first."""
        return sorted(self.checks, key=lambda check: check.order)

    @property
    def tally(self) -> str:
        """How many checks hold, do not, or are undecided."""
        given = [check.verdict for check in self.checks]
        return enumerated(
            [
                f"{given.count(verdict)} {one if given.count(verdict) == 1 else many}"
                for verdict, (one, many) in _TALLY.items()
                if verdict in given
            ]
        )


def claims(table: pd.DataFrame) -> list[Claim]:
    """The table of claims, claim by claim in its own order."""
    return [
        Claim(
            str(name),
            str(rows["statement"].iloc[0]),
            list(dict.fromkeys(rows["rule"].astype(str))),
            _checks(rows),
        )
        for name, rows in table.groupby("claim", sort=False)
    ]


def _checks(rows: pd.DataFrame) -> list[Check]:
    sizes, counts = numbers(rows["value"]), numbers(rows["n"])
    return [
        Check(
            scene=where(row["data"], row["reference"]),
            measured=str(row["measured"]),
            value=number(round(float(size), 12)),
            interval=interval(row, _VALUE),
            sort=sort_key(float(size)),
            n=whole(float(n)),
            sort_n=sort_key(float(n)),
            verdict=str(row["verdict"]),
        )
        for row, size, n in zip(rows.to_dict("records"), sizes, counts, strict=True)
    ]
