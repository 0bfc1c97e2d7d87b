"""Where a real data set is found (a path, STANDFAST_DATA, OpenML), and how its raw file is read."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from standfast.errors import InputError, first_line, listing
from standfast.files import read_table

VARIABLE = "STANDFAST_DATA"


@dataclass(frozen=True)
class Source:
    """A published raw file: its usual names, its size and checksum, and its number at OpenML.

    A set without a number at OpenML has no twin either: its file must be given.
    """

    name: str
    files: tuple[str, ...]
    sha256: tuple[str, ...]
    openml: int | None
    raw_rows: int
    rows: int
    labels: Mapping[str, int]
    label_columns: tuple[str, ...]

    def locate(self, path: str | Path | None = None) -> Path | None:
        """The file to read: in `path`, else in STANDFAST_DATA's folder; None: ask OpenML."""
        asked_by = "the path"
        if path is None:
            folder = os.environ.get(VARIABLE, "")
            if not folder:
                if self.openml is None:
                    raise InputError(
                        f"{self.name} cannot be downloaded and has no twin; set {VARIABLE} to the "
                        f"folder that holds '{self.files[0]}', or pass its path"
                    )
                return None
            path, asked_by = folder, VARIABLE
        place = Path(path)
        if place.is_file():
            return place
        for file in self.files:
            if (place / file).is_file():
                return place / file
        if place.is_dir():
            raise InputError(
                f"the folder '{place}' ({asked_by}) holds no '{self.files[0]}'; put the file "
                f"there{self._instead}"
            )
        raise InputError(
            f"{asked_by} '{place}' does not exist; it must be '{self.files[0]}' or its folder"
            f"{self._instead}"
        )

    @property
    def _instead(self) -> str:
        return "" if self.openml is None else f", or use the embedded twin: twin({self.name!r})"

    def read(self, path: str | Path | None = None) -> tuple[pd.DataFrame, str]:
        """The raw table, and the words that name its place in error messages."""
        file = self.locate(path)
        if file is None:
            return self.download(), f"OpenML data set {self.openml}"
        raw = read_table(file)
        if len(raw) != self.raw_rows and _ends_inside_a_line(file):
            raise InputError(
                f"'{file}' ends in the middle of a line after {len(raw):,} rows (the published "
                f"file has {self.raw_rows:,}); it was cut off: fetch it again"
            )
        return raw, f"'{file}'"

    def download(self) -> pd.DataFrame:
        """The raw table from OpenML, by number because names are reused there."""
        from sklearn.datasets import fetch_openml

        try:
            with warnings.catch_warnings():
                # a retry warns first; what counts is how it ends
                warnings.simplefilter("ignore")
                bunch = fetch_openml(
                    data_id=self.openml, as_frame=True, parser="pandas", n_retries=1
                )
        except Exception as error:  # a dozen kinds: no network, refused, cut off, bad checksum
            raise InputError(
                f"cannot download {self.name} from OpenML (data set {self.openml}: "
                f"{first_line(error)}); set {VARIABLE} to the folder "
                f"that holds '{self.files[0]}', pass its path, or use the embedded twin: "
                f"twin({self.name!r})"
            ) from error
        frame: pd.DataFrame = bunch.frame
        return frame

    def inputs(
        self, raw: pd.DataFrame, whole: Sequence[str], real: Sequence[str], where: str
    ) -> pd.DataFrame:
        """The named columns as numbers, whole ones checked to be whole; gaps stay gaps."""
        self._check_columns(raw, [*whole, *real], where)
        table = pd.DataFrame(index=raw.index)
        for name in raw.columns:
            if name in whole or name in real:
                table[name] = _numbers(raw[name], where)
        for name in whole:
            broken = table[name][table[name] % 1 != 0].dropna()
            if len(broken):
                raise InputError(
                    f"column '{name}' of {where} holds {broken.iloc[0]:g}; expected whole numbers "
                    f"as in the published {self.name}"
                )
        return table

    def whole_numbers(
        self, raw: pd.DataFrame, names: Sequence[str], where: str
    ) -> tuple[pd.DataFrame, pd.Series]:
        """The named columns in this order, whole numbers without gaps, and the labels."""
        raw = raw.reset_index(drop=True)
        labels = self.label(raw, where)
        table = self.inputs(raw, names, (), where)
        self.check_gaps(table, where)
        return table[list(names)].astype("int64"), labels

    def words(self, raw: pd.DataFrame, names: Sequence[str], where: str) -> pd.DataFrame:
        """The named columns as text, as they are spelled; a gap is an empty text."""
        self._check_columns(raw, names, where)
        return raw[list(names)].astype(object).map(_spelled)

    def label(self, raw: pd.DataFrame, where: str) -> pd.Series:
        """The label column as +1 (favourable) and −1, whichever way the source spells it."""
        name = next((name for name in self.label_columns if name in raw.columns), None)
        if name is None:
            raise InputError(
                f"{where} lacks the label column {listing([self.label_columns[0]])}; expected the "
                f"published {self.name}"
            )
        # OpenML gives categories, a file gives numbers or text; each value is spelled once
        places, values = pd.factorize(raw[name], use_na_sentinel=False)
        words = [_spelled(value) for value in values.astype(object)]
        unknown = sorted(set(words) - set(self.labels))
        if unknown:
            raise InputError(
                f"the label column '{name}' of {where} holds {listing(unknown)}; expected "
                f"{listing(self.labels)}"
            )
        numbers = np.array([self.labels[word] for word in words], dtype=np.int64)
        return pd.Series(numbers[places], raw.index, name=name)

    def check_gaps(self, table: pd.DataFrame, where: str) -> None:
        """Refuse gaps where the published file has none."""
        for name in table.columns:
            if table[name].isna().any():
                row = table.index[table[name].isna()][0]
                raise InputError(
                    f"column '{name}' of {where} has a gap in row {row}, which the published "
                    f"{self.name} never has; the file was cut off or altered: fetch it again"
                )

    def origin(self, rows: int) -> str:
        """ "real", or how much of the published set this is."""
        return "real" if rows == self.rows else f"real, {rows:,} of {self.rows:,} rows"

    def _check_columns(self, raw: pd.DataFrame, names: Sequence[str], where: str) -> None:
        missing = [name for name in names if name not in raw.columns]
        if missing:
            raise InputError(
                f"{where} lacks the column{'s' * (len(missing) > 1)} {listing(missing)}; expected "
                f"the {len(names)} inputs of the published {self.name}, found "
                f"{listing(raw.columns)}"
            )


def _numbers(column: pd.Series, where: str) -> pd.Series:
    try:
        return pd.to_numeric(column.astype(object)).astype(np.float64)
    except (TypeError, ValueError) as error:
        example = next(value for value in column if not _is_number(value))
        raise InputError(
            f"column '{column.name}' of {where} holds {example!r}; expected numbers"
        ) from error


def _spelled(value: object) -> str:
    return "" if pd.isna(value) else str(value).strip()  # type: ignore[call-overload]


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _ends_inside_a_line(file: Path) -> bool:
    # a cut gzip file already fails to unpack, and Parquet has no lines
    if file.suffix in (".gz", ".parquet"):
        return False
    with file.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) not in (b"\n", b"\r")
