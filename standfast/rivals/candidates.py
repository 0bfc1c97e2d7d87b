"""Estimators before they are fitted: their names, their kind, and which cannot be candidates."""

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from standfast.digests import digest
from standfast.errors import InputError, listing, type_of
from standfast.readers.asking import says, taken_apart

REFERENCE = "reference"
# families whose class names do not say it
CALLED = {
    "HistGradientBoostingClassifier": "gradient boosting",
    "XGBClassifier": "XGBoost",
    "LGBMClassifier": "LightGBM",
    "Booster": "boosted trees",
}
# settings that say how a model is computed, not which model it is
SILENT = ("random_state", "n_jobs", "verbose", "solver", "max_iter", "copy_X")


def named(candidates: Any) -> dict[str, Any]:
    """Candidates by name, each an unfitted estimator; a sequence is named by kind and settings.

    >>> from sklearn.linear_model import LogisticRegression
    >>> list(named([LogisticRegression(C=0.1), LogisticRegression(C=10)]))
    ['LogisticRegression C=0.1', 'LogisticRegression C=10']
    """
    if isinstance(candidates, Mapping):
        pairs = [(str(name), estimator) for name, estimator in candidates.items()]
    elif isinstance(candidates, Iterable) and not _is_one_thing(candidates):
        pairs = [(f"{family(one)} {parameters(one)}".strip(), one) for one in candidates]
    else:
        raise InputError(
            f"the candidates are {type_of(candidates)}; pass a grid such as "
            "grids.forests(), a mapping of names to unfitted estimators, or a list of them"
        )
    if not pairs:
        raise InputError("there are no candidates; pass at least one unfitted estimator")
    for name, estimator in pairs:
        check_unfitted(estimator, f"the candidate '{name}'")
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{listing(twice)} {'is' if len(twice) == 1 else 'are'} given more than once; leave "
            "one out, or give them different names in a mapping of names to estimators"
        )
    if REFERENCE in names:
        raise InputError(f"no candidate may be called '{REFERENCE}'; rename it")
    return dict(pairs)


def _is_one_thing(candidates: Any) -> bool:
    """Whether this is a text or an ensemble, which can be iterated over but is no grid."""
    return isinstance(candidates, str) or hasattr(candidates, "fit")


def check_unfitted(estimator: Any, what: str) -> None:
    """Refuse what cannot be fitted by us: a class, a fitted model, a thing without fit."""
    from sklearn.base import is_regressor
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    kind = type(estimator).__name__
    if isinstance(estimator, type):
        raise InputError(f"{what} is a class; pass an instance: {estimator.__name__}()")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise InputError(
            f"{what} has no fit and get_params; pass an unfitted scikit-learn style classifier"
        )
    if says(is_regressor, estimator):
        raise InputError(f"{what} predicts a number; pass a classifier")
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return
    raise InputError(
        f"{what} ({kind}) is already fitted, but every member is fitted here on the same people; "
        "pass it unfitted: sklearn.base.clone(model)"
    )


def family(estimator: Any) -> str:
    """The kind of model, seen through pipelines and searches: its hypothesis class."""
    return type(_model(estimator)).__name__


def in_words(family: str) -> str:
    """A family as people call it, without the name of a Python class.

    >>> in_words("RandomForestClassifier"), in_words("XGBClassifier"), in_words("LinearSVC")
    ('random forest', 'XGBoost', 'linear SVC')
    """
    if family in CALLED:
        return CALLED[family]
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", family)
    spelt = [w if len(w) > 1 and w.isupper() else w.lower() for w in words]
    return " ".join(word for word in spelt if word != "classifier") or family


def _model(estimator: Any) -> Any:
    """The final model, also of a search that was not run yet."""
    try:
        return taken_apart(estimator)[1]
    except InputError:
        return _model(estimator.estimator)


def parameters(estimator: Any) -> str:
    """The final model's settings that differ from its defaults, in short.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> parameters(RandomForestClassifier(50, max_depth=5, random_state=0))
    'n_estimators=50, max_depth=5'
    """
    model = _model(estimator)
    if not hasattr(model, "get_params"):
        return ""
    usual = inspect.signature(type(model).__init__).parameters
    settings = model.get_params(deep=False)
    order = [name for name in usual if name in settings]
    order += [name for name in settings if name not in usual]
    settled = []
    for name in order:
        default = usual[name].default if name in usual else None
        value = settings[name]
        if name not in SILENT and value is not None and not _alike(value, default):
            settled.append(f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}")
    return ", ".join(settled)


def _alike(a: object, b: object) -> bool:
    return a is b or (isinstance(a, float) and np.isnan(a)) or repr(a) == repr(b)


def seeded(estimator: Any, seed: int, name: str) -> Any:
    """An unfitted copy whose random states, where it leaves them open, follow from seed and name.

    A candidate then fits the same way in whatever company, order and process.
    """
    from sklearn.base import clone

    copy = clone(estimator)
    settings = copy.get_params(deep=True)
    keys = (key for key in random_states(copy) if settings[key] is None)
    return copy.set_params(**{key: int(digest([seed, name, key])[:7], 16) for key in keys})


def random_states(estimator: Any) -> list[str]:
    """The estimator's random states by their names, those of its parts too."""
    return [key for key in estimator.get_params() if key.rpartition("__")[2] == "random_state"]


def relabelled(estimator: Any, favourable: object) -> Any:
    """A copy whose settings call the favourable class 1 and any other 0, as those it is to fit do.

    >>> from sklearn.linear_model import LogisticRegression
    >>> relabelled(LogisticRegression(class_weight={"good": 1, "bad": 5}), "good").class_weight
    {1: 1, 0: 5}
    """
    from sklearn.base import clone

    copy = clone(estimator)
    changed: dict[str, object] = {}
    for key, value in copy.get_params(deep=True).items():
        setting = key.rpartition("__")[2]
        if setting == "pos_label" and value is not None:
            changed[key] = int(value == favourable)
        elif setting == "class_weight" and isinstance(value, Mapping):
            changed[key] = {int(label == favourable): weight for label, weight in value.items()}
    return copy.set_params(**changed)
