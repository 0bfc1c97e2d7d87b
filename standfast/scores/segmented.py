"""A model for each segment of the people, such as each product, as one score."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.schema import Schema
from standfast.schema.categories import UNKNOWN, Category
from standfast.schema.condition import Comparison, Condition, Every, IsMissing, Not, Some
from standfast.schema.values import as_number, described
from standfast.scores.score import Bools, Matrix, Score, Vector, checked, surely_accepts


@dataclass(frozen=True)
class Segment:
    """Some values of the segment column, by their names and codes, and the model that decides.

    The last segment of a model may be `other`: all values that no other segment has.
    """

    names: tuple[Category, ...]
    codes: tuple[float, ...]
    model: Score
    other: bool = False

    def has(self, codes: Vector) -> Bools:
        """Whether rows with these codes are in the segment."""
        inside = np.isin(codes, self.codes)
        return ~inside if self.other else inside


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Segmented:
    """The model of a person's segment decides: a card by one model, a loan by another.

    Where the column may not change, each person meets one model only. Where it may, a search for
    the least cost goes through the segments one by one, which keeps it exact.

    Parameters
    ----------
    column : str
        The input whose value is the segment.
    models : mapping of Score
        A model for each value of the column.
    schema : Schema
        What the models read.
    thresholds : mapping of float, optional
        Other thresholds for some of the models.
    otherwise : Score, optional
        The model for everybody else. Without it, every category of the column needs its model, and
        rows without a known segment are refused.

    Examples
    --------
    >>> from standfast import Feature, Linear
    >>> product = Feature("product", "nominal", categories=("card", "loan"), mutable=False)
    >>> schema = Schema((product, Feature("income")))
    >>> both = {"card": Linear([0.0, 1.0], -1.0), "loan": Linear([0.0, 1.0], -2.0)}
    >>> Segmented("product", both, schema).score(np.array([[0.0, 1.5], [1.0, 1.5]]))
    array([ 0.5, -0.5])
    """

    column: str
    place: int
    segments: tuple[Segment, ...]
    schema: Schema = field(repr=False)

    def __init__(
        self,
        column: str,
        models: Mapping[Category, Score],
        schema: Schema,
        thresholds: Mapping[Category, float] | None = None,
        otherwise: Score | None = None,
    ) -> None:
        feature = schema[column]
        if not isinstance(models, Mapping) or not models:
            raise InputError(f"Segmented needs a model for each value of '{column}', by its name")
        codes = {name: _code(name, schema, column) for name in models}
        lowered = {_code(name, schema, column): t for name, t in (thresholds or {}).items()}
        extra = [
            name for name in thresholds or {} if _code(name, schema, column) not in codes.values()
        ]
        if extra:
            raise InputError(f"there is a threshold for {listing(extra)} but no model; add one")
        found = []
        for name, model in models.items():
            _check(model, described(name), len(schema))
            limit = lowered.get(codes[name])
            decides = model if limit is None else _with_threshold(model, limit, name)
            found.append(Segment((_named(codes[name], schema, column),), (codes[name],), decides))
        left = set(range(len(feature.categories or ()))) - {int(c) for c in codes.values()}
        if otherwise is not None:
            _check(otherwise, "otherwise", len(schema))
            names = tuple(n for segment in found for n in segment.names)
            found.append(Segment(names, tuple(codes.values()), otherwise, other=True))
        elif left:
            unnamed = [(feature.categories or ())[c] for c in sorted(left)]
            raise InputError(
                f"no model decides where '{column}' is {listing(unnamed)}; add one for each, or "
                "say otherwise=..."
            )
        place = schema.names.index(column)
        self.__dict__.update(column=column, place=place, segments=tuple(found), schema=schema)

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.schema)

    @property
    def probability(self) -> bool:
        """Whether every segment's score is a probability minus a threshold."""
        return all(segment.model.probability for segment in self.segments)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the segments and their models."""
        parts = [(s.names, s.other, s.model.digest) for s in self.segments]
        return digest(["segmented", self.column, *parts])

    def score(self, X: Matrix) -> Vector:
        """The score by each row's own model; −1 where there is none."""
        return self._by_segment(X, lambda model, rows: model.score(rows), -1.0)

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's own model accepts it by more than the margin."""
        return self._by_segment(X, lambda model, rows: model.accepts(rows, margin), False)

    def surely_accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's own model accepts it beyond all that rounding may hide."""
        return self._by_segment(X, lambda model, rows: surely_accepts(model, rows, margin), False)

    def _by_segment(self, X: Matrix, ask: Any, without: Any) -> NDArray[Any]:
        X = checked(X, self.width)
        found = np.full(len(X), without)
        for segment in self.segments:
            here = segment.has(X[:, self.place])
            if here.any():
                found[here] = ask(segment.model, X[here])
        return found

    @property
    def fixed(self) -> bool:
        """Whether nobody can change the segment."""
        return not self.schema.features[self.place].mutable

    def within(self, segment: Segment) -> Condition:
        """The condition that a row is in a segment."""
        is_one = Comparison(self.column, "in", segment.names)
        missing = IsMissing(self.column)
        if segment.other:
            among = Comparison(self.column, "not in", segment.names)
            return Condition(Some((among, missing)), self.schema.features)
        return Condition(Every((is_one, Not(missing))), self.schema.features)

    def __repr__(self) -> str:
        names = [n for s in self.segments if not s.other for n in s.names]
        return f"Segmented({self.column!r}, {listing(names)})"


def _code(name: Category, schema: Schema, column: str) -> float:
    coder = schema[column].coder
    if isinstance(name, bool | np.bool_) and schema[column].kind == "binary":
        return float(name)
    if coder is None:
        return float(as_number(name, f"the segment of '{column}'"))
    return float(coder.of(coder.known(name, f"a segment of '{column}'")))


def _named(code: float, schema: Schema, column: str) -> Category:
    coder = schema[column].coder
    if coder is None or code == UNKNOWN:
        return int(code) if code.is_integer() else code
    return coder.names[int(code)]


def _check(model: object, name: str, width: int) -> None:
    if not isinstance(model, Score):
        raise InputError(f"the model of {name} is not a score; turn it into one with as_score(...)")
    if isinstance(model, Segmented):
        raise InputError(f"the model of {name} is segmented itself; give one model per segment")
    if model.width != width:
        raise InputError(
            f"the model of {name} reads {model.width} inputs and the schema has {width}; build "
            "both with one schema"
        )


def _with_threshold(model: Any, threshold: float, name: Category) -> Score:
    known = is_dataclass(model) and "threshold" in {f.name for f in fields(model) if f.init}
    if not known:
        raise InputError(
            f"the model of {described(name)} has no threshold of its own to change; give it one "
            "where it is made"
        )
    changed: Score = replace(model, threshold=float(as_number(threshold, "a threshold")))
    return changed
