"""The program: any mixture of models, each with its margin, packed for the kernel.

A model is either a sum of trees or a weighted sum of one contribution per input; a schema's
relation is a weighted sum that must hold. Built once for all people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.models import Additive, Linear, Score, TreeEnsemble
from standfast.models.score import CLEARANCE
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.search.lattice import Actions, Lattice
from standfast.search.price import Matrix, Price, Vector

# what a value that a scorecard refuses outright contributes: minus infinity, but it can be added
REFUSED = -1e300

# a little less than the tolerance of HalfSpaces.excess, so that the schema admits what is found
TOLERANCE = 0.9e-9

# trees added up in 32 bits may differ from our 64-bit sum in the seventh digit
CLEARANCE_32 = 1e-6

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


@dataclass(frozen=True, eq=False)
class Program:
    """Models, relations and lattice, ready to be solved for one person after another.

    A model accepts where its sum exceeds `needs[m]`. Models come first in the order given, then the
    relations. `row[m]` is the model's line in `contributions` (candidate by candidate over the
    lattice), or −1 if it is a sum of trees.
    """

    lattice: Lattice
    models: tuple[Readable, ...]
    needs: Vector
    row: NDArray[np.int32]
    contributions: Matrix
    forest: Forest
    relations: int

    @classmethod
    def build(
        cls,
        models: Sequence[Score],
        margins: Sequence[float],
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        actions: Actions | None = None,
        lattice: Lattice | None = None,
    ) -> "Program":
        """The program that asks every model for a score above its margin.

        `lattice` is one that knows the cuts of these trees, and more, or these models' own.
        """
        readable = [checked(model, i, len(domain)) for i, model in enumerate(models)]
        if lattice is None:
            trees = [m for m in readable if isinstance(m, TreeEnsemble)]
            own, summed = cuts_of(trees, len(domain)), summed_inputs(readable, domain)
            lattice = Lattice.build(domain, percentiles, price, own, summed, actions or Actions())
        cuts = lattice.cuts
        needs: list[float] = []
        row: list[int] = []
        contributions: list[Vector] = []
        packed: list[list[_Tree]] = []
        for model, margin in zip(readable, margins, strict=True):
            packed.append(_packed(model, cuts, domain) if isinstance(model, TreeEnsemble) else [])
            if isinstance(model, TreeEnsemble):
                clearance = CLEARANCE_32 if model.single else CLEARANCE
                needs.append(model.cutoff(margin + clearance) * model.divisor - model.offset)
                row.append(-1)
            else:
                needs.append(model.cutoff(margin + CLEARANCE) - model.offset)
                row.append(len(contributions))
                contributions.append(along_lattice(lattice, model))
        for weights, bound in zip(domain.half_spaces.A, domain.half_spaces.b, strict=True):
            packed.append([])
            needs.append(-bound - TOLERANCE)
            row.append(len(contributions))
            contributions.append(along_lattice(lattice, law_of(weights)))
        return cls(
            lattice,
            tuple(readable),
            np.array(needs),
            np.array(row, dtype=np.int32),
            np.array(contributions).reshape(len(contributions), len(lattice.values)),
            _joined(packed, len(domain)),
            len(domain.relations),
        )

    def own_contributions(self, X: Matrix) -> Any:
        """What each person's own values contribute to each weighted sum: people × rows × inputs."""
        sums: list[Readable] = [m for m in self.models if not isinstance(m, TreeEnsemble)]
        sums += [law_of(weights) for weights in self.lattice.domain.half_spaces.A]
        found = np.array([contributions_of(m, X) for m in sums]).reshape(len(sums), *X.shape)
        return np.ascontiguousarray(found.transpose(1, 0, 2))


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

    def part(weight: float) -> Callable[[Vector], Vector]:
        return lambda values: TOLERANCE * np.abs(weight * values) - weight * values

    return Additive([part(float(weight)) for weight in weights], 0.0)


def cuts_of(trees: Sequence[TreeEnsemble], width: int) -> list[Vector]:
    """The thresholds of all trees on each input, ascending and distinct."""
    found: list[list[Vector]] = [[np.empty(0)] for _ in range(width)]
    for model in trees:
        inner = ~model.trees.leaf
        for j in np.unique(model.trees.feature[inner]):
            found[j].append(model.trees.split[inner & (model.trees.feature == j)])
    return [np.unique(np.concatenate(parts)) for parts in found]


def summed_inputs(models: Sequence[Readable], domain: Schema) -> list[bool]:
    """Which inputs some weighted sum reads."""
    summed = (domain.half_spaces.A != 0).any(axis=0)
    for model in models:
        if isinstance(model, Linear):
            summed = summed | (model.weights != 0)
        elif isinstance(model, Additive):
            summed = summed | True
    return [bool(s) for s in summed]


def contributions_of(model: Readable, X: Matrix) -> Matrix:
    """What each value adds to a weighted sum, person by person."""
    if isinstance(model, Linear):
        return X * model.weights
    assert isinstance(model, Additive)
    columns = [f(column) for f, column in zip(model.functions, X.T, strict=True)]
    return np.fmax(np.column_stack(columns), REFUSED)


def along_lattice(lattice: Lattice, model: Readable) -> Vector:
    """What each candidate value of the lattice contributes to a weighted sum."""
    parts = []
    for j, (a, b) in enumerate(zip(lattice.starts[:-1], lattice.starts[1:], strict=True)):
        values = lattice.values[a:b]
        if isinstance(model, Linear):
            parts.append(values * model.weights[j])
        elif isinstance(model, Additive) and len(values):
            parts.append(np.fmax(model.functions[j](values), REFUSED))
    return np.concatenate([np.empty(0), *parts])


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
