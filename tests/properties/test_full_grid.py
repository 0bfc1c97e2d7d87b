"""Whether "proven" is true of everything the schema admits: every point of the grid is tried."""

import numpy as np
import pandas as pd
import pytest
from samples.coupled import Coupled, balanced, coupled, disagreement
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.search.problem import lattice, refinement


def check(problem, people):
    recs = sf.recommend(problem.method, problem.model, people)
    found = zip(recs.outcome, recs.cost, recs.results["lower_bound"], strict=True)
    wrong = [
        (x.tolist(), outcome, shown)
        for x, (outcome, cost, bound) in zip(problem.schema.matrix(people), found, strict=True)
        if (shown := disagreement(problem, x, outcome, cost, bound)) or outcome == "unsound"
    ]
    assert not wrong, (wrong, problem.options, problem.schema.relations)
    return recs.outcome


@pytest.mark.parametrize("few", [False, True], ids=["listed", "refined"])
def test_small_problems_are_solved_as_if_every_point_were_tried(few, monkeypatch):
    if few:  # ranges and their refinement on grids small enough to try every point of
        monkeypatch.setattr(lattice, "LISTED", 2)
        monkeypatch.setattr(lattice, "PARTS", 3)
        monkeypatch.setattr(refinement, "FEW", 2)
        monkeypatch.setattr(refinement, "PARTS", 2)
    outcomes = set()
    for seed in range(60):
        problem = coupled(np.random.default_rng([7, seed]))
        people = problem.people(4)
        if len(people):
            outcomes |= set(check(problem, people))
    assert {"minimal", "infeasible"} <= outcomes


@pytest.mark.parametrize("few", [False, True], ids=["listed", "refined"])
def test_inputs_tied_by_equalities_are_solved_as_if_every_point_were_tried(few, monkeypatch):
    if few:
        monkeypatch.setattr(lattice, "LISTED", 2)
        monkeypatch.setattr(lattice, "PARTS", 3)
        monkeypatch.setattr(refinement, "FEW", 2)
        monkeypatch.setattr(refinement, "PARTS", 2)
    outcomes = []
    for seed in range(40):
        problem = balanced(np.random.default_rng([17, seed]))
        people = problem.people(3)
        outcomes += check(problem, people).tolist() if len(people) else []
    assert outcomes.count("minimal") >= 40 <= outcomes.count("infeasible")


@pytest.mark.parametrize("sizes", [(2000, 1900), (1500, 25, 30), (1200, 14, 10, 12)], ids=str)
def test_inputs_with_thousands_of_values_are_proven_over_all_of_them(sizes):
    outcomes = []
    for seed in range(8):
        problem = coupled(np.random.default_rng([11, len(sizes), seed]), sizes)
        people = problem.people(1)
        if len(people):
            outcomes += check(problem, people).tolist()
    assert outcomes.count("minimal") >= 3


def accounts(seed):
    """A table whose total is the sum of two parts, and linear models that weigh all three."""
    rng = np.random.default_rng([13, seed])
    table = pd.DataFrame({name: rng.geometric(0.15, 60).clip(1, 30) / 100 for name in "ab"})
    table["total"] = np.round(table.a + table.b, 2)
    features = [
        sf.Feature("a", "positive", lower=0, upper=0.3, step=0.01, mutable=seed % 4 > 0),
        sf.Feature("b", "positive", lower=0, upper=0.3, step=0.01),
        sf.Feature("total", "positive", lower=0, upper=0.6, step=0.01),
    ]
    X, models = table.to_numpy(), []
    for _ in range(1 + seed % 3):
        way = rng.normal(size=3)
        models.append(sf.Linear(way, -float(np.quantile(X @ way, rng.uniform(0.5, 0.99)))))
    model = models[0] if len(models) == 1 else sf.Unanimous(tuple(models))
    return Coupled(sf.Schema(features, ("total == a + b",)), table, model, {"cost": "total"})


@pytest.mark.parametrize("listed", [2, 1000], ids=["refined", "listed"])
def test_under_an_equality_linear_models_are_solved_as_if_every_point_were_tried(
    listed, monkeypatch
):
    monkeypatch.setattr(lattice, "LISTED", listed)
    monkeypatch.setattr(lattice, "PARTS", 3)
    monkeypatch.setattr(refinement, "FEW", 2)
    monkeypatch.setattr(refinement, "PARTS", 2)
    outcomes = []
    for seed in range(12):
        problem = accounts(seed)
        outcomes += check(problem, problem.people(4)).tolist()
    assert outcomes.count("minimal") >= 20


