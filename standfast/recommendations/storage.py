"""Recommendations as Parquet or CSV files that come back as they were, with their provenance."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.files import check_text, check_writable, read_table, write_whole
from standfast.recommendations import alternatives
from standfast.recommendations.outcome import Outcome
from standfast.recommendations.recommendations import Recommendations
from standfast.schema import Schema

KEY = b"standfast"
BEFORE = "factual "  # marks the columns of the person's own values


def write(recommendations: Recommendations, path: Path) -> None:
    """Write the file whole; a CSV carries its provenance in a `.json` beside it."""
    check_ending(path)
    if isinstance(recommendations.index, pd.MultiIndex):
        raise InputError("a file keeps one label per person; give the people a single-level index")
    label = recommendations.index.name
    frame = recommendations.to_frame()
    for part in parts(path):  # before any of them is written
        check_writable(part)
    outdated = _outdated(path)
    check_text(path, label or "", *recommendations.index, *frame.columns)
    label = str(label) if label is not None else "person"
    while label in frame.columns:
        label = f"{label}_"
    own = recommendations.factual.add_prefix(BEFORE)
    frame = pd.concat([frame, own], axis=1).rename_axis(label).reset_index()
    frame.attrs = {}
    about = {
        "provenance": dict(recommendations.provenance),
        "schema": recommendations.schema.to_toml(),
        "index": {"column": label, "name": recommendations.index.name},
        "index_dtype": str(recommendations.index.dtype),
        "alternatives": alternatives.write(recommendations.alternatives, path),
    }
    text = json.dumps(about, indent=2)
    if path.suffix == ".parquet":
        write_whole(path, lambda file: _write_parquet(frame, text, file))
    else:
        write_whole(beside(path), lambda file: file.write_text(text + "\n", encoding="utf-8"))
        write_whole(path, lambda file: frame.to_csv(file, index=False))
    if outdated is not None and recommendations.alternatives is None:
        outdated.unlink(missing_ok=True)  # it belonged to the advice that was overwritten


def _outdated(path: Path) -> Path | None:
    """The table of alternatives that belongs to the advice now in `path`, if there is one."""
    if not path.is_file():
        return None
    try:
        known = json.loads(_about(path))["alternatives"]
    except (ValueError, KeyError, TypeError, OSError):  # no advice of ours
        return None
    return alternatives.beside(path) if alternatives.is_own(known, path) else None


def check_ending(path: Path) -> None:
    """Refuse a path whose ending names no format, before any work is done."""
    if path.suffix not in (".parquet", ".csv"):
        raise InputError(f"'{path}' must end in .parquet or .csv; it says how to write the result")


def beside(path: Path) -> Path:
    """Where a CSV's provenance lives."""
    return path.with_name(path.name + ".json")


def parts(path: Path) -> list[Path]:
    """All files that advice in `path` may consist of."""
    own = [path, beside(path)] if path.suffix == ".csv" else [path]
    return [*own, alternatives.beside(path)]


def _write_parquet(frame: pd.DataFrame, about: str, file: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), KEY: about.encode()})
    pq.write_table(table, file)


def read(path: Path) -> Recommendations:
    """Recommendations from a file, or one sentence about why they cannot be read."""
    check_ending(path)
    frame = read_table(path)
    try:
        about = json.loads(_about(path))
        return _assemble(frame, about, path)
    except (KeyError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"'{path}' holds no recommendations as standfast writes them ({error}); "
            "write them again with recommendations.write(path)"
        ) from error


def _about(path: Path) -> str:
    if path.suffix == ".csv":
        try:
            return beside(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"'{path}' lacks its provenance file '{beside(path)}'; keep the two together"
            ) from error
    import pyarrow.parquet as pq

    metadata: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
    return metadata[KEY].decode()


def _assemble(frame: pd.DataFrame, about: dict[str, Any], path: Path) -> Recommendations:
    schema = Schema.from_toml(about["schema"])
    labels = frame[about["index"]["column"]]
    if path.suffix == ".csv":
        # read as text: '007' must not come back as 7
        labels = pd.read_csv(path, usecols=[about["index"]["column"]], dtype=str).iloc[:, 0]
    index = pd.Index(labels.astype(about["index_dtype"]).array, name=about["index"]["name"])
    frame = frame.set_index(index)
    names = list(schema.names)
    own = frame[[BEFORE + name for name in names]].set_axis(names, axis=1)
    goal = frame[names]
    results = frame[["outcome", "cost", "lower_bound", "seconds", "binding"]].astype(
        {"cost": "float64", "lower_bound": "float64", "seconds": "float64"}
    )
    results["binding"] = results["binding"].astype(object).fillna("").astype(str)
    told = frame if "remark" in frame else frame.assign(remark="")  # files of before have none
    texts = told[["outcome", "sentence", "remark"]].astype(object).fillna("").astype(str)
    reasons = [
        remark if Outcome(o).advises else text.removeprefix(Outcome(o).sentence).strip()
        for o, text, remark in texts.itertuples(index=False)
    ]
    results.insert(1, "reason", reasons)
    return Recommendations(
        schema,
        schema.table(own.to_numpy(dtype="float64"), index),
        schema.table(goal.to_numpy(dtype="float64", na_value=float("nan")), index),
        results,
        about["provenance"],
        alternatives.read(about["alternatives"], path, schema, index),
    )
