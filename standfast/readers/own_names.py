"""The names an estimator knows its inputs by, wherever its library keeps them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

# where libraries keep the names: scikit-learn and interpret, CatBoost, LightGBM, boosters
KEPT = (
    *("feature_names_in_", "feature_names_", "feature_name_", "feature_name", "feature_names"),
    "variable_names",  # OptBinning
)

# names that libraries make up for an array, or for a table whose columns are numbered
MADE_UP: dict[str, tuple[Callable[[int], str], ...]] = {
    "lightgbm": (lambda k: f"Column_{k}", str),
    "xgboost": (lambda k: f"f{k}", str),
    "catboost": (str,),
    "interpret": (lambda k: f"feature_{k:04}",),
}


@dataclass(frozen=True)
class OwnNames:
    """What an estimator knows of its inputs: their names and number, and who wrote the names."""

    names: tuple[str, ...] | None
    count: int | None
    library: str

    @property
    def made_up(self) -> bool:
        """Whether the library numbered the inputs because nobody had named them."""
        patterns = MADE_UP.get(self.library, ())
        names = self.names or ()
        return any(all(n == made(k) for k, n in enumerate(names)) for made in patterns)


def own_names(estimator: Any) -> OwnNames:
    """The names and the number of inputs: the estimator's own word, or that of a model inside it.

    A model inside counts only if it reads as many inputs as the estimator around it.

    >>> from sklearn.linear_model import LogisticRegression
    >>> own_names(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))
    OwnNames(names=None, count=1, library='sklearn')
    """
    names, count, library = None, None, library_of(estimator)
    for part in _from_outside_in(estimator):
        here = _attribute(part, "n_features_in_")  # CatBoost forgets it in a file, and says 0
        counted = isinstance(here, int | np.integer) and here > 0
        count = int(here) if count is None and counted else count
        found = _names(part)
        if names is None and found is not None and count in (None, len(found)):
            names, count = found, len(found)
        if names is not None and found == names:  # scikit-learn repeats those of a model inside
            library = library_of(part)
    return OwnNames(names, count, library)


def library_of(thing: Any) -> str:
    """The library a thing's class comes from."""
    return type(thing).__module__.partition(".")[0]


def _names(part: Any) -> tuple[str, ...] | None:
    for kept in KEPT:
        found = _attribute(part, kept)
        if callable(found):  # a LightGBM booster is asked for its names
            found = found() if library_of(part) == "lightgbm" else None
        if isinstance(found, str) or not hasattr(found, "__len__") or not len(found):
            continue
        return tuple(str(name) for name in found)
    return None


def _from_outside_in(estimator: Any) -> Iterator[Any]:
    """The estimator, then those inside it that see the same inputs, one after the other."""
    part: Any = estimator
    while part is not None:
        yield part
        part = next(iter(same_inputs(part)), None)


def same_inputs(estimator: Any) -> list[Any]:
    """The fitted estimators inside one of scikit-learn's that are handed its inputs as they come.

    Of a pipeline this is the first step that does anything. What another library or a user wraps,
    and what it hands on, cannot be known.
    """
    if library_of(estimator) == "optbinning":
        process = _attribute(estimator, "binning_process_")
        return [] if process is None else [process]
    if library_of(estimator) not in ("sklearn", "imblearn"):
        return []
    if hasattr(estimator, "steps"):
        steps = [step for _, step in estimator.steps]
        real = [step for step in steps if step is not None and not isinstance(step, str)]
        return real[:1]
    for held in ("best_estimator_", "estimator_", "calibrated_classifiers_", "estimators_"):
        found = _attribute(estimator, held)
        if found is not None:
            several = found if isinstance(found, list) else [found]
            inner = [getattr(one, "estimator", one) for one in several]
            return [one for one in inner if hasattr(one, "fit")]
    inner = _attribute(estimator, "estimator")
    return [inner] if type(estimator).__name__ == "FrozenEstimator" else []


def _attribute(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name, None)
    except Exception:  # a property may refuse in any way: not fitted, fitted on an array, …
        return None
