"""A small lender with categories, gaps and inputs that pass by themselves, and its advice."""

from typing import Any

import numpy as np
import pandas as pd

import standfast as sf
from standfast.promises.ledger import Evidence, Ledger, Terms

KEY = "5a" * 32
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", lower=0, upper=9, direction="down"),
        sf.Feature("income", "positive", step=50, lower=0, upper=9000, when_missing="keep"),
        sf.Feature("job", "nominal", categories=("clerk", "nurse", "none")),
        sf.Feature("age", "count", mutable=False, drift=1 / 12),
    )
)
MODEL = sf.Rule("late <= 1 and job in (clerk, nurse)", SCHEMA)
START = "2026-01-01"


def people(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    income = rng.integers(0, 180, n) * 50.0
    return pd.DataFrame(
        {
            "late": rng.integers(0, 10, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, income),
            "job": rng.choice(["clerk", "nurse", "none"], n),
            "age": rng.integers(18, 80, n),
        },
        index=[f"person {seed}-{i}" for i in range(n)],
    )


def percentiles() -> sf.Percentiles:
    return sf.Percentiles.fit(people(200, seed=99))


def advice(n: int = 12, seed: int = 0) -> sf.Recommendations:
    return sf.recommend(sf.MinimalCost(SCHEMA, percentiles()), MODEL, people(n, seed))


def many(recommendations: sf.Recommendations, n: int, prefix: str = "p") -> sf.Recommendations:
    """The same advice for so many people: those who got some, over and over."""
    rows = np.resize(np.arange(len(recommendations)), n)
    index = pd.Index([f"{prefix}{i}" for i in range(n)])

    def taken(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.iloc[rows].set_axis(index)

    return sf.Recommendations(
        recommendations.schema,
        taken(recommendations.factual),
        taken(recommendations.counterfactual),
        taken(recommendations.results),
        recommendations.provenance,
    )


def regions(recommendations: sf.Recommendations) -> Any:
    return sf.region(recommendations, MODEL, percentiles())


def ledger(url: Any = "sqlite://", at: str = START) -> Ledger:
    return Ledger.create(url, KEY, at=at)


def issued(url: Any = "sqlite://", n: int = 12) -> Ledger:
    """A ledger with promises of the new year's day of 2026, by regions."""
    made, recs = ledger(url), advice(n)
    made.issue(recs, regions=regions(recs), evidence=Evidence(), terms=Terms(at=START))
    return made
