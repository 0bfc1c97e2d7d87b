"""The program: any mixture of models, each with its margin, packed for the kernel.

A model is either a sum of trees or a weighted sum of one contribution per input; a schema's
relation is a weighted sum that must hold. Built once for all people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.scores import Additive, Linear, Score, TreeEnsemble
from standfast.search.contributions import (
    HalfSpacePart,
    Sum,
    added_by,
    is_bounded,
    is_constant,
    is_monotone,
    most_over,
)
from standfast.search.lattice import LISTED, Actions, Lattice
from standfast.search.price import Matrix, Price, Vector

# a little less than the tolerance of HalfSpaces.excess, so that the schema admits what is found
TOLERANCE = 0.9e-9

Readable = Linear | Additive | TreeEnsemble


class Forest(NamedTuple):
    """All trees of all models in cells of the lattice, and their leaves, best first.

    Node i sends a point left (to `left[i]`) if its cell of input `feature[i]` is at most `cut[i]`,
    else to `left[i] + 1`; a leaf has left[i] == i. Model m's trees are `model_start[m]` to
    `model_start[m + 1]`; `reads[t, j]` says whether tree t splits on input j. Tree t's leaves are
    `leaf_start[t]` to `leaf_start[t + 1]`, by falling value; leaf l is node `leaf_node[l]`, and its
    conditions, cells `low` to `high` of an input, start at `condition_start[l]`.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    value: Vector
    model_start: NDArray[np.int32]
    reads: NDArray[np.bool_]
    leaf_start: NDArray[np.int32]
    leaf_value: Vector
    leaf_node: NDArray[np.int32]
    condition_start: NDArray[np.int32]
    condition_input: NDArray[np.int16]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class Adds(NamedTuple):
    """What the ranges of a lattice add to weighted sums: sum × range, at both ends and at most.

    `monotone` says, sum × input, that the most is at an end unless an end is refused.
    """

    first: Matrix
    last: Matrix
    most: Matrix
    monotone: NDArray[np.bool_]

    @classmethod
    def build(cls, sums: Sequence[Sum], lattice: Lattice) -> "Adds":
        """What the lattice's ranges add to each of some sums."""
        ranges, d = lattice.ranges, len(lattice.domain)
        first, last, most = (np.empty((len(sums), len(ranges.first))) for _ in range(3))
        for r, model in enumerate(sums):
            for j, grid in enumerate(lattice.grids):
                here = slice(ranges.starts[j], ranges.starts[j + 1])
                ends, added = (ranges.first[here], ranges.last[here]), added_by(model, j)
                first[r, here], last[r, here] = (added(end) for end in ends)
                most[r, here] = most_over(model, j, grid, *ends)
        monotone = [[is_monotone(model, j) for j in range(d)] for model in sums]
        return cls(first, last, most, np.array(monotone, dtype=bool).reshape(len(sums), d))


class Singles(NamedTuple):
    """Which models add their trees in 32 bits, from which offset, and how far off that may be."""

    marked: NDArray[np.bool_]
    offset: Vector
    error: Vector

    @classmethod
    def build(cls, models: Sequence[Readable]) -> "Singles":
        """The marks of each model."""
        single = [m if isinstance(m, TreeEnsemble) and m.single else None for m in models]
        errors = [0.0 if m is None else m.rounding_error * m.divisor for m in single]
        offsets = [0.0 if m is None else m.offset for m in single]
        return cls(np.array([m is not None for m in single]), np.array(offsets), np.array(errors))


