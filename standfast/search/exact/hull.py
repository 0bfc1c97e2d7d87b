"""The levels of an input that can ever be the cheapest: the lower convex hull of their costs."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner

Vector = NDArray[np.float64]
Levels = NDArray[np.int32]


@inner
def hull(z: Vector, c: Vector, low: int, high: int, corners: Levels) -> int:
    """The levels on the lower convex hull of (value, cost): no other is ever the cheapest."""
    n = 0
    for l in range(low, high + 1):  # noqa: E741 a level
        while n >= 2:
            a, b = corners[n - 2], corners[n - 1]
            if (c[b] - c[a]) * (z[l] - z[a]) < (c[l] - c[a]) * (z[b] - z[a]):
                break
            n -= 1
        corners[n] = l
        n += 1
    return n


@inner
def cheapest(w: float, z: Vector, c: Vector, corners: Levels, size: int, start: int) -> int:
    """The corner with the least c − w z: downhill from where we were."""
    at = start
    here = c[corners[at]] - w * z[corners[at]]
    while at + 1 < size:
        there = c[corners[at + 1]] - w * z[corners[at + 1]]
        if there >= here:
            break
        at, here = at + 1, there
    while at > 0:
        there = c[corners[at - 1]] - w * z[corners[at - 1]]
        if there >= here:
            break
        at, here = at - 1, there
    return at
