"""What comes with advice: reasons and certificates, as tables or files, checked against it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from standfast.errors import InputError, listing
from standfast.files import read_bytes
from standfast.recommendations import Outcome, Recommendations, cells
from standfast.structure import reading

MOST_BYTES = 2**31


class Certified(NamedTuple):
    """What is certified of one person's advice."""

    lower: float
    confidence: float
    kept: int
    models: int
    simultaneous: bool


class Reasons(NamedTuple):
    """The inputs one person is refused for, the first reason first, of `blocking` in all."""

    features: tuple[str, ...]
    blocking: int


def read(path: Path, advice: Recommendations, remedy: str) -> pd.DataFrame:
    """A table whose first column names people of the advice, who become its index."""
    content = read_bytes(path, MOST_BYTES, "a table about the people")
    with reading(path, remedy):
        if path.suffix == ".parquet":
            frame, _ = cells.from_parquet(content, b"", empty=True)
        else:
            try:
                frame = cells.from_csv(content.decode(), empty=True)
            except UnicodeDecodeError as error:
                raise InputError(f"byte {error.start} is not UTF-8 text") from error
        try:
            rows = cells.rows(frame, str(frame.columns[0]), advice.index)
        except InputError:  # what it says may name a person
            raise InputError(
                f"its first column '{frame.columns[0]}' names people who are not in the advice"
            ) from None
    return frame.iloc[:, 1:].set_axis(advice.index[rows])


def reasons_of(frame: pd.DataFrame, advice: Recommendations) -> dict[int, Reasons]:
    """Each person's reasons by their row in the advice, from what `Reasons.to_frame` gives."""
    rows = _rows(frame, advice, "reasons")
    ranks = cells.numbers(frame, "rank", "a whole number", _is_count)
    blocking = cells.numbers(frame, "blocking", "a whole number", _is_count)
    features = cells.texts(frame, "feature")
    strange = sorted({name for name in features if name not in advice.schema.names})
    if strange:
        raise InputError(f"the reasons name {listing(strange)}, which the schema does not know")
    found: dict[int, list[int]] = {}
    for k in np.lexsort((ranks, rows)):
        found.setdefault(int(rows[k]), []).append(int(k))
    return {
        row: Reasons(tuple(features[k] for k in own), int(blocking[own[0]]))
        for row, own in found.items()
    }


def certified_of(frame: pd.DataFrame, advice: Recommendations) -> dict[int, Certified]:
    """Each person's certificate by their row in the advice, from what `Certificate.to_frame` gives.

    It must be about this advice: everybody once, and everybody's search ended as it says.
    """
    rows = _rows(frame, advice, "certificate")
    outcomes = cells.words(frame, "outcome", tuple(Outcome))
    if sorted(rows) != list(range(len(advice))) or list(advice.outcome.iloc[rows]) != outcomes:
        raise InputError(
            "the certificate is not about this advice; certify it: standfast certify … --out"
        )
    checks: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "lower": ("empty or a share", lambda v: np.isnan(v) | _is_share(v)),
        "confidence": ("a share", _is_share),
        "kept": ("empty or a whole number", lambda v: np.isnan(v) | _is_count(v)),
        "models": ("a whole number", _is_count),
    }
    columns = [cells.numbers(frame, name, *test) for name, test in checks.items()]
    together = frame["simultaneous"].astype(str) == "True" if "simultaneous" in frame else False
    everybody = np.broadcast_to(together, len(frame))
    return {
        int(row): Certified(lower, confidence, int(kept), int(models), bool(at_once))
        for row, at_once, lower, confidence, kept, models in zip(
            rows, everybody, *columns, strict=True
        )
        if not np.isnan(lower) and not np.isnan(kept)
    }


def _rows(frame: pd.DataFrame, advice: Recommendations, what: str) -> Any:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{what} is {type(frame).__name__}; it must be a table, as to_frame gives")
    rows = advice.index.get_indexer(frame.index)
    if (rows < 0).any():
        raise InputError(f"the {what} names people who are not in the advice; make it for these")
    return rows


def _is_count(values: Any) -> Any:
    return (values >= 0) & (values % 1 == 0)


def _is_share(values: Any) -> Any:
    return (values >= 0) & (values <= 1)
