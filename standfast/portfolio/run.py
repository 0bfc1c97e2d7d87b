"""run(): everybody of a data set, part by part, on one machine; what is finished stays finished."""

import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from standfast.digests import digest_of_file
from standfast.errors import InputError, check_whole, type_of
from standfast.methods import Advisor
from standfast.portfolio.block import Asked, Block, Request
from standfast.portfolio.labels import check_labels
from standfast.portfolio.manifest import (
    FINISHED,
    MANIFEST,
    Log,
    Manifest,
    Shard,
    clear_leftovers,
    lines_of,
    locked,
)
from standfast.portfolio.source import Source, SourceFile
from standfast.portfolio.summary import Summary
from standfast.portfolio.travelling.folder import save, travelled
from standfast.portfolio.workers import Done, Task, Workers, in_processes, in_this_process

ROWS = 4096
Progress = Callable[[int, int], object]


def run(
    advisor: Advisor | Path | str,
    source: Path | str,
    out: Path | str,
    *,
    jobs: int = 1,
    rows: int = ROWS,
    shard: tuple[int, int] = (1, 1),
    progress: Progress | None = None,
    trust: Sequence[str] = (),
    **asked: Unpack[Asked],
) -> Summary:
    """Advise everybody of a data set, part by part; the same call again goes on where it stopped.

    `source` is a Parquet file, a folder of them, also with hive partitions, or a pattern such as
    `people/*.parquet`; CSV files are read, too, each at once. `out` becomes a folder with a Parquet
    part for every `rows` people of a file, in the order of the people, and a manifest. A finished
    part is never half a file, and the parts are the same bytes however often the run was stopped,
    and with any number of `jobs`, which are processes. `shard=(2, 8)` does the second eighth of the
    parts, for schedulers. `advisor` may be a folder that `save` wrote; `trust` is as in `load`.
    The rest is what `Request` says: `index`, the column that labels people, `seed`, `keep`, `only`,
    `keep_column`, `drop`.

    Files that cannot be read, and parts whose people cannot be advised, are named in the summary;
    all others are done. `progress(done, total)` is called with people as parts are finished.

    >>> import tempfile
    >>> import pandas as pd
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, prepare
    >>> people, folder = pd.DataFrame({"late": [0, 0, 1, 2, 3]}), Path(tempfile.mkdtemp())
    >>> people.to_parquet(folder / "people.parquet")
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> run(prepare(method, Linear([-1.0], 1.5)), folder / "people.parquet", folder / "advice")
    <Portfolio: 5 people in 1 of 1 parts: 2 minimal, 3 already_favourable>
    """
    check_whole(jobs=jobs, rows=rows)
    share = _shard(shard)
    request, folder = Request.of(asked), Path(out)
    began = time.monotonic()
    with ExitStack() as stack:
        saved = stack.enter_context(at_hand(advisor))
        block = Block(travelled(saved, trust), request)
        processes = stack.enter_context(Workers(saved, request, trust, jobs if jobs > 1 else 0))
        people = Source.of(source, request, block.advisor.method.schema)
        _check_out(folder, people)
        stack.enter_context(locked(folder, share))
        check_labels(people)
        this = _Run(folder, people, block, rows, share)
        this.begin()
        tasks, total = this.tasks(), this.left
        workers = processes.first(len(this.waiting) if len(this.waiting) > 1 else 0)
        pool = in_processes(workers, tasks) if workers else in_this_process(block, tasks)
        with closing(pool):  # which ends the workers
            done = this.record(pool, lambda n: progress(n, total) if progress else None)
        return this.summary(done, time.monotonic() - began)


@contextmanager
def at_hand(advisor: Advisor | Path | str) -> Iterator[Path]:
    """The folder of an advisor; one that is in no folder yet is saved in a temporary one."""
    if isinstance(advisor, str | Path):
        yield Path(advisor)
        return
    if not isinstance(advisor, Advisor):
        raise InputError(
            f"the advisor is {type_of(advisor)}; make one with prepare(method, model), or name a "
            "folder that portfolio.save wrote"
        )
    with tempfile.TemporaryDirectory(prefix="standfast-") as place:
        save(advisor, Path(place) / "advisor")
        yield Path(place) / "advisor"


def _shard(given: tuple[int, int]) -> Shard:
    number, of = given
    check_whole(shard=number)
    check_whole(shards=of)
    if number > of:
        raise InputError(f"shard {number} of {of}: count them from 1 to {of}")
    return Shard(int(number), int(of))


def _check_out(folder: Path, people: Source) -> None:
    """Make the folder, unless something else is there or people are read from it."""
    for one in people.files:
        if folder.resolve() in one.file.path.resolve().parents:
            raise InputError(
                f"the advice would be written into '{folder}', where '{one.file.path}' is read; "
                "choose another folder"
            )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"cannot write into '{folder}': it is a file; name a folder")
    begun = (folder / MANIFEST).exists() or any(folder.glob(f"{FINISHED}*.jsonl"))
    if folder.is_dir() and not begun:
        strangers = [one.name for one in folder.iterdir() if not one.name.startswith(("_", "."))]
        if strangers:
            raise InputError(
                f"'{folder}' holds something else ('{sorted(strangers)[0]}'); name a new folder"
            )
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder '{folder}': {error.strerror}") from error


