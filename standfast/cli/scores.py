"""Model files as the commands read them, and what can be said of them before a search."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from standfast.cli import tables
from standfast.cli.console import say
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.schema import Schema
    from standfast.scores import Score


MethodName = Literal[
    "minimal-cost",
    "invariant",
    "actionable-recourse",
    "actionable-recourse-as-published",
    "growing-spheres",
    "growing-spheres-as-published",
    "c-chvae",
    "c-chvae-as-published",
]
LINEAR_ONLY = ("actionable-recourse", "actionable-recourse-as-published")
READING = (*LINEAR_ONLY, "minimal-cost", "invariant")
MOST = 2 / 3  # accepted people: a list of refused ones holds fewer, and a mixed one hardly more


def score_of(
    path: Path, schema: "Schema", trust: Sequence[str], favourable: str, threshold: float | None
) -> "Score":
    """The score of a model file, its favourable class named as people write it."""
    from standfast.readers import as_score
    from standfast.readers.files import load_model

    estimator = load_model(path, trust=trust)
    wanted = class_called(favourable, estimator)
    with tables.about(path):
        return as_score(estimator, schema, favourable=wanted, threshold=threshold)


def score_asked(given: Any, path: Path, schema: "Schema") -> "Score":
    """The score of a model file, with the class, the threshold and the types that were given."""
    return score_of(path, schema, given.trust, str(given.favourable), given.threshold)


def check_support(path: Path, trust: Sequence[str]) -> None:
    """Refuse a model that does not say how usual people are."""
    from standfast.readers.files import load_model

    model = load_model(path, trust=trust)
    if not hasattr(model, "score_samples"):
        raise InputError(
            f"--support '{path}': {type(model).__name__} does not say how usual a person is; give "
            "a fitted IsolationForest, also at the end of a pipeline"
        )


def check_estimator(estimator: Any, path: Path) -> None:
    """Refuse a file that only describes a model where one is fitted again, or kept with others."""
    from standfast.readers.model_document import ModelDocument

    if isinstance(estimator, ModelDocument):
        raise InputError(
            f"'{path}' describes a model's structure; what is asked for here is a fitted "
            "estimator: standfast.save_model(model, 'model.skops')"
        )


def class_called(text: str, estimator: Any) -> object:
    """The model's class that is written like this; the text itself if there is none."""
    from standfast.readers.asking import classes_of

    # a booster's classes are 0 and 1, an isolation forest's -1 and 1
    return value_called(text, classes_of(estimator, otherwise=(-1, 0, 1)))


def value_called(text: str, values: Sequence[object]) -> object:
    """The value that is written like this; the text itself if there is none.

    >>> value_called("0", ["1", "0"]), value_called("0", [1.0, 0.0]), value_called("no", [True])
    ('0', 0.0, 'no')
    """
    return next((one for one in values if _is_written(one, text)), text)


def _is_written(one: object, text: str) -> bool:
    if isinstance(one, str):
        return one == text
    if isinstance(one, bool):
        return str(one).lower() == text.lower()
    try:
        return bool(float(text) == one)
    except ValueError:
        return False


def joint(given: Any, method: MethodName, schema: "Schema") -> "Score":
    """All the models that were given as one score, which the method must be able to read."""
    models = [score_asked(given, path, schema) for path in given.model]
    check_readable(method, given.model, models)
    return together(given.model, models, given.margin)


def together(paths: Sequence[Path], scores: Sequence["Score"], margins: Sequence[float]) -> "Score":
    """One model as it is; several, or a margin, as one score that all must accept."""
    from standfast.scores import Unanimous

    given = tuple(scores)
    if len(given) == 1 and not margins:
        return given[0]
    if len(margins) not in (0, 1, len(given)):
        raise InputError(
            f"--margin is given {len(margins)} times for {len(given)} models; give one for all, or "
            "one per --model in the same order"
        )
    without = [path for path, score in zip(paths, given, strict=True) if not score.probability]
    if len(margins) == 1 and margins[0] > 0 and without and len(given) > 1:
        raise InputError(
            f"'{without[0]}' gives no probability, so one --margin of {margins[0]:g} means "
            "something else for each model; repeat --margin, one per --model in the same order"
        )
    return Unanimous(given, margins[0] if len(margins) == 1 else tuple(margins) or 0.0)


def check_readable(method: MethodName, paths: Sequence[Path], scores: Sequence["Score"]) -> None:
    """Refuse models whose structure the method would have to read and cannot."""
    from standfast.scores import Additive, Linear

    for path, score in zip(paths, scores, strict=True):
        if method in LINEAR_ONLY and not isinstance(score, Linear | Additive):
            raise InputError(
                f"'{path}' holds no linear or additive model{why_unread(score)}, so --method "
                f"{method} cannot read it; use --method minimal-cost for trees, or --method "
                "growing-spheres for any model"
            )
        if method in READING and not is_searchable(score):
            raise InputError(
                f"'{path}' holds no linear, additive or tree model{why_unread(score)}, so --method "
                f"{method} cannot read it; use --method growing-spheres, which works with any "
                "model"
            )


def is_searchable(score: "Score") -> bool:
    """Whether exact searches can read a model's structure."""
    from standfast.scores import Additive, Linear, Paired, TreeEnsemble

    return isinstance(score, Linear | Additive | TreeEnsemble | Paired)


def why_unread(score: "Score") -> str:
    """Why a model's structure could not be read, in parentheses; '' if that is not known."""
    why = getattr(score, "why", "")
    return f" ({why})" if why else ""


def warn_of_accepted(score: "Score", schema: "Schema", people: "pd.DataFrame") -> None:
    """Say so if most people need no advice: the favourable class may be the wrong way round."""
    import numpy as np

    X, doubts = schema.judged(people)
    X = X[np.array([not doubt for doubt in doubts])]
    accepted = int(score.accepts(X).sum()) if len(X) else 0
    if accepted > MOST * len(X):
        say(
            f"warning: {accepted} of {len(X)} people are already accepted by the model; if you "
            "expected most to be refused, check --favourable"
        )
