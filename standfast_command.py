"""The command standfast, from its first moment: Ctrl-C while something loads is one sentence.

It stands beside the package so that nothing of the package is loaded before it.
"""

import gc
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

STOPPED = 130  # what shells give for Ctrl-C: 128 + SIGINT


def main() -> None:
    """Load the command line and run it."""
    with loading():
        from standfast.cli import app
    app()


@contextmanager
def loading() -> Iterator[None]:
    """While libraries are imported: Ctrl-C ends the process at once, and no garbage is looked for.

    What is loaded stays, and looking through it all along takes a tenth of a start.
    """
    usual = signal.getsignal(signal.SIGINT)
    # otherwise who started us wants it otherwise; and only the main thread may say what signals do
    ours = usual is signal.default_int_handler
    ours = ours and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, _stop)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.enable()
        if ours:
            signal.signal(signal.SIGINT, usual)


def _stop(number: int, frame: object) -> NoReturn:
    # no exception: half-loaded libraries catch some, or turn them into errors of their own
    os.write(2, b"stopped; nothing was written\n")
    os._exit(STOPPED)
