"""Scorecard: points for the first attribute of each characteristic that applies."""

from collections.abc import Sequence

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack, Piece
from standfast.readers.piecewise.growth import Ask, Known, grown
from standfast.readers.piecewise.sums import Sum
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.predicates import PREDICATES, Condition, Truth, condition, together
from standfast.readers.pmml.scope import Scope
from standfast.readers.pmml.tree_model import truth_of


def scorecard(model: Element, scope: Scope) -> Sum:
    """The sum of points; characteristics of several inputs become trees.

    Somebody to whom no attribute of a characteristic applies gets no result. Reason codes say
    nothing about points and are left aside.
    """
    total = Sum(model.number("initialScore", 0.0))
    for characteristic in model.needed("Characteristics").all("Characteristic"):
        total = total.plus(_characteristic(characteristic, scope))
    return total


def _characteristic(element: Element, scope: Scope) -> Sum:
    rows: list[tuple[Condition, float]] = []
    for attribute in element.all("Attribute"):
        if attribute.child("ComplexPartialScore") is not None:
            raise not_read(attribute.needed("ComplexPartialScore"))
        asked = condition(attribute.needed(*PREDICATES), scope)
        rows.append((asked, attribute.number("partialScore")))
    if not rows:
        raise InputError(f"{element.place} has no attributes; export the model again")

    def first(truths: Sequence[Truth]) -> Piece:
        points = (points for truth, (_, points) in zip(truths, rows, strict=True) if truth)
        return next(points, Lack.REFUSED)

    found = together([asked for asked, _ in rows], first)
    if found is None:
        return Sum(trees=((1.0, grown(rows, _follow, scope.schema)),))
    if isinstance(found, Cells):
        return Sum(lines=((1.0, found),))
    if isinstance(found, float):
        return Sum(found)
    raise InputError(f"{element.place}: no attribute ever applies; export the model again")


Rows = list[tuple[Condition, float]]


def _follow(rows: Rows, known: Known) -> tuple[Rows, Ask] | float | Lack:
    for asked, points in rows:
        truth = truth_of(asked, known)
        if isinstance(truth, Ask):
            return rows, truth
        if truth:
            return points
    return Lack.REFUSED
