"""What a run is about, and what of it is finished: two files that only grow by whole lines."""

import json
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from standfast.digests import digest_of_values
from standfast.errors import InputError, listing
from standfast.files import lock, read_text
from standfast.portfolio.block import Block
from standfast.portfolio.source import Source
from standfast.structure import (
    FINGERPRINT,
    TEXT,
    Record,
    Row,
    Several,
    check,
    check_format,
    number,
    parse,
    reading,
    whole,
)

MANIFEST = "_manifest.json"  # engines leave out what begins with an underscore
FINISHED = "_finished"
LOCK = "_lock"
LEFT = ".tmp"  # of files that are not finished
FORMAT = 1
MOST = 2**32  # bytes
NEW = "name a new folder"

HELD = Record(
    {
        "standfast": TEXT,
        "advisor": FINGERPRINT,
        "request": Record({}),
        "rows": whole(1),
        "columns": Several("column", Row({"name": TEXT, "type": TEXT})),
        "files": Several(
            "file", Record({"name": TEXT, "sha256": TEXT, "rows": whole(0), "why": TEXT}), least=1
        ),
        "digest": FINGERPRINT,
    }
)
LINE = Record(
    {
        "part": TEXT,
        "file": TEXT,
        "block": whole(0),
        "rows": whole(1),
        "bytes": whole(1),
        "sha256": FINGERPRINT,
        "source": FINGERPRINT,
        "outcomes": Record({}),
        "cost": number(0),
        "seconds": number(0),
    }
)
FAILED = Record({"failed": TEXT, "source": TEXT, "why": TEXT})


class Shard(NamedTuple):
    """The i-th of n shares of the work, counted from 1."""

    number: int = 1
    of: int = 1

    @property
    def mark(self) -> str:
        """What files of a share are called by; nothing for the whole."""
        return f"-{self.number}-of-{self.of}" if self.of > 1 else ""


@dataclass(frozen=True)
class Manifest:
    """What a run is about: the advisor, what is asked, the columns of the advice, the files."""

    held: Mapping[str, Any]

    @classmethod
    def of(cls, source: Source, block: Block, rows: int) -> "Manifest":
        """The manifest of a run that begins now."""
        columns = [[one.name, str(one.type)] for one in block.schema(source.label)]
        held = {
            "format": FORMAT,
            "standfast": version("standfast"),
            "advisor": block.travelled.identity,
            "request": json.loads(json.dumps(asdict(block.request))),
            "rows": rows,
            "columns": columns,
            "files": [
                {"name": one.name, "sha256": one.sha256, "rows": one.rows, "why": one.why}
                for one in source.files
            ],
        }
        return cls({**held, "digest": digest_of_values(held)})

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of a folder of advice, if nobody changed it."""
        file = folder / MANIFEST
        if not file.is_file():
            raise InputError(
                f"'{folder}' holds no advice of a portfolio: it has no {MANIFEST}; name a folder "
                "that 'standfast recommend --people FOLDER --out FOLDER' wrote"
            )
        text = read_text(file, MOST, "the manifest")
        with reading(file, NEW):
            held = parse(text)
        check_format(held, FORMAT, file)
        with reading(file, NEW):
            check(held, HELD)
        if held["digest"] != digest_of_values(held):
            raise InputError(f"'{file}' was changed after it was written; {NEW}")
        return cls(held)

    def write(self, folder: Path) -> None:
        """Write the manifest whole, and make sure that it is on the disk."""
        text = json.dumps(self.held, indent=1) + "\n"
        write_durably(folder / MANIFEST, text.encode())

    @property
    def files(self) -> list[dict[str, Any]]:
        """The files of people, as the run found them."""
        return list(self.held["files"])

    def check_continues(self, other: "Manifest", folder: Path, failed: set[str]) -> bool:
        """Refuse to go on with another run's folder; whether files that had failed changed."""
        for name, what in (
            ("advisor", "another advisor: another model, method, setting or version of standfast"),
            ("request", "other questions: another seed, index, or other inputs to keep or drop"),
            ("rows", "parts of another size"),
            ("columns", "people whose labels have another type"),
        ):
            if self.held[name] != other.held[name]:
                raise InputError(f"'{folder}' holds advice by {what}; {NEW}, or ask as before")
        before = {one["name"]: one for one in self.files}
        now = {one["name"]: one for one in other.files}
        new, gone = ([n for n in a if n not in b] for a, b in ((now, before), (before, now)))
        for names, verb in ((new, "has come"), (gone, "is gone")):
            if names:
                raise InputError(
                    f"the people changed since '{folder}' was begun: {listing(names)} {verb}; "
                    f"{NEW} for them"
                )
        changed = [n for n in now if now[n]["sha256"] != before[n]["sha256"]]
        fixed = [n for n in changed if before[n]["why"] or before[n]["sha256"] in failed]
        if changed != fixed:
            odd = [name for name in changed if name not in fixed]
            raise InputError(
                f"the people changed since '{folder}' was begun: {listing(odd)} held something "
                f"else then; {NEW} for them"
            )
        return bool(fixed)


