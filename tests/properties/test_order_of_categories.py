"""The order of a nominal's categories, and the names they sort by, change no answer and no cost."""

from dataclasses import replace

import lightgbm
import numpy as np
import pandas as pd
import pytest
from samples.lender import NUMBERS, TEXT, lender, schema
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import standfast as sf
from standfast.readers import read_points

TABLE, LABELS = lender(400)
PEOPLE = lender(14, seed=9)[0]
Q = sf.Percentiles.fit(TABLE)
OWN = schema()
SORTS = TABLE.astype({c: pd.CategoricalDtype(OWN[c].categories) for c in TEXT})
CODES = {"handle_unknown": "use_encoded_value", "unknown_value": -1, "encoded_missing_value": -2}


def behind(encoder, model):
    parts = [("words", encoder, TEXT), ("numbers", SimpleImputer(), NUMBERS)]
    return make_pipeline(ColumnTransformer(parts), model).fit(TABLE, LABELS)


def forest(seed):
    few = RandomForestClassifier(4, max_depth=4, random_state=seed)
    return behind(OrdinalEncoder(**CODES), few)


MODELS = {
    "linear": behind(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=5000)),
    "forest": forest(0),
    "LightGBM": lightgbm.LGBMClassifier(
        n_estimators=5, n_jobs=1, verbose=-1, min_data_per_group=5, cat_smooth=1
    ).fit(SORTS, LABELS),
    "histograms": HistGradientBoostingClassifier(max_iter=5, categorical_features=TEXT).fit(
        TABLE, LABELS
    ),
}
FORESTS = [forest(seed) for seed in range(1, 5)]
METHODS = {
    "total": lambda own: sf.MinimalCost(own, Q, alternatives=3),
    "max": lambda own: sf.MinimalCost(own, Q, cost="max"),
    "log": lambda own: sf.MinimalCost(own, Q, cost="log", alternatives=2),
    "actionable recourse": lambda own: sf.ActionableRecourse(own, Q),
    "growing spheres": lambda own: sf.GrowingSpheres(own, Q, candidates=200),
    "invariant": lambda own: sf.Invariant(
        own,
        Q,
        search=[sf.as_score(one, own, favourable=1) for one in FORESTS[:2]],
        choose=[sf.as_score(one, own, favourable=1) for one in FORESTS[2:]],
        validity=0.5,
    ),
}
PAIRS = [
    (model, method)
    for model in MODELS
    for method in METHODS
    if {"actionable recourse": "linear", "invariant": "forest"}.get(method, model) == model
]
LAWS = {"rules": ("if job == unemployed then housing in (rent, family)",)}


def shuffled(rng):
    """The lender's schema with the categories of each column in another order."""
    features = [
        replace(f, categories=tuple(rng.permutation(np.array(f.categories, dtype=object))))
        if f.kind == "nominal"
        else f
        for f in OWN
    ]
    return sf.Schema(tuple(features), **LAWS)


def advised(own, model, method):
    score = sf.as_score(MODELS[model], own, favourable=1)
    return score, sf.recommend(METHODS[method](own), score, PEOPLE)


@pytest.mark.parametrize(("model", "method"), PAIRS)
def test_the_order_of_categories_changes_no_answer_no_cost_and_no_sentence(model, method):
    plain = sf.Schema(tuple(OWN), **LAWS)
    score, before = advised(plain, model, method)
    assert before.found.sum() >= 3
    for seed in range(2):
        other, after = advised(shuffled(np.random.default_rng(seed)), model, method)
        pd.testing.assert_frame_equal(
            before.to_frame().drop(columns="seconds"), after.to_frame().drop(columns="seconds")
        )
        if before.alternatives is not None:
            pd.testing.assert_frame_equal(before.alternatives, after.alternatives)
        if method == "total":
            rooms = [sf.region(a, s, Q).sentences() for a, s in ((before, score), (after, other))]
            pd.testing.assert_series_equal(*rooms)


@pytest.mark.parametrize("cost", ["total", "max", "log"])
def test_other_names_change_no_cost_although_codes_follow_the_names(cost):
    """Codes are places among sorted names, so other names permute them."""
    rng = np.random.default_rng(0)
    worth = {f.name: rng.normal(0, 20, len(f.categories)).round(2) for f in OWN if f.coder}
    found = []
    for seed in range(3):
        draw = np.random.default_rng(seed)
        called = {
            f.name: {c: f"n{k}" for c, k in zip(f.categories, draw.permutation(9), strict=False)}
            for f in OWN
            if f.coder
        }
        features, rows = [], [("income", "", 2000.0, "", 0.0), ("income", 2000.0, "", "", 15.0)]
        rows.append(("income", "", "", "missing", 4.0))
        for f in OWN:
            names = called.get(f.name)
            if names is None:
                features.append(f)
                continue
            ways = f.transitions and {
                names[a]: [names[b] for b, _ in targets] for a, targets in f.transitions
            }
            features.append(replace(f, categories=tuple(names.values()), transitions=ways))
            values = zip(names.values(), worth[f.name], strict=True)
            rows += [(f.name, "", "", name, points) for name, points in values]
            rows += [(f.name, "", "", "missing", 1.0)] if f.when_missing != "refuse" else []
        own = sf.Schema(tuple(features))
        columns = ["feature", "lower", "upper", "category", "points"]
        card = read_points(pd.DataFrame(rows, columns=columns), own, cutoff=25.0)
        table, people = (t.replace(called) for t in (TABLE, PEOPLE))
        method = sf.MinimalCost(own, sf.Percentiles.fit(table), cost=cost)
        found.append(sf.recommend(method, card, people))
    assert found[0].found.sum() >= 3
    for other in found[1:]:
        assert other.outcome.tolist() == found[0].outcome.tolist()
        np.testing.assert_allclose(other.cost, found[0].cost, rtol=0, atol=1e-12)
