"""Ctrl-C while advice is searched: what is found is kept."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def stopped_by_ctrl_c(stop: threading.Event) -> Iterator[None]:
    """Within, Ctrl-C sets `stop` and interrupts nothing; a second one interrupts as usual.

    So the searches can run in the thread that asked for them. Whoever handles Ctrl-C otherwise is
    asked first: only what would raise KeyboardInterrupt counts.
    """
    usual: Any = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: object) -> None:
        signal.signal(number, usual)
        try:
            usual(number, frame)
        except KeyboardInterrupt:
            stop.set()

    try:
        if callable(usual):
            signal.signal(signal.SIGINT, note)
    except ValueError:  # Ctrl-C is for the main thread, and this is another
        pass
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, usual)
