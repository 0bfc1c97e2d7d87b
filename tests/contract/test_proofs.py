"""A proof is a statement about everything the schema admits, so no method may refute another's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.recommendations.causes import ActionGrid

SCHEMA = sf.Schema(
    (
        sf.Feature("last_bill", "positive", mutable=False, step=100),
        sf.Feature("paid", "positive", step=100),
        sf.Feature("bill", "positive", step=100),
        sf.Feature("limit", "positive", direction="up", step=1),
    ),
    ("bill + paid >= last_bill", "paid <= last_bill", "bill <= limit"),
)


@pytest.fixture(scope="module")
def accounts():
    """A card's accounts: wide money columns that relations tie to each other."""
    rng = np.random.default_rng(1)
    n = 1500
    last = np.round(rng.lognormal(10, 1, n) / 100) * 100
    paid = np.minimum(np.round(last * rng.beta(0.6, 1, n) / 100) * 100, last)
    bill = last - paid + np.round(rng.exponential(2000, n) / 100) * 100
    limit = bill + np.round(rng.exponential(5000, n))
    table = pd.DataFrame({"last_bill": last, "paid": paid, "bill": bill, "limit": limit})
    return table, np.where(bill < 700 + 0.02 * limit, 1, -1)


@pytest.fixture(scope="module")
def models(accounts):
    table, labels = accounts

    def score(estimator, threshold=None):
        fitted = estimator.fit(table, labels)
        return sf.as_score(fitted, SCHEMA, favourable=1, threshold=threshold)

    tree = score(DecisionTreeClassifier(max_depth=3, random_state=0))
    forest = score(RandomForestClassifier(10, max_depth=4, random_state=0), 0.6)
    linear = score(LogisticRegression(C=1e-6, max_iter=10_000), 0.7)
    return {
        "tree": tree,
        "forest": forest,
        "linear": linear,
        "mixture": sf.Unanimous((tree, linear)),
    }


def methods(kind, percentiles):
    given = SCHEMA, percentiles
    yield sf.GrowingSpheres(*given)
    for cost in ("total", "max", "log"):
        yield sf.MinimalCost(*given, cost=cost)
    if kind == "linear":
        yield sf.ActionableRecourse(*given)


@pytest.mark.parametrize("kind", ["tree", "forest", "linear", "mixture"])
def test_no_method_proves_impossible_or_minimal_what_another_refutes(kind, accounts, models):
    table, _ = accounts
    model, percentiles = models[kind], sf.Percentiles.fit(table)
    people = table[~model.accepts(SCHEMA.matrix(table))].head(60)
    found = [(method, sf.recommend(method, model, people)) for method in methods(kind, percentiles)]
    advised = np.any([recs.found for _, recs in found], axis=0)
    assert advised.sum() >= 30
    for method, recs in found:
        assert not (recs.outcome[advised] == "infeasible").any(), method.name
        if not isinstance(method, sf.MinimalCost):
            continue
        proven = (recs.outcome == "minimal").to_numpy()
        assert proven.sum() >= 30
        for _, others in found:
            both = proven & others.found.to_numpy()
            X, Y = (
                recs.schema.matrix(side[both].astype(float))
                for side in (others.factual, others.counterfactual)
            )
            assert (recs.cost[both] <= method.price(X, Y) + 1e-9).all()


def test_an_action_grid_says_that_it_is_one(accounts, models):
    table, _ = accounts
    people = table[~models["linear"].accepts(SCHEMA.matrix(table))].head(20)
    grid = sf.ActionableRecourse.as_published(SCHEMA, sf.Percentiles.fit(table))
    recs = sf.recommend(grid, models["linear"], people)
    assert recs.found.any()
    assert (recs.results["cause"] == ActionGrid()).all()
    assert not (recs.outcome == "infeasible").any()
