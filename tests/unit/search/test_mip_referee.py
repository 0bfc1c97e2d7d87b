"""The exact search against an independent mixed-integer program on mid-size problems."""

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from benchmarks.mip_referee import solve
from benchmarks.referee_lattice import lattice

NEAR = 1e-6


@dataclass(frozen=True)
class World:
    data: sf.datasets.Dataset
    train: sf.datasets.Dataset
    test: sf.datasets.Dataset
    percentiles: sf.Percentiles

    def score(self, estimator, **options):
        estimator.fit(self.train.table, self.train.labels)
        return sf.as_score(estimator, self.data.schema, favourable=1, **options)

    def forest(self, trees, depth, seed=0):
        return self.score(
            RandomForestClassifier(
                trees,
                max_depth=depth,
                min_samples_leaf=5,
                max_features=0.4,
                class_weight="balanced",
                random_state=seed,
            )
        )

    def linear(self):
        regression = LogisticRegression(class_weight="balanced", max_iter=500)
        return self.score(make_pipeline(StandardScaler(), regression))

    def refused(self, model, first, last):
        people = self.test.table
        return people[~model.accepts(self.data.schema.matrix(people))].iloc[first:last]


@cache
def world(name):
    data = sf.datasets.twin(name, n=3000, seed=0, variant="published")
    train, test = data.split(0.8, seed=0)
    return World(data, train, test, sf.Percentiles.fit(train.table))


def compare(method, models, people, *, units=None, support=None, relative=0.0):
    """Solve everybody twice; the referee may also use the values of our own answer.

    Our lattice holds all of the referee's, so the two optima must be the same.
    """
    model = sf.Unanimous(models)
    recs = sf.recommend(method, model, people)
    asked = [(m, getattr(method, "margin", 0.0)) for m in models]
    asked += [(support, 0.0)] if support is not None else []
    for i, x in enumerate(method.schema.matrix(people)):
        levels = lattice(asked, method.domain, method.percentiles, x)
        outcome, cost = recs.outcome.iloc[i], recs.cost.iloc[i]
        if outcome == "minimal":
            point = recs.counterfactual.iloc[i].to_numpy(dtype=float)
            levels = [np.unique([*v, p]) for v, p in zip(levels, point, strict=True)]
        verdict = solve(
            asked,
            method.domain,
            method.percentiles,
            x,
            cost=method.cost,
            units=units,
            per_change=method.settings().get("per_change", 0.0),
            levels=levels,
            time_limit=3600.0,
        )
        if verdict.status == "infeasible":
            assert outcome == "infeasible"
            continue
        assert outcome == "minimal"
        assert verdict.status == "optimal"
        near = relative * verdict.cost or NEAR
        assert cost == pytest.approx(verdict.cost, abs=near)
        assert recs.results["lower_bound"].iloc[i] <= verdict.cost + NEAR
    return recs


@pytest.mark.parametrize("cost", ["total", "max", "log", "l1", "l2"])
def test_the_referee_itself_agrees_with_brute_force(cost):
    schema = sf.Schema(
        (
            sf.Feature("a", "count", lower=0, upper=4),
            sf.Feature("b", step=0.5, direction="up", lower=0, upper=2),
            sf.Feature("c", "count", lower=0, upper=3),
        ),
        ("c <= a",),
    )
    axes = [np.arange(5.0), np.arange(0, 2.5, 0.5), np.arange(4.0)]
    points = np.array(list(itertools.product(*axes)))
    table = schema.table(points)
    q, units = sf.Percentiles.fit(table), [1.0, 0.3, 2.0] if cost in ("l1", "l2") else None
    method = sf.MinimalCost(schema, q, cost=cost, units=units, per_change=0.0)
    rng = np.random.default_rng(0)
    for seed in range(6):
        labels = points @ rng.normal(size=3) + rng.normal(size=len(points)) > 1
        grown = RandomForestClassifier(5, max_depth=3, random_state=seed).fit(table, labels)
        forest = sf.as_score(grown, schema, favourable=True)
        asked = [(forest, 0.02), (sf.Linear(rng.normal(size=3), 0.5), 0.0)]
        x = points[rng.integers(len(points))]
        x[2] = min(x[0], x[2])
        kept = points[method.domain.admits(x, points)]
        for model, margin in asked:
            kept = kept[model.score(kept) > margin + 1e-9]
        verdict = solve(asked, method.domain, q, x, cost=cost, units=units)
        if not len(kept):
            assert verdict.status == "infeasible"
            continue
        assert verdict.status == "optimal"
        cheapest = method.price(np.tile(x, (len(kept), 1)), kept).min()
        assert verdict.cost == pytest.approx(cheapest, abs=1e-9)
        assert verdict.bound == pytest.approx(cheapest, abs=NEAR)


