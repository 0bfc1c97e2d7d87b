"""Advice on one input, and models whose acceptance of it is known."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import standfast as sf

SCHEMA = sf.Schema((sf.Feature("income", "count"),))
PEOPLE = pd.DataFrame({"income": [1, 2, 3, 9, 0]}, index=list("abcde"))


def advice(model, margin=0.0):
    best = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(PEOPLE), margin=margin)
    return sf.recommend(best, model, PEOPLE)


def draws(n, seed=0, spread=1.0, centre=-2.5):
    offsets = np.random.default_rng(seed).normal(centre, spread, n)
    return [sf.Linear([1.0], offset) for offset in offsets]


@dataclass(frozen=True)
class World:
    reference: sf.Score
    recs: sf.Recommendations


@pytest.fixture(scope="session")
def world():
    f = sf.Linear([1.0], -2.5)
    return World(f, advice(f))
