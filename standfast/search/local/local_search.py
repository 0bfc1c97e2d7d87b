"""Cheap advice that most of many models accept, by moves on one lattice.

An average of a hundred forests is a forest of thousands of trees, too large for the exact search. A
look around a point judges every single change of one input at once, so a search by single changes,
with detours, comes within two per cent of the optimum where the optimum is known.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.search.local.neighbourhood import Numbers, Views
from standfast.search.local.surroundings import Surroundings
from standfast.search.problem.price import Vector

# costs closer than this are equal: more than a change's weight in ties, far less than 1/n
SAME = 1e-7
# what a free gain is divided by
FREE = 1e-4
# moves to reach acceptance from afar, and to make good what was taken back
FAR, DETOUR = 60, 4
# a change is taken back to these shares of its cost
BACK = (0.0, 0.5, 0.75)
# gains smaller than this are none
TINY = 1e-12
# of the sum, in a maximal cost: enough to tell ties apart
BESIDE = 1e-6


@dataclass(frozen=True)
class LocalSearch:
    """Moves on the lattice of the person that `around` has taken up.

    Advice is accepted where the reference accepts it and the counted models' mean slack exceeds
    `caution` of its standard deviations. `expired` ends the search early: what it then gives is
    accepted, or None.
    """

    around: Surroundings
    caution: float
    expired: Callable[[], bool]

    def cost(self, p: Numbers) -> float:
        """What p costs: the sum of its moves, or the largest."""
        costs = self.around.costs(p)
        if self.around.program.lattice.price.maximal:
            return float(costs.max() + BESIDE * costs.sum())
        return float(costs.sum())

    def ascend(self, p: Numbers, below: float = np.inf, moves: int = FAR) -> Numbers | None:
        """The first accepted point that costs less than `below` on a greedy way up from p.

        While no single change is accepted, the one that gains most in worth for its cost is made.
        """
        for _ in range(moves):
            if self.expired():
                return None
            views, costs = self.around.look(p), self._costs(p)
            within = costs < below - SAME
            accepted = np.flatnonzero(self._accepted(views) & within)
            if len(accepted):
                return self._moved(p, accepted[costs[accepted].argmin()])
            here, worth = self.around.here(p), self.worth(views)
            gain, extra = worth - worth[here], costs - costs[here]
            rate = np.where(views.lawful & within, gain / np.maximum(extra, FREE), 0.0)
            best = rate.argmax()
            if gain[best] <= TINY or self._hopeless(rate[best], below - costs[here], -worth[here]):
                return None
            p = self._moved(p, best)
        return None

    def _hopeless(self, rate: float, budget: float, missing: float) -> bool:
        """Whether all the budget, spent at the best rate in sight, gains less than is missing."""
        additive = not self.around.program.lattice.price.maximal
        return additive and budget < np.inf and rate * budget < missing

    def improve(self, p: Numbers, *, deep: bool = True) -> Numbers:
        """An accepted point made cheaper until neither taking back nor a detour saves anything."""
        p = self._take_back(p)
        while (traded := self._trade(p, DETOUR if deep else 1)) is not None:
            p = self._take_back(traded)
        return p

    def _take_back(self, p: Numbers) -> Numbers:
        """p with single changes made cheaper, the largest saving first, while it stays accepted."""
        while not self.expired():
            views, costs = self.around.look(p), self._costs(p)
            cheaper = self._accepted(views) & (costs < costs[self.around.here(p)] - SAME)
            saving = np.flatnonzero(cheaper)
            if not len(saving):
                break
            p = self._moved(p, saving[costs[saving].argmin()])
        return p

    def _trade(self, p: Numbers, moves: int) -> Numbers | None:
        """A cheaper accepted point that takes a change back and pays for it by others, or None."""
        costs, own, cost = self.around.costs(p), self.around.own, self.cost(p)
        for j in np.argsort(-costs, kind="stable"):
            if p[j] == own[j]:
                continue
            for level in self._nearer(j, p[j]):
                less = p.copy()
                less[j] = level
                found = self.ascend(less, cost, moves)
                if found is not None:
                    return found
        return None

    def _nearer(self, j: np.intp, level: np.int64) -> list[int]:
        """The person's own level of input j and those at half and three quarters of the cost."""
        around, own = self.around, int(self.around.own[j])
        between = np.arange(own, level, 1 if level > own else -1)
        costs = around.ladder(j)[between]
        shares = np.array(BACK) * around.ladder(j)[level]
        return list(
            dict.fromkeys(between[np.searchsorted(costs, shares, side="right") - 1].tolist())
        )

    def strongest(self, p: Numbers, below: float = np.inf, *, legal: bool = False) -> Numbers:
        """Where worth is led to from p by single changes, at any cost less than `below`.

        With `legal`, only by changes that the reference accepts.
        """
        for _ in range(FAR):
            if self.expired():
                break
            views = self.around.look(p)
            within = (views.legal if legal else views.lawful) & (self._costs(p) < below - SAME)
            worth = np.where(within, self.worth(views), -np.inf)
            best = worth.argmax()
            if worth[best] <= worth[self.around.here(p)] + TINY:
                break
            p = self._moved(p, best)
        return p

    def _accepted(self, views: Views) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = views.legal & (self.worth(views) > 0.0)
        return found

    def worth(self, views: Views) -> Vector:
        """mean − caution · spread: above zero, the counted models are sure enough."""
        found: Vector = views.mean - self.caution * views.spread
        return found

    def _costs(self, p: Numbers) -> Vector:
        """What every column of a look around p costs."""
        around, own = self.around, self.around.costs(p)
        if not around.program.lattice.price.maximal:
            found: Vector = own.sum() - own[around.input] + around.cost
            return found
        order = np.argsort(own)
        others = np.where(around.input == order[-1], own[order[-2:][0]], own[order[-1]])
        if len(own) == 1:
            others = np.zeros(len(around.input))
        total = own.sum() - own[around.input] + around.cost
        most: Vector = np.maximum(others, around.cost) + BESIDE * total
        return most

    def _moved(self, p: Numbers, column: np.intp) -> Numbers:
        moved = p.copy()
        moved[self.around.input[column]] = self.around.level[column]
        return moved
