"""Advice for a time to come: drift, pace and the price of waiting, against trying every point."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.coupled import coupled

import standfast as sf
from standfast import Feature, InputError, MinimalCost, Recommendations, Schema, recommend
from standfast.methods import Budget
from standfast.methods.exact import ExactSearch
from standfast.scores.score import surely_accepts

WITHIN, WAITING = (0, 2, 5), 0.004


def with_time(problem, rng):
    """Immutable inputs drift and some of the others have a pace."""
    features = []
    for f in problem.schema:
        if not f.mutable:
            f = replace(f, drift=float(rng.choice([1.0, 0.3, -0.5])) * f.step)
        elif rng.random() < 0.6:
            f = replace(f, pace=float(np.round(rng.choice([0.4, 1.0, 3.0]) * f.step, 6)))
        features.append(f)
    return replace(problem, schema=replace(problem.schema, features=tuple(features)))


def then(problem, x, month):
    """Where somebody stands some months later, written anew: whole steps only."""
    later = x.copy()
    for j, f in enumerate(problem.schema):
        if f.drift:
            steps = int(abs(f.drift) * month / f.step + 1e-6)
            later[j] = round(x[j] + np.sign(f.drift) * steps * f.step, 9)
    return later


def optimum(problem, x, month):
    """The least cost at one horizon by trying every point; NaN if there is none."""
    later = then(problem, x, month)
    grids = []
    for j, f in enumerate(problem.schema):
        values = problem.values(j, later)
        if f.pace is not None:
            values = values[np.abs(values - later[j]) <= month * f.pace + 1e-7]
        grids.append(values)
    points = np.array(np.meshgrid(*grids, indexing="ij")).reshape(len(x), -1).T
    points = points[surely_accepts(problem.model, points)]
    domain = problem.schema.complete(problem.table)
    points = points[domain.lawful(later, points)] if len(points) else points
    if not len(points):
        return np.nan
    costs = problem.method.price(np.broadcast_to(later, points.shape), points)
    return float(costs.min()) + WAITING * month


@pytest.mark.parametrize("seed", range(24))
def test_every_horizon_and_the_answer_are_the_cheapest(seed):
    rng = np.random.default_rng([19, seed])
    problem = with_time(coupled(rng), rng)
    problem.options.update(within=WITHIN, waiting=WAITING)
    people = problem.people(4)
    recs = recommend(problem.method, problem.model, people)
    assert not recs.outcome.isin(["unsound", "within_gap"]).any()
    for person, x in zip(people.index, problem.schema.matrix(people), strict=True):
        if recs.outcome[person] == "already_favourable":
            continue
        known = {month: optimum(problem, x, month) for month in WITHIN}
        known = {month: cost for month, cost in known.items() if not np.isnan(cost)}
        if not known:
            assert recs.outcome[person] == "infeasible"
            continue
        ways = recs.alternatives[recs.alternatives["person"] == person]
        assert ways["after_months"].tolist() == list(known)
        assert ways["cost"].tolist() == pytest.approx(list(known.values()))
        assert recs.cost[person] == pytest.approx(min(known.values()))
        assert recs.outcome[person] == "minimal"
        month = recs.results["after_months"][person]
        assert known[month] == pytest.approx(recs.cost[person])


TABLE = pd.DataFrame({"age": np.arange(20, 70), "debt": np.arange(50) * 0.04})
SCHEMA = Schema(
    (
        Feature("age", "count", mutable=False, drift=1 / 12),
        Feature("debt", "positive", direction="down", lower=0, upper=2, step=0.01, pace=0.05),
    )
)
MODEL = sf.Linear([0.1, -1.0], -3.0)


def best(**options):
    options = {"within": (0, 3, 6, 12), "waiting": 0.01, **options}
    return MinimalCost(SCHEMA, sf.Percentiles.fit(TABLE), **options)


def test_waiting_alone_may_be_the_answer():
    recs = recommend(best(), MODEL, pd.DataFrame({"age": [30], "debt": [0.01]}, index=["ann"]))
    assert recs.sentences().item() == "Wait 12 months; nothing else has to change."
    assert recs.cost.item() == pytest.approx(0.12)
    assert recs.flipset("ann")["after_months"].tolist() == [12]
    assert recs.changes().empty


def test_nothing_moves_faster_than_its_pace_and_a_month_has_its_price():
    people = pd.DataFrame({"age": [40], "debt": [1.2]}, index=["bob"])
    recs = recommend(best(waiting=0.0), MODEL, people)
    ways = recs.alternatives.set_index("after_months")
    assert list(ways.index) == [6, 12]
    # 0.3 lower in six months at most, and of equal percentiles any
    assert ways["debt"].between([0.9, 1.08], [0.99, 1.09]).all()
    assert ways["age"].tolist() == [40, 41]
    assert recs.counterfactual["age"].item() == 41
    assert recs.sentences().item().startswith("Wait 12 months, and by then lower debt from 1.2 to")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_months_are_written_and_read(ending, tmp_path):
    people = pd.DataFrame({"age": [40, 30, 60], "debt": [1.2, 0.01, 0.3]}, index=list("abc"))
    recs = recommend(best(), MODEL, people)
    recs.write(tmp_path / f"advice.{ending}")
    again = Recommendations.read(tmp_path / f"advice.{ending}")
    assert again.sentences().tolist() == recs.sentences().tolist()
    pd.testing.assert_frame_equal(again.alternatives, recs.alternatives)
    assert again.results["after_months"].equals(recs.results["after_months"])
    assert SCHEMA.from_toml(SCHEMA.to_toml()) == SCHEMA


def test_what_is_kept_stays_over_time():
    people = pd.DataFrame({"age": [38], "debt": [0.9]})
    recs = recommend(best(within=(0, 12, 24)), MODEL, people, keep={"debt"})
    assert recs.sentences().item() == "Wait 24 months; nothing else has to change."


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"within": ()}, r"within is \(\); it must be a few months"),
        ({"within": (0, -3)}, "within holds -3; a horizon is 0 or a number of months"),
        ({"within": (6, 3)}, "its months must rise"),
        ({"within": 6}, "within is 6; it must be a few months"),
        ({"waiting": -1}, "waiting is -1; it must be 0 or the price of a month"),
        ({"alternatives": 2}, "alternatives and within both ask for several ways"),
    ],
)
def test_horizons_that_are_none_are_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        best(**options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"drift": 1}, "feature 'x' has a drift, so it changes by itself; say mutable = false"),
        ({"drift": 0, "mutable": False}, "drift is 0; it must be a number other than 0"),
        ({"pace": -1}, "pace is -1; it must be positive, per month"),
        ({"pace": 1, "mutable": False}, "may not change, so it has no pace"),
        ({"kind": "nominal", "categories": ("a", "b"), "pace": 1}, "takes no pace per month"),
    ],
)
def test_drift_and_pace_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        Feature("x", **options)


def test_drifts_that_contradict_a_change_are_refused():
    drifting = Feature("age", "count", mutable=False, drift=1 / 12)
    with pytest.raises(InputError, match="the change 'age == tenure' does not hold for what"):
        Schema((drifting, Feature("tenure", "count")), changes=("age == tenure",))
    both = (drifting, replace(drifting, name="tenure"))
    assert len(Schema(both, changes=("age == tenure",))) == 2


@pytest.mark.parametrize("seed", range(6))
def test_searches_that_share_a_workspace_answer_as_searches_of_their_own(seed):
    rng = np.random.default_rng([23, seed])
    problem = with_time(coupled(rng), rng)
    X = problem.schema.matrix(problem.people(3))
    shared = problem.method.prepare_now(problem.model)
    first = frozenset({int(np.flatnonzero(problem.schema.mutable)[0])})
    changed = {
        "now": lambda search: search,
        "in a month": lambda search: search.at(1.0),
        "keeping": lambda search: search.keeping(first),
        "both": lambda search: search.keeping(first).at(1.0),
    }
    for turn in (0, 1):  # the second time in the workspace that another one has left
        for change in changed.values():
            asked = X[turn:], np.zeros(len(X) - turn, np.uint64), Budget()
            found = change(shared).advise(*asked)
            alone = change(problem.method.prepare_now(problem.model)).advise(*asked)
            assert found.outcomes == alone.outcomes
            np.testing.assert_array_equal(found.points, alone.points)
            np.testing.assert_array_equal(found.lower_bounds, alone.lower_bounds)
    if isinstance(shared, ExactSearch):
        assert len(shared._idle) == 1


def test_why_nothing_helps_is_found_out_once():
    people = pd.DataFrame({"age": [20], "debt": [2.0]}, index=["cy"])
    search = best().prepare(MODEL)
    X = SCHEMA.matrix(people)
    causes = [one.advise(X, np.zeros(1, np.uint64), Budget()).causes[0] for one in search.searches]
    assert causes[:3] == [None, None, None]
    assert causes[3] is not None
    recs = recommend(best(), MODEL, people)
    assert recs.outcome["cy"] == "infeasible"
    assert recs.explanations().item() != ""


def test_time_passes_beside_missing_values() -> None:
    schema = Schema(
        (
            Feature("age", "count", mutable=False, drift=1 / 12, when_missing="keep"),
            Feature("debt", "positive", step=0.01, direction="down"),
            Feature("rate", "real", step=0.1, when_missing="keep"),
            Feature("rent", "positive", step=1, missing=(-9,), when_missing="keep"),
        )
    )
    table = pd.DataFrame(
        {
            "age": [20.0, None, 40.0, 60.0],
            "debt": [0.1, 0.2, 0.3, 0.9],
            "rate": [1.0, 2.0, None, 4.0],
            "rent": [100, 200, -9, 300],
        }
    )
    domain = schema.complete(sf.Percentiles.fit(table).of(schema).values)
    X = domain.matrix(table)
    later = domain.table(domain.moved_on(X, 24.0))
    expected = table.assign(age=[22.0, None, 42.0, 62.0])
    pd.testing.assert_frame_equal(later, expected, check_dtype=False)
