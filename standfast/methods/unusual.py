"""How unusual advised values are among the people of the reference table, in sentences."""

import math
from dataclasses import replace

import numpy as np

from standfast.methods.method import Matrix, Vector
from standfast.percentiles import Percentiles
from standfast.schema import Schema

# what is unusual: a smaller share of people has as much or more, as little or less, or rarer values
TAIL = 0.01


def unusual_remarks(
    schema: Schema, percentiles: Percentiles, X: Matrix, Y: Matrix, usual: Vector, own: Vector
) -> list[str]:
    """For each person (row) sent from X to Y a remark on what is unusual there; '' if nothing is.

    `usual` and `own` are the shares of the autoencoder's training people who are no more usual than
    the advice and than the person.
    """
    remarks = []
    for x, y, after, before in zip(X, Y, usual, own, strict=True):
        said = [*unusual_values(schema, percentiles, x, y), *unusual_together(after, before)]
        text = "; ".join(said)
        remarks.append(f"{text[0].upper()}{text[1:]}." if text else "")
    return remarks


def unusual_values(schema: Schema, percentiles: Percentiles, x: Vector, y: Vector) -> list[str]:
    """For each change that leads into a tail of the reference table, how many people are there.

    A tail holds less than `TAIL` of the people. A person who is farther out themselves, or just as
    far, gets no remark.
    """
    said = []
    for j, feature in enumerate(schema):
        if x[j] == y[j]:
            continue
        up = bool(y[j] > x[j])
        there, here = (_beyond(percentiles, j, value, up) for value in (y[j], x[j]))
        if there < min(TAIL * percentiles.rows, here):
            many = f"only {there:,}" if there else "none"
            verb = "has" if there < 2 else "have"
            said.append(
                f"{feature.words} {feature.shown(y[j])}: {many} of the {percentiles.rows:,} "
                f"reference people {verb} {'as much or more' if up else 'as little or less'}"
            )
    return said


def _beyond(percentiles: Percentiles, j: int, value: float, up: bool) -> int:
    """How many reference people have a value or one beyond it."""
    name = percentiles.names[j]
    passed = int(np.searchsorted(percentiles.values[name], value, side="left" if up else "right"))
    share = float(percentiles.shares[name][passed - 1]) if passed else 0.0
    return round((1.0 - share if up else share) * percentiles.rows)


def unusual_together(usual: float, own: float) -> list[str]:
    """A sentence if the values together are rarer than `TAIL`, and than the person's own."""
    if not usual < min(TAIL, own):
        return []
    share = math.floor((1.0 - usual) * 1000) / 10  # never more than is true
    whose = f"{share:g} % of" if share < 100 else "all"
    return [
        f"together, these values are less usual than those of {whose} the people that the "
        "autoencoder was fitted on"
    ]


def within_reference(domain: Schema, percentiles: Percentiles) -> Schema:
    """The domain without what lies beyond everybody in the reference table.

    Where the two have nothing in common, the domain's bounds stay: somebody declared them.
    """
    features = []
    for feature in domain:
        assert feature.lower is not None
        assert feature.upper is not None
        values = percentiles.values[feature.name]
        low, high = max(feature.lower, float(values[0])), min(feature.upper, float(values[-1]))
        features.append(replace(feature, lower=low, upper=high) if low <= high else feature)
    return replace(domain, features=tuple(features))
