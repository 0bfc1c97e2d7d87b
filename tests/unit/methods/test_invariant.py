import pickle
import threading
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from samples.every import every
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from standfast import (
    Feature,
    InputError,
    Linear,
    MinimalCost,
    Percentiles,
    Schema,
    Tolerance,
    TreeEnsemble,
    Unanimous,
    as_score,
    certify,
    datasets,
    fresh_models,
    recommend,
)
from standfast.methods.attainable import Attainable
from standfast.methods.choice import ValidationModels
from standfast.methods.invariant import MARGINS, Invariant
from standfast.methods.method import Budget
from standfast.recommendations.causes import AcceptedBy, LimitReached, Together, Unsatisfiable
from standfast.rivals.fresh_models import Part
from standfast.scores.score import CLEARANCE, LOGISTIC
from standfast.scores.tree_ensemble import Trees
from standfast.search.exact.driver import Limit
from standfast.search.local.local_search import LocalSearch
from standfast.search.local.neighbourhood import LEAST
from standfast.search.local.surroundings import Surroundings
from standfast.search.problem.lattice import Actions
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program

SCHEMA = Schema((Feature("a", "count"), Feature("b", "count"), Feature("c", "count")))
TABLE = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) // 2, "c": np.arange(20) % 5})
Q = Percentiles.fit(TABLE)
NOBODY = pd.DataFrame({"a": [0], "b": [0], "c": [0]}, index=["p"])


def linear_models(n, seed, spread=0.3):
    """Models of one kind: weights and offset vary around the reference's."""
    rng = np.random.default_rng(seed)
    weights = rng.normal([1.0, 1.0, 0.5], spread * np.array([1.0, 1.0, 0.5]), (n, 3))
    return [Linear(w, o, LOGISTIC, 0.5) for w, o in zip(weights, rng.normal(-9, 1, n), strict=True)]


REFERENCE = Linear([1.0, 1.0, 0.5], -9.0, LOGISTIC, 0.5)
SEARCH, CHOOSE = linear_models(40, 1), linear_models(40, 2)


