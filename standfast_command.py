"""The command standfast, from its first moment: Ctrl-C while the package loads is one sentence.

It stands beside the package because importing anything of the package loads all of it, which takes
a second.
"""

import gc
import os
import signal
from typing import NoReturn

STOPPED = 130  # what shells give for Ctrl-C: 128 + SIGINT


def main() -> None:
    """Load the command line and run it."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # otherwise who started us wants it otherwise
        signal.signal(signal.SIGINT, _stop)
    gc.disable()  # what is loaded stays: looking through it all along takes a tenth of a start
    from standfast.cli import app

    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, usual)
    app()


def _stop(number: int, frame: object) -> NoReturn:
    # no exception: half-loaded libraries catch some, or turn them into errors of their own
    os.write(2, b"stopped; nothing was written\n")
    os._exit(STOPPED)
