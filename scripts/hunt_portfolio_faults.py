"""Looks for a portfolio that a kill damages: ends runs at random moments and compares the result.

    python scripts/hunt_portfolio_faults.py --kills 100 --seed 0

A run over a small book is started in a process of its own and ended with SIGKILL at a random moment
of its time, again and again in the same folder, by turns with one worker and with two. Whatever
part is there must be the bytes that an undisturbed run writes. Whenever a run reaches its end all
parts must be there, and a new folder is begun.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.portfolio import book, forest_advisor

import standfast as sf

SCRIPT = """
import sys, standfast as sf
advisor, source, out, jobs = sys.argv[1:]
sf.portfolio.run(advisor, source, out, jobs=int(jobs), rows=10, index="id")
"""


def parts(folder: Path) -> dict[str, bytes]:
    """The finished parts of a folder."""
    return {file.name: file.read_bytes() for file in folder.glob("part-*.parquet")}


def start(folder: Path, out: Path, jobs: int) -> "subprocess.Popen[bytes]":
    """A run in a process of its own."""
    command = [sys.executable, "-c", SCRIPT, *map(str, (folder / "advisor", folder / "people"))]
    return subprocess.Popen([*command, str(out), str(jobs)])


def main() -> None:
    """Hunt, and exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, faults, finished = random.Random(given.seed), 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        book(folder / "people", parts=6, rows=200)
        sf.portfolio.save(forest_advisor(), folder / "advisor")
        assert start(folder, folder / "warm", 1).wait() == 0  # kernels are compiled once
        spans = {}
        for jobs in (1, 2):
            began = time.monotonic()
            assert start(folder, folder / f"whole{jobs}", jobs).wait() == 0
            spans[jobs] = time.monotonic() - began
        whole = parts(folder / "whole1")
        faults += whole != parts(folder / "whole2")
        out = folder / "out0"
        for kill in range(given.kills):
            jobs = 1 + kill % 2
            process = start(folder, out, jobs)
            time.sleep(rng.uniform(0.0, spans[jobs]))
            ended = process.poll()
            process.kill()  # SIGKILL, unless it has ended
            process.wait()
            there = parts(out)
            wrong = [name for name, content in there.items() if whole.get(name) != content]
            if wrong or ended not in (None, 0):
                faults += 1
                print(f"FAULT after kill {kill}: {wrong}, exit code {ended}", flush=True)
            if ended == 0:
                finished += 1
                faults += there != whole
                out = folder / f"out{kill + 1}"
        assert start(folder, out, 1).wait() == 0
        faults += parts(out) != whole
    print(f"{given.kills} kills, {finished + 1} folders brought to their end, {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
