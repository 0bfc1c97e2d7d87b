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
from pathlib import Path
from typing import Any

import pandas as pd

import standfast as sf

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.bank import World, bank, german
from samples.zoo import forests, zoo
from samples.zoo_estimators import Kept

SUMS = (sf.Linear, sf.Additive)
ADVISED = [str(outcome) for outcome in sf.Outcome if outcome.advises]
FIRST = 30  # people in a first round, which shows how quick a search is


@dataclass
class Task:
    """A model and a method, how quick they are, and how they fared."""

    world: World
    kept: Kept
    label: str
    method: Any
    rate: float = 0.0
    answers: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    def run(self, people: pd.DataFrame, path: Path) -> None:
        """Advise some people, write it, and judge what was written."""
        began = time.process_time()
        advice = sf.recommend(self.method, self.kept.score, people)
        advice.write(path)
        self.rate = len(people) / max(time.process_time() - began, 1e-3)
        self.outcomes.update(map(str, advice.outcome))
        self.faults.update({"withheld as unsound": int((advice.outcome == "unsound").sum())})
        for before, after in written(path, people):
            if len(after):
                self.judge(before, after)

    def judge(self, before: pd.DataFrame, after: pd.DataFrame) -> None:
        """Count what is wrong with rows of advice."""
        own = as_fitted(after, self.world.table)
        lost = int((own.isna().to_numpy() & after[own.columns].notna().to_numpy()).sum())
        accepted = self.kept.accepts(own)
        self.answers += len(own)
        self.faults.update({"cells lost": lost, "refused": int((~accepted).sum())})
        self.faults.update(self.world.wrong(as_fitted(before, self.world.table), own))
        if lost or not accepted.all():
            print(f"{self.name}:\n{own[~accepted].head(2).T}", flush=True)

    @property
    def name(self) -> str:
        """Which table, which model, which method."""
        return f"{self.world.name}, {self.kept.name}, {self.label}"


def read(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """A file as a user reads it.

    In CSV only an empty cell is a gap, since a name may be 'NA'; and what was text is read as text,
    since a name may be '1', which pandas would take for a number.
    """
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    texts = [name for name in table if isinstance(table[name].dropna().iloc[0], str)]
    kinds = dict.fromkeys([*texts, *(f"factual {name}" for name in texts)], str)
    return pd.read_csv(
        path, keep_default_na=False, na_values=[""], low_memory=False, dtype=kinds
    )


def written(path: Path, people: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """The people before and after the advice in a file, then those of its alternatives."""
    frame = read(path, people)
    advised = frame[frame["outcome"].isin(ADVISED)]
    names = list(people.columns)
    own = advised[[f"factual {name}" for name in names]].set_axis(names, axis=1)
    yield own, advised[names]
    beside = path.with_name(f"{path.stem}.alternatives{path.suffix}")
    if beside.exists():
        ways = read(beside, people)
        yield people.loc[ways["person"]].reset_index(drop=True), ways[names]


def as_fitted(frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The columns, in the order and the types of the table that the model was fitted on."""
    return frame[list(table.columns)].astype(table.dtypes.to_dict())


def tasks(world: World, folder: Path, seed: int) -> Iterator[Task]:
    """Every model with every method that reads it."""
    schema, q = world.schema, sf.Percentiles.fit(world.table)
    exact = {
        "total, three ways": sf.MinimalCost(schema, q, alternatives=3, boxes=20_000),
        "max": sf.MinimalCost(schema, q, cost="max", boxes=20_000),
        "log, two ways": sf.MinimalCost(schema, q, cost="log", alternatives=2, boxes=20_000),
        "a margin": sf.MinimalCost(schema, q, margin=0.003, per_change=0.02, boxes=20_000),
    }
    spheres = sf.GrowingSpheres(schema, q)
    learnt = sf.CCHVAE.fit(schema, world.table, q, s=3, z=4, epochs=3, seed=seed)
    for kept in zoo(world, folder):
        yield Task(world, kept, "growing spheres", spheres)
        if kept.name in ("logistic, one-hot", "histogram boosting", "neural network"):
            yield Task(world, kept, "C-CHVAE", learnt)
        if isinstance(kept.score, sf.scores.BlackBox):
            continue
        for label, method in exact.items():
            yield Task(world, kept, label, method)
        if isinstance(kept.score, SUMS):
            yield Task(world, kept, "actionable recourse", sf.ActionableRecourse(schema, q))
        if kept.name == "forest, ordinal codes":
            search, choose = forests(world, 6), forests(world, 12)[6:]
            method = sf.Invariant(schema, q, search=search, choose=choose, validity=0.7)
            yield Task(world, kept, "invariant", method)


def main() -> None:
    """Ask until enough answers were judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1.0, help="per task and round")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of the libraries
    began, number, everything = time.monotonic(), 0, list[Task]()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def judged(task: Task) -> None:
            nonlocal number
            number += 1
            most = 2000 if task.kept.name != "PMML scorecard" else 200
            n = int(min(max(task.rate * given.seconds, FIRST), most))
            path = place / f"advice.{'csv' if number % 2 else 'parquet'}"
            try:
                task.run(task.world.people(n, 1000 * given.seed + number + 100), path)
            except Exception as error:  # a crash is a finding, too
                task.faults[f"crash: {type(error).__name__}"] += 1
                print(f"{task.name}: {traceback.format_exc(limit=-4)}", flush=True)
            if number % 40 == 0:
                done = sum(task.answers for task in everything)
                wrong = sum((+task.faults for task in everything), Counter[str]())
                took = time.monotonic() - began
                print(f"{done} answers, {took:.0f} s: {dict(wrong)}", flush=True)

        for world in (bank(seed=given.seed), german(seed=given.seed)):
            (place / world.name).mkdir()
            for task in tasks(world, place / world.name, given.seed):
                everything.append(task)
                judged(task)
        while sum(task.answers for task in everything) < given.answers:
            for task in everything:
                judged(task)
    for task in everything:
        print(f"{task.name}: {task.answers} answers; {dict(+task.faults) or 'all hold'}; "
              f"{task.rate:.0f} people/s; {dict(task.outcomes)}")  # fmt: skip
    done = sum(task.answers for task in everything)
    print(f"{done} answers, {sum((+t.faults).total() for t in everything)} faults")


if __name__ == "__main__":
    main()
