"""ONNX's encoders: categories to columns of zeros and ones, or to other values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.onnx.graph import DOUBLE, FLOAT, STRING, Operator, not_read
from standfast.readers.piecewise.cells import Cells, Lack, Piece
from standfast.readers.piecewise.dividing import by_value, equals, filled

INT64 = 7


def one_hot(one: Operator, cells: Cells[Piece]) -> list[Cells[Piece]]:
    """A column for each category of a column; one that is not known is all zeros, or refused."""
    texts = one.texts("cats_strings")
    numbers = [] if texts else one.needed("cats_int64s").tolist()
    categories: list[float | str] = [*texts, *numbers]
    forgiving = bool(one.whole("zeros", 1))
    known = equals(cells, categories)

    def found(piece: Piece, among: Piece) -> Piece:
        if among is Lack.MISSING:
            return 0.0 if forgiving else Lack.REFUSED
        return Lack.REFUSED if among == 0.0 and not forgiving else piece

    made = []
    for category in categories:
        column = equals(cells, [category])
        merged = sorted({*column.cuts, *known.cuts})
        values = tuple(found(column.at(end), known.at(end)) for end in (*merged, np.inf))
        made.append(Cells(cells.input, tuple(merged), values))
    return made


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table from values to values, and what stands for all others."""

    keys: Sequence[float | str]
    values: Sequence[float | str]
    otherwise: float | str
    type: int

    def cells(self, given: Cells[Piece]) -> Cells[Piece]:
        """A column looked up in the table."""
        pairs = list(zip(self.keys, self.values, strict=True))
        gap = next((v for k, v in pairs if k != k), self.otherwise)

        def of(value: float | str, _: Piece) -> Piece:
            return next((v for k, v in pairs if k == value), self.otherwise)

        return filled(by_value(given, self.keys, of), gap)


DEFAULTS: dict[str, tuple[str, float | str, int]] = {
    "strings": ("default_string", "_Unused", STRING),
    "int64s": ("default_int64", -1.0, INT64),
    "floats": ("default_float", -0.0, FLOAT),
}


def labelled(one: Operator) -> Labelled:
    """The table of a LabelEncoder in one of its versions."""
    if "classes_strings" in one.settings:  # the first version: names to their places
        names = one.texts("classes_strings")
        default = float(one.whole("default_int64", -1))
        return Labelled(names, [float(k) for k in range(len(names))], default, INT64)
    keys, _ = _side(one, "keys")
    values, kind = _side(one, "values")
    if len(keys) != len(values):
        raise InputError(f"{one.place} has more keys than values; export the model again")
    if kind == "tensor":
        text = bool(values) and isinstance(values[0], str)
        raw = np.asarray(one.settings["values_tensor"]).dtype
        default_tensor = one.settings.get("default_tensor")
        if default_tensor is None:
            raise not_read(one, "a table without a default")
        found = np.asarray(default_tensor).ravel()[0]
        otherwise = _as_held(one, found, text)
        number = FLOAT if raw == np.float32 else DOUBLE if raw == np.float64 else INT64
        return Labelled(keys, values, otherwise, STRING if text else number)
    name, usual, type = DEFAULTS[kind]
    otherwise = _as_held(one, one.settings.get(name, usual), type == STRING)
    return Labelled(keys, values, otherwise, type)


def _side(one: Operator, side: str) -> tuple[list[float | str], str]:
    """The keys or the values of a table, and of which kind they are."""
    for kind in DEFAULTS:
        name = f"{side}_{kind}"
        if name in one.settings:
            found = one.texts(name) if kind == "strings" else one.needed(name).tolist()
            return [*found], kind
    tensor = one.settings.get(f"{side}_tensor")
    if tensor is None:
        raise InputError(f"{one.place} lacks its {side}; export the model again")
    flat = np.asarray(tensor).ravel().tolist()
    return [_as_held(one, v, isinstance(v, str | bytes)) for v in flat], "tensor"


def _as_held(one: Operator, value: Any, text: bool) -> float | str:
    if text:
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{one.place} has a value that is not a number; export it again") from None
