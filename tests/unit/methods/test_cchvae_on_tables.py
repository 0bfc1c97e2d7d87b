"""C-CHVAE on tables with categories and gaps."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.tenants import SCHEMA, forest, people, percentiles

from standfast import CCHVAE, Additive, Autoencoder, Feature, Percentiles, Schema, recommend
from standfast.autoencoder import fit
from standfast.autoencoder.layout import Layout
from standfast.autoencoder.network import Network
from standfast.methods.mere_reconstruction import mere_reconstruction
from standfast.methods.unusual import unusual_advice, unusual_values, within_reference
from standfast.recommendations.causes import UnusualAdvice, UnusualValue
from standfast.recommendations.sentences import explain
from standfast.schema.categories import MISSING

MODEL = forest(0)
ASKED = people(60, 7)


@pytest.fixture(scope="module")
def method():
    learnt = fit(SCHEMA, people(500, 1), s=3, z=3, epochs=40, seed=0)
    return CCHVAE(SCHEMA, percentiles(), learnt)


@pytest.fixture(scope="module")
def advice(method):
    return recommend(method, MODEL, ASKED)


def test_every_answer_is_admitted_and_accepted(method, advice):
    for recs in (advice, recommend(replace(method, sparse=True), MODEL, ASKED)):
        assert recs.found.sum() > 20
        assert not (recs.outcome == "unsound").any()
        X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
        assert method.domain.admits(X, Y).all()
        assert MODEL.accepts(Y).all()


def test_answers_do_not_depend_on_company(method, advice):
    alone = recommend(method, MODEL, ASKED.iloc[[5]])
    assert np.array_equal(alone.matrices()[1], advice.matrices()[1][[5]], equal_nan=True)


def test_categories_change_only_as_allowed_and_gaps_stay_or_are_filled(method, advice):
    X, Y = (m[advice.found.to_numpy()] for m in advice.matrices())
    own = advice.factual["home"][advice.found] == "own"
    assert (advice.counterfactual["home"][advice.found][own] == "own").all()
    assert (X[:, 3] != Y[:, 3]).any()
    gaps = X[:, 1] == MISSING
    assert (Y[gaps, 1] != MISSING).any() or (Y[:, 3] != MISSING)[X[:, 3] == MISSING].any()
    assert (Y[X[:, 2] == 4.0, 2] == 4.0).all()
    assert not ((X != MISSING) & (Y == MISSING)).any()


def test_as_published_samples_categories_and_projects_no_numbers(method):
    published = CCHVAE.as_published(SCHEMA, percentiles(), method.autoencoder)
    published = replace(published, candidates=100, shells=20)
    recs = recommend(published, MODEL, ASKED.iloc[:20])
    assert recs.found.any()
    X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
    assert published.domain.admits(X, Y).all()
    known = Y[Y[:, 1] != MISSING, 1]
    assert (known % 1 != 0).any()


def test_mere_reconstruction_is_counted_and_fills_nothing(method, advice):
    found = mere_reconstruction(method, MODEL, advice)
    assert found["advised"] == advice.found.sum()
    assert found["cost"] == pytest.approx(advice.cost[advice.found].mean())
    X = SCHEMA.matrix(ASKED)
    own = method.reconstruction(X)
    assert method.domain.admits(X, own).all()
    assert ((own == MISSING) == (X == MISSING)).all()


def test_whoever_may_not_change_anything_is_infeasible(method):
    still = Schema(
        tuple(
            replace(f, transitions={}) if f.kind == "nominal" else replace(f, direction="up")
            for f in SCHEMA
            if f.name in ("home", "school")
        )
    )
    table = people(300, 1)[["home", "school"]]
    X = still.matrix(table)
    layout = Layout.of(still, np.where(still.lacking(X), MISSING, X), table.index)
    weights = Network.drawn(layout, 1, 1, np.random.default_rng(0)).weights()
    learnt = Autoencoder.build(still, layout, weights, X, {})
    top = table[(table["school"] == "college")].iloc[:3]
    refuses = Additive([np.zeros_like, np.zeros_like], -1.0)
    recs = recommend(CCHVAE(still, Percentiles.fit(table), learnt), refuses, top)
    assert (recs.outcome == "infeasible").all()


def test_a_category_that_hardly_anybody_has_is_named():
    schema = Schema(
        (
            Feature("home", "nominal", categories=("own", "rent", "yacht")),
            Feature("income", "positive", when_missing="fill", step=1),
        )
    )
    table = pd.DataFrame(
        {"home": ["own"] * 500 + ["rent"] * 498 + ["yacht"] * 2, "income": np.arange(1000.0)}
    )
    q = Percentiles.fit(table).of(schema)
    rent, yacht = 1.0, 2.0
    found = unusual_values(schema, q, np.array([rent, 5.0]), np.array([yacht, 5.0]))
    assert found == (UnusualValue("home", yacht, 2, up=False),)
    said = explain(UnusualAdvice(q.rows, found), schema, [])
    assert said == "Home yacht: only 2 of the 1,000 reference people have the same."
    assert unusual_values(schema, q, np.array([yacht, 5.0]), np.array([rent, 5.0])) == ()
    filled = unusual_values(schema, q, np.array([rent, MISSING]), np.array([rent, 999.0]))
    assert filled == (UnusualValue("income", 999.0, 1, up=True),)
    assert unusual_values(schema, q, np.array([rent, MISSING]), np.array([rent, 500.0])) == ()
    domain = schema.complete(table)
    assert within_reference(domain, q)["home"] == domain["home"]


def test_people_are_counted_among_those_whose_value_is_known():
    schema = Schema(
        (
            Feature("home", "nominal", categories=("own", "yacht"), when_missing="keep"),
            Feature("days", "count", missing=(9999,), when_missing="keep"),
        )
    )
    table = pd.DataFrame(
        {
            "home": ["own"] * 498 + ["yacht"] * 2 + [None] * 500,
            "days": [*range(200), *[9999] * 300, *[None] * 500],
        }
    )
    q = Percentiles.fit(table).of(schema)
    assert dict(q.known) == dict(q.of(schema).known) == {"home": 500, "days": 200}
    found = unusual_values(schema, q, np.array([0.0, 5.0]), np.array([1.0, 199.0]))
    assert found == (
        UnusualValue("home", 1.0, 2, up=False),
        UnusualValue("days", 199.0, 1, up=True),
    )
    (advice,) = unusual_advice(
        schema, q, np.array([[0.0, 5.0]]), np.array([[1.0, 199.0]]), np.ones(1), np.ones(1)
    )
    assert advice == UnusualAdvice(1000, found, None, (("home", 500), ("days", 200)))
    assert explain(advice, schema, []) == (
        "Home yacht: only 2 of the 500 reference people whose value is known have the same; days "
        "199: only 1 of the 200 reference people whose value is known has as much or more."
    )
