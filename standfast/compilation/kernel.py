"""Compiled kernels: cached on disk, free of the interpreter's lock, announced when built."""

import gc
import hashlib
import logging
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from standfast.compilation.compiler import KernelCompiler, PartCompiler

F = TypeVar("F", bound=Callable[..., Any])

logger = logging.getLogger("standfast")

HOLDS_KERNELS = (b"\n@kernel\n", b"\n@inner\n", b"= kernel(", b"= inner(")
IMPORTED = re.compile(rb"^from (standfast[\w.]*) import", re.MULTILINE)

KEPT = (
    "standfast compiles its kernels: this takes about 15 seconds, on a busy machine several "
    "times as long, once per installation; later runs use what is compiled now"
)
NOT_KEPT = (
    "standfast compiles its kernels: this takes about 15 seconds, on a busy machine several "
    "times as long, and every run will take them again, because neither the folder of the "
    "installation nor a cache folder of the user can be written to; set the environment variable "
    "NUMBA_CACHE_DIR to a folder that can"
)


class _Announcement(event.Listener):
    """Says once per process that a standfast kernel is being compiled: no silent pause."""

    made = False
    kept = True  # whether what is compiled stays for later runs

    def on_start(self, event: Any) -> None:
        dispatcher = event.data.get("dispatcher")
        module = getattr(getattr(dispatcher, "py_func", None), "__module__", "") or ""
        if module.startswith("standfast") and not self.made:
            self.made = True
            # a warning is shown without any logging set-up; loading from the cache says nothing
            logger.warning(KEPT if self.kept else NOT_KEPT)

    def on_end(self, event: Any) -> None: ...


class _Rest(event.Listener):
    """Garbage is collected after compiling, not meanwhile: it would take a tenth of the time."""

    depth = 0
    collects = True  # whether garbage was collected before

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


_announcement = _Announcement()
event.register("numba:compile", _announcement)  # type: ignore[no-untyped-call]
event.register("numba:compile", _Rest())  # type: ignore[no-untyped-call]


def kernel(function: F) -> F:
    """A function compiled on first use, kept on disk for later runs, running without the GIL.

    Kept in NUMBA_CACHE_DIR if that is set, else beside the code, else in the user's cache folder;
    where none of them can be written to, it is compiled anew in every run, and the announcement
    says what to do about it.
    """
    try:
        compiled = numba.njit(
            cache=True, nogil=True, no_cfunc_wrapper=True, pipeline_class=KernelCompiler
        )(function)
        # by itself numba would keep a kernel although another one that it calls has changed
        compiled._cache._cache_file._source_stamp = _stamp()
    except RuntimeError:  # numba found no folder for its cache
        _announcement.kept = False
        compiled = numba.njit(nogil=True, pipeline_class=KernelCompiler)(function)
    return cast(F, compiled)


def inner(function: F) -> F:
    """A function that only kernels call: compiled into them, without a way in from Python.

    Compiling the ways in takes longer than many such a function; who calls it from Python all the
    same brings the interpreter down. It counts no references, so it can neither ask for memory nor
    return an array.
    """
    compiled = numba.njit(
        nogil=True,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=False,
        pipeline_class=PartCompiler,
    )(function)
    return cast(F, compiled)


@cache
def _stamp() -> str:
    """What all kernels of the package look like: the digest of their sources.

    The files that hold kernels, those from which these take their constants, and our compiler.
    """
    package = Path(__file__).parents[1]
    sources = {path: path.read_bytes() for path in package.rglob("*.py")}
    kernels = {
        path for path, text in sources.items() if any(sign in text for sign in HOLDS_KERNELS)
    }
    taken = {name.decode() for path in kernels for name in IMPORTED.findall(sources[path])}
    files = {package.parent / f"{name.replace('.', '/')}.py" for name in taken} & sources.keys()
    found = hashlib.sha256(numba.__version__.encode())
    compilers = {path for path in sources if path.parent == Path(__file__).parent}
    for path in sorted(kernels | files | compilers):
        found.update(sources[path])
    return found.hexdigest()
