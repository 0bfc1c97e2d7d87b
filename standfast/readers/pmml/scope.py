"""Which fields a model sees: its mining schema's, derived ones, the results of earlier models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.piecewise.cells import Cells, Lack, Piece
from standfast.readers.piecewise.dividing import by_value, filled, guards
from standfast.readers.piecewise.sums import Sum
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.fields import Field, data_field
from standfast.readers.pmml.transformations import derived
from standfast.schema import Schema


@dataclass(frozen=True, eq=False)
class Scope:
    """The fields that a model's parts may name, made when they are first named.

    An inner model sees those of the model around it, too. `classes` are those of the file, if it
    has some, and `favourable` the one that is wanted.
    """

    schema: Schema
    classes: Sequence[str]
    favourable: str | None
    data: Mapping[str, Element]
    mined: Mapping[str, Element]
    derived: Mapping[str, Element]
    results: Mapping[str, Sum] = field(default_factory=dict)
    outer: "Scope | None" = None
    made: dict[str, Field] = field(default_factory=dict)
    making: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        root: Element,
        model: Element,
        schema: Schema,
        classes: Sequence[str],
        favourable: str | None,
    ) -> "Scope":
        """What the outermost model sees: the data dictionary, all that is derived for everybody."""
        data = {d.word("name"): d for d in root.needed("DataDictionary").all("DataField")}
        shared = _derived(root.child("TransformationDictionary"))
        local = _derived(model.child("LocalTransformations"))
        mined = _mined(model)
        return cls(schema, classes, favourable, data, mined, {**shared, **local})

    def inner(self, model: Element) -> "Scope":
        """What a model within this one sees: its mining schema and its local transformations."""
        local = _derived(model.child("LocalTransformations"))
        return replace(
            self, mined=_mined(model), derived=local, results={}, outer=self, made={}, making=set()
        )

    def with_results(self, results: Mapping[str, Sum]) -> "Scope":
        """The same for the next model of a chain, which may read the earlier ones' results."""
        return replace(self, results={**self.results, **results}, made={}, making=set())

    def result(self, name: str) -> Sum | None:
        """The result of an earlier model of a chain that has this name."""
        found = self.results.get(name)
        if found is None and self.outer is not None:
            return self.outer.result(name)
        return found

    def field(self, name: str, place: Element) -> Field:
        """The field of this name."""
        if name not in self.made:
            if name in self.making:
                raise InputError(f"{place.place}: the field '{name}' is derived from itself")
            self.making.add(name)
            self.made[name] = self._make(name, place)
        return self.made[name]

    def _make(self, name: str, place: Element) -> Field:
        if self.result(name) is not None:
            raise not_read(place, f"a question about '{name}', another model's result,")
        if name in self.derived:
            return derived(self.derived[name], self.field)
        if self.outer is not None:
            found = self.outer.field(name, place)
            if name not in self.mined:
                return found
            if self.mined[name].get("missingValueTreatment") == "returnInvalid":
                raise not_read(self.mined[name], "an inner model that refuses missing values")
            return treated(found, self.mined[name])
        if name in self.mined and name in self.data:
            return treated(
                validated(data_field(self.data[name], self.schema), self.mined[name]),
                self.mined[name],
            )
        raise InputError(
            f"{place.place} names the field '{name}', which is neither in the model's mining "
            f"schema nor derived; there are {listing([*self.mined, *self.derived])}"
        )

    def guards(self) -> list[Cells[Piece]]:
        """For each field that a model takes in: nothing, or refused, where it gives no result."""
        found = []
        for name, mined in self.mined.items():
            if mined.get("usageType", "active") != "active" or name not in self.schema.names:
                continue
            if name in self.data:
                found.append(self.field(name, mined).cells)
        return guards(found)


def _mined(model: Element) -> dict[str, Element]:
    return {m.word("name"): m for m in model.needed("MiningSchema").all("MiningField")}


def _derived(found: Element | None) -> dict[str, Element]:
    return {} if found is None else {d.word("name"): d for d in found.all("DerivedField")}


def validated(given: Field, mined: Element) -> Field:
    """A field after a model's treatment of invalid values."""
    kind, cells = mined.get("invalidValueTreatment", "returnInvalid"), given.cells
    if kind == "asMissing":
        cells = cells.each(lambda p: Lack.MISSING if p is Lack.REFUSED else p)
    elif kind == "asValue":
        text = mined.word("invalidValueReplacement")
        by = given.constant(text, f"{mined.place}: invalidValueReplacement")
        cells = cells.each(lambda p: by if p is Lack.REFUSED else p)
    elif kind == "asIs":
        cells = cells if given.as_given is None else given.as_given
    elif kind != "returnInvalid":
        raise not_read(mined, f"the treatment {kind!r} of invalid values")
    return replace(given, cells=cells)


def treated(given: Field, mined: Element) -> Field:
    """A field after a model's treatment of outliers and missing values."""
    cells, outliers = given.cells, mined.get("outliers", "asIs")
    if outliers != "asIs":
        cells = _outliers(cells, mined, outliers)
    if mined.get("missingValueTreatment") == "returnInvalid":
        cells = filled(cells, Lack.REFUSED)
    elif "missingValueReplacement" in mined.attributes:
        text = mined.word("missingValueReplacement")
        by = given.constant(text, f"{mined.place}: missingValueReplacement")
        cells = filled(cells, by)
    return replace(given, cells=cells)


def _outliers(cells: Cells[Piece], mined: Element, kind: str) -> Cells[Piece]:
    if kind not in ("asMissingValues", "asExtremeValues"):
        raise not_read(mined, f"the treatment {kind!r} of outliers")
    low, high = mined.number("lowValue", -np.inf), mined.number("highValue", np.inf)

    def change(value: float | str, piece: Piece) -> Piece:
        if isinstance(value, str) or low <= value <= high:
            return piece
        return Lack.MISSING if kind == "asMissingValues" else min(max(value, low), high)

    return by_value(cells, [low, high], change)
