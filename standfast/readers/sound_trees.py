"""Trees from a file, checked before they are asked: scikit-learn follows their numbers unseen."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def parts(model: Any) -> Iterator[Any]:
    """The model and every object inside it, each once."""
    waiting, seen = [model], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing
        if isinstance(thing, dict):
            waiting += thing.values()
        elif isinstance(thing, list | tuple):
            waiting += thing
        elif isinstance(thing, np.ndarray) and thing.dtype == object:
            waiting += thing.flat
        elif hasattr(thing, "__dict__") and not isinstance(thing, type | ModuleType):
            waiting += vars(thing).values()


def is_sound(thing: Any) -> bool:
    """Whether a tree's nodes point forwards, within the tree, and at inputs there are.

    A damaged or forged file would otherwise crash the process or never end. Anything that is no
    tree and holds none is sound.
    """
    from sklearn.ensemble import IsolationForest
    from sklearn.ensemble._forest import BaseForest
    from sklearn.ensemble._gb import BaseGradientBoosting
    from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
    from sklearn.tree import BaseDecisionTree
    from sklearn.tree._tree import Tree

    if isinstance(thing, Tree):
        inner = thing.children_left != -1
        ways = np.stack([thing.children_left, thing.children_right])
        return _leads_on(ways, thing.feature, inner, thing.n_features)
    # who checks a row's width asks the trees inside without checking again
    if isinstance(thing, BaseDecisionTree) and hasattr(thing, "tree_"):
        return bool(thing.tree_.n_features <= thing.n_features_in_)
    if isinstance(thing, BaseForest | BaseGradientBoosting | IsolationForest):
        members = np.ravel(getattr(thing, "estimators_", []))
        return all(member.n_features_in_ <= thing.n_features_in_ for member in members)
    if isinstance(thing, BaseHistGradientBoosting):
        rounds = getattr(thing, "_predictors", [])
        return all(_is_sound_predictor(p, thing.n_features_in_) for trees in rounds for p in trees)
    return True


def _is_sound_predictor(predictor: Any, width: int) -> bool:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    ways = np.stack([nodes["left"], nodes["right"]]).astype(np.int64)
    sorts = inner & (nodes["is_categorical"] != 0)
    groups = nodes["bitset_idx"][sorts]
    return _leads_on(ways, nodes["feature_idx"], inner, width) and bool(
        (groups < len(predictor.raw_left_cat_bitsets)).all()
    )


def _leads_on(
    ways: NDArray[np.int64], feature: NDArray[np.int64], inner: NDArray[np.bool_], width: int
) -> bool:
    """Whether every inner node reads an input and leads to two later nodes of the tree."""
    n = len(inner)
    forward = (ways > np.arange(n)) & (ways < n)
    reads = (feature >= 0) & (feature < width)
    return bool(n > 0 and (forward.all(axis=0) & reads)[inner].all())
