"""Intervals by resampling people: the same people for whatever is compared."""

import numpy as np
from numpy.typing import NDArray

REPEATS = 1000
LEVELS = (0.025, 0.975)

Vector = NDArray[np.float64]


def interval(values: Vector, seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean over people; missing without at least two.

    >>> interval(np.ones(5))
    (1.0, 1.0)
    """
    if len(values) < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    draws = [values[rng.integers(0, len(values), len(values))].mean() for _ in range(REPEATS)]
    low, high = np.quantile(draws, LEVELS)
    return float(low), float(high)


def mean(values: Vector) -> float:
    """The mean; missing of nobody."""
    return float(values.mean()) if len(values) else float("nan")
