"""What values of an input add to a weighted sum, one by one and at most over a range."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from standfast.readers.columns.code import Marked, OfGaps, Tabled
from standfast.readers.columns.contribution import Contribution, straight
from standfast.readers.columns.step import Clipped, Scaled, Step, Stretched, through
from standfast.schema import Feature
from standfast.schema.grid import Grid
from standfast.scores import Additive, Linear
from standfast.search.problem.price import Vector

Sum = Linear | Additive
Added = Callable[[Vector], Vector]

# what a value that a scorecard refuses outright contributes: minus infinity, but it can be added
REFUSED = -1e300
# what a missing value contributes to a relation: more than anything else can take away
UNJUDGED = 1e200
# a function that neither rises nor falls is evaluated at every admissible value, but not at more
MOST_SCANNED = 2**22
CHUNK = 2**18
# values asked about at a time while a boundary is closed in on
PROBES = 64


def added_by(model: Sum, j: int) -> Added:
    """What input j adds to a sum, as a function of its value; REFUSED where it is refused."""
    if isinstance(model, Linear):
        weight = float(model.weights[j])
        return lambda values: values * weight
    function = model.functions[j]
    if function is np.zeros_like:
        return np.zeros_like

    def added(values: Vector) -> Vector:
        with np.errstate(all="ignore"):
            return np.fmax(np.asarray(function(values), dtype=np.float64), REFUSED)

    return added


def inputs_of(model: Additive) -> list[int]:
    """The inputs that a sum of functions reads."""
    return [j for j, function in enumerate(model.functions) if function is not np.zeros_like]


def is_constant(model: Sum, j: int) -> bool:
    """Whether input j is known to add the same, whatever its value."""
    if isinstance(model, Linear):
        return bool(model.weights[j] == 0.0)
    function = model.functions[j]
    if function is np.zeros_like:
        return True
    line = function.line if isinstance(function, Contribution) else None
    return line is not None and line[0] == 0.0


def slope_of(model: Sum, j: int) -> float:
    """How what input j adds rises with its known values; NaN where that is no straight line."""
    if isinstance(model, Linear):
        return float(model.weights[j])
    function = model.functions[j]
    if function is np.zeros_like:
        return 0.0
    if isinstance(function, HalfSpacePart):  # but for its tolerance
        return -function.weight
    if not isinstance(function, Contribution):
        return np.nan
    slope = 0.0
    for weight, steps in _terms_of_known(function):
        line = straight(steps)
        slope += np.nan if line is None else weight * line[0]
    return slope


def is_monotone(model: Sum, j: int) -> bool:
    """Whether what known values add only rises or only falls with them, but for refused ones."""
    if isinstance(model, Linear) or is_constant(model, j):
        return True
    function = model.functions[j]
    if isinstance(function, HalfSpacePart):
        return True
    if not isinstance(function, Contribution):
        return False
    ways = {_way(weight, steps) for weight, steps in _terms_of_known(function)}
    return 0 not in ways and len(ways) <= 1


def _terms_of_known(function: Contribution) -> Iterator[tuple[float, Sequence[Step]]]:
    """The terms as known values meet them: nothing is filled, and no marker of gaps changes."""
    for weight, steps in function.terms:
        kept: list[Step] = []
        for step in steps:
            known = all(isinstance(before, Scaled | Stretched | Clipped) for before in kept)
            if not (known and isinstance(step, OfGaps) and np.isnan(step.marker)):
                kept.append(step)
            elif isinstance(step, Marked):  # the same for all of them
                break
        else:
            yield weight, kept


def is_bounded(model: Sum, j: int, feature: Feature) -> bool:
    """Whether the most that input j adds is known over any range of its admissible values."""
    if is_monotone(model, j) or _table_of(model, j) is not None:
        return True
    low, high = (float(end) for end in (feature.lower or 0.0, feature.upper or 0.0))
    return bool(feature.step) and (high - low) / float(feature.step or 1.0) < MOST_SCANNED


def _way(weight: float, steps: Sequence[Step]) -> int:
    """1 if a term only rises, −1 if it only falls, 0 if neither is known."""
    way = -1 if weight < 0 else 1
    for step in steps:
        if isinstance(step, Stretched) and step.factor < 0.0:
            way = -way
        elif not step.increasing:
            return 0
    return way


class HalfSpacePart:
    """−a_j v, and the schema's tolerance: one input's part of a relation a·x ≤ b."""

    def __init__(self, weight: float, tolerance: float, tokens: tuple[float, ...] = ()) -> None:
        self.weight, self.tolerance, self.tokens = weight, tolerance, tokens

    def __call__(self, values: Vector) -> Vector:
        """The part of each value; a relation that reads a missing value cannot be broken."""
        judged = np.isfinite(values)
        if self.tokens:
            judged &= ~np.isin(values, self.tokens)
        known = np.where(judged, values, 0.0)
        part: Vector = self.tolerance * np.abs(self.weight * known) - self.weight * known
        return np.where(judged, part, UNJUDGED)


def most_over(model: Sum, j: int, grid: Grid, first: Vector, last: Vector) -> Vector:
    """The most that any admissible value from `first` to `last` adds; +∞ where that is unknown."""
    added = added_by(model, j)
    if not len(first) or is_constant(model, j):
        return added(first)
    at_first, at_last = added(first), added(last)
    ends = np.maximum(at_first, at_last)
    single = first == last
    if is_monotone(model, j):
        most = ends.copy()
        # a refused end may hide values that add more than the other end: find where they begin
        odd = np.flatnonzero(~single & ((at_first <= 0.5 * REFUSED) | (at_last <= 0.5 * REFUSED)))
        for i in odd:
            most[i] = _past_refusal(added, grid, first[i], last[i])
        return most
    table = _most_of_table(model, j, first, last)
    if table is not None:
        return table
    count = grid.keys(last) - grid.keys(first) + 1
    if count.sum() <= MOST_SCANNED:
        return _greatest(added, grid, first, last)
    return np.where(single, ends, np.inf)


def _past_refusal(added: Added, grid: Grid, first: float, last: float) -> float:
    """The most of a monotone function over a range, an end or both of which it refuses."""
    keys = grid.keys([first, last])
    refused = added(grid.values(keys)) <= 0.5 * REFUSED
    if refused.all():
        if keys[1] - keys[0] >= MOST_SCANNED:
            return np.inf
        return float(_greatest(added, grid, np.array([first]), np.array([last]))[0])
    bad, good = (int(key) for key in (keys if refused[0] else keys[::-1]))
    begins = first_above(added, grid, (bad, good), 0.5 * REFUSED)
    assert begins is not None
    return float(max(added(grid.values([begins]))[0], added(np.array([first, last])).max()))


def _most_of_table(model: Sum, j: int, first: Vector, last: Vector) -> Vector | None:
    """The most over ranges if input j's part is one look-up behind increasing steps, else None.

    A scorecard's bins: the codes from the first value's to the last value's, and their greatest.
    """
    found = _table_of(model, j)
    if found is None:
        return None
    weight, steps, table = found
    with np.errstate(all="ignore"):
        codes = through(steps, np.concatenate([first, last]))
    if not np.isfinite(codes).all():
        return None
    low, high = codes.astype(np.intp).reshape(2, -1)
    entries = np.fmax(weight * table.entries, REFUSED)
    return np.array([entries[a : b + 1].max() for a, b in zip(low, high, strict=True)])


def ends_of_bins(model: Sum, j: int, grid: Grid, first: float, last: float) -> Vector:
    """The last admissible value of each bin but the highest, if input j's part is a look-up.

    Ranges that end there add the same all over, so a search never cuts them further.
    """
    found = _table_of(model, j)
    keys = grid.keys([first, last])

    def code(at: NDArray[np.int64]) -> Vector:
        with np.errstate(all="ignore"):
            codes: Vector = through(found[1], grid.values(at)) if found else np.full(len(at), 0.0)
        return codes

    ends = code(keys)
    if not np.isfinite(ends).all():
        return np.empty(0)
    bins = np.arange(ends[0], ends[1])
    inside, beyond = np.full(len(bins), keys[0]), np.full(len(bins), keys[1])
    while (beyond - inside > 1).any():
        middle = inside + (beyond - inside) // 2
        below = code(middle) <= bins
        inside, beyond = np.where(below, middle, inside), np.where(below, beyond, middle)
    return grid.values(np.unique(inside))


def _table_of(model: Sum, j: int) -> tuple[float, Sequence[Step], Tabled] | None:
    """Weight, increasing steps and table, if that is all that input j's part consists of."""
    function = model.functions[j] if isinstance(model, Additive) else None
    if not isinstance(function, Contribution) or len(function.terms) != 1:
        return None
    weight, steps = function.terms[0]
    last = steps[-1] if steps else None
    if not isinstance(last, Tabled) or not all(step.increasing for step in steps[:-1]):
        return None
    return weight, steps[:-1], last


