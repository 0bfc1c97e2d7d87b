"""Each person's several ways as a table of its own, in a file beside the advice."""

import hashlib
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.files import read_table, write_table
from standfast.schema import Schema

ABOUT = ["person", "rank", "outcome", "cost", "lower_bound"]


def beside(path: Path) -> Path:
    """Where the alternatives of the advice in `path` live: advice.alternatives.csv.

    >>> beside(Path("out/advice.csv")).name
    'advice.alternatives.csv'
    """
    return path.with_name(f"{path.stem}.alternatives{path.suffix}")


def write(ways: pd.DataFrame | None, path: Path) -> dict[str, Any] | None:
    """Write the table beside the advice; what the advice has to know of it, to find it again."""
    if ways is None:
        return None
    write_table(ways, beside(path))
    return {"rows": len(ways), "sha256": _sha256(beside(path))}


def read(known: Any, path: Path, schema: Schema, index: pd.Index) -> pd.DataFrame | None:
    """The table beside the advice as it was written; None if only one way was asked for."""
    if known is None:
        return None
    if isinstance(known, list):  # files of before hold them in their own words
        return _of_records(known, schema, index)
    file = beside(path)
    if not file.is_file():
        raise InputError(
            f"'{path}' lacks its table of alternatives '{file}'; keep the two together"
        )
    if not is_own(known, path):
        raise InputError(
            f"'{file}' is not as it was written with '{path}'; fetch both again, or make the "
            "advice anew"
        )
    found = read_table(file)
    labels = found["person"]
    if path.suffix == ".csv":  # as text: '007' must not come back as 7, nor 'NA' as nothing
        labels = pd.read_csv(file, usecols=["person"], dtype=str, keep_default_na=False)["person"]
    people = pd.Index(labels.astype(index.dtype).array)
    about = found[ABOUT].assign(person=people, outcome=found["outcome"].astype(str))
    about = about.astype({"cost": "float64", "lower_bound": "float64"})
    points = found[list(schema.names)].to_numpy(dtype="float64")
    return pd.concat([about, schema.table(points)], axis=1)


def is_own(known: Any, path: Path) -> bool:
    """Whether the table beside the advice is the one that was written with it."""
    if not isinstance(known, dict) or not beside(path).is_file():
        return False
    return _sha256(beside(path)) == known.get("sha256")


def _of_records(records: list[list[Any]], schema: Schema, index: pd.Index) -> pd.DataFrame:
    """People by their row, then rank, outcome, cost, bound and values."""
    rows, *columns, points = zip(*records, strict=True)
    about = dict(zip(ABOUT[1:], columns, strict=True))
    named = pd.DataFrame({"person": index[list(rows)], **about})
    return pd.concat([named, schema.table(points)], axis=1)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
