"""Which data sets there are, and where each would be loaded from."""

from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path

import pandas as pd

from standfast.datasets.german_credit import CORRECTED, STATLOG
from standfast.datasets.german_credit import SCHEMA as GERMAN_SCHEMA
from standfast.datasets.give_me_some_credit import SOURCE as CREDIT
from standfast.datasets.heloc import SOURCE as HELOC
from standfast.datasets.sba_case import SCHEMA as SBA_SCHEMA
from standfast.datasets.sba_case import SOURCE as SBA
from standfast.datasets.sources import VARIABLE, Source
from standfast.datasets.twin import SCHEMAS as TWINS
from standfast.datasets.variants import Schemas
from standfast.digests import digest_of_file
from standfast.errors import InputError

SOURCES = (CREDIT, HELOC, SBA, STATLOG, CORRECTED)
SCHEMAS: Mapping[str, Schemas] = {
    **TWINS,
    SBA.name: {"sensible": SBA_SCHEMA, "published": SBA_SCHEMA},
    STATLOG.name: {"sensible": GERMAN_SCHEMA, "published": GERMAN_SCHEMA},
}


def available(path: str | Path | None = None) -> pd.DataFrame:
    """One line per data set: its kind, whether it is here and where, its rows, its checksum.

    Quick: a file's checksum shows whether it is the published one, no table is read. `rows` is
    empty where it is not known without reading, and for twins, which have as many as asked for.

    >>> list(available())
    ['name', 'kind', 'found', 'where', 'rows', 'digest', 'note']
    """
    lines = []
    for source in SOURCES:
        lines.append(_real(source, path))
        if source.name in TWINS and source is not STATLOG:  # its twin is that of the corrected one
            lines.append(_twin(source))
    return pd.DataFrame(lines).astype({"rows": "Int64"})


def _real(source: Source, path: str | Path | None) -> dict[str, object]:
    line: dict[str, object] = {"name": source.name, "kind": "real", "found": False}
    line |= {"where": f"OpenML {source.openml}", "rows": pd.NA, "digest": ""}
    try:
        file = source.locate(path)
    except InputError as error:
        return line | {"where": "", "note": str(error)}
    if file is None:
        note = f"{VARIABLE} is not set; loading would download the set from OpenML"
        return line | {"rows": source.rows, "note": note}
    try:
        digest = digest_of_file(file)
    except OSError as error:
        return line | {"where": str(file), "note": f"cannot be read: {error.strerror or error}"}
    published = digest in source.sha256
    return line | {
        "found": True,
        "where": str(file),
        "rows": source.rows if published else pd.NA,
        "digest": digest,
        "note": "the published file" if published else "not the published file, byte by byte",
    }


def _twin(source: Source) -> dict[str, object]:
    with as_file(files("standfast.datasets").joinpath(f"twin_of_{source.name}.json")) as file:
        digest = digest_of_file(file)
    return {
        "name": source.name,
        "kind": "twin",
        "found": True,
        "where": "embedded",
        "rows": pd.NA,
        "digest": digest,
        "note": "as many people as asked for; nobody is real",
    }
