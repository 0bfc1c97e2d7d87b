"""PMML's arithmetic of one field and constants, kept to what rises or falls piece by piece."""

from collections.abc import Callable, Sequence

import numpy as np

from standfast.errors import InputError
from standfast.readers.columns.step import Applied, Scaled, Step, Stretched
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.dividing import parted
from standfast.readers.pmml.document import Element, not_read

# a rising function, and the least number from which on it is defined (and whether at that number)
RISING: dict[str, tuple[np.ufunc, float, bool]] = {
    "ln": (np.log, 0.0, False),
    "log10": (np.log10, 0.0, False),
    "ln1p": (np.log1p, -1.0, False),
    "sqrt": (np.sqrt, 0.0, True),
    "exp": (np.exp, -np.inf, True),
    "expm1": (np.expm1, -np.inf, True),
    "floor": (np.floor, -np.inf, True),
    "ceil": (np.ceil, -np.inf, True),
}
Divide = Callable[[float, float, Piece], list[tuple[float, Piece]]]


def applied(
    element: Element, cells: Cells[Piece], constants: Sequence[float | None]
) -> Cells[Piece]:
    """What a function of one field, at the place where `constants` is None, makes of it."""
    name = element.word("function")
    if any(isinstance(piece, str) for piece in cells.values):
        raise InputError(f"{element.place} calculates with names; export the model again")
    if name in ("+", "-", "*", "/") and len(constants) == 2:
        return cells.finer(_stepped(_affine(element, name, constants)))
    if name in RISING and len(constants) == 1:
        return cells.finer(_rising(*RISING[name]))
    if name in ("min", "max"):
        limits = [c for c in constants if c is not None]
        return cells.finer(_limited(name, min(limits) if name == "min" else max(limits)))
    if name == "abs" and len(constants) == 1:
        return cells.finer(_absolute)
    raise not_read(element, f"the function {name!r}")


def _affine(element: Element, name: str, constants: Sequence[float | None]) -> Step:
    first, second = constants
    if first is None and second is not None:
        if name == "/" and second == 0.0:
            raise InputError(f"{element.place} divides by zero; export the model again")
        match name:
            case "+":
                return Stretched(1.0, second)
            case "-":
                return Stretched(1.0, -second)
            case "*":
                return Stretched(second)
            case _:
                return Scaled(0.0, second)
    assert first is not None
    match name:
        case "+":
            return Stretched(1.0, first)
        case "-":
            return Stretched(-1.0, first)
        case "*":
            return Stretched(first)
    raise not_read(element, "a division by a field")


def _stepped(step: Step) -> Divide:
    slope = step.affine[0] if isinstance(step, Scaled | Stretched) else 1.0

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, Moving) and slope:
            return [(end, piece.then(step, slope > 0))]
        if isinstance(piece, Moving):
            return [(end, float(step(np.array([0.0]))[0]))]
        return [(end, _at(step, piece))]

    return divide


def _at(step: Step, piece: Piece) -> Piece:
    return float(step(np.array([piece]))[0]) if isinstance(piece, float) else piece


def _rising(function: np.ufunc, least: float, with_least: bool) -> Divide:
    step = Applied(function, {}, None, 0)

    def defined(value: float) -> bool:
        return value > least or (with_least and value == least)

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, float):
            return [(end, _at(step, piece) if defined(piece) else Lack.REFUSED)]
        if not isinstance(piece, Moving):
            return [(end, piece)]
        marks = [least] if np.isfinite(least) else []
        parts = parted(start, end, piece, marks)
        return [(e, piece.then(step) if defined(v) else Lack.REFUSED) for e, v in parts]

    return divide


def _limited(name: str, limit: float) -> Divide:
    def beyond(value: float) -> bool:
        return value > limit if name == "min" else value < limit

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
        if isinstance(piece, float):
            return [(end, limit if beyond(piece) else piece)]
        if not isinstance(piece, Moving):
            return [(end, piece)]
        parts = parted(start, end, piece, [limit])
        return [(e, limit if beyond(v) else piece) for e, v in parts]

    return divide


def _absolute(start: float, end: float, piece: Piece) -> list[tuple[float, Piece]]:
    if isinstance(piece, float):
        return [(end, abs(piece))]
    if not isinstance(piece, Moving):
        return [(end, piece)]
    parts = parted(start, end, piece, [0.0])
    return [(e, piece if v >= 0 else piece.then(Stretched(-1.0), False)) for e, v in parts]
