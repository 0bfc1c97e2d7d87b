"""LightGBM's text format, checked line by line: its own reader follows every number unseen.

What passes is written anew from the checked lines alone. What prediction does not use (feature
importances, training parameters) is left out, so that LightGBM never reads anything unchecked.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError

NUMBER = re.compile(r"-?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,4})?")
WHOLE = re.compile(r"-?\d{1,10}")
LAST_INT = 2**31 - 1

HEADER = frozenset(
    {"version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx"}
    | {"objective", "average_output", "feature_names", "monotone_constraints", "feature_infos"}
    | {"tree_sizes"}
)
OF_SPLITS = (
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
)
OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
# what prediction does not use
UNUSED = (
    *("leaf_weight", "leaf_count", "internal_value", "internal_weight"),
    *("split_gain", "internal_count"),
)
OF_CATEGORIES = ("cat_boundaries", "cat_threshold")
LINEAR = ("leaf_const", "num_features", "leaf_features", "leaf_coeff")
SINGLE = ("num_leaves", "num_cat", "is_linear", "shrinkage")
TREE = frozenset(OF_SPLITS + OF_LEAVES + OF_CATEGORIES + LINEAR + SINGLE)
NEEDED = frozenset({"num_leaves", "num_cat", "leaf_value", "shrinkage"})
NEEDED_TO_SPLIT = frozenset({"split_feature", "threshold", "decision_type"})
NEEDED_TO_SPLIT |= {"left_child", "right_child"}

Fields = dict[str, str]


def checked_text(data: bytes) -> str:
    """The same model, written from its checked lines; an InputError if any is not sound.

    >>> checked_text(b"tree\\nversion=v4\\n")
    Traceback (most recent call last):
    standfast.errors.InputError: it ends before its last tree
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text") from None
    trees_end = text.find("\nend of trees")
    if not text.startswith(("tree\n", "tree\r\n")) or trees_end < 0:
        raise InputError("it ends before its last tree")
    if "\0" in text or "\r" in text:
        raise InputError("its line ends are not the ones LightGBM wrote")
    header_text, *blocks = text[:trees_end].split("\nTree=")
    header = _fields(header_text.removeprefix("tree\n").split("\n"), HEADER, "the header")
    width = _check_header(header, len(blocks))
    trees = []
    for k, block in enumerate(blocks):
        number, *lines = block.split("\n")
        if number != str(k):
            raise InputError(f"tree {k} is called '{number[:20]}'")
        fields = _fields(lines, TREE, f"tree {k}")
        _check_tree(fields, width, f"tree {k}")
        trees.append(f"Tree={k}\n" + _written(fields) + "\n\n")
    _check_sizes(header, blocks)
    sizes = " ".join(str(len(tree.encode())) for tree in trees)
    header = {**header, "tree_sizes": sizes}
    categories = _categories(text[trees_end:])
    if categories is None and any("\nnum_cat=0\n" not in tree for tree in trees):
        raise InputError("it splits on categories without the line that says which they are")
    return (
        f"tree\n{_written(header)}\n{''.join(trees)}end of trees\n\n"
        f"pandas_categorical:{categories or 'null'}\n"
    )


def _fields(lines: Iterable[str], known: frozenset[str], where: str) -> Fields:
    """The lines `name=value` of a block; every name is known and stands there once."""
    fields: Fields = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not line:
            continue
        if name not in known or not (equals or name == "average_output"):
            raise InputError(f"{where} holds the unknown line '{line[:40]}'")
        if name in fields:
            raise InputError(f"{where} says '{name}' twice")
        fields[name] = value
    return fields


def _written(fields: Fields) -> str:
    return "".join(f"{n}\n" if n == "average_output" else f"{n}={v}\n" for n, v in fields.items())


