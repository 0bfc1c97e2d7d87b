"""Read structures kept beside model files: plain numbers, so that many models open in a moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.readers.described import IndescribableError, Pool, described, restored
from standfast.readers.stored import StoredPrediction
from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.paired import Paired
from standfast.scores.score import Link, Score
from standfast.scores.tree_ensemble import TreeEnsemble, Trees, joined

Arrays = Mapping[str, NDArray[Any]]
SETTINGS = ("width", "threshold", "probability", "offset", "divisor", "single")


@dataclass(frozen=True, eq=False)
class Packed:
    """The structures of several models: what is said of each, None without one, and the numbers."""

    about: list[dict[str, Any] | None]
    arrays: dict[str, NDArray[Any]]


def pack(scores: Sequence[Score | None]) -> Packed:
    """The structures of those models that have one, every number kept to the last bit."""
    pool = Pool()
    about = [None if score is None else _described(score, pool) for score in scores]
    ensembles = [
        score
        for score, one in zip(scores, about, strict=True)
        if isinstance(score, TreeEnsemble | Paired) and one is not None
    ]
    return Packed(about, {"pool": pool.whole(), **_packed_trees([e.trees for e in ensembles])})


def unpack(
    about: Sequence[Mapping[str, Any] | None],
    arrays: Arrays,
    predictions: Sequence[StoredPrediction | None],
) -> list[Score | None]:
    """The models, each with its prediction; whatever does not fit is any kind of exception."""
    trees = iter(_unpacked_trees(arrays))
    pool = np.asarray(arrays["pool"], dtype=np.float64)
    found: list[Score | None] = []
    for one, prediction in zip(about, predictions, strict=True):
        if one is None:
            found.append(None)
            continue
        link = _link(one["link"])
        if one["kind"] == "trees":
            settings = {name: one[name] for name in SETTINGS}
            found.append(TreeEnsemble(next(trees), link=link, prediction=prediction, **settings))
            continue
        content, offset, threshold = restored(one["content"], pool), one["offset"], one["threshold"]
        if one["kind"] == "paired":
            found.append(Paired(content, offset, next(trees), link, threshold, prediction))
            continue
        kind = Linear if one["kind"] == "linear" else Additive
        found.append(kind(content, offset, link, threshold, prediction))
    return found


def _described(score: Score, pool: Pool) -> dict[str, Any] | None:
    """What is said of a model beside its trees or arrays; None if it cannot be said."""
    if isinstance(score, TreeEnsemble):
        settings = {name: getattr(score, name) for name in SETTINGS}
        return {"kind": "trees", "link": _link_parts(score.link), **settings}
    if not isinstance(score, Linear | Additive | Paired):
        return None
    kind = {Linear: "linear", Additive: "additive", Paired: "paired"}[type(score)]
    content = score.weights if isinstance(score, Linear) else score.functions
    try:
        return {
            "kind": kind,
            "link": _link_parts(score.link),
            "offset": score.offset,
            "threshold": score.threshold,
            "content": described(content, pool),
        }
    except IndescribableError:
        return None


def _link_parts(link: Link) -> list[Any]:
    """A link as what JSON can hold; a plain one is its name and its scale."""
    if not (link.shift or link.knots or link.after):
        return [link.name, link.scale]
    after = None if link.after is None else _link_parts(link.after)
    return [link.name, link.scale, link.shift, [list(knot) for knot in link.knots], after]


def _link(parts: Sequence[Any]) -> Link:
    if len(parts) == 2:
        return Link(*parts)
    name, scale, shift, knots, after = parts
    pairs = tuple((float(x), float(y)) for x, y in knots)
    return Link(name, scale, shift, pairs, None if after is None else _link(after))


# trees: 64 bits per node for its split or value, its input, and two bits. Where a node leads need
# not be kept: level by level, the k-th node that splits has the children 1 + 2k and 2 + 2k.


NONE, NO_NODES = np.empty(0), np.empty(0, np.int32)
NO_TREES = Trees(NO_NODES, NONE, NO_NODES, np.empty(0, np.bool_), NONE, NO_NODES, NO_NODES)


def _packed_trees(found: Sequence[Trees]) -> dict[str, NDArray[Any]]:
    whole = joined([NO_TREES, *found])
    leaf = whole.leaf
    feature = whole.feature[~leaf]
    small = np.uint8 if not feature.size or feature.max() < 256 else np.int32
    return {
        "trees": np.array([len(t.roots) for t in found], dtype=np.int32),
        "nodes": np.diff(whole.roots, append=len(leaf)).astype(np.int32),
        "depths": whole.depths.astype(np.int32),
        "leaf": np.packbits(leaf),
        "feature": feature.astype(small),
        "missing_left": np.packbits(whole.missing_left[~leaf]),
        "number": np.where(leaf, whole.value, whole.split),
    }


def _unpacked_trees(arrays: Arrays) -> list[Trees]:
    nodes, trees = arrays["nodes"].astype(np.int64), arrays["trees"].astype(np.int64)
    total = int(nodes.sum())
    number = np.asarray(arrays["number"], dtype=np.float64)
    leaf = np.unpackbits(arrays["leaf"], count=total).astype(np.bool_)
    inner = ~leaf
    splits = int(inner.sum())
    feature = np.zeros(total, dtype=np.int32)
    feature[inner] = arrays["feature"]
    missing = np.ones(total, dtype=np.bool_)
    missing[inner] = np.unpackbits(arrays["missing_left"], count=splits).astype(np.bool_)
    starts = np.concatenate(([0], np.cumsum(nodes)))  # of the trees among all nodes
    before = np.concatenate(([0], np.cumsum(inner)))[starts[:-1]]  # splits in earlier trees
    ends = np.cumsum(trees)
    first = starts[ends - trees]  # node of each model
    begin = starts[:-1] - np.repeat(first, trees)  # of each tree within its model
    left = np.arange(total, dtype=np.int32) - np.repeat(first, _sums(nodes, trees)).astype(np.int32)
    children = np.repeat(begin + 1 - 2 * before, _sums(inner, nodes)) + 2 * np.arange(splits)
    left[inner] = children
    split, value = np.where(inner, number, np.inf), np.where(inner, 0.0, number)
    found = []
    for k, end in enumerate(ends):
        which = slice(end - trees[k], end)
        here = slice(starts[end - trees[k]], starts[end])
        found.append(
            Trees(
                feature=feature[here],
                split=split[here],
                left=left[here],
                missing_left=missing[here],
                value=value[here],
                roots=begin[which].astype(np.int32),
                depths=arrays["depths"][which].astype(np.int32),
            )
        )
    return found


def _sums(numbers: NDArray[Any], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the numbers in each group, the groups being that long."""
    total = np.concatenate(([0], np.cumsum(numbers, dtype=np.int64)))
    ends = np.cumsum(groups)
    sums: NDArray[np.int64] = total[ends] - total[ends - groups]
    return sums
