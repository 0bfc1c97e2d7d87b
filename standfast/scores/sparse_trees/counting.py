"""How many sparse trees a level set holds, and how many of them refuse a point.

Two trees are different if they ask different questions in some place or end in different verdicts;
a split of two leaves with the same verdict is not counted as a tree of its own. Trees are counted
by their objective: those on a conjunction's people are a leaf, or a cut and one tree on each side,
so their objectives are sums. No tree is looked at.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from standfast.scores.score import Bools
from standfast.scores.sparse_trees.all_trees import AllTrees, Conjunction
from standfast.scores.sparse_trees.tables import NEVER, Costs

# distinct sums of two sides' objectives that are made at a time; beyond, objectives are rounded
MOST_SUMS = 20_000_000
# so many steps there are between best and best + ε where objectives are rounded
STEPS = 2_000


class Count(NamedTuple):
    """A number of trees: exactly, or between two."""

    lower: int
    upper: int

    def __str__(self) -> str:
        if self.lower == self.upper:
            return f"{self.lower:,}"
        return f"{self.lower:,} to {self.upper:,}"


class TooManyError(Exception):
    """There are too many different objectives to add them up."""


class Objectives(NamedTuple):
    """Objectives of some trees, rising, and how many trees have each."""

    values: Costs
    times: Costs

    @classmethod
    def merged(cls, values: Costs, times: Costs) -> "Objectives":
        """The same with every objective once."""
        if len(values) == 0:
            return cls(values, times)
        order = np.argsort(values, kind="stable")
        values, times = values[order], times[order]
        first = np.flatnonzero(np.append(True, values[1:] > values[:-1]))
        return cls(values[first], np.add.reduceat(times, first))

    def up_to(self, most: int) -> "Objectives":
        """Those of at most so much."""
        end = int(np.searchsorted(self.values, most, side="right"))
        return Objectives(self.values[:end], self.times[:end])


NOTHING = Objectives(np.empty(0, np.int64), np.empty(0, np.int64))


class Side(NamedTuple):
    """The trees on one side of a split: two leaves, which refuse and accept, and larger trees.

    A leaf that is not wanted costs `NEVER`.
    """

    leaves: Costs
    larger: Objectives


@dataclass(frozen=True, eq=False)
class Counting:
    """The trees of at most an objective.

    With a `step`, so many units count as one, rounded down, or `up`; without one, there may be too
    many different objectives.
    """

    trees: AllTrees
    limit: int
    step: int | None = None
    up: bool = False

    @cached_property
    def _leaves(self) -> Costs:
        costs = self.trees.leaf_costs
        if self.step is None:
            return costs
        rounded = -(-costs // self.step) if self.up else costs // self.step
        return np.where(costs >= NEVER, NEVER, rounded)

    @property
    def most(self) -> int:
        """The greatest objective that counts."""
        return self.limit // (self.step or 1)

    def total(self, x: Bools | None = None) -> int:
        """How many trees there are; of those that refuse x, given as whether each cut holds."""
        leaves = self._leaves[: 2 if x is None else 1, 0]
        found = int((leaves <= self.most).sum())
        for cut in range(len(self.trees.cuts)):
            sides = self._sides((), cut, self.trees.depth - 1, self.most, x)
            if sides is not None:
                found += _pairs(*sides, self.most)
        return found

    def _sides(
        self, K: Conjunction, cut: int, depth: int, most: int, x: Bools | None = None
    ) -> tuple[Side, Side] | None:
        """The trees on both sides of a cut; with x, on x's own side only those that refuse it."""
        ways = [tuple(sorted((*K, 2 * cut + side))) for side in (1, 0)]
        least = [self._least(way, depth) for way in ways]
        if sum(least) > most:
            return None
        own = [None, None] if x is None else [x, None] if x[cut] else [None, x]
        yes, no = (
            self._side(way, depth, most - other, point)
            for way, other, point in zip(ways, least[::-1], own, strict=True)
        )
        return yes, no

    def _side(self, K: Conjunction, depth: int, most: int, x: Bools | None) -> Side:
        leaves = self._leaves[:, self.trees.place(K)].copy()
        if x is not None:
            leaves[1] = NEVER
        asked = {one >> 1 for one in K}
        if depth == 0:
            return Side(leaves, NOTHING)
        if depth == 1:
            return Side(leaves, self._stumps(K, x).up_to(most))
        found = []
        for cut in range(len(self.trees.cuts)):
            sides = None if cut in asked else self._sides(K, cut, depth - 1, most, x)
            if sides is not None:
                found.append(_sums(*sides, most, self.step is not None))
        if not found:
            return Side(leaves, NOTHING)
        return Side(leaves, Objectives.merged(*map(np.concatenate, zip(*found, strict=True))))

    def _stumps(self, K: Conjunction, x: Bools | None) -> Objectives:
        """The trees of one split: both leaves differ, so one side decides the other."""
        cuts, yes, no = self.trees.extended(K)
        refuse, accept = self._leaves
        ways = [refuse[yes] + accept[no], accept[yes] + refuse[no]]
        values = np.concatenate(ways) if x is None else np.where(x[cuts], *ways)
        values = values[values < NEVER]
        return Objectives.merged(values, np.ones(len(values), np.int64))

    def _least(self, K: Conjunction, depth: int) -> int:
        """No tree on a conjunction's people counts for less."""
        least = self.trees.least(K)
        if self.step is None or least >= NEVER:
            return least
        return -(-least // self.step) if self.up else least // self.step - (1 << depth)


def _sums(a: Side, b: Side, most: int, rounded: bool) -> Objectives:
    """The objectives of all trees with one tree of either side, of at most so much."""
    parts = [Objectives(_opposite(a, b), np.ones(2, np.int64))]
    for leaves, larger in ((a.leaves, b.larger), (b.leaves, a.larger)):
        parts += [Objectives(leaf + larger.values, larger.times) for leaf in leaves if leaf < NEVER]
    parts.append(_products(a.larger, b.larger, most, rounded))
    values, times = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Objectives.merged(values[values <= most], times[values <= most])


def _products(a: Objectives, b: Objectives, most: int, rounded: bool) -> Objectives:
    """All sums of one objective of each, of at most so much."""
    if len(a.values) > len(b.values):
        a, b = b, a
    ends = np.searchsorted(b.values, most - a.values, side="right")
    if ends.sum() > MOST_SUMS and not rounded:
        raise TooManyError
    whose = np.repeat(np.arange(len(a.values)), ends)
    other = np.arange(len(whose)) - np.repeat(np.cumsum(ends) - ends, ends)
    values, times = a.values[whose] + b.values[other], a.times[whose] * b.times[other]
    return Objectives.merged(values, times)


def _pairs(a: Side, b: Side, most: int) -> int:
    """How many trees have one tree of either side, and cost at most so much."""
    found = int((_opposite(a, b) <= most).sum())
    for leaves, larger in ((a.leaves, b.larger), (b.leaves, a.larger)):
        found += sum(int(larger.up_to(most - int(leaf)).times.sum()) for leaf in leaves)
    ends = np.searchsorted(b.larger.values, most - a.larger.values, side="right")
    before = np.append(0, np.cumsum(b.larger.times))[ends]
    if float(a.larger.times.sum()) * float(b.larger.times.sum()) < 2.0**62:
        return found + int((a.larger.times * before).sum())
    pairs = zip(a.larger.times.tolist(), before.tolist(), strict=True)
    return found + int(sum(one * other for one, other in pairs))


def _opposite(a: Side, b: Side) -> Costs:
    """The two trees of two leaves, whose verdicts differ."""
    costs: Costs = np.minimum(a.leaves + b.leaves[::-1], NEVER)
    return costs


def count(trees: AllTrees, limit: int, x: Bools | None = None) -> Count:
    """How many trees cost at most so many units; of those that refuse x, if it is given.

    The exact number, or one from below and one from above with rounded objectives: with every
    leaf's cost rounded up, a tree that still counts does so for sure; rounded down, no tree that
    counts is missed.
    """
    try:
        found = Counting(trees, limit).total(x)
        return Count(found, found)
    except TooManyError:
        step = max((limit - trees.best) // STEPS, 1)
        return Count(*(Counting(trees, limit, step, up).total(x) for up in (True, False)))
