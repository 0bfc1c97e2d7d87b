"""Whole files: written beside their place and moved there, read only if regular and small."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from standfast.errors import InputError

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
