"""The training people as sparse trees see them: bits, and what mistakes and leaves cost."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.scores.score import Bools
from standfast.scores.sparse_trees.tables import Objective, Words

# costs are whole numbers of units; sums of them stay well below what 64 bits hold
MOST_UNITS = 2**58
# a leaf price is read as the nearest fraction with at most this denominator
DENOMINATOR = 10**6


@dataclass(frozen=True, eq=False)
class Sample:
    """For which people each cut holds, a bit per person, cuts × words; by class, and how many."""

    favourable: Words
    others: Words
    sizes: tuple[int, int]

    @classmethod
    def of(cls, holds: Bools, labels: NDArray[np.int64]) -> "Sample":
        """The sample of people for whom cuts hold (people × cuts), +1 favourable or −1."""
        good = labels > 0
        sizes = int(good.sum()), int((~good).sum())
        if min(sizes) == 0:
            raise InputError(
                f"the {len(labels)} training people are all of one class; mistakes need both"
            )
        return cls(_bits(holds[good].T), _bits(holds[~good].T), sizes)

    def fitting(self, literals: tuple[int, ...]) -> tuple[int, int]:
        """How many people of either class all literals hold for, 2 · cut + 1 if the cut does."""
        return _fitting(self.favourable, self.sizes[0], literals), _fitting(
            self.others, self.sizes[1], literals
        )


@dataclass(frozen=True)
class Units:
    """The objective in whole units, so many of which make 1: mistakes + leaf price · leaves.

    Mistakes are the share of people that a tree gets wrong or, if balanced, the mean of either
    class's share. Whole numbers make every comparison with best + ε exact.
    """

    scale: int
    objective: Objective

    @classmethod
    def of(
        cls,
        sizes: tuple[int, int],
        leaf_price: float,
        balanced: bool,
        smallest_leaf: int,
        majority: bool,
    ) -> "Units":
        """The units for so many people of either class; the price is read as a simple fraction."""
        price = fraction_of("leaf_price", leaf_price).limit_denominator(DENOMINATOR)
        good, others = (2 * n for n in sizes) if balanced else (sum(sizes), sum(sizes))
        scale = lcm(good, others, price.denominator)
        if scale * (1 + 16 * price) > MOST_UNITS:
            raise InputError(
                f"a leaf price of {leaf_price:g} for {sum(sizes):,} people needs more than 64 "
                "bits; give one with fewer decimals"
            )
        leaf = int(scale * price)
        mistakes = scale // good, scale // others
        return cls(scale, Objective(*mistakes, leaf, smallest_leaf, majority))


def fraction_of(what: str, value: object) -> Fraction:
    """A number as it is written: 0.01 is one hundredth, not the nearest binary number."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not 0.0 <= float(value) < np.inf:  # type: ignore[arg-type]
        raise InputError(f"{what} is {value!r}; it must be a finite number of at least 0")
    return Fraction(repr(float(value)))  # type: ignore[arg-type]


def _bits(holds: Bools) -> Words:
    packed = np.packbits(holds, axis=1, bitorder="little")
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def _fitting(columns: Words, n: int, literals: tuple[int, ...]) -> int:
    found = np.full(columns.shape[1], ~np.uint64(0))
    if n % 64:
        found[-1] = np.uint64((1 << n % 64) - 1)
    for literal in literals:
        column = columns[literal >> 1]
        found &= column if literal & 1 else ~column
    return int(np.unpackbits(found.view(np.uint8)).sum())
