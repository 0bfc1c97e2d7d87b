"""Schemas as TOML files: written with comments for the person who edits them, read strictly."""

import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import tomlkit

from standfast.errors import InputError, listing
from standfast.schema.feature import Feature
from standfast.schema.relation import Relation

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

OPTIONS = [field.name for field in fields(Feature) if field.name != "name"]
EXPLANATION = (
    "One table per column, in the model's order.",
    "kind: real, positive, count, binary or ordinal; direction: any, up or down.",
    "Advice proposes multiples of step; a bound left out is the reference table's range.",
)


def dumps(schema: "Schema") -> str:
    """The schema as TOML text."""
    document = tomlkit.document()
    for line in EXPLANATION:
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    if schema.draft and schema.draft.relations:
        document.add(
            tomlkit.comment("The table never breaks these; uncomment those that are laws:")
        )
        document.add(tomlkit.comment("relations = ["))
        for relation in schema.draft.relations:
            document.add(tomlkit.comment(f"    {tomlkit.item(str(relation)).as_string()},"))
        document.add(tomlkit.comment("]"))
        document.add(tomlkit.nl())
    if schema.relations:
        laws = tomlkit.array()
        laws.extend([str(relation) for relation in schema.relations])
        document.add("relations", laws.multiline(True))
    document.add("features", _features(schema))
    return tomlkit.dumps(document)


def _features(schema: "Schema") -> Any:
    tables = tomlkit.table(is_super_table=True)
    for feature in schema.features:
        table = tomlkit.table()
        if schema.draft and feature.name in schema.draft.spans:
            table.add(tomlkit.comment(f"seen: {schema.draft.spans[feature.name]}"))
        for option in OPTIONS:
            value = getattr(feature, option)
            if value is None or value == "":
                continue
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            table.add(option, value)
        tables.add(feature.name, table)
    return tables


def loads(text: str) -> "Schema":
    """A schema from TOML text."""
    from standfast.schema.schema import Schema

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is no valid TOML: {error}") from error
    unknown = [key for key in content if key not in ("relations", "features")]
    if unknown:
        raise InputError(f"unknown entry {listing(unknown)}; allowed: relations, features")
    tables = content.get("features")
    if not isinstance(tables, dict) or not tables:
        raise InputError("no features; write one [features.NAME] table per column")
    relations = content.get("relations", [])
    if not isinstance(relations, list) or not all(isinstance(r, str) for r in relations):
        raise InputError("relations must be a list of texts such as 'a <= b'")
    features = [_feature(name, table) for name, table in tables.items()]
    return Schema(tuple(features), tuple(Relation.parse(r) for r in relations))


def _feature(name: str, table: object) -> Feature:
    if not isinstance(table, dict):
        raise InputError(f"feature '{name}' must be a table: write [features.\"{name}\"]")
    unknown = [key for key in table if key not in OPTIONS]
    if unknown:
        raise InputError(
            f"feature '{name}': unknown {listing(unknown)}; allowed: {listing(OPTIONS, 9)}"
        )
    return Feature(name, **table)
