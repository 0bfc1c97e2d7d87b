"""The rivals that advice is held against: a level set, fresh models, or scores by name."""

from collections.abc import Mapping, Sequence

import numpy as np

from standfast.errors import InputError, listing, type_of
from standfast.evaluation.advised import Bools, Matrix, Vector
from standfast.rivals import LevelSet
from standfast.scores import Score
from standfast.scores.acceptance import doubt
from standfast.scores.score import check_score


def named(
    given: LevelSet | Mapping[str, Score] | Sequence[Score], inputs: Sequence[str]
) -> dict[str, Score]:
    """The rivals by name, each of which must be a score of the people's inputs.

    Scores without names, such as a part of fresh models, are numbered.
    """
    if isinstance(given, Mapping):
        found = {str(name): score for name, score in given.items()}
    elif isinstance(given, LevelSet):
        found = dict(zip(map(str, given.names), given.rivals, strict=True))
        schema = given.schema
        if schema is not None and tuple(schema.names) != tuple(inputs):
            raise InputError(
                f"the level set reads {listing(schema.names)} and the people have "
                f"{listing(inputs)}; build it with the people's schema, inputs in the same order"
            )
    elif isinstance(given, list | tuple):
        kind = getattr(given, "name", "model")
        found = {f"{kind} {k}": score for k, score in enumerate(given)}
    else:
        raise InputError(
            f"the rivals are {type_of(given)}; give a level set, a list of "
            "scores, or a mapping such as {'next year': score}"
        )
    if not found:
        raise InputError(
            "there is no rival; build the level set with a larger epsilon or more candidates, or "
            "give a mapping with at least one score"
        )
    for name, score in found.items():
        check_score(score, f"the rival '{name}'", len(inputs))
    return found


def judged(score: Score, X: Matrix, what: str) -> tuple[Vector, Bools]:
    """Each row's score, and whether it is accepted: by the estimator's own word where it is close.

    `accepts` alone would ask every estimator about every row, many times slower than the kernels.
    """
    values = np.asarray(score.score(X), dtype=np.float64)
    if np.isnan(values).any():
        raise InputError(
            f"{what} gives no number for {int(np.isnan(values).sum())} of {len(values)} people; "
            "check what it was trained on"
        )
    accepted = values > 0.0
    close = np.abs(values) <= doubt(score)
    if close.any():
        accepted[close] = score.accepts(X[close])
    return values, accepted
