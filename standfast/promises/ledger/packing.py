"""What a decision holds, packed: where a person stands, the advice, its box, and the words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.recommendations.boxes import Boxes, Matrix, nominal_inputs
from standfast.schema import Schema

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Packing:
    """How rows of one schema become bytes and come back to the last bit.

    First bits: for each input whether the advice differs from where the person stands, and the
    box's bounds from the advice; then which categories the box holds. Then the numbers: where the
    person stands, and whatever differs. Then the words.
    """

    schema: Schema

    @cached_property
    def nominal(self) -> list[int]:
        """The inputs whose boxes are sets."""
        return nominal_inputs(self.schema)

    @cached_property
    def widths(self) -> list[int]:
        """For each nominal input how many members a set can have."""
        return [1 + len(self.schema.features[j].coder.names) for j in self.nominal]  # type: ignore[union-attr]

    @cached_property
    def head(self) -> int:
        """How many bytes the bits take."""
        return (3 * len(self.schema) + sum(self.widths) + 7) // 8

    def packed(self, X: Matrix, Y: Matrix, boxes: Boxes, words: Sequence[bytes]) -> list[bytes]:
        """One text of bytes per person."""
        ordered = np.ones(len(self.schema), dtype=bool)
        ordered[self.nominal] = False
        differ = [
            _differ(X, Y),
            _differ(Y, boxes.lower) & ordered,
            _differ(Y, boxes.upper) & ordered,
        ]
        held = [boxes.inside[j] for j in self.nominal]
        bits = np.packbits(np.hstack([*differ, *held]), axis=1).tobytes()
        values = np.hstack([X, Y, boxes.lower, boxes.upper])
        stored = np.hstack([np.ones_like(differ[0]), *differ])
        numbers = values[stored].astype("<f8").tobytes()
        ends = 8 * np.cumsum(stored.sum(axis=1))
        starts, width = [0, *ends.tolist()], self.head
        return [
            bits[i * width : (i + 1) * width] + numbers[starts[i] : starts[i + 1]] + words[i]
            for i in range(len(X))
        ]

    def unpacked(self, rows: Sequence[bytes]) -> tuple[Matrix, Matrix, Boxes, list[bytes]]:
        """Where people stand, the advice, the boxes, and the words, as they were packed."""
        n, d, width = len(rows), len(self.schema), self.head
        bits = np.frombuffer(b"".join([row[:width] for row in rows]), dtype=np.uint8)
        if bits.size != n * width:
            raise InputError("a row of the ledger is too short; verify the ledger")
        flags = np.unpackbits(bits.reshape(n, width), axis=1).astype(bool)
        differ = flags[:, : 3 * d]
        ends = (width + 8 * (d + differ.sum(axis=1))).tolist()
        numbers = np.frombuffer(
            b"".join([row[width:end] for row, end in zip(rows, ends, strict=True)]), dtype="<f8"
        )
        values = np.empty((n, 4 * d))
        values[np.hstack([np.ones((n, d), dtype=bool), differ])] = numbers
        X, Y, lower, upper = (values[:, k * d : (k + 1) * d] for k in range(4))
        Y = np.where(differ[:, :d], Y, X)
        lower = np.where(differ[:, d : 2 * d], lower, Y)
        upper = np.where(differ[:, 2 * d :], upper, Y)
        inside, start = {}, 3 * d
        for j, count in zip(self.nominal, self.widths, strict=True):
            inside[j] = flags[:, start : start + count]
            lower[:, j] = upper[:, j] = np.nan
            start += count
        boxes = Boxes(self.schema, lower, upper, inside)
        return X.copy(), Y, boxes, [row[end:] for row, end in zip(rows, ends, strict=True)]


def _differ(one: Matrix, other: Matrix) -> Bools:
    """Where the bits of two tables differ; so nothing is lost, be it a NaN or the sign of zero."""
    a, b = (np.ascontiguousarray(m, dtype=np.float64).view(np.uint64) for m in (one, other))
    return np.asarray(a != b)
