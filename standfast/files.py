"""Files in and out: read with a clear sentence when they cannot be, written whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from standfast.errors import InputError


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
    finally:
        part.unlink(missing_ok=True)


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


def read_table(path: Path | str) -> pd.DataFrame:
    """A table from a CSV (also gzipped) or Parquet file, every column under its own name."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file '{path}'; check the path")
    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            # the header is read by itself: pandas would rename a repeated column to 'age.1'
            names = pd.read_csv(path, header=None, nrows=1, dtype=str).iloc[0].astype(str)
            if not names.is_unique:
                twice = names[names.duplicated()].iloc[0]
                raise InputError(f"'{path}' holds the column '{twice}' twice; rename or drop one")
            table = pd.read_csv(path, float_precision="round_trip")
    except InputError:
        raise
    except Exception as error:  # pandas and pyarrow raise a dozen kinds for a broken file
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"cannot read '{path}' as a table ({reason}); expected CSV, gzipped CSV or Parquet"
        ) from error
    if table.empty:
        raise InputError(f"'{path}' holds no rows; a table needs at least one")
    return table
