"""The one grid arithmetic: admissible values of an input, numbered in ascending order."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.schema.feature import Feature
from standfast.schema.options import Options

Vector = NDArray[np.float64]
Keys = NDArray[np.int64]
Matrix = NDArray[np.float64]

# up to here whole numbers are distinct, and so are the multiples of a step
MOST_KEYS = 2**53
# an open bound ends here: no table holds more, and sums of such values can still be added
FARTHEST = 1e100


def multiple(k: Any, step: Any, power: Any) -> Any:
    """k times a step as the very number that its decimals print; power: ten to as many decimals.

    The one rounding to a grid; kernels compile this very function.

    >>> 3 * 0.1, float(multiple(3, 0.1, 10.0))
    (0.30000000000000004, 0.3)
    """
    return np.rint(k * step * power) / power + 0.0  # which turns a negative zero into zero


def inwards_on_grid(grid: tuple[Vector, Vector], values: Matrix, inwards: float) -> Matrix:
    """The grid value at each value, or next to it: above it (1.0) or below it (−1.0)."""
    above, below = around_on_grid(grid, values)
    return above if inwards > 0 else below


def around_on_grid(grid: tuple[Vector, Vector], values: Matrix) -> tuple[Matrix, Matrix]:
    """The least grid value at or above each value, and the greatest at or below it."""
    step, power = grid
    stepped = step > 0
    gridded = np.where(stepped, step, 1.0)
    stepped = stepped & np.isfinite(values)  # an infinite bound stays as it is
    with np.errstate(invalid="ignore", over="ignore"):
        k = np.rint(values / gridded)
        nearest = multiple(k, gridded, power)
        above = multiple(k + (nearest < values), gridded, power)
        below = multiple(k - (nearest > values), gridded, power)
    return np.where(stepped, above, values), np.where(stepped, below, values)


class Rules(NamedTuple):
    """What holds for everybody: each input's step, the power of ten that makes its decimals whole,
    the unit in which its changes are compared, the left side of the half-spaces A x ≤ b, and what
    categories may become which."""

    step: Vector
    power: Vector
    unit: Vector
    A: Matrix
    options: Options


class Reach(NamedTuple):
    """Where people may go: from their own values, within their bounds, by the rules for everybody.

    Numbers between `below` and `above` are too close to where they stand to be proposed.
    `b` is the right side of their half-spaces A x ≤ b: changes that go together bound everybody
    differently. `home` holds the values whose transitions count: a post-hoc search starts from
    `own`, which is other advice, and yet the person must be able to go there from where they stand.
    """

    own: Matrix
    low: Matrix
    high: Matrix
    below: Matrix
    above: Matrix
    b: Matrix
    home: Matrix
    rules: Rules


@dataclass(frozen=True)
class Grid:
    """The values an input may be sent to, each with its key: a greater value has a greater key.

    With a step the key is the multiple, and the value the very number that its decimals print.
    Without one (step 0) every number is admissible, and keys follow the numbers' binary form.
    Several inputs with steps are looked at together, as the columns of a matrix: see `of_all`.

    >>> grid = Grid(0.1, 1)
    >>> grid.values(grid.floor([0.35, 0.3]))
    array([0.3, 0.3])
    """

    step: float | Vector
    decimals: int | tuple[int, ...]

    @classmethod
    def of(cls, feature: Feature) -> "Grid":
        """The grid of a feature whose step is known."""
        return cls(float(feature.step or 0.0), feature.decimals)

    @classmethod
    def of_all(cls, grids: Sequence["Grid"]) -> list[tuple[list[int], "Grid"]]:
        """The columns whose values can be looked at together, with their grid: with a step or not.

        >>> [columns for columns, _ in Grid.of_all([Grid(0.1, 1), Grid(0.0, 0), Grid(5.0, 0)])]
        [[0, 2], [1]]
        """
        stepped = [j for j, grid in enumerate(grids) if grid.has_step]
        free = [j for j, grid in enumerate(grids) if not grid.has_step]
        steps = np.array([grids[j].step for j in stepped])
        decimals = tuple(int(grids[j].decimals) for j in stepped)  # type: ignore[arg-type]
        pairs = [(stepped, cls(steps, decimals)), (free, cls(0.0, 0))]
        return [(columns, grid) for columns, grid in pairs if columns]

    @cached_property
    def has_step(self) -> bool:
        """Whether values are multiples of a step."""
        return bool(np.all(self.step))

    @cached_property
    def _power(self) -> float | Vector:
        """Ten to as many decimals; an array's powers are not always exact."""
        if isinstance(self.decimals, tuple):
            return np.array([10.0**decimals for decimals in self.decimals])
        return 10.0**self.decimals

    def values(self, keys: ArrayLike) -> Vector:
        """The values with these keys."""
        numbers = np.asarray(keys, dtype=np.int64)
        if self.has_step:
            rounded: Vector = multiple(numbers, self.step, self._power)
            return rounded
        magnitudes: Vector = np.abs(numbers).view(np.float64)
        return np.copysign(magnitudes, numbers)

    def keys(self, values: ArrayLike) -> Keys:
        """The keys of the admissible values nearest to some values."""
        found = np.asarray(values, dtype=np.float64)
        if self.has_step:
            keys = np.rint(np.minimum(np.maximum(found / self.step, -MOST_KEYS), MOST_KEYS))
            return keys.astype(np.int64)
        bits = np.abs(np.clip(found, -FARTHEST, FARTHEST)).view(np.int64)
        return np.where(found < 0, -bits, bits)

    def floor(self, values: ArrayLike) -> Keys:
        """The key of the greatest admissible value at or below each value."""
        keys = self.keys(values)
        found: Keys = keys - (self.values(keys) > np.asarray(values))
        return found

    def ceil(self, values: ArrayLike) -> Keys:
        """The key of the least admissible value at or above each value."""
        keys = self.keys(values)
        found: Keys = keys + (self.values(keys) < np.asarray(values))
        return found

    def below(self, values: ArrayLike) -> Keys:
        """The key of the greatest admissible value strictly below each value."""
        keys = self.floor(values)
        found: Keys = keys - (self.values(keys) == np.asarray(values))
        return found

    def above(self, values: ArrayLike) -> Keys:
        """The key of the least admissible value strictly above each value."""
        keys = self.ceil(values)
        found: Keys = keys + (self.values(keys) == np.asarray(values))
        return found

    def around(self, values: ArrayLike) -> tuple[Keys, Keys]:
        """The keys strictly `below` and strictly `above` each value, with half the work."""
        keys, found = self.keys(values), np.asarray(values)
        nearest = self.values(keys)
        return keys - (nearest >= found), keys + (nearest <= found)
