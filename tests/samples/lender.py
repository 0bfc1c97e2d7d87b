"""A lender's table as it comes: text, empty cells, a number that stands for "never"."""

from typing import Any

import numpy as np
import pandas as pd

from standfast.schema import Feature, Schema
from standfast.scores import TreeEnsemble

JOBS = ("unemployed", "clerk", "driver", "nurse", "cook", "doctor")
HOUSING = ("rent", "own", "family")
PURPOSE = ("car", "tv", "school", "repair")
TEXT = ["job", "housing", "purpose"]
NUMBERS = ["income", "age", "pdays", "grade"]
NEVER = 999.0


def lender(n: int = 800, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """People and whether they paid back; income, job and housing have gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": np.round(rng.lognormal(7.5, 0.5, n)),
            "job": rng.choice(JOBS, n, p=[0.1, 0.2, 0.2, 0.2, 0.25, 0.05]),
            "age": rng.integers(18, 80, n).astype(float),
            "housing": rng.choice(HOUSING, n),
            "purpose": rng.choice(PURPOSE, n),
            "pdays": np.where(rng.random(n) < 0.5, NEVER, rng.integers(0, 30, n)),
            "grade": rng.integers(1, 5, n).astype(float),
        }
    )
    pull = np.log(table.income) - 7.5 + 0.7 * (table.job == "nurse") - 1.0 * (table.job == JOBS[0])
    pull += 0.6 * (table.housing == "own") + 0.3 * (table.purpose == "car") + 0.2 * table.grade
    labels = (pull - 0.5 * (table.pdays == NEVER) + rng.normal(0, 0.5, n) > 0.4).astype(int)
    for column, share in (("income", 0.08), ("job", 0.07), ("housing", 0.1)):
        table.loc[rng.random(n) < share, column] = np.nan
    return table, labels


def schema(*, backwards: bool = False, **changed: Feature) -> Schema:
    """The lender's schema; `backwards` lists every category in another order."""

    def order(names: tuple[str, ...]) -> tuple[str, ...]:
        return names[::-1] if backwards else names

    own = {
        "age": Feature("age", "count", mutable=False),
        "income": Feature(
            "income", "positive", step=500, lower=1000, upper=4000, when_missing="fill"
        ),
        "job": Feature("job", "nominal", categories=order(JOBS), when_missing="fill"),
        "housing": Feature(
            "housing",
            "nominal",
            categories=order(HOUSING),
            transitions={"rent": ["own", "family"], "family": ["own"]},
            when_missing="keep",
        ),
        "purpose": Feature("purpose", "nominal", categories=order(PURPOSE), price=0.3),
        "pdays": Feature("pdays", "count", mutable=False, missing=(NEVER,), when_missing="keep"),
        "grade": Feature("grade", "count", lower=1, upper=4, direction="up"),
    }
    return Schema(tuple({**own, **changed}.values()))


def rows(schema: Schema, score: Any, n: int = 2000) -> Any:
    """Rows with every category, gaps and tokens, and numbers on the splits and next to them."""
    rng, (table, _) = np.random.default_rng(1), lender(n, seed=2)
    X = np.empty((n, len(schema)))
    for j, feature in enumerate(schema):
        gapped = feature.when_missing != "refuse"
        if feature.coder is not None:
            names = feature.coder.names if gapped else feature.categories
            X[:, j] = rng.integers(0, len(names), n)
        else:
            X[:, j] = table[feature.name].fillna(1000.0)
            if isinstance(score, TreeEnsemble) and feature.name != "grade":
                at = ~score.trees.leaf & (score.trees.feature == j)
                splits = np.unique(score.trees.split[at])
                splits = splits[np.abs(splits) < 1e30]
                near = [splits, np.nextafter(splits, np.inf), splits.astype(np.float32)]
                chosen = rng.random(n) < (0.5 if len(splits) else 0.0)
                X[chosen, j] = rng.choice(np.concatenate(near), chosen.sum())
        if gapped:
            X[rng.random(n) < 0.15, j] = -np.inf
    return X
