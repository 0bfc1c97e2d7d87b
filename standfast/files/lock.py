"""A lock on a folder: a second run that would write there is refused."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from standfast.errors import InputError


@contextmanager
def locked(file: Path, busy: str, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock that a file stands for; if another process holds it, the sentence `busy`.

    Those who share it hold it together. The system gives it back when the process ends, however it
    ends: the file that a killed run leaves behind locks nobody out.
    """
    if sys.platform == "win32":  # which has no such locks
        yield
        return
    import fcntl

    with file.open("ab") as opened:
        try:
            fcntl.flock(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(busy) from error
        except OSError:  # some network drives have no locks, and a run there is still of use
            pass
        yield
