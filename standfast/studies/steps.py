"""The steps of a study: each is done once and kept, and what fails is written down."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import pandas as pd

from standfast.digests import digest
from standfast.errors import InputError, typed_line
from standfast.files import read_parquet, write_table
from standfast.files.lock import locked
from standfast.studies.tables import MOST

Advance = Callable[[int, int], object]
Progress = Callable[[float, float, str], object]

# libraries whose other version may give another answer
LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "jax")
# rooms that only show results
SHOWING = ("cli", "figures", "report")
LOCK = ".lock"


@cache
def code_digest() -> str:
    """The fingerprint of what computes results: the package's own code, and its libraries.

    Read once: what a process has imported stays, whatever happens to its files.
    """
    package = Path(str(files("standfast")))
    sources = [p for p in sorted(package.rglob("*.py")) if p.parent.name not in SHOWING]
    sources += sorted(package.rglob("*.json"))
    parts: list[object] = [(str(p.relative_to(package)), p.read_bytes()) for p in sources]
    return digest([*parts, *versions().items()])


def versions() -> dict[str, str]:
    """The libraries' versions, those that are not installed left out."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@dataclass
class Steps:
    """Runs steps, keeps what they made, and reports how far the study is.

    A step fills a folder of its own, which is moved into place when it is whole: whatever kills the
    study, what is kept is whole, and the next run continues there.
    """

    folder: Path
    progress: Progress | None = None
    total: float = 0.0
    done: float = 0.0
    code: str = field(default_factory=code_digest)
    timings: list[dict[str, object]] = field(default_factory=list)
    _spent: float = 0.0

    def expect(self, weight: float) -> None:
        """There will be work of so many (rough) seconds."""
        self.total += weight

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other study does steps here meanwhile; what a killed one left half done is removed."""
        busy = (
            f"another study is running in '{self.folder.parent}'; wait until it ends, or choose "
            "another folder with --out"
        )
        with ExitStack() as stack:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.folder / LOCK, busy))
            except OSError as error:
                raise self._unwritable(error) from error
            sweep(self.folder)
            yield

    def folder_of(
        self,
        scene: tuple[str, str],
        step: str,
        inputs: Sequence[object],
        fill: Callable[[Path, Advance], object],
        weight: float = 1.0,
    ) -> Path:
        """The step's folder, filled now or on an earlier day."""
        stem = re.sub(r"[^\w-]+", "-", step)[:80]
        place = self.folder / f"{stem}-{digest([self.code, step, *inputs])[:20]}"
        note = ", ".join(part for part in (*scene, step) if part)
        began, kept, before = time.perf_counter(), place.is_dir(), self._spent
        if not kept:
            self._say(0.0, note)
            self._fill(place, lambda part: fill(part, self._advance(weight, note)))
        self.done += weight
        self._say(0.0, note)
        taken = time.perf_counter() - began - (self._spent - before)  # less the steps it asked for
        self._spent += taken
        about = {"data": scene[0], "reference": scene[1], "step": step}
        self.timings.append(about | {"seconds": round(taken, 2), "resumed": kept})
        return place

    def tables(
        self,
        scene: tuple[str, str],
        step: str,
        inputs: Sequence[object],
        make: Callable[[Advance], dict[str, pd.DataFrame]],
        weight: float = 1.0,
    ) -> dict[str, pd.DataFrame]:
        """The step's tables, made now or on an earlier day; always as read from the files."""

        def fill(part: Path, advance: Advance) -> None:
            for name, table in make(advance).items():
                write_table(table, part / f"{name}.parquet")

        place = self.folder_of(scene, step, inputs, fill, weight)
        try:
            files = sorted(place.glob("*.parquet"))
            return {file.stem: read_parquet(file, MOST, "a table of a study") for file in files}
        except InputError as error:
            raise InputError(
                f"{error}; remove the folder '{place}' and run the study again"
            ) from error

    def skip(self, weight: float) -> None:
        """Work that was expected and will not be done."""
        self.done += weight

    def _fill(self, place: Path, fill: Callable[[Path], object]) -> None:
        part: Path | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(dir=self.folder, prefix=".unfinished-"))
            fill(part)
            os.replace(part, place)
        except (OSError, InputError) as error:
            fault = error if isinstance(error, OSError) else error.__cause__
            if not isinstance(fault, OSError):
                raise
            raise self._unwritable(fault) from error
        finally:
            if part is not None:
                shutil.rmtree(part, ignore_errors=True)

    def _unwritable(self, fault: OSError) -> "UnwritableError":
        return UnwritableError(
            f"cannot write to '{self.folder}': {fault.strerror or fault}; what is finished is "
            "kept: make room, or choose another folder with --out, and run the study again"
        )

    def _advance(self, weight: float, note: str) -> Advance:
        return lambda done, total: self._say(weight * done / max(total, 1), note)

    def _say(self, part: float, note: str) -> None:
        if self.progress:
            self.progress(self.done + part, max(self.total, self.done + part), note)


class UnwritableError(InputError):
    """Results cannot be kept: the one fault a study cannot go on after."""


@dataclass
class Missing:
    """A list of what is missing, scene by scene, with the reason in a sentence."""

    rows: list[dict[str, str]] = field(default_factory=list)

    def add(self, scene: tuple[str, str], what: str, why: str) -> None:
        """One more thing that is missing."""
        data, reference = scene
        self.rows.append({"data": data, "reference": reference, "what": what, "why": why})

    @contextmanager
    def tolerated(self, scene: tuple[str, str], what: str) -> Iterator[None]:
        """What goes wrong inside costs this part of the study, not the whole."""
        try:
            yield
        except UnwritableError:
            raise
        except InputError as error:
            self.add(scene, what, str(error))
        except Exception as error:  # a slip of ours or of a library
            self.add(scene, what, typed_line(error))


def sweep(folder: Path) -> None:
    """Remove what a killed run left half done."""
    for part in folder.glob(".unfinished-*"):
        shutil.rmtree(part, ignore_errors=True)
