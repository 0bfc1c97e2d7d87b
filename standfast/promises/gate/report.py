"""What a gate found: the verdict, each condition with its number, and everything behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.promises.gate.condition import Met, Number
from standfast.promises.gate.swap import Swap
from standfast.promises.verdict import NAMES, Verdict, counted


@dataclass(frozen=True, eq=False)
class GateReport:
    """One gate run: whether the candidate passes, and what it does to open promises.

    Parameters
    ----------
    on : Timestamp
        The day for which promises count as open.
    promises : DataFrame
        A row per promise, labelled by its number: `verdict` (a value of `Verdict`), `shown` (at
        risk, with a refused point as evidence), `void` (broken, and nothing of the box is
        accepted), `honoured` (by exception, whatever a model says), `method`, `certified`,
        `confidence`, `valid_until`.
    conditions, numbers : tuple, mapping
        What was required, judged one by one, and the numbers that conditions may ask for.
    inputs, methods, segments, certified, swap, repairs
        Tables of who is hit and what repair costs; None where nothing is known.
    causes : tuple of str
        Why the candidate is held back, in sentences.
    provenance, root : mapping, str
        What was judged, and the ledger's Merkle root after this run, empty without a ledger.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> from standfast.promises import Promises
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(people))
    >>> promised = Promises.of(sf.recommend(best, sf.Linear([-1.0], 1.5), people))
    >>> report = sf.gate(promised, sf.Linear([-1.0], 1.2), require="kept >= 0.98")
    >>> report.n, report.passed, report.kept
    (2, True, 1.0)
    """

    on: pd.Timestamp
    promises: pd.DataFrame
    conditions: tuple[Met, ...]
    numbers: Mapping[str, Number]
    inputs: pd.DataFrame
    methods: pd.DataFrame
    segments: pd.DataFrame | None
    certified: pd.DataFrame | None
    swap: Swap | None
    repairs: pd.DataFrame | None
    causes: tuple[str, ...]
    provenance: Mapping[str, Any]
    root: str = ""

    @property
    def passed(self) -> bool:
        """Whether every condition holds."""
        return all(met.holds for met in self.conditions)

    @property
    def n(self) -> int:
        """How many open promises were judged."""
        return len(self.promises)

    def count(self, verdict: Verdict) -> int:
        """How many promises got a verdict."""
        return int((self.promises["verdict"] == verdict).sum())

    @property
    def undecided(self) -> int:
        """How many promises are at risk only because nothing could be proven of them."""
        table = self.promises
        return int(((table["verdict"] == Verdict.AT_RISK) & ~table["shown"]).sum())

    @property
    def kept(self) -> float:
        """The share of promises kept in full; not a number without promises."""
        return self.numbers["kept"].value

    @property
    def at_risk(self) -> float:
        """The share of promises at risk."""
        return self.numbers["at_risk"].value

    @property
    def broken(self) -> float:
        """The share of promises broken."""
        return self.numbers["broken"].value

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        failed = sum(not met.holds for met in self.conditions)
        if not self.conditions:
            verdict = "No condition was set, so nothing holds the candidate back"
        elif failed:
            verdict = f"The candidate is held back: {failed} of {len(self.conditions)} conditions "
            verdict += "does not hold" if failed == 1 else "do not hold"
        else:
            verdict = "The candidate passes: every condition holds"
        if not self.n:
            return f"{verdict}. There are no open promises, so none can be broken."
        kept, risk, broken = (self.count(verdict) for verdict in Verdict)
        return (
            f"{verdict}. Of {self.n:,} open promise{'s' * (self.n != 1)}, {kept:,} are kept, "
            f"{risk:,} at risk and {broken:,} broken."
        )

    def expiring(self, most: int = 12) -> pd.DataFrame:
        """Month by month, the promises that end then: how many, and what becomes of them."""
        dated = self.promises.dropna(subset="valid_until")
        if not len(dated):
            return pd.DataFrame(columns=["month", "promises", *NAMES])
        month = dated["valid_until"].dt.strftime("%Y-%m")
        counts = counted(month, dated["verdict"])
        counts.insert(0, "promises", counts.sum(axis=1))
        return counts.rename_axis("month").reset_index().head(most)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single promises as plain values, as gate.json has it."""
        from standfast.promises.gate.writing import as_plain

        return as_plain(self)

    def write(self, folder: Path | str) -> None:
        """Write gate.html, gate.json and gate.junit.xml into a folder, which is made if needed."""
        from standfast.promises.gate.writing import write

        write(self, folder)

    def __repr__(self) -> str:
        return f"<GateReport: {'passed' if self.passed else 'held back'}; {self.sentence}>"
