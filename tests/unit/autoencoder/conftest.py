"""A small mixed table with every kind of input, and an autoencoder fitted on it once."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from standfast import Autoencoder, Feature, Schema
from standfast.autoencoder import fit

SCHEMA = Schema(
    (
        Feature("age", "count", mutable=False),
        Feature("income", "positive", step=10),
        Feature("late", "count"),
        Feature("balance", "real", step=0.5),
        Feature("guarantor", "binary"),
        Feature("grade", "ordinal"),
        Feature("size", "ordinal"),
        Feature("urban", "binary", mutable=False),
    )
)


def drawn(n: int, seed: int) -> pd.DataFrame:
    """Two kinds of people: thriving and struggling."""
    rng = np.random.default_rng(seed)
    well = rng.random(n) < 0.6
    drive = rng.normal(size=n)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "income": rng.lognormal(np.where(well, 8.5, 7.5) + 0.3 * drive, 0.2).round(-1),
            "late": rng.poisson(np.exp(np.where(well, -1.5, 1.0) - 0.3 * drive)),
            "balance": np.round(2 * (np.where(well, 30, -10) + 10 * drive + rng.normal(size=n)))
            / 2,
            "guarantor": (rng.random(n) < 1 / (1 + np.exp(-drive))).astype(int),
            "grade": np.clip(np.round(3 + well + 0.7 * drive + 0.4 * rng.normal(size=n)), 1, 5),
            "size": rng.integers(-1, 2, n),
            "urban": rng.integers(0, 2, n),
        },
        index=pd.Index([f"p{i:04d}" for i in range(n)]),
    )


@pytest.fixture(scope="session")
def schema() -> Schema:
    return SCHEMA


@pytest.fixture(scope="session")
def people() -> Callable[[int, int], pd.DataFrame]:
    return drawn


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return drawn(1500, seed=0)


@pytest.fixture(scope="session")
def fitted(table: pd.DataFrame) -> Autoencoder:
    return fit(SCHEMA, table, s=3, z=2, epochs=200, seed=3)