# what is refused


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"validity": 1.0}, "validity is 1.0; it must be a share between 0 and 1"),
        ({"validity": 0}, "validity is 0; it must be a share between 0 and 1"),
        ({"validity": "0.9"}, "validity is '0.9'; it must be a share"),
        (
            {"breach_cost": -1},
            "breach_cost is -1; it is what a broken promise costs, 0 or a positive",
        ),
        ({"breach_cost": np.inf}, "breach_cost is inf; it is what a broken promise costs"),
        ({"breach_cost": "dear"}, "breach_cost is 'dear'; it is what a broken promise costs"),
        ({"cost": "l2"}, "unknown cost 'l2'; allowed: total, max, log"),
        ({"search": []}, "the part 'search' has no models; draw some with fresh_models"),
        ({"choose": Part("judges", [])}, "the part 'judges' has no models"),
        ({"choose": [*CHOOSE, SEARCH[3]]}, "1 of the models are in 'search' and in 'choose'"),
        ({"choose": ["no"]}, "model 0 of 'choose' is a str, not a score"),
        (
            {"search": [Linear([1.0], 0.0)]},
            "model 0 of 'search' reads 1 inputs and the people have 3",
        ),
        (
            {"search": [as_score(lambda t: t["a"], SCHEMA, favourable=None)]},
            "model 0 of 'search' has a structure that cannot be read",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_when_the_method_is_made(options, sentence):
    with pytest.raises(InputError, match=sentence):
        Invariant(SCHEMA, Q, **{"search": SEARCH, "choose": CHOOSE, **options})


def test_a_model_must_not_judge_advice_that_was_made_for_it():
    method = Invariant(SCHEMA, Q, search=SEARCH, choose=CHOOSE)
    with pytest.raises(InputError, match="the model is itself in 'choose'"):
        recommend(method, CHOOSE[0], NOBODY)
    assert recommend(method, SEARCH[0], NOBODY).found.all()


def test_trees_of_any_depth_can_be_searched_with():
    depth = 600
    inner = np.arange(0, 2 * depth, 2)
    split, left = np.full(2 * depth + 1, np.inf), np.arange(2 * depth + 1)
    split[inner], left[inner] = np.arange(depth), inner + 1
    zeros, value = np.zeros(2 * depth + 1, dtype=int), np.linspace(0, 1, 2 * depth + 1)
    trees = Trees(zeros, split, left, zeros > 0, value, np.array([0]), np.array([depth]))
    deep = TreeEnsemble(trees, 3)
    around = Surroundings(Program.build([deep], [0.0], SCHEMA.complete(Q.values), Q, Price()), 0)
    for x in SCHEMA.matrix(TABLE.head(3)):
        around.of(x)
        views, own = around.look(around.own), around.own
        for column in np.flatnonzero(around.level < around.counts[around.input])[::7]:
            q = own.copy()
            q[around.input[column]] = around.level[column]
            mean = deep.score(around.point(q)[None])[0]
            assert views.mean[column] == pytest.approx(mean, abs=1e-7)


# what the judges ask for


@pytest.mark.parametrize(
    ("m", "validity", "needed"), [(100, 0.9, 93), (100, 0.5, 55), (25, 0.9, 24), (5, 0.95, 5)]
)
def test_one_standard_error_more_than_the_target_has_to_accept(m, validity, needed):
    assert ValidationModels(tuple(linear_models(m, 0)), validity).needed == needed


@pytest.mark.parametrize("target", [0.5, 0.8, 0.9])
def test_fresh_models_keep_as_much_as_was_asked_for(target):
    # a world whose fresh models cost nothing: the whole procedure, repeated
    fresh = linear_models(2000, 99)
    people = pd.DataFrame({"a": [0, 2, 4, 1], "b": [1, 0, 3, 2], "c": [0, 1, 2, 4]})
    means = []
    for seed in range(12):
        parts = linear_models(40, 2 * seed + 100), linear_models(40, 2 * seed + 101)
        method = Invariant(SCHEMA, Q, search=parts[0], choose=parts[1], validity=target)
        recs = recommend(method, REFERENCE, people)
        assert recs.found.all()
        assert not recs.explanations().str.contains("could not").any()
        goals = recs.counterfactual.to_numpy(dtype=float)
        means.append(np.mean([model.score(goals) > 0 for model in fresh]))
    assert np.mean(means) > target - np.std(means) / np.sqrt(len(means))


# the search


def trees(table, labels, schema, n, seed, depth=3):
    rng = np.random.default_rng(seed)
    scores = []
    for _ in range(n):
        rows = rng.integers(0, len(table), len(table))
        grown = RandomForestClassifier(8, max_depth=depth, random_state=int(rng.integers(1 << 30)))
        grown.fit(table.iloc[rows], labels[rows])
        scores.append(as_score(grown, schema, favourable=1))
    return scores


def small_world(seed, relations=()):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({name: rng.integers(0, 7, 300) for name in "abcd"})
    labels = np.where(table.sum(axis=1) + 2 * (table["a"] > 3) + rng.normal(0, 2, 300) > 12, 1, -1)
    features = [Feature("a", "count"), Feature("b", "count", direction="up")]
    features += [Feature("c", "count"), Feature("d", "count", mutable=False)]
    return table, labels, Schema(tuple(features), relations).complete(table)


def every_point(domain, x):
    options = [np.arange(f.lower, f.upper + 1) for f in domain]
    points = every(options)
    return points[domain.admits(np.repeat(x[None], len(points), axis=0), points)]


@pytest.mark.parametrize("relations", [(), ("c <= a",)])
def test_a_look_around_says_what_the_models_say_one_by_one(relations):
    table, labels, domain = small_world(0, relations)
    forests = trees(table, labels, domain, 4, 0)
    linear = LogisticRegression().fit(table, labels)
    boosted = GradientBoostingClassifier(n_estimators=7).fit(table, labels)
    others = [as_score(one, domain, favourable=1) for one in (linear, boosted)]
    program = Program.build(
        [forests[0], others[0], *forests[1:], *others],
        [0.05, *[0.0] * 6],
        domain,
        Percentiles.fit(table),
        Price(),
        Actions(),
    )
    around, rng = Surroundings(program, 2), np.random.default_rng(0)
    for x in domain.matrix(table)[:10]:
        around.of(x)
        p = np.array([rng.integers(count) for count in around.counts])
        views = around.look(p)
        real = around.level < around.counts[around.input]
        assert not views.lawful[~real].any()
        assert not views.legal[~real].any()
        for column in np.flatnonzero(real):
            q = p.copy()
            q[around.input[column]] = around.level[column]
            point = around.point(q)[None]
            lawful = bool((domain.half_spaces.excess(point) == 0).all())
            musts = forests[0].score(point)[0] > 0.05 and others[0].score(point)[0] > 0
            slacks = [f.score(point)[0] for f in forests[1:]]
            slacks += [other.raw(point)[0] / 4 for other in others]  # the link's slope at ½
            assert views.lawful[column] == lawful
            assert views.legal[column] == (lawful and musts)
            assert views.mean[column] == pytest.approx(np.mean(slacks), abs=1e-7)
            assert views.spread[column] == pytest.approx(np.std(slacks), abs=2e-6)


@pytest.mark.parametrize("cost", ["total", "max"])
def test_the_local_search_comes_close_to_the_true_optimum(cost):
    ratios = []
    for seed in range(4):
        table, labels, domain = small_world(seed, ("c <= a",))
        forests = trees(table, labels, domain, 9, seed)
        q = Percentiles.fit(table)
        program = Program.build(forests, [0.0] * 9, domain, q, Price(cost), Actions())
        around = Surroundings(program, 1)
        for x in domain.matrix(table)[:40]:
            points = every_point(domain, x)
            scores = np.array([f.score(points) for f in forests[1:]])
            sure = scores.mean(axis=0) - np.maximum(scores.std(axis=0), LEAST) > 2 * CLEARANCE
            fine = sure & (forests[0].score(points) > CLEARANCE)
            around.of(x)
            search = LocalSearch(around, 1.0, lambda: False)
            found = search.ascend(around.own)
            if not fine.any():
                assert found is None
                continue
            best = q.cost(cost, np.repeat(x[None], fine.sum(), axis=0), points[fine]).min()
            if found is None:
                ratios.append(np.inf)
                continue
            goal = around.point(search.improve(found))
            assert (points[fine] == goal).all(axis=1).any()
            mine = q.cost(cost, x[None], goal[None])[0]
            assert mine >= best - 1e-12
            ratios.append(mine / best if best > 0 else 1.0)
    ratios = np.array(ratios)
    assert len(ratios) > 60
    assert np.isfinite(ratios).mean() > 0.97
    assert np.mean(ratios[np.isfinite(ratios)]) < (1.02 if cost == "total" else 1.04)
    assert (ratios < 1 + 1e-9).mean() > 0.85


# the answers


@pytest.fixture(scope="module")
def credit():
    data = datasets.twin("give_me_some_credit", n=3000, seed=0, variant="published")
    train, test = data.split(0.8, seed=0)
    forest = RandomForestClassifier(
        10, max_depth=5, min_samples_leaf=10, class_weight="balanced", random_state=0
    )
    fresh = fresh_models(
        forest,
        train,
        draws={"max_depth": [4, 5, 6], "min_samples_leaf": [5, 10, 20]},
        sizes={"search": 25, "choose": 25, "certify": 40},
        epsilon=Tolerance(0.1, "balanced_error"),
    )
    model = as_score(forest.fit(train.table, train.labels), data.schema, favourable=1)
    q = Percentiles.fit(train.table)
    refused = test.table[~model.accepts(data.schema.matrix(test.table))].iloc[:15]
    return data.schema, q, fresh, model, refused


def accepted_by(models, recs):
    goals = recs.counterfactual.to_numpy(dtype=float, na_value=np.nan)
    return np.sum([model.score(goals) > CLEARANCE for model in models], axis=0)


def test_advice_is_kept_by_more_fresh_models_and_never_dearer_than_a_raised_threshold(credit):
    schema, q, fresh, model, refused = credit
    method = Invariant(schema, q, search=fresh.search, choose=fresh.choose, validity=0.8)
    recs = recommend(method, model, refused)
    plain = recommend(MinimalCost(schema, q, per_change=0.0, rounded=False), model, refused)
    assert recs.found.all()
    assert model.accepts(recs.counterfactual.to_numpy(dtype=float)).all()
    kept, before = accepted_by(fresh.certify, recs), accepted_by(fresh.certify, plain)
    assert kept.mean() > before.mean() + 4
    yes, needed = accepted_by(fresh.choose, recs), ValidationModels(tuple(fresh.choose), 0.8).needed
    counts = recs.results["cause"]
    assert [count.yes for count in counts] == recs.results["accepted_by"].tolist() == yes.tolist()
    assert ((yes >= needed) == [count.most is None for count in counts]).all()
    assert {(count.models, count.validity) for count in counts} == {(25, 0.8)}
    assert (recs.results["lower_bound"] == plain.results["lower_bound"]).all()
    assert ((recs.outcome == "minimal") == (accepted_by(fresh.choose, plain) >= needed)).all()
    assert (recs.cost[recs.outcome == "minimal"] == plain.cost[recs.outcome == "minimal"]).all()
    dearer = 0
    for margin in MARGINS[:8:2]:
        exact = MinimalCost(schema, q, margin=margin, per_change=0.0, rounded=False)
        raised = recommend(exact, model, refused)
        passes = accepted_by(fresh.choose, raised) >= needed
        dearer += (recs.cost[passes] > raised.cost[passes] + 1e-9).sum()
    assert dearer == 0


# what a broken promise costs


def test_the_expected_cost_comes_close_to_the_least_there_is():
    people = pd.DataFrame({"a": [0, 2, 4, 1, 7], "b": [1, 0, 3, 2, 0], "c": [0, 1, 2, 4, 3]})
    domain, judges = SCHEMA.complete(Q.values), ValidationModels(tuple(CHOOSE), 0.9)
    ratios = []
    for price in (0.1, 0.5, 2.0):
        method = Invariant(SCHEMA, Q, search=SEARCH, choose=CHOOSE, breach_cost=price)
        recs = recommend(method, REFERENCE, people)
        for x, goal in zip(SCHEMA.matrix(people), SCHEMA.matrix(recs.counterfactual), strict=True):
            points = every_point(domain, x)
            points = points[REFERENCE.accepts(points)]

            def expected(goals, x=x, price=price):
                cost = Q.cost("total", np.repeat(x[None], len(goals), axis=0), goals)
                scores = judges.scores(goals)
                return cost + price * np.array([judges.refusal(one) for one in scores.T])

            best, mine = expected(points).min(), expected(goal[None])[0]
            assert mine >= best - 1e-9
            ratios.append(mine / best)
    assert np.mean(ratios) < 1.03
    assert np.max(ratios) < 1.2


def test_advice_that_all_judges_accept_is_told_apart_by_how_surely_they_do():
    judges = ValidationModels(tuple(CHOOSE), 0.9)
    scores = np.linspace(0.1, 0.3, 40)
    assert judges.refusal(scores - 0.2) == 0.5
    assert judges.refusal(scores - 0.102) == 1 / 40
    near, far = judges.refusal(scores - 0.05), judges.refusal(scores + 0.05)
    assert 1 / 41 >= judges.refusal(scores - 0.0999) >= near > far > 0
    assert far == pytest.approx(NormalDist(scores.mean() + 0.05, scores.std()).cdf(0))
    assert judges.refusal(np.full(40, 0.2)) == 0.0


def test_where_broken_promises_are_a_disaster_no_fresh_model_breaks_one(credit):
    schema, q, fresh, model, refused = credit
    recs = {
        price: recommend(
            Invariant(schema, q, search=fresh.search, choose=fresh.choose, breach_cost=price),
            model,
            refused,
        )
        for price in (5.0, 1e4)
    }
    assert (recs[1e4].cost >= recs[5.0].cost - 1e-9).all()
    assert accepted_by(fresh.certify, recs[1e4]).mean() > 39.9


def test_where_broken_promises_cost_nothing_the_cheapest_advice_is_best(credit):
    schema, q, fresh, model, refused = credit
    method = Invariant(schema, q, search=fresh.search, choose=fresh.choose, breach_cost=0)
    recs = recommend(method, model, refused)
    plain = recommend(MinimalCost(schema, q, per_change=0.0, rounded=False), model, refused)
    pd.testing.assert_frame_equal(recs.counterfactual, plain.counterfactual)
    assert (recs.outcome == "minimal").all()


def test_the_more_a_breach_costs_the_more_is_kept(credit):
    schema, q, fresh, model, refused = credit
    kept, costs = [], []
    for price in (0.02, 0.2, 2.0):
        method = Invariant(schema, q, search=fresh.search, choose=fresh.choose, breach_cost=price)
        recs = recommend(method, model, refused)
        assert recs.found.all()
        assert model.accepts(recs.counterfactual.to_numpy(dtype=float)).all()
        assert all(
            cause == AcceptedBy(yes, 25)
            for cause, yes in zip(recs.results["cause"], recs.results["accepted_by"], strict=True)
        )
        assert recs.shortfall is None
        kept.append(accepted_by(fresh.certify, recs).mean())
        costs.append(recs.cost.mean())
    assert kept[0] < kept[1] < kept[2]
    assert costs[0] < costs[1] < costs[2]
    assert recs.provenance["settings"]["breach_cost"] == 2.0
    assert "validity" not in recs.provenance["settings"]


def test_no_answer_is_cheaper_than_its_lower_bound_though_forests_offer_more_values():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.lognormal(0, 1, (300, 3)), columns=["a", "b", "c"])
    schema = Schema(tuple(Feature(name, "real") for name in table))
    labels = np.where(table.sum(axis=1) + rng.normal(0, 1, 300) > 6, 1, -1)
    forests = [
        as_score(
            RandomForestClassifier(10, max_depth=6, random_state=k).fit(table, labels),
            schema,
            favourable=1,
        )
        for k in range(8)
    ]
    reference = Linear([1.0, 1.0, 1.0], -6.0, LOGISTIC, 0.5)
    refused = table[~reference.accepts(table.to_numpy())].iloc[:40]
    q, parts = Percentiles.fit(table), {"search": forests[:4], "choose": forests[4:]}
    for asked in ({"breach_cost": 0.0}, {"breach_cost": 0.2}, {"validity": 0.5}):
        recs = recommend(Invariant(schema, q, **parts, **asked), reference, refused)
        assert (recs.cost >= recs.results["lower_bound"] - 1e-9).all()
        assert (recs.outcome == "minimal").all() == (asked == {"breach_cost": 0.0})


