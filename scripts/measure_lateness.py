"""The paper's figure 3 in numbers: do lateness counts of advice follow those of good customers?

    STANDFAST_DATA=folder python scripts/measure_lateness.py [--people 2000]

On Give Me Some Credit, for a linear reference on plain and on logarithmic inputs: the total
variation distance between each of the three lateness counts among correctly accepted people,
H_f^+ ∩ D^+, and among the advice of C-CHVAE and of AR, with 95 % bootstrap intervals. Test people
throughout; nobody is dropped but those for whom a method found nothing, and these are counted.
"""

import argparse
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import standfast as sf
from standfast.autoencoder import fit
from standfast.datasets.give_me_some_credit import LATENESS
from standfast.methods.cchvae import PUBLISHED

INPUTS = ("plain", "log")
REPEATS = 400
Counts = NDArray[np.int64]


def reference(data: sf.datasets.Dataset, inputs: str) -> sf.Score:
    """A logistic regression with balanced classes, on plain inputs or on log(1 + x)."""
    logs = [FunctionTransformer(np.log1p)] if inputs == "log" else []
    model = make_pipeline(
        *logs, StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)
    )
    return sf.as_score(model.fit(data.table, data.labels), data.schema, favourable=1)


def learnt(train: sf.datasets.Dataset, seed: int = 0) -> sf.Autoencoder:
    """The autoencoder with the paper's settings for this set."""
    s, z, epochs = PUBLISHED["give_me_some_credit"]
    return fit(train.schema, train.table, s=s, z=z, epochs=epochs, seed=seed)


def methods(train: sf.datasets.Dataset, autoencoder: sf.Autoencoder) -> dict[str, Any]:
    """The methods of the figure, ours and as published."""
    schema, q = train.schema, sf.Percentiles.fit(train.table)
    chvae = sf.CCHVAE(schema, q, autoencoder)
    return {
        "C-CHVAE": chvae,
        "C-CHVAE, as published": sf.CCHVAE.as_published(schema, q, autoencoder),
        "C-CHVAE, reconstruction only": chvae.reconstruction_only(),
        "AR": sf.ActionableRecourse(schema, q),
        "AR, as published": sf.ActionableRecourse.as_published(schema, q),
    }


def total_variation(a: Counts, b: Counts) -> float:
    """½ Σ_k |P(a = k) − P(b = k)| of two samples of counts."""
    most = int(max(a.max(), b.max())) + 1
    p, q = (np.bincount(x, minlength=most) / len(x) for x in (a, b))
    return float(0.5 * np.abs(p - q).sum())


def measure(
    train: sf.datasets.Dataset,
    test: sf.datasets.Dataset,
    autoencoder: sf.Autoencoder,
    inputs: str,
    people: int,
    seed: int = 0,
    repeats: int = REPEATS,
) -> pd.DataFrame:
    """One row per method and lateness count: distance, interval, and how many had advice.

    `below_ar` is the share of bootstrap repeats in which the distance is below AR's.
    """
    model = reference(train, inputs)
    accepted = model.accepts(train.schema.matrix(test.table))
    good = test.table[accepted & (test.labels == 1).to_numpy()][list(LATENESS)].to_numpy()
    refused = test.table[~accepted]
    rng = np.random.default_rng(seed)
    refused = refused.iloc[np.sort(rng.permutation(len(refused))[:people])]
    goals = {"refused people themselves": refused[list(LATENESS)].to_numpy(dtype=float)}
    for name, method in methods(train, autoencoder).items():
        advice = sf.recommend(method, model, refused, seed=seed)
        goals[name] = advice.counterfactual[list(LATENESS)].to_numpy(dtype=float, na_value=np.nan)
    whole = {name: _distances(good, goal) for name, goal in goals.items()}
    repeated: dict[str, list[list[float]]] = {name: [] for name in goals}
    for _ in range(repeats):
        ours = good[rng.integers(0, len(good), len(good))]
        who = rng.integers(0, len(refused), len(refused))  # the same people for every method
        for name, goal in goals.items():
            repeated[name].append(_distances(ours, goal[who]))
    rows = []
    against = np.array(repeated["AR"])
    for name, goal in goals.items():
        draws = np.array(repeated[name])
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        for j, column in enumerate(LATENESS):
            below = float((draws[:, j] < against[:, j]).mean())
            found = int(np.isfinite(goal[:, j]).sum())
            rows.append((inputs, column, name, found, whole[name][j], low[j], high[j], below))
    columns = ["inputs", "count", "method", "n", "distance", "low", "high", "below_ar"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(refused=len(refused), good=len(good))


def _distances(good: Counts, goal: NDArray[np.float64]) -> list[float]:
    found = goal[np.isfinite(goal).all(axis=1)]
    # sampled or unprojected counts are whole already; ours always are
    return [
        total_variation(good[:, j].astype(int), np.rint(found[:, j]).astype(int)) for j in range(3)
    ]


def main() -> None:
    """Measure both references and print the distances."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--people", type=int, default=2000, help="refused test people at most")
    asked = parser.parse_args()
    train, test = sf.datasets.give_me_some_credit(variant="published").split(0.8, seed=0)
    autoencoder = learnt(train)
    for inputs in INPUTS:
        found = measure(train, test, autoencoder, inputs, asked.people)
        print(
            f"\n{inputs} inputs: {found['refused'][0]} refused, {found['good'][0]} good customers"
        )
        shown = found.drop(columns=["inputs", "refused", "good"]).set_index(["count", "method"])
        print(shown.to_string(float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
