"""One person's search under level sets, as the arrays its kernels work on."""

from typing import Annotated, NamedTuple

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

    lam: Annotated[Vector, "groups"]
    u: Annotated[Vector, "F"]
    who: Annotated[Numbers, "groups"]
    slack: Annotated[Vector, "groups"]
    Q: Annotated[Vector, "groups"]
    V: Annotated[Matrix, "groups", "F"]
    v: Annotated[Vector, "F"]
    mu: Annotated[Vector, "F"]
    corners: Annotated[Levels, "F", "widest"]
    sizes: Annotated[Levels, "F"]
    edge: Annotated[Levels, "F"]
    place: Annotated[Levels, "F"]
    ways: Annotated[Matrix, 2, "F"]


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
    W: Annotated[Matrix, "rows", "F"]
    rest: Annotated[Vector, "rows"]
    radius: Annotated[Vector, "rows"]
    S: Annotated[NDArray[np.float64], "rows", "F", "F"]
    P: Annotated[Matrix, "rows", "F"]
    s: Annotated[Vector, "rows"]
    group: Annotated[Numbers, "rows"]
    low: Annotated[Levels, "room", "F"]
    high: Annotated[Levels, "room", "F"]
    lam: Annotated[Matrix, "room", "groups"]
    at: Annotated[Matrix, "room", "F"]
    keys: Annotated[Vector, "room"]
    boxes: Annotated[Levels, "room"]
    numbers: Annotated[Numbers, 6]
    costs: Vector
    best: Annotated[Levels, "F"]
    found: Annotated[Levels, "F"]
    mixed: Annotated[Vector, "F"]
    price: Annotated[Vector, "F"]
    level: Annotated[Levels, "F"]
    relaxation: Relaxation
