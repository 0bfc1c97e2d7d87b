"""A small book of people in Parquet files, and advisors for it."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from standfast import (
    ActionableRecourse,
    Advisor,
    Feature,
    MinimalCost,
    Percentiles,
    Schema,
    TreeEnsemble,
    as_score,
    prepare,
)

SCHEMA = Schema(
    (
        Feature("income", "positive", step=10),
        Feature("debt", "positive", direction="down", step=0.01),
        Feature("age", "count", mutable=False),
    )
)


def people(n: int, seed: int = 1) -> pd.DataFrame:
    """People with an identifier of their own."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.integers(100, 600, n) * 10.0,
            "debt": rng.uniform(0, 1, n).round(2),
            "age": rng.integers(20, 80, n),
        }
    )
    table.insert(0, "id", [f"p{seed}-{k:05d}" for k in range(n)])
    return table


@cache
def reference() -> tuple[pd.DataFrame, np.ndarray]:
    """The reference table and its labels."""
    table = people(400, seed=0).drop(columns="id")
    return table, np.where(table["income"] / 6000 > table["debt"], 1, -1)


@cache
def forest_advisor() -> Advisor:
    """Minimal cost under a small forest."""
    table, labels = reference()
    forest = RandomForestClassifier(8, max_depth=4, random_state=0).fit(table, labels)
    model = as_score(forest, SCHEMA, favourable=1)
    return prepare(MinimalCost(SCHEMA, Percentiles.fit(table)), model)


@cache
def trees_advisor() -> Advisor:
    """Minimal cost under the trees of that forest alone: no estimator, which takes long to load."""
    known = forest_advisor()
    assert isinstance(known.model, TreeEnsemble)
    return prepare(known.method, replace(known.model, prediction=None))


@cache
def linear_advisor() -> Advisor:
    """Actionable recourse under a logistic regression."""
    table, labels = reference()
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(table, labels)
    model = as_score(fitted, SCHEMA, favourable=1)
    return prepare(ActionableRecourse(SCHEMA, Percentiles.fit(table)), model)


def book(folder: Path, parts: int = 3, rows: int = 70) -> pd.DataFrame:
    """Write so many files of people into a folder; everybody in order."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = [people(rows, seed=k + 1) for k in range(parts)]
    for k, table in enumerate(tables):
        table.to_parquet(folder / f"{k:02d}.parquet", index=False, row_group_size=32)
    return pd.concat(tables, ignore_index=True)
