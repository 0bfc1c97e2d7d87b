"""Whether everybody has a label of their own, counted at flat memory."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.files.data_sets import (
    DataFile,
    UnreadableError,
    blocks,
    read_whole,
)
from standfast.portfolio.source import Source, SourceFile

AT_ONCE = 2**24  # labels whose fingerprints are held together, in 128 MB
ROWS = 2**16  # labels read at a time
SHOWN = 5


def check_labels(source: Source) -> None:
    """Refuse people without a label, and several people under one.

    The column of labels is read once for every 16 million people: each time those labels are
    compared whose fingerprints fall into one share of all.
    """
    name = source.request.index
    if name is None:
        return
    shares = -(-source.rows // AT_ONCE)
    twice = np.concatenate([_twice(source, name, share, shares) for share in range(shares)])
    if not len(twice):
        return
    seen: dict[object, list[str]] = {}
    for file, labels in _labels(source, name):
        for label in labels[np.isin(_hashes(labels), twice)]:
            seen.setdefault(label, []).append(file.name)
    found = {label: files for label, files in seen.items() if len(files) > 1}
    if not found:  # two labels of one fingerprint
        return
    label, files = next(iter(found.items()))
    where = " and ".join(f"'{one}'" for one in dict.fromkeys(files))
    raise InputError(
        f"column '{name}' holds {listing(list(found), SHOWN)} more than once ({label!r} in "
        f"{where}); every person needs their own label"
    )


def _twice(source: Source, name: str, share: int, shares: int) -> NDArray[np.uint64]:
    """The fingerprints in one share of all that appear more than once."""
    parts = [np.empty(0, dtype=np.uint64)]
    for file, labels in _labels(source, name):
        empty = pd.isna(labels) | (labels.astype(str) == "") if labels.dtype == object else None
        if empty is not None and empty.any():
            raise InputError(
                f"column '{name}' of '{file.name}' labels people but is empty in "
                f"{int(empty.sum())} or more rows; fill it"
            )
        hashes = _hashes(labels)
        parts.append(hashes if shares == 1 else hashes[hashes % np.uint64(shares) == share])
    every = np.sort(np.concatenate(parts))
    return np.unique(every[1:][every[1:] == every[:-1]])


def _hashes(
    labels: NDArray[Any],
) -> NDArray[np.uint64]:
    found = pd.util.hash_array(labels, categorize=False)
    return np.asarray(found, dtype=np.uint64)


def _labels(source: Source, name: str) -> Iterator[tuple[DataFile, NDArray[Any]]]:
    """The labels of everybody whose file can be read, some at a time."""
    for one in source.files:
        if one.why or not one.rows:
            continue
        with suppress(UnreadableError):  # it is named when its people are asked about
            yield from ((one.file, _array(table[name])) for table in _tables(one, name))


def _tables(one: SourceFile, name: str) -> Iterator[pa.Table]:
    if not one.file.is_parquet:
        yield read_whole(one.file, name)
        return
    for _, table in blocks(one.file, [name], ROWS, range(one.count(ROWS))):
        yield table


def _array(column: pa.ChunkedArray) -> NDArray[Any]:
    if column.null_count:
        return np.array(column.to_pylist(), dtype=object)
    found: NDArray[Any] = column.to_numpy()
    return found if found.dtype.kind in "iufMm" else found.astype(object)
