"""People whose categories may only become some others are searched group by group."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from standfast.methods.method import Answers, Budget, Matrix, Streams, TimedSearch
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.search.problem.layout import Key, Layout, laid_out_inputs
from standfast.search.problem.price import Price

Build = Callable[[Layout], TimedSearch]


def by_category(
    domain: Schema, percentiles: Percentiles, price: Price, build: Build
) -> TimedSearch:
    """The search that `build` makes for a layout: one for all, or one per group of people."""
    whole = Layout(domain, percentiles, price, {})
    if not laid_out_inputs(domain):
        return build(whole)
    return GroupedSearch(whole, build)


@dataclass(frozen=True, eq=False)
class GroupedSearch:
    """One search for each combination of own categories, prepared when somebody has it."""

    whole: Layout
    build: Build
    kept: frozenset[int] = frozenset()
    months: float | None = None
    explained: bool = True
    searches: dict[Key, tuple[Layout, TimedSearch]] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock, repr=False)

    def keeping(self, inputs: frozenset[int]) -> "GroupedSearch":
        """The same searches for people who leave these inputs as they are."""
        return replace(self, kept=self.kept | inputs)

    def at(self, months: float, explained: bool = True) -> "GroupedSearch":
        """The same searches for people who have so many months."""
        return replace(self, months=months, explained=explained)

    def advise(self, X: Matrix, streams: Streams, budget: Budget) -> Answers:
        """Each group's answers, put back in the order of the block."""
        inputs = laid_out_inputs(self.whole.domain)
        groups: dict[Key, list[int]] = {}
        for i, key in enumerate(map(tuple, X[:, list(inputs)].tolist())):
            groups.setdefault(key, []).append(i)
        found = []
        for key, rows in groups.items():
            layout, search = self._prepared(key)
            search = search.keeping(self.kept) if self.kept else search
            search = search if self.months is None else search.at(self.months, self.explained)
            answers = search.advise(layout.to_axes(X[rows]), streams[rows], budget)
            found.append(_in_codes(answers, layout))
        back = np.argsort(np.concatenate(list(groups.values())), kind="stable")
        return Answers.joined(found).of(back)

    def _prepared(self, key: Key) -> tuple[Layout, TimedSearch]:
        with self.lock:
            if key not in self.searches:
                whole = self.whole
                layout = Layout.of(whole.domain, whole.percentiles, whole.price, key)
                self.searches[key] = layout, self.build(layout)
            return self.searches[key]


def _in_codes(answers: Answers, layout: Layout) -> Answers:
    ways = tuple(
        replace(way, point=layout.to_codes(way.point[None])[0]) for way in answers.alternatives
    )
    return replace(answers, points=layout.to_codes(answers.points), alternatives=ways)
