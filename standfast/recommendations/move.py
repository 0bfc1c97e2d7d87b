"""One change of advice as facts: which input, which way, and both values as people read them."""

from dataclasses import dataclass
from typing import Literal

from standfast.schema import Feature

Way = Literal["raise", "lower", "change", "fill"]


@dataclass(frozen=True)
class Move:
    """A change of one input; categories in no order `change`, and what is missing is to `fill`.

    >>> Move.of(Feature("DebtRatio", "positive", step=0.01), 0.613, 0.42)
    Move(way='lower', start='0.613', goal='0.42')
    """

    way: Way
    start: str
    goal: str

    @classmethod
    def of(cls, feature: Feature, a: float, b: float) -> "Move":
        """The change from a to b, in codes."""
        start, goal = feature.shown(a), feature.shown(b)
        if feature.is_missing(a):
            return cls("fill", "", goal)
        if start == goal:  # they differ beyond the digits that are shown
            start = repr(float(a))
        if feature.kind in ("binary", "nominal"):
            return cls("change", start, goal)
        return cls("lower" if b < a else "raise", start, goal)