def _check_header(header: Fields, trees: int) -> int:
    """The number of inputs, if the header is sound."""
    where = "the header"
    optional = {"average_output", "monotone_constraints", "tree_sizes", "objective"}
    missing = HEADER - optional - set(header)
    if missing:
        raise InputError(f"the header lacks '{min(missing)}'")
    if not re.fullmatch(r"v\d{1,3}", header["version"]):
        raise InputError(f"the version is '{header['version'][:20]}'")
    width = _one(header, "max_feature_idx", 0, LAST_INT - 1, where) + 1
    _one(header, "label_index", 0, LAST_INT, where)
    classes = _one(header, "num_class", 1, 10**6, where)
    each = _one(header, "num_tree_per_iteration", 1, 10**6, where)
    if each != classes or trees == 0 or trees % each:
        raise InputError(f"it has {trees} trees, {each} a round, for {classes} classes")
    for name in ("feature_names", "feature_infos"):
        tokens = header[name].split(" ")
        if len(tokens) != width or not all(tokens):
            raise InputError(f"the header says {width} inputs but not as many in '{name}'")
    info = re.compile(rf"none|\[{_number}:{_number}\]|-?\d+(:-?\d+)*")
    if not all(info.fullmatch(token) for token in header["feature_infos"].split(" ")):
        raise InputError("the range of an input cannot be read")
    if header.get("monotone_constraints"):
        _wholes(header, "monotone_constraints", width, -1, 1, where)
    _check_objective(header.get("objective", ""), classes)
    return width


_number = r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)"


def _check_objective(objective: str, classes: int) -> None:
    _, *settings = objective.split(" ")
    for setting in settings:
        name, colon, value = setting.partition(":")
        sound = re.fullmatch(r"[a-z_]+", name) and (not colon or NUMBER.fullmatch(value))
        if (
            not sound
            or (name == "sigmoid" and not 0.0 < float(value or 0) < 1e30)
            or (name == "num_class" and value != str(classes))
        ):
            raise InputError(f"the objective is '{objective[:40]}'")


def _check_sizes(header: Fields, blocks: Sequence[str]) -> None:
    """Every tree has as many bytes as the header says, so that nothing was changed in passing."""
    if "tree_sizes" not in header:
        return
    stated = _wholes(header, "tree_sizes", len(blocks), 0, LAST_INT, "the header")
    found = [len(f"Tree={block}\n".encode()) for block in blocks]
    if list(stated) != found:
        k = next(k for k, (a, b) in enumerate(zip(stated, found, strict=True)) if a != b)
        raise InputError(f"tree {k} has {found[k]} bytes, but the header says {stated[k]}")


def _check_tree(tree: Fields, width: int, where: str) -> None:
    leaves = _one(tree, "num_leaves", 1, LAST_INT, where)
    sorts = _one(tree, "num_cat", 0, LAST_INT, where)
    splits = leaves - 1
    missing = (NEEDED | (NEEDED_TO_SPLIT if splits else frozenset())) - set(tree)
    if missing:
        raise InputError(f"{where} lacks '{min(missing)}'")
    _numbers(tree, "leaf_value", leaves, where)
    _numbers(tree, "shrinkage", 1, where)
    for name in UNUSED:
        if tree.get(name):
            _numbers(tree, name, leaves if name in OF_LEAVES else splits, where, any_size=True)
    if splits:
        _check_splits(tree, splits, sorts, width, where)
    elif sorts:
        raise InputError(f"{where} sorts by categories without a split")
    if "is_linear" in tree and _one(tree, "is_linear", 0, 1, where):
        _check_linear(tree, leaves, width, where)


