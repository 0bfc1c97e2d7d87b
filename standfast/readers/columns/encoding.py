"""Category encoders, read by asking them what they make of each category."""

import warnings
from typing import Any

import numpy as np

from standfast.readers.columns.code import Coded, Tabled


def read_encoder(t: Any) -> list[list[tuple[Coded, Tabled]]] | None:
    """For each input of a one-hot, ordinal or target encoder, the steps to each of its columns.

    None if a category is no number: a table holds only those, so none would ever be known.
    """
    if any(np.asarray(c).dtype.kind not in "iufb" for c in t.categories_):
        return None
    categories = [np.asarray(c, dtype=np.float64) for c in t.categories_]
    allowed = getattr(t, "handle_unknown", "ignore") != "error"
    first = np.array([c[0] for c in categories])
    sizes = _block_sizes(t)
    ends = np.cumsum(sizes)
    blocks = []
    for j, known in enumerate(categories):
        foreign = np.nanmax(np.append(known, 0.0)) + 1.0
        asked = np.append(known, foreign) if allowed else known
        rows = np.tile(first, (len(asked), 1))
        rows[:, j] = asked
        with warnings.catch_warnings():  # about names, and about the category we know is unknown
            warnings.simplefilter("ignore")
            encoded = t.transform(rows)
        table = np.asarray(encoded.toarray() if hasattr(encoded, "toarray") else encoded, float)
        if table.shape[1] != ends[-1]:
            return None
        coded = Coded(known, allowed)
        block = table[:, ends[j] - sizes[j] : ends[j]]
        blocks.append([(coded, Tabled(np.array(entries))) for entries in block.T])
    return blocks


def _block_sizes(t: Any) -> list[int]:
    """How many columns an encoder makes of each of its inputs."""
    if type(t).__name__ != "OneHotEncoder":
        return [1] * len(t.categories_)
    rare = getattr(t, "infrequent_categories_", None) or [None] * len(t.categories_)
    dropped = t.drop_idx_ if t.drop_idx_ is not None else [None] * len(t.categories_)
    return [
        len(c) - (0 if r is None else len(r) - 1) - (gone is not None)
        for c, r, gone in zip(t.categories_, rare, dropped, strict=True)
    ]
