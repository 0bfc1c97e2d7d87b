"""Who may certify: models that neither the search nor the choice of a margin has seen."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from standfast.errors import InputError, listing, type_of
from standfast.recommendations import Recommendations
from standfast.rivals import FreshModels, LevelSet, Part
from standfast.scores import Score, Unanimous
from standfast.scores.score import check_score

FINGERPRINT = re.compile(r"[0-9a-f]{64}")
USED = ("search", "choose")


def certifying(models: object, inputs: int) -> dict[str, Score]:
    """The certifying models by name, each a score of the people's inputs; twins only in a part."""
    if isinstance(models, FreshModels):
        raise InputError("these are all fresh models; certify with their third part: .certify")
    if isinstance(models, Part) and models.name in USED:
        raise InputError(
            f"the part '{models.name}' was drawn to {models.name} with, and a certificate from "
            "models that were used before is not valid; certify with the part 'certify'"
        )
    if isinstance(models, Mapping):
        found = {str(name): score for name, score in models.items()}
    elif isinstance(models, Iterable) and not isinstance(models, str | bytes):
        found = {f"model {k}": score for k, score in enumerate(models)}
    else:
        raise InputError(
            f"the certifying models are {type_of(models)}; give a part of fresh models, "
            "such as fresh.certify, or several scores"
        )
    if not found:
        raise InputError(
            "there is no model to certify with; draw some: fresh_models(..., sizes={'certify': 59})"
        )
    for name, score in found.items():
        check_score(score, f"'{name}'", inputs)
    if not isinstance(models, Part):
        _check_distinct(found)
    return found


def _check_distinct(found: Mapping[str, Score]) -> None:
    """Refuse a model given twice: a bare list cannot show whether two draws came out alike."""
    first: dict[str, str] = {}
    for name, score in found.items():
        other = first.setdefault(score.digest, name)
        if other != name:
            raise InputError(
                f"'{other}' and '{name}' are the same model, which counts once; leave one out, or, "
                "if they are independent draws that came out alike, say so: Part('certify', models)"
            )


def check_unseen(
    recommendations: Recommendations, models: Mapping[str, Score], seen: object
) -> None:
    """Refuse models whose fingerprint is in the advice's provenance, or among those seen."""
    origin = recommendations.provenance
    used = set(_fingerprints(seen))
    known = {origin.model, *(model.digest for model in origin.models)}
    overlap = [name for name, score in models.items() if score.digest in used | known]
    if overlap:
        raise InputError(
            f"{listing(overlap)}: the search or the choice has used "
            f"{'these models' if len(overlap) > 1 else 'this model'}, so "
            f"{'they' if len(overlap) > 1 else 'it'} cannot certify the advice; draw fresh ones"
        )
    whole = Unanimous(tuple(models.values())).digest
    if whole in known:
        raise InputError(
            "the advice was made unanimous over the very models that are to certify it; draw fresh "
            "ones"
        )
    if not used and not all(model.digest for model in origin.models):
        raise InputError(
            "the advice was made under several models, whose fingerprints its table does not hold; "
            "pass them as seen=, for instance seen=[fresh.search, fresh.choose]"
        )


def _fingerprints(given: Any) -> Iterator[str]:
    """All fingerprints in nested scores, parts, mappings and sequences."""
    if isinstance(given, str):
        if FINGERPRINT.fullmatch(given):
            yield given
        else:
            raise InputError(
                f"seen holds {given!r}, which is not a fingerprint; give scores or their digests"
            )
    elif isinstance(given, FreshModels):
        yield from _fingerprints([given.search, given.choose])
    elif isinstance(given, LevelSet):
        yield from _fingerprints([given.reference, *given.rivals])
    elif isinstance(given, Score):
        yield given.digest
        yield from _fingerprints(getattr(given, "scores", ()))
    elif isinstance(given, Mapping):
        yield from _fingerprints(list(given.values()))
    elif isinstance(given, Iterable):
        for one in given:
            yield from _fingerprints(one)
    else:
        raise InputError(
            f"seen holds {type_of(given)}; give the scores or parts that the search or the "
            "choice has used"
        )
