"""PMML's arithmetic of one field and constants, kept to what rises or falls piece by piece."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.columns.step import Applied, Scaled, Step, Stretched
from standfast.readers.piecewise.cells import Cells, Lack, Piece
from standfast.readers.piecewise.dividing import after, by_value, stepped
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


def applied(
    element: Element, cells: Cells[Piece], constants: Sequence[float | None]
) -> Cells[Piece]:
    """What a function of one field, at the place where `constants` is None, makes of it."""
    name = element.word("function")
    if any(isinstance(piece, str) for piece in cells.values):
        raise InputError(f"{element.place} calculates with names; export the model again")
    if name in ("+", "-", "*", "/") and len(constants) == 2:
        return stepped(cells, _affine(element, name, constants))
    if name in RISING and len(constants) == 1:
        return _rising(cells, *RISING[name])
    if name in ("min", "max") and len(constants) > 1:
        limits = [c for c in constants if c is not None]
        return _limited(cells, name, min(limits) if name == "min" else max(limits))
    if name == "abs" and len(constants) == 1:
        return by_value(cells, [0.0], _absolute)
    raise not_read(element, f"the function {name!r}")


def _affine(element: Element, name: str, constants: Sequence[float | None]) -> Step:
    first, second = constants
    constant = second if first is None else first
    assert constant is not None
    if name == "/" and first is not None:
        raise not_read(element, "a division by a field")
    if name == "/" and constant == 0.0:
        raise InputError(f"{element.place} divides by zero; export the model again")
    match name:
        case "+":
            return Stretched(1.0, constant)
        case "-":
            return Stretched(1.0, -constant) if first is None else Stretched(-1.0, constant)
        case "*":
            return Stretched(constant)
    return Scaled(0.0, constant)


def _absolute(value: Any, piece: Piece) -> Piece:
    return piece if value >= 0.0 else after(piece, Stretched(-1.0))


def _rising(
    cells: Cells[Piece], function: np.ufunc, least: float, with_least: bool
) -> Cells[Piece]:
    step = Applied(function, {}, None, 0)

    def change(value: Any, piece: Piece) -> Piece:
        defined = value > least or (with_least and value == least)
        return after(piece, step) if defined else Lack.REFUSED

    return by_value(cells, [least], change)


def _limited(cells: Cells[Piece], name: str, limit: float) -> Cells[Piece]:
    def change(value: Any, piece: Piece) -> Piece:
        beyond = value > limit if name == "min" else value < limit
        return limit if beyond else piece

    return by_value(cells, [limit], change)
