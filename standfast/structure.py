"""What a file of ours must hold, field by field; what is wrong is named with its place."""

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from standfast.errors import InputError

# no file of ours nests deeper: provenance of provenance of settings
DEEPEST = 40
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Value:
    """One value: what it must be, in words, and whether a value found is that."""

    words: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Record:
    """Named fields. Those of `optional` may be absent; unknown ones are left to later versions."""

    fields: Mapping[str, "Structure"]
    optional: Mapping[str, "Structure"] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A list with a fixed number of places, each with a name and a structure of its own."""

    places: Mapping[str, "Structure"]


@dataclass(frozen=True)
class Several:
    """A list of things of one structure, at least so many; sentences count them from 1."""

    noun: str
    each: "Structure"
    least: int = 0


@dataclass(frozen=True)
class Columns:
    """A table by columns of one length, one row per `noun`; unknown columns hold plain values."""

    noun: str
    columns: Mapping[str, Value]
    optional: Mapping[str, Value] = field(default_factory=dict)


Structure = Value | Record | Row | Several | Columns


def check(found: Any, structure: Structure, place: str = "") -> None:
    """Refuse what does not have the structure, naming the place.

    >>> check({"members": {"risk": [0.1, "abc"]}}, Record({"members": Columns("member",
    ...     {"risk": number(0)})}))
    Traceback (most recent call last):
    standfast.errors.InputError: 'risk' of member 2 is "abc" and must be a number of at least 0
    """
    match structure:
        case Value(words, fits):
            if not fits(found):
                raise InputError(f"{place or 'the content'} is {shown(found)} and must be {words}")
        case Record(fields, optional):
            _check_kind(found, dict, place, "a table of named fields")
            _check_present(found, fields, place)
            for name, part in {**fields, **optional}.items():
                if name in found:
                    check(found[name], part, _within(f"'{name}'", place))
        case Row(places):
            _check_kind(found, list, place, f"a list of {len(places)}")
            if len(found) != len(places):
                raise InputError(f"{place} is {shown(found)} and must be a list of {len(places)}")
            for value, (name, part) in zip(found, places.items(), strict=True):
                check(value, part, _within(f"'{name}'", place))
        case Several(noun, each, least):
            _check_kind(found, list, place, "a list")
            if len(found) < least:
                raise InputError(f"{place} is {shown(found)} and must hold at least {least}")
            for k, one in enumerate(found):
                check(one, each, f"{noun} {k + 1}")
        case Columns():
            _check_columns(found, structure, place)


def _check_columns(found: Any, structure: Columns, place: str) -> None:
    _check_kind(found, dict, place, "a table of columns")
    _check_present(found, structure.columns, place)
    known = {**structure.columns, **structure.optional}
    lengths = {}
    for name, column in found.items():
        _check_kind(column, list, _within(f"'{name}'", place), "a list")
        lengths[name] = len(column)
        for k, value in enumerate(column):
            check(value, known.get(name, PLAIN), f"'{name}' of {structure.noun} {k + 1}")
    if len(set(lengths.values())) > 1:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise InputError(
            f"'{short}' has {lengths[short]} and '{long}' has {lengths[long]} rows; all columns of "
            f"{place} must be of one length"
        )


def _check_kind(found: Any, kind: type, place: str, words: str) -> None:
    if not isinstance(found, kind):
        raise InputError(f"{place or 'the content'} is {shown(found)} and must be {words}")


def _check_present(found: Mapping[str, Any], fields: Mapping[str, Any], place: str) -> None:
    for name in fields:
        if name not in found:
            raise InputError(f"{_within(repr(name), place)} is missing")


def _within(part: str, place: str) -> str:
    return f"{part} of {place}" if place else part


def shown(value: object) -> str:
    """A value as its file spells it, cut to a few words."""
    if isinstance(value, dict):
        return f"a table of {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value) if isinstance(value, str | int | float | None) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…{text[-1] if text[0] == text[-1] else ''}"


# values


def number(least: float = -math.inf, most: float = math.inf, *, odd: bool = False) -> Value:
    """A number; `odd` ones, NaN and infinity, only where they mean something."""

    def fits(found: Any) -> bool:
        if isinstance(found, bool) or not isinstance(found, int | float):
            return False
        if abs(found) <= sys.float_info.max:
            return least <= found <= most
        return odd and isinstance(found, float) and (math.isnan(found) or least <= found <= most)

    return Value(f"a number{_range(least, most)}", fits)


def whole(least: int = 0, most: int = LARGEST) -> Value:
    """A whole number that a machine can count with."""

    def fits(found: Any) -> bool:
        return isinstance(found, int) and not isinstance(found, bool) and least <= found <= most

    return Value(f"a whole number{_range(least, most)}", fits)


def _range(least: float, most: float) -> str:
    if least == -math.inf:
        return "" if most == math.inf else f" of at most {most:g}"
    return f" of at least {least:g}" if most >= LARGEST else f" from {least} to {most}"


def one_of(*allowed: str) -> Value:
    """One of a few words."""
    return Value(f"one of {', '.join(allowed)}", lambda found: found in allowed)


def nullable(value: Value) -> Value:
    """The value, or null."""
    return Value(f"{value.words}, or null", lambda found: found is None or value.fits(found))


TEXT = Value("a text", lambda found: isinstance(found, str))
YES_OR_NO = Value("true or false", lambda found: isinstance(found, bool))
FINGERPRINT = Value(
    "a fingerprint of 64 hexadecimal digits",
    lambda found: isinstance(found, str) and bool(re.fullmatch("[0-9a-f]{64}", found)),
)
FILE_NAME = Value(
    "the plain name of a file in the same folder",
    lambda found: (
        isinstance(found, str) and bool(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", found))
    ),
)
PLAIN = Value(
    "a text, a number, true, false or null",
    lambda found: found is None or isinstance(found, str | int | float),
)


# reading


def parse(text: str) -> Any:
    """The value that JSON text holds: no name twice in a table, no bottomless nesting.

    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    standfast.errors.InputError: 'a' appears twice in one table
    """
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except InputError:
        raise
    except RecursionError as error:
        raise InputError("it is nested too deeply") from error
    except ValueError as error:
        raise InputError(f"it is not valid JSON: {error}") from error
    waiting = [(found, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise InputError("it is nested too deeply")
        if isinstance(value, dict):
            waiting += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list):
            waiting += [(part, depth + 1) for part in value]
        elif isinstance(value, str) and not _is_unicode(value):
            raise InputError(f"{shown(value)} holds half a character")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"'{name}' appears twice in one table")
        found[name] = value
    return found


def _is_unicode(text: str) -> bool:
    return not re.search("[\ud800-\udfff]", text)


def check_format(found: Any, newest: int, path: Path) -> None:
    """Refuse a file of a later version; one without a number is of the first."""
    stated = found.get("format", 1) if isinstance(found, dict) else 1
    if isinstance(stated, int) and not isinstance(stated, bool) and stated > newest:
        raise InputError(
            f"'{path}' holds format {stated} and this standfast reads {newest}; it was written by "
            "a later version: upgrade standfast"
        )


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[None]:
    """Whatever is found wrong inside is said of this file, with what to do about it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"'{path}' is damaged: {error}; {remedy}") from error
