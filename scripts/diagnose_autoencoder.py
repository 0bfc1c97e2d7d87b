"""Does the autoencoder model the real data, and how much of C-CHVAE's advice is mere blur?

    STANDFAST_DATA=folder python scripts/diagnose_autoencoder.py [--people 1000]

For both real sets, with the defaults and with the paper's settings: the bound on training and on
test people; per input how well it is reconstructed and how far decoded and drawn values are from
the real ones; and per reference model the share of refused people whose mere reconstruction is
already accepted, the advice's cost, and the share of it that is reconstruction.
"""

import argparse

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import standfast as sf
from standfast.autoencoder import diagnosis, fit
from standfast.autoencoder.training import COMPONENTS, EPOCHS, LATENT
from standfast.methods.cchvae import PUBLISHED
from standfast.methods.mere_reconstruction import mere_reconstruction

NAMES = ("give_me_some_credit", "heloc")
SHOWN = "{:.3f}".format


def references(train: sf.datasets.Dataset) -> dict[str, sf.Score]:
    """The reference models: linear on plain and on logarithmic inputs, and a forest."""
    balanced = {"class_weight": "balanced", "max_iter": 1000}
    models = {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(**balanced)),
        "linear, log inputs": make_pipeline(
            FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression(**balanced)
        ),
        "forest 50 × 8": RandomForestClassifier(
            50, max_depth=8, class_weight="balanced", random_state=0
        ),
    }
    return {
        name: sf.as_score(model.fit(train.table, train.labels), train.schema, favourable=1)
        for name, model in models.items()
    }


def advice(
    methods: dict[str, sf.CCHVAE], model: sf.Score, people: pd.DataFrame
) -> list[dict[str, object]]:
    """What each variant of the method costs, how usual its advice is, and what of it is blur."""
    rows = []
    for label, method in methods.items():
        found = sf.recommend(method, model, people, seed=0)
        shown = mere_reconstruction(method, model, found)
        X = method.schema.matrix(found.factual[found.found])
        Y = found.counterfactual[found.found].to_numpy(dtype=float)
        usual = method.autoencoder.usual(Y).mean() if len(Y) else np.nan
        rows.append(
            {
                "search": label,
                **shown.to_dict(),
                "changes": (X != Y).sum(axis=1).mean() if len(Y) else np.nan,
                "usual": usual,
                "usual_before": method.autoencoder.usual(X).mean() if len(Y) else np.nan,
            }
        )
    return rows


def main() -> None:
    """Fit, diagnose and print, set by set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--people", type=int, default=1000, help="refused test people at most")
    asked = parser.parse_args()
    for name in NAMES:
        data = getattr(sf.datasets, name)(variant="published")
        train, test = data.split(0.8, seed=0)
        q, models = sf.Percentiles.fit(train.table), references(train)
        for label, (s, z, epochs) in (
            ("defaults", (COMPONENTS, LATENT, EPOCHS)),
            ("paper's settings", PUBLISHED[name]),
        ):
            learnt = fit(data.schema, train.table, s=s, z=z, epochs=epochs, seed=0)
            print(f"\n## {name}, {label}: s = {s}, z = {z}, {epochs} epochs")
            print(diagnosis.held_out_bound(learnt, test.table).to_string(float_format=SHOWN))
            inputs = diagnosis.reconstruction(learnt, test.table, q).join(
                diagnosis.marginals(learnt, test.table, q)[["decoded_distance", "drawn_distance"]]
            )
            print(inputs.to_string(float_format=SHOWN))
            method = sf.CCHVAE(data.schema, q, learnt)
            methods = {
                "decoded": method,
                "sparse": sf.CCHVAE(data.schema, q, learnt, sparse=True),
                "as published": sf.CCHVAE.as_published(data.schema, q, learnt),
            }
            for which, model in models.items():
                refused = test.table[~model.accepts(data.schema.matrix(test.table))]
                found = pd.DataFrame(advice(methods, model, refused.iloc[: asked.people]))
                print(f"\n{which}\n{found.to_string(index=False, float_format=SHOWN)}")


if __name__ == "__main__":
    main()
