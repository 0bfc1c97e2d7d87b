"""Every kind of model that is read, fitted on a table with categories and gaps, with its own judge.

A judge is what the model's user would run on a table that was read back from a file: the
estimator's own prediction, or a second evaluation of the file. It never asks a score.
"""

import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline

import standfast as sf
from samples.bank import World
from samples.zoo_estimators import (
    CODES,
    FOREST,
    LOGISTIC,
    Calibrated,
    Kept,
    estimators,
    front,
    keep,
)
from samples.zoo_files import card, graph, points


def sorted_out(world: World) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Gives a table's texts as pandas categories, in an order that is not the schema's."""
    kinds = {
        f.name: pd.CategoricalDtype([*(f.categories or ())[::-1], *f.missing])
        for f in world.schema
        if f.name in world.texts
    }
    return lambda table: table.astype(kinds)


def histograms(world: World) -> Iterator[Kept]:
    """Histogram boosting, which reads categories and gaps by itself."""
    sorts = sorted_out(world)
    own = sorts(world.table)
    histogram = HistGradientBoostingClassifier(
        max_iter=12, categorical_features="from_dtype", random_state=0
    )
    yield keep("histogram boosting", histogram.fit(own, world.labels), world, as_fitted=sorts)
    fixed = FixedThresholdClassifier(clone(histogram), threshold=0.7, pos_label="no").fit(
        own, world.labels
    )
    yield keep(
        "histogram boosting, threshold towards the other class", fixed, world, as_fitted=sorts
    )


def boosted(world: World) -> Iterator[Kept]:
    """Libraries with categories and gaps of their own."""
    import catboost
    import lightgbm
    import xgboost

    numbers = (world.labels == "yes").astype(int)
    sorts = sorted_out(world)
    own = sorts(world.table)

    def words(table: pd.DataFrame) -> pd.DataFrame:
        plain = {c: table[c].astype(object).fillna("unknown") for c in world.texts}
        return table.assign(**plain)

    light = {
        "n_estimators": 12,
        "n_jobs": 1,
        "verbose": -1,
        "min_data_per_group": 5,
        "cat_smooth": 1,
    }
    yield keep(
        "LightGBM",
        lightgbm.LGBMClassifier(**light).fit(own, world.labels),
        world,
        threshold=0.55,
        as_fitted=sorts,
    )
    calibrated = Calibrated(lightgbm.LGBMClassifier(**light), "isotonic").fit(own, world.labels)
    yield keep("calibrated LightGBM", calibrated, world, as_fitted=sorts)
    for most in (1, 100):
        boost = xgboost.XGBClassifier(
            n_estimators=12, max_depth=4, n_jobs=1, enable_categorical=True, max_cat_to_onehot=most
        )
        yield keep(f"XGBoost, {most}", boost.fit(own, numbers), world, 1, 0.45, sorts)
    cat = {
        "iterations": 15,
        "depth": 4,
        "verbose": False,
        "allow_writing_files": False,
        "thread_count": 1,
    }
    spoken = catboost.CatBoostClassifier(**cat, max_ctr_complexity=1, cat_features=world.texts)
    if all(f.when_missing == "refuse" or f.missing for f in world.schema if f.name in world.texts):
        yield keep("CatBoost", spoken.fit(words(world.table), world.labels), world, as_fitted=words)
    yield from machines(world)


def machines(world: World) -> Iterator[Kept]:
    """Explainable boosting machines."""
    from interpret.glassbox import ExplainableBoostingClassifier

    few = {"max_rounds": 80, "outer_bags": 2, "n_jobs": 1, "max_bins": 32, "random_state": 1}
    types = [
        "nominal" if c in (*world.texts, "phone", "branch") else "continuous" for c in world.table
    ]
    for pairs in (0, 3):
        machine = ExplainableBoostingClassifier(interactions=pairs, feature_types=types, **few)

        def plain(table: pd.DataFrame) -> pd.DataFrame:
            return table.astype(dict.fromkeys(world.texts, object))

        machine.fit(plain(world.table), world.labels)
        yield keep(
            f"explainable boosting, {pairs} pairs", machine, world, threshold=0.43, as_fitted=plain
        )


def several_classes(world: World) -> Kept:
    """A forest of four grades, of which two are favourable."""
    rng = np.random.default_rng(0)
    better = rng.random(len(world.labels)) < 0.4
    grades = np.where(world.labels == "yes", np.where(better, "A", "B"), np.where(better, "C", "D"))
    model = make_pipeline(front(world), RandomForestClassifier(5, max_depth=5, random_state=0))
    return keep("forest, two of four classes", model.fit(world.table, grades), world, {"A", "B"})


def forests(world: World, count: int) -> list[Any]:
    """Forests of other seeds, as the next training run might grow them."""
    before = front(world, CODES, "passthrough")
    models = [RandomForestClassifier(4, max_depth=4, random_state=k) for k in range(count)]
    fitted = [make_pipeline(clone(before), m).fit(world.table, world.labels) for m in models]
    return [sf.as_score(model, world.schema, favourable="yes") for model in fitted]


def policies(world: World, some: dict[str, Kept]) -> Iterator[Kept]:
    """Rules, segments and several models together."""
    if world.name == "bank":
        text = "income >= 1500 and (home != rent or load < 0.4) and not job in ('NA', none)"

        def follows(t: pd.DataFrame) -> Any:
            load, home = t["load"].astype(float), t["home"].astype(object)
            lives = (~home.isin(["rent", "unknown"])) | (load < 0.4)
            works = t["job"].notna() & ~t["job"].isin(["NA", "none"])
            return ((t["income"].astype(float) >= 1500) & lives & works).to_numpy()

        column, first, others = "branch", 7, [3, 11]
    else:
        text = (
            "amount <= 4000 and (savings >= 'below 500 DM' or missing(savings)) and housing != rent"
        )

        def follows(t: pd.DataFrame) -> Any:
            low = t["savings"].isin(["below 100 DM"])
            return (
                (t["amount"].astype(float) <= 4000) & ~low & (t["housing"] != "rent")
            ).to_numpy()

        column, first, others = "housing", "own", ["rent", "for free"]
    rule = Kept("rule", sf.Rule(text, world.schema), follows)
    yield rule
    a, b, c = (
        some[name] for name in ("logistic, one-hot", "forest, ordinal codes", "histogram boosting")
    )
    divided = sf.Segmented(column, {first: a.score, **dict.fromkeys(others, b.score)}, world.schema)

    def by_segment(t: pd.DataFrame) -> Any:
        return np.where((t[column] == first).to_numpy(), a.accepts(t), b.accepts(t))

    yield Kept("segmented", divided, by_segment)
    together = sf.Unanimous([a.score, b.score, c.score], margin=0.01)
    yield Kept("three models", together, lambda t: a.accepts(t) & b.accepts(t) & c.accepts(t))
    governed = sf.Unanimous([c.score, rule.score])
    yield Kept("a model and a rule", governed, lambda t: c.accepts(t) & follows(t))


def zoo(world: World, place: Path) -> Iterator[Kept]:
    """All models on this table, one by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, while fitting
        some: dict[str, Kept] = {}
        for name, (model, threshold) in estimators(world).items():
            some[name] = keep(name, model.fit(world.table, world.labels), world, "yes", threshold)
            yield some[name]
        for kept in chain(histograms(world), boosted(world)):
            some[kept.name] = kept
            yield kept
        yield several_classes(world)
        yield points(world, place)
        yield card(world, place)
        yield graph(world, place, "forest", clone(FOREST), 0.0)
        yield graph(world, place, "logistic regression", clone(LOGISTIC), 1e-4)
        yield from policies(world, some)
