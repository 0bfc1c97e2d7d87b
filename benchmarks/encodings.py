"""One fitted function in two encodings: named categories, and a 0/1 column for each of them.

A model fitted on one-hot columns is read twice: behind its encoder over named inputs, and on its
own over 0/1 inputs of which exactly one in a group is 1. A change of category sets two of them, so
each costs half; the numbers' costs are the same. Costs are compared person by person: only where
all agree is it the same question.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import standfast as sf
from benchmarks import bank

ROWS, PEOPLE, TRIALS, SEEDS = 10_000, 100, 3, (0, 1, 2)
NUMBERS = tuple(
    sf.Feature(f.name, f.kind, f.mutable, f.direction, step=f.step) for f in bank.NUMBERS
)
FIXED = "marital"
SAME = 1e-9


class Asked(NamedTuple):
    """An advisor and the people it is asked about."""

    advisor: sf.Advisor
    people: pd.DataFrame

    def costs(self) -> Any:
        """Everybody's proven cost; infinite where nothing helps."""
        found = self.advisor.recommend(self.people)
        assert found.outcome.isin(["minimal", "infeasible"]).all(), found.counts()
        return found.cost.fillna(np.inf).to_numpy()


def run() -> dict[str, Any]:
    """One row: the ratio of both encodings' CPU times over several tables and models."""
    taken, same, asked = [], 0, 0
    for seed in SEEDS:
        pair = _both(seed)
        costs = [one.costs() for one in pair]  # compiles, too
        same += int(np.isclose(*costs, rtol=0.0, atol=SAME).sum())
        asked += len(costs[0])
        taken.append(in_turns(pair))
    ratios = [named / flags for named, flags in taken]
    shown = [
        f"{1e3 * np.median(times):.2g} ms CPU per person" for times in zip(*taken, strict=True)
    ]
    return {
        "benchmark": f"one LightGBM model 100 × 31 leaves, one-hot columns, {len(SEEDS)} tables, "
        f"{PEOPLE} people each: named categories beside 0/1 inputs",
        "measured": f"{shown[0]}, {min(ratios):.2f} to {max(ratios):.2f}× those with 0/1 inputs; "
        f"same optimum {same} of {asked}",
        "peer": f"0/1 inputs: {shown[1]}",
        "bar": "not slower, same optimum",
        "met": bool(max(ratios) <= 1.0 and same == asked),
    }


def _both(seed: int) -> tuple[Asked, Asked]:
    """The same refused people under the same function, by name and as 0/1 inputs."""
    table, labels = bank.people(2 * ROWS, seed=seed, gaps=False)
    named = [_nominal(name, names) for name, names in bank.NAMED.items()]
    schema = sf.Schema((*named, *NUMBERS))
    table = table[list(schema.names)]
    train, others = table.iloc[:ROWS], table.iloc[ROWS:]
    model = _pipeline(seed).fit(train, labels.iloc[:ROWS])
    score = sf.as_score(model, schema, favourable=1)
    people = others[~score.accepts(schema.matrix(others))].iloc[:PEOPLE]
    units = {f.name: float(train[f.name].std()) for f in NUMBERS}
    ours = sf.MinimalCost(
        schema, sf.Percentiles.fit(train), cost="l1", units=units | dict.fromkeys(bank.NAMED, 1.0)
    )
    flags = _flags()
    single = [name for name in flags.names if name not in units]

    def encoded(rows: pd.DataFrame) -> pd.DataFrame:
        shown = pd.DataFrame(model[0].transform(rows), rows.index, list(flags.names))
        return shown.astype(dict.fromkeys(single, int))

    theirs = sf.MinimalCost(
        flags,
        sf.Percentiles.fit(encoded(train)),
        cost="l1",
        units=units | dict.fromkeys(single, 2.0),
    )
    inner = sf.as_score(model[-1], flags, favourable=1)
    return (
        Asked(sf.prepare(ours, score), people),
        Asked(sf.prepare(theirs, inner), encoded(people)),
    )


def _nominal(name: str, names: tuple[str, ...]) -> sf.Feature:
    return sf.Feature(name, "nominal", name != FIXED, categories=names)


def _pipeline(seed: int) -> Pipeline:
    known = [list(names) for names in bank.NAMED.values()]
    encoder = OneHotEncoder(categories=known, sparse_output=False)
    front = ColumnTransformer([("named", encoder, list(bank.NAMED))], remainder="passthrough")
    trees = LGBMClassifier(n_estimators=100, num_leaves=31, random_state=seed, n_jobs=1, verbose=-1)
    return make_pipeline(front, trees)


def _flags() -> sf.Schema:
    """A 0/1 input for each category; of each group exactly one is 1."""
    groups = {
        name: [f"{name}_{k}" for k in range(len(names))] for name, names in bank.NAMED.items()
    }
    flags = [
        sf.Feature(flag, "binary", name != FIXED)
        for name, group in groups.items()
        for flag in group
    ]
    one_of_each = [f"{' + '.join(group)} == 1" for name, group in groups.items() if name != FIXED]
    return sf.Schema((*flags, *NUMBERS), relations=tuple(one_of_each))


def in_turns(asked: Sequence[tuple[sf.Advisor, pd.DataFrame]]) -> list[float]:
    """CPU seconds per person of each, the least of some trials, which take turns."""
    least = [np.inf] * len(asked)
    for _ in range(TRIALS):
        for k, (advisor, people) in enumerate(asked):
            began = time.process_time()
            advisor.recommend(people)
            least[k] = min(least[k], (time.process_time() - began) / len(people))
    return least
