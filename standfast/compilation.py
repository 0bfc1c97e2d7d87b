"""Compiled kernels: cached on disk, free of the interpreter's lock, announced when built."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

logger = logging.getLogger("standfast")


class _Announcement(event.Listener):
    """Says once per process that a standfast kernel is being compiled: no silent pause."""

    made = False

    def on_start(self, event: Any) -> None:
        dispatcher = event.data.get("dispatcher")
        module = getattr(getattr(dispatcher, "py_func", None), "__module__", "") or ""
        if module.startswith("standfast") and not self.made:
            self.made = True
            # a warning is shown without any logging set-up; loading from the cache says nothing
            logger.warning("standfast compiles its kernels once (half a minute); later runs do not")

    def on_end(self, event: Any) -> None: ...


event.register("numba:compile", _Announcement())  # type: ignore[no-untyped-call]


def kernel(function: F) -> F:
    """A function compiled on first use, kept on disk for later runs, running without the GIL."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to write the cache (a read-only home): compile every run
        compiled = numba.njit(nogil=True)(function)
    return cast(F, compiled)
