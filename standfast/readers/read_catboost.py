"""Reads CatBoost's boosted trees for two classes, with thresholds, categories and their counts.

CatBoost writes its model as JSON: a category is the number its name is hashed to, and a count, a
"CTR", is what the training table says of one category: a question about it is one about a set.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from standfast.readers.library_trees import Group, LibraryTree, LibraryTrees, in_single_precision
from standfast.readers.unreadable import UnreadableError
from standfast.scores.score import LOGISTIC, Vector

# how CatBoost mixes the hash of a category into the key of its tables, and the way back
MIXED = pow(0x4906BA494954CB65, 2, 2**64)
UNMIXED = pow(MIXED, -1, 2**64)
NO_KEY = 2**64 - 1

# a node: what it asks and its two ways, or a leaf's value
Split = tuple[int, float, bool, Group | None]
Node = tuple[Split, Any, Any] | float


def read_catboost(estimator: Any, names: frozenset[str]) -> LibraryTrees | None:
    """The model's trees, or None if this is no classifier.

    `names` are the CatBoost classes the estimator descends from.
    """
    if "CatBoostClassifier" not in names:
        return None
    model = written(estimator)
    if len(estimator.classes_) != 2:
        raise UnreadableError("it does not separate two classes")
    loss = _loss(model)
    if loss not in ("Logloss", "CrossEntropy"):
        raise UnreadableError(f"its loss is {loss!r}")
    splits = _splits(model)
    scale, bias = model["scale_and_bias"]
    trees = [_flat(_oblivious(tree, splits)) for tree in model.get("oblivious_trees", ())]
    trees += [_flat(_nested(tree, splits)) for tree in model.get("trees", ())]
    if not scale or len(bias) > 1:
        raise UnreadableError("its trees do not add up to one number")
    offset = (bias[0] if bias else 0.0) / scale
    return LibraryTrees(trees, in_single_precision, offset, 1.0 / scale, link=LOGISTIC)


def hashes_of(estimator: Any, words: Sequence[object]) -> Vector:
    """The number CatBoost hashes each word to."""
    texts = [str(word) for word in words]
    kept = written(estimator, texts)["features_info"].get("cat_features_hash", ())
    known = {one["value"]: one["hash"] % 2**32 for one in kept}
    return np.array([known.get(text, np.inf) for text in texts], dtype=np.float64)


def written(estimator: Any, texts: Sequence[str] = ("a",)) -> Any:
    """The model as CatBoost writes it in JSON, with the hashes of some texts."""
    rows = _rows(estimator, texts)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        try:
            estimator.save_model(str(file), format="json", pool=rows)
        except Exception as error:  # CatBoost's own kind of error
            raise UnreadableError("CatBoost cannot write it as JSON") from error
        return json.loads(file.read_text(encoding="utf-8"))


def _rows(estimator: Any, texts: Sequence[str]) -> Any:
    """Rows that hold the texts in every column of categories; None if there are no such columns."""
    import pandas as pd
    from catboost import Pool

    sorts = estimator.get_cat_feature_indices()
    if not len(sorts):
        return None
    numbers = np.zeros(len(texts))
    table = {n: texts if k in sorts else numbers for k, n in enumerate(estimator.feature_names_)}
    return Pool(pd.DataFrame(table), cat_features=sorts)


def _loss(model: Any) -> str:
    params = model["model_info"].get("params", {})
    params = json.loads(params) if isinstance(params, str) else params
    return str(params.get("loss_function", {}).get("type", "unknown"))


def _splits(model: Any) -> list[Split]:
    """Every split that trees may refer to by its number: column, border, gaps left, categories."""
    info = model["features_info"]
    found: list[Split] = []
    for feature in info.get("float_features", ()):
        gaps_left = feature.get("nan_value_treatment") != "AsTrue"
        place = int(feature["flat_feature_index"])
        found += [(place, float(np.float32(b)), gaps_left, None) for b in feature["borders"] or ()]
    places = []
    for feature in info.get("categorical_features", ()):
        places.append(int(feature["flat_feature_index"]))
        for value in feature.get("values", ()):
            chosen = Group(np.array([value % 2**32]), inside_left=False)
            found.append((places[-1], 0.0, True, chosen))
    for kind in ("text_features", "embedding_features"):
        if info.get(kind):
            raise UnreadableError("it reads texts or embeddings")
    for counted in info.get("ctrs", ()):
        if len(counted["elements"]) != 1 or "cat_feature_index" not in counted["elements"][0]:
            raise UnreadableError(
                "it counts combinations of columns, which cannot be taken apart: fit it with "
                "max_ctr_complexity=1"
            )
        place = places[counted["elements"][0]["cat_feature_index"]]
        table = _counts(counted, model["ctr_data"][counted["identifier"]])
        for border in counted["borders"]:
            above = table[0] > np.float32(border)
            # every category that is not in the table is where the last entry is
            inside = above != above[-1]
            chosen = Group(table[1][inside[:-1]], inside_left=bool(above[-1]))
            found.append((place, 0.0, True, chosen))
    return found


def _counts(counted: Any, data: Any) -> tuple[Any, Any]:
    """What is counted for each category and, last, for any other; and the categories' numbers.

    (count + prior) / (total + weight of the prior), shifted and scaled, in 32 bits.
    """
    stride = data["hash_stride"]
    rows = [data["hash_map"][i : i + stride] for i in range(0, len(data["hash_map"]), stride)]
    rows = [row for row in rows if int(row[0]) != NO_KEY]
    hashes = np.array([int(row[0]) * UNMIXED % 2**64 % 2**32 for row in rows], dtype=np.int64)
    numbers = np.array([[float(n) for n in row[1:]] for row in rows]).reshape(len(rows), stride - 1)
    kind, target = counted["ctr_type"], counted["target_border_idx"]
    if kind in ("Counter", "FeatureFreq"):
        count, total = numbers[:, 0], np.full(len(rows), float(data["counter_denominator"]))
        other = (0.0, float(data["counter_denominator"]))
    elif kind == "Buckets":
        count, total, other = numbers[:, target], numbers.sum(axis=1), (0.0, 0.0)
    elif kind == "Borders":
        count, total, other = numbers[:, target + 1 :].sum(axis=1), numbers.sum(axis=1), (0.0, 0.0)
    elif kind in ("BinarizedTargetMeanValue", "FloatTargetMeanValue"):
        count, total, other = numbers[:, 0], numbers[:, 1], (0.0, 0.0)
    else:
        raise UnreadableError(f"it counts categories in a way that is not known here ({kind})")
    single = np.float32
    tops = np.append(count, other[0]).astype(single) + single(counted["prior_numerator"])
    bottoms = np.append(total, other[1]).astype(single) + single(counted["prior_denomerator"])
    return (tops / bottoms + single(counted["shift"])) * single(counted["scale"]), hashes


def _oblivious(tree: Any, splits: Sequence[Split]) -> Node:
    """A tree whose levels ask one question each; the first split is a leaf number's lowest bit."""
    asked = [splits[split["split_index"]] for split in tree["splits"] or ()]

    def built(level: int, leaf: int) -> Node:
        if level < 0:
            return float(tree["leaf_values"][leaf])
        return asked[level], built(level - 1, leaf), built(level - 1, leaf | 1 << level)

    return built(len(asked) - 1, 0)


