"""A small world of promises that another model breaks."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.promises import Promises

SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", lower=0, upper=6, direction="down"),
        sf.Feature("loans", "count", lower=0, upper=6),
        sf.Feature("age", "count", mutable=False),
        sf.Feature("income", "count", lower=0, upper=8, direction="up"),
    )
)


def people(n: int, seed: int) -> sf.Dataset:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "late": rng.integers(0, 7, n),
            "loans": rng.integers(0, 7, n),
            "age": rng.integers(20, 26, n),
            "income": rng.integers(0, 9, n),
        }
    )
    odds = 0.9 * table.income - 0.8 * table.late + 0.4 * (table.age - 23) - 0.6
    odds -= 0.5 * (table.loans - 2).abs()
    good = rng.random(n) < 1 / (1 + np.exp(-odds))
    return sf.Dataset(table, pd.Series(np.where(good, 1, -1)), SCHEMA, f"world {seed}")


def forest(data: sf.Dataset, seed: int) -> sf.Score:
    model = RandomForestClassifier(7, max_depth=4, random_state=seed)
    return sf.as_score(model.fit(data.table, data.labels), SCHEMA, favourable=1)


@pytest.fixture(scope="session")
def promised():
    """A champion's promises, a candidate that breaks some, people to train and to judge by."""
    train, held = people(600, 0), people(500, 1)
    f, g = forest(people(300, 2), 1), forest(train, 2)
    q = sf.Percentiles.fit(train.table)
    best = sf.MinimalCost(SCHEMA, q)
    asking = people(160, 3).table
    advice = sf.recommend(best, f, asking[~f.accepts(SCHEMA.matrix(asking))])
    promises = Promises.of(advice)
    assert 10 < (~g.accepts(promises.point)).sum() < len(promises)
    return SimpleNamespace(
        f=f, g=g, q=q, best=best, train=train, held=held, promises=promises, advice=advice
    )
