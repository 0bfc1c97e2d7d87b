"""Every sparse tree, one after another: the slow way, which shares nothing with the package."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

import standfast as sf


def people(q: int, n: int, seed: int) -> sf.Dataset:
    """People with q yes-or-no inputs, of which some matter; every input takes both values."""
    rng = np.random.default_rng(seed)
    values = rng.random((n, q)) < rng.uniform(0.25, 0.75, q)
    values[0], values[1] = True, False
    hidden = values @ rng.normal(size=q) + 0.5 * rng.normal(size=n)
    y = np.where(hidden > np.median(hidden), 1, -1)
    names = [f"x{j}" for j in range(q)]
    schema = sf.Schema(tuple(sf.Feature(name, "binary") for name in names))
    return sf.Dataset(
        pd.DataFrame(values.astype(int), columns=names), pd.Series(y), schema, "small"
    )


def points(q: int) -> np.ndarray:
    """One point per cell, in the order in which trees are listed."""
    return np.array(list(product((0.0, 1.0), repeat=q)))


class Listed(NamedTuple):
    """One tree: its objective, the cells it accepts as bits of a number, and its leaves."""

    objective: int
    accepts: int
    leaves: int


@dataclass(frozen=True)
class Enumeration:
    """The trees that ask which inputs of some people are 0, with objectives in units of 1/`scale`.

    Every leaf holds at least so many people and, with `majority`, has the verdict that costs less
    (at a tie it accepts). A split of two leaves with one verdict is no tree of its own.
    """

    data: sf.Dataset
    price: str
    balanced: bool = False
    least: int = 1
    majority: bool = False

    @property
    def scale(self) -> int:
        """A number of which everything that is added is a whole multiple of its inverse."""
        good = int((self.data.labels > 0).sum())
        return 4 * len(self.data) * good * (len(self.data) - good) * 1000

    def trees(self, depth: int) -> list[Listed]:
        """All trees of at most a depth."""
        n, q = self.data.table.shape
        return self._trees(depth, np.ones(n, bool), np.ones(2**q, bool))

    def _trees(self, depth: int, rows: np.ndarray, cells: np.ndarray) -> list[Listed]:
        if rows.sum() < self.least:
            return []
        everywhere = sum(1 << int(k) for k in np.flatnonzero(cells))
        found = []
        costs = [self._mistakes(rows, verdict) for verdict in (False, True)]
        for verdict in (False, True):
            if self.majority and verdict != (costs[True] <= costs[False]):
                continue
            objective = (costs[verdict] + Fraction(self.price)) * self.scale
            assert objective.denominator == 1
            found.append(Listed(int(objective), everywhere * verdict, 1))
        q = self.data.table.shape[1]
        values, place = self.data.table.to_numpy(), points(q)
        for c in range(q if depth else 0):
            holds, there = values[:, c] == 0, place[:, c] == 0
            yes = self._trees(depth - 1, rows & holds, cells & there)
            no = self._trees(depth - 1, rows & ~holds, cells & ~there)
            found += [
                Listed(a.objective + b.objective, a.accepts | b.accepts, a.leaves + b.leaves)
                for a, b in product(yes, no)
                if a.leaves + b.leaves > 2 or (a.accepts > 0) != (b.accepts > 0)
            ]
        return found

    def _mistakes(self, rows: np.ndarray, verdict: bool) -> Fraction:
        good = self.data.labels.to_numpy() > 0
        wrong = rows & (good != verdict)
        if not self.balanced:
            return Fraction(int(wrong.sum()), len(good))
        shares = (Fraction(int((wrong & c).sum()), 2 * int(c.sum())) for c in (good, ~good))
        return sum(shares, Fraction(0))
