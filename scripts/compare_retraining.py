"""Compares ways to retrain a model so that promises hold: what each costs everybody else.

    STANDFAST_DATA=folder python scripts/compare_retraining.py --out docs/reproduction/repair.csv
    STANDFAST_DATA=folder python scripts/compare_retraining.py --sets heloc --models forest

The people of each data set are split: 60 % to train on, 20 % held out, 20 % who ask. The champion f
is fitted on a bootstrap sample of the training people; the refused among those who ask are advised
by MinimalCost under f, which promises them as many points. The candidate g is an ordinary fit of
the same kind on the training people, with another seed. Every way of retraining starts from g's own
settings and seed, and is asked to keep 90, 99 and 100 % of the promises. The swap set and the area
under the curve are of the people held out, against g; the row "another seed" is an ordinary fit
that differs from g by its seed alone, "another sample" one on a bootstrap sample.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.promises import Promises

KEEPS = (0.9, 0.99, 1.0)
SETS = ("heloc", "give_me_some_credit")
SHOWN = ["set", "model", "by", "keep", "kept", "accepted", "newly_accepted", "newly_refused"]


def estimators(seed: int) -> dict[str, Any]:
    """The kinds of models that are retrained; both classes weigh the same."""
    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
        "forest": RandomForestClassifier(
            50, max_depth=8, min_samples_leaf=5, class_weight="balanced", random_state=seed
        ),
        "boosting": HistGradientBoostingClassifier(
            max_depth=5, class_weight="balanced", early_stopping=False, random_state=seed
        ),
    }


def ways(kind: str) -> list[Any]:
    """The schemes that read a kind of model."""
    exact = sf.repair.LinearConstraints() if kind == "linear" else sf.repair.LeafValues()
    weights = [sf.repair.AdaptiveWeights(), sf.repair.AdaptiveWeights(counterweights=True)]
    return [sf.repair.PromiseRows(), *weights, exact]


def promised(
    kind: str, train: sf.Dataset, asking: sf.Dataset, most: int, seed: int
) -> tuple[Promises, Any]:
    """Promises made under a champion fitted on a bootstrap sample, and the champion."""
    rows = np.random.default_rng([seed, 1]).integers(0, len(train), len(train))
    labels = (train.labels.iloc[rows] == 1).astype(int)
    fitted = estimators(seed + 1)[kind].fit(train.table.iloc[rows].astype(float), labels)
    champion = sf.as_score(fitted, train.schema, favourable=1)
    refused = ~champion.accepts(train.schema.matrix(asking.table))
    best = sf.MinimalCost(train.schema, sf.Percentiles.fit(train.table))
    advice = sf.recommend(best, champion, asking.table[refused].head(most), time_limit=2.0)
    return Promises.of(advice), champion


def compared(name: str, kind: str, options: argparse.Namespace) -> pd.DataFrame:
    """All ways of retraining one kind of model on one data set."""
    data = getattr(sf.datasets, name)()
    if len(data) > options.rows:
        data, _ = data.split(options.rows / len(data), seed=options.seed)
    train, rest = data.split(0.6, seed=options.seed)
    held, asking = rest.split(0.5, seed=options.seed + 1)
    promises, champion = promised(kind, train, asking, options.promises, options.seed)
    estimator = estimators(options.seed)[kind]
    tables = []
    for way in ways(kind):
        began = time.monotonic()
        table = sf.repair.retraining_frontier(
            estimator, train, promises, keeps=KEEPS, held_out=held, by=way, seed=options.seed
        )
        table["scheme"], table["seconds"] = way.name, time.monotonic() - began
        tables.append(table if not tables else table[table["keep"].notna()])
        print(table.round(4).to_string(), flush=True)
    ordinary = tables[0].iloc[0]
    drawn = {"by": "another sample"} | sf.repair.swap_set(
        sf.as_score(_fitted(estimator, train), train.schema, favourable=1), champion, held
    )
    whole = pd.concat([*tables, pd.DataFrame([drawn])], ignore_index=True)
    whole.insert(0, "set", name)
    whole.insert(1, "model", kind)
    whole["train"], whole["promises"] = len(train), int(ordinary["promises"])
    return whole


def _fitted(estimator: Any, train: sf.Dataset) -> Any:
    return estimator.fit(train.table.astype(float), (train.labels == 1).astype(int))


def main() -> None:
    """Compare, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--models", nargs="+", default=list(estimators(0)))
    parser.add_argument("--rows", type=int, default=20_000, help="people taken of a larger set")
    parser.add_argument("--promises", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    table = pd.DataFrame()
    for name in options.sets:
        for kind in options.models:
            table = pd.concat([table, compared(name, kind, options)], ignore_index=True)
            if options.out is not None:  # what is done is done
                table.round(6).to_csv(options.out, index=False)
    print(table[[*SHOWN, "auc_change"]].round(4).to_string())


if __name__ == "__main__":
    main()
