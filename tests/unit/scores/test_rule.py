"""Rules and segmented models as scores."""

import pickle

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.recommendations.causes import (
    RefusedByRules,
    Unsatisfiable,
    from_json,
    to_json,
)
from standfast.scores.score import surely_accepts

PRODUCT = sf.Feature("product", "nominal", False, categories=("card", "loan", "shop"))
SCHEMA = sf.Schema(
    (
        sf.Feature("income", "positive", lower=0, upper=3000, step=100),
        sf.Feature("age", "count", mutable=False),
        PRODUCT,
        sf.Feature("debt", "positive", lower=0, upper=2000, step=100, when_missing="keep"),
    )
)
TABLE = pd.DataFrame(
    {
        "income": [500, 900, 1200, 1500, 2000, 2500],
        "age": [17, 22, 31, 45, 50, 19],
        "product": ["card", "loan", "shop", "card", "loan", "shop"],
        "debt": [0, 100, 500, 900, 1500, 2000],
    }
)
POLICY = "income >= 1200 and age >= 18"


def method(schema=SCHEMA, **options):
    return sf.MinimalCost(schema, sf.Percentiles.fit(TABLE), **options)


def with_moves(moves):
    product = sf.Feature("product", "nominal", categories=PRODUCT.categories, transitions=moves)
    return sf.Schema((*SCHEMA.features[:2], product, SCHEMA.features[3]))


def linear(weight, offset):
    return sf.Linear([weight, 0.0, 0.0, 0.0], offset)


def test_a_rule_is_a_score_of_one_or_minus_one():
    rule = sf.Rule(POLICY, SCHEMA)
    X = SCHEMA.matrix(TABLE)
    assert rule.score(X).tolist() == [-1, -1, 1, 1, 1, 1]
    assert (rule.accepts(X, 0.9) == rule.condition.holds(X)).all()
    assert isinstance(rule, sf.TreeEnsemble)
    assert rule.text == POLICY


def test_what_is_missing_satisfies_no_rule_but_missing():
    gap = np.array([[1500.0, 20.0, 0.0, -np.inf]])
    assert not sf.Rule("debt <= 500", SCHEMA).accepts(gap)[0]
    assert not sf.Rule("not debt > 500", SCHEMA).accepts(gap)[0]
    assert sf.Rule("missing(debt) or debt <= 500", SCHEMA).accepts(gap)[0]


def test_a_rule_pickles_and_keeps_its_fingerprint():
    rule = sf.Rule(POLICY, SCHEMA)
    again = pickle.loads(pickle.dumps(rule))
    assert again.digest == rule.digest != sf.Rule("age >= 18", SCHEMA).digest
    assert (again.score(SCHEMA.matrix(TABLE)) == rule.score(SCHEMA.matrix(TABLE))).all()


def test_a_rule_joins_a_model():
    both = sf.Unanimous((linear(1.0, -1000.0), sf.Rule("income >= 1200 and debt <= 500", SCHEMA)))
    recs = sf.recommend(method(), both, TABLE.iloc[[1, 3]])
    assert recs.results["outcome"].tolist() == ["minimal", "minimal"]
    assert recs.sentences().tolist() == [
        "Raise income from 900 to 1200.",
        "Lower debt from 900 to 500.",
    ]


def test_a_rule_about_what_cannot_change_is_named_as_the_reason():
    both = sf.Unanimous((linear(1.0, -1000.0), sf.Rule(POLICY, SCHEMA)))
    recs = sf.recommend(method(), both, TABLE.iloc[[0]])
    assert recs.results["outcome"].item() == "infeasible"
    assert recs.results["cause"].item() == RefusedByRules(("age >= 18",))
    assert "No advice can help: the rule 'age >= 18' refuses" in recs.sentences().item()


def test_a_rule_about_a_category_that_nothing_follows_is_named_as_the_reason():
    moves = {"card": {"shop": 0.2}, "loan": {"card": 0.1, "shop": 0.5}}
    schema = with_moves(moves)
    rule = sf.Rule("income >= 600 and product in (card, loan)", schema)
    recs = sf.recommend(method(schema), rule, TABLE.iloc[[2, 0]])
    assert recs.results["cause"].iloc[0] == RefusedByRules(("product in (card, loan)",))
    assert recs.sentences().iloc[1] == "Raise income from 500 to 600."


