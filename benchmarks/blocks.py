"""CPU per person of a method that serves people in blocks, under a linear model and a forest."""

import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf

PEOPLE, BLOCK = 1024, 256


def timed(
    title: str,
    method: sf.Method,
    train: sf.datasets.Dataset,
    test: sf.datasets.Dataset,
    bars: tuple[float, float],
    seed: int = 0,
) -> list[dict[str, object]]:
    """Two rows: the median over blocks of milliseconds of CPU per person, and its bar."""
    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    forest = RandomForestClassifier(
        50, max_depth=8, class_weight="balanced", random_state=seed, n_jobs=2
    )
    rows: list[dict[str, object]] = []
    for label, estimator, bar in zip(
        ("linear", "forest 50 × depth 8"), (linear, forest), bars, strict=True
    ):
        estimator.fit(train.table, train.labels)
        if estimator is forest:
            estimator.set_params(n_jobs=1)
        model = sf.as_score(estimator, train.schema, favourable=1)
        refused = test.table[~model.accepts(train.schema.matrix(test.table))].iloc[:PEOPLE]
        advisor = sf.Advisor(method, model, block=BLOCK)
        advisor.recommend(refused.iloc[:8])  # compile first
        per_person = []
        for start in range(0, len(refused), BLOCK):
            block = refused.iloc[start : start + BLOCK]
            began = time.process_time()
            recs = advisor.recommend(block, seed=seed)
            per_person.append((time.process_time() - began) * 1e3 / len(block))
        median = float(np.median(per_person))
        rows.append(
            {
                "benchmark": title.format(label),
                "measured": f"{median:.2f} ms CPU per person ({len(refused)} people)",
                "peer": f"{recs.found.mean():.0%} of the last block found",
                "bar": f"≤ {bar:g} ms",
                "met": median <= bar,
            }
        )
    return rows
