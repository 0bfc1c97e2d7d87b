"""Short fingerprints, so that a result can say exactly which data and model it came from."""

import hashlib
from collections.abc import Iterable

import numpy as np
import pandas as pd


def digest(parts: Iterable[object]) -> str:
    """The SHA-256 of a sequence of arrays, bytes and plain values, as 64 hexadecimal digits.

    >>> digest([np.array([1.0, 2.0]), "age"]) == digest([np.array([1.0, 2.0]), "age"])
    True
    """
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            header, body = f"{part.dtype.str}{part.shape}", np.ascontiguousarray(part).tobytes()
        elif isinstance(part, bytes):
            header, body = "bytes", part
        else:
            header, body = type(part).__name__, repr(part).encode()
        # the length keeps ("ab", "c") and ("a", "bc") apart
        total.update(f"{header}:{len(body)}:".encode())
        total.update(body)
    return total.hexdigest()


def digest_of_table(table: pd.DataFrame) -> str:
    """The fingerprint of a table's column names, index and values."""
    index = pd.util.hash_pandas_object(table.index, index=False).to_numpy()
    columns = [
        pd.util.hash_array(
            column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
        )
        for _, column in table.items()
    ]
    return digest([[str(name) for name in table], index, *columns])