def test_a_rule_out_of_everybodys_reach_is_named_as_a_whole():
    recs = sf.recommend(method(), sf.Rule("income >= 5000", SCHEMA), TABLE.iloc[[1]])
    assert recs.results["cause"].item() == RefusedByRules(("income >= 5000",))


@pytest.mark.parametrize("when", ["keep", "fill"])
def test_a_search_meets_people_whose_value_is_missing(when):
    debt = sf.Feature("debt", "positive", lower=0, upper=2000, step=100, when_missing=when)
    schema = sf.Schema((*SCHEMA.features[:3], debt), rules=("if debt > 900 then income > 2000",))
    rich = sf.Rule("income > 1000", schema)
    person = TABLE.iloc[[1]].assign(debt=np.nan)
    lenient = sf.Unanimous((rich, sf.Rule("missing(debt) or debt > 5", schema)))
    recs = sf.recommend(method(schema), lenient, person)
    assert recs.sentences().item() == "Raise income from 900 to 1100."
    strict = sf.Unanimous((rich, sf.Rule("debt > 900", schema)))
    recs = sf.recommend(method(schema), strict, person)
    if when == "keep":
        assert recs.results["cause"].item() == RefusedByRules(("debt > 900",))
    else:
        assert recs.results["outcome"].item() == "minimal"
        assert recs.counterfactual["debt"].item() >= 1000
        assert recs.counterfactual["income"].item() >= 2100


def test_models_that_do_not_agree_are_named_with_the_rules_text():
    low = sf.Linear([0.0, 0.0, 0.0, -1.0], 200.0)
    both = sf.Unanimous((low, sf.Rule("debt >= 500 or income > 9000", SCHEMA)))
    recs = sf.recommend(method(), both, TABLE.iloc[[1]])
    assert "the rule 'debt >= 500 or income > 9000' together" in recs.sentences().item()


@pytest.mark.parametrize("moves", [None, {"card": {"shop": 0.2}}], ids=["free", "priced"])
def test_a_schemas_rule_that_cannot_be_kept_is_to_blame(moves):
    held = sf.Schema(with_moves(moves).features, rules=("age >= 18",))
    recs = sf.recommend(method(held), linear(1.0, -1000.0), TABLE.iloc[[0]])
    assert recs.results["cause"].item() == Unsatisfiable((), rules=("age >= 18",))
    assert "keeps the schema's rule 'age >= 18'" in recs.sentences().item()


@pytest.mark.parametrize("moves", [None, {"card": {"shop": 0.2}}], ids=["free", "priced"])
def test_rules_are_blamed_only_where_they_are_to_blame(moves):
    held = sf.Schema(with_moves(moves).features, rules=("if income > 1000 then debt <= 500",))
    much = sf.Linear([1.0, 0.0, 0.0, 1.0], -3100.0)
    fewer = sf.Unanimous((much, sf.Rule("debt >= 600", SCHEMA)))
    recs = sf.recommend(method(held), fewer, TABLE.iloc[[1]])
    assert recs.results["cause"].item().relations
    assert recs.sentences().item().endswith("and keeps the schema's rules.")
    never = sf.Unanimous((sf.Rule("debt >= 600", SCHEMA), sf.Linear([0.0, 0, 0, -1.0], 300.0)))
    recs = sf.recommend(method(held), never, TABLE.iloc[[1]])
    assert not recs.results["cause"].item().relations


def test_reasons_about_rules_are_written_and_read_back():
    for cause in (RefusedByRules(("age >= 18",)), Unsatisfiable((), rules=("age >= 18",))):
        found = to_json(cause)
        assert from_json({k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}) == (
            cause
        )
    older = {"kind": "Unsatisfiable", "models": [0], "alone": True, "relations": False}
    assert from_json({**older, "level_sets": []}) == Unsatisfiable((0,), True)


def segmented(schema=SCHEMA, **more):
    models = {"card": linear(1.0, -1000.0), "loan": linear(1.0, -2200.0)}
    return sf.Segmented("product", models, schema, **{"otherwise": linear(1.0, -600.0), **more})


