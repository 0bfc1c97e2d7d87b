"""Minimal cost under a complete level set of trees, against all points of a small world."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.scores.sparse_trees import refusals

SIDE = 6


def world(seed=0, n=240, age=0.4):
    """People with three inputs from 0 to 6, one of which never changes."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, SIDE + 1, (n, 3)), columns=["age", "late", "income"])
    hidden = table["income"] - table["late"] + age * table["age"] + rng.normal(size=n)
    schema = sf.Schema(
        (
            sf.Feature("age", "count", mutable=False, lower=0, upper=SIDE, step=1),
            sf.Feature("late", "count", direction="down", lower=0, upper=SIDE, step=1),
            sf.Feature("income", "count", lower=0, upper=SIDE, step=1),
        )
    )
    y = pd.Series(np.where(hidden > hidden.median(), 1, -1))
    return sf.Dataset(table, y, schema, "world")


def cheapest(method, model, X):
    """Each person's least cost by trying everything; infinite where nothing is accepted."""
    every = np.array(list(product(range(SIDE + 1), repeat=3)), dtype=float)
    accepted = every[model.accepts(every)]
    found = []
    for x in X:
        goals = accepted[method.domain.admits(x, accepted)] if len(accepted) else accepted
        costs = method.price(np.repeat(x[None], len(goals), axis=0), goals)
        found.append(costs.min(initial=np.inf))
    return np.array(found)


def asked(data, model, people, **options):
    method = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table), **options)
    return method, sf.recommend(method, model, people)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("cost", ["total", "max"])
def test_advice_is_the_cheapest_that_every_tree_accepts(epsilon, cost):
    data = world()
    rivals = sf.TreeLevelSet.fit(data, depth=3, epsilon=epsilon, cuts=3, leaf_price=0.01)
    people = data.table.head(60)
    method, recs = asked(data, rivals, people, cost=cost)
    goal = cheapest(method, rivals, data.schema.matrix(people))
    refused = ~rivals.accepts(data.schema.matrix(people))
    assert set(recs.outcome) <= {"minimal", "infeasible", "already_favourable"}
    assert (recs.outcome.eq("infeasible").to_numpy() == np.isinf(goal)).all()
    assert recs.outcome.eq("already_favourable").to_numpy().tolist() == (~refused).tolist()
    found = recs.found.to_numpy()
    assert found.any()
    assert recs.cost.to_numpy()[found] == pytest.approx(goal[found], abs=1e-9)


def test_it_joins_forests_linear_models_and_a_linear_level_set():
    data = world(1)
    rivals = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.02, cuts=3)
    forest = RandomForestClassifier(9, max_depth=3, random_state=0).fit(data.table, data.labels)
    f = sf.as_score(forest, data.schema, favourable=1)
    linear = sf.LinearLevelSet.fit(data, epsilon=0.02)
    people = data.table.head(25)
    for others in ([f], [f, linear.best], [linear], [f, linear.best, linear]):
        joint = sf.Unanimous([rivals, *others])
        method, recs = asked(data, joint, people)
        goal = cheapest(method, joint, data.schema.matrix(people))
        found = recs.found.to_numpy()
        assert (recs.outcome.eq("infeasible").to_numpy() == np.isinf(goal)).all()
        assert recs.cost.to_numpy()[found] == pytest.approx(goal[found], abs=1e-9)
        assert found.any()


def test_answers_do_not_depend_on_company():
    data = world(2)
    rivals = sf.TreeLevelSet.fit(data, depth=3, epsilon=0.01, cuts=3)
    people = data.table.head(30)
    _, together = asked(data, rivals, people)
    _, backwards = asked(data, rivals, people.iloc[::-1])
    alone = [asked(data, rivals, people.loc[[i]])[1] for i in people.index[:6]]
    one = together.counterfactual
    pd.testing.assert_frame_equal(one, backwards.counterfactual.loc[one.index])
    pd.testing.assert_frame_equal(one.head(6), pd.concat([r.counterfactual for r in alone]))


def test_a_set_of_too_many_boxes_is_searched_by_rounds_with_the_same_costs(monkeypatch):
    data = world(3)
    people = data.table.head(30)
    rivals = sf.TreeLevelSet.fit(data, depth=3, epsilon=0.02, cuts=3)
    _, whole = asked(data, rivals, people)
    monkeypatch.setattr(refusals, "MOST_BOXES", 3)
    monkeypatch.setattr(refusals, "FURTHER", 2)
    some = rivals.at(0.02)
    assert not some.refusals.few
    _, by_rounds = asked(data, some, people)
    assert whole.outcome.tolist() == by_rounds.outcome.tolist()
    found = whole.found.to_numpy()
    assert by_rounds.cost.to_numpy()[found] == pytest.approx(whole.cost.to_numpy()[found])
    assert rivals.accepts(data.schema.matrix(by_rounds.counterfactual[found])).all()


def test_who_cannot_be_helped_learns_which_tree_decides_on_what():
    data = world(age=2.0)
    rivals = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.02, cuts=3, leaf_price=0.01)
    people = data.table.head(80)
    _, recs = asked(data, rivals, people)
    void = rivals.void(people)
    hopeless = recs.outcome.eq("infeasible")
    assert not (void["void"] & ~hopeless).any()
    shown = recs.sentences()[hopeless & void["void"]]
    assert len(shown)
    assert shown.str.contains("every tree of the level set", regex=False).all()
    assert shown.str.contains("One tree refuses everybody with", regex=False).all()
    for i in shown.index:
        assert void.loc[i, "path"] in shown[i]


