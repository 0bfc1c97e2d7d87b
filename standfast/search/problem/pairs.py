"""Models that add up what single inputs and pairs of inputs say, as trees and as a sum above them.

Trees are bounded one by one, each as if the whole budget were its own; the inputs of a weighted sum
share the budget, which bounds a model of many small parts far better. So such a model comes with a
sum that is never below it, in which a pair's part is the most that its second input allows.
"""

import numpy as np

from standfast.errors import InputError
from standfast.readers.cells import Cells, Table, trees_of
from standfast.readers.columns.code import Celled, Tabled
from standfast.readers.columns.contribution import Contribution
from standfast.readers.piecewise.steps import Placed
from standfast.schema import Schema
from standfast.scores import Additive, Paired, TreeEnsemble
from standfast.scores.tree_ensemble import Trees, joined
from standfast.search.problem.price import Vector


def as_trees(model: Paired, domain: Schema) -> TreeEnsemble:
    """A model with tables for pairs as trees alone: one for each input's own part, too."""
    tables = []
    for j, function in enumerate(model.functions):
        found = _table_of(function)
        if found is None:
            raise InputError(
                f"what '{domain.names[j]}' adds to the model is no table, and the exact search "
                "reads models that join such parts with trees as tables only: use GrowingSpheres"
            )
        edges, amounts = found
        if len(amounts):
            tables.append(Table((j,), (Cells(edges),), amounts))
    return TreeEnsemble(
        joined([trees_of(tables, domain.gapped), model.trees]),
        model.width,
        model.threshold,
        model.link,
        model.probability,
        model.offset,
        prediction=model.prediction,
    )


def _table_of(function: object) -> tuple[Vector, Vector] | None:
    """Edges and amounts of a part that is a table over cells; empty if it adds nothing."""
    if function is np.zeros_like:
        return np.empty(0), np.empty(0)
    if not isinstance(function, Contribution) or len(function.terms) > 1:
        return None
    if not function.terms:
        return np.empty(0), np.empty(0)
    weight, steps = function.terms[0]
    if len(steps) != 2 or not isinstance(steps[0], Celled) or not isinstance(steps[1], Tabled):
        return None
    return steps[0].edges, weight * steps[1].entries


def sum_above(model: TreeEnsemble) -> Additive | None:
    """A weighted sum that is nowhere below a model of trees that read one or two inputs each.

    None where a tree reads more, or no two inputs have a part of their own.
    """
    t, d = model.trees, model.width
    if not len(t.roots):
        return None
    ends = np.append(t.roots[1:], len(t.left))
    asks, tree = ~t.leaf, np.repeat(np.arange(len(t.roots)), ends - t.roots)
    reads = np.unique(tree[asks] * d + t.feature[asks])
    counts = np.bincount(reads // d, minlength=len(t.roots))
    inputs = np.split(reads % d, np.cumsum(counts)[:-1])
    if counts.max() > 2 or len({int(j[0]) for j in inputs if len(j) == 1}) < 2:
        return None
    offset, parts = model.offset, [list[tuple[Vector, Vector]]() for _ in range(d)]
    for read, (a, b) in zip(inputs, zip(t.roots, ends, strict=True), strict=True):
        one = _alone(t, int(a), int(b))
        if not len(read):
            offset += float(one.value[0])
            continue
        cuts = [np.unique(one.split[(one.feature == j) & ~one.leaf]) for j in read]
        grid = np.meshgrid(*(np.append(cut, np.inf) for cut in cuts), indexing="ij")
        X = np.zeros((grid[0].size, d))
        X[:, read] = np.column_stack([axis.ravel() for axis in grid])
        values = TreeEnsemble(one, d, threshold=0.0, probability=False).raw(X)
        most = values.reshape(grid[0].shape).reshape(len(cuts[0]) + 1, -1).max(axis=1)
        parts[int(read[0])].append((cuts[0], most))
    return Additive([_added_up(part) for part in parts], offset)


def _alone(t: Trees, a: int, b: int) -> Trees:
    """One tree of several."""
    here = slice(a, b)
    size = np.zeros(1, dtype=np.int32)
    depth = np.array([max(1, b - a)], dtype=np.int32)
    cut = (t.feature[here], t.split[here], t.left[here] - a, t.missing_left[here], t.value[here])
    return Trees(*cut, size, depth)


def _added_up(parts: list[tuple[Vector, Vector]]) -> Contribution:
    """Step functions of one input as one."""
    if not parts:
        return Contribution(())
    cuts = np.unique(np.concatenate([cut for cut, _ in parts]))
    total = np.zeros(len(cuts) + 1)
    for cut, values in parts:
        total += values[np.searchsorted(cut, np.append(cuts, np.inf), side="left")]
    return Contribution(((1.0, (Placed(cuts), Tabled(total))),))
