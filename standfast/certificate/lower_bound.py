"""The least share that so many successes in independent draws vouch for."""

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError

Vector = NDArray[np.float64]


def lower_bound(kept: ArrayLike, m: ArrayLike, confidence: float = 0.95) -> Vector:
    """Clopper–Pearson's one-sided bound: k of m independent models accept, so p ≥ this.

    BetaInv(β; k, m − k + 1) with β = 1 − confidence; 0 if none accepts.

    >>> [round(float(lower_bound(m, m)), 3) for m in (29, 59, 299)]
    [0.902, 0.95, 0.99]
    """
    from scipy.special import betaincinv

    check_share(confidence=confidence)
    k, n = np.asarray(kept, dtype=np.float64), np.asarray(m, dtype=np.float64)
    if not ((k >= 0) & (k <= n) & (n >= 1)).all():
        raise InputError("each count must lie between 0 and its number of models, at least 1")
    low: Vector = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, 1.0 - confidence), 0.0)
    return low


def models_needed(validity: float, confidence: float = 0.95) -> int:
    """How many models must all accept to certify a validity: the least m with β^(1/m) ≥ validity.

    >>> models_needed(0.90), models_needed(0.95), models_needed(0.99)
    (29, 59, 299)
    """
    check_share(validity=validity, confidence=confidence)
    m = math.log1p(-confidence) / math.log(validity)
    return max(1, math.ceil(m - 1e-9))


def check_share(**given: object) -> None:
    """Refuse what does not lie strictly between 0 and 1."""
    for what, value in given.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not 0.0 < float(value) < 1.0:  # type: ignore[arg-type]
            raise InputError(f"{what} is {value!r}; it must lie between 0 and 1, e.g. 0.95")


def percent(share: float) -> str:
    """A certified share in words, rounded down so that it is never promised too much.

    >>> percent(0.92999), percent(0.0)
    ('92.9 %', '0 %')
    """
    down = math.floor(share * 1000 + 1e-9) / 10
    return f"{down:g} %"
