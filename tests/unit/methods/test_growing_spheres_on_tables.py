"""Growing spheres on tables with categories and gaps."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.tenants import SCHEMA, forest, people, percentiles, scorecard

from standfast import Additive, Feature, GrowingSpheres, InputError, Percentiles, Schema, recommend
from standfast.compilation import Struct
from standfast.recommendations.causes import NothingToChange
from standfast.schema.categories import MISSING
from standfast.search.problem.price import Price
from standfast.search.sampling.distance import farthest, lengths
from standfast.search.sampling.shells import Shells, draw_shells
from standfast.search.sampling.sparsify import sparsify

NAMES = ("rent", "own", "family", "friends")


def drawn(schema, x, outer, usual=None, count=20_000):
    """Candidates around one person, in a ball."""
    X = np.array([x], dtype=float)
    d = len(schema)
    ball = (np.zeros(1), np.array([outer], dtype=float), np.array([np.inf]))
    shells = Shells(np.arange(d), np.ones(d), *ball, np.zeros((d, 1)) if usual is None else usual)
    stream = np.array([7], dtype=np.uint64)
    return draw_shells(stream, 0, count, Struct(shells), schema.reach(X))


def number(name):
    return Feature(name, lower=-100, upper=100, step=0.0)


def nominal(names=NAMES, **rest):
    return Feature("home", "nominal", categories=names, **rest).complete(np.zeros(1))


@pytest.mark.parametrize("model", [forest(0), forest(1, most=0.65), scorecard(0)])
def test_every_answer_is_admitted_and_accepted_and_independent_of_company(model):
    method = GrowingSpheres(SCHEMA, percentiles())
    asked = people(40, 7)
    together = recommend(method, model, asked)
    X, Y = (m[together.found.to_numpy()] for m in together.matrices())
    assert len(Y) > 5
    assert method.domain.admits(X, Y).all()
    assert model.accepts(Y).all()
    one = asked.iloc[[5]]
    alone = recommend(method, model, one)
    assert np.array_equal(alone.matrices()[1], together.matrices()[1][[5]], equal_nan=True)
    backwards = recommend(method, model, asked.iloc[::-1])
    assert np.array_equal(backwards.matrices()[1][::-1], together.matrices()[1], equal_nan=True)


def test_somewhere_categories_change_and_gaps_are_filled():
    recs = recommend(GrowingSpheres(SCHEMA, percentiles()), forest(0), people(150, 7))
    X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
    changed = (X != Y).mean(axis=0)
    names = dict(zip(SCHEMA.names, changed, strict=True))
    assert names["age"] == 0
    assert min(names["home"], names["job"]) > 0
    assert ((X[:, 1] == MISSING) & (Y[:, 1] != MISSING)).any()
    assert not ((X != MISSING) & (Y == MISSING)).any()


def test_the_allowed_categories_are_drawn_equally_often_and_no_others():
    ways = {"rent": ["own", "family", "friends"], "own": ["rent"]}
    schema = Schema((nominal(transitions=ways), number("x")))
    names = np.array(schema["home"].categories)
    rent = float(list(names).index("rent"))
    points, _, _ = drawn(schema, [rent, 0.0], 10.0)
    shares = pd.Series(names[points[:, 0].astype(int)]).value_counts(normalize=True)
    assert set(shares.index) == set(NAMES)
    assert shares.max() < 0.26
    assert shares.min() > 0.24
    own = float(list(names).index("own"))
    points, _, _ = drawn(schema, [own, 0.0], 10.0)
    assert set(names[points[:, 0].astype(int)]) == {"own", "rent"}


def test_other_names_change_no_distribution():
    def shares(names):
        schema = Schema((nominal(names), number("x")))
        code = float(schema["home"].categories.index(names[0]))
        points, _, distance = drawn(schema, [code, 0.0], 1.5)
        found = np.array(schema["home"].categories)[points[:, 0].astype(int)]
        return [np.mean(found == name) for name in names], np.quantile(distance, [0.1, 0.5, 0.9])

    first, second = shares(("a", "b", "c", "d")), shares(("z", "y", "x", "w"))
    for one, other in zip(first, second, strict=True):
        assert np.allclose(one, other, atol=0.015)


def test_the_order_in_which_categories_are_declared_changes_no_answer():
    features = [
        replace(f, categories=f.categories[::-1]) if f.kind == "nominal" else f for f in SCHEMA
    ]
    other = Schema(tuple(features), SCHEMA.relations)
    first, second = (
        recommend(GrowingSpheres(schema, percentiles()), forest(0), people(20, 3))
        for schema in (SCHEMA, other)
    )
    pd.testing.assert_frame_equal(first.counterfactual, second.counterfactual)


def test_larger_shells_change_categories_more_often_and_small_ones_never():
    schema = Schema((nominal(), *(number(f"x{j}") for j in range(4))))
    share = [
        np.mean(drawn(schema, [0.0] * 5, outer)[0][:, 0] != 0.0) for outer in (0.99, 1.0, 1.5, 4.0)
    ]
    assert share[0] == 0.0
    assert share[1] == pytest.approx(1 / 5, abs=0.02)
    assert share[1] < share[2] < share[3]
    assert share[3] == pytest.approx(3 / 4, abs=0.02)  # all four categories are equally likely


def test_a_change_of_category_is_as_far_as_twice_its_price_and_stays_in_the_shell():
    ways = {name: {to: 0.9 for to in NAMES if to != name} for name in NAMES}
    schema = Schema((nominal(transitions=ways), number("x")))
    points, _, distance = drawn(schema, [0.0, 0.0], 2.0)
    flipped = points[:, 0] != 0.0
    assert flipped.mean() == pytest.approx((2.0 / 1.8) ** 2 / 2, abs=0.02)
    assert np.allclose(distance**2, 1.8**2 * flipped + points[:, 1] ** 2)
    assert distance.max() <= 2.0 + 1e-9
    assert (points[flipped, 1] == 0.0).any()
    assert (points[flipped, 1] != 0.0).any()


def test_a_gap_is_filled_with_what_people_have():
    gap = Feature("income", lower=0, upper=100, step=1, when_missing="fill", fill_price=0.25)
    schema = Schema((gap, number("x")))
    usual = np.array([[10.0, 20.0, 20.0, 30.0], [0.0] * 4])
    points, _, distance = drawn(schema, [MISSING, 0.0], 3.0, usual)
    filled = points[:, 0] != MISSING
    assert filled.mean() == pytest.approx(0.5, abs=0.02)
    values, counts = np.unique(points[filled, 0], return_counts=True)
    assert values.tolist() == [10.0, 20.0, 30.0]
    assert counts / filled.sum() == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert np.allclose(distance**2, 0.5**2 * filled + points[:, 1] ** 2)


def test_lengths_are_the_exact_searchs_own_distance_in_units():
    method = GrowingSpheres(SCHEMA, percentiles())
    recs = recommend(method, forest(0), people(60, 7))
    X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
    far = lengths(method.domain, method.unit, X, Y)
    whole = Price("l2", method.unit).of(X, Y, method.percentiles)
    assert np.allclose(np.sqrt((far**2).sum(axis=1)), whole)
    most = farthest(method.domain, method.unit, X, method.domain.bounds(X))
    assert (far <= most + 1e-9).all()


def test_changes_of_category_and_filled_gaps_are_taken_back_where_they_are_not_needed():
    domain = SCHEMA.complete(percentiles().of(SCHEMA).values)
    table = people(500, 1)
    who = table[table["income"].isna() & (table["home"] == "rent") & (table["late"] >= 1)].iloc[:1]
    X = domain.matrix(who)
    point = X.copy()
    point[0, 1], point[0, 2] = 3000.0, 1.0
    point[0, 3] = (X[0, 3] + 1) % 5 if np.isfinite(X[0, 3]) else 0.0
    point[0, 6] = 0.0
    assert (point != X).sum() >= 3
    asks_job = [np.zeros_like] * 7
    asks_job[3] = lambda codes: np.where(codes == point[0, 3], 1.0, 0.0)
    kept = sparsify(Additive(asks_job, -0.5), domain, X, point, np.ones(7))
    assert np.flatnonzero(kept[0] != X[0]).tolist() == [3]


def test_where_only_a_category_helps_only_the_category_changes():
    schema = Schema((Feature("home", "nominal", categories=NAMES), Feature("x", step=0.01)))
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"home": rng.choice(NAMES, 200), "x": rng.normal(size=200).round(2)})
    own = float(schema["home"].categories.index("own"))
    model = Additive([lambda codes: np.where(codes == own, 1.0, 0.0), np.zeros_like], -0.5)
    recs = recommend(GrowingSpheres(schema, Percentiles.fit(table)), model, table)
    assert recs.found[table["home"] != "own"].all()
    assert (recs.counterfactual.loc[recs.found, "home"] == "own").all()
    assert (recs.counterfactual["x"] == table["x"])[recs.found].all()
    assert np.allclose(recs.cost[recs.found], 0.5)


def test_with_nothing_but_categories_advice_is_found_and_a_dead_end_is_a_proof():
    schema = Schema((Feature("home", "nominal", categories=NAMES, transitions={"rent": ["own"]}),))
    table = pd.DataFrame({"home": [*NAMES] * 10})
    own = float(schema["home"].categories.index("own"))
    model = Additive([lambda codes: np.where(codes == own, 1.0, 0.0)], -0.5)
    recs = recommend(GrowingSpheres(schema, Percentiles.fit(table)), model, table.iloc[:4])
    assert recs.outcome.tolist() == ["found", "already_favourable", "infeasible", "infeasible"]
    assert recs.counterfactual["home"].iloc[0] == "own"
    assert recs.results["cause"].iloc[2] == NothingToChange()


def test_as_published_refuses_named_categories_that_may_change_and_keeps_gaps():
    with pytest.raises(InputError, match="moves numbers only, and 'home', 'job', 'school' have"):
        GrowingSpheres.as_published(SCHEMA, percentiles())
    fixed = Schema(
        tuple(replace(f, mutable=False) if f.categories else f for f in SCHEMA), SCHEMA.relations
    )
    recs = recommend(GrowingSpheres.as_published(fixed, percentiles()), forest(0), people(30, 7))
    assert recs.found.any()
    X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
    assert ((X == MISSING) == (Y == MISSING)).all()
    assert (recs.outcome != "outside_schema").all()
