"""Recommendations as Parquet or CSV files that come back as they were, with their provenance."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.files import check_text, check_writable, read_bytes, read_text, write_whole
from standfast.recommendations import alternatives, cells, facts, provenance
from standfast.recommendations.cells import MOST_WHOLE
from standfast.recommendations.outcome import Outcome
from standfast.recommendations.provenance import Provenance
from standfast.recommendations.recommendations import Recommendations
from standfast.schema import Schema
from standfast.schema.categories import UNKNOWN
from standfast.schema.kinds import WHOLE
from standfast.structure import (
    PLAIN,
    TEXT,
    Record,
    Row,
    Several,
    Value,
    check,
    check_format,
    number,
    one_of,
    parse,
    reading,
    whole,
)

KEY = b"standfast"
BEFORE = "factual "  # marks the columns of the person's own values
FORMAT = 2
MOST = 2**31  # bytes
REMEDY = "write the advice again"

ABOUT = Record(
    {
        "provenance": provenance.STRUCTURE,
        "schema": TEXT,
        "index": Record({"column": TEXT, "name": PLAIN}),
        "index_dtype": TEXT,
        # the table beside the advice, or, in files of before, the alternatives themselves
        "alternatives": Value(
            "a record, a list or null", lambda found: isinstance(found, dict | list | None)
        ),
    },
    {"facts": TEXT},  # the column of causes and binding models, which files of before lack
)


def write(recommendations: Recommendations, path: Path) -> None:
    """Write the file whole; a CSV carries its provenance in a `.json` beside it."""
    check_ending(path)
    if isinstance(recommendations.index, pd.MultiIndex):
        raise InputError("a file keeps one label per person; give the people a single-level index")
    label = recommendations.index.name
    frame = recommendations.to_frame()
    column = "facts"
    while column in frame.columns:
        column = f"{column}_"
    frame[column] = facts.written(recommendations.results)
    for part in parts(path):  # before any of them is written
        check_writable(part)
    outdated = _outdated(path)
    check_text(path, label or "", *recommendations.index, *frame.columns)
    label = str(label) if label is not None else "person"
    while label in frame.columns:
        label = f"{label}_"
    own = recommendations.factual.add_prefix(BEFORE)
    frame = pd.concat([frame, own], axis=1).rename_axis(label).reset_index()
    for feature in recommendations.schema:  # numbers and words in one column are all words
        if feature.coder is not None and len({type(name) for name in feature.coder.names}) > 1:
            for name in (feature.name, BEFORE + feature.name):
                frame[name] = frame[name].map(str, na_action="ignore")
    frame.attrs = {}
    about = described(recommendations, label, column) | {
        "alternatives": alternatives.write(recommendations.alternatives, path)
    }
    text = json.dumps(about, indent=2)
    if path.suffix == ".parquet":
        write_whole(path, lambda file: _write_parquet(frame, text, file))
    else:
        write_whole(beside(path), lambda file: file.write_text(text + "\n", encoding="utf-8"))
        write_whole(path, lambda file: frame.to_csv(file, index=False))
    if outdated is not None and recommendations.alternatives is None:
        outdated.unlink(missing_ok=True)  # it belonged to the advice that was overwritten


def described(recommendations: Recommendations, label: str, facts_in: str) -> dict[str, Any]:
    """What a file says of its advice, the columns of labels and facts by their names in it."""
    return {
        "format": FORMAT,
        "provenance": recommendations.provenance.to_json(),
        "schema": recommendations.schema.to_toml(),
        "index": {"column": label, "name": recommendations.index.name},
        "index_dtype": str(recommendations.index.dtype),
        "facts": facts_in,
        "alternatives": None,
    }


def _outdated(path: Path) -> Path | None:
    """The table of alternatives that belongs to the advice now in `path`, if there is one."""
    if not path.is_file():
        return None
    try:
        known = json.loads(_about(path))["alternatives"]
    except (ValueError, KeyError, TypeError, OSError):  # no advice of ours
        return None
    return alternatives.beside(path) if alternatives.is_own(known, path) else None


def _about(path: Path) -> str:
    if path.suffix == ".csv":
        return _companion(path)
    import pyarrow.parquet as pq

    metadata: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
    return metadata[KEY].decode()


def _alternatives(records: list[list[Any]], schema: Schema, index: pd.Index) -> pd.DataFrame:
    """The alternatives as files of before hold them: people by their row, and no names."""
    names = ("rank", "outcome", "cost", "lower_bound")
    whose = [row for row, *_ in records]
    about = {name: [record[k] for record in records] for k, name in enumerate(names, start=1)}
    points = np.array([record[-1] for record in records], dtype=np.float64).reshape(-1, len(schema))
    return pd.concat(
        [pd.DataFrame({"person": index[whose], **about}), schema.table(points)], axis=1
    )


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
    pq.write_table(table, file, write_page_checksum=True)


def read(path: Path) -> Recommendations:
    """Recommendations from a file, or one sentence about why they cannot be read."""
    check_ending(path)
    if path.suffix == ".csv":
        text = read_text(path, MOST, "advice")
        with reading(path, REMEDY):
            frame = cells.from_csv(text)
        source, about = beside(path), _companion(path)
    else:
        content = read_bytes(path, MOST, "advice")
        with reading(path, REMEDY):
            frame, found = cells.from_parquet(content, KEY)
        source, about = path, _decoded(found, path)
    with reading(source, REMEDY):
        stated = parse(about)
    check_format(stated, FORMAT, source)
    with reading(source, REMEDY):
        check(stated, ABOUT)
        schema = Schema.from_toml(stated["schema"])
        _check_alternatives(stated["alternatives"], len(frame), schema)
    with reading(path, REMEDY):
        advice = _assemble(frame, stated, schema)
    if not isinstance(stated["alternatives"], dict):
        return advice
    with reading(source, REMEDY):
        check(stated["alternatives"], alternatives.ABOUT, "'alternatives'")
    ways = alternatives.read(stated["alternatives"], path, schema, advice.index)
    return replace(advice, alternatives=ways)


def _companion(path: Path) -> str:
    if not beside(path).exists():
        raise InputError(
            f"'{path}' lacks its provenance file '{beside(path)}', which is written with advice; "
            "give a file of advice, and keep the two together"
        )
    return read_text(beside(path), MOST, "its provenance")


def _decoded(about: bytes | None, path: Path) -> str:
    if about is None:
        raise InputError(f"'{path}' holds no recommendations as standfast writes them; {REMEDY}")
    try:
        return about.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is damaged: its provenance is not text; {REMEDY}") from error


def _check_alternatives(records: Any, people: int, schema: Schema) -> None:
    if not isinstance(records, list):
        return
    most = [MOST_WHOLE if f.kind in WHOLE else float(np.finfo(np.float64).max) for f in schema]
    limits = [number(-limit, limit) for limit in most]

    def is_point(found: Any) -> bool:
        return (
            isinstance(found, list)
            and len(found) == len(limits)
            and all(limit.fits(value) for limit, value in zip(limits, found, strict=True))
        )

    places = {
        "row": whole(0, people - 1),
        "rank": whole(1),
        "outcome": one_of(*Outcome),
        "cost": number(odd=True),
        "lower_bound": number(odd=True),
        "values": Value(f"a list of {len(schema)} numbers", is_point),
    }
    check(records, Several("alternative", Row(places)), "'alternatives'")


def _assemble(frame: pd.DataFrame, about: dict[str, Any], schema: Schema) -> Recommendations:
    stated, ways = about["index"], about["alternatives"]
    index = cells.labels(frame, stated["column"], about["index_dtype"], stated["name"])
    outcomes = [Outcome(word) for word in cells.words(frame, "outcome", tuple(Outcome))]
    advised = np.array([outcome.advises for outcome in outcomes])
    odd = np.array([outcome is Outcome.OUTSIDE_SCHEMA for outcome in outcomes])
    own, goal = np.empty((2, len(frame), len(schema)))
    for j, feature in enumerate(schema):
        gaps = np.full(len(frame), feature.when_missing != "refuse")
        own[:, j] = cells.values(frame, BEFORE + feature.name, feature, gaps, odd)
        goal[:, j] = cells.values(frame, feature.name, feature, gaps | ~advised)
    goal[~advised] = np.nan
    factual = schema.table(own, index)
    for name, odd in zip(schema.names, (own == UNKNOWN).T, strict=True):
        if odd.any():  # as it was given
            given = frame[BEFORE + name].astype(object).to_numpy()
            factual[name] = factual[name].astype(object).mask(odd, given)
    origin = Provenance.from_json(about["provenance"])
    if "facts" in about:
        causes, binding, kept = facts.read(frame, about["facts"], len(origin.models))
    else:
        kept = []
        causes = facts.noted(frame, outcomes)
        origin, binding = facts.resolved(cells.texts(frame, "binding"), origin)
    results = pd.DataFrame(
        {
            "outcome": [str(outcome) for outcome in outcomes],
            "cause": pd.Series(causes, index, dtype=object),
            "cost": cells.numbers(frame, "cost", "empty or a number of at least 0", _is_cost),
            "lower_bound": cells.numbers(
                frame, "lower_bound", "empty or a number", lambda v: ~(v == -np.inf)
            ),
            # the parts of a portfolio keep no times, so that they are the same in every run
            "seconds": cells.numbers(frame, "seconds", "empty or a number of at least 0", _is_cost)
            if "seconds" in frame
            else np.nan,
            "binding": pd.Series(binding, index, dtype=object),
        },
        index=index,
    )
    if "kept_inputs" in frame and kept:
        results["kept_inputs"] = pd.Series(kept, index, dtype=object)
    if "after_months" in frame and "after_months" not in schema.names:
        meaning = "empty or a number of at least 0"
        results["after_months"] = cells.numbers(frame, "after_months", meaning, _is_cost)
    if "accepted_by" in frame:
        meaning = "empty or a whole number of at least 0"
        counts = cells.numbers(frame, "accepted_by", meaning, _is_count)
        results["accepted_by"] = pd.Series(counts, index=index).astype("Int64")
    return Recommendations(
        schema,
        factual,
        schema.table(goal, index),
        results,
        origin,
        _alternatives(ways, schema, index) if isinstance(ways, list) else None,
    )


def _is_cost(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isnan(values) | ((values >= 0) & (values < np.inf))


def _is_count(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    whole_ones: NDArray[np.bool_] = (values >= 0) & (values <= MOST_WHOLE) & (values % 1 == 0)
    return np.isnan(values) | whole_ones
