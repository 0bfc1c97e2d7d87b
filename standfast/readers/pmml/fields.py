"""The fields of a PMML model as functions of the schema's inputs: types, gaps, odd values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.dividing import by_value, replaced
from standfast.readers.piecewise.steps import Single
from standfast.readers.pmml.document import Element, as_number, not_read
from standfast.schema import Feature, Schema

NUMBERS = ("integer", "float", "double")
TYPES = (*NUMBERS, "string", "boolean")


@dataclass(frozen=True, eq=False)
class Field:
    """A field: what it holds for each value of its input, its type, and its order if it has one."""

    cells: Cells[Piece]
    type: str = "double"
    feature: Feature | None = None
    order: tuple[str, ...] = ()
    as_given: Cells[Piece] | None = None  # before invalid values were refused

    def constant(self, text: str, where: str) -> float | str:
        """A constant of the file as this field would hold it; a category must be the schema's."""
        if self.feature is not None and self.feature.coder is not None:
            return self._category(text, where)
        numeric = self.feature is not None or self.type in NUMBERS
        if not numeric:
            return text.lower() if self.type == "boolean" else text
        if self.type in ("boolean", "string") and text.lower() in ("true", "false"):
            return float(text.lower() == "true")
        if self.feature is not None and not _is_number(text):
            raise InputError(
                f"{where} names {text!r}, but the schema's '{self.feature.name}' holds numbers; "
                "make it a nominal with the categories that the file names"
            )
        number = as_number(text, where)
        return float(np.float32(number)) if self.type == "float" else number

    def _category(self, text: str, where: str) -> float | str:
        feature = self.feature
        assert feature is not None
        assert feature.coder is not None
        code = _code(feature, text)
        if code is None:
            raise InputError(
                f"{where} names the category {text!r}, which the schema's '{feature.name}' lacks"
                f"{feature.coder.nearest(text)}; it has {listing(feature.coder.names)}: add the "
                "category to the schema, or spell both alike"
            )
        return _held(feature.coder.names[code], self.type, feature)


def _code(feature: Feature, text: str) -> int | None:
    """The code of the category that a file calls so."""
    assert feature.coder is not None
    tries: list[object] = [text]
    if text.lower() in ("true", "false"):
        tries.append(text.lower() == "true")
    if _is_number(text):
        tries.append(float(text))
    found = [feature.coder.of(one) for one in tries]
    return next((int(code) for code in found if np.isfinite(code)), None)


def _held(name: object, kind: str, feature: Feature) -> float | str:
    """A category as a field of this type holds it."""
    if kind not in NUMBERS:
        return str(name).lower() if isinstance(name, bool) else str(name)
    if isinstance(name, str) and not _is_number(name):
        raise InputError(
            f"the field '{feature.name}' holds numbers ({kind}) in the file, but the schema's "
            f"'{feature.name}' has categories such as {name!r}; make it a number in the schema"
        )
    number = float(name)  # type: ignore[arg-type]
    return float(np.float32(number)) if kind == "float" else number


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def data_field(element: Element, schema: Schema) -> Field:
    """A field of the data dictionary as the schema's column of its name gives it.

    Values declared missing are missing, and those declared invalid, or not among those declared
    valid, are refused; the mining schema may have it otherwise.
    """
    name, kind = element.word("name"), element.get("dataType", "string")
    if name not in schema.names:
        raise InputError(
            f"the model reads the field '{name}' (line {element.line}), which the schema does not "
            f"hold; it has {listing(schema.names)}: add the feature or rename it"
        )
    if kind not in TYPES:
        raise not_read(element, f"the field '{name}' of the type {kind}")
    j = schema.names.index(name)
    feature = schema.features[j]
    if feature.coder is not None:
        names = feature.coder.names
        held: tuple[Piece, ...] = tuple(_held(one, kind, feature) for one in names)
        cells = Cells(j, (-np.inf, *map(float, range(len(names) - 1))), (Lack.MISSING, *held))
    else:
        moving = Moving((Single(),)) if kind == "float" else Moving()
        cells = Cells(j, (-np.inf,), (Lack.MISSING, moving))
    values = [(v.get("property", "valid"), v.word("value"), v) for v in element.all("Value")]
    order = tuple(v for kept, v, _ in values if kept == "valid")
    found = Field(cells, kind, feature, order if element.get("optype") == "ordinal" else ())
    marked: dict[str, list[float | str]] = {"valid": [], "invalid": [], "missing": []}
    for kept, text, one in values:
        known = feature.coder is None or _code(feature, text) is not None
        if known or kept == "valid":  # what stands for a gap in other tables need not be here
            if feature.coder is None and not _is_number(text) and kept != "valid":
                continue
            marked.setdefault(kept, []).append(found.constant(text, one.place))
    for value in marked["missing"]:
        cells = replaced(cells, value, Lack.MISSING)
    given = cells
    for value in marked["invalid"]:
        cells = replaced(cells, value, Lack.REFUSED)
    intervals = list(element.all("Interval"))
    if intervals or marked["valid"]:
        cells = _only(cells, marked["valid"], [margins(one) for one in intervals])
    return Field(cells, kind, feature, found.order, given)


Margins = tuple[float, bool, float, bool]  # from, whether included, to, whether included


def margins(interval: Element) -> Margins:
    """An interval's ends, and whether they belong to it."""
    closure = interval.word("closure")
    if closure not in ("openOpen", "openClosed", "closedOpen", "closedClosed"):
        raise not_read(interval, f"the closure {closure!r}")
    low = interval.number("leftMargin", -np.inf)
    high = interval.number("rightMargin", np.inf)
    return low, closure.startswith("closed"), high, closure.endswith("Closed")


def _only(
    cells: Cells[Piece], values: Sequence[float | str], intervals: Sequence[Margins]
) -> Cells[Piece]:
    """The same, with everything refused that is no valid value and in no valid interval."""

    def change(value: float | str, piece: Piece) -> Piece:
        kept = value in values or (isinstance(value, float) and within(value, intervals))
        return piece if kept else Lack.REFUSED

    return by_value(
        cells, [*values, *(e for low, _, high, _ in intervals for e in (low, high))], change
    )


def within(value: float, intervals: Sequence[Margins]) -> bool:
    """Whether a number lies in one of some intervals."""
    return any(
        (value > low or (with_low and value == low))
        and (value < high or (with_high and value == high))
        for low, with_low, high, with_high in intervals
    )
