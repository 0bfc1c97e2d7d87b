"""Trees as a library holds them, and the same trees in one canonical form in table units."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.scores.score import IDENTITY, Bools, Link, Vector
from standfast.scores.tree_ensemble import Indices, Trees

S = TypeVar("S", bound=np.generic)
# From a table column's values to what the estimator's column k sees; non-decreasing.
Front = Callable[[int, Vector], Vector]
# A library's own comparison: whether each value goes left at each threshold.
Rule = Callable[[Vector, Vector], Bools]


@dataclass(frozen=True, eq=False)
class Group:
    """Categories, as the library numbers them, that part a node's values: those inside go left.

    Or right, if not `inside_left`. Categories beyond `known`, where that is given, are missing.
    """

    members: Indices
    inside_left: bool = True
    known: Indices | None = None


@dataclass(frozen=True)
class Asked:
    """What one node asks of its column's value: a threshold, or a group of categories."""

    threshold: float
    missing_left: bool
    group: Group | None = None


@dataclass(frozen=True, eq=False)
class LibraryTree:
    """One tree in its library's terms: node 0 is the root, and a leaf has −1 as left child.

    Nodes in `groups` ask for a group of categories instead of comparing with their threshold.
    """

    column: Indices
    threshold: Vector
    left: Indices
    right: Indices
    missing_left: Bools
    value: Vector
    groups: Mapping[int, Group] = field(default_factory=dict)

    def asked(self, node: int) -> Asked:
        """What a node asks."""
        group = self.groups.get(node)
        threshold = float(self.threshold[node]) if group is None else 0.0
        return Asked(threshold, bool(self.missing_left[node]), group)


@dataclass(frozen=True, eq=False)
class LibraryTrees:
    """All of an estimator's trees and how its library adds them up.

    raw = (offset + Σ leaf values) / divisor, added in 32 bits if `single`. `category` is the
    library's way from a value to the number of a category.
    """

    trees: Sequence[LibraryTree]
    goes_left: Rule
    offset: float = 0.0
    divisor: float = 1.0
    single: bool = False
    link: Link = IDENTITY
    probability: bool = True
    category: Callable[[Vector], Vector] = np.trunc

    @property
    def width(self) -> int:
        """How many columns the trees read, at least."""
        inner = [tree.column[tree.left >= 0] for tree in self.trees]
        return int(max((column.max(initial=-1) for column in inner), default=-1)) + 1

    @property
    def has_groups(self) -> bool:
        """Whether some node asks for a group of categories."""
        return any(tree.groups for tree in self.trees)

    def goes(self, values: Vector, asked: Asked) -> Bools:
        """Whether each value of a column goes left at a node; NaN is a missing one."""
        with np.errstate(all="ignore"):
            if asked.group is None:
                left = self.goes_left(values, np.full(len(values), asked.threshold))
            else:
                numbers = self.category(values)
                inside = np.isin(numbers, asked.group.members)
                left = inside if asked.group.inside_left else ~inside
                if asked.group.known is not None:
                    left = np.where(np.isin(numbers, asked.group.known), left, asked.missing_left)
        return np.where(np.isnan(values), asked.missing_left, left)

    def ends_of(self, group: Group) -> Vector:
        """The last value before each category of a group, and its own last value."""
        numbers = np.unique(np.concatenate([group.members - 1, group.members])).astype(np.float64)
        return last_left(lambda values: self.category(values) <= numbers, len(numbers))


def in_single_precision(values: Vector, thresholds: Vector) -> Bools:
    """scikit-learn's trees and CatBoost's round a value to 32 bits, and left is up to the split."""
    return np.asarray(values.astype(np.float32) <= thresholds)


