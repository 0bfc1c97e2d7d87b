"""The leaves of all trees, to bound by: each a box of cells, or of sets of cells."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Feature, Schema
from standfast.search.problem.price import Vector
from standfast.search.problem.trees import CUT, INPUT, LEAF, LEFT, Cells, Forest, Nodes, Sets

# the leaves of about so many nodes are sought at a time: their boxes are large
BATCH = 50_000
# sets of an input's cells, or of its levels, are the bits of one number if it has so few values
FEW = 60

Indices = NDArray[np.intp]


class _Boxes(NamedTuple):
    """Leaves, or nodes on the way to them: tree and node of each, and its cells, leaf × input."""

    tree: Indices
    node: Indices
    low: Cells
    high: Cells

    def at(self, which: Any) -> "_Boxes":
        """Some of them."""
        return _Boxes(*(column[which] for column in self))

    def with_(self, *others: "_Boxes") -> "_Boxes":
        """These and others."""
        return _Boxes(*map(np.concatenate, zip(self, *others, strict=True)))


def forest_of(
    nodes: Nodes,
    cuts: Sequence[Vector],
    domain: Schema,
    *,
    joined: bool = False,
    apart: frozenset[int] = frozenset(),
) -> Forest:
    """The trees with their leaves, best first; of a leaf's inputs those first that cannot move.

    Most leaves are out of reach because of these. Trees that ask for sets of categories were cut
    into runs of codes, and what lies behind was repeated for each run. With `joined`, leaves that
    differ in one input with few values alone are one again, whose condition is a set of cells; not
    over the inputs `apart`, whose levels a search may cut further, and so number anew.
    """
    freedom = [0 if not f.mutable else 1 if f.direction != "any" else 2 for f in domain]
    order = np.argsort(freedom, kind="stable")
    last = np.array([len(cut) for cut in cuts], dtype=np.int32)
    few = [joined and _has_few(f, end) for f, end in zip(domain, last.tolist(), strict=True)]
    small = np.array([j for j in np.flatnonzero(few) if j not in apart], dtype=np.intp)
    leaf_of = np.full(len(nodes.value), -1, dtype=np.int32)
    parts, count = [], 0
    for leaves in _batches(nodes, last):
        leaves = leaves.at(np.lexsort((-nodes.value[leaves.node], leaves.tree)))
        sets = np.zeros((len(leaves.node), len(domain)), dtype=np.uint64)
        kept = into = np.arange(len(leaves.node))
        if (leaves.high[:, small] - leaves.low[:, small] < last[small]).any():
            kept, into = _join(leaves, nodes.value[leaves.node], small, sets)
        leaf_of[leaves.node] = count + np.searchsorted(kept, into)
        leaves, sets = leaves.at(kept), sets[kept]
        count += len(kept)
        bounded = (leaves.high - leaves.low < last) | (sets > 0)
        leaf, place = np.nonzero(bounded[:, order])
        there = leaf, order[place]
        columns = (order[place], leaves.low[there], leaves.high[there], sets[there])
        parts.append((leaves.tree, nodes.value[leaves.node], bounded.sum(axis=1), *columns))
    tree, value, conditions, inputs, low, high, cells = map(
        np.concatenate, zip(*parts, strict=True)
    )
    return Forest(
        nodes,
        _starts(np.bincount(tree, minlength=len(nodes.roots))),
        value,
        leaf_of,
        _starts(conditions),
        inputs.astype(np.int16),
        low,
        high,
        cells,
    )


def _has_few(feature: Feature, last: int) -> bool:
    """Whether an input has few cells and, with what stands for a missing one, few values."""
    assert feature.lower is not None
    assert feature.upper is not None
    steps = (feature.upper - feature.lower) / feature.step if feature.step else np.inf
    return max(last, steps + len(feature.tokens)) <= FEW


def _starts(counts: Indices) -> Cells:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _batches(nodes: Nodes, last: Cells) -> Iterator[_Boxes]:
    """The leaves of some trees after another, each with its box, in the order of their depth."""
    batch = nodes.roots // BATCH
    for number in range(batch.max(initial=0) + 1):
        tree = np.flatnonzero(batch == number)
        shape = len(tree), len(last)
        here = _Boxes(
            tree,
            nodes.roots[tree].astype(np.intp),
            np.zeros(shape, np.int32),
            np.tile(last, (len(tree), 1)),
        )
        found = [here.at([])]
        while len(here.node):
            ends = nodes.node[here.node, INPUT] == LEAF
            found.append(here.at(ends))
            here = _children(here.at(~ends), nodes)
        yield found[0].with_(*found[1:])


def _children(here: _Boxes, nodes: Nodes) -> _Boxes:
    """What lies left and right of some nodes, unless nothing does."""
    asked, left = nodes.node[here.node], nodes.node[here.node, LEFT].astype(np.intp)
    spot, cut = (np.arange(len(left)), asked[:, INPUT]), asked[:, CUT]
    below = _Boxes(here.tree, left, here.low, here.high.copy())
    above = _Boxes(here.tree, left + 1, here.low.copy(), here.high)
    below.high[spot] = np.minimum(here.high[spot], cut)
    above.low[spot] = np.maximum(here.low[spot], cut + 1)
    sides = (side.at(side.low[spot] <= side.high[spot]) for side in (below, above))
    return next(sides).with_(*sides)


def _join(leaves: _Boxes, value: Vector, small: Indices, sets: Sets) -> tuple[Indices, Indices]:
    """Which leaves are left, and which of these each one is joined into.

    Input by input, leaves are joined that differ in its cells alone. Their boxes become the least
    around all their cells, and `sets` their cells, where the box holds others as well.
    """
    low, high = leaves.low, leaves.high
    rest = np.setdiff1d(np.arange(low.shape[1]), small)
    same = np.column_stack((leaves.tree, value.view(np.int64), low[:, rest], high[:, rest]))
    alike = _numbers(same)[1]
    members = _bits(low[:, small], high[:, small])
    into = kept = np.arange(len(value))
    for k in range(len(small)):
        others = np.column_stack((alike[kept], np.delete(members[kept], k, axis=1)))
        first, group = _numbers(others.astype(np.uint64))
        union = np.zeros(len(first), dtype=np.uint64)
        np.bitwise_or.at(union, group, members[kept, k])
        members[kept[first], k] = union
        np.minimum.at(low[:, small[k]], kept[first][group], low[kept, small[k]])
        np.maximum.at(high[:, small[k]], kept[first][group], high[kept, small[k]])
        moved = np.arange(len(value))
        moved[kept] = kept[first][group]
        into, kept = moved[into], np.sort(kept[first])
    box = _bits(low[:, small], high[:, small])
    sets[:, small] = np.where(members == box, 0, members)
    return kept, into


def _numbers(rows: NDArray[Any]) -> tuple[Indices, Indices]:
    """Where each distinct row stands first, and the number of each row among these."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
    _, first, number = np.unique(whole.ravel(), return_index=True, return_inverse=True)
    return first, number.ravel()


def _bits(low: Cells, high: Cells) -> Sets:
    """The sets of all cells from one to another."""
    two = np.uint64(2)
    return np.left_shift(two, high.astype(np.uint64)) - np.left_shift(
        np.uint64(1), low.astype(np.uint64)
    )
