"""Tables over cells of the inputs: what one input adds, and what several inputs add together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.readers.columns.code import Celled, Tabled
from standfast.readers.columns.contribution import Contribution
from standfast.schema import Feature
from standfast.schema.categories import MISSING
from standfast.scores.score import Vector
from standfast.scores.tree_ensemble import Trees
from standfast.scores.unfolding import Fork, written


@dataclass(frozen=True, eq=False)
class Cells:
    """The neighbouring cells into which a model sorts one input's values.

    Cell 0 is a missing value; each edge belongs to the cell above it.

    >>> Cells(np.array([18.0, 65.0])).samples
    array([-inf,  17.,  18.,  65.])
    """

    edges: Vector

    @classmethod
    def of(cls, feature: Feature, cuts: Sequence[float] | Vector) -> "Cells":
        """A cell per category where values have names, else the cells between the cuts.

        A value that belongs to the cell below is cut by the number next to it.
        """
        if feature.coder is not None:
            return cls(np.arange(1.0, len(feature.coder.names)))
        edges = np.unique(np.asarray(cuts, dtype=np.float64))
        return cls(edges[np.isfinite(edges)])

    @cached_property
    def samples(self) -> Vector:
        """A value in each cell."""
        first = self.edges[:1]
        # the next number below a great one is further away than 1
        below = np.minimum(first - 1.0, np.nextafter(first, -np.inf)) if len(first) else np.zeros(1)
        return np.concatenate(([MISSING], below, self.edges))

    def __len__(self) -> int:
        return len(self.edges) + 2

    def function(self, amounts: Vector) -> Contribution:
        """The function of the input that gives each cell its amount."""
        kept = np.flatnonzero(amounts[1:-1] != amounts[2:])  # the edges that change anything
        table = np.concatenate((amounts[:2], amounts[2 + kept]))
        return Contribution(((1.0, (Celled(self.edges[kept]), Tabled(table))),))

    def split(self, cell: int) -> float:
        """The greatest value below a cell."""
        return -np.inf if cell == 1 else float(np.nextafter(self.edges[cell - 2], -np.inf))


# what an input adds that a model does not read
NOTHING = Contribution(())


def alone(value: float) -> list[float]:
    """The cuts that give one value a cell of its own."""
    return [value, float(np.nextafter(value, np.inf))]


@dataclass(frozen=True, eq=False)
class Table:
    """What several inputs add together: one amount for each combination of their cells."""

    inputs: tuple[int, ...]
    cells: tuple[Cells, ...]
    amounts: NDArray[np.float64]


Part = tuple[Table, tuple[tuple[int, int], ...]]  # a table's block: from which cell to which


def trees_of(tables: Sequence[Table], gapped: Sequence[int]) -> Trees:
    """Each table as one plain tree, halving the longest side of a block until it is constant.

    Only inputs that are `gapped` have cells for a missing value.
    """

    def halved(part: Part) -> float | Fork[Part]:
        table, block = part
        inside = table.amounts[tuple(slice(a, b) for a, b in block)]
        if (inside == inside.flat[0]).all():
            return float(inside.flat[0])
        side = max(range(len(block)), key=lambda k: block[k][1] - block[k][0])
        first, last = block[side]
        middle = (first + last + 1) // 2
        near, far = (
            (table, (*block[:side], half, *block[side + 1 :]))
            for half in ((first, middle), (middle, last))
        )
        return table.inputs[side], table.cells[side].split(middle), True, near, far

    wholes = [
        tuple((int(j not in gapped), len(c)) for j, c in zip(t.inputs, t.cells, strict=True))
        for t in tables
    ]
    return written(zip(tables, wholes, strict=True), halved)