def test_the_model_of_a_segment_decides():
    X = SCHEMA.matrix(TABLE)
    model = segmented()
    assert model.accepts(X).tolist() == [False, False, True, True, False, True]
    assert (surely_accepts(model, X) == model.accepts(X)).all()
    assert model.score(X).tolist() == [-500, -1300, 600, 500, -200, 1900]
    assert isinstance(model, sf.Score)


def test_a_segment_may_have_its_own_threshold():
    X = SCHEMA.matrix(TABLE)
    lowered = segmented(thresholds={"loan": -300.0})
    assert lowered.accepts(X).tolist() == [False, False, True, True, True, True]
    assert lowered.digest != segmented().digest


@pytest.mark.parametrize(
    "make",
    [
        lambda s: sf.MinimalCost(s, sf.Percentiles.fit(TABLE)),
        lambda s: sf.ActionableRecourse(s, sf.Percentiles.fit(TABLE)),
        lambda s: sf.GrowingSpheres(s, sf.Percentiles.fit(TABLE)),
    ],
)
def test_people_who_cannot_change_their_segment_meet_one_model(make):
    recs = sf.recommend(make(SCHEMA), segmented(), TABLE)
    advised = recs.counterfactual
    assert advised.loc[0, "income"] >= 1100
    assert advised.loc[1, "income"] >= 2300
    assert recs.results["outcome"].tolist()[2:4] == ["already_favourable"] * 2


def test_where_the_segment_may_change_the_cheapest_segment_is_found():
    free = sf.Feature("product", "nominal", categories=PRODUCT.categories, price=0.05)
    schema = sf.Schema((*SCHEMA.features[:2], free, *SCHEMA.features[3:]))
    recs = sf.recommend(method(schema), segmented(schema), TABLE)
    assert recs.results["outcome"].tolist()[:2] == ["minimal", "minimal"]
    assert recs.sentences().tolist()[1] == "Change product from loan to shop."
    with pytest.raises(sf.InputError, match="several ways"):
        sf.recommend(method(schema, alternatives=2), segmented(schema), TABLE)


def test_a_segmented_model_joins_rules():
    both = sf.Unanimous((segmented(), sf.Rule("debt <= 500", SCHEMA)))
    recs = sf.recommend(method(), both, TABLE.iloc[[4]])
    assert recs.sentences().tolist() == [
        "Raise income from 2000 to 2300 and lower debt from 1500 to 500."
    ]
    assert recs.results["binding"].item() == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"models": {"card": linear(1.0, 0.0)}}, "no model decides where 'product' is 'loan'"),
        ({"models": {}}, "needs a model for each value"),
        ({"models": {"crad": linear(1.0, 0.0)}}, "not a category"),
        ({"models": {"card": 3}}, "not a score"),
        ({"models": {"card": sf.Linear([1.0], 0.0)}}, "reads 1 inputs"),
        ({"models": {"card": linear(1.0, 0.0)}, "thresholds": {"loan": 1.0}}, "no model"),
    ],
)
def test_what_is_no_segmented_model_is_refused(arguments, why):
    with pytest.raises(sf.InputError, match=why):
        sf.Segmented("product", schema=SCHEMA, **arguments)


def test_segments_of_numbers_and_people_without_a_segment():
    schema = sf.Schema((sf.Feature("branch", "count", False), sf.Feature("income", step=1)))
    model = sf.Segmented("branch", {1: sf.Linear([0.0, 1.0], -5.0)}, schema)
    table = pd.DataFrame({"branch": [1, 2, 1], "income": [1.0, 9.0, 9.0]})
    recs = sf.recommend(sf.MinimalCost(schema, sf.Percentiles.fit(table)), model, table)
    outcomes = recs.results["outcome"].tolist()
    assert outcomes == ["minimal", "infeasible", "already_favourable"]


def test_segments_of_a_binary_may_be_named_true_and_false():
    schema = sf.Schema((sf.Feature("audited", "binary"), sf.Feature("income")))
    models = [sf.Linear([0.0, 1.0], -1.0), sf.Linear([0.0, 1.0], -2.0)]
    named = sf.Segmented("audited", {False: models[0], True: models[1]}, schema)
    X = np.array([[0.0, 1.5], [1.0, 1.5]])
    assert named.score(X).tolist() == [0.5, -0.5]
    assert named.digest == sf.Segmented("audited", dict(enumerate(models)), schema).digest