def _greatest(added: Added, grid: Grid, first: Vector, last: Vector) -> Vector:
    """The most of a function over every admissible value of each of some ascending ranges."""
    most = np.full(len(first), -np.inf)
    for i, (a, b) in enumerate(zip(grid.keys(first), grid.keys(last), strict=True)):
        for start in range(int(a), int(b) + 1, CHUNK):
            keys = np.arange(start, min(start + CHUNK, int(b) + 1), dtype=np.int64)
            most[i] = max(most[i], float(added(grid.values(keys)).max()))
    return most


def first_above(added: Added, grid: Grid, keys: tuple[int, int], wanted: float) -> int | None:
    """The first key on the way from one key to another whose value adds more than `wanted`.

    For a function that rises on that way; None if it never adds enough.
    """
    near, far = keys
    if not added(grid.values([far]))[0] > wanted:
        return None
    way = 1 if far >= near else -1
    no, yes = -1, abs(far - near)
    while yes - no > 1:
        apart = max(1, (yes - no) // PROBES)
        probes = np.arange(no + apart, yes, apart, dtype=np.int64)
        enough = added(grid.values(near + way * probes)) > wanted
        at = int(enough.argmax()) if enough.any() else len(probes)
        no = int(probes[at - 1]) if at else no
        yes = int(probes[at]) if at < len(probes) else yes
    return near + way * yes
