"""Which category may become which, what is a gap, and the flat prices: compiled."""

import numpy as np

from standfast.compilation import inner
from standfast.schema.categories import MISSING
from standfast.schema.options import Options


@inner
def is_gap(value: float, j: int, options: Options) -> bool:
    """Whether a value of input j is missing: empty, or by a token."""
    if value == MISSING:
        return True
    for t in range(options.token_start[j], options.token_start[j + 1]):
        if value == options.token[t]:
            return True
    return False


@inner
def known_code(own: float, j: int, options: Options) -> bool:
    """Whether transitions of nominal input j are listed for this value, a category's code."""
    return bool(options.row[j] >= 0 and 0.0 <= own < options.categories[j])


@inner
def count_options(own: float, j: int, options: Options) -> int:
    """How many other categories of nominal input j somebody's own value may become."""
    if known_code(own, j, options):
        at = options.row[j] + int(own)
        return int(options.start[at + 1] - options.start[at])
    inside = 0.0 <= own < options.categories[j]
    return int(options.categories[j]) - (1 if inside else 0)


@inner
def option_at(own: float, j: int, k: int, options: Options) -> float:
    """The k-th of these categories."""
    if known_code(own, j, options):
        return float(options.target[options.start[options.row[j] + int(own)] + k])
    inside = 0.0 <= own < options.categories[j]
    return float(k + 1 if inside and k >= own else k)


@inner
def flat_price(own: float, to: float, j: int, options: Options) -> float:
    """The price of a change of category or of filling in; NaN where the way between values counts.

    A change of category that is not allowed is infinitely expensive.
    """
    if is_gap(own, j, options):
        return float(options.fill[j])
    if options.categories[j] == 0:
        return np.nan
    if known_code(own, j, options):
        at = options.row[j] + int(own)
        for k in range(options.start[at], options.start[at + 1]):
            if options.target[k] == to:
                return float(options.price[k])
        return np.inf
    return float(options.change[j])
