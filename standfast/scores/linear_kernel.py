"""The weighted sum of a row, compiled."""

import numpy as np

from standfast.compilation import kernel
from standfast.scores.score import Matrix, Vector


@kernel
def weighted_sums(X: Matrix, weights: Vector, offset: float) -> Vector:
    """X·w + offset, each row summed from its first input to its last.

    Not a matrix product: there the order of a row's sum, and with it its last bits, may depend on
    how many other rows are asked about.
    """
    n, d = X.shape
    sums = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(d):
            total += X[i, j] * weights[j]
        sums[i] = total + offset
    return sums
