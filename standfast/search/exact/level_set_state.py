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


class Relaxation(NamedTuple):
    """The bound of one box while it is sought: multipliers `lam` of the groups, and the change `u`.

    For every group the constraint `who` that accepts u least, its `slack`, S u + p in `V` and the
    root's square in `Q`; `v` is one constraint's S u + p. The hull of each input's levels has
    `sizes[f]` `corners`; u lies on its edge `edge[f]`, and `place[f]` is its cheapest corner at the
    prices `mu`. `ways` are two changes on either side of the right multiplier.
    """

    lam: Vector
    u: Vector
    who: Numbers
    slack: Vector
    Q: Vector
    V: Matrix
    v: Vector
    mu: Vector
    corners: Levels
    sizes: Levels
    edge: Levels
    place: Levels
    ways: Matrix


def no_relaxation(groups: int, z: Matrix) -> Relaxation:
    """Room for the bound of a box: so many groups of constraints, changes z by input and level."""
    F = len(z)
    sizes, edge, place = (np.zeros(F, np.int32) for _ in range(3))
    return Relaxation(
        np.zeros(groups),
        np.zeros(F),
        np.zeros(groups, np.int64),
        np.zeros(groups),
        np.ones(groups),
        np.zeros((groups, F)),
        np.zeros(F),
        np.zeros(F),
        np.zeros(z.shape, np.int32),
        sizes,
        edge,
        place,
        np.zeros((2, F)),
    )


class Tree(NamedTuple):
    """One person's search: levels by input, constraints, open boxes, and the point to be judged.

    Input j has `counts[j]` levels: changes `z` and costs `c`. The first `numbers[SUMS]` constraints
    count; `group` says whose they are. Box b spans levels `low[b]` to `high[b]`; its bound starts
    from the multipliers `lam[b]` and the change `at[b]`. `price` are the prices of a box's bound,
    and `mixed` the mixture of levels where it is; `level` is a point at hand.
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
    price: Vector
    level: Levels
    relaxation: Relaxation
