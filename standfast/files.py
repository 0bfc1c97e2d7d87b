"""Files in and out: read with a clear sentence when they cannot be, written whole or not at all."""

import csv
import gzip
import io
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError, listing

# every digit of a number must survive a CSV file: pandas 3.1 reads so by default and says so
_FIRST_EXACT = (3, 1)
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= _FIRST_EXACT else {"float_precision": "round_trip"}

SEPARATORS = {",": "','", ";": "';'", "\t": "tabs", "|": "'|'"}
SAMPLE = 1 << 16  # characters of a CSV file that show how its values are separated
_COMMA = r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?"  # a number with a decimal comma, if it has one
_POINT = _COMMA.replace(",", r"\.")
_GROUPED = r"[+-]?[1-9]\d{0,2},\d{3}"  # 1,234 may be a thousand and more, or one and a bit
# controls, halves of characters, embeddings and overrides of direction, and what XML cannot hold
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)


def write_whole(path: Path | str, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then move it into place: never half a file.

    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(target, lambda file: file.write_text("kept"))
    >>> target.read_text()
    'kept'
    """
    path = check_writable(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())  # mkstemp made it private; a result is an ordinary file
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise _unwritable(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def _unwritable(path: Path | str, error: UnicodeEncodeError) -> InputError:
    """A sentence about half a character, as a broken conversion leaves behind."""
    near = error.object[max(0, error.start - 20) : error.end + 20]
    return InputError(
        f"cannot write '{path}': the text {near!a} holds a character that no file can hold; "
        "rename the column or label it belongs to"
    )


def check_text(path: Path | str, *texts: object) -> None:
    """Refuse names and labels that no file can hold, before the first of several is written."""
    try:
        for text in texts:
            str(text).encode()
    except UnicodeEncodeError as error:
        raise _unwritable(path, error) from error


def visible(text: str) -> str:
    """The text with a sign for each character that no page can hold or that would turn it around.

    These are control characters, halves of characters, and marks that reverse the direction of
    reading for all that follows; new lines and tabs stay.

    >>> visible("income\\x00 \\u202ein EUR")
    'income� �in EUR'
    """
    return _UNSEEN.sub("\ufffd", text)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_writable(path: Path | str) -> Path:
    """The path, if a file can be written there; asked before any long work starts."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"cannot write '{path}': it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise InputError(f"cannot write '{path}': the folder '{path.parent}' does not exist")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"cannot write '{path}': no permission; choose another path")
    return path


def check_new_folder(path: Path | str) -> Path:
    """The path, if a new folder can be made there; asked before any long work starts."""
    path = Path(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"cannot write '{path}': there is something already; name a new folder")
    if not path.parent.is_dir():
        raise InputError(f"cannot write '{path}': the folder '{path.parent}' does not exist")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write '{path}': no permission; choose another path")
    return path


def write_folder(path: Path | str, write: Callable[[Path], object]) -> None:
    """Let `write` fill a folder beside `path`, then move it into place: never half a folder."""
    path = check_new_folder(path)
    part = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    try:
        write(part)
        part.chmod(0o777 & ~_umask())  # mkdtemp made it private; a result is an ordinary folder
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def read_bytes(path: Path | str, most: int, what: str) -> bytes:
    """The bytes of a regular file of at most `most` bytes; `what` names its kind in sentences.

    A pipe or a device might never end, so only regular files are opened.

    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> _ = target.write_text("kept")
    >>> read_bytes(target, 100, "a note")
    b'kept'
    """
    path = check_regular(path, what)
    parts, left = [], most + 1
    try:
        with path.open("rb") as file:
            # in pieces: asked for `most` bytes at once, Python would make room for all of them
            while left > 0 and (part := file.read(min(left, 2**24))):
                parts.append(part)
                left -= len(part)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {what} from '{path}': {error}") from error
    if left == 0:
        raise InputError(
            f"cannot read {what} from '{path}': it holds more than {most:,} bytes, which no such "
            "file needs; check the path"
        )
    return b"".join(parts)


