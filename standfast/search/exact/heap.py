"""A binary heap of boxes, least key first."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner

Vector = NDArray[np.float64]


@inner
def push(keys: Vector, boxes: NDArray[np.int32], n: int, key: float, box: int) -> int:
    """Add a box; gives the new number of boxes."""
    i = n
    while i > 0:
        parent = (i - 1) // 2
        if keys[parent] < key:
            break
        keys[i], boxes[i] = keys[parent], boxes[parent]
        i = parent
    keys[i], boxes[i] = key, box
    return n + 1


@inner
def pop(keys: Vector, boxes: NDArray[np.int32], n: int) -> tuple[float, int, int]:
    """Take the box with the least key: its key, the box, and how many are left."""
    top_key, top = keys[0], boxes[0]
    n -= 1
    key, box = keys[n], boxes[n]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and keys[child + 1] < keys[child]:
            child += 1
        if key <= keys[child]:
            break
        keys[i], boxes[i] = keys[child], boxes[child]
        i = child
    keys[i], boxes[i] = key, box
    return top_key, top, n
