"""Confidence intervals for shares."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError

Vector = NDArray[np.float64]


def clopper_pearson(
    kept: ArrayLike, n: ArrayLike, confidence: float = 0.95
) -> tuple[Vector, Vector]:
    """The exact interval of a share of which `kept` of `n` independent people were seen.

    lower = BetaInv(β/2; k, n−k+1), upper = BetaInv(1−β/2; k+1, n−k), with β = 1 − confidence.

    >>> low, high = clopper_pearson(29, 29, 0.90)
    >>> round(float(low), 4), float(high)
    (0.9019, 1.0)
    """
    from scipy.special import betaincinv

    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence!r}; it must lie between 0 and 1, e.g. 0.95")
    k, m = np.asarray(kept, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tail = (1.0 - confidence) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), m - k + 1, tail), 0.0)
    high = np.where(k < m, betaincinv(k + 1, np.maximum(m - k, 1), 1 - tail), 1.0)
    return low, high
