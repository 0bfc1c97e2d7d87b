"""What the kernels read: one sample's counts, where conjunctions stand, and the objective."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Costs = NDArray[np.int64]
Places = NDArray[np.int64]

# more than any tree costs; twice as much still fits into 64 bits
NEVER = 2**61
# splits in a row at most
DEEPEST = 4


class Objective(NamedTuple):
    """What refusing a favourable person, accepting another one, and a leaf cost, in whole units.

    A leaf must hold at least so many people and, with `majority`, have the verdict that costs less;
    where both cost the same, it accepts.
    """

    refused: int
    accepted: int
    leaf: int
    least: int
    majority: bool


class Tables(NamedTuple):
    """How many cuts there are and how deep trees go, and where things stand.

    `at` and `signed_at` are where the combinations and the conjunctions of each size begin,
    `choose` the binomials; `favourable` and `others` count by combination the people of either
    class for whom all its cuts hold.
    """

    cuts: int
    depth: int
    at: Places
    signed_at: Places
    choose: Places
    favourable: Places
    others: Places
    objective: Objective
