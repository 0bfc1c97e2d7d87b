"""How far a move goes: standard deviations for numbers, a fixed length for categories and gaps.

As in Gower's distance a change of category has one length, whichever the categories are: twice its
price, so that the usual price of a half is one standard deviation. Filling in a gap likewise.
"""

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Feature, Schema
from standfast.schema.bounds import Bounds
from standfast.schema.categories import CHANGE_OF_CATEGORY, MISSING

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

LENGTH_PER_PRICE = 2.0


def lengths(domain: Schema, unit: Vector, X: Matrix, Y: Matrix) -> Matrix:
    """The length of every cell's move from X to Y; `unit` is one unit of each input's numbers."""
    far = np.zeros(X.shape)
    for j, feature in enumerate(domain):
        x, y = X[:, j], Y[:, j]
        moved = x != y
        far[moved, j] = np.abs(_numbers(y[moved]) - _numbers(x[moved])) / unit[j]
        if feature.irregular:
            flat = feature.flat_price(x, y)
            # a post-hoc search may leave a category that the person themselves never had
            flat = np.where(np.isinf(flat), feature.price or CHANGE_OF_CATEGORY, flat)
            far[:, j] = np.where(np.isnan(flat), far[:, j], LENGTH_PER_PRICE * flat)
    return far


def farthest(domain: Schema, unit: Vector, X: Matrix, bounds: Bounds) -> Matrix:
    """The length of the longest admissible move of every cell; 0 where there is none."""
    far = np.zeros(X.shape)
    for j in np.flatnonzero(domain.mutable):
        feature, x, a, b = domain.features[j], X[:, j], bounds.low[:, j], bounds.high[:, j]
        open_ = a <= b
        here, way = np.where(x == MISSING, 0.0, x), np.zeros(len(X))
        for end in (a, b):
            apart = (end <= bounds.below[:, j]) | (end >= bounds.above[:, j])
            with np.errstate(invalid="ignore"):  # an infinite bound
                way = np.where(apart, np.maximum(way, np.abs(end - here) / unit[j]), way)
        if feature.irregular:
            way = np.where(np.isnan(flat := _flat(feature, x)), way, LENGTH_PER_PRICE * flat)
        far[open_, j] = way[open_]
    return far


def _flat(feature: Feature, x: Vector) -> Vector:
    """The highest price of a flat move from each value; NaN where moves go along a number line."""
    found = np.full(len(x), np.nan)
    if feature.kind == "nominal":
        several = len(feature.categories or ()) > 1
        found[:] = (feature.price or CHANGE_OF_CATEGORY) if several else 0.0
        table = feature.priced_transitions
        if table is not None:
            most = np.where(np.isfinite(table), table, 0.0).max(axis=1)
            known = (x >= 0) & (x < len(table))
            found[known] = most[x[known].astype(np.intp)]
    found[feature.is_missing(x)] = feature.fill_price or CHANGE_OF_CATEGORY
    return found


def _numbers(column: Vector) -> Vector:
    return np.where(np.isfinite(column), column, 0.0)
