"""Measures what sensible schemas cost: moves against the data's direction, prices, people left out.

    STANDFAST_DATA=folder python scripts/measure_sense.py
    STANDFAST_DATA=folder python scripts/measure_sense.py --seed 0 --seed 1 --seed 2 --people 500

For each data set and model the proven cheapest advice is searched for the same refused people,
under the published schema and under the sensible one. A move is perverse if it goes against the
direction that the training people's labels show (`estimate_direction`); it is a share of the people
who have advice, with its 95 % interval. Costs are compared for those who have advice under both.
"""

import argparse

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.datasets.twin import SCHEMAS
from standfast.evaluation.intervals import share
from standfast.schema.direction import estimate_direction

NAMES = ("heloc", "give_me_some_credit")
WAYS = {"up": 1.0, "down": -1.0, None: 0.0}


def models(seed: int) -> dict[str, object]:
    """The references of the study: both classes weigh the same."""
    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
        "forest": RandomForestClassifier(
            50, max_depth=5, class_weight="balanced", random_state=seed
        ),
    }


def perverse(recs: sf.Recommendations, ways: np.ndarray) -> np.ndarray:
    """For everybody with advice whether any of its moves goes against the data's direction."""
    X, Y = recs.matrices()
    return ((np.sign(Y - X) * ways)[recs.found] < 0).any(axis=1)


def measured(name: str, people: int, seed: int) -> pd.DataFrame:
    """One row per model and variant."""
    data = getattr(sf.datasets, name)(variant="published")
    train, test = data.split(0.8, seed=seed)
    percentiles = sf.Percentiles.fit(train.table)
    ways = np.array(
        [WAYS[estimate_direction(train.table[c], train.labels).direction] for c in train.table]
    )
    rows = []
    for kind, model in models(seed).items():
        model.fit(train.table, train.labels)
        score = sf.as_score(model, data.schema, favourable=1)
        refused = test.table[~score.accepts(data.schema.matrix(test.table))]
        chosen = np.random.default_rng(seed).permutation(len(refused))[:people]
        refused = refused.iloc[np.sort(chosen)]
        costs = {}
        for variant in ("published", "sensible"):
            method = sf.MinimalCost(SCHEMAS[name][variant], percentiles)
            recs = sf.recommend(method, score, refused, seed=seed)
            costs[variant] = recs.to_frame()["cost"].astype(float).to_numpy()
            against = perverse(recs, ways)
            part = share(int(against.sum()), len(against))
            both = np.isfinite(costs["published"]) & np.isfinite(costs[variant])
            means = {v: float(found[both].mean()) for v, found in costs.items()}
            rows.append(
                {
                    "data": name,
                    "model": kind,
                    "seed": seed,
                    "schema": variant,
                    "people": len(recs),
                    "without advice": 1 - float(recs.found.mean()),
                    "perverse": part[0],
                    "from": part[1],
                    "to": part[2],
                    "mean cost": means[variant],
                    "times published": means[variant] / means["published"],
                }
            )
    return pd.DataFrame(rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seed", type=int, action="append")
    given = parser.parse_args()
    found = [measured(name, given.people, seed) for name in NAMES for seed in given.seed or [0]]
    print(pd.concat(found).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
