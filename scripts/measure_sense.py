"""Measures what sensible schemas cost: moves against the data's direction, prices, people left out.

    STANDFAST_DATA=folder python scripts/measure_sense.py
    STANDFAST_DATA=folder python scripts/measure_sense.py --seed 0 --seed 1 --seed 2 --people 500

For each data set and model the proven cheapest advice is searched for the same refused people:
under the published schema, with directions, steps and relations only, and under the sensible
schema, which also declares what people cannot act on, what moves together, and rules. A move is
perverse if it goes against the direction that the training people's labels show
(`estimate_direction`); it is a share of the people who have advice, with its 95 % interval. Costs
are compared for those who have advice under the published schema too.
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace

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


def schemas(name: str, ways: np.ndarray) -> Mapping[str, sf.Schema]:
    """The schemas that are compared."""
    published, sensible = SCHEMAS[name]["published"], SCHEMAS[name]["sensible"]
    names = {way: direction or "any" for direction, way in WAYS.items()}
    directed = tuple(
        replace(ours, mutable=theirs.mutable, direction=names[way])
        for ours, theirs, way in zip(sensible, published, ways, strict=True)
    )
    between = sf.Schema(directed, sensible.relations)
    return {"published": published, "directions": between, "sensible": sensible}


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
        for variant, schema in schemas(name, ways).items():
            method = sf.MinimalCost(schema, percentiles)
            recs = sf.recommend(method, score, refused, seed=seed)
            costs[variant] = recs.to_frame()["cost"].astype(float).to_numpy()
            against = perverse(recs, ways)
            part = share(int(against.sum()), len(against))
            both = np.isfinite(costs["published"]) & np.isfinite(costs[variant])
            mean, before = (float(costs[v][both].mean()) for v in (variant, "published"))
            rows.append(
                {
                    "data": name,
                    "model": kind,
                    "seed": seed,
                    "schema": variant,
                    "people": len(recs),
                    "without advice": 1 - float(recs.found.mean()),
                    "perverse": float(part[0]),
                    "from": float(part[1]),
                    "to": float(part[2]),
                    "mean cost": mean,
                    "times published": mean / before,
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