def test_a_target_out_of_reach_is_told_with_the_most_that_was_found():
    # b alone is free, and a third of the models do not care for it
    schema = Schema((Feature("a", mutable=False), Feature("b", "count")))
    table = TABLE[["a", "b"]].astype(float)
    keen = [Linear([0.0, 1.0], -k, LOGISTIC, 0.5) for k in np.linspace(3.1, 7.9, 21)]
    cold = [Linear([1.0, 0.0], -100 - k, LOGISTIC, 0.5) for k in range(9)]
    method = Invariant(
        schema, Percentiles.fit(table), search=keen[::2] + cold[::2], choose=keen[1::2] + cold[1::2]
    )
    reference = Linear([0.0, 1.0], -3.5, LOGISTIC, 0.5)
    recs = recommend(method, reference, table.iloc[:1])
    assert recs.outcome.iloc[0] == "found"
    assert recs.explanations().iloc[0] == (
        "The target of 90 % asks for all 14 choosing models: 12.6, and one standard error (1.1) "
        "more because the same models choose the advice. It cannot be reached: 4 of them refuse "
        "all advice that the model accepts. 10 of the 14 choosing models accept this advice, the "
        "most that was found; no more than 10 could."
    )


def test_no_advice_is_accepted_by_more_judges_than_the_bound_says():
    # the judge that wants little a and the reference that wants much never agree
    schema = Schema((Feature("a", "count", upper=6), Feature("b", "count", upper=6)))
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"a": [0, 1, 5, 2], "b": [0, 3, 1, 1]})
    q, domain = Percentiles.fit(TABLE[["a", "b"]]), schema.complete(TABLE[["a", "b"]])
    reached, X = [], schema.matrix(people)
    for _ in range(30):
        judges = [Linear(rng.normal(0, 1, 2), rng.normal(-2, 1), LOGISTIC, 0.5) for _ in range(9)]
        reference = Linear(rng.normal(0.5, 1, 2), -3.0, LOGISTIC, 0.5)

        def beside(judge, reference=reference):
            asked = (reference, judge), (0.0, 0.0)
            return Program.build(*asked, domain, q, Price("total"), Actions(100))

        bound = Attainable(judges, beside, X)
        for i, x in enumerate(X):
            points = every_point(domain, x)
            points = points[reference.accepts(points)]
            votes = np.array([judge.score(points) > CLEARANCE for judge in judges])
            never = ~votes.any(axis=1)
            most = bound.most(i, np.zeros(9, dtype=bool), Limit())
            assert most == 9 - never.sum()
            assert bound.most(i, never, Limit()) == 9  # whoever has accepted is not asked
            reached.append(most)
    assert len(set(reached)) > 4