def _check_splits(tree: Fields, splits: int, sorts: int, width: int, where: str) -> None:
    _wholes(tree, "split_feature", splits, 0, width - 1, where)
    decision = _wholes(tree, "decision_type", splits, 0, 11, where)
    threshold = _numbers(tree, "threshold", splits, where)
    left = _wholes(tree, "left_child", splits, -splits - 1, splits - 1, where)
    right = _wholes(tree, "right_child", splits, -splits - 1, splits - 1, where)
    ways = np.concatenate((left, right))
    own = np.tile(np.arange(splits), 2)
    everyone = np.concatenate((np.arange(-splits - 1, 0), np.arange(1, splits)))
    forward = (ways < 0) | (ways > own)
    if not forward.all() or not np.array_equal(np.sort(ways), everyone):
        raise InputError(f"{where} has nodes that point nowhere")
    by_category = (decision & 1) > 0
    group = threshold[by_category]
    if not sorts and not len(group):
        return
    if np.any((group < 0) | (group >= sorts) | (group != np.floor(group))):
        raise InputError(f"{where} splits on categories it does not hold")
    starts = _wholes(tree, "cat_boundaries", sorts + 1, 0, LAST_INT, where)
    words = len(tree.get("cat_threshold", "").split(" "))
    _wholes(tree, "cat_threshold", words, 0, 2**32 - 1, where)
    if starts[0] != 0 or starts[-1] != words or np.any(np.diff(starts) < 1):
        raise InputError(f"{where} holds categories that do not add up")


def _check_linear(tree: Fields, leaves: int, width: int, where: str) -> None:
    missing = set(LINEAR) - set(tree)
    if missing:
        raise InputError(f"{where} lacks '{min(missing)}'")
    _numbers(tree, "leaf_const", leaves, where)
    counts = _wholes(tree, "num_features", leaves, 0, width, where)
    total = int(counts.sum())
    # leaves are set apart by a second blank
    apart = {name: " ".join(tree[name].split()) for name in ("leaf_features", "leaf_coeff")}
    _wholes(apart, "leaf_features", total, 0, width - 1, where)
    _numbers(apart, "leaf_coeff", total, where)


def _one(fields: Fields, name: str, least: int, most: int, where: str) -> int:
    return int(_wholes(fields, name, 1, least, most, where)[0])


def _wholes(
    fields: Fields, name: str, count: int, least: int, most: int, where: str
) -> NDArray[np.int64]:
    found = _array(fields, name, count, where, lambda token: bool(WHOLE.fullmatch(token)))
    values = np.array(found, dtype=np.int64)
    if np.any((values < least) | (values > most)):
        raise InputError(f"{where} has a number in '{name}' that is out of range")
    return values


def _numbers(
    fields: Fields, name: str, count: int, where: str, any_size: bool = False
) -> NDArray[np.float64]:
    def allowed(token: str) -> bool:
        special = any_size and token in ("inf", "-inf", "nan", "-nan")
        return special or bool(NUMBER.fullmatch(token))

    values = np.array(_array(fields, name, count, where, allowed), dtype=np.float64)
    if not any_size and not np.isfinite(values).all():
        raise InputError(f"{where} has a number in '{name}' that is out of range")
    return values


def _array(
    fields: Fields, name: str, count: int, where: str, allowed: Callable[[str], bool]
) -> list[str]:
    """The tokens of a line, single blanks between them, as many as there must be."""
    tokens = fields[name].split(" ") if fields.get(name) else []
    if len(tokens) != count:
        raise InputError(f"{where} has {len(tokens)} numbers in '{name}' instead of {count}")
    if not all(map(allowed, tokens)):
        raise InputError(f"{where} has something else than numbers in '{name}'")
    return tokens


def _categories(rest: str) -> str | None:
    """The categories of a table the model was fitted on, as LightGBM's Python package adds them."""
    lines = [line for line in rest.split("\n") if line.startswith("pandas_categorical:")]
    if not lines:
        return None
    text = lines[-1].removeprefix("pandas_categorical:")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("its list of categories cannot be read") from None
    if found is not None and not (
        isinstance(found, list) and all(isinstance(one, list) for one in found)
    ):
        raise InputError("its list of categories cannot be read")
    return json.dumps(found)
