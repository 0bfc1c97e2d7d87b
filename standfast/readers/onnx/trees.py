"""ONNX's tree ensembles, node by node, with the comparisons that its runtime makes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.onnx.columns import Columns
from standfast.readers.onnx.graph import DOUBLE, Operator, not_read
from standfast.readers.onnx.linear import transformed
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece, signs
from standfast.readers.piecewise.growth import Ask, Known, Tree, grown, settled
from standfast.readers.piecewise.sums import Result, Sum
from standfast.schema import Schema
from standfast.scores.score import IDENTITY, Vector

# whether a number below, at and above the threshold goes to the true side, and what is no number
MODES: dict[str, tuple[bool, bool, bool, bool]] = {
    "BRANCH_LEQ": (True, True, False, False),
    "BRANCH_LT": (True, False, False, False),
    "BRANCH_GTE": (False, True, True, False),
    "BRANCH_GT": (False, False, True, False),
    "BRANCH_EQ": (False, True, False, False),
    "BRANCH_NEQ": (True, False, True, True),
}
Node = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of all trees: what each asks, where it leads, and where the trees begin."""

    asked: dict[Node, Cells[bool]]
    ways: dict[Node, tuple[Node, Node]]
    roots: tuple[Node, ...]


def classifier(one: Operator, columns: Columns, favourable: int, schema: Schema) -> Result:
    """The favourable class's probability, or its decision value where there is none.

    Weights of one class alone are those of the second: its probability, its log-odds, or, with
    negative ones among them and no transformation, its decision value.
    """
    ids = np.array(one.wholes("class_ids"))
    weights = one.needed("class_weights", "class_weights_as_tensor")
    base = one.numbers("base_values", "base_values_as_tensor")
    post = one.settings.get("post_transform", "NONE")
    if len(ids) != len(weights):
        raise InputError(f"{one.place} has weights that fit no leaves; export the model again")
    nodes = _nodes(one, columns)
    double = "class_weights_as_tensor" in one.settings and columns.type == DOUBLE
    found = [_summed(one, nodes, weights * (ids == k), "class", schema, double) for k in (0, 1)]
    positive = bool((weights >= 0).all())
    if set(ids.tolist()) == {0}:
        if (base is not None and len(base) > 1) or post not in ("NONE", "LOGISTIC"):
            raise not_read(one, f"the transformation {post} with weights of one class")
        second = found[0].plus(Sum(0.0 if base is None else float(base[0])))
        if post == "NONE" and positive:
            rest = Sum(1.0, single=second.single).plus(second.scaled(-1.0))
            return Result(second if favourable else rest, IDENTITY, True)
        own, other = (second, second.scaled(-1.0))[:: 1 if favourable else -1]
        return transformed(one, own, other)
    if set(ids.tolist()) != {0, 1} or base is not None:
        raise not_read(one, "the base values or class numbers")
    return transformed(one, found[favourable], found[1 - favourable], positive)


def regressor(one: Operator, columns: Columns, schema: Schema) -> Result:
    """The number that an ensemble of trees gives."""
    combine = one.settings.get("aggregate_function", "SUM")
    if combine not in ("SUM", "AVERAGE"):
        raise not_read(one, f"the combination {combine}")
    if one.whole("n_targets", 1) != 1:
        raise not_read(one, "more than one number per person")
    nodes = _nodes(one, columns)
    weights = one.needed("target_weights", "target_weights_as_tensor")
    double = "target_weights_as_tensor" in one.settings and columns.type == DOUBLE
    total = _summed(one, nodes, weights, "target", schema, double)
    if combine == "AVERAGE":
        total = total.scaled(1.0 / len(nodes.roots))
    base = one.numbers("base_values", "base_values_as_tensor")
    if base is not None:
        total = total.plus(Sum(float(base[0])))
    return transformed(one, total)


