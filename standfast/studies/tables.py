"""The tidy tables of a study: what each holds, column by column, and how they are written."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pandas as pd

from standfast.errors import InputError, listing
from standfast.files import read_parquet, write_table

ENDINGS = (".parquet", ".csv")
MOST = 2**31  # bytes of one table


@dataclass(frozen=True)
class Tidy:
    """One table's meaning in a sentence, and its columns with theirs."""

    about: str
    columns: Mapping[str, str]


# the columns that say which scene a row belongs to
SCENE = {
    "data": "the data set: its short name, such as 'twin:heloc' or 'heloc'",
    "reference": "the reference: linear or forest, or the file of a model of one's own",
}
_TABLES = tomllib.loads(
    files("standfast.studies").joinpath("tables.toml").read_text(encoding="utf-8")
)
TIDY: Mapping[str, Tidy] = {
    name: Tidy(table["about"], own if "data" in own else SCENE | own)
    for name, table in _TABLES.items()
    for own in [table["columns"]]
}


def of_scene(table: pd.DataFrame, data: str, reference: str) -> pd.DataFrame:
    """A scene's rows of a table."""
    return table[(table["data"] == data) & (table["reference"] == reference)]


def tidy(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with exactly its columns, in their order."""
    columns = list(TIDY[name].columns)
    if sorted(map(str, table.columns)) != sorted(columns):
        raise ValueError(f"table '{name}' has the columns {list(table.columns)}, not {columns}")
    return table[columns].reset_index(drop=True)


def write(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Every table as Parquet and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        for ending in ENDINGS:
            write_table(tidy(name, table), folder / f"{name}{ending}")


def read(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a study's folder; all must be there."""
    absent = [name for name in TIDY if not (folder / f"{name}.parquet").is_file()]
    if absent:
        raise InputError(f"'{folder}' holds no {listing(absent)}; run the study again")
    return {name: _read(folder / f"{name}.parquet", TIDY[name]) for name in TIDY}


def _read(file: Path, tidy: Tidy) -> pd.DataFrame:
    table = read_parquet(file, MOST, "a table of a study")
    lacking = [column for column in tidy.columns if column not in table.columns]
    if lacking:
        raise InputError(f"'{file}' lacks the columns {listing(lacking)}; run the study again")
    return table
