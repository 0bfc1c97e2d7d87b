"""Two schemas of one data set: what makes sense, and the paper's bare mutability."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from standfast.errors import InputError, listing
from standfast.schema import Schema
from standfast.schema.draft import Draft

Variant = Literal["sensible", "published"]
USUAL: Variant = "sensible"
Schemas = Mapping[Variant, Schema]
# what is said of an input beyond the published schema, and why
Sense = Mapping[str, tuple[Mapping[str, Any], str]]
# relations, rules and changes, each with the reason why it holds
Laws = Mapping[str, Mapping[str, str]]


def variants(published: Schema, sense: Sense, laws: Laws, german: Mapping[str, str]) -> Schemas:
    """Both schemas; the sensible one has reasons, as comments in its TOML, and German labels."""
    features = tuple(
        replace(f, **sense[f.name][0], labels={"de": german[f.name]}) for f in published
    )
    because = {name: why for name, (_, why) in sense.items()}
    for held in laws.values():
        because |= held
    sensible = Schema(
        features,
        draft=Draft(because=because),
        **{what: tuple(held) for what, held in laws.items()},  # type: ignore[arg-type]
    )
    return {"sensible": sensible, "published": published}


def chosen(schemas: Schemas, variant: Variant) -> Schema:
    """The schema of a variant."""
    if variant not in schemas:
        raise InputError(f"the variant is {variant!r}; there are {listing(schemas)}")
    return schemas[variant]
