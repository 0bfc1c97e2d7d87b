"""A small credit world: a reference, two rivals, and advice under the reference."""

from dataclasses import dataclass

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf


@dataclass(frozen=True)
class World:
    train: sf.datasets.Dataset
    test: sf.datasets.Dataset
    f: sf.Score
    g: sf.Score
    h: sf.Score
    q: sf.Percentiles
    best: sf.MinimalCost
    recs: sf.Recommendations

    @property
    def rivals(self):
        return {"forest": self.g, "linear": self.h}


@pytest.fixture(scope="session")
def world():
    data = sf.datasets.twin("give_me_some_credit", n=3000, seed=0)
    train, test = data.split(0.7, seed=0)

    def forest(seed):
        model = RandomForestClassifier(
            12, max_depth=5, class_weight="balanced", random_state=seed, min_samples_leaf=5
        )
        return sf.as_score(model.fit(train.table, train.labels), data.schema, favourable=1)

    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    h = sf.as_score(linear.fit(train.table, train.labels), data.schema, favourable=1)
    f, g = forest(0), forest(1)
    q = sf.Percentiles.fit(train.table)
    best = sf.MinimalCost(data.schema, q, per_change=0.0)
    recs = sf.recommend(best, f, test.table.head(300))
    return World(train, test, f, g, h, q, best, recs)