@dataclass
class _Run:
    """A run while it is under way."""

    folder: Path
    people: Source
    block: Block
    rows: int
    shard: Shard

    def begin(self) -> None:
        """Write the manifest or compare with that of before, and see what is finished."""
        self.log = Log(self.folder, self.shard)
        self.log.mend()
        now = Manifest.of(self.people, self.block, self.rows)
        lines = list(lines_of(self.folder))
        if (self.folder / MANIFEST).exists():
            failed = {line["source"] for line in lines if "failed" in line}
            before = Manifest.read(self.folder)
            if before.check_continues(now, self.folder, failed):
                now.write(self.folder)
        elif lines:
            raise InputError(
                f"'{self.folder}' lists finished parts but has no {MANIFEST}; name a new folder"
            )
        else:
            now.write(self.folder)
        sources = {one.name: one.sha256 for one in self.people.files}
        self.finished: dict[str, dict[str, Any]] = {}
        for line in lines:
            if "part" in line and line["source"] == sources.get(line["file"]):
                self.finished[line["part"]] = line
        self.failed = {one.name: one.why for one in self.people.files if one.why}
        self.notes: list[str] = []
        self.own = [
            (number, one, k)
            for number, one in enumerate(self.people.files)
            for k in range(one.count(self.rows))
        ][self.shard.number - 1 :: self.shard.of]
        self._forget_changed()
        self.waiting = [task for task in self.own if self.part(*task) not in self.finished]
        clear_leftovers(self.folder, [MANIFEST, *(self.part(*task) for task in self.waiting)])

    def _forget_changed(self) -> None:
        """Parts that are missing or not as they were written are made again."""
        mine = {self.part(*task) for task in self.own}
        for name in mine & set(self.finished):
            file = self.folder / name
            if not file.is_file() or digest_of_file(file) != self.finished[name]["sha256"]:
                self.notes.append(f"'{file}' was not as it was written, and was made again")
                del self.finished[name]

    @property
    def left(self) -> int:
        """How many people this run is to advise."""
        return sum(self._size(one, k) for _, one, k in self.waiting)

    def _size(self, one: SourceFile, block: int) -> int:
        return min(self.rows, one.rows - block * self.rows)

    def part(self, number: int, one: SourceFile, block: int) -> str:
        """The name of a part; under the partitions of its file unless they are inputs."""
        name = f"part-{number:05d}-{block:05d}.parquet"
        schema = self.people.schema
        if any(key in (*schema.names, self.people.request.index) for key, _ in one.file.keys):
            return name
        partition = [p for p in Path(one.name).parent.parts if "=" in p]
        return "/".join([*partition, name])

    def tasks(self) -> Iterator[Task]:
        """The blocks that are not finished, read one after the other."""
        by_file: dict[int, list[int]] = {}
        for number, _, block in self.waiting:
            by_file.setdefault(number, []).append(block)
        for number, wanted in by_file.items():
            one = self.people.files[number]
            try:
                for block, table in self.people.blocks(one, self.rows, wanted):
                    name = self.part(number, one, block)
                    yield Task((name, one, block), table, self.folder / name)
            except InputError as error:
                self._fail(one, str(error))

    def _fail(self, one: SourceFile, why: str) -> None:
        if one.name not in self.failed:
            self.failed[one.name] = why
            self.log.append({"failed": one.name, "source": one.sha256, "why": why})

    def record(self, pool: Iterable[Done], report: Callable[[int], object]) -> int:
        """Write down every part as it is finished; how many people that were."""
        done, heard = 0, set[str]()
        report(0)
        for task, found in pool:
            name, one, block = task.key
            if "unwritten" in found:
                raise InputError(
                    f"{found['unwritten']}; {len(self.finished):,} parts are finished: make room "
                    "and give the same command again"
                )
            if "refused" in found:
                self._fail(one, f"rows {block * self.rows} and after: {found['refused']}")
                continue
            for text in found.pop("warnings"):
                if text not in heard:
                    heard.add(text)
                    warnings.warn(text, stacklevel=2)
            line = {"part": name, "file": one.name, "block": block, "source": one.sha256, **found}
            self.log.append(line)
            self.finished[name] = line
            done += found["rows"]
            report(done)
        return done

    def summary(self, people: int, seconds: float) -> Summary:
        """What this shard has given, in this run and before."""
        names = [self.part(*task) for task in self.own]
        lines = [self.finished[name] for name in names if name in self.finished]
        empty = [one.name for one in self.people.files if not one.rows and not one.why]
        notes = [*self.notes, *(f"'{name}' holds no rows" for name in empty)]
        return Summary.of_lines(
            lines,
            of=len(names),
            people=people,
            seconds=seconds,
            failed=dict(self.failed),
            notes=tuple(notes),
        )
