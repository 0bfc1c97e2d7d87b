"""Which inputs are in some minimal blocking set: those in some smallest set of changes that helps.

A set of inputs is *enough* if changing nothing else can lead to acceptance. More inputs are enough
if fewer are, so every answer decides many sets: those that contain what is enough, and those within
what is not. An input is relevant if it turns some set that is not enough into one that is; by
duality the minimal sets that are enough and the minimal blocking sets have the same members.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

Inputs = frozenset[int]
# what advice changes that changes nothing beyond some inputs; None if there is provably none
Ask = Callable[[Inputs], Inputs | None]


class EnoughInputs:
    """For one person all sets of the inputs that may change, each enough, not enough, or open.

    A set is the bits of a number, so a table of 2ᵈ truth values holds what is known of all of them.
    """

    def __init__(self, ask: Ask, inputs: Sequence[int], seed: int = 0) -> None:
        self.ask, self.inputs, self.calls = ask, tuple(inputs), 0
        self._sets = np.arange(1 << len(self.inputs))
        self._enough = np.zeros(len(self._sets), dtype=bool)
        self._short = self._sets == 0  # somebody refused has to change something
        self._rng = np.random.default_rng(seed)

    def enough(self, some: int) -> bool:
        """Whether these inputs are enough; asked only if earlier answers do not say it."""
        if not self._enough[some] and not self._short[some]:
            self.calls += 1
            moved = self.ask(frozenset(j for k, j in enumerate(self.inputs) if some >> k & 1))
            if moved is None:
                self._short |= (self._sets | some) == some
            else:
                least = self.bits(moved)
                self._enough |= (self._sets & least) == least
        return bool(self._enough[some])

    def bits(self, inputs: Iterable[int]) -> int:
        """The number of a set of inputs."""
        return sum(1 << self.inputs.index(j) for j in inputs)

    def relevant(self, j: int, most: int) -> bool | None:
        """Whether input j is in a minimal set; None where that is open after so many questions."""
        if j not in self.inputs:
            return False
        bit, limit = self.bits([j]), self.calls + most
        without = self._sets[self._sets & bit == 0]
        start = 0  # first a set grows from nothing, which often shows at once that j matters
        while True:
            if (self._short[without] & self._enough[without | bit]).any():
                return True
            undecided = without[~self._enough[without] & ~self._short[without | bit]]
            if not len(undecided):
                return False
            if self.calls >= limit:
                return None
            if start not in undecided:
                start = int(self._rng.choice(undecided))
            if self.enough(start):
                self._shrink(start)
            else:
                self.enough(self._grown(start, bit) | bit)

    def _shrink(self, some: int) -> None:
        """Leave out inputs for as long as the rest is enough, which decides the most sets."""
        for k in self._rng.permutation(len(self.inputs)):
            if some >> k & 1 and self.enough(some & ~(1 << k)):
                some &= ~(1 << k)

    def _grown(self, some: int, apart: int) -> int:
        """A set that is not enough with all that leaves it so, but for the bits kept apart."""
        for k in self._rng.permutation(len(self.inputs)):
            more = some | 1 << int(k)
            if not more & apart and not self.enough(more):
                some = more
        return some