def household(n, seed):
    """Incomes and expenses in cents, each the sum of two parts, debt, and who pays back."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"salary": rng.lognormal(7.8, 0.6, n), "rent": rng.lognormal(6.6, 0.4, n)})
    table["other"] = np.where(rng.random(n) < 0.5, 0.0, rng.lognormal(5.5, 1.2, n))
    table["living"] = rng.lognormal(6.8, 0.4, n)
    table["debt"] = np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(8.0, 1.3, n))
    table = table.round(2)
    table["income"] = (table.salary + table.other).round(2)
    table["expenses"] = (table.rent + table.living).round(2)
    worth = 4 * table.income + 3 * table.salary - 5 * table.expenses
    worth = (worth - 2 * table.debt.clip(upper=8000)) / 10_000
    return table, np.where(worth - worth.quantile(0.6) + rng.logistic(0, 0.5, n) > 0, 1, -1)


@pytest.mark.parametrize("models", [1, 4])
def test_accounts_in_cents_are_proven_under_linear_models(models):
    table, labels = household(3000, 0)
    schema = sf.Schema(
        [sf.Feature(name, "positive", lower=0, step=0.01) for name in table],
        ("income == salary + other", "expenses == rent + living"),
    )
    scores = []
    for seed in range(models):
        rows = np.random.default_rng(seed).integers(len(table), size=len(table))
        fitted = make_pipeline(StandardScaler(), LogisticRegression())
        fitted.fit(table.iloc[rows], labels[rows])
        scores.append(sf.as_score(fitted, schema, favourable=1))
    model = sf.Unanimous(tuple(scores))
    refused = table[~model.accepts(schema.matrix(table))].iloc[:12]
    method = sf.MinimalCost(schema, sf.Percentiles.fit(table), per_change=0, boxes=4000)
    recs = sf.recommend(method, model, refused)
    assert (recs.outcome == "minimal").sum() >= 7


def test_an_equality_over_cents_is_proven_before_the_levels_run_out():
    rng, n = np.random.default_rng(1), 3000
    salary = np.round(rng.lognormal(7.8, 0.6, n), 2)
    other = np.round(np.where(rng.random(n) < 0.5, 0.0, rng.lognormal(5.5, 1.2, n)), 2)
    debt = np.round(np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(8.0, 1.3, n)), 2)
    table = pd.DataFrame({"income": np.round(salary + other, 2), "salary": salary})
    table["other"], table["debt"] = other, debt
    features = [sf.Feature(name, "positive", lower=0, step=0.01) for name in table]
    schema = sf.Schema(features, ("income == salary + other",))
    weights = np.array([2.8e-4, 3.0e-4, 6.5e-4, -6.0e-4])
    model = sf.Linear(weights, -0.7)
    refused = table[model.score(schema.matrix(table)) <= 0]
    recs = sf.recommend(sf.MinimalCost(schema, sf.Percentiles.fit(table)), model, refused[:1])
    assert recs.outcome.tolist() == ["minimal"]


@pytest.mark.parametrize("when_missing", ["keep", "fill"])
def test_amounts_in_cents_are_proven_behind_an_imputer_that_marks_gaps(when_missing):
    rng = np.random.default_rng(0)
    n, most = 400, 50_000_000.0
    table = pd.DataFrame(
        {
            "income": np.round(rng.lognormal(8, 2, n), 2).clip(max=most),
            "age": rng.integers(18, 90, n).astype(float),
        }
    )
    labels = np.where(np.log(table["income"]) + rng.normal(size=n) > 8.5, 1, -1)
    table.loc[rng.random(n) < 0.2, "income"] = np.nan
    known = np.sort(table["income"].dropna())
    imputer = SimpleImputer(strategy="median", add_indicator=True)
    estimator = make_pipeline(imputer, StandardScaler(), LogisticRegression()).fit(table, labels)
    schema = sf.Schema(
        (
            sf.Feature(
                "income", "positive", lower=0, upper=most, step=0.01, when_missing=when_missing
            ),
            sf.Feature("age", "count", mutable=False),
        )
    )
    f = sf.as_score(estimator, schema, favourable=1)
    people = table[estimator.predict(table) < 0].head(20)
    best = sf.MinimalCost(schema, sf.Percentiles.fit(table), per_change=0.0)
    found = sf.recommend(best, f, people)
    assert people["income"].isna().sum() > 2

    def accepted(person, cents):
        row = pd.DataFrame({"income": [cents / 100], "age": [person.age]})
        return estimator.decision_function(row)[0] > 1e-9

    ends = zip(found.outcome, found.cost, strict=True)
    for (_, person), (outcome, cost) in zip(people.iterrows(), ends, strict=True):
        refused, enough = -1, round(most * 100)
        if person.isna().any() and when_missing == "keep":
            assert outcome == "infeasible"
            continue
        assert accepted(person, enough)  # acceptance rises with income, which may also be filled
        while enough - refused > 1:
            middle = (refused + enough) // 2
            refused, enough = (refused, middle) if accepted(person, middle) else (middle, enough)
        shares = known.searchsorted([enough / 100, person.income], "right") / len(known)
        assert outcome == "minimal"
        if np.isnan(person.income):
            assert cost == 0.5
        else:
            assert cost == pytest.approx(shares[0] - shares[1], abs=1e-9)
