"""Explainable boosting machines, read bin by bin."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from samples.cheapest import assert_cheapest

import standfast as sf
from standfast.readers.structures import pack, unpack
from standfast.scores import Paired

glassbox = pytest.importorskip("interpret.glassbox")
GRADES = ["low", "mid", "high"]
TYPES = ["continuous", "continuous", "nominal", GRADES]
SCHEMA = sf.Schema(
    (
        sf.Feature("grade", "ordinal", categories=GRADES),
        sf.Feature("debt", step=0.1),
        sf.Feature("home", "nominal", categories=("rent", "own", "unseen"), when_missing="fill"),
        sf.Feature("income", "count", when_missing="keep"),
    )
)


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.integers(0, 12, n).astype(float),
            "debt": rng.normal(0, 1, n).round(1),
            "home": rng.choice(["rent", "own"], n),
            "grade": rng.choice(GRADES, n),
        }
    )
    own = table["home"] == "own"
    good = table["income"] / 4 + table["debt"] * own + (table["grade"] == "high") > 1.6
    table.loc[rng.random(n) < 0.1, "income"] = np.nan
    table.loc[rng.random(n) < 0.1, "home"] = None
    return table, np.where(good, "good", "bad")


def machine(interactions, types=TYPES, table=None):
    few = {"max_rounds": 20, "outer_bags": 2, "n_jobs": 1, "max_bins": 16, "random_state": 1}
    inputs, labels = people()
    inputs = inputs if table is None else table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing values in its pictures
        return glassbox.ExplainableBoostingClassifier(
            interactions=interactions, feature_types=types, **few
        ).fit(inputs, labels)


@pytest.fixture(scope="module")
def plain():
    return machine(0)


@pytest.fixture(scope="module")
def paired():
    return machine(2)


def rows(model, n=2000):
    """Random rows: all categories, gaps, cut points and the numbers right below them."""
    rng = np.random.default_rng(3)
    X = np.column_stack(
        (rng.integers(0, 3, n), rng.normal(0, 2, n), rng.integers(0, 3, n), rng.integers(-2, 15, n))
    ).astype(float)
    for j, k in ((3, 0), (1, 1)):
        cuts = np.concatenate(model.bins_[k])
        on, below = rng.random((2, n)) < 0.3
        X[on, j] = rng.choice(cuts, on.sum())
        X[below, j] = np.nextafter(X[below, j], -np.inf)
    X[rng.random(n) < 0.1, 2] = X[rng.random(n) < 0.1, 3] = -np.inf
    return X


@pytest.mark.parametrize("favourable", ["good", "bad"])
@pytest.mark.parametrize(("which", "kind"), [("plain", sf.Additive), ("paired", Paired)])
def test_a_machine_is_read_as_the_sum_it_is(which, kind, favourable, request):
    model = request.getfixturevalue(which)
    score = sf.as_score(model, SCHEMA, favourable=favourable, threshold=0.6)
    assert isinstance(score, kind)
    X = rows(model)
    own = model.decision_function(score.prediction.asked(X)) * (1 if favourable == "good" else -1)
    assert np.abs(score.raw(X) - own).max() <= 1e-9
    assert np.abs(score.score(X) - (score.prediction(X) - 0.6)).max() <= 1e-9
    assert np.array_equal(score.accepts(X), score.prediction(X) > 0.6)


def test_numbers_that_the_machine_takes_for_categories_are_read_one_by_one():
    inputs = people()[0][["income"]].fillna(3.0).assign(debt=people()[0]["debt"])
    model = machine(1, ["nominal", "continuous"], inputs)
    schema = sf.Schema((sf.Feature("income"), sf.Feature("debt")))
    score = sf.as_score(model, schema, favourable="good")
    assert isinstance(score, Paired)
    values = [0.0, 3.0, np.nextafter(3.0, 9.0), 3.5, 11.0, -1.0, 12.0, 0.1]
    X = np.array(list(itertools.product(values, [-1.0, 0.0, 1.0])))
    assert np.abs(score.score(X) - (score.prediction(X) - 0.5)).max() <= 1e-9


def test_it_can_be_pickled_and_its_fingerprint_stays(paired):
    before = sf.as_score(paired, SCHEMA, favourable="good")
    after = pickle.loads(pickle.dumps(before))
    assert after.digest == before.digest
    assert np.array_equal(after.raw(rows(paired, 50)), before.raw(rows(paired, 50)))


@pytest.mark.parametrize("which", ["plain", "paired"])
def test_what_was_read_is_kept_in_files_to_the_last_bit(which, request):
    score = sf.as_score(request.getfixturevalue(which), SCHEMA, favourable="good")
    packed = pack([score])
    (again,) = unpack(packed.about, packed.arrays, [None])
    X = rows(request.getfixturevalue(which), 200)
    assert again.digest == score.digest
    assert np.array_equal(again.raw(X), score.raw(X))


def test_the_cheapest_advice_under_a_machine_is_the_cheapest_there_is(plain):
    table, _ = people()
    score = sf.as_score(plain, SCHEMA, favourable="good")
    refused = table[~score.accepts(SCHEMA.judged(table)[0])].iloc[:6]
    assert refused.isna().any(axis=None)
    assert assert_cheapest(score, SCHEMA, table, refused) >= 4
