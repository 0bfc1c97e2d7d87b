"""UBJSON, the binary form of JSON that XGBoost writes, read strictly.

XGBoost reads past the end of a file that was cut off and takes the process down with it.
"""

import struct
from typing import Any

import numpy as np

from standfast.errors import InputError

# how each marker of a number is read, big end first
NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
LENGTHS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q"}
PLAIN: dict[str, Any] = {"Z": None, "T": True, "F": False}

Read = tuple[Any, int]


def decoded(data: bytes) -> Any:
    """The one value the bytes hold, nothing missing and nothing left over; an InputError otherwise.

    Lists of numbers of one type are arrays. A name that stands twice in an object is refused.

    >>> decoded(b"{U\\x01aT}")
    {'a': True}
    """
    try:
        value, end = _value(data, 0)
    except (IndexError, KeyError, RecursionError, UnicodeDecodeError, struct.error) as error:
        raise InputError("it is not UBJSON, or only the beginning of it") from error
    if end != len(data):
        raise InputError("something follows its end")
    return value


def _value(data: bytes, at: int) -> Read:
    """The value that starts here, and where it ends."""
    return _body(data, at + 1, chr(data[at]))


def _body(data: bytes, at: int, marker: str) -> Read:
    if marker == "S":
        return _text(data, at)
    if marker == "{":
        return _object(data, at)
    if marker == "[":
        return _list(data, at)
    if marker in PLAIN:
        return PLAIN[marker], at
    values, at = _array(data, at, marker, 1)
    return values[0].item(), at


def _array(data: bytes, at: int, marker: str, count: int) -> Read:
    """So many numbers of one type."""
    kind = np.dtype(NUMBERS[marker])
    end = at + count * kind.itemsize
    if end > len(data):
        raise InputError("it ends within a list of numbers")
    return np.frombuffer(data[at:end], kind), end


def _list(data: bytes, at: int) -> Read:
    kind, count, at = _typed(data, at)
    if kind:
        return _array(data, at, kind, count or 0)
    found: list[Any] = []
    while len(found) != count if count is not None else data[at] != ord("]"):
        value, at = _value(data, at)
        found.append(value)
    return found, at if count is not None else at + 1


def _object(data: bytes, at: int) -> Read:
    kind, count, at = _typed(data, at)
    if kind:
        raise InputError("it holds an object of one type, which XGBoost does not write")
    found: dict[str, Any] = {}
    while len(found) != count if count is not None else data[at] != ord("}"):
        name, at = _text(data, at)
        if name in found:
            raise InputError(f"it says '{name[:40]}' twice")
        found[name], at = _value(data, at)
    return found, at if count is not None else at + 1


def _typed(data: bytes, at: int) -> tuple[str, int | None, int]:
    """The type that all items have and their number, where they are said once for all."""
    kind, count = "", None
    if data[at] == ord("$"):
        kind, at = chr(data[at + 1]), at + 2
    if data[at] == ord("#"):
        count, at = _length(data, at + 1)
    elif kind:
        raise InputError("a type without a count")
    return kind, count, at


def _text(data: bytes, at: int) -> tuple[str, int]:
    length, at = _length(data, at)
    if at + length > len(data):
        raise InputError("it ends within a text")
    return data[at : at + length].decode("utf-8"), at + length


def _length(data: bytes, at: int) -> tuple[int, int]:
    form = LENGTHS[chr(data[at])]
    (length,) = struct.unpack_from(form, data, at + 1)
    if length < 0:
        raise InputError("a negative length")
    return length, at + 1 + struct.calcsize(form)
