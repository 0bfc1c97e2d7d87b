"""Trees of all models in one packing: nodes to walk, leaves to bound by."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Schema
from standfast.scores import Linear, TreeEnsemble
from standfast.scores.additive import Additive
from standfast.scores.unfolding import branching_of, unfold
from standfast.search.problem.price import Vector

Readable = Linear | Additive | TreeEnsemble

# what a node says: the input it asks about (or LEAF), its cut, and its left child, beside the right
INPUT, CUT, LEFT, LEAF = 0, 1, 2, -1


class Nodes(NamedTuple):
    """Trees, one after another: in cells of the lattice for everybody, in levels for one person.

    Row i of `node` sends a point left if its cell, or level, of an input is at most the cut, else
    to the right, `node[i, LEFT] + 1`; a leaf gives `value[i]`. Model m's trees begin at
    `roots[start[m]]` and end before `roots[start[m + 1]]`.
    """

    node: NDArray[np.int32]
    value: Vector
    roots: NDArray[np.int32]
    start: NDArray[np.int64]


class Forest(NamedTuple):
    """The trees and their leaves, which a bound reads best first.

    Tree t's leaves are `leaf_start[t]` to `leaf_start[t + 1]`, by falling value; leaf l is node
    `leaf_node[l]`, and its conditions, cells `low` to `high` of an input, start at
    `condition_start[l]`.
    """

    nodes: Nodes
    leaf_start: NDArray[np.int32]
    leaf_value: Vector
    leaf_node: NDArray[np.int32]
    condition_start: NDArray[np.int32]
    condition_input: NDArray[np.int16]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


def cuts_of(models: Sequence[Readable], width: int) -> list[Vector]:
    """The thresholds of all trees on each input, ascending and distinct."""
    found: list[list[Vector]] = [[np.empty(0)] for _ in range(width)]
    for model in models:
        if isinstance(model, TreeEnsemble):
            inner = ~model.trees.leaf
            for j in np.unique(model.trees.feature[inner]):
                found[j].append(model.trees.split[inner & (model.trees.feature == j)])
    return [np.unique(np.concatenate(parts)) for parts in found]


def nodes_of(models: Sequence[Readable], cuts: Sequence[Vector]) -> Nodes:
    """The nodes of all models that are trees, their splits as cell numbers."""
    trees = [model.trees if isinstance(model, TreeEnsemble) else None for model in models]
    sizes = np.cumsum([0] + [0 if t is None else len(t.left) for t in trees])
    start = np.cumsum([0] + [0 if t is None else len(t.roots) for t in trees])
    node, value = np.zeros((sizes[-1], 3), dtype=np.int32), np.zeros(sizes[-1])
    roots = np.zeros(start[-1], dtype=np.int32)
    for t, (a, b), (first, last) in zip(trees, pairwise(sizes), pairwise(start), strict=True):
        if t is not None:
            node[a:b, INPUT], node[a:b, LEFT] = np.where(t.leaf, LEAF, t.feature), t.left + a
            value[a:b], roots[first:last] = t.value, t.roots + a
            for j, cut in enumerate(cuts):
                asks = np.flatnonzero(node[a:b, INPUT] == j)
                node[a + asks, CUT] = np.searchsorted(cut, t.split[asks])
    return Nodes(node, value, roots, start.astype(np.int64))


def gaps_to_the_left(model: TreeEnsemble, domain: Schema) -> TreeEnsemble:
    """Trees as a search reads them: missing values, −∞, always go left."""
    if not domain.gapped:
        return model
    asks = ~model.trees.leaf & ~model.trees.missing_left
    if not np.isin(model.trees.feature[asks], domain.gapped).any():
        return model
    return replace(model, trees=unfold(branching_of(model.trees), frozenset(domain.gapped)))


class _Leaf(NamedTuple):
    value: float
    node: int
    box: dict[int, tuple[int, int]]


def forest_of(nodes: Nodes, cuts: Sequence[Vector], domain: Schema) -> Forest:
    """The trees with their leaves as boxes of cells, best first."""
    freedom = [0 if not f.mutable else 1 if f.direction != "any" else 2 for f in domain]
    found = [_leaves(nodes, int(root), cuts, freedom) for root in nodes.roots]
    leaves = [leaf for tree in found for leaf in tree]
    flat = [(j, a, b) for leaf in leaves for j, (a, b) in leaf.box.items()]
    columns = np.array(flat, dtype=np.int32).reshape(-1, 3)

    def counted(counts: list[int]) -> NDArray[np.int32]:
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    return Forest(
        nodes,
        leaf_start=counted([len(tree) for tree in found]),
        leaf_value=np.array([leaf.value for leaf in leaves], dtype=np.float64),
        leaf_node=np.array([leaf.node for leaf in leaves], dtype=np.int32),
        condition_start=counted([len(leaf.box) for leaf in leaves]),
        condition_input=np.ascontiguousarray(columns[:, 0]).astype(np.int16),
        low=np.ascontiguousarray(columns[:, 1]),
        high=np.ascontiguousarray(columns[:, 2]),
    )


def _leaves(nodes: Nodes, root: int, cuts: Sequence[Vector], freedom: list[int]) -> list[_Leaf]:
    """A tree's leaves, best first; of a leaf's inputs those first that cannot move.

    Most leaves are out of reach because of these.
    """
    found: list[_Leaf] = []
    stack: list[tuple[int, dict[int, tuple[int, int]]]] = [(root, {})]
    while stack:
        at, box = stack.pop()
        j, c, left = nodes.node[at].tolist()
        if j == LEAF:
            box = dict(sorted(box.items(), key=lambda item: freedom[item[0]]))
            found.append(_Leaf(float(nodes.value[at]), at, box))
            continue
        a, b = box.get(j, (0, len(cuts[j])))
        if a <= min(b, c):
            stack.append((left, {**box, j: (a, min(b, c))}))
        if max(a, c + 1) <= b:
            stack.append((left + 1, {**box, j: (max(a, c + 1), b)}))
    found.sort(key=lambda leaf: -leaf.value)
    return found
