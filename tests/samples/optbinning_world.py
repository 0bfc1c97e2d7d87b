"""OptBinning's models, fitted, read and compared in a process of their own.

OptBinning loads OR-Tools, whose copy of the HiGHS solver and that of `highspy` exclude each other.
Run as a script, this prints what was found as JSON.
"""

import json
import pickle
import sys
import warnings

import numpy as np
import pandas as pd

import standfast as sf

NAMES = ["income", "debt", "home", "kids"]
SCHEMA = sf.Schema(
    (
        sf.Feature("kids", "count"),
        sf.Feature("income", "real", when_missing="keep", missing=(-9,), step=1),
        sf.Feature("debt", step=0.5),
        sf.Feature(
            "home",
            "nominal",
            categories=("rent", "own", "family", "unseen"),
            when_missing="fill",
            transitions={"rent": ["own"], "family": ["rent", "own"]},
        ),
    )
)
PDO = {"pdo": 20, "odds": 50, "scorecard_points": 600}


def applicants(n=500):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "income": rng.integers(0, 13, n).astype(float),
            "debt": (2 * rng.normal(0, 1, n)).round() / 2,
            "home": rng.choice(["own", "rent", "family"], n),
            "kids": rng.integers(0, 4, n),
        }
    )
    own = table["home"] == "own"
    good = table["income"] / 4 + table["debt"] + own + rng.normal(0, 0.5, n) > 2
    for token in (np.nan, -9.0):
        table.loc[rng.random(n) < 0.1, "income"] = token
    table.loc[rng.random(n) < 0.1, "home"] = None
    return table, np.where(good, "good", "bad")


def models():
    from optbinning import BinningProcess, Scorecard
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    table, labels = applicants()
    bad = (labels == "bad").astype(int)

    def process(**ways):
        return BinningProcess(NAMES, categorical_variables=["home"], special_codes=[-9], **ways)

    def card(**ways):
        found = Scorecard(process(), LogisticRegression(), **ways)
        return found.fit(table, bad, metric_special="empirical", metric_missing="empirical")

    rates = {name: {"metric": "event_rate", "metric_missing": 0.4} for name in NAMES}
    scaled = process(binning_transform_params=rates)
    points = {"scaling_method": "pdo_odds", "scaling_method_params": PDO, "rounding": True}
    spread = {"scaling_method": "min_max", "scaling_method_params": {"min": 300, "max": 850}}
    whole = card(**points)
    lifted = card(**spread, intercept_based=True, rounding=True)
    narrow = BinningProcess(["debt", "kids"])
    return {
        "weights of evidence": (make_pipeline(process(), LogisticRegression()).fit(table, bad), 0),
        "event rates": (
            make_pipeline(scaled, StandardScaler(), LogisticRegression()).fit(table, bad),
            1,
        ),
        "two of the columns": (
            make_pipeline(narrow, LogisticRegression()).fit(table[["debt", "kids"]], bad),
            0,
        ),
        "a card's probability": (whole, 0),
        "points by odds": (whole, None),
        "points by range": (lifted, None),
        "points as a function": (lifted.score, None),
        "points without a scale": (card(), None),
    }


def rows(n=3000):
    """Random rows: all categories, gaps, special codes, bin edges and the numbers next to them."""
    rng = np.random.default_rng(1)
    X = np.column_stack(
        (rng.integers(0, 6, n), rng.integers(-1, 14, n), rng.normal(0, 2, n), rng.integers(0, 4, n))
    ).astype(float)
    X[:, 1] += rng.choice([0.0, 0.5], n)
    X[: n // 2, 2] = (4 * X[: n // 2, 2]).round() / 4
    for j in (1, 2):
        near = rng.random(n) < 0.2
        X[near, j] = np.nextafter(X[near, j], -np.inf)
    for value in (-9.0, np.nextafter(-9.0, 0.0), -np.inf):
        X[rng.random(n) < 0.05, 1] = value
    X[rng.random(n) < 0.05, 3] = -np.inf
    return X


def main():
    sys.path.insert(0, __file__.rpartition("samples")[0])
    from samples.cheapest import assert_cheapest

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # OptBinning's own, about pandas
        fitted = models()
    table, _ = applicants()
    report = {}
    for name, (model, favourable) in fitted.items():
        cut = 0.5
        if favourable is None:
            points = sf.as_score(model, SCHEMA, favourable=None, threshold=0.0)
            cut = float(np.median(points.score(SCHEMA.judged(table)[0])))
        score = sf.as_score(model, SCHEMA, favourable=favourable, threshold=cut)
        again = pickle.loads(pickle.dumps(score))
        X = rows()
        own = score.prediction(X)
        report[name] = {
            "kind": type(score).__name__,
            "off": float(np.abs(score.score(X) - (own - cut)).max()),
            "same": bool((score.accepts(X) == (own > cut)).all()),
            "kept": again.digest == score.digest,
        }
        if name in ("weights of evidence", "points by odds"):
            people = table[~score.accepts(SCHEMA.judged(table)[0])].iloc[:6]
            report[name]["advised"] = assert_cheapest(score, SCHEMA, table, people)
    report["sentences"] = refusals(fitted)
    print(json.dumps(report))


def refusals(fitted):
    card = fitted["points by odds"][0]
    fresh = type(card)(card.binning_process, card.estimator)
    plain = sf.Schema(tuple(sf.Feature(name) for name in NAMES))
    cases = {
        "no cut-off": (card, SCHEMA, {"favourable": None}),
        "a class": (card.score, SCHEMA, {"favourable": 1, "threshold": 500}),
        "no such class": (card, SCHEMA, {"favourable": "good"}),
        "not fitted": (fresh, SCHEMA, {"favourable": 1}),
        "words": (card, plain, {"favourable": 1}),
    }
    said = {}
    for name, (model, schema, ways) in cases.items():
        try:
            sf.as_score(model, schema, **ways)
        except sf.InputError as error:
            said[name] = str(error)
    return said


if __name__ == "__main__":
    main()
