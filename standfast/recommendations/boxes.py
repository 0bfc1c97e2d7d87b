"""Boxes of values, one per person: what a region leaves open and a promise is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.schema import Schema
from standfast.schema.categories import MISSING

Matrix = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Boxes:
    """A box per person, in codes: `lower` and `upper` of every input, both included.

    A gap that stays one has both at MISSING (−∞); no other box holds a gap, however open its ends.
    Of a nominal input j the bounds mean nothing: `inside[j]` says for each person whether a gap
    (column 0) and each category (column 1 + code) is in the box.

    >>> from standfast import Feature
    >>> job = Feature("job", "nominal", categories=("a", "b"))
    >>> schema = Schema((Feature("late", "count"), job))
    >>> box = Boxes.of_points(schema, np.array([[2.0, 0.0]]))
    >>> box.contains(np.array([[2.0, 0.0]])), box.contains(np.array([[2.0, 1.0]]))
    (array([ True]), array([False]))
    """

    schema: Schema
    lower: Matrix
    upper: Matrix
    inside: Mapping[int, Bools]

    def __post_init__(self) -> None:
        n, d = self.lower.shape
        nominal = tuple(nominal_inputs(self.schema))
        if d != len(self.schema) or self.upper.shape != (n, d) or tuple(self.inside) != nominal:
            raise InputError("the box does not have the inputs of its schema; make it anew")
        for j, held in self.inside.items():
            if held.shape != (n, 1 + _count(self.schema, j)):
                raise InputError("the box does not have the categories of its schema; make it anew")

    @classmethod
    def of_points(cls, schema: Schema, points: Matrix) -> "Boxes":
        """The smallest boxes: each holds one point."""
        nominal = nominal_inputs(schema)
        held = {j: _members(schema, j, points[:, j]) for j in nominal}
        bounds = _without(nominal, points)
        return cls(schema, bounds, bounds, held)

    @classmethod
    def of_sets(
        cls,
        schema: Schema,
        lower: Matrix,
        upper: Matrix,
        sets: Sequence[Mapping[int, NDArray[np.float64]]],
    ) -> "Boxes":
        """From bounds and, person by person, the codes of the categories of every nominal input."""
        nominal = nominal_inputs(schema)
        held = {j: np.zeros((len(lower), 1 + _count(schema, j)), dtype=bool) for j in nominal}
        for i, codes in enumerate(sets):
            for j in nominal:
                held[j][i] = _members(schema, j, codes[j]).any(axis=0)
        return cls(schema, _without(nominal, lower), _without(nominal, upper), held)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> "Boxes":
        """Some of the boxes, by a mask, a slice or positions."""
        held = {j: members[rows] for j, members in self.inside.items()}
        return Boxes(self.schema, self.lower[rows], self.upper[rows], held)

    def outside(self, X: Matrix) -> Bools:
        """For each person and input, whether their value lies outside their box."""
        gap = (X == MISSING) & (self.upper != MISSING)
        out: Bools = (self.lower > X) | (self.upper < X) | np.isnan(X) | gap
        for j, members in self.inside.items():
            known = (X[:, j] == MISSING) | ((X[:, j] >= 0) & (X[:, j] < members.shape[1] - 1))
            place = np.where(known & (X[:, j] != MISSING), X[:, j] + 1, 0).astype(np.intp)
            out[:, j] = ~(known & members[np.arange(len(X)), place])
        return out

    def contains(self, X: Matrix) -> Bools:
        """Whether each person's row lies in their box."""
        return np.asarray(~self.outside(X).any(axis=1))


def nominal_inputs(schema: Schema) -> list[int]:
    """The positions of the inputs whose values are categories without an order."""
    return [j for j, feature in enumerate(schema) if feature.kind == "nominal"]


def _count(schema: Schema, j: int) -> int:
    coder = schema.features[j].coder
    return len(coder.names) if coder is not None else 0


def _members(schema: Schema, j: int, codes: NDArray[np.float64]) -> Bools:
    """For each code a row that has only this member; a gap is the first."""
    held = np.zeros((len(codes), 1 + _count(schema, j)), dtype=bool)
    places = np.where(codes == MISSING, 0.0, codes + 1.0).astype(np.intp)
    held[np.arange(len(codes)), places] = True
    return held


def _without(nominal: list[int], bounds: Matrix) -> Matrix:
    """A copy of the bounds that holds nothing about nominal inputs."""
    found = np.array(bounds, dtype=np.float64)
    found[:, nominal] = np.nan
    return found