def set_bits(words: NDArray[np.uint32]) -> Indices:
    """The numbers in a set that is kept as bits, 32 to a word."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def canonical(found: LibraryTrees, inputs: Sequence[int], front: Front | None) -> Trees:
    """The same trees in table units, every node asking x <= split."""
    counts = [len(tree.left) for tree in found.trees]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.intp)
    pairs = list(zip(found.trees, starts[:-1], strict=True))
    left = _joined([np.where(t.left < 0, -1, t.left + start) for t, start in pairs], np.intp)
    right = _joined([np.where(t.left < 0, -1, t.right + start) for t, start in pairs], np.intp)
    column = _joined([tree.column for tree in found.trees], np.intp)
    threshold = _joined([tree.threshold for tree in found.trees], np.float64)
    missing_left = _joined([tree.missing_left for tree in found.trees], np.bool_)
    value = _joined([tree.value for tree in found.trees], np.float64)

    inner = left >= 0
    reads = np.asarray(inputs, dtype=np.intp)
    split = np.full(len(left), np.inf)
    missing_left[~inner] = True
    # with nothing before the trees, a threshold means the same in every column
    alike = column if front is not None else np.zeros_like(column)
    for k in np.unique(alike[inner]):
        here = np.flatnonzero(inner & (alike == k))
        split[here], missing_left[here] = _table_splits(
            found.goes_left, int(k), threshold[here], missing_left[here], front
        )

    order, depths = _level_by_level(left, right, starts)
    place = np.full(len(left), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    kept = inner[order]
    new_left = np.where(kept, place[left[order]], np.arange(len(order)))
    return Trees(
        feature=np.where(kept, reads[np.where(kept, column[order], 0)], 0).astype(np.int32),
        split=split[order],
        left=new_left.astype(np.int32),
        missing_left=missing_left[order],
        value=np.where(kept, 0.0, value[order]),
        roots=place[starts[:-1]].astype(np.int32),
        depths=depths.astype(np.int32),
    )


def _joined(parts: Iterable[NDArray[Any]], dtype: type[S]) -> NDArray[S]:
    return np.concatenate([np.zeros(0, dtype), *(np.asarray(part, dtype) for part in parts)])


def _level_by_level(left: Indices, right: Indices, starts: Indices) -> tuple[Indices, Indices]:
    """The nodes tree by tree and level by level, siblings side by side, and each tree's depth.

    Nodes that no path reaches (pruned ones stay in XGBoost's arrays) are left out.
    """
    tree = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    depths = np.zeros(len(starts) - 1, dtype=np.intp)
    levels, here, level = [starts[:-1]], starts[:-1], 0
    while (split := here[left[here] >= 0]).size:
        level += 1
        here = np.column_stack((left[split], right[split])).ravel()
        levels.append(here)
        if level > len(left):
            raise InputError("the model's trees loop back on themselves; save and load it again")
        depths[tree[here]] = level
    nodes = np.concatenate(levels)
    return nodes[np.argsort(tree[nodes], kind="stable")], depths


def _table_splits(
    goes_left: Rule, k: int, threshold: Vector, missing_left: Bools, front: Front | None
) -> tuple[Vector, Bools]:
    """The splits in table units for thresholds of the estimator's column k, and where gaps go."""

    def seen(values: Vector) -> Vector:
        return values if front is None else front(k, values)

    with np.errstate(over="ignore", invalid="ignore"):
        distinct, which = np.unique(threshold, return_inverse=True)
        split = last_left(lambda values: goes_left(seen(values), distinct), len(distinct))[which]
        gap = seen(np.array([np.nan]))
        if np.isfinite(gap[0]):  # filled in on the way
            missing_left = goes_left(np.full(len(threshold), gap[0]), threshold)
    return split, missing_left


LARGEST = float(np.finfo(np.float64).max)


def last_left(goes_left: Callable[[Vector], Bools], count: int) -> Vector:
    """The largest number that goes left in each of `count` comparisons; ±inf if all or none do.

    A comparison may round, scale and cast as it likes, as long as it never turns back from right
    to left: all are bisected at once over the 2⁶⁴ doubles in their own order, so that `x <= split`
    in plain 64 bits is the library's comparison to the last bit.

    >>> third = last_left(lambda x: x.astype(np.float32) < np.float32(1 / 3), 1)
    >>> third.astype(np.float32) < np.float32(1 / 3), np.nextafter(third, 1).astype(np.float32)
    (array([ True]), array([0.33333334], dtype=float32))
    """
    low, high = (np.full(count, key) for key in _to_keys(np.array([-LARGEST, LARGEST])))
    with np.errstate(over="ignore", invalid="ignore"):  # the ends of the scale overflow
        none, every = ~goes_left(_to_doubles(low)), goes_left(_to_doubles(high))
        while np.any(high - 1 > low):
            middle = (low & high) + ((low ^ high) >> 1)  # the mean, with no overflow on the way
            left = goes_left(_to_doubles(middle))
            low, high = np.where(left, middle, low), np.where(left, high, middle)
    return np.where(none, -np.inf, np.where(every, np.inf, _to_doubles(low)))


def _to_keys(doubles: Vector) -> NDArray[np.int64]:
    """Integers in the order of the doubles."""
    bits = doubles.view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def _to_doubles(keys: NDArray[np.int64]) -> Vector:
    return (keys ^ ((keys >> 63) & np.int64(2**63 - 1))).view(np.float64)
