"""The one check of what is given as a score."""

from standfast.errors import InputError, type_of
from standfast.scores.score import Score


def check_score(score: object, what: str, width: int) -> None:
    """Refuse what is not a score, or a score of other inputs."""
    if not isinstance(score, Score):
        raise InputError(
            f"{what} is {type_of(score)}, not a score; turn it into one with as_score(...)"
        )
    if score.width != width:
        raise InputError(
            f"{what} reads {score.width} inputs and the people have {width}; build it with the "
            "people's schema: as_score(estimator, schema, favourable=...)"
        )
