"""Confidence intervals: exact ones for shares, by resampling for everything else."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError

Vector = NDArray[np.float64]

LEVELS = (0.025, 0.975)  # the ends of a 95 % interval
REPEATS = 1000  # how often people are drawn again
AT_ONCE = 1_000_000  # people drawn together: more would take too much memory


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


def share(times: ArrayLike, n: int, confidence: float = 0.95) -> tuple[Vector, Vector, Vector]:
    """A share with both ends of its exact interval; all missing of nobody."""
    times = np.asarray(times, dtype=np.float64)
    if not n:
        missing = np.full(times.shape, np.nan)
        return missing, missing, missing
    return (times / n, *clopper_pearson(times, n, confidence))


def interval(draws: ArrayLike) -> tuple[Vector, Vector]:
    """The 95 % interval of what was computed from people drawn again and again, per column."""
    low, high = np.quantile(np.asarray(draws, dtype=np.float64), LEVELS, axis=0)
    return low, high


def interval_of_most(draws: Vector) -> tuple[float, float]:
    """The interval of those draws that have a number; missing unless most of them have."""
    known = draws[np.isfinite(draws)]
    if len(known) <= len(draws) / 2:
        return float("nan"), float("nan")
    low, high = interval(known)
    return float(low), float(high)


def bootstrap(values: Vector, seed: int = 0) -> tuple[float, float, float]:
    """The mean over people with its 95 % bootstrap interval, which needs two people.

    >>> bootstrap(np.ones(5))
    (1.0, 1.0, 1.0)
    """
    n = len(values)
    if n < 2:
        return mean(values), float("nan"), float("nan")
    (means,) = _drawn_again([values], seed)
    low, high = interval(means)
    return mean(values), float(low), float(high)


def bootstrap_difference(some: Vector, others: Vector, seed: int = 0) -> tuple[float, float, float]:
    """How much larger one mean is than that of other people, with its 95 % bootstrap interval.

    Either side is drawn again by itself, and needs two people.

    >>> bootstrap_difference(np.ones(5), np.zeros(3))
    (1.0, 1.0, 1.0)
    """
    difference = mean(some) - mean(others)
    if min(len(some), len(others)) < 2:
        return difference, float("nan"), float("nan")
    below, above = _drawn_again([others, some], seed)
    low, high = interval(above - below)
    return difference, float(low), float(high)


def _drawn_again(sides: Sequence[Vector], seed: int) -> list[Vector]:
    """Each side's means when its people are drawn again, side after side, many draws at once."""
    rng, sizes = np.random.default_rng(seed), [len(side) for side in sides]
    below, ends = np.repeat(sizes, sizes), np.cumsum(sizes)[:-1]
    rows = max(1, AT_ONCE // sum(sizes))
    means = [np.empty(REPEATS) for _ in sides]
    for first in range(0, REPEATS, rows):
        some = slice(first, min(first + rows, REPEATS))
        drawn = rng.integers(0, below, (some.stop - first, sum(sizes)))
        for side, found, places in zip(sides, means, np.split(drawn, ends, axis=1), strict=True):
            found[some] = side[places].mean(axis=1)
    return means


def mean(values: Vector) -> float:
    """The mean; missing of nobody."""
    return float(values.mean()) if len(values) else float("nan")
