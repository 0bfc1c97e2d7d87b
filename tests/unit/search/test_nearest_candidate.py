import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from standfast import Feature, Schema, as_score
from standfast.scores.score import surely_accepts
from standfast.search.sampling.nearest import Judge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 5)).round(1)
LABELS = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=600) > 0, 1, -1)
TABLE = pd.DataFrame(X, columns=list("abcde"))
SCHEMA = Schema(tuple(Feature(name) for name in TABLE))
MODELS = [
    RandomForestClassifier(20, max_depth=6, random_state=0),
    RandomForestClassifier(7, random_state=0),  # full grown: sums at the very threshold
    GradientBoostingClassifier(n_estimators=30, random_state=0),
]


def nearest_by_asking_about_all(model, points, owner, distance, people):
    accepted = surely_accepts(model, points)
    found = []
    for person in range(people):
        mine = np.flatnonzero((owner == person) & accepted)
        # of equally near ones the last
        found.append(max(mine, key=lambda i: (-distance[i], i)) if len(mine) else -1)
    return found


@pytest.mark.parametrize("estimator", MODELS, ids=["forest", "deep forest", "boosting"])
@pytest.mark.parametrize("spread", [0.05, 0.5, 3.0])
def test_the_nearest_accepted_candidate_is_the_one_that_all_trees_would_name(estimator, spread):
    model = as_score(estimator.fit(TABLE, LABELS), SCHEMA, favourable=1)
    rng, people = np.random.default_rng(1), 12
    centres = X[rng.integers(0, len(X), people)]
    counts = rng.integers(0, 400, people)
    owner = np.repeat(np.arange(people), counts)
    points = (centres[owner] + spread * rng.normal(size=(len(owner), 5))).round(1)
    distance = np.abs(points - centres[owner]).sum(axis=1).round(1)  # with ties
    judge = Judge(model)
    assert judge._trees is not None
    for _ in range(2):  # the second time in the same workspace
        found = judge.nearest(points, owner, distance, people)
        expected = nearest_by_asking_about_all(model, points, owner, distance, people)
        assert found.tolist() == expected


def test_missing_values_and_other_models_are_asked_as_they_are():
    model = as_score(MODELS[2].fit(TABLE, LABELS), SCHEMA, favourable=1)
    function = as_score(lambda table: table["a"] - 0.5, SCHEMA, favourable=None)
    owner, distance = np.zeros(3, np.intp), np.array([2.0, 1.0, 1.0])
    points = np.array([[1.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0], [0.7, 0, 0, 0, 0]])
    assert Judge(function)._trees is None
    assert Judge(function).nearest(points, owner, distance, 2).tolist() == [2, -1]
    points[:, 4] = -np.inf
    expected = nearest_by_asking_about_all(model, points, owner, distance, 1)
    assert Judge(model).nearest(points, owner, distance, 1).tolist() == expected
