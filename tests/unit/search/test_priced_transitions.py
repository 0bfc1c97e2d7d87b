"""Prices of transitions are no multiples of a person's share: bounds are not rounded to these."""

import itertools

import numpy as np
import pandas as pd
import pytest

import standfast as sf


class Entries:
    """A number for each category."""

    def __init__(self, values):
        self.values = values

    def __call__(self, codes):
        return self.values[np.clip(codes, 0, len(self.values) - 1).astype(int)]


@pytest.mark.parametrize("seed", range(12))
def test_minimal_is_minimal_where_every_input_has_priced_transitions(seed):
    rng, names = np.random.default_rng(seed), ("a", "b", "c", "d")
    prices, points = rng.uniform(0.01, 0.3, (4, 4, 4)), rng.normal(size=(4, 4))
    features = [
        sf.Feature(
            f"x{j}",
            "nominal",
            categories=names,
            transitions={
                a: {b: float(prices[j, i, k]) for k, b in enumerate(names) if k != i}
                for i, a in enumerate(names)
            },
        )
        for j in range(4)
    ]
    schema = sf.Schema(tuple(features))
    people = pd.DataFrame(rng.choice(names, (5, 4)), columns=list(schema.names))
    # a sum is refused until it is near its most
    model = sf.Additive([Entries(p) for p in points], -0.8 * points.max(axis=1).sum())
    method = sf.MinimalCost(schema, sf.Percentiles.fit(people), per_change=0.0)
    found = sf.recommend(method, model, people)
    for i, x in enumerate(schema.matrix(people).astype(int)):
        if found.outcome.iloc[i] == "already_favourable":
            continue
        costs = [
            sum(prices[j, x[j], y[j]] for j in range(4) if x[j] != y[j])
            for y in itertools.product(range(4), repeat=4)
            if sum(points[j, y[j]] for j in range(4)) > 0.8 * points.max(axis=1).sum()
        ]
        assert found.cost.iloc[i] == pytest.approx(min(costs))
