"""A small world with every kind of input, and models of every kind over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from standfast import (
    Additive,
    Feature,
    Linear,
    LinearLevelSet,
    Percentiles,
    Schema,
    Score,
    Unanimous,
    as_score,
)
from standfast.datasets import Dataset
from standfast.scores.score import LOGISTIC

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
    """Applicants and whether they paid, +1, or did not, −1."""
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


@cache
def known() -> tuple[pd.DataFrame, np.ndarray]:
    """The people that models, percentiles and autoencoders learn from."""
    return people(1500, seed=1)


def handmade(table: pd.DataFrame) -> np.ndarray:
    late = table["late"].to_numpy() + 2 * table["very_late"].to_numpy()
    return 2.5 - late - table["utilisation"].to_numpy()


def log_income(values: np.ndarray) -> np.ndarray:
    return 0.7 * np.log(np.maximum(values, 1.0) / 3000)


@dataclass(frozen=True)
class Weighted:
    """A contribution that is proportional to its input."""

    weight: float

    def __call__(self, values: np.ndarray) -> np.ndarray:
        return self.weight * values


def refuse_everybody(table: pd.DataFrame) -> np.ndarray:
    return np.full(len(table), -1.0)


def scorecard(offset: float = 0.6) -> Additive:
    """The merit that labels are drawn from, with a curve of income: one function per input."""
    weights = (0.0, -1.2, 0.0, -0.5, -0.6, 0.02, 0.4, 0.2)
    functions = [log_income if k == 2 else Weighted(w) for k, w in enumerate(weights)]
    return Additive(functions, offset, LOGISTIC, threshold=0.5)


@cache
def models() -> Mapping[str, Score]:
    """A model of each kind, by the name of its kind."""
    table, labels = known()
    regression = LogisticRegression(max_iter=5000).fit(table, labels)
    grown = RandomForestClassifier(20, max_depth=5, random_state=0).fit(table, labels)
    usual = IsolationForest(n_estimators=20, max_samples=64, contamination=0.4, random_state=0).fit(
        table
    )
    linear = as_score(regression, SCHEMA, favourable=1)
    forest = as_score(grown, SCHEMA, favourable=1, threshold=0.55)
    black_box = as_score(handmade, SCHEMA, favourable=None)
    level_set = LinearLevelSet.fit(
        Dataset(table, pd.Series(labels, table.index), SCHEMA, "contract")
    )
    return {
        "linear": linear,
        "additive": scorecard(),
        "forest": forest,
        "isolation forest": as_score(usual, SCHEMA, favourable=1),
        "black box": black_box,
        "linear and forest": Unanimous((linear, forest), margin=0.02),
        "linear and additive": Unanimous((linear, scorecard())),
        "linear and black box": Unanimous((linear, black_box)),
        "linear level set": level_set,
        "level set and forest": Unanimous((level_set, forest)),
    }


@cache
def hopeless() -> Mapping[str, Score]:
    """Models that accept nobody, by the name of their kind."""
    table, labels = known()
    grown = RandomForestClassifier(3, max_depth=3, random_state=0).fit(table, labels)
    return {
        "linear": Linear(np.zeros(len(SCHEMA)), -1.0),
        "additive": Additive([np.zeros_like] * len(SCHEMA), -1.0),
        "forest": as_score(grown, SCHEMA, favourable=1, threshold=0.999),
        "black box": as_score(refuse_everybody, SCHEMA, favourable=None),
    }


@cache
def percentiles() -> Percentiles:
    return Percentiles.fit(known()[0])
