"""Methods as a folder keeps them: their kind, their settings, and the models among these."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from standfast.errors import InputError, type_of
from standfast.methods import (
    CCHVAE,
    ActionableRecourse,
    GrowingSpheres,
    Invariant,
    Method,
    MinimalCost,
)
from standfast.percentiles import Percentiles
from standfast.rivals import Part
from standfast.schema import Schema
from standfast.scores.score import Score

KINDS: dict[str, Any] = {
    "minimal cost": MinimalCost,
    "actionable recourse": ActionableRecourse,
    "growing spheres": GrowingSpheres,
    "c-chvae": CCHVAE,
    "invariant": Invariant,
}
ELSEWHERE = ("schema", "percentiles", "autoencoder")  # kept in files of their own
MODELS = ("support", "search", "choose")


def described(method: Method, model: Callable[[Score], dict[str, Any]]) -> dict[str, Any]:
    """A method in plain values; `model` describes a model among its settings."""
    kind = next((name for name, known in KINDS.items() if type(method) is known), None)
    if kind is None:
        raise InputError(
            f"{type_of(method)} cannot travel in a folder: standfast knows how to write down its "
            f"own methods only ({', '.join(KINDS)}); advise with sf.recommend instead"
        )
    settings, models = {}, {}
    for one in fields(method):  # type: ignore[arg-type]
        value = getattr(method, one.name)
        if one.name in ELSEWHERE:
            continue
        if one.name in MODELS:
            models[one.name] = _models(value, model)
        else:
            settings[one.name] = _plain(value)
    return {"kind": kind, "settings": settings, "models": models}


def _models(value: Any, model: Callable[[Score], dict[str, Any]]) -> Any:
    if isinstance(value, Part):
        return {"part": value.name, "members": [model(score) for score in value]}
    return None if value is None else model(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        value = {str(name): float(unit) for name, unit in value.items()}
    return json.loads(json.dumps(value))  # tuples become lists, and what is not plain is refused


def restored(
    about: Mapping[str, Any],
    schema: Schema,
    percentiles: Percentiles,
    model: Callable[[Mapping[str, Any]], Score],
    further: Mapping[str, Any],
) -> Method:
    """The method that a description is of; `further` has what lies in files of their own."""
    settings = {
        name: tuple(value) if name == "within" and value is not None else value
        for name, value in about["settings"].items()
    }
    for name, value in about["models"].items():
        if value is None:
            settings[name] = None
        elif "part" in value:
            settings[name] = Part(value["part"], [model(one) for one in value["members"]])
        else:
            settings[name] = model(value)
    made: Method = KINDS[about["kind"]](schema, percentiles, **settings, **further)
    # a method orders the percentiles it is given by its schema, which rounds shares of categories
    # once more; these are in order already, and must stay what they are to the last bit
    made.__dict__["percentiles"] = percentiles
    made.__dict__.pop("domain", None)
    return made
