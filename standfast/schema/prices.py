"""What moves cost that no percentile can price: changes of category, and filling in."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.schema.categories import CHANGE_OF_CATEGORY

if TYPE_CHECKING:
    from standfast.schema.feature import Feature


def priced_transitions(feature: "Feature") -> NDArray[np.float64] | None:
    """From category (row) to category (column): the price, infinite if it may not be."""
    if feature.transitions is None or feature.coder is None or feature.categories is None:
        return None
    n, flat = len(feature.categories), feature.price or CHANGE_OF_CATEGORY
    prices = np.full((n, n), np.inf)
    np.fill_diagonal(prices, 0.0)
    for source, targets in feature.transitions:
        for target, price in targets:
            a, b = int(feature.coder.of(source)), int(feature.coder.of(target))
            prices[a, b] = flat if price is None else price
    return prices


def flat_price(feature: "Feature", x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """The price of each move; NaN where percentiles apply, infinite where it is not allowed."""
    x, y = np.broadcast_arrays(x, y)
    price = np.full(x.shape, np.nan)
    if feature.kind == "nominal":
        price[...] = feature.price or CHANGE_OF_CATEGORY
        table = feature.priced_transitions
        if table is not None:
            inside = (x >= 0) & (x < len(table)) & (y >= 0) & (y < len(table))
            a, b = x[inside].astype(np.intp), y[inside].astype(np.intp)
            price[inside] = table[a, b]
    lacking = feature.is_missing(x)
    price[lacking] = feature.fill_price or CHANGE_OF_CATEGORY
    price[x == y] = 0.0
    return price
