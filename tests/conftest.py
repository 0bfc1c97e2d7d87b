"""Settings that all tests share."""

import gc
import os
import signal
from collections.abc import Generator
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# The workers of pytest-xdist share the cores already. Threads of OpenMP and of the linear algebra
# on top of them wait for each other in busy loops: a boosting that takes 0.1 s alone takes 4 s.
# Read when the libraries are loaded, so it is said here, before any test imports them.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# What JAX has compiled for one worker, or for a process that a test starts, serves the others.
os.environ.setdefault(
    "JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / ".pytest_cache/jax")
)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")

# The first example may wait for a kernel to compile; CI sees the same examples every time.
settings.register_profile("standfast", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("standfast")

# a shell that starts us in the background lets us inherit "ignore Ctrl-C", which some tests press
signal.signal(signal.SIGINT, signal.default_int_handler)


# The tests of a file go to one worker, so that they share what is expensive. These rooms share it
# between files: all of a room goes to one worker. What the contract shares are kernels: two workers
# that begin with it compile the same ones side by side.
ROOMS = {
    "tests/contract/": "contract",
    "tests/browser/": "drawings",
    "tests/unit/figures/": "drawings",
    "tests/unit/report/": "drawings",
    "tests/unit/studies/": "studies",
    "tests/unit/autoencoder/": "autoencoder",
}

# The order in which files are handed out to workers. The contract goes first and compiles almost
# all kernels, meanwhile others get the rooms that hardly need them (the browser's last, for its
# workbench searches); what takes long must not be left to the end, where one worker would run it
# while the others have nothing to do.
FIRST = (
    "contract",
    "unit/figures",
    "unit/report",
    "browser",
    "unit/readers",
    "unit/autoencoder",
    "cli",
    "examples",
    "unit/test_documentation.py",
    "reproduction",
    "unit/studies",
    "unit/rivals",
    "unit/methods",
    "properties",
)
HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    @cache
    def turn(path: Path) -> int:
        own = PurePath(os.path.relpath(path, HERE))
        found = {str(own), *map(str, own.parents)}
        return next((k for k, first in enumerate(FIRST) if first in found), len(FIRST))

    items.sort(key=lambda item: turn(item.path))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Tests hold no examples to run as tests: looking for some takes seconds in every worker."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_collection_finish() -> None:
    """What is loaded by now stays until the end: no collection of garbage looks at it again.

    Compiling and drawing make millions of objects that live long: looking through them after every
    700 takes a twentieth of the whole time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling

    class ByRoom(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            rooms = (room for folder, room in ROOMS.items() if nodeid.startswith(folder))
            return next(rooms, super()._split_scope(nodeid))

    return ByRoom(config, log) if config.getvalue("dist") == "loadfile" else None
