"""What advice was computed from, as far as it does not depend on the people."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from standfast.methods import exact
from standfast.methods.method import Method
from standfast.recommendations import Model, Provenance
from standfast.scores import Score

VERSION = version("standfast")  # looked up once: it is read from a file


def origin_of(method: Method, model: Score) -> Provenance:
    """The method with its settings, its reference table and schema, and every model it asks."""
    names = exact.names_of(model)
    asked = [
        Model(score.digest, name=name)
        for (score, _), name in zip(exact.members(model, 0.0), names, strict=True)
    ]
    settings, further = _split(method.settings())
    return Provenance(
        standfast=VERSION,
        method=method.name,
        settings=settings,
        reference=method.percentiles.digest,
        reference_data=method.percentiles.origin,
        schema=method.domain.digest,
        model=model.digest,
        models=(*asked, *further),
    )


def _split(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Model]]:
    """The settings in plain values, and the models among them with the setting as their role."""
    plain, models = dict(settings), list[Model]()
    for role, value in settings.items():
        if isinstance(value, Mapping):
            plain[role], inner = _split(value)
            models += inner
        elif isinstance(value, Score):
            plain[role] = value.digest
            models.append(Model(value.digest, role))
        elif _are_scores(value):
            plain[role] = getattr(value, "name", len(value))
            models += [Model(score.digest, role) for score in value]
    return plain, models


def _are_scores(value: Any) -> bool:
    several = isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0
    return several and all(isinstance(one, Score) for one in value)
