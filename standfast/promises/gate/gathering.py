"""Gathering the promises that repair is about, while a gate goes through them block by block."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from standfast.promises.promise import Promises
from standfast.promises.verdict import Verdict

MOST = 1000  # promises that stand for all


@dataclass
class Gathering:
    """The promises that are not kept, and some of all of them at even distances.

    Those that stand for all are every promise, or every second, every fourth, and so on: at most so
    many, and at least half as many where there are more.
    """

    most: int = MOST
    not_kept: list[Promises] = field(default_factory=list)
    some: list[Promises] = field(default_factory=list)
    stride: int = 1
    seen: int = 0

    def add(self, block: Promises, verdicts: NDArray[np.uint8]) -> None:
        """Take what is needed of one block."""
        self.not_kept.append(block[verdicts != Verdict.KEPT])
        self.some.append(block[np.arange(-self.seen % self.stride, len(block), self.stride)])
        self.seen += len(block)
        while sum(map(len, self.some)) > self.most:
            self.some = [Promises.joined(self.some)[::2]]
            self.stride *= 2
