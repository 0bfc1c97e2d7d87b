"""Moves that no number line describes, as kernels read them: categories, gaps and their prices."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema.categories import CHANGE_OF_CATEGORY
from standfast.schema.feature import Feature

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


class Options(NamedTuple):
    """Which category of an input may become which, what stands for a gap, and the flat prices.

    `categories[j]` is 0 for an input whose values have an order. The categories that code c of
    input j may become are target[start[row[j] + c]] to before target[start[row[j] + c + 1]], at
    the same places of `price`; where row[j] is −1, any may become any other, at the price
    `change[j]`. `fill[j]` is the price of filling in a gap, and token[token_start[j]] to before
    token[token_start[j + 1]] are the values that stand for one.
    """

    categories: Indices
    change: Vector
    fill: Vector
    row: Indices
    start: Indices
    target: Indices
    price: Vector
    token_start: Indices
    token: Vector


def options_of(features: Sequence[Feature]) -> Options:
    """What a schema's features say of categories and gaps."""
    row, start, target, price = [], [0], list[int](), list[float]()
    for feature in features:
        table = feature.priced_transitions
        row.append(-1 if table is None else len(start) - 1)
        for source, prices in enumerate(() if table is None else table):
            ways = np.flatnonzero(np.isfinite(prices))
            ways = ways[ways != source]
            target += ways.tolist()
            price += prices[ways].tolist()
            start.append(len(target))
    nominal = [f.kind == "nominal" and f.categories is not None for f in features]
    return Options(
        np.array([len(f.categories or ()) * n for f, n in zip(features, nominal, strict=True)]),
        np.array([f.price or CHANGE_OF_CATEGORY for f in features]),
        np.array([f.fill_price or CHANGE_OF_CATEGORY for f in features]),
        np.array(row, dtype=np.int64),
        np.array(start, dtype=np.int64),
        np.array(target, dtype=np.int64),
        np.array(price, dtype=np.float64),
        np.cumsum([0, *(len(f.tokens) for f in features)]).astype(np.int64),
        np.array([token for f in features for token in f.tokens], dtype=np.float64),
    )
