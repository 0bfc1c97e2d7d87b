"""Schemas as TOML files: written with comments for the person who edits them, read strictly."""

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import tomlkit
import tomlkit.items

from standfast.errors import InputError, listing
from standfast.schema.draft import Draft
from standfast.schema.feature import Feature
from standfast.schema.values import described

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

OPTIONS = [field.name for field in fields(Feature) if field.name != "name"]
UNSAID = (("missing", ()), ("labels", ()), ("category_labels", ()), ("when_missing", "refuse"))
EXPLANATION = (
    "One table per column, in the model's order.",
    "kind: real, positive, count, binary, ordinal or nominal; direction: any, up or down.",
    "Advice proposes multiples of step; a bound left out is the reference table's range.",
)
# not in every file: autoencoders of version 0.1.0 are known by the text of their schema
ABOUT_VALID = (
    "lower and upper bound the advice; valid = [least, greatest] says what is possible at all",
    "(inf leaves an end open): people beyond it are outside the schema.",
)
# nor this
ABOUT_NAMES = (
    "An ordinal may have categories, named from the lowest to the highest; a nominal's are in no",
    "order, and transitions says which may become which. missing lists values that stand for a",
    "missing one; when_missing: refuse (the person), keep (the gap) or fill (it in).",
)
ABOUT_RULES = (
    "Advice keeps every rule, such as 'if housing == rent then mortgage == 0'; changes such as",
    "'age == tenure' say what moves together.",
)
# what may hold between inputs, with an example of each
LAWS = {
    "relations": "a <= b",
    "rules": "if housing == rent then mortgage == 0",
    "changes": "age == tenure",
}
FIRST_STEPS = (
    "A draft: check every guess. Say what may not change (mutable = false), which way things may",
    "move (direction), and what is valid.",
)
# a key of more parts than any schema has; the parser takes minutes over one of fifty thousand
DEEP_KEY = re.compile(r"""(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){64}""")
DEEP = "this is not a schema: its lists or tables are nested too deeply"


def dumps(schema: "Schema") -> str:
    """The schema as TOML text; numbers keep their type, and with it the schema its digest."""
    document = tomlkit.document()
    for line in _explained(schema):
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    for line in _proposed(schema.draft):
        document.add(tomlkit.comment(line) if line else tomlkit.nl())
    for what in LAWS:
        if getattr(schema, what):
            document.add(what, _laws([str(law) for law in getattr(schema, what)], schema.draft))
    document.add("features", _features(schema))
    return tomlkit.dumps(document)


def _laws(texts: list[str], draft: Draft | None) -> Any:
    """Laws one below the other, each with the reason why it holds."""
    because, laws = draft.because if draft else {}, tomlkit.array().multiline(True)
    if not any(text in because for text in texts):
        laws.extend(texts)
        return laws
    for text in texts:
        laws.add_line(text, comment=because.get(text))
    laws.add_line(indent="")
    return laws


def _proposed(draft: Draft | None) -> list[str]:
    """What a draft proposes, each line a comment."""
    if draft is None:
        return []
    lines: list[str] = []
    for what, laws in (("relations", draft.relations), ("rules", draft.rules)):
        if laws:
            lines += ["The table never breaks these; uncomment those that are laws:"]
            lines += [
                f"{what} = [",
                *(f"    {tomlkit.item(str(law)).as_string()}," for law in laws),
            ]
            lines += ["]", ""]
    if draft.remarks:
        lines += ["Also seen in the table:", *(f"  {remark}" for remark in draft.remarks), ""]
    return lines


def _explained(schema: "Schema") -> list[str]:
    lines = list(EXPLANATION)
    drafted = schema.draft is not None and bool(schema.draft.spans)
    if drafted or any(feature.valid is not None for feature in schema):
        lines += ABOUT_VALID
    if any(f.categories or f.missing or f.when_missing != "refuse" for f in schema):
        lines += ABOUT_NAMES
    if schema.rules or schema.changes:
        lines += ABOUT_RULES
    if schema.draft and drafted:
        lines += FIRST_STEPS
        lines += [schema.draft.note] * bool(schema.draft.note)
    return lines