def _nested(tree: Any, splits: Sequence[Split]) -> Node:
    if "split" not in tree:
        return float(tree["value"])
    ways = (_nested(tree[way], splits) for way in ("left", "right"))
    return (splits[tree["split"]["split_index"]], *ways)


def _flat(root: Node) -> LibraryTree:
    """A tree as arrays."""
    waiting: list[Node] = [root]
    nodes: list[tuple[Node, int]] = []
    while len(nodes) < len(waiting):
        node = waiting[len(nodes)]
        nodes.append((node, len(waiting)))
        if isinstance(node, tuple):
            waiting += node[1:]
    leaf: Split = (-1, 0.0, True, None)
    asked = [node[0] if isinstance(node, tuple) else leaf for node, _ in nodes]
    inner = np.array([isinstance(node, tuple) for node, _ in nodes])
    left = np.where(inner, [end for _, end in nodes], -1)
    return LibraryTree(
        column=np.array([split[0] for split in asked]),
        threshold=np.array([split[1] for split in asked]),
        left=left,
        right=np.where(inner, left + 1, -1),
        missing_left=np.array([split[2] for split in asked]),
        value=np.array([0.0 if isinstance(node, tuple) else node for node, _ in nodes]),
        groups={i: split[3] for i, split in enumerate(asked) if split[3] is not None},
    )
