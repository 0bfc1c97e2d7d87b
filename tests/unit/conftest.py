from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from standfast.schema import Feature, Schema


def applicants(n, seed):
    """Columns as skewed as those of Give Me Some Credit."""
    rng = np.random.default_rng(seed)
    usage = np.where(rng.random(n) < 0.1, rng.lognormal(3, 2, n), rng.beta(0.5, 1, n))
    return pd.DataFrame(
        {
            "usage": usage,
            "age": rng.integers(21, 100, n).astype(float),
            "late": rng.poisson(0.4, n).astype(float),
            "debt": rng.lognormal(-1, 2.5, n),
            "income": np.rint(rng.lognormal(8.5, 0.8, n)) + 1.0,
            "homes": rng.integers(0, 4, n).astype(float),
            "trend": rng.normal(size=n) ** 3,
        }
    )


@pytest.fixture(scope="session")
def credit():
    """A table, its 0/1 labels and schema, and 4,000 fresh rows: new, stretched, and known ones."""
    table = applicants(1500, 0)
    log_odds = (
        0.03 * table.age - 0.8 * table.late + 0.3 * np.log1p(table.income) + 0.3 * table.trend
    )
    log_odds -= table.usage.clip(0, 2) + 0.2 * np.log1p(table.debt) + 3.5
    chance = 1 / (1 + np.exp(-log_odds))
    labels = (np.random.default_rng(1).random(len(table)) < chance).astype(int).to_numpy()
    fresh = applicants(4000, 2)
    fresh[1000:2500] = table.to_numpy()  # on every bin edge, knot and quantile
    beyond = fresh[2500:3000] * 4.0
    fresh[2500:3000] = beyond.to_numpy()
    kinds = {"trend": "real", "usage": "positive", "debt": "positive"}
    schema = Schema(tuple(Feature(name, kinds.get(name, "count")) for name in table))
    return SimpleNamespace(table=table, labels=labels, schema=schema, fresh=fresh)
