"""Advice as it is written and read back by pandas alone, judged by the model's own prediction."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import standfast as sf
from samples.bank import World
from samples.zoo_estimators import Kept

ADVISED = [str(outcome) for outcome in sf.Outcome if outcome.advises]


@dataclass
class Task:
    """A model and a method, how quick they are, and how they fared."""

    world: World
    kept: Kept
    label: str
    method: Any
    seconds: float = 0.0  # of computing, in the last run
    yields: float = 0.0  # answers in such a second
    answers: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    def run(self, people: pd.DataFrame, path: Path) -> None:
        """Advise some people, write it, and judge what was written."""
        began, before = time.process_time(), self.answers
        advice = sf.recommend(self.method, self.kept.score, people)
        advice.write(path)
        self.outcomes.update(map(str, advice.outcome))
        self.faults.update({"withheld as unsound": int((advice.outcome == "unsound").sum())})
        for own, advised in written(path, people, self.world.table):
            if len(advised):
                self.judge(own, advised)
        self.seconds = max(time.process_time() - began, 1e-3)
        self.yields = (self.answers - before) / self.seconds

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
    return pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False, dtype=kinds)


def written(
    path: Path, people: pd.DataFrame, table: pd.DataFrame
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """The people before and after the advice in a file, then those of its other ways."""
    frame = read(path, table)
    advised = frame[frame["outcome"].isin(ADVISED)]
    names = list(people.columns)
    own = advised[[f"factual {name}" for name in names]].set_axis(names, axis=1)
    yield own, advised[names]
    beside = path.with_name(f"{path.stem}.alternatives{path.suffix}")
    if beside.exists():
        ways = read(beside, table)
        ways = ways[ways["rank"] > 1].reset_index(drop=True)  # the first way is the advice
        yield people.loc[ways["person"]].reset_index(drop=True), ways[names]


def as_fitted(frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The columns, in the order and the types of the table that the model was fitted on."""
    return frame[list(table.columns)].astype(table.dtypes.to_dict())
