"""Merkle trees: one hash that stands for many rows, as in RFC 6962."""

import hashlib
from collections.abc import Iterable, Sequence

LEAF, NODE = b"\x00", b"\x01"  # a leaf can never pass for a node
EMPTY = hashlib.sha256(b"").digest()


def leaf(content: bytes) -> bytes:
    """The hash of one row."""
    return hashlib.sha256(LEAF + content).digest()


def root(leaves: Iterable[bytes]) -> bytes:
    """The hash over all rows in their order.

    >>> a, b, c = (leaf(row) for row in (b"a", b"b", b"c"))
    >>> root([a, b, c]) == hashlib.sha256(NODE + root([a, b]) + c).digest()
    True
    """
    level: Sequence[bytes] = list(leaves)
    if not level:
        return EMPTY
    sha = hashlib.sha256
    while len(level) > 1:
        above = [sha(NODE + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:  # the last one without a neighbour moves up as it is
            above.append(level[-1])
        level = above
    return level[0]
