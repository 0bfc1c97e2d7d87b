"""XGBoost's saved models, checked before they are handed over: it follows their numbers unseen."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.readers.ubjson import decoded

OF_NODES = (
    *("left_children", "right_children", "parents", "split_indices", "split_conditions"),
    *("base_weights", "loss_changes", "sum_hessian", "default_left"),
)
WHOLE = ("left_children", "right_children", "parents", "split_indices", "default_left")
OF_CATEGORIES = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
LAST_INT = 2**31 - 1
MOST_INPUTS = 2**24
MOST_DIGITS = 60


def checked_json(data: bytes) -> bytes:
    """A JSON model written anew from what was checked; an InputError if it is not sound.

    >>> checked_json(b"[1, 2")
    Traceback (most recent call last):
    standfast.errors.InputError: it is not JSON, or only the beginning of it
    """
    try:
        document = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_int=_whole, parse_float=_float
        )
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise InputError("it is not JSON, or only the beginning of it") from None
    _check(document)
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def checked_ubj(data: bytes) -> bytes:
    """The bytes of a UBJSON model, if it is sound; an InputError otherwise."""
    _check(decoded(data))
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InputError("it says something twice")
    return found


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS or abs(int(text)) > 2**63 - 1:
        raise InputError("it holds a number that is out of range")
    return int(text)


def _float(text: str) -> float:
    if len(text) > MOST_DIGITS or not abs(float(text)) <= float(np.finfo(np.float32).max):
        raise InputError("it holds a number that is out of range")
    return float(text)


def _check(document: Any) -> None:
    learner = _entry(document, "learner", dict, "the file")
    version = _wholes(document, "version", "the file", 0, 10**4)
    if len(version) != 3:
        raise InputError("its version cannot be read")
    shape = _entry(learner, "learner_model_param", dict, "the model")
    width = _written(shape, "num_feature", 1, MOST_INPUTS)
    classes = _written(shape, "num_class", 0, 10**6)
    _written({"num_target": "1", **shape}, "num_target", 1, 1)
    _written({"boost_from_average": "1", **shape}, "boost_from_average", 0, 1)
    groups = max(classes, 1)
    _check_base(_entry(shape, "base_score", str, "the model"), groups)
    for name in ("feature_names", "feature_types"):
        named = _entry({name: [], **learner}, name, list, "the model")
        if len(named) not in (0, width) or not all(isinstance(one, str) for one in named):
            raise InputError(f"it has {width} inputs but not as many in '{name}'")
    kept = _entry({"attributes": {}, **learner}, "attributes", dict, "the model")
    if not all(isinstance(value, str) for value in kept.values()):
        raise InputError("its attributes are not texts")
    _check_objective(_entry(learner, "objective", dict, "the model"))
    _check_booster(_entry(learner, "gradient_booster", dict, "the model"), width, groups, kept)


def _check_base(base: str, groups: int) -> None:
    try:
        found = [float(one) for one in base.strip("[]").split(",")]
    except ValueError:
        found = [math.nan]
    fits = len(base) <= MOST_DIGITS * groups and len(found) in (1, groups)
    if not fits or not all(map(math.isfinite, found)):
        raise InputError("its base score is not a number")


def _check_objective(objective: dict[str, Any]) -> None:
    _entry(objective, "name", str, "the objective")
    groups = [settings for name, settings in objective.items() if name != "name"]
    if not all(isinstance(settings, dict) for settings in groups) or not all(
        isinstance(value, str) and len(value) <= MOST_DIGITS
        for settings in groups
        for value in settings.values()
    ):
        raise InputError("its objective has settings that cannot be read")


def _check_booster(booster: dict[str, Any], width: int, groups: int, kept: dict[str, str]) -> None:
    kind = _entry(booster, "name", str, "the booster")
    if kind == "gblinear":
        weights = _entry(booster, "model", dict, "the booster")
        if len(_numbers(weights, "weights", "the booster")) != (width + 1) * groups:
            raise InputError("its numbers of weights and inputs differ")
        return
    if kind not in ("gbtree", "dart"):
        raise InputError(f"its kind is '{kind[:20]}'")
    trees = _entry(booster, "gbtree", dict, "the booster") if kind == "dart" else booster
    model = _entry(trees, "model", dict, "the booster")
    count, rounds = _check_trees(model, width, groups)
    if kind == "dart" and len(_numbers(booster, "weight_drop", "the booster")) != count:
        raise InputError("its numbers of weights and trees differ")
    best = kept.get("best_iteration", "0")
    if not best.isascii() or not best.isdigit() or int(best[:20]) >= max(rounds, 1):
        raise InputError("its best round is none of its rounds")


def _check_trees(model: dict[str, Any], width: int, groups: int) -> tuple[int, int]:
    """The number of trees and of rounds, if all are sound."""
    shape = _entry(model, "gbtree_model_param", dict, "the booster")
    trees = _entry(model, "trees", list, "the booster")
    count = _written(shape, "num_trees", 0, LAST_INT)
    groves = _written({"num_parallel_tree": "1", **shape}, "num_parallel_tree", 1, LAST_INT)
    info = _wholes(model, "tree_info", "the booster", 0, groups - 1)
    if count != len(trees) or count != len(info) or count % (groves * groups):
        raise InputError(f"it holds {len(trees)} trees but says {count}")
    rounds = count // (groves * groups)
    if "iteration_indptr" in model:
        ends = _wholes(model, "iteration_indptr", "the booster", 0, count)
        if not np.array_equal(ends, np.arange(rounds + 1) * groves * groups):
            raise InputError("its rounds do not add up to its trees")
    for k, tree in enumerate(trees):
        _check_tree(tree, width, f"tree {k}")
    if "cats" in model:
        _check_cats(_entry(model, "cats", dict, "the booster"), width)
    return count, rounds


def _check_tree(tree: Any, width: int, where: str) -> None:
    shape = _entry(tree, "tree_param", dict, where)
    n = _written(shape, "num_nodes", 1, LAST_INT)
    if _written(shape, "num_feature", 0, MOST_INPUTS) != width:
        raise InputError(f"{where} reads another number of inputs than the model")
    _written({"size_leaf_vector": "1", **shape}, "size_leaf_vector", 0, 1)
    _written({"num_deleted": "0", **shape}, "num_deleted", 0, n)
    if "id" in tree and (type(tree["id"]) is not int or not 0 <= tree["id"] <= LAST_INT):
        raise InputError(f"{where} has an id that cannot be read")
    found = {name: _numbers(tree, name, where) for name in OF_NODES}
    if any(len(values) != n for values in found.values()):
        raise InputError(f"{where} says {n} nodes but has another number of them")
    left, right, parents, column, gaps = (_as_wholes(found[k], k, where) for k in WHOLE)
    if np.any((gaps & ~1) != 0):
        raise InputError(f"{where} has a number in 'default_left' that is out of range")
    inner = left != -1
    # every inner node leads to two others whose only parent it is, so that no path loops
    ways = np.concatenate((left[inner], right[inner]))
    alone = np.all((ways >= 1) & (ways < n)) and len(np.unique(ways)) == len(ways)
    own = np.tile(np.flatnonzero(inner), 2)
    if not alone or np.any(parents[ways] != own) or np.any(right[~inner] != -1):
        raise InputError(f"{where} has nodes that point nowhere")
    if np.any((column[inner] < 0) | (column[inner] >= width)):
        raise InputError(f"{where} reads inputs that do not exist")
    if not np.isfinite(found["split_conditions"]).all():
        raise InputError(f"{where} has values that are not numbers")
    if "split_type" in tree:
        _check_categories(tree, inner, where)


def _check_categories(tree: dict[str, Any], inner: NDArray[np.bool_], where: str) -> None:
    n = len(inner)
    kinds = _wholes(tree, "split_type", where, 0, 1)
    held, nodes, starts, sizes = (_wholes(tree, name, where, 0, LAST_INT) for name in OF_CATEGORIES)
    sorts = np.flatnonzero(kinds == 1)
    if len(kinds) != n or not np.array_equal(nodes, sorts) or not inner[sorts].all():
        raise InputError(f"{where} sorts by categories where it does not split")
    if not len(nodes) == len(starts) == len(sizes) or np.any(starts + sizes > len(held)):
        raise InputError(f"{where} holds categories that do not add up")
    if np.any(held >= MOST_INPUTS):
        raise InputError(f"{where} holds categories that are out of range")


def _check_cats(cats: dict[str, Any], width: int) -> None:
    """The categories of the table the model was fitted on, which XGBoost 3.1 and later keep."""
    segments = _wholes(cats, "feature_segments", "the categories", 0, LAST_INT)
    order = _wholes(cats, "sorted_idx", "the categories", 0, LAST_INT)
    lists = _entry(cats, "enc", list, "the categories")
    if not len(segments) and not len(order) and not lists:
        return
    if len(lists) != width or not _divides(segments, width, len(order)):
        raise InputError("its categories do not add up")
    for one, start, end in zip(lists, segments[:-1], segments[1:], strict=True):
        if not np.array_equal(np.sort(order[start:end]), np.arange(end - start)):
            raise InputError("its categories are in no order")
        if not _holds(one, int(end - start)):
            raise InputError("its categories do not add up")


def _holds(one: Any, size: int) -> bool:
    """Whether a list of categories has so many: numbers, or the bytes of texts and their ends."""
    values = _numbers(one, "values", "the categories")
    if "offsets" not in one:
        return len(values) == size
    offsets = _wholes(one, "offsets", "the categories", 0, LAST_INT)
    _wholes(one, "values", "the categories", -128, 255)
    empty = size == 0 and not len(offsets) and not len(values)
    return empty or _divides(offsets, size, len(values))


def _divides(ends: NDArray[np.int64], parts: int, whole: int) -> bool:
    """Whether the ends of so many parts rise from 0 to the whole."""
    inside = len(ends) == parts + 1 and not ends[0] and ends[-1] == whole
    return bool(inside and np.all(np.diff(ends) >= 0))


def _entry(holder: Any, name: str, kind: type, where: str) -> Any:
    if not isinstance(holder, dict) or not isinstance(holder.get(name), kind):
        raise InputError(f"{where} lacks '{name}'")
    return holder[name]


def _written(holder: dict[str, Any], name: str, least: int, most: int) -> int:
    """A whole number that XGBoost writes as a text."""
    text = _entry(holder, name, str, "the model")
    whole = text.isascii() and text.isdigit() and len(text) <= 10
    if not whole or not least <= int(text) <= most:
        raise InputError(f"'{name}' is '{text[:20]}'")
    return int(text)


def _numbers(holder: Any, name: str, where: str) -> NDArray[Any]:
    found = holder.get(name) if isinstance(holder, dict) else None
    if isinstance(found, np.ndarray):
        return found
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InputError(f"{where} lacks '{name}'")
    if not all(type(one) in (int, float, bool) for one in found):
        raise InputError(f"{where} has something else than numbers in '{name}'")
    whole = all(type(one) is int for one in found)
    return np.array(found, dtype=np.int64 if whole else np.float64)


def _wholes(holder: Any, name: str, where: str, least: int, most: int) -> NDArray[np.int64]:
    values = _as_wholes(_numbers(holder, name, where), name, where)
    if np.any((values < least) | (values > most)):
        raise InputError(f"{where} has a number in '{name}' that is out of range")
    return values


def _as_wholes(values: NDArray[Any], name: str, where: str) -> NDArray[np.int64]:
    if values.dtype.kind not in "iu":
        raise InputError(f"{where} has something else than whole numbers in '{name}'")
    wide = values.astype(np.int64)
    if np.any(np.abs(wide) > LAST_INT + 1):
        raise InputError(f"{where} has a number in '{name}' that is out of range")
    return wide