def test_a_judge_that_cannot_be_read_or_is_not_asked_in_time_might_accept():
    def beside(judge):
        raise AssertionError("nobody should be searched")

    closed = as_score(lambda t: -np.ones(len(t)), SCHEMA, favourable=None)
    late = Limit(deadline=0.0)
    nobody = np.zeros(1, dtype=bool)
    assert Attainable([closed], beside, SCHEMA.matrix(NOBODY)).most(0, nobody, Limit()) == 1
    assert Attainable([CHOOSE[0]], beside, SCHEMA.matrix(NOBODY)).most(0, nobody, late) == 1


def test_whom_the_model_itself_always_refuses_is_told_with_the_proof():
    method = Invariant(SCHEMA, Q, search=SEARCH, choose=CHOOSE)
    recs = recommend(method, Linear([1.0, 1.0, 0.5], -90.0, LOGISTIC, 0.5), NOBODY)
    assert recs.outcome.iloc[0] == "infeasible"
    assert recs.results["cause"].iloc[0] == Unsatisfiable((0,), alone=True)
    assert np.isinf(recs.results["lower_bound"].iloc[0])


@pytest.mark.parametrize(
    ("asked_for", "count"),
    [
        ({}, AcceptedBy(0, 1, 0.9, most=1, ended=True)),
        ({"breach_cost": 3.0}, AcceptedBy(0, 1)),
    ],
)
def test_an_interrupted_choice_gives_what_it_has_and_says_so(asked_for, count):
    budget, asked = Budget(stop=threading.Event()), []

    def impatient(table):
        asked.append(len(table))
        if len(asked) > 1:
            budget.stop.set()
        return np.full(len(table), -1.0)

    judge = as_score(impatient, SCHEMA, favourable=None)
    method = Invariant(SCHEMA, Q, search=SEARCH, choose=[judge], **asked_for)
    budget.stop.clear()
    asked.clear()
    search = method.prepare(REFERENCE)
    answers = search.advise(SCHEMA.matrix(NOBODY), np.zeros(1, np.uint64), budget)
    assert [str(outcome) for outcome in answers.outcomes] == ["found"]
    assert answers.causes[0] == Together((LimitReached("interruption"), count))
    assert REFERENCE.accepts(answers.points).all()


