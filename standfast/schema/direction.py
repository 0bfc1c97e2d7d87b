"""Which way of an input is favourable, as far as labelled data say."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]

BINS = 10  # equally many people in each, as far as ties allow
CLEAR = 0.8  # of the differences between bins that go the same way
WEAKEST = 0.02  # a correlation below it is no direction, however many people show it
DEVIATIONS = 3.0  # a correlation must be so many standard errors from 0
LEAST = 50  # people below whom nothing is said


@dataclass(frozen=True)
class Tendency:
    """Towards which values the favourable label gets more frequent.

    `correlation` is Spearman's with the label. `trend` compares the shares r of favourable people
    in bins along the input: Σ (r_j − r_i) / Σ |r_j − r_i| over all pairs i < j of bins, each pair
    with the weight n_i n_j of its people; 1 if no bin is less favourable than one below it, −1 if
    none is more so. `direction` is None where the two disagree or one of them is weak.
    """

    direction: Literal["up", "down"] | None
    correlation: float
    trend: float


def estimate_direction(values: ArrayLike, labels: ArrayLike) -> Tendency:
    """The way towards favourable labels (+1, against −1) along an input; missing values are NaN.

    >>> income = np.arange(100.0)
    >>> estimate_direction(income, np.where(income < 40, -1, 1))
    Tendency(direction='up', correlation=0.8485..., trend=1.0)
    >>> estimate_direction(income, np.where(np.abs(income - 50) < 25, -1, 1)).direction is None
    True
    """
    column, marks = np.asarray(values, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    known = np.isfinite(column)
    column, marks = column[known], marks[known]
    if len(column) < LEAST or np.ptp(column) == 0 or np.ptp(marks) == 0:
        return Tendency(None, 0.0, 0.0)
    correlation, trend = _rank_correlation(column, marks), _trend(column, marks)
    weak = abs(correlation) < max(WEAKEST, DEVIATIONS / np.sqrt(len(column)))
    if weak or abs(trend) < CLEAR or correlation * trend < 0:
        return Tendency(None, correlation, trend)
    return Tendency("up" if trend > 0 else "down", correlation, trend)


def _rank_correlation(column: Vector, marks: Vector) -> float:
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(column), marks)[0, 1])  # two labels are their own ranks


def _trend(column: Vector, marks: Vector) -> float:
    inner = np.quantile(column, np.arange(1, BINS) / BINS, method="inverted_cdf")
    # equal values share a bin: the one that ends with them
    _, bins = np.unique(np.searchsorted(np.unique(inner), column), return_inverse=True)
    sizes = np.bincount(bins).astype(np.float64)
    rates = np.bincount(bins, marks) / sizes
    later, earlier = np.tril_indices(len(rates), -1)
    rises = (rates[later] - rates[earlier]) * sizes[later] * sizes[earlier]
    whole = float(np.abs(rises).sum())
    return float(rises.sum()) / whole if whole > 0 else 0.0