class Log:
    """The parts that are finished and the files that failed: a line each, sealed."""

    def __init__(self, folder: Path, shard: Shard) -> None:
        self.path = folder / f"{FINISHED}{shard.mark}.jsonl"
        self.one_at_a_time = threading.Lock()

    def append(self, line: Mapping[str, Any]) -> None:
        """Add a line, and make sure that it is on the disk."""
        text = json.dumps({**line, "seal": digest_of_values(line)[:16]}, sort_keys=True) + "\n"
        try:
            with self.one_at_a_time, self.path.open("ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"cannot write '{self.path}': {error.strerror}") from error

    def mend(self) -> None:
        """Cut off a last line that was not written to its end."""
        if not self.path.is_file():
            return
        content = self.path.read_bytes()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            with self.path.open("r+b") as file:
                file.truncate(end)
                os.fsync(file.fileno())


def lines_of(folder: Path) -> Iterator[dict[str, Any]]:
    """All finished parts and failed files that a folder knows of, whichever shard wrote them."""
    for path in sorted(folder.glob(f"{FINISHED}*.jsonl")):
        text = read_text(path, MOST, "the list of finished parts")
        complete = text[: text.rfind("\n") + 1]  # the last line may be being written
        for k, line in enumerate(complete.splitlines()):
            with reading(path, NEW):
                found = parse(line)
                named = isinstance(found, dict)
                seal = found.pop("seal", "") if named else ""
                check(found, FAILED if named and "failed" in found else LINE, f"line {k + 1}")
            if seal != digest_of_values(found)[:16]:
                raise InputError(
                    f"line {k + 1} of '{path}' was changed after it was written; {NEW}"
                )
            yield found


def write_durably(path: Path, content: bytes) -> None:
    """Write a file beside its place, make sure that it is on the disk, and move it there.

    The name beside it is this process's own: a worker of a run that was killed may still write.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}{LEFT}")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error


def clear_leftovers(folder: Path, parts: Collection[str]) -> None:
    """Remove what a run that was killed has left of these parts."""
    for leftover in folder.rglob(f".*{LEFT}"):
        name = leftover.with_name(leftover.name[1:].removesuffix(LEFT).rpartition(".")[0])
        if name.relative_to(folder).as_posix() in parts:
            leftover.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path, shard: Shard) -> Iterator[None]:
    """Nobody else writes here meanwhile: a whole run alone, shards beside each other."""
    with ExitStack() as stack:
        busy = f"another run is writing into '{folder}'; wait until it ends, or {NEW}"
        stack.enter_context(lock.locked(folder / LOCK, busy, shared=shard.of > 1))
        if shard.of > 1:
            stack.enter_context(lock.locked(folder / f"{LOCK}{shard.mark}", busy))
        yield
