"""Whether a UBJSON file is whole: XGBoost reads past the end of one that was cut off and dies."""

import struct

# bytes that follow each marker of a plain value, and how the markers of lengths are read
WIDTHS = {"Z": 0, "N": 0, "T": 0, "F": 0, "i": 1, "U": 1, "C": 1, "I": 2, "l": 4, "d": 4}
WIDTHS |= {"L": 8, "D": 8}
LENGTHS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q"}


def is_whole(data: bytes) -> bool:
    """Whether the bytes are exactly one UBJSON value, nothing missing and nothing left over.

    >>> is_whole(b"{U\\x01aT}"), is_whole(b"{U\\x01aT")
    (True, False)
    """
    try:
        return _value(data, 0) == len(data)
    except (IndexError, KeyError, ValueError, RecursionError, struct.error):
        return False


def _value(data: bytes, at: int) -> int:
    """Where the value that starts here ends."""
    return _body(data, at + 1, chr(data[at]))


def _body(data: bytes, at: int, marker: str) -> int:
    if marker in "SH":
        return _text(data, at)
    if marker in "[{":
        return _items(data, at, named=marker == "{")
    return at + WIDTHS[marker]


def _items(data: bytes, at: int, *, named: bool) -> int:
    kind, count = "", None
    if data[at] == ord("$"):  # all items of one type, told once
        kind, at = chr(data[at + 1]), at + 2
    if data[at] == ord("#"):
        count, at = _length(data, at + 1)
    elif kind:
        raise ValueError("a type without a count")
    if count is not None and not named and kind in WIDTHS:
        return at + count * WIDTHS[kind]
    end = ord("}" if named else "]")
    left = count
    while left != 0 if left is not None else data[at] != end:
        at = _text(data, at) if named else at
        at = _body(data, at, kind) if kind else _value(data, at)
        left = None if left is None else left - 1
    return at if count is not None else at + 1


def _text(data: bytes, at: int) -> int:
    length, at = _length(data, at)
    return at + length


def _length(data: bytes, at: int) -> tuple[int, int]:
    form = LENGTHS[chr(data[at])]
    (length,) = struct.unpack_from(form, data, at + 1)
    if length < 0:
        raise ValueError("a negative length")
    return length, at + 1 + struct.calcsize(form)