@dataclass(frozen=True, eq=False)
class Program:
    """Models, relations and lattice, ready to be solved for one person after another.

    A model accepts where its sum exceeds `needs[m]`. Models come first in the order given, then the
    relations. `row[m]` is the model's place among the weighted `sums`, whose values over the
    lattice's ranges are `adds`, or −1 if it is a sum of trees, which some add in 32 bits
    (`single`). Of the inputs `unproven` only some values are tried, so nothing is proven about all
    of them.
    """

    lattice: Lattice
    models: tuple[Readable, ...]
    sums: tuple[Sum, ...]
    needs: Vector
    single: Singles
    row: NDArray[np.int32]
    adds: Adds
    forest: Forest
    relations: int
    unproven: tuple[int, ...] = ()

    @classmethod
    def build(
        cls,
        models: Sequence[Score],
        margins: Sequence[float],
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        actions: Actions | None = None,
    ) -> "Program":
        """The program that asks every model for a score above its margin.

        It searches everything that the schema admits; with `actions`, what the grid offers.
        """
        readable = [checked(model, i, len(domain)) for i, model in enumerate(models)]
        trees = [m for m in readable if isinstance(m, TreeEnsemble)]
        cuts, summed = cuts_of(trees, len(domain)), summed_inputs(readable, domain)
        unproven = () if actions else _unbounded(readable, domain)
        offers = [Actions(LISTED) if j in unproven else actions for j in range(len(domain))]
        lattice = Lattice.build(domain, percentiles, price, cuts, summed, offers)
        needs = [need(m, margin) for m, margin in zip(readable, margins, strict=True)]
        needs += [-bound - TOLERANCE for bound in domain.half_spaces.b]
        sums: list[Sum] = [m for m in readable if not isinstance(m, TreeEnsemble)]
        laws = [law_of(weights) for weights in domain.half_spaces.A]
        tree = np.array([isinstance(m, TreeEnsemble) for m in [*readable, *laws]], dtype=bool)
        packed = [_packed(m, cuts, domain) if isinstance(m, TreeEnsemble) else [] for m in readable]
        return cls(
            lattice,
            tuple(readable),
            (*sums, *laws),
            np.array(needs),
            Singles.build([*readable, *laws]),
            np.where(tree, -1, np.cumsum(~tree) - 1).astype(np.int32),
            Adds.build((*sums, *laws), lattice),
            _joined([*packed, *([] for _ in laws)], len(domain)),
            len(laws),
            unproven,
        )


def own_adds(sums: Sequence[Sum], values: Matrix) -> NDArray[np.float64]:
    """What values, people × which × inputs, add to each sum: people × which × sums × inputs."""
    n, which, d = values.shape
    found = np.empty((n, which, len(sums), d))
    for r, model in enumerate(sums):
        for j in range(d):
            added = added_by(model, j)(values[:, :, j].ravel())
            found[:, :, r, j] = added.reshape(n, which)
    return found


def _unbounded(models: Sequence[Readable], domain: Schema) -> tuple[int, ...]:
    """The inputs with too many values to ask about each, where some sum bends both ways."""
    sums = [m for m in models if not isinstance(m, TreeEnsemble)]
    return tuple(
        j
        for j, feature in enumerate(domain)
        if feature.mutable and any(not is_bounded(model, j, feature) for model in sums)
    )


def need(model: Readable, margin: float) -> float:
    """What a model's sum must exceed: threshold, margin, and what rounding may hide."""
    asked = model.sure_cutoff(margin)
    if isinstance(model, TreeEnsemble):
        return asked * model.divisor - model.offset
    return asked - model.offset


def checked(model: Score, i: int, width: int) -> Readable:
    """The model, if its structure can be read and it reads this many inputs."""
    if not isinstance(model, Linear | Additive | TreeEnsemble):
        raise InputError(
            f"model {i} is a {type(model).__name__}, whose structure cannot be read; the exact "
            "search takes linear, additive and tree models: use GrowingSpheres for this one"
        )
    if model.width != width:
        raise InputError(f"model {i} reads {model.width} inputs, the schema has {width}")
    return model


def law_of(weights: Vector) -> Additive:
    """a·x ≤ b as a sum that must exceed −b: −a·x and, input by input, the schema's tolerance."""
    parts = [HalfSpacePart(float(w), TOLERANCE) if w else np.zeros_like for w in weights]
    return Additive(parts, 0.0)


def cuts_of(trees: Sequence[TreeEnsemble], width: int) -> list[Vector]:
    """The thresholds of all trees on each input, ascending and distinct."""
    found: list[list[Vector]] = [[np.empty(0)] for _ in range(width)]
    for model in trees:
        inner = ~model.trees.leaf
        for j in np.unique(model.trees.feature[inner]):
            found[j].append(model.trees.split[inner & (model.trees.feature == j)])
    return [np.unique(np.concatenate(parts)) for parts in found]


