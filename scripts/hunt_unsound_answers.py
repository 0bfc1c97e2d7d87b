"""Looks for answers that do not hold: every kind of model, on tables with categories and gaps.

    python scripts/hunt_unsound_answers.py --answers 200000 --seed 0

Advice is written by the library, as CSV or Parquet, and read back by pandas alone. The estimator's
own prediction, or a second evaluation of a model file, judges the decoded rows, and the schema's
laws are tried again by hand. Prints how each model fared, and every answer that fails.
"""

import argparse
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pandas as pd

import standfast as sf

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.bank import World, bank, german
from samples.written_advice import Task
from samples.zoo import forests, zoo
from samples.zoo_estimators import Kept

SUMS = (sf.Linear, sf.Additive)
WORLDS = {"bank": bank, "german": german}
SLOW = ("PMML scorecard",)  # evaluated row by row
FIRST = 12  # people in a first round, which shows how quick a search is


def tasks(world: World, folder: Path, seed: int) -> Iterator[Task]:
    """Every model with every method that reads it."""
    schema, q = world.schema, sf.Percentiles.fit(world.table)
    exact = {
        "total, six ways": sf.MinimalCost(schema, q, alternatives=6, boxes=3_000),
        "max": sf.MinimalCost(schema, q, cost="max", boxes=3_000),
        "log, two ways": sf.MinimalCost(schema, q, cost="log", alternatives=2, boxes=3_000),
        "a margin": sf.MinimalCost(schema, q, margin=0.003, per_change=0.02, boxes=3_000),
    }
    spheres = sf.GrowingSpheres(schema, q)
    some = []
    for kept in zoo(world, folder):
        yield Task(world, kept, "growing spheres", spheres)
        if kept.name in ("logistic, one-hot", "histogram boosting", "neural network"):
            some.append(kept)
        if isinstance(kept.score, sf.scores.BlackBox):
            continue
        changes = isinstance(kept.score, sf.Segmented) and not kept.score.fixed
        for label, method in exact.items():
            if method.alternatives == 1 or not changes:  # several ways need a fixed segment
                yield Task(world, kept, label, method)
        if isinstance(kept.score, SUMS):
            yield Task(world, kept, "actionable recourse", sf.ActionableRecourse(schema, q))
        if kept.name == "forest, ordinal codes":
            search, choose = forests(world, 6), forests(world, 12)[6:]
            method = sf.Invariant(schema, q, search=search, choose=choose, validity=0.7)
            yield Task(world, kept, "invariant", method)
    learnt = sf.CCHVAE.fit(schema, world.table, q, s=3, z=4, epochs=3, seed=seed)
    for kept in some:
        yield Task(world, kept, "C-CHVAE", learnt)


@dataclass
class Refused:
    """People whom a model refuses by its own word, drawn as they are needed."""

    world: World
    kept: Kept
    seed: int
    waiting: pd.DataFrame | None = None

    def take(self, n: int) -> pd.DataFrame:
        """The next few; fewer if the model hardly refuses anybody."""
        for _ in range(5):
            if self.waiting is not None and len(self.waiting) >= n:
                break
            self.seed += 1
            drawn = self.world.people(500 if self.kept.name in SLOW else 5000, self.seed)
            found = drawn[~self.kept.accepts(drawn)]
            self.waiting = found if self.waiting is None else pd.concat([self.waiting, found])
        assert self.waiting is not None
        taken, self.waiting = self.waiting.iloc[:n], self.waiting.iloc[n:]
        return taken.reset_index(drop=True)


@dataclass
class Hunt:
    """All tasks so far, and what they found."""

    folder: Path
    seed: int
    tasks: list[Task] = field(default_factory=list)
    refused: dict[int, Refused] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    runs: int = 0

    @property
    def answers(self) -> int:
        """How many answers were judged."""
        return sum(task.answers for task in self.tasks)

    def ask(self, task: Task, n: int) -> None:
        """One task for some people; a crash is a finding, too."""
        self.runs += 1
        path = self.folder / f"advice.{'csv' if self.runs % 2 else 'parquet'}"
        first = 1_000_000 * (self.seed + 1) + 1000 * len(self.refused)
        refused = self.refused.setdefault(id(task.kept), Refused(task.world, task.kept, first))
        try:
            task.run(refused.take(n), path)
        except Exception as error:
            task.faults[f"crash: {type(error).__name__}"] += 1
            print(f"{task.name}: {traceback.format_exc(limit=-4)}", flush=True)
        if self.runs % 40 == 0:
            wrong = sum((+task.faults for task in self.tasks), Counter[str]())
            took = time.monotonic() - self.began
            print(f"{self.answers} answers, {took:.0f} s: {dict(wrong)}", flush=True)

    def quickest(self) -> list[Task]:
        """Each model with the method that gave the most answers a second."""
        best: dict[int, Task] = {}
        for task in self.tasks:
            known = best.setdefault(id(task.kept), task)
            best[id(task.kept)] = max(known, task, key=lambda one: one.yields)
        return [task for task in best.values() if task.yields]

    def report(self) -> None:
        """How every task fared."""
        for task in self.tasks:
            print(f"{task.name}: {task.answers} answers; {dict(+task.faults) or 'all hold'}; "
                  f"{task.yields:.0f} a second; {dict(task.outcomes)}")  # fmt: skip
        print(f"{self.answers} answers, {sum((+t.faults).total() for t in self.tasks)} faults")


def main() -> None:
    """Ask every task, and each model by its quickest method until enough answers were judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1.0, help="per task and round")
    parser.add_argument("--minutes", type=float, default=600.0, help="the longest it may take")
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of the libraries
    with tempfile.TemporaryDirectory() as folder:
        hunt = Hunt(Path(folder), given.seed)

        def late() -> bool:
            return time.monotonic() - hunt.began > 60 * given.minutes

        def more(task: Task) -> None:
            n, spent = 10 * FIRST, 0.0
            while spent < given.seconds and task.yields and not late():
                hunt.ask(task, n)
                spent += task.seconds
                if task.seconds < given.seconds / 4 and task.kept.name not in SLOW:
                    n *= 4

        for name in given.worlds:
            (hunt.folder / name).mkdir()
            found = tasks(WORLDS[name](seed=given.seed), hunt.folder / name, given.seed)
            for _, group in groupby(found, key=lambda task: id(task.kept)):
                before = len(hunt.tasks)
                for task in group:
                    hunt.tasks.append(task)
                    hunt.ask(task, FIRST)
                more(max(hunt.tasks[before:], key=lambda one: one.yields))
                if late():
                    break
        while hunt.answers < given.answers and not late():
            for task in hunt.quickest():
                if not late():
                    more(task)
        hunt.report()


if __name__ == "__main__":
    main()
