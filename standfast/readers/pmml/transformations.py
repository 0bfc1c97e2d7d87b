"""Derived fields: what PMML makes of one field, as a function of the same input."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.dividing import after, by_value, equals, filled
from standfast.readers.piecewise.steps import Between, Single
from standfast.readers.pmml.apply import applied
from standfast.readers.pmml.document import Element, as_number, not_read
from standfast.readers.pmml.fields import NUMBERS, Field, margins, within

Fields = Callable[[str, Element], Field]
EXPRESSIONS = (
    *("FieldRef", "Constant", "NormContinuous", "NormDiscrete", "Discretize", "MapValues"),
    *("Apply", "TextIndex", "Aggregate", "Lag"),
)


def derived(element: Element, fields: Fields) -> Field:
    """The field that a DerivedField describes."""
    expression = element.needed(*EXPRESSIONS)
    kind = element.get("dataType", "double")
    found = expressed(expression, fields)
    if (found.feature is None and kind in NUMBERS) or (kind == "float" and found.type != "float"):
        found = replace(found, cells=found.cells.each(lambda p: _typed(p, kind, element)))
    return replace(found, type=kind)


def _typed(piece: Piece, kind: str, element: Element) -> Piece:
    if isinstance(piece, str):
        piece = as_number(piece, f"{element.place}: a value")
    if kind == "float" and isinstance(piece, Moving):
        return piece.then(Single())
    if kind == "float" and isinstance(piece, float):
        return float(np.float32(piece))
    return piece


def expressed(element: Element, fields: Fields) -> Field:
    """The field that an expression gives."""
    match element.name:
        case "FieldRef":
            given = fields(element.word("field"), element)
            if "mapMissingTo" not in element.attributes:
                return given
            by = given.constant(element.word("mapMissingTo"), f"{element.place}: mapMissingTo")
            return replace(given, cells=filled(given.cells, by))
        case "NormContinuous" | "NormDiscrete" | "Discretize":
            cells = CHANGES[element.name](element, fields(element.word("field"), element))
        case "MapValues":
            cells = _map_values(element, fields)
        case "Apply":
            cells = _apply(element, fields)
        case _:
            raise not_read(element)
    if "mapMissingTo" in element.attributes:
        text = element.word("mapMissingTo")
        names = element.name in ("Discretize", "MapValues")
        cells = filled(cells, text if names else as_number(text, element.place))
    if element.name == "Apply" and "defaultValue" in element.attributes:
        cells = filled(cells, as_number(element.word("defaultValue"), element.place))
    return Field(cells)


def _norm_continuous(element: Element, given: Field) -> Cells[Piece]:
    points = [(p.number("orig"), p.number("norm")) for p in element.all("LinearNorm")]
    if len(points) < 2 or any(a[0] >= b[0] for a, b in pairwise(points)):
        raise InputError(f"{element.place} needs at least two points from left to right")
    outliers = element.get("outliers", "asIs")
    if outliers not in ("asIs", "asMissingValues", "asExtremeValues"):
        raise not_read(element, f"the treatment {outliers!r} of outliers")
    marks = [orig for orig, _ in points]

    def change(at: float | str, piece: Piece) -> Piece:
        if isinstance(at, str):
            raise InputError(f"{element.place} normalises '{at}', which is not a number")
        if outliers != "asIs" and not marks[0] <= at <= marks[-1]:
            nearest = points[0 if at < marks[0] else -1][1]
            return Lack.MISSING if outliers == "asMissingValues" else nearest
        k = min(max(int(np.searchsorted(marks, at, side="left")) - 1, 0), len(points) - 2)
        return after(piece, Between(*points[k], *points[k + 1]))

    crossed = marks if outliers != "asIs" or len(marks) > 2 else []
    return by_value(given.cells, crossed, change)


def _norm_discrete(element: Element, given: Field) -> Cells[Piece]:
    if element.get("method", "indicator") != "indicator":
        raise not_read(element, f"the method {element.get('method')!r}")
    value = given.constant(element.word("value"), element.place)
    return equals(given.cells, [value])


def _discretize(element: Element, given: Field) -> Cells[Piece]:
    bins = [
        (b.word("binValue"), margins(b.needed("Interval"))) for b in element.all("DiscretizeBin")
    ]
    default: Piece = element.attributes.get("defaultValue", Lack.MISSING)
    marks = {end for _, (low, _, high, _) in bins for end in (low, high)}

    def binned(value: float | str, _: Piece) -> Piece:
        if isinstance(value, str):
            raise InputError(f"{element.place} sorts '{value}' into bins, which is not a number")
        return next((name for name, where in bins if within(value, [where])), default)

    return by_value(given.cells, marks, binned)


CHANGES: dict[str, Callable[[Element, Field], Cells[Piece]]] = {
    "NormContinuous": _norm_continuous,
    "NormDiscrete": _norm_discrete,
    "Discretize": _discretize,
}


def _map_values(element: Element, fields: Fields) -> Cells[Piece]:
    pairs = list(element.all("FieldColumnPair"))
    if len(pairs) != 1:
        raise not_read(element, f"a table of {len(pairs)} fields at once")
    given = fields(pairs[0].word("field"), element)
    table = element.child("InlineTable")
    if table is None:
        raise not_read(element, "a table outside the file")
    column, output = pairs[0].word("column"), element.word("outputColumn")
    mapped: list[tuple[float | str, str]] = []
    for row in table.all("row"):
        entries = {cell.name.rpartition(":")[2]: cell.text.strip() for cell in row.children}
        if column not in entries or output not in entries:
            raise InputError(f"{row.place} lacks '{column}' or '{output}'; export the model again")
        mapped.append((given.constant(entries[column], row.place), entries[output]))
    default: Piece = element.attributes.get("defaultValue", Lack.MISSING)

    def looked_up(value: float | str, _: Piece) -> Piece:
        return next((output for key, output in mapped if key == value), default)

    return by_value(given.cells, [key for key, _ in mapped], looked_up)


def _apply(element: Element, fields: Fields) -> Cells[Piece]:
    constants: list[float | None] = []
    given: list[Field] = []
    for part in element.children:
        if part.name == "Constant":
            constants.append(as_number(part.text.strip(), part.place))
        elif part.name != "Extension":
            constants.append(None)
            given.append(expressed(part, fields))
    if len(given) != 1:
        raise not_read(element, f"the function {element.get('function')!r} of {len(given)} fields")
    return applied(element, given[0].cells, constants)
