"""Category encoders, read by asking them what they make of each category."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from standfast.readers.columns.code import Coded, Named, Tabled
from standfast.readers.columns.step import Step
from standfast.readers.unreadable import UnreadableError
from standfast.scores.score import Matrix

Words = tuple[object, ...]


def read_encoder(t: Any, words: Sequence[Words | None]) -> list[list[tuple[Step, ...]]]:
    """For each input of a one-hot, ordinal or target encoder, the steps to each of its columns.

    `words[j]` is what input j holds for each of its codes and, last, for a gap; None if it holds
    numbers.
    """
    sizes = _block_sizes(t)
    ends = np.cumsum(sizes)
    blocks: list[list[tuple[Step, ...]]] = []
    for j, (own, categories) in enumerate(zip(words, t.categories_, strict=True)):
        here = slice(ends[j] - sizes[j], ends[j])
        if own is not None:
            block = _asked(t, j, own, int(ends[-1]))[:, here]
            blocks.append([(Named(np.array(e[:-1]), float(e[-1])),) for e in block.T])
            continue
        if not are_numbers(categories):
            raise UnreadableError(f"the step {type(t).__name__} knows words, but is given numbers")
        known = np.asarray(categories, dtype=np.float64)
        allowed = getattr(t, "handle_unknown", "ignore") != "error"
        foreign = np.nanmax(np.append(known, 0.0)) + 1.0
        block = _asked(t, j, [*known, foreign] if allowed else list(known), int(ends[-1]))[:, here]
        coded = Coded(known, allowed)
        blocks.append([(coded, Tabled(np.array(entries))) for entries in block.T])
    return blocks


def are_numbers(categories: ArrayLike) -> bool:
    """Whether categories are numbers or truth values, if only as the objects an imputer makes.

    Of objects, a mere gap is none.
    """
    found = np.asarray(categories)
    if found.dtype.kind in "iufb":
        return True
    known = [c for c in found if not (isinstance(c, float) and np.isnan(c))]
    numbers = bool | int | float | np.number | np.bool_
    return bool(known) and all(isinstance(c, numbers) for c in known)


def is_lacking(words: Words, marker: object) -> list[bool]:
    """Which words an imputer takes for missing."""
    if isinstance(marker, float) and np.isnan(marker):
        return [isinstance(word, float) and bool(np.isnan(word)) for word in words]
    if marker is pd.NA:
        return [bool(pd.isna(word)) for word in words]  # type: ignore[call-overload]
    return [bool(word == marker) for word in words]


def _asked(t: Any, j: int, values: Sequence[object], width: int) -> Matrix:
    """What the encoder makes of rows that hold these values in input j; infinite if it refuses."""
    names = list(getattr(t, "feature_names_in_", range(len(t.categories_))))
    columns = {
        name: [known[0]] * len(values) for name, known in zip(names, t.categories_, strict=True)
    }
    columns[names[j]] = list(values)
    rows = pd.DataFrame(columns)
    objects = [name for name, c in zip(names, t.categories_, strict=True) if c.dtype == object]
    rows = rows.astype(dict.fromkeys(objects, object))
    with warnings.catch_warnings():  # about names, and about the category we know is unknown
        warnings.simplefilter("ignore")
        found = _halved(t, rows, width)
    if found.shape[1] != width:
        raise UnreadableError(f"the step {type(t).__name__} gives columns of its own making")
    return found


def _halved(t: Any, rows: pd.DataFrame, width: int) -> Matrix:
    """What becomes of rows; one that is refused, and with it all, is sought by halves."""
    try:
        return _plain(t.transform(rows))
    except ValueError:
        if len(rows) == 1:
            return np.full((1, width), np.inf)
    half = len(rows) // 2
    return np.vstack([_halved(t, part, width) for part in (rows[:half], rows[half:])])


def _plain(encoded: Any) -> Matrix:
    whole = encoded.toarray() if hasattr(encoded, "toarray") else encoded
    return np.asarray(whole, dtype=np.float64)


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