def summed_inputs(models: Sequence[Readable], domain: Schema) -> list[bool]:
    """Which inputs some weighted sum or relation reads."""
    summed = (domain.half_spaces.A != 0).any(axis=0)
    for model in models:
        if not isinstance(model, TreeEnsemble):
            summed = summed | ~np.array([is_constant(model, j) for j in range(len(domain))])
    return [bool(s) for s in summed]


class _Tree(NamedTuple):
    feature: NDArray[Any]
    cut: NDArray[Any]
    left: NDArray[Any]
    value: Vector
    leaves: list["_Leaf"]


class _Leaf(NamedTuple):
    value: float
    node: int
    box: dict[int, tuple[int, int]]


def _packed(model: TreeEnsemble, cuts: Sequence[Vector], domain: Schema) -> list[_Tree]:
    """Each tree with its splits as cell numbers, and its leaves as boxes of cells, best first."""
    t = model.trees
    freedom = [0 if not f.mutable else 1 if f.direction != "any" else 2 for f in domain]
    ends = np.append(t.roots[1:], len(t.left))[: len(t.roots)]
    cut = np.zeros(len(t.left), dtype=np.int32)
    inner = ~t.leaf
    for j in np.unique(t.feature[inner]):
        here = inner & (t.feature == j)
        cut[here] = np.searchsorted(cuts[j], t.split[here])
    trees = []
    for root, end in zip(t.roots, ends, strict=True):
        leaves: list[_Leaf] = []
        stack: list[tuple[int, dict[int, tuple[int, int]]]] = [(int(root), {})]
        while stack:
            node, box = stack.pop()
            if not inner[node]:
                # what cannot move is asked first: most leaves are out of reach because of it
                box = dict(sorted(box.items(), key=lambda item: freedom[item[0]]))
                leaves.append(_Leaf(float(t.value[node]), node - int(root), box))
                continue
            j, c, left = int(t.feature[node]), int(cut[node]), int(t.left[node])
            a, b = box.get(j, (0, len(cuts[j])))
            if a <= min(b, c):
                stack.append((left, {**box, j: (a, min(b, c))}))
            if max(a, c + 1) <= b:
                stack.append((left + 1, {**box, j: (max(a, c + 1), b)}))
        leaves.sort(key=lambda leaf: -leaf.value)
        here = slice(int(root), int(end))
        trees.append(_Tree(t.feature[here], cut[here], t.left[here] - root, t.value[here], leaves))
    return trees


def _joined(models: Sequence[Sequence[_Tree]], width: int) -> Forest:
    trees = [tree for model in models for tree in model]
    sizes = np.concatenate(([0], np.cumsum([len(tree.left) for tree in trees])))
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    flat = [(j, a, b) for leaf in leaves for j, (a, b) in leaf.box.items()]
    reads = np.zeros((len(trees), width), dtype=bool)
    for t, tree in enumerate(trees):
        reads[t, tree.feature[tree.left != np.arange(len(tree.left))]] = True
    nodes = [leaf.node + s for t, s in zip(trees, sizes[:-1], strict=True) for leaf in t.leaves]

    def counted(counts: list[int]) -> NDArray[np.int32]:
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype)

    columns = np.array(flat, dtype=np.int32).reshape(-1, 3)
    return Forest(
        roots=sizes[:-1].astype(np.int32),
        feature=joined([tree.feature for tree in trees], np.int16),
        cut=joined([tree.cut for tree in trees], np.int32),
        left=joined([t.left + s for t, s in zip(trees, sizes[:-1], strict=True)], np.int32),
        value=joined([tree.value for tree in trees], np.float64),
        model_start=counted([len(model) for model in models]),
        reads=reads,
        leaf_start=counted([len(tree.leaves) for tree in trees]),
        leaf_value=np.array([leaf.value for leaf in leaves], dtype=np.float64),
        leaf_node=np.array(nodes, dtype=np.int32),
        condition_start=counted([len(leaf.box) for leaf in leaves]),
        condition_input=np.ascontiguousarray(columns[:, 0]).astype(np.int16),
        low=np.ascontiguousarray(columns[:, 1]),
        high=np.ascontiguousarray(columns[:, 2]),
    )