def check_regular(path: Path | str, what: str) -> Path:
    """The path, if a regular file is there; a pipe or a device might never end."""
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"cannot read {what} from '{path}': it is a folder; name a file")
        if not path.exists():
            raise InputError(f"cannot read {what} from '{path}': there is no such file")
        if not path.is_file():
            raise InputError(
                f"cannot read {what} from '{path}': it is a pipe or a device; name a regular file"
            )
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {what} from '{path}': {error}") from error
    return path


def read_text(path: Path | str, most: int, what: str) -> str:
    """The UTF-8 text of a regular file of at most `most` bytes."""
    try:
        return read_bytes(path, most, what).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read {what} from '{path}': byte {error.start} is not UTF-8 text"
        ) from error


def read_table(path: Path | str, *, index: str | None = None) -> pd.DataFrame:
    """A table from a CSV (also gzipped) or Parquet file, every column under its own name.

    `index` names the column that labels the rows. Labels keep their spelling: 007 stays 007. Values
    may be separated by commas, semicolons, tabs or '|'; a warning says so if not by commas.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"'{path}' is a folder, not a file; name a table in it")
    if not path.exists():
        raise InputError(f"there is no file '{path}'; check the path")
    check_regular(path, "a table")
    try:
        said = ""
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table, said = _read_csv(path, index)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read '{path}' as a table: it is not UTF-8 text; save it as CSV in UTF-8, or "
            "as Parquet"
        ) from error
    except Exception as error:  # pandas and pyarrow raise a dozen kinds for a broken file
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"cannot read '{path}' as a table ({reason}); expected CSV, gzipped CSV or Parquet"
        ) from error
    if said:
        warnings.warn(said, stacklevel=2)
    if table.empty:
        raise InputError(f"'{path}' holds no rows; a table needs at least one")
    return table if index is None else _labelled(table, index, path)


def _read_csv(path: Path, index: str | None) -> tuple[pd.DataFrame, str]:
    """The table, and what to say of how it was read, if it is not as usual."""
    separator = _separator(path)
    # the header is read by itself: pandas would rename a repeated column to 'age.1'
    names = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str).iloc[0].astype(str)
    if not names.is_unique:
        twice = names[names.duplicated()].iloc[0]
        raise InputError(f"'{path}' holds the column '{twice}' twice; rename or drop one")
    how: dict[str, Any] = {"sep": separator}
    said = ""
    if separator != ",":
        how["decimal"] = _decimal(path, separator, index)
        mark = " and a comma as the decimal mark" if how["decimal"] == "," else ""
        said = f"'{path}' was read with {SEPARATORS[separator]} between its values{mark}"
    as_spelt = {index: str} if index is not None else None
    # when rows are longer than the header, pandas takes the first column for labels and every value
    # stands under its neighbour's name; with index_col=False it drops the last column and warns
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            table: pd.DataFrame = pd.read_csv(
                path, index_col=False, converters=as_spelt, **how, **EXACT
            )
        except pd.errors.ParserWarning as warning:
            raise InputError(
                f"'{path}' has rows with more values than its header has names; name every column"
            ) from warning
    return table, said


def _separator(path: Path) -> str:
    """What separates the values: a comma, unless the header and the rows clearly have another."""
    how: dict[str, Any] = {"mode": "rt", "encoding": "utf-8-sig", "newline": ""}
    with gzip.open(path, **how) if path.suffix == ".gz" else path.open(**how) as file:
        text = file.read(SAMPLE)
    lines = list(io.StringIO(text, newline=""))
    if len(text) == SAMPLE and len(lines) > 1:
        lines.pop()  # cut off
    fitting, uneven = {}, []
    for separator in SEPARATORS:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
        width = len(rows[0]) if rows else 0
        if width < 2:
            continue
        # a short row lacks values, and a separator may also end a row
        fine = [1 < len(r) <= width or (len(r) == width + 1 and not r[-1]) for r in rows]
        if all(fine):
            fitting[separator] = width
        elif any(fine[1:]):
            uneven.append(separator)
    most = max(fitting.values(), default=0)
    if len(fitting) > 1 and (list(fitting.values()).count(most) > 1 or fitting.get(",", 0) < most):
        ways = " or by ".join(f"{SEPARATORS[one]} ({n} columns)" for one, n in fitting.items())
        raise InputError(
            f"the values of '{path}' may be separated by {ways}; save it with commas between the "
            "values, and put names and values that hold a comma in double quotes"
        )
    if not fitting and uneven and "," not in uneven:
        raise InputError(
            f"the header of '{path}' is separated by {SEPARATORS[uneven[0]]}, but not all its rows "
            "have as many values; correct these rows, or save the table with commas"
        )
    return max(fitting, key=lambda one: fitting[one], default=",")


def _decimal(path: Path, separator: str, index: str | None) -> str:
    """How decimals are written where commas do not separate values: 1.5 or 1,5."""
    texts = pd.read_csv(path, sep=separator, index_col=False, dtype=str).drop(
        columns=[index], errors="ignore"
    )
    commas, points, clear = [], [], False
    for name in texts.columns:
        values = texts[name].dropna().str.strip()
        split = values[values.str.contains(",", regex=False)]
        if len(split) and values.str.fullmatch(_COMMA).all():
            commas.append(name)
            clear = clear or not split.str.fullmatch(_GROUPED).all()
        elif values.str.contains(".", regex=False).any() and values.str.fullmatch(_POINT).all():
            points.append(name)
    if commas and points:
        raise InputError(
            f"'{path}' writes decimals with a comma in {listing(commas)} and with a point in "
            f"{listing(points)}; write all numbers one way, without separators of thousands"
        )
    if commas and not clear:
        held = texts[commas[0]].dropna().str.strip()
        example = held[held.str.contains(",", regex=False)].iloc[0]
        raise InputError(
            f"column '{commas[0]}' of '{path}' holds '{example}', which may mean "
            f"{example.replace(',', '')} or {example.replace(',', '.')}; write it that way"
        )
    return "," if commas else "."


def _labelled(table: pd.DataFrame, index: str, path: Path) -> pd.DataFrame:
    if table.index.name == index:
        table = table.reset_index()
    if index not in table.columns:
        raise InputError(f"'{path}' has no column '{index}' to label its rows by")
    labels = table[index]
    empty = labels.isna() | (labels.astype(str) == "")
    if empty.any():
        raise InputError(
            f"column '{index}' of '{path}' labels the rows but is empty in {int(empty.sum())} of "
            "them; fill it"
        )
    if not labels.is_unique:
        twice = labels[labels.duplicated()].iloc[0]
        raise InputError(
            f"column '{index}' of '{path}' holds {twice!r} more than once; every person needs "
            "their own label"
        )
    if path.suffix != ".parquet" and labels.str.fullmatch(r"0|-?[1-9][0-9]{0,17}").all():
        table[index] = labels.astype("int64")
    return table.set_index(index)


def read_parquet(path: Path | str, most: int, what: str) -> pd.DataFrame:
    """A table that a run has left for later, also one without rows."""
    try:
        return pd.read_parquet(io.BytesIO(read_bytes(path, most, what)))
    except InputError:
        raise
    except Exception as error:  # pyarrow raises a dozen kinds for a broken file
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"cannot read {what} from '{path}': {reason}") from error


def check_table_path(path: Path | str) -> Path:
    """The path, if its ending names a format for tables and a file can be written there."""
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise InputError(f"'{path}' must end in .parquet or .csv; it says how to write the table")
    return check_writable(path)


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a table whole as CSV or Parquet; Parquet remembers where the table comes from."""
    path = check_table_path(path)
    if path.suffix == ".parquet":
        write_whole(path, lambda file: table.to_parquet(file))
    else:
        write_whole(path, lambda file: table.to_csv(file, index=False))
