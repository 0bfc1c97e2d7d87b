"""A bound as a value: its total, the terms it is made of, and how many people stand behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class Bound:
    """An upper bound of a mean cost: the total, its named terms, and the people behind each mean.

    >>> Bound("lemma 1", 0.8, {"alpha": 2.0, "mean residual": 0.4}, {"refused by f": 10}).total
    0.8
    """

    name: str
    total: float
    terms: Mapping[str, float]
    counts: Mapping[str, int] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """The terms, counts and the total, one row each."""
        rows = [(self.name, term, value) for term, value in self.terms.items()]
        rows += [(self.name, f"n: {what}", float(n)) for what, n in self.counts.items()]
        rows.append((self.name, "total", self.total))
        return pd.DataFrame(rows, columns=["bound", "term", "value"])

    def __repr__(self) -> str:
        people = "".join(f", {n} {what}" for what, n in self.counts.items())
        return f"<Bound: {self.name}: {self.total:.6g}{people}>"