def test_a_margin_is_a_further_epsilon_and_kept_inputs_are_kept(tmp_path):
    data = world()
    narrow = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.0, cuts=3, leaf_price=0.01)
    people = data.table.head(40)
    _, wide = asked(data, narrow.at(0.02), people)
    _, raised = asked(data, narrow, people, margin=0.02)
    advised = wide.found & raised.found
    assert raised.cost[advised].tolist() == wide.cost[advised].tolist()
    method = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    kept = sf.recommend(method, narrow, people, keep={"income"})
    same = kept.counterfactual["income"].dropna()
    assert (same == people.loc[same.index, "income"]).all()
    # the reasons survive a file
    kept.write(tmp_path / "advice.csv")
    again = sf.Recommendations.read(tmp_path / "advice.csv")
    assert again.sentences().tolist() == kept.sentences().tolist()


def test_a_region_around_the_advice_is_accepted_by_every_tree():
    data = world()
    rivals = sf.TreeLevelSet.fit(data, depth=3, epsilon=0.01, cuts=3)
    people = data.table.head(40)
    method, recs = asked(data, rivals, people)
    room = sf.region(recs, rivals, method.percentiles)
    every = np.array(list(product(range(SIDE + 1), repeat=3)), dtype=float)
    X = data.schema.matrix(people)
    low, high = room.lower.to_numpy(), room.upper.to_numpy()
    for i in np.flatnonzero(recs.found):
        inside = every[((every >= low[i]) & (every <= high[i])).all(axis=1)]
        inside = inside[method.domain.admits(X[i], inside)]
        assert len(inside)
        assert rivals.accepts(inside).all()


def test_the_set_has_been_seen_so_it_certifies_nothing():
    data = world()
    rivals = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.01, cuts=3)
    _, recs = asked(data, rivals, data.table.head(40))
    fresh = []
    for seed in range(6):
        part = data.table.sample(frac=0.8, random_state=seed)
        tree = DecisionTreeClassifier(max_depth=3).fit(part, data.labels.loc[part.index])
        fresh.append(sf.as_score(tree, data.schema, favourable=1))
    assert sf.certify(recs, fresh, seen=rivals).n == recs.found.sum()
    with pytest.raises(sf.InputError, match="'model 6': the search or the choice has used this"):
        sf.certify(recs, [*fresh, rivals])
    with pytest.raises(sf.InputError, match="the certifying models are a TreeLevelSet; give"):
        sf.certify(recs, rivals)


def test_a_method_that_reads_linear_models_says_that_this_is_none():
    data = world()
    rivals = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.01, cuts=3)
    actions = sf.ActionableRecourse(data.schema, sf.Percentiles.fit(data.table))
    with pytest.raises(sf.InputError, match="model 0 is a TreeLevelSet; actionable recourse"):
        sf.recommend(actions, rivals, data.table.head(3))


def test_advice_on_a_lenders_table_is_the_cheapest_that_keeps_its_books():
    rng = np.random.default_rng(4)
    n, homes = 500, ("own", "rent", "with family")
    loan = np.exp(rng.normal(9.4, 1.1, n)).round(-3).clip(1_000, 40_000)
    paid = (loan * rng.beta(2, 3, n)).round(-3)
    table = pd.DataFrame(
        {
            "home": rng.choice(homes, n, p=(0.35, 0.45, 0.2)),
            "income": np.exp(rng.normal(8.1, 0.6, n)).round(-2).clip(800, 6_000),
            "loan": loan,
            "paid": paid,
            "left": loan - paid,
        }
    )
    hidden = (
        np.log(table["income"]) - 0.5 * np.log(table["left"] + 1e3) + 0.6 * (table.home == "own")
    )
    hidden += 0.6 * rng.logistic(size=n)
    y = pd.Series(np.where(hidden < hidden.quantile(0.12), -1, 1))  # few turn out badly
    most = {"lower": 0, "upper": 40_000, "step": 1_000}
    schema = sf.Schema(
        (
            sf.Feature("home", "nominal", categories=homes),
            sf.Feature("income", "positive", step=100, lower=800, upper=6_000, direction="up"),
            sf.Feature("loan", "positive", mutable=False, **most),
            sf.Feature("paid", "positive", direction="up", **most),
            sf.Feature("left", "positive", direction="down", **most),
        ),
        relations=("loan == paid + left",),
    )
    data = sf.Dataset(table, y, schema, "lender")
    rivals = sf.TreeLevelSet.fit(data, depth=3, epsilon=0.02, cuts=3, balanced=True)
    X = data.schema.matrix(table)
    people = table[~rivals.accepts(X)].head(25)
    method, recs = asked(data, rivals, people)
    goal = []
    for x in data.schema.matrix(people):
        repaid = np.arange(0, x[4] + 1, 1_000)
        ways = product(range(3), np.arange(x[1], 6_001, 100), repaid)
        points = np.array([(h, i, x[2], x[3] + r, x[4] - r) for h, i, r in ways])
        points = points[rivals.accepts(points)]
        points = points[method.domain.admits(x, points)] if len(points) else points
        costs = method.price(np.repeat(x[None], len(points), axis=0), points)
        goal.append(costs.min(initial=np.inf))
    goal = np.array(goal)
    found = recs.found.to_numpy()
    assert found.any()
    assert (recs.outcome.eq("infeasible").to_numpy() == np.isinf(goal)).all()
    assert recs.cost.to_numpy()[found] == pytest.approx(goal[found], abs=1e-9)