@pytest.mark.parametrize("cost", ["total", "max", "log", "l1", "l2"])
def test_one_forest_over_twenty_inputs(cost):
    w = world("heloc")
    forest = w.forest(10, 4)
    units = w.percentiles.scale if cost in ("l1", "l2") else None
    method = sf.MinimalCost(w.data.schema, w.percentiles, cost=cost, units=units)
    recs = compare(method, [forest], w.refused(forest, 0, 4), units=units)
    assert recs.found.all()


def test_a_margin_and_a_price_per_change():
    w = world("heloc")
    forest = w.forest(12, 4)
    method = sf.MinimalCost(w.data.schema, w.percentiles, margin=0.05, per_change=0.1)
    recs = compare(method, [forest], w.refused(forest, 5, 8))
    assert recs.found.all()


def test_two_forests_and_a_linear_model_over_twenty_inputs():
    w = world("heloc")
    models = [w.forest(6, 4, seed=1), w.forest(6, 4, seed=2), w.linear()]
    method = sf.MinimalCost(w.data.schema, w.percentiles)
    # the last of these people needs thousands of boxes
    recs = compare(method, models, w.refused(sf.Unanimous(models), 0, 12).iloc[[0, 2, 9]])
    assert recs.found.any()


@pytest.mark.parametrize("cost", ["total", "max"])
def test_two_forests_and_a_linear_model_that_reads_real_inputs(cost):
    w = world("give_me_some_credit")
    models = [w.linear(), w.forest(6, 5, seed=1), w.forest(6, 5, seed=2)]
    method = sf.MinimalCost(w.data.schema, w.percentiles, cost=cost)
    recs = compare(method, models, w.refused(sf.Unanimous(models), 0, 2))
    assert recs.found.any()


@pytest.mark.parametrize("cost", ["l1", "l2"])
def test_standardised_moves_where_some_inputs_have_long_tails(cost):
    # somebody's utilisation is a hundred deviations away, and answers move by thousandths of one
    w = world("give_me_some_credit")
    forest = w.forest(8, 5)
    units = w.percentiles.scale
    method = sf.MinimalCost(w.data.schema, w.percentiles, cost=cost, units=units)
    recs = compare(method, [forest], w.refused(forest, 12, 18), units=units, relative=1e-5)
    assert recs.found.all()


def test_a_larger_forest_over_ten_inputs():
    w = world("give_me_some_credit")
    forest = w.forest(30, 6)
    method = sf.MinimalCost(w.data.schema, w.percentiles)
    recs = compare(method, [forest], w.refused(forest, 0, 2))
    assert recs.found.all()


def test_a_forest_with_data_support():
    w = world("give_me_some_credit")
    forest = w.forest(8, 5)
    usual = IsolationForest(n_estimators=10, max_samples=64, contamination=0.2, random_state=0)
    support = sf.as_score(usual.fit(w.train.table), w.data.schema, favourable=1)
    method = sf.MinimalCost(w.data.schema, w.percentiles, support=support)
    recs = compare(method, [forest], w.refused(forest, 0, 3), support=support)
    assert recs.found.any()


@pytest.mark.parametrize("cost", ["total", "max", "log"])
def test_actionable_recourse_under_a_linear_model(cost):
    w = world("give_me_some_credit")
    linear = w.linear()
    method = sf.ActionableRecourse(w.data.schema, w.percentiles, cost=cost)
    recs = compare(method, [linear], w.refused(linear, 0, 6))
    assert recs.found.all()


def test_a_person_whom_no_forest_can_please_is_infeasible_to_both():
    w = world("heloc")
    forest = w.forest(10, 4)
    method = sf.MinimalCost(w.data.schema, w.percentiles, margin=0.35)
    recs = compare(method, [forest], w.refused(forest, 0, 3))
    assert (recs.outcome == "infeasible").any()
