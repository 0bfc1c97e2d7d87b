"""This version beside another one, in one run: CPU time, by turns, on the same models and people.

    python -m benchmarks versions --other FOLDER

FOLDER is a checkout of the other version with a `.venv` of its own, made by `make setup`. Costs are
compared, too: where they differ, the two versions answer different questions, and the row says so.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks.versions_worker import ROWS

WORKER = Path(__file__).with_name("versions_worker.py")
TRIALS, IMPORTS, BAR = 7, 9, 1.1
SAME = 1e-9

Answer = dict[str, float]
# CPU times of idle threads would count
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


class Version:
    """A version's worker, which is asked line by line."""

    def __init__(self, python: Path, folder: Path, files: str) -> None:
        self.python = str(python)
        self.process = subprocess.Popen(
            [self.python, "-P", str(WORKER), files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, **ONE_THREAD},
        )

    def ask(self, what: str, row: str) -> Any:
        """What it answers; a worker that fell over has said why."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what} {row}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker of {self.python} ended at '{row}'")
        return json.loads(line)

    def importing(self) -> Answer:
        """CPU seconds of a new process that imports standfast and does nothing else."""
        code = "import time, standfast; print(time.process_time())"
        shown = subprocess.run(
            [self.python, "-P", "-c", code], capture_output=True, text=True, check=True
        )
        return {"work": float(shown.stdout), "besides": 0.0, "figure": 0.0}


@contextmanager
def workers(other: Path) -> Iterator[tuple[Version, Version]]:
    """This version's worker and the other's."""
    python = other / ".venv" / "bin" / "python"
    if not python.exists():
        raise SystemExit(f"there is no {python}; run make setup in the other version's folder")
    with tempfile.TemporaryDirectory() as files:
        ours = Version(Path(sys.executable), Path.cwd(), files)
        theirs = Version(python.absolute(), other, files)
        try:
            yield ours, theirs
        finally:
            for version in (ours, theirs):
                version.process.kill()
                version.process.wait()


def run(other: Path, only: str = "") -> list[dict[str, Any]]:
    """One row each for what both versions can do, `only` those that contain a text."""
    rows = []
    with workers(other) as pair:
        for title in ROWS:
            if only in title:
                for version in pair:
                    version.ask("prepare", title)
                answers = [[v.ask("run", title) for v in pair] for _ in range(TRIALS)]
                rows.append(_row(title, *zip(*answers, strict=True)))
        if only in "import standfast":
            taken = [[version.importing() for version in pair] for _ in range(IMPORTS)]
            rows.append(_row("import standfast", *zip(*taken, strict=True)))
    return rows


def _row(title: str, ours: Sequence[Answer], theirs: Sequence[Answer]) -> dict[str, Any]:
    """The least time of one version over that of the other, and how much trials differ."""
    seconds = [_seconds(answers) for answers in (ours, theirs)]
    mine, other = (min(found) for found in seconds)
    ratios = [a / b for a, b in zip(*seconds, strict=True)]
    low, middle, high = quantiles(ratios, n=4)
    figures = ours[0]["figure"], theirs[0]["figure"]
    same = abs(figures[0] - figures[1]) <= SAME * max(1.0, abs(figures[0]))
    print(f"{title}: {mine / other:.2f}", file=sys.stderr, flush=True)  # all take long
    return {
        "benchmark": title,
        "measured": f"{mine / other:.2f} of the other's CPU time (least of {len(ratios)}); "
        f"by turns {middle:.2f}, middle half {low:.2f} to {high:.2f}",
        "peer": f"{mine:.3g} s and {other:.3g} s"
        + ("" if same else f"; another question: mean {figures[0]:.6g} and {figures[1]:.6g}"),
        "bar": f"≤ {BAR:g}",
        "met": mine / other <= BAR,
    }


def _seconds(answers: Sequence[Answer]) -> list[float]:
    """What the trials took without what does not count, which is measured as often."""
    besides = min(answer["besides"] for answer in answers)
    return [answer["work"] - besides for answer in answers]
