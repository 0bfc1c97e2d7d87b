from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from standfast import (
    ActionableRecourse,
    Additive,
    Feature,
    InputError,
    Linear,
    MinimalCost,
    Percentiles,
    Schema,
    Unanimous,
    as_score,
    datasets,
    recommend,
)
from standfast.scores.score import LOGISTIC

SCHEMA = Schema((Feature("a", "count"), Feature("b", "count"), Feature("c", "count")))
TABLE = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) // 2, "c": np.arange(20) % 5})
Q = Percentiles.fit(TABLE)
NOBODY = pd.DataFrame({"a": [0], "b": [0], "c": [0]}, index=["p"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alternatives": 0}, "alternatives is 0; it must be a whole number, 1 or above"),
        ({"boxes": 0}, "boxes is 0; it must be a whole number, 1 or above"),
        ({"boxes": np.nan}, "boxes is nan; it must be a whole number, 1 or above"),
        ({"alternatives": "3"}, "alternatives is '3'; it must be a whole number, 1 or above"),
        ({"margin": "0.1"}, "margin is '0.1'; it must be 0 or a positive number"),
        ({"margin": -0.1}, "margin is -0.1; it must be 0 or a positive number"),
        ({"margin": np.nan}, "margin is nan; it must be 0 or a positive number"),
        ({"cost": "manhattan"}, "unknown cost 'manhattan'; allowed: total, max, log, l1, l2"),
        ({"cost": "l1"}, "the cost 'l1' needs units"),
        ({"units": [1.0, 1.0, 1.0]}, "the cost 'total' takes no units"),
        ({"cost": "l2", "units": [1.0, 1.0]}, "2 units for 3 inputs; give one each"),
        ({"cost": "l2", "units": {"a": 1.0, "c": 1.0}}, "units lack 'b'; give one for every input"),
        ({"cost": "l1", "units": [1.0, -1.0, 1.0]}, "units must be positive numbers"),
        ({"cost": "max", "per_change": 1.0}, "goes with additive costs"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_when_the_method_is_made(options, sentence):
    with pytest.raises(InputError, match=sentence):
        MinimalCost(SCHEMA, Q, **options)


def test_percentiles_without_a_column_of_the_schema_are_refused():
    with pytest.raises(InputError, match="fitted without 'c'"):
        MinimalCost(SCHEMA, Percentiles.fit(TABLE[["a", "b"]]))


def test_a_common_margin_needs_probabilities():
    scores = [Linear([1.0, 0, 0], -5.0), Linear([0, 1.0, 0], -5.0, LOGISTIC, threshold=0.5)]
    with pytest.raises(
        InputError, match=r"models \[0\] have no probability.*one margin per member"
    ):
        recommend(MinimalCost(SCHEMA, Q, margin=0.1), Unanimous(scores), NOBODY)
    alone = recommend(MinimalCost(SCHEMA, Q, margin=3.5), scores[0], NOBODY)
    assert alone.counterfactual["a"].iloc[0] == 9


def test_units_may_be_given_by_name_in_any_order():
    model = Linear([1.0, 1.0, 1.0], -6.5)
    named = {"c": 5.0, "a": 3.0, "b": 2.0, "unheard of": 1.0}
    by_name = MinimalCost(SCHEMA, Q, cost="l1", units=named)
    by_place = MinimalCost(SCHEMA, Q, cost="l1", units=[3.0, 2.0, 5.0])
    one, other = (recommend(method, model, NOBODY) for method in (by_name, by_place))
    assert one.counterfactual.equals(other.counterfactual)
    assert one.cost.iloc[0] == pytest.approx(4 / 5 + 3 / 3)


def test_l2_is_reported_as_a_root_in_cost_and_bound():
    model = Linear([1.0, 1.0, 0.0], -7.5)
    recs = recommend(MinimalCost(SCHEMA, Q, cost="l2", units=[1.0, 1.0, 1.0]), model, NOBODY)
    assert recs.counterfactual.iloc[0].tolist() == [4, 4, 0]
    assert recs.cost.iloc[0] == pytest.approx(np.sqrt(32))
    assert recs.results["lower_bound"].iloc[0] == pytest.approx(np.sqrt(32))
    assert recs.gap.iloc[0] == pytest.approx(0.0, abs=1e-12)


def test_a_price_per_change_makes_one_large_change_cheaper_than_two_small_ones():
    model = Linear([1.0, 0.0, 4.0], -10.5)
    cheap = recommend(MinimalCost(SCHEMA, Q, cost="l1", units=[4.0, 1.0, 0.9]), model, NOBODY)
    dear = MinimalCost(SCHEMA, Q, cost="l1", units=[4.0, 1.0, 0.9], per_change=2.0)
    priced = recommend(dear, model, NOBODY)
    assert len(priced.changes()) == 1
    assert priced.cost.iloc[0] == pytest.approx(11 / 4 + 2.0)
    assert priced.cost.iloc[0] >= cheap.cost.iloc[0] + 2.0 - 1e-9


@pytest.mark.parametrize(
    ("cost", "price"), [("total", 0.01), ("log", 0.01), ("max", 0.0), ("l1", 0.0), ("l2", 0.0)]
)
def test_the_usual_price_per_change_is_stated_and_part_of_the_cost(cost, price):
    units = [1.0, 1.0, 1.0] if cost in ("l1", "l2") else None
    model = Unanimous([Linear([1.0, 0, 0], -3.5), Linear([0, 1.0, 0], -3.5)])
    usual, plain = (
        recommend(MinimalCost(SCHEMA, Q, cost=cost, units=units, **given), model, NOBODY)
        for given in ({}, {"per_change": 0.0})
    )
    assert usual.provenance["settings"]["per_change"] == price
    assert plain.provenance["settings"]["per_change"] == 0.0
    assert usual.cost.item() == pytest.approx(plain.cost.item() + 2 * price, abs=1e-12)
    assert usual.results["lower_bound"].item() == pytest.approx(usual.cost.item(), abs=1e-12)


def test_a_method_may_take_up_another_cost_with_its_usual_price():
    largest = replace(MinimalCost(SCHEMA, Q), cost="max")
    assert largest.settings()["per_change"] == 0.0
    assert replace(largest, cost="log").settings()["per_change"] == 0.01


def test_a_move_of_less_than_a_percentile_is_not_asked_for_where_one_fewer_will_do():
    table = pd.DataFrame({"a": np.arange(1000), "b": np.arange(1000) % 500})
    schema = Schema((Feature("a", "count"), Feature("b", "count", upper=3)))
    q, model = Percentiles.fit(table), Linear([1.0, 3.0], -20.5)
    person = pd.DataFrame({"a": [0], "b": [0]})
    plain = recommend(MinimalCost(schema, q, per_change=0), model, person)
    usual = recommend(MinimalCost(schema, q), model, person)
    assert plain.counterfactual.iloc[0].tolist() == [12, 3]  # b passes 0.6 % of the people
    assert usual.counterfactual.iloc[0].tolist() == [21, 0]
    assert plain.cost.item() == pytest.approx(0.018)
    assert usual.cost.item() == pytest.approx(0.021 + 0.01)


def test_margins_of_method_members_and_nested_members_add_up():
    def logistic(weights):
        return Linear(weights, -3.0, LOGISTIC, threshold=0.5)

    inner = Unanimous([logistic([1.0, 0, 0]), logistic([0, 1.0, 0])], margin=(0.1, 0.0))
    model = Unanimous([inner, logistic([0, 0, 1.0])], margin=0.05)
    recs = recommend(MinimalCost(SCHEMA, Q, margin=0.2), model, NOBODY)
    # the raw value needed is log(p / (1 − p)) for p = 0.85, 0.75 and 0.75
    needed = [np.log(p / (1 - p)) + 3.0 for p in (0.85, 0.75, 0.75)]
    assert recs.outcome.iloc[0] == "infeasible"  # c ends at 4, log(3) + 3 lies above
    model = Unanimous([inner, logistic([0, 0, 1.5])], margin=0.05)
    recs = recommend(MinimalCost(SCHEMA, Q, margin=0.2), model, NOBODY)
    expected = [int(needed[0]) + 1, int(needed[1]) + 1, int(needed[2] / 1.5) + 1]
    assert recs.counterfactual.iloc[0].tolist() == expected


def test_linear_models_are_answered_like_actionable_recourse():
    rng = np.random.default_rng(0)
    people = TABLE.sample(20, random_state=0)
    for cost in ("total", "max", "log"):
        model = Unanimous([Linear(rng.normal(size=3), -3.0), Linear(rng.normal(size=3), -2.0)])
        one = recommend(MinimalCost(SCHEMA, Q, cost=cost, per_change=0.0), model, people)
        other = recommend(ActionableRecourse(SCHEMA, Q, cost=cost), model, people)
        pd.testing.assert_frame_equal(one.counterfactual, other.counterfactual)
        pd.testing.assert_series_equal(one.cost, other.cost)


def test_the_settings_are_told_in_the_provenance():
    support = Linear([1.0, 0, 0], 3.0)
    method = MinimalCost(
        SCHEMA, Q, cost="l1", units={"a": 1, "b": 2, "c": 3}, per_change=0.5, support=support
    )
    shown = recommend(method, Linear([1.0, 0, 0], -3.0), NOBODY).provenance["settings"]
    assert shown["units"] == [1.0, 2.0, 3.0]
    assert shown["support"] == support.digest
    assert (shown["cost"], shown["per_change"], shown["alternatives"]) == ("l1", 0.5, 1)


WEIGHTS = {"a": 1.0}


def weighed(values):
    return WEIGHTS["a"] * values


def test_a_scorecard_whose_function_changed_its_mind_is_asked_anew():
    # the functions look the same, but one reads a number that was changed in between
    schema = Schema((Feature("a", "count"),))
    method = MinimalCost(schema, Q)
    person = NOBODY[["a"]]
    first = recommend(method, Additive([weighed], -7.5), person)
    assert first.counterfactual["a"].iloc[0] == 8
    WEIGHTS["a"] = 2.0
    second = recommend(method, Additive([weighed], -7.5), person)
    WEIGHTS["a"] = 1.0
    assert second.counterfactual["a"].iloc[0] == 4


def scorecard(cut):
    class Jump:
        def __call__(self, values):
            return np.where(values > cut, 1.0, -1.0)

    return Additive([Jump()], 0.0)


def test_scorecards_made_of_unlike_things_of_one_kind_are_not_mistaken_for_each_other():
    method = MinimalCost(Schema((Feature("a", "count"),)), Q)
    for cut in (5, 9):
        recs = recommend(method, scorecard(cut), NOBODY[["a"]])
        assert recs.outcome.iloc[0] == "minimal"
        assert recs.counterfactual["a"].iloc[0] == cut + 1


# data support


@pytest.fixture(scope="module")
def credit():
    data = datasets.twin("give_me_some_credit", n=4000, seed=0)
    train, test = data.split(0.8, seed=0)
    return data.schema, train, test


def test_supported_advice_lies_where_the_isolation_forest_itself_accepts_and_costs_no_less(credit):
    schema, train, test = credit
    forest = RandomForestClassifier(20, max_depth=6, class_weight="balanced", random_state=0)
    model = as_score(forest.fit(train.table, train.labels), schema, favourable=1)
    usual = IsolationForest(n_estimators=30, contamination=0.25, random_state=0).fit(train.table)
    support = as_score(usual, schema, favourable=1)
    q = Percentiles.fit(train.table)
    refused = test.table[~model.accepts(schema.matrix(test.table))].iloc[:60]
    free = recommend(MinimalCost(schema, q), model, refused)
    held = recommend(MinimalCost(schema, q, support=support), model, refused)
    assert (free.outcome == "minimal").all()
    assert held.outcome.isin(["minimal", "infeasible"]).all()
    found = held.found
    assert found.sum() > 20
    goals = held.counterfactual[found].astype(float)
    assert (usual.score_samples(goals) > usual.offset_).all()
    assert (usual.predict(goals) == 1).all()
    assert (held.cost[found] >= free.cost[found] - 1e-9).all()
    assert (held.cost[found] > free.cost[found] + 1e-9).any()
    # where the free answer was supported already, it stays the answer's cost
    already = usual.score_samples(free.counterfactual.astype(float)) > usual.offset_ + 1e-6
    assert held.cost[already].tolist() == pytest.approx(free.cost[already].tolist())


def test_a_support_nobody_can_reach_is_infeasible(credit):
    schema, train, test = credit
    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model = as_score(linear.fit(train.table, train.labels), schema, favourable=1)
    usual = IsolationForest(n_estimators=10, random_state=0).fit(train.table)
    nowhere = as_score(usual, schema, favourable=1, threshold=-0.05)
    method = MinimalCost(schema, Percentiles.fit(train.table), support=nowhere)
    refused = test.table[~model.accepts(schema.matrix(test.table))].iloc[:3]
    recs = recommend(method, model, refused)
    assert (recs.outcome == "infeasible").all()
    assert all(1 in cause.models for cause in recs.results["cause"])
    assert recs.explanations().str.contains("satisfies the data support").all()


# members of every library, re-checked by their own prediction

BOOSTED = {
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=30, random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=40, random_state=0),
    "xgboost": lambda: XGBClassifier(n_estimators=60, max_depth=4, n_jobs=1),
    "lightgbm": lambda: LGBMClassifier(n_estimators=40, num_leaves=15, verbose=-1, n_jobs=1),
    "extra trees": lambda: ExtraTreesClassifier(30, min_samples_leaf=5, random_state=0),
    "fully grown": lambda: RandomForestClassifier(12, random_state=0),
}


@pytest.fixture(scope="module")
def boosted(credit):
    schema, train, _ = credit
    labels, weight = (train.labels > 0).astype(int), np.where(train.labels > 0, 1.0, 6.0)
    scores, fitted = {}, {}
    for name, make in BOOSTED.items():
        fitted[name] = make().fit(train.table, labels, sample_weight=weight)
        scores[name] = as_score(fitted[name], schema, favourable=1, threshold=0.6)
    return fitted, scores


@pytest.mark.parametrize("name", BOOSTED)
def test_a_boosted_model_is_never_promised_what_its_own_prediction_refuses(credit, boosted, name):
    schema, train, test = credit
    fitted, scores = boosted
    recs = recommend(
        MinimalCost(schema, Percentiles.fit(train.table), boxes=3000), scores[name], test.table
    )
    asked = recs.outcome != "already_favourable"
    assert asked.sum() > 40
    assert recs.outcome[asked].isin(["minimal", "within_gap", "infeasible", "exhausted"]).all()
    assert (recs.outcome == "minimal").sum() > 0.8 * asked.sum()
    shown = fitted[name].predict_proba(recs.counterfactual[recs.found].astype(float))[:, 1]
    assert (shown > 0.6).all()


def test_all_libraries_agree_on_joint_advice(credit, boosted):
    schema, train, test = credit
    fitted, scores = boosted
    model = Unanimous(tuple(scores.values()), margin=0.01)
    refused = test.table[~model.accepts(schema.matrix(test.table))].iloc[:25]
    recs = recommend(MinimalCost(schema, Percentiles.fit(train.table), boxes=5000), model, refused)
    assert not recs.outcome.isin(["unsound"]).any()
    assert recs.found.sum() > 15
    goals = recs.counterfactual[recs.found].astype(float)
    for estimator in fitted.values():
        assert (estimator.predict_proba(goals)[:, 1] > 0.61).all()
