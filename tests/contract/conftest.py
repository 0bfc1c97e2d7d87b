"""A small world with every kind of input, and models of every kind over it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from standfast import (
    Feature,
    LinearLevelSet,
    Percentiles,
    Schema,
    Score,
    Unanimous,
    as_score,
)
from standfast.datasets import Dataset

SCHEMA = Schema(
    (
        Feature("age", "count", mutable=False),
        Feature("utilisation", "positive", direction="down", step=0.01),
        Feature("income", "positive", direction="up", step=10),
        Feature("late", "count"),
        Feature("very_late", "count"),
        Feature("balance", "real", step=0.5),
        Feature("guarantor", "binary", direction="up"),
        Feature("grade", "ordinal", lower=1, upper=5, valid=(1, 5)),
    ),
    ("very_late <= late",),
)


def people(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    late = rng.poisson(2, n)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "utilisation": rng.gamma(1.5, 0.3, n).round(3),
            "income": rng.lognormal(8, 0.5, n).round(0),
            "late": late,
            "very_late": rng.binomial(late, 0.4),
            "balance": rng.normal(0, 20, n).round(1),
            "guarantor": rng.integers(0, 2, n),
            "grade": rng.integers(1, 6, n),
        },
        index=pd.Index([f"p{i:04d}" for i in range(n)], name="applicant"),
    )
    merit = (
        -1.2 * table["utilisation"]
        - 0.5 * table["late"]
        - 0.6 * table["very_late"]
        + 0.7 * np.log(table["income"] / 3000)
        + 0.02 * table["balance"]
        + 0.4 * table["guarantor"]
        + 0.2 * (table["grade"] - 3)
        + 1.2
    )
    labels = np.where(merit + rng.logistic(0, 0.7, n) > 0, 1, -1)
    return table, labels


def handmade(table: pd.DataFrame) -> np.ndarray:
    late = table["late"].to_numpy() + 2 * table["very_late"].to_numpy()
    return 2.5 - late - table["utilisation"].to_numpy()


@dataclass(frozen=True)
class World:
    schema: Schema
    percentiles: Percentiles
    people: pd.DataFrame
    models: dict[str, Score]


@pytest.fixture(scope="session")
def world() -> World:
    table, labels = people(1500, seed=1)
    regression = LogisticRegression(max_iter=5000).fit(table, labels)
    grown = RandomForestClassifier(20, max_depth=5, random_state=0).fit(table, labels)
    linear = as_score(regression, SCHEMA, favourable=1)
    forest = as_score(grown, SCHEMA, favourable=1, threshold=0.55)
    models = {
        "linear": linear,
        "forest": forest,
        "unanimous": Unanimous((linear, forest), margin=0.02),
        "linear level set": LinearLevelSet.fit(
            Dataset(table, pd.Series(labels, table.index), SCHEMA, "contract")
        ),
        "black box": as_score(handmade, SCHEMA, favourable=None),
    }
    return World(SCHEMA, Percentiles.fit(table), people(120, seed=2)[0], models)
