"""Looks for a portfolio that a kill damages: ends runs at random moments and compares the result.

    python scripts/hunt_portfolio_faults.py --kills 100 --seed 0

A run over a small book is started in a process of its own and ended with SIGKILL at a random
moment, half of them before its first part and half after it, again and again in the same folder, by
turns with one worker and with two. Whatever part is there must be the bytes that an undisturbed run
writes. Whenever a run reaches its end, the parts, the manifest, the log and what is read back must
be those of an undisturbed run, and a new folder is begun. Only kills that met a running process are
counted; a table says what they met.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.portfolio import SCHEMA, book, reference

import standfast as sf
from standfast.portfolio.manifest import MANIFEST, lines_of

SCRIPT = """
import sys, standfast as sf
advisor, source, out, jobs = sys.argv[1:]
sf.portfolio.run(advisor, source, out, jobs=int(jobs), rows=10, index="id")
"""
FILES, ROWS = 3, 100  # 30 parts


class Book:
    """A small book, its advisor, and what undisturbed runs of it write and take."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        book(folder / "people", parts=FILES, rows=ROWS)
        method = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(reference()[0]))
        model = sf.Linear([1 / 6000, -1.0, 0.0], 0.0)  # a run that needs no other library is short
        sf.portfolio.save(sf.prepare(method, model), folder / "advisor")
        assert self.start(folder / "warm", 1).wait() == 0  # kernels are compiled once
        self.times = {jobs: self._timed(folder / f"whole{jobs}", jobs) for jobs in (1, 2)}
        self.parts, self.facts = parts(folder / "whole1"), facts(folder / "whole1")

    def start(self, out: Path, jobs: int) -> "subprocess.Popen[bytes]":
        """A run in a process of its own."""
        command = [sys.executable, "-c", SCRIPT, str(self.folder / "advisor")]
        command += [str(self.folder / "people"), str(out), str(jobs)]
        return subprocess.Popen(command)

    def _timed(self, out: Path, jobs: int) -> tuple[float, float]:
        """Seconds until the first part of a run, and from there to its end."""
        began, process = time.monotonic(), self.start(out, jobs)
        while not parts(out) and process.poll() is None:
            time.sleep(0.01)
        first = time.monotonic()
        assert process.wait() == 0
        return first - began, time.monotonic() - first

    def wait(self, process: "subprocess.Popen[bytes]", out: Path, jobs: int, at: float) -> None:
        """Wait for a moment of a run: at below 1 before its first part, from there on after it.

        What comes after its first part is not measured from the start, for a busy machine takes
        longer to come to it.
        """
        (before, after), there = self.times[jobs], len(parts(out))
        if at < 1.0:
            time.sleep(at * before)
            return
        while len(parts(out)) == there and process.poll() is None:
            time.sleep(0.005)
        time.sleep((at - 1.0) * after * (1.0 - there / len(self.parts)))

    def complaints(self, out: Path, ended: int | None) -> list[str]:
        """What is wrong with a folder whose run was killed, or ended by itself with a code."""
        there = parts(out)
        found = [f"{name} differs" for name in there if there[name] != self.parts.get(name)]
        if ended is None:
            return found
        if ended != 0:
            return [*found, f"exit code {ended}"]
        if there.keys() != self.parts.keys():
            found.append(f"{len(there)} of {len(self.parts)} parts")
        if facts(out) != self.facts:
            found.append("manifest, log or advice differ")
        return found


def parts(folder: Path) -> dict[str, bytes]:
    """The finished parts of a folder."""
    return {file.name: file.read_bytes() for file in folder.glob("part-*.parquet")}


def facts(folder: Path) -> tuple[object, ...]:
    """The manifest, the log without its times and in order, and everybody's advice, read back."""
    log = [json.dumps({**line, "seconds": 0}, sort_keys=True) for line in lines_of(folder)]
    read = [
        part.to_frame().drop(columns="seconds").to_csv() for part in sf.portfolio.Advice(folder)
    ]
    return (folder / MANIFEST).read_bytes(), sorted(log), read


def stage(out: Path, before: int, every: int) -> str:
    """What a run that began with so many parts had come to when it was killed."""
    if not (out / MANIFEST).exists():
        return "before its manifest"
    done = len(parts(out))
    if done == every:
        return "after the last part"
    return "before its first part" if done == before else "between its parts"


def main() -> None:
    """Hunt, and exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, met = random.Random(given.seed), Counter[str]()
    faults = folders = early = 0
    with tempfile.TemporaryDirectory() as place:
        known = Book(Path(place))
        faults += known.parts != parts(Path(place) / "whole2")
        faults += known.facts != facts(Path(place) / "whole2")
        for jobs, (before, after) in known.times.items():
            print(f"{jobs} jobs: first part after {before:.1f} s, the rest in {after:.1f} s")
        while met.total() < given.kills or (Path(place) / f"out{folders}").exists():
            out, jobs = Path(place) / f"out{folders}", 1 + met.total() % 2
            there = len(parts(out))
            process, began = known.start(out, jobs), time.monotonic()
            if met.total() == given.kills:
                process.wait()  # the last folder is brought to its end
            else:
                known.wait(process, out, jobs, rng.uniform(0.0, 2.0))
            ended = process.poll()
            if ended is None:
                early += time.monotonic() - began < 1.0
                process.kill()  # SIGKILL
                process.wait()
                met[stage(out, there, len(known.parts))] += 1
                if met.total() % 10 == 0:
                    print(f"{met.total()} runs killed, {faults} faults", flush=True)
            wrong = known.complaints(out, ended)
            if wrong:
                faults += 1
                print(f"FAULT after {met.total()} kills: {wrong}", flush=True)
            folders += ended is not None
    for what, count in met.items():
        print(f"{count:>6} runs killed {what}")
    print(
        f"{met.total()} runs killed, {early} within their first second; {folders} folders brought "
        f"to their end; {faults} faults"
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
