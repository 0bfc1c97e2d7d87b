"""Each person's several ways as a table of its own, in a file beside the advice."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.files import read_bytes, write_table
from standfast.recommendations import cells
from standfast.recommendations.outcome import Outcome
from standfast.schema import Schema
from standfast.structure import TEXT, Record, reading, whole

ABOUT = Record({"rows": whole(0), "sha256": TEXT})  # what the advice knows of the table
MOST = 2**31  # bytes


def beside(path: Path) -> Path:
    """Where the alternatives of the advice in `path` live.

    >>> beside(Path("out/advice.csv")).name
    'advice.alternatives.csv'
    """
    return path.with_name(f"{path.stem}.alternatives{path.suffix}")


def write(ways: pd.DataFrame | None, path: Path) -> dict[str, Any] | None:
    """Write the table beside the advice; what the advice has to know of it, to find it again."""
    if ways is None:
        return None
    write_table(ways, beside(path))
    return {"rows": len(ways), "sha256": _sha256(beside(path).read_bytes())}


def read(known: dict[str, Any], path: Path, schema: Schema, index: pd.Index) -> pd.DataFrame:
    """The table beside the advice as it was written."""
    file = beside(path)
    if not file.is_file():
        raise InputError(
            f"'{path}' lacks its table of alternatives '{file}'; keep the two together"
        )
    content = read_bytes(file, MOST, "alternatives")
    if _sha256(content) != known["sha256"]:
        raise InputError(
            f"'{file}' is not as it was written with '{path}'; fetch both again, or make the "
            "advice anew"
        )
    if known["rows"] == 0:
        columns = ("person", "rank", "outcome", "cost", "lower_bound", *schema.names)
        return pd.DataFrame({name: [] for name in columns})
    with reading(file, "write the advice again"):
        if path.suffix == ".csv":
            frame = cells.from_csv(content.decode())
        else:
            frame, _ = cells.from_parquet(content, b"")
        points = [
            cells.values(frame, f.name, f, np.full(len(frame), f.when_missing != "refuse"))
            for f in schema
        ]
        about = {
            "person": index[cells.rows(frame, "person", index)].rename(None),
            "rank": cells.numbers(frame, "rank", "a whole number", _is_rank).astype(np.int64),
            "outcome": cells.words(frame, "outcome", tuple(Outcome)),
            "cost": cells.numbers(frame, "cost", "a number", np.isfinite),
            "lower_bound": cells.numbers(
                frame, "lower_bound", "empty or a number", lambda v: ~np.isinf(v)
            ),
        }
        if "after_months" in frame and "after_months" not in schema.names:
            about["after_months"] = cells.numbers(frame, "after_months", "a number", np.isfinite)
        return pd.concat([pd.DataFrame(about), schema.table(np.column_stack(points))], axis=1)


def _is_rank(values: cells.Vector) -> Any:
    return (values >= 1) & (values % 1 == 0)


def is_own(known: Any, path: Path) -> bool:
    """Whether the table beside the advice is the one that was written with it."""
    if not isinstance(known, dict) or not beside(path).is_file():
        return False
    return _sha256(beside(path).read_bytes()) == known.get("sha256")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