def _features(schema: "Schema") -> Any:
    tables = tomlkit.table(is_super_table=True)
    for feature in schema.features:
        table = tomlkit.table()
        for line in _seen(schema, feature.name):
            table.add(tomlkit.comment(line))
        for option in OPTIONS:
            value = getattr(feature, option)
            if value in (None, "") or (option, value) in UNSAID:
                continue
            table.add(option, _written(option, value))
        tables.add(feature.name, table)
    return tables


def _seen(schema: "Schema", name: str) -> list[str]:
    draft = schema.draft
    if draft is None or name not in draft.spans:
        return [] if draft is None or name not in draft.because else [draft.because[name]]
    suspicion = [draft.suspects[name]] if name in draft.suspects else []
    return [f"seen: {draft.spans[name]}", *suspicion, *draft.guesses.get(name, ())]


def _written(option: str, value: Any) -> Any:
    if option == "valid":
        return _ends(value)
    if option in ("categories", "missing"):
        # item by item, tomlkit takes minutes for ten thousand of them
        return tomlkit.value(f"[{', '.join(tomlkit.item(one).as_string() for one in value)}]")
    if option == "labels":
        return _inline(value)
    if option == "category_labels":
        languages = tomlkit.inline_table()
        for language, named in value:
            languages.add(language, _inline((str(name), text) for name, text in named))
        return languages
    if option == "transitions":
        found = tomlkit.inline_table()
        for source, targets in value:
            priced = _inline((str(target), price or 0.0) for target, price in targets)
            plain = all(price is None for _, price in targets)
            found.add(str(source), [target for target, _ in targets] if plain else priced)
        return found
    return value


def _inline(pairs: Iterable[tuple[str, Any]]) -> tomlkit.items.InlineTable:
    table = tomlkit.inline_table()
    table.update(dict(pairs))
    return table


def _ends(valid: tuple[float | None, float | None]) -> list[float]:
    low, high = valid
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return [int(end) if end.is_integer() else end for end in ends]


def loads(text: str) -> "Schema":
    """A schema from TOML text; every field is checked, and a sentence names its place."""
    from standfast.schema.schema import Schema

    if not isinstance(text, str):
        raise InputError(f"a schema's TOML must be a text, not {described(text)}")
    if DEEP_KEY.search(text):
        raise InputError(DEEP)
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise InputError(DEEP) from error
    except ValueError as error:  # also what Python says of numbers with thousands of digits
        hint = "; to read a file, use Schema.read" if _is_path(text) else ""
        raise InputError(f"this is not valid TOML: {error}{hint}") from error
    unknown = [key for key in content if key not in (*LAWS, "features")]
    if unknown:
        raise InputError(
            f"unknown entry {listing(unknown)}; allowed: {', '.join((*LAWS, 'features'))}"
        )
    tables = content.get("features")
    if not isinstance(tables, dict) or not tables:
        raise InputError("no features; write one [features.NAME] table per column")
    laws = {what: content.get(what, []) for what in LAWS}
    for what, given in laws.items():
        if not isinstance(given, list) or not all(isinstance(law, str) for law in given):
            raise InputError(f"{what} must be a list of texts such as '{LAWS[what]}'")
    features = [_feature(name, table) for name, table in tables.items()]
    return Schema(tuple(features), **laws)


def _is_path(text: str) -> bool:
    """Whether a text is the name of a file rather than its content."""
    return "\n" not in text and text.strip().endswith(".toml")


def _feature(name: str, table: object) -> Feature:
    if not isinstance(table, dict):
        raise InputError(f"feature '{name}' must be a table: write [features.\"{name}\"]")
    unknown = [key for key in table if key not in OPTIONS]
    if unknown:
        raise InputError(
            f"feature '{name}': unknown {listing(unknown)}; allowed: {listing(OPTIONS, 9)}"
        )
    return Feature(name, **table)