def _nodes(one: Operator, columns: Columns) -> Nodes:
    trees, numbers = one.wholes("nodes_treeids"), one.wholes("nodes_nodeids")
    features, modes = one.wholes("nodes_featureids"), one.texts("nodes_modes")
    values = one.needed("nodes_values", "nodes_values_as_tensor").tolist()
    true, false = one.wholes("nodes_truenodeids"), one.wholes("nodes_falsenodeids")
    tracked = "nodes_missing_value_tracks_true"
    tracks = one.wholes(tracked) if tracked in one.settings else [0] * len(trees)
    if (
        len({len(part) for part in (trees, numbers, features, values, true, false, modes, tracks)})
        > 1
    ):
        raise InputError(f"{one.place} has lists of different lengths; export the model again")
    asked: dict[Node, Cells[bool]] = {}
    ways: dict[Node, tuple[Node, Node]] = {}
    known: dict[Any, Cells[bool]] = {}
    at = list(zip(trees, numbers, strict=True))
    for k, node in enumerate(at):
        if modes[k] == "LEAF":
            continue
        if modes[k] not in MODES or values[k] != values[k]:
            raise not_read(one, f"the question {modes[k]!r}")
        if not 0 <= features[k] < len(columns.cells):
            raise InputError(
                f"{one.place} reads column {features[k]}, but there are {len(columns.cells)}"
            )
        key = (features[k], values[k], modes[k], tracks[k])
        if key not in known:
            known[key] = _compared(columns.cells[features[k]], *key[1:])
        asked[node] = known[key]
        ways[node] = ((trees[k], true[k]), (trees[k], false[k]))
    return Nodes(asked, ways, _roots(one, at, ways))


def _roots(one: Operator, at: list[Node], ways: dict[Node, tuple[Node, Node]]) -> tuple[Node, ...]:
    """The first node of each tree, from which one way must lead to every other one."""
    here, ends = set(at), [end for pair in ways.values() for end in pair]
    led = set(ends)
    roots = [node for node in at if node not in led]
    sound = len(here) == len(at) and led <= here and len(led) == len(ends)
    if sound and len(roots) == len({tree for tree, _ in at}):
        reached, waiting = 0, list(roots)
        while waiting:  # no node has two ways to it, so this ends
            reached += 1
            waiting += ways.get(waiting.pop(), ())
        if reached == len(at):
            return tuple(roots)
    raise InputError(f"{one.place} has nodes that lead nowhere or in circles; export it again")


def _compared(cells: Cells[Piece], value: float, mode: str, track: int) -> Cells[bool]:
    below, equal, above, none = MODES[mode]
    truths = (below, equal, above)

    def divide(start: float, end: float, piece: Piece) -> list[tuple[float, bool]]:
        if isinstance(piece, Moving):
            return [(e, truths[sign + 1]) for e, sign in signs(start, end, piece, value)]
        if isinstance(piece, float):
            return [(end, truths[int(np.sign(piece - value)) + 1])]
        return [(end, none or bool(track))]

    return cells.finer(divide)


def _summed(
    one: Operator, nodes: Nodes, weights: Vector, side: str, schema: Schema, double: bool
) -> Sum:
    """The trees with some weights in their leaves; a leaf without one adds nothing."""
    trees, numbers = one.wholes(f"{side}_treeids"), one.wholes(f"{side}_nodeids")
    if not len(trees) == len(numbers) == len(weights) or not np.isfinite(weights).all():
        raise InputError(f"{one.place} has weights that fit no leaves; export the model again")
    leaves: dict[Node, float] = {}
    for node, weight in zip(zip(trees, numbers, strict=True), weights.tolist(), strict=True):
        leaves[node] = leaves.get(node, 0.0) + weight
    if not any(leaves.values()):
        return Sum(single=not double)

    def follow(at: Node, known: Known) -> tuple[Node, Ask] | float | Lack:
        while at in nodes.asked:
            found = settled(nodes.asked[at], known)
            if isinstance(found, Ask):
                return at, found
            at = nodes.ways[at][0 if found else 1]
        return leaves.get(at, 0.0)

    made: list[tuple[float, Tree]] = [(1.0, grown(root, follow, schema)) for root in nodes.roots]
    return Sum(trees=tuple(made), single=not double)
