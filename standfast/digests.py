"""Short fingerprints, so that a result can say exactly which data and model it came from."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

INTEGERS, FLOATS, EXACT = np.dtype(np.int64), np.dtype(np.float64), 2**53


def digest(parts: Iterable[object]) -> str:
    """The SHA-256 of a sequence of arrays, bytes and plain values, as 64 hexadecimal digits.

    >>> digest([np.array([1.0, 2.0]), "age"]) == digest([np.array([1.0, 2.0]), "age"])
    True
    """
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.hasobject:  # whose bytes are addresses
            header, body = f"objects{part.shape}", repr(part.tolist()).encode()
        elif isinstance(part, np.ndarray):
            header, body = f"{part.dtype.str}{part.shape}", np.ascontiguousarray(part).tobytes()
        elif isinstance(part, bytes):
            header, body = "bytes", part
        else:
            header, body = type(part).__name__, repr(part).encode()
        # the length keeps ("ab", "c") and ("a", "bc") apart
        total.update(f"{header}:{len(body)}:".encode())
        total.update(body)
    return total.hexdigest()


def digest_of_file(file: Path) -> str:
    """The checksum of a file, as `sha256sum` prints it."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_of_values(content: Mapping[str, object]) -> str:
    """The fingerprint of what JSON holds, whatever its order, without one kept as its `digest`."""
    bare = {name: value for name, value in content.items() if name != "digest"}
    return digest([json.dumps(bare, sort_keys=True)])


def digest_of_table(table: pd.DataFrame) -> str:
    """The fingerprint of a table's column names, index and values."""
    columns = _columns(table)
    hashes: list[Any]
    if isinstance(table.index, pd.MultiIndex):
        index = pd.util.hash_pandas_object(table.index, index=False).to_numpy()
        hashes = [index, *_hashes(columns)]
    else:
        hashes = _hashes([_values(table.index), *columns])
    return digest([[str(name) for name in table.columns.tolist()], *hashes])


def _columns(table: pd.DataFrame) -> list[Any]:
    """The columns' values; numbers of the usual two types at once, which is what people have."""
    kinds = table.dtypes.tolist()
    if kinds and {INTEGERS, FLOATS}.issuperset(kinds):
        values = table.to_numpy(dtype=FLOATS)
        whole = [kind == INTEGERS for kind in kinds]
        counts = values[:, whole]
        # nearer to zero than that, a number of 64 bits holds every integer
        if (np.abs(counts) < EXACT).all():
            numbers = iter(counts.astype(INTEGERS).T)
            columns = zip(values.T, whole, strict=True)
            return [next(numbers) if integer else column for column, integer in columns]
    bare = table.set_axis(range(table.shape[1]), axis=1)
    bare.attrs = {}  # every column would take a copy of them along
    return [_values(column) for _, column in bare.items()]


def _values(column: pd.Series | pd.Index) -> Any:
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def _hashes(columns: Sequence[Any]) -> list[NDArray[np.uint64]]:
    """Every value's hash; columns of numbers of one type are hashed in one go."""
    groups: dict[object, list[int]] = {}
    for j, column in enumerate(columns):
        groups.setdefault(column.dtype if column.dtype.kind in "iuf" else j, []).append(j)
    found: dict[int, NDArray[np.uint64]] = {}
    for alike in groups.values():
        several = len(alike) > 1
        values = np.concatenate([columns[j] for j in alike]) if several else columns[alike[0]]
        hashes = pd.util.hash_array(values).reshape(len(alike), -1)
        found |= zip(alike, hashes, strict=True)
    return [found[j] for j in range(len(columns))]
