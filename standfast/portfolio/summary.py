"""What a run gave: how many people ended how, at which cost, and what could not be done."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from standfast.errors import listing
from standfast.recommendations import Outcome


@dataclass(frozen=True)
class Summary:
    """Everybody advised so far, in this run and before.

    `parts` are finished of `of`, `failed` says for each file that could not be done why. `people`
    and `seconds` are those of this run alone.
    """

    outcomes: Mapping[str, int]
    cost: float
    parts: int
    of: int
    people: int
    seconds: float
    failed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of_lines(cls, lines: Iterable[Mapping[str, Any]], **more: Any) -> "Summary":
        """From the lines of the log."""
        outcomes: Counter[str] = Counter()
        cost, parts = 0.0, 0
        for line in lines:
            outcomes.update(line["outcomes"])
            cost, parts = cost + line["cost"], parts + 1
        order = {str(one): outcomes[str(one)] for one in Outcome if outcomes[str(one)]}
        return cls(order, cost, parts, **more)

    @property
    def complete(self) -> bool:
        """Whether everybody who was asked about is done."""
        return not self.failed and self.parts == self.of

    @property
    def advised(self) -> int:
        """How many people got advice."""
        return sum(n for name, n in self.outcomes.items() if Outcome(name).advises)

    @property
    def mean_cost(self) -> float:
        """What advice costs on average; NaN without any."""
        return self.cost / self.advised if self.advised else float("nan")

    def counts(self) -> "pd.Series[int]":
        """How many people ended with each outcome."""
        return pd.Series(self.outcomes, name="people", dtype="int64")

    @property
    def sentence(self) -> str:
        """What is done, and what is not."""
        total = sum(self.outcomes.values())
        text = f"{total:,} people in {self.parts:,} of {self.of:,} parts"
        if self.failed:
            count = len(self.failed)
            text += f"; {count} file{'s' * (count > 1)} could not be done: "
            text += listing(list(self.failed))
        return f"{text}."

    def __repr__(self) -> str:
        ends = ", ".join(f"{n:,} {name}" for name, n in self.outcomes.items())
        return f"<Portfolio: {self.sentence[:-1]}: {ends}>"
