"""Several workers at a time: each its own process, asked by a thread of this one."""

import json
import os
import queue
import subprocess
import sys
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from standfast.errors import InputError
from standfast.portfolio.block import Block, Request
from standfast.portfolio.serving import packed, served

# the workers share the cores already; threads on top of them wait for each other
SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

# What a worker loads stays, so no garbage is looked for meanwhile. And scipy.special goes first:
# skops asks every module that was loaded before it for each of its 400 functions.
START = """
import gc
gc.disable()
import scipy.special
from standfast.portfolio.worker import main
main()
"""

AHEAD = 2  # blocks for each worker that are read before they are needed
ENDING = 60.0  # seconds that a worker which closed its pipe has to end by itself


@dataclass(frozen=True, eq=False)
class Task:
    """A block of people and the file that their advice goes to."""

    key: Any
    people: pa.Table
    part: Path


Done = tuple[Task, dict[str, Any]]


def in_this_process(block: Block, tasks: Iterable[Task]) -> Generator[Done, None, None]:
    """The tasks one after the other."""
    for task in tasks:
        yield task, served(block, task.people, task.part)


class Workers:
    """Processes that each load an advisor; they end with the context.

    They are started before the people are looked at: loading libraries and models takes seconds.
    """

    def __init__(self, folder: Path, request: Request, trust: Sequence[str], jobs: int) -> None:
        self.all = [_Worker(folder, request, trust) for _ in range(jobs)]

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.all:
            worker.end()

    def first(self, count: int) -> "list[_Worker]":
        """So many of them; the others end."""
        for worker in self.all[count:]:
            worker.end()
        return self.all[:count]


def in_processes(
    workers: "Sequence[_Worker]", tasks: Iterable[Task]
) -> Generator[Done, None, None]:
    """The tasks side by side, each given as soon as it is done; few wait at a time."""
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def done(task: Task) -> Done:
        worker = idle.get()  # there is one for every thread
        try:
            return task, worker.ask(task)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(len(workers))
    under_way: set[Future[Done]] = set()
    try:
        for task in tasks:
            under_way.add(pool.submit(done, task))
            if len(under_way) > AHEAD * len(workers):
                finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in finished)
        for one in as_completed(under_way):
            yield one.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()
        pool.shutdown()


class _Worker:
    """A process that advises the blocks it is sent."""

    def __init__(self, folder: Path, request: Request, trust: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**dict.fromkeys(SINGLE, "1"), **os.environ},
            process_group=0,  # Ctrl-C is for this process, which ends them
        )
        self.greeted = False
        about = {"folder": str(folder), "request": asdict(request), "trust": list(trust)}
        with suppress(OSError):  # it has ended already, which the first task finds out
            self._send(packed(about))

    def ask(self, task: Task) -> dict[str, Any]:
        """What the worker says of a task."""
        if not self.greeted:
            greeting = self._answer(b"")
            if "refused" in greeting:
                raise InputError(greeting["refused"])
            self.greeted = True
        return self._answer(packed({"part": str(task.part)}, task.people))

    def _send(self, message: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(message)
        self.process.stdin.flush()

    def _answer(self, message: bytes) -> dict[str, Any]:
        assert self.process.stdout is not None
        try:
            self._send(message)
            line = self.process.stdout.readline()
        except (OSError, ValueError):
            line = b""
        if not line.endswith(b"\n"):
            raise InputError(
                f"a worker process ended unexpectedly (exit code {self._ended()}); it may have "
                "run out of memory: the same command, with fewer jobs if need be, continues where "
                "this run stopped"
            )
        found: dict[str, Any] = json.loads(line)
        return found

    def _ended(self) -> int:
        """The exit code, which is known a moment after the worker's pipe is closed."""
        try:
            return self.process.wait(timeout=ENDING)
        except subprocess.TimeoutExpired:  # silent, yet alive
            self.process.kill()
            return self.process.wait()

    def end(self) -> None:
        """End the process; what it was doing is lost."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not sent is not needed
                    stream.close()
