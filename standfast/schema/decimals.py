"""How fine numbers are: the decimals of a number and of a column, and the step they suggest."""

import math
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

# further from zero than this many steps, rounding errors come near half a step, and a grid value
# could no longer be distinguished from its neighbours
MOST_STEPS = 2.0**50
MOST_DECIMALS = 300


def decimals_in(number: float) -> int:
    """How many decimals a number is written with; negative for whole tens.

    >>> decimals_in(0.05), decimals_in(3), decimals_in(200)
    (2, 0, -2)
    """
    return -int(Decimal(repr(float(number))).normalize().as_tuple().exponent)


def decimals_of(values: NDArray[np.float64]) -> int:
    """How many decimals a column's values have, 9 at most."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next((k for k in range(10) if np.array_equal(np.round(values, k), values)), 9)


def inferred_step(values: NDArray[np.float64]) -> float:
    """The step of a real column: its decimals, but no finer than a thousandth of its spread.

    A ratio computed to nine decimals would otherwise give advice to nine decimals, which nobody
    can follow. The spread is that between the 5th and the 95th percentile. Numbers too large for
    any such step get 0: any number.
    """
    decimals = decimals_of(values)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.quantile(values, [0.05, 0.95])
        spread = float(high - low)
    step = 1.0
    if decimals > 0:
        usable = spread > 0 and math.isfinite(spread)
        coarsest = 10.0 ** (math.floor(math.log10(spread)) - 3) if usable else 0.0
        step = float(f"{max(10.0**-decimals, min(coarsest, 1.0)):.0e}")
    return step if float(np.abs(values).max()) / step <= MOST_STEPS else 0.0
