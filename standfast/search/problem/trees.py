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
from standfast.scores.tree_ensemble import Ensemble
from standfast.scores.unfolding import branching_of, unfold
from standfast.search.problem.price import Vector

Readable = Linear | Additive | TreeEnsemble
Cells = NDArray[np.int32]
Sets = NDArray[np.uint64]

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

    Tree t's leaves are `leaf_start[t]` to `leaf_start[t + 1]`, by falling value; node i is, or is
    part of, leaf `leaf_of[i]`. Leaf l's conditions start at `condition_start[l]`: cells `low` to
    `high` of an input, or only those whose bits stand in `cells`, if that is not 0.
    """

    nodes: Nodes
    leaf_start: Cells
    leaf_value: Vector
    leaf_of: Cells
    condition_start: Cells
    condition_input: NDArray[np.int16]
    low: Cells
    high: Cells
    cells: Sets


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


def gaps_to_the_left(model: Ensemble, domain: Schema) -> Ensemble:
    """Trees as a search reads them: missing values, −∞, always go left."""
    if not domain.gapped:
        return model
    asks = ~model.trees.leaf & ~model.trees.missing_left
    if not np.isin(model.trees.feature[asks], domain.gapped).any():
        return model
    return replace(model, trees=unfold(branching_of(model.trees), frozenset(domain.gapped)))
