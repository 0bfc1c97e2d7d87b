"""One person's search under level sets, as the arrays its kernels work on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Levels = NDArray[np.int32]
Numbers = NDArray[np.int64]

# the places in `numbers` and in `costs`
OPEN, STORED, SEEN, SUMS, PENDING, REFINED = 0, 1, 2, 3, 4, 5
INCUMBENT, LOWER, FOUND, CEILING = 0, 1, 2, 3
# the group of constraints that only points are checked by: ellipsoids around them do the rest
CHECKED = -1
# costs closer than this are equal
TINY = 1e-12


class Tree(NamedTuple):
    """One person's search: levels by input, constraints, open boxes, and the point to be judged.

    Input j has `counts[j]` levels: changes `z` and costs `c`. The first `numbers[SUMS]` constraints
    count; `group` says whose they are. Box b spans levels `low[b]` to `high[b]`; its bound starts
    from the multipliers `lam[b]` and the change `at[b]`.
    """

    counts: Numbers
    z: Matrix
    c: Matrix
    W: Matrix
    rest: Vector
    radius: Vector
    S: NDArray[np.float64]
    P: Matrix
    s: Vector
    group: Numbers
    low: Levels
    high: Levels
    lam: Matrix
    at: Matrix
    keys: Vector
    boxes: Levels
    numbers: Numbers
    costs: Vector
    best: Levels
    found: Levels
    mixed: Vector
