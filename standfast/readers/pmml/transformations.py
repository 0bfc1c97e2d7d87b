"""Derived fields: what PMML makes of one field, as a function of the same input."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.dividing import equals, parted
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
            return _missing_to(given, element)
        case "NormContinuous":
            return _norm_continuous(element, fields)
        case "NormDiscrete":
            return _norm_discrete(element, fields)
        case "Discretize":
            return _discretize(element, fields)
        case "MapValues":
            return _map_values(element, fields)
        case "Apply":
            return _apply(element, fields)
    raise not_read(element)


def _missing_to(given: Field, element: Element) -> Field:
    if "mapMissingTo" not in element.attributes:
        return given
    by = given.constant(element.word("mapMissingTo"), f"{element.place}: mapMissingTo")
    return replace(given, cells=given.cells.each(lambda p: by if p is Lack.MISSING else p))


def _made(cells: Cells[Piece], element: Element) -> Field:
    """A field with values of its own, gaps replaced by what the expression says."""
    if "mapMissingTo" in element.attributes:
        text = element.word("mapMissingTo")
        by: Piece = as_number(text, element.place) if element.name.startswith("Norm") else text
        cells = cells.each(lambda p: by if p is Lack.MISSING else p)
    return Field(cells)


def _norm_continuous(element: Element, fields: Fields) -> Field:
    given = fields(element.word("field"), element)
    points = [(p.number("orig"), p.number("norm")) for p in element.all("LinearNorm")]
    if len(points) < 2 or any(a[0] >= b[0] for a, b in pairwise(points)):
        raise InputError(f"{element.place} needs at least two points from left to right")
    outliers = element.get("outliers", "asIs")
    if outliers not in ("asIs", "asMissingValues", "asExtremeValues"):
        raise not_read(element, f"the treatment {outliers!r} of outliers")
    marks = [orig for orig, _ in points]

    def line(at: float) -> Between | Piece:
        if at < marks[0] and outliers != "asIs":
            return Lack.MISSING if outliers == "asMissingValues" else points[0][1]
        if at > marks[-1] and outliers != "asIs":
            return Lack.MISSING if outliers == "asMissingValues" else points[-1][1]
        k = min(max(int(np.searchsorted(marks, at, side="left")) - 1, 0), len(points) - 2)
        return Between(*points[k], *points[k + 1])

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Lack):
            return [(end, piece)]
        if isinstance(piece, str):
            raise InputError(f"{element.place} normalises '{piece}', which is no number")
        if isinstance(piece, float):
            found = line(piece)
            return [(end, float(found(np.array(piece))) if isinstance(found, Between) else found)]
        crossed = marks if outliers != "asIs" or len(marks) > 2 else []
        parts: list[tuple[float, Piece]] = []
        for e, at in parted(start, end, piece, crossed):
            found = line(at)
            moved = piece.then(found, found.increasing) if isinstance(found, Between) else found
            parts.append((e, moved))
        return parts

    return _made(given.cells.finer(divide), element)


def _norm_discrete(element: Element, fields: Fields) -> Field:
    given = fields(element.word("field"), element)
    if element.get("method", "indicator") != "indicator":
        raise not_read(element, f"the method {element.get('method')!r}")
    value = given.constant(element.word("value"), element.place)
    return _made(equals(given.cells, [value]), element)


def _discretize(element: Element, fields: Fields) -> Field:
    given = fields(element.word("field"), element)
    bins = [
        (b.word("binValue"), margins(b.needed("Interval"))) for b in element.all("DiscretizeBin")
    ]
    default: Piece = element.attributes.get("defaultValue", Lack.MISSING)
    marks = sorted({e for _, (a, _, b, _) in bins for e in (a, b) if np.isfinite(e)})

    def binned(value: float) -> Piece:
        return next((name for name, where in bins if within(value, [where])), default)

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving):
            return [(e, binned(v)) for e, v in parted(start, end, piece, marks)]
        if isinstance(piece, str):
            raise InputError(f"{element.place} sorts '{piece}' into bins, which is no number")
        return [(end, piece if isinstance(piece, Lack) else binned(piece))]

    return _made(given.cells.finer(divide), element)


def _map_values(element: Element, fields: Fields) -> Field:
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
    numbers = [key for key, _ in mapped if isinstance(key, float)]

    def looked_up(value: float | str) -> Piece:
        return next((output for key, output in mapped if key == value), default)

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving):
            return [(e, looked_up(v)) for e, v in parted(start, end, piece, numbers)]
        return [(end, piece if isinstance(piece, Lack) else looked_up(piece))]

    return _made(given.cells.finer(divide), element)


def _apply(element: Element, fields: Fields) -> Field:
    arguments = [part for part in element.children if part.name != "Extension"]
    constants: list[float | None] = []
    given: Sequence[Field] = []
    for part in arguments:
        if part.name == "Constant":
            constants.append(as_number(part.text.strip(), part.place))
        else:
            constants.append(None)
            given = [*given, expressed(part, fields)]
    if len(given) != 1:
        raise not_read(element, f"the function {element.get('function')!r} of {len(given)} fields")
    cells = applied(element, given[0].cells, constants)
    if "mapMissingTo" in element.attributes:
        by = as_number(element.word("mapMissingTo"), element.place)
        cells = cells.each(lambda p: by if p is Lack.MISSING else p)
    if "defaultValue" in element.attributes:
        other = as_number(element.word("defaultValue"), element.place)
        cells = cells.each(lambda p: other if p is Lack.MISSING else p)
    return Field(cells)
