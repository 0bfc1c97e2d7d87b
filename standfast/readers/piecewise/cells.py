"""Functions of one input that are given cell by cell, and how they are compared and combined.

The values of an input have an order, in which a gap, minus infinity, comes first: codes of
categories, or all doubles. Cuts part them into cells; cell k holds what lies above cut k − 1 and up
to cut k. The first cut is minus infinity, so that the first cell is the gap alone.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

import numpy as np

from standfast.readers.columns.step import Step
from standfast.readers.library_trees import LARGEST, _to_doubles, _to_keys
from standfast.readers.piecewise.steps import Single

T = TypeVar("T")
S = TypeVar("S")


class Lack(Enum):
    """What stands where there is no value."""

    MISSING = "missing"
    REFUSED = "refused"  # the model gives no result at all


@dataclass(frozen=True, eq=False)
class Moving:
    """A number that moves with the input, only up or only down within its cell."""

    steps: tuple[Step, ...] = ()
    rising: bool = True

    def then(self, step: Step, rising: bool = True) -> "Moving":
        """The number after a further step, which rises or falls."""
        return Moving((*self.steps, step), self.rising == rising)

    def __call__(self, values: Any) -> Any:
        """The number at each of the input's values."""
        with np.errstate(all="ignore"):
            for step in self.steps:
                values = step(values)
        return values


Value = float | str | Lack
Piece = Value | Moving


@dataclass(frozen=True, eq=False)
class Cells(Generic[T]):
    """What each cell of an input's values has."""

    input: int
    cuts: tuple[float, ...]
    values: tuple[T, ...]

    def at(self, end: float) -> T:
        """What the cell has that reaches up to a value."""
        return self.values[bisect_left(self.cuts, end)]

    def each(self, change: Callable[[T], S]) -> "Cells[S]":
        """Something else in each of the same cells."""
        return Cells(self.input, self.cuts, tuple(change(value) for value in self.values))

    def finer(self, divide: Callable[[float, float, T], Sequence[tuple[float, S]]]) -> "Cells[S]":
        """Each cell divided: what it has up to which end, from the ends of the cell on."""
        cuts: list[float] = []
        values: list[S] = []
        ends = (*self.cuts, np.inf)
        for k, value in enumerate(self.values):
            low = ends[k - 1] if k else -np.inf
            for end, part in divide(low, ends[k], value):
                cuts.append(end)
                values.append(part)
        return Cells(self.input, tuple(cuts[:-1]), tuple(values))


def combined(parts: Sequence[Cells[Any]], join: Callable[..., S]) -> Cells[S]:
    """Several functions of one input as one; neighbouring cells that have the same become one."""
    cuts = sorted({cut for part in parts for cut in part.cuts})
    cells = [join(*(part.at(end) for part in parts)) for end in (*cuts, np.inf)]
    kept = [k for k in range(1, len(cuts)) if cells[k] != cells[k + 1]]
    merged_cuts = (-np.inf, *(cuts[k] for k in kept))
    return Cells(parts[0].input, merged_cuts, (cells[0], *(cells[k] for k in kept), cells[-1]))


def signs(low: float, high: float, moving: Moving, than: float) -> list[tuple[float, int]]:
    """Where a moving number of a cell is below, at and above another number: −1, 0 and 1.

    Found by bisection over the doubles of the cell, so that whatever the number's arithmetic
    rounds, the answer is that of asking it.
    """
    ways = (-1, 0, 1) if moving.rising else (1, 0, -1)
    if not moving.steps:
        below = float(np.nextafter(than, -np.inf))
        ends = [min(max(end, low), high) for end in (below, than)]
    elif len(moving.steps) == 1 and isinstance(moving.steps[0], Single) and abs(than) < 1e38:
        near = np.float32(than)
        ends = [min(max(e, low), high) for e in (_rounded_below(near, than), _rounded(near, than))]
    else:
        first = np.nextafter(max(low, -LARGEST), np.inf) if low > -np.inf else -LARGEST

        last_of = (np.less, np.less_equal) if moving.rising else (np.greater, np.greater_equal)
        ends = [max(_last(moving, first, min(high, LARGEST), than, of), low) for of in last_of]
        ends = [high if end == LARGEST else end for end in ends]
    parts = list(zip((*ends, high), ways, strict=True))
    last, kept = low, []
    for end, sign in parts:
        if end > last:
            kept.append((end, sign))
            last = end
    return kept


PROBES = 256  # doubles asked about at a time


def _last(moving: Moving, first: float, high: float, than: float, holds: np.ufunc) -> float:
    """The largest double of a range for which a comparison holds, which it does first if at all.

    Minus infinity if it never does.
    """
    begin, end = (int(key) for key in _to_keys(np.array([first, high], dtype=np.float64)))
    yes, no = begin - 1, end + 1
    while no - yes > 1:
        step = max((no - yes) // PROBES, 1)
        keys = np.arange(PROBES, dtype=np.int64)[: (no - yes - 2) // step + 1] * step + (yes + 1)
        found = holds(moving(_to_doubles(keys)), than)
        k = len(keys) if found.all() else int(np.argmin(found))
        yes, no = (int(keys[k - 1]) if k else yes), (int(keys[k]) if k < len(keys) else no)
    return float(_to_doubles(np.array([yes]))[0]) if yes >= begin else -np.inf


def _rounded(last: np.float32, than: float) -> float:
    """The largest double that 32 bits round to a number of at most `than`."""
    if float(last) > than:
        last = np.nextafter(last, np.float32(-np.inf))
    middle = 0.5 * (float(last) + float(np.nextafter(last, np.float32(np.inf))))
    # halfway goes to the even one
    return middle if float(np.float32(middle)) <= than else float(np.nextafter(middle, -np.inf))


def _rounded_below(last: np.float32, than: float) -> float:
    """The largest double that 32 bits round to a number below `than`."""
    if float(last) >= than:
        last = np.nextafter(last, np.float32(-np.inf))
    return _rounded(last, float(last))
