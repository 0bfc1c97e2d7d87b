"""Advice that every model of a linear level set accepts, at least cost."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.every import every
from sklearn.ensemble import IsolationForest, RandomForestClassifier

import standfast as sf
from standfast.recommendations.causes import LimitReached
from standfast.scores.linear_level_set import LinearLevelSet
from standfast.search.exact.level_set_bound import relax
from standfast.search.exact.level_set_search import LevelSetSearch, Person

SCHEMA = sf.Schema(
    (
        sf.Feature("age", "count", mutable=False),
        sf.Feature("late", "count", direction="down", lower=0, upper=5),
        sf.Feature("very_late", "count", lower=0, upper=5),
        sf.Feature("grade", "ordinal", lower=1, upper=5, direction="up"),
        sf.Feature("guarantor", "binary"),
    ),
    ("very_late <= late",),
)


def people(n, seed):
    rng = np.random.default_rng(seed)
    late = rng.integers(0, 6, n)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "late": late,
            "very_late": rng.binomial(late, 0.5),
            "grade": rng.integers(1, 6, n),
            "guarantor": rng.integers(0, 2, n),
        }
    )
    merit = (
        0.02 * (table["age"] - 45)
        - 0.5 * table["late"]
        - 0.3 * table["very_late"]
        + 0.5 * (table["grade"] - 3)
        + 0.5 * table["guarantor"]
        + 1.2
    )
    y = np.where(rng.logistic(size=n) < merit, 1, -1)
    return sf.datasets.Dataset(table, pd.Series(y), SCHEMA, "made")


TRAIN = people(500, 0)
SET = LinearLevelSet.fit(TRAIN)
Q = sf.Percentiles.fit(TRAIN.table)
ASKED = people(40, 1).table


def everything(best, x):
    """All points the schema admits for one person."""
    domain = best.domain
    ranges = [
        np.arange(f.lower, f.upper + 1) if f.mutable else x[j : j + 1] for j, f in enumerate(domain)
    ]
    points = every(ranges)
    return points[domain.admits(np.broadcast_to(x, points.shape), points)]


@pytest.mark.parametrize("cost", ["total", "log", "max", "l1", "l2"])
@pytest.mark.parametrize("epsilon", [SET.epsilon, 0.05])
def test_the_answer_is_the_cheapest_of_all_points_that_all_members_accept(cost, epsilon):
    units = np.arange(1.0, 6.0) if cost in ("l1", "l2") else None
    best = sf.MinimalCost(SCHEMA, Q, cost=cost, units=units, margin=0.01)
    wide = SET.at(epsilon)
    recs = sf.recommend(best, wide, ASKED)
    assert recs.found.sum() > 3
    seen: dict[bytes, float] = {}
    for i, (x, outcome) in enumerate(zip(SCHEMA.matrix(ASKED), recs.outcome, strict=True)):
        points = everything(best, x)
        new = [p for p in points if p.tobytes() not in seen]
        most = wide.epsilon_max(np.array(new), 0.01 + 1e-9) if new else []
        seen |= {p.tobytes(): e for p, e in zip(new, most, strict=True)}
        fine = np.array([seen[p.tobytes()] > epsilon for p in points])
        if outcome == "already_favourable":
            assert wide.accepts(x[None])[0]
        elif outcome == "infeasible":
            assert not fine.any()
            assert recs.results["cause"].iloc[i].level_sets == ((0, epsilon),)
        else:
            assert outcome == "minimal"
            least = best.price(np.broadcast_to(x, points.shape)[fine], points[fine]).min()
            assert recs.cost.iloc[i] == pytest.approx(least, abs=1e-9)
            assert recs.results["lower_bound"].iloc[i] == pytest.approx(least, abs=1e-9)


def test_thousands_of_members_accept_every_answer():
    recs = sf.recommend(sf.MinimalCost(SCHEMA, Q), SET, ASKED)
    Y = recs.counterfactual[recs.found].to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    best = SET.best
    scale = np.append(1 / TRAIN.table.std().to_numpy(), 1.0)
    kept = 0
    for _ in range(4000):
        way = rng.normal(size=6) * scale
        low, high = 0.0, 1.0
        for _ in range(40):  # the border along this ray
            s = 0.5 * (low + high)
            rival = sf.Linear(
                best.weights + s * way[:-1], best.offset + s * way[-1], best.link, 0.5
            )
            low, high = (s, high) if SET.excess(rival) <= SET.epsilon else (low, s)
        rival = sf.Linear(
            best.weights + low * way[:-1], best.offset + low * way[-1], best.link, 0.5
        )
        assert SET.excess(rival) <= SET.epsilon
        kept += rival.accepts(Y).all()
    assert kept == 4000


def test_nobody_can_be_helped_when_the_set_holds_a_model_that_refuses_all():
    for wide in (SET.at(SET.void * 1.001), SET.at(10.0)):
        recs = sf.recommend(sf.MinimalCost(SCHEMA, Q), wide, ASKED.head(8))
        assert (recs.outcome == "infeasible").all()
        assert np.isinf(recs.results["lower_bound"]).all()


def test_company_does_not_matter():
    best = sf.MinimalCost(SCHEMA, Q)
    b = sf.recommend(best, SET, ASKED)
    alone = sf.Advisor(best, SET, block=1).recommend(ASKED.iloc[::-1], jobs=2)
    pd.testing.assert_frame_equal(
        alone.counterfactual.loc[b.index].astype(float), b.counterfactual.astype(float)
    )


def test_a_level_set_of_its_best_model_alone_is_that_model():
    best = sf.MinimalCost(SCHEMA, Q)
    a = sf.recommend(best, SET.best, ASKED)
    c = sf.recommend(best, SET.at(0.0), ASKED)
    assert np.allclose(a.cost, c.cost, equal_nan=True)


def test_a_level_set_together_with_other_models_alternatives_and_support():
    forest = RandomForestClassifier(10, max_depth=3, random_state=0)
    forest = sf.as_score(forest.fit(TRAIN.table, TRAIN.labels), SCHEMA, favourable=1)
    usual = sf.as_score(
        IsolationForest(n_estimators=10, random_state=0, contamination=0.02).fit(TRAIN.table),
        SCHEMA,
        favourable=1,
    )
    rival = sf.Linear([0.0, -1.0, 0.0, 0.0, 0.0], 3.5)
    best = sf.MinimalCost(SCHEMA, Q, alternatives=2, support=usual)
    for model in (sf.Unanimous([SET, forest], margin=(0.02, 0.0)), sf.Unanimous([rival, SET])):
        recs = sf.recommend(best, model, ASKED.head(15))
        assert recs.found.any()
        assert not (recs.outcome == "unsound").any()
        Y = recs.counterfactual[recs.found].to_numpy(dtype=float)
        assert model.accepts(Y).all()
        assert usual.accepts(Y).all()
        assert recs.alternatives is not None
    joint = sf.Unanimous([rival, SET])
    fast = sf.recommend(sf.MinimalCost(SCHEMA, Q), joint, ASKED)
    slow = sf.recommend(sf.MinimalCost(SCHEMA, Q, alternatives=2), joint, ASKED)
    assert np.allclose(fast.cost, slow.cost, equal_nan=True)
    assert fast.outcome.tolist() == slow.outcome.tolist()


def test_two_level_sets_and_a_model_at_once_against_all_points():
    other = LinearLevelSet.fit(people(400, 7))
    rival = sf.Linear([0.0, -1.0, 0.0, 0.5, 0.0], 2.0)
    joint = sf.Unanimous([SET, rival, other], margin=(0.02, 0.0, 0.01))
    best = sf.MinimalCost(SCHEMA, Q)
    asked = ASKED.head(20)
    recs = sf.recommend(best, joint, asked)
    assert recs.found.sum() > 3
    for i, x in enumerate(SCHEMA.matrix(asked)):
        points = everything(best, x)
        fine = joint.accepts(points)
        if recs.found.iloc[i]:
            least = best.price(np.broadcast_to(x, points.shape)[fine], points[fine]).min()
            assert recs.outcome.iloc[i] == "minimal"
            assert recs.cost.iloc[i] == pytest.approx(least, abs=1e-9)
        elif recs.outcome.iloc[i] == "infeasible":
            assert not fine.any()


@pytest.mark.parametrize("seed", range(4))
def test_no_accepted_point_of_a_box_is_cheaper_than_its_bound(seed):
    rng = np.random.default_rng(seed)
    best = sf.MinimalCost(SCHEMA, Q, per_change=0.1 * (seed % 2))
    search = LevelSetSearch.build([(SET, 0.0)], best.domain, Q, best._price)
    bounds = finite = 0
    for x in SCHEMA.matrix(ASKED.head(12)):
        person = Person(search, x)
        near = SET.nearly_worst(x + rng.normal(size=len(x)))
        for cut in (SET.best, near.model):
            person.add(0, cut, SET.inside(cut))
        tree = person.tree
        choices = every(range(n) for n in tree.counts).astype(np.int32)
        fine = np.array([person.point(levels) for levels in choices])
        fine = SET.accepts(fine) & best.domain.admits(np.broadcast_to(x, fine.shape), fine)
        cost = tree.c[np.arange(len(tree.counts)), choices].sum(axis=1)
        for _ in range(20):
            ends = np.sort(rng.integers(0, tree.counts, (2, len(tree.counts))), axis=0)
            tree.low[0], tree.high[0] = ends
            tree.lam[0] = rng.exponential(size=tree.lam.shape[1]) * rng.integers(0, 2)
            bound = relax(tree, 0, int(rng.integers(1, 40)))
            here = fine & ((choices >= ends[0]) & (choices <= ends[1])).all(axis=1)
            assert bound <= cost[here].min(initial=np.inf) + 1e-9
            bounds += bound > 0.0
            finite += here.any()
    assert bounds > 50
    assert finite > 50


def test_limits_leave_a_lower_bound():
    best = sf.MinimalCost(SCHEMA, Q, boxes=1)
    recs = sf.recommend(best, SET, ASKED)
    assert set(recs.outcome) <= {"already_favourable", "exhausted", "within_gap", "minimal"} | {
        "infeasible"
    }
    full = sf.recommend(replace(best, boxes=10**6), SET, ASKED)
    shown = recs.results["lower_bound"].dropna()
    assert (shown <= full.results["lower_bound"].loc[shown.index] + 1e-9).all()
    limited = recs.outcome.isin(["exhausted", "within_gap"])
    assert all(isinstance(cause, LimitReached) for cause in recs.results["cause"][limited])


def test_cost_never_falls_as_the_set_grows():
    method, asked = sf.MinimalCost(SCHEMA, Q), ASKED.head(10)
    grid = (0.0, 0.001, 0.01, 0.05, 0.1, 0.5)
    found = [sf.recommend(method, SET.at(e), asked).results["lower_bound"] for e in grid]
    bounds = np.array(found)
    assert (bounds[1:] >= bounds[:-1] - 1e-9).all()
    assert (bounds[-1] > bounds[0]).any()


def test_what_the_search_cannot_read_is_refused_before_anybody_is_asked_about():
    black = sf.as_score(lambda table: table["late"] - 1.0, SCHEMA, favourable=None)
    with pytest.raises(sf.InputError, match="structure cannot be read"):
        sf.prepare(sf.MinimalCost(SCHEMA, Q), sf.Unanimous([SET, black]))
    rival = sf.Linear([0.0, -1.0, 0.0, 0.0, 0.0], 3.5)
    with pytest.raises(sf.InputError, match=r"models \[1\] have no probability"):
        sf.prepare(sf.MinimalCost(SCHEMA, Q, margin=0.1), sf.Unanimous([SET, rival]))