def test_models_of_several_kinds_search_and_judge_together(credit):
    schema, q, fresh, model, refused = credit
    data = datasets.twin("give_me_some_credit", n=1500, seed=1)
    weight = np.where(data.labels > 0, 1.0, 8.0)
    boosted = [
        as_score(
            GradientBoostingClassifier(n_estimators=15, subsample=0.7, random_state=k).fit(
                data.table, data.labels, sample_weight=weight
            ),
            schema,
            favourable=1,
        )
        for k in range(8)
    ]
    both = Unanimous([model, boosted[0]], margin=0.01)
    method = Invariant(
        schema,
        q,
        search=[*fresh.search[:10], *boosted[1:5]],
        choose=[*fresh.choose[:10], *boosted[5:]],
        validity=0.7,
    )
    people = refused.iloc[:8]
    recs = recommend(method, both, people)
    assert recs.found.any()
    goals = recs.counterfactual[recs.found].to_numpy(dtype=float)
    assert both.accepts(goals).all()


@pytest.mark.parametrize("cost", ["max", "log"])
def test_other_costs_are_searched_and_priced_alike(credit, cost):
    schema, q, fresh, model, refused = credit
    method = Invariant(schema, q, search=fresh.search, choose=fresh.choose, validity=0.7, cost=cost)
    recs = recommend(method, model, refused.iloc[:8])
    assert recs.found.all()
    assert (recs.results["lower_bound"] <= recs.cost + 1e-9).all()


def test_the_parts_are_told_in_the_provenance_and_survive_pickling(credit):
    schema, q, fresh, model, refused = credit
    method = Invariant(schema, q, search=fresh.search, choose=fresh.choose, validity=0.8)
    again = pickle.loads(pickle.dumps(method))
    first, second = (recommend(m, model, refused.iloc[:5]) for m in (method, again))
    pd.testing.assert_frame_equal(first.counterfactual, second.counterfactual)
    origin = first.provenance
    assert origin == second.provenance
    assert origin.settings["validity"] == 0.8
    for name, part in (("search", fresh.search), ("choose", fresh.choose)):
        assert origin.settings[name] == name
        assert [model.digest for model in origin.role(name)] == list(part.digests)


def test_what_searched_and_chose_cannot_certify():
    method = Invariant(SCHEMA, Q, search=SEARCH, choose=CHOOSE, validity=0.6)
    recs = recommend(method, REFERENCE, NOBODY)
    assert recs.found.all()
    for seen in (SEARCH, CHOOSE):
        with pytest.raises(InputError, match="has used these models"):
            certify(recs, seen)
    assert len(certify(recs, linear_models(40, 3)).models) == 40
