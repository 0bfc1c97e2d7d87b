"""How unusual advised values are among the people of the reference table."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from standfast.methods.method import Matrix, Vector
from standfast.percentiles import Percentiles
from standfast.recommendations.causes import UnusualAdvice, UnusualValue
from standfast.schema import Schema

# what is unusual: a smaller share of people has as much or more, as little or less, or rarer values
TAIL = 0.01


def unusual_advice(
    schema: Schema, percentiles: Percentiles, X: Matrix, Y: Matrix, usual: Vector, own: Vector
) -> list[UnusualAdvice | None]:
    """For each person (row) sent from X to Y what is unusual there; None if nothing is.

    `usual` and `own` are the shares of the autoencoder's training people who are no more usual than
    the advice and than the person. Values together are unusual if rarer than `TAIL`, and than the
    person's own.
    """
    found: list[UnusualAdvice | None] = []
    worth = _near_a_tail(schema, percentiles, X, Y)
    for x, y, after, before, near in zip(X, Y, usual, own, worth, strict=True):
        values = unusual_values(schema, percentiles, x, y) if near else ()
        rare = float(after) if after < min(TAIL, before) else None
        any_ = bool(values) or rare is not None
        counts = ((value.feature, percentiles.known[value.feature]) for value in values)
        known = tuple((name, n) for name, n in counts if n < percentiles.rows)
        found.append(UnusualAdvice(percentiles.rows, values, rare, known) if any_ else None)
    return found


def _near_a_tail(
    schema: Schema, percentiles: Percentiles, X: Matrix, Y: Matrix
) -> NDArray[np.bool_]:
    """Who is sent to where a tail may be, or to another category: nobody else need be asked."""
    Q, moved = percentiles.rank(Y), X != Y
    counts = np.array([max(percentiles.known[feature.name], 1) for feature in schema])
    named = np.array([feature.kind == "nominal" for feature in schema])
    tail = TAIL + 1.0 / counts
    return np.asarray((moved & (named | (tail > Q) | (tail > 1.0 - Q))).any(axis=1))


def unusual_values(
    schema: Schema, percentiles: Percentiles, x: Vector, y: Vector
) -> tuple[UnusualValue, ...]:
    """For each change that leads into a tail of the reference table, how many people are there.

    A tail holds less than `TAIL` of the people. A person who is farther out themselves, or just as
    far, is left out. A category that so few people have counts as well.
    """
    found = []
    for j, feature in enumerate(schema):
        known = percentiles.known[feature.name]
        if x[j] == y[j]:
            continue
        up = bool(y[j] > x[j])
        if feature.kind == "nominal":
            up = False
            there, here = (_having(percentiles, j, value) for value in (y[j], x[j]))
        elif feature.is_missing(x[j]):  # filled in: whichever tail is nearer
            up = _beyond(percentiles, j, y[j], True) < _beyond(percentiles, j, y[j], False)
            there = here = _beyond(percentiles, j, y[j], up)
        else:
            there, here = (_beyond(percentiles, j, value, up) for value in (y[j], x[j]))
        if feature.is_missing(x[j]):
            here = known
        if there < min(TAIL * known, here):
            found.append(UnusualValue(feature.name, float(y[j]), there, up))
    return tuple(found)


def _beyond(percentiles: Percentiles, j: int, value: float, up: bool) -> int:
    """How many reference people have a value or one beyond it."""
    name = percentiles.names[j]
    passed = int(np.searchsorted(percentiles.values[name], value, side="left" if up else "right"))
    share = float(percentiles.shares[name][passed - 1]) if passed else 0.0
    return round((1.0 - share if up else share) * percentiles.known[name])


def _having(percentiles: Percentiles, j: int, code: float) -> int:
    """How many reference people have a category."""
    name = percentiles.names[j]
    weights = np.diff(percentiles.shares[name], prepend=0.0)
    share = float(weights[percentiles.values[name] == code].sum())
    return round(share * percentiles.known[name])


def within_reference(domain: Schema, percentiles: Percentiles) -> Schema:
    """The domain without what lies beyond everybody in the reference table.

    Where the two have nothing in common, the domain's bounds stay: somebody declared them. Named
    categories stay all.
    """
    features = []
    for feature in domain:
        assert feature.lower is not None
        assert feature.upper is not None
        if feature.categories is not None:
            features.append(feature)
            continue
        values = percentiles.values[feature.name]
        low, high = max(feature.lower, float(values[0])), min(feature.upper, float(values[-1]))
        features.append(replace(feature, lower=low, upper=high) if low <= high else feature)
    return replace(domain, features=tuple(features))
