"""The bars of the first screen: how much of each method's advice the rivals keep, per scene."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from standfast.figures.reading import ordered
from standfast.report.scenes import Scene, Tables
from standfast.report.sentences import judged
from standfast.report.wording import people, share


@dataclass(frozen=True)
class Bar:
    """One method's mean transfer with its interval, as shares, and its count."""

    method: str
    transfer: float
    lower: float
    upper: float
    n: int

    @property
    def measured(self) -> bool:
        """Whether there is an interval."""
        return isfinite(self.lower) and isfinite(self.upper)

    @property
    def words(self) -> str:
        """The bar for those who cannot see it."""
        text = f"{self.method}: {share(self.transfer)} of the advice is kept, {people(self.n)}"
        if not self.measured:
            return text
        return f"{text}, 95 % interval {share(self.lower)} to {share(self.upper)}"


@dataclass(frozen=True)
class Panel:
    """The bars of one scene."""

    scene: Scene
    bars: Sequence[Bar]


def panels(tables: Tables, there: Sequence[Scene]) -> list[Panel]:
    """One panel per scene; methods without advice have no bar."""
    return [Panel(scene, _bars(tables, scene)) for scene in there]


def _bars(tables: Tables, scene: Scene) -> list[Bar]:
    means = judged(scene.of(tables["transfer_means"]))
    rows = {str(row["method"]): row for row in means.to_dict("records")}
    return [_bar(method, rows[method]) for method in ordered(means["method"])]


def _bar(method: str, row: Mapping[Hashable, Any]) -> Bar:
    share, lower, upper = (
        min(max(float(row[name]), 0.0), 1.0) for name in ("transfer", "lower", "upper")
    )
    return Bar(method, share, lower, upper, int(row["n"]))
