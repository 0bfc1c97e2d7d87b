"""PMML's predicates in three-valued logic: true, false, or unknown where a value is missing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece, combined, signs
from standfast.readers.piecewise.dividing import equals
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.fields import Field
from standfast.readers.pmml.scope import Scope

S = TypeVar("S")
Truth = bool | None  # None: unknown
PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
# what a comparison says of a number below, at and above its value
ORDERED: dict[str, tuple[bool, bool, bool]] = {
    "lessThan": (True, False, False),
    "lessOrEqual": (True, True, False),
    "greaterOrEqual": (False, True, True),
    "greaterThan": (False, False, True),
}


@dataclass(frozen=True, eq=False)
class Compound:
    """Conditions on several inputs, joined: and, or, xor, surrogate."""

    operator: str
    parts: tuple["Condition", ...]


Condition = bool | Cells[Truth] | Compound  # the same for everybody, of one input, of several


def condition(element: Element, scope: Scope) -> Condition:
    """What a predicate asks; a question about one input only is brought into cells."""
    match element.name:
        case "True":
            return True
        case "False":
            return False
        case "SimplePredicate":
            return _simple(element, scope)
        case "SimpleSetPredicate":
            return _among(element, scope)
        case "CompoundPredicate":
            operator = element.word("booleanOperator")
            if operator not in JOINED:
                raise not_read(element, f"the operator {operator!r}")
            parts = tuple(
                condition(part, scope) for part in element.children if part.name in PREDICATES
            )
            if not parts:
                raise InputError(f"{element.place} joins nothing; export the model again")
            found = together(parts, JOINED[operator])
            return Compound(operator, parts) if found is None else found
    raise not_read(element)


def together(
    conditions: Sequence[Condition], join: Callable[[Sequence[Truth]], S]
) -> Cells[S] | S | None:
    """What is made of all answers, where they depend on one input at most; None if on several."""
    known = [one for one in conditions if isinstance(one, Cells)]
    if any(isinstance(one, Compound) for one in conditions) or len({c.input for c in known}) > 1:
        return None

    def joined(*found: Truth) -> S:
        rest = iter(found)
        return join([one if isinstance(one, bool) else next(rest) for one in conditions])

    return combined(known, joined) if known else joined()


def _and(parts: Sequence[Truth]) -> Truth:
    if False in parts:
        return False
    return None if None in parts else True


def _or(parts: Sequence[Truth]) -> Truth:
    if True in parts:
        return True
    return None if None in parts else False


def _xor(parts: Sequence[Truth]) -> Truth:
    return None if None in parts else sum(map(bool, parts)) % 2 == 1


def _surrogate(parts: Sequence[Truth]) -> Truth:
    return next((part for part in parts if part is not None), None)


JOINED: dict[str, Callable[[Sequence[Truth]], Truth]] = {
    "and": _and,
    "or": _or,
    "xor": _xor,
    "surrogate": _surrogate,
}


def _simple(element: Element, scope: Scope) -> Cells[Truth]:
    field, operator = scope.field(element.word("field"), element), element.word("operator")
    if operator in ("isMissing", "isNotMissing"):
        return field.cells.each(lambda p: (p is Lack.MISSING) == (operator == "isMissing"))
    value = field.constant(element.word("value"), element.place)
    if operator in ("equal", "notEqual"):
        found = equals(field.cells, [value])
        return found.each(lambda p: _said(p, operator == "equal"))
    if operator not in ORDERED:
        raise not_read(element, f"the operator {operator!r}")
    truths = ORDERED[operator]

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Truth]]:
        if isinstance(piece, Moving) and isinstance(value, float):
            return [(e, truths[sign + 1]) for e, sign in signs(start, end, piece, value)]
        if isinstance(piece, Lack):
            return [(end, None)]
        return [(end, truths[_sign(piece, value, field, element) + 1])]

    return field.cells.finer(divide)


def _said(piece: Piece, wanted: bool) -> Truth:
    return None if isinstance(piece, Lack) else (piece == 1.0) == wanted


def _sign(piece: Piece, value: float | str, field: Field, element: Element) -> int:
    """Whether a value comes before (−1), at (0) or after (1) another."""
    if isinstance(piece, float) and isinstance(value, float):
        return (piece > value) - (piece < value)
    if piece in field.order and value in field.order:
        first, second = (field.order.index(str(one)) for one in (piece, value))
        return (first > second) - (first < second)
    raise InputError(
        f"{element.place} asks which of {str(piece)!r} and {str(value)!r} comes first, but the "
        "file's data dictionary gives these names no order; export the model again"
    )


def _among(element: Element, scope: Scope) -> Cells[Truth]:
    field = scope.field(element.word("field"), element)
    operator = element.word("booleanOperator")
    if operator not in ("isIn", "isNotIn"):
        raise not_read(element, f"the operator {operator!r}")
    array = element.needed("Array")
    values = [field.constant(word, element.place) for word in array.words()]
    return equals(field.cells, values).each(lambda p: _said(p, operator == "isIn"))
