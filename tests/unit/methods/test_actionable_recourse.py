import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from standfast import (
    ActionableRecourse,
    Additive,
    Feature,
    InputError,
    Linear,
    Percentiles,
    Schema,
    Unanimous,
    as_score,
    datasets,
    recommend,
)
from standfast.recommendations.causes import ActionGrid

SCHEMA = Schema((Feature("a", "count"), Feature("b", step=0.1), Feature("c", "binary")))
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "a": RNG.integers(0, 12, 500),
        "b": RNG.normal(0, 5, 500).round(2),
        "c": RNG.integers(0, 2, 500),
    }
)
Q = Percentiles.fit(TABLE)
NOBODY = pd.DataFrame({"a": [0], "b": [0.0], "c": [0]}, index=["p"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alternatives": 0}, "alternatives is 0; it must be a whole number, 1 or above"),
        ({"actions": 0}, "actions is 0; it must be a whole number, 1 or above"),
        ({"boxes": -1}, "boxes is -1; it must be a whole number, 1 or above"),
        ({"tail": 0.5}, "tail is 0.5; it must be between 0 and 0.5"),
        ({"tail": -0.1}, "tail is -0.1; it must be between 0 and 0.5"),
        ({"cost": "l1"}, "unknown cost 'l1'; allowed: total, max, log"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_when_the_method_is_made(options, sentence):
    with pytest.raises(InputError, match=sentence):
        ActionableRecourse(SCHEMA, Q, **options)


def test_trees_and_black_boxes_are_refused_with_a_word_on_what_to_use_instead():
    tree = DecisionTreeClassifier(max_depth=2).fit(TABLE, TABLE["a"] > 5)
    trees = as_score(tree, SCHEMA, favourable=True)
    linear = Linear([1.0, 0, 0], -5.0)
    with pytest.raises(InputError, match=r"model 1 is a TreeEnsemble.*use MinimalCost for trees"):
        recommend(ActionableRecourse(SCHEMA, Q), Unanimous([linear, trees]), NOBODY)
    black = as_score(lambda table: table["a"] - 3.0, SCHEMA, favourable=None)
    with pytest.raises(InputError, match=r"model 0 is a BlackBox.*GrowingSpheres for anything"):
        recommend(ActionableRecourse(SCHEMA, Q), black, NOBODY)


def test_as_published_the_actions_are_even_steps_between_the_first_and_last_percentile():
    schema = Schema((Feature("b", step=0.01),))
    method = ActionableRecourse.as_published(schema, Q)
    low, high = np.sort(TABLE["b"])[[4, 494]]
    assert method.domain["b"].lower == low
    assert method.domain["b"].upper == high
    offered = np.linspace(low, high, 101).round(2)
    for wish in np.linspace(low + 1, high - 0.1, 12):
        recs = recommend(method, Linear([1.0], -wish), pd.DataFrame({"b": [low]}))
        assert recs.counterfactual["b"].iloc[0] == offered[offered > wish + 1e-9].min()
    beyond = recommend(method, Linear([1.0], -high), pd.DataFrame({"b": [low]}))
    # the grid is not everything that the schema admits, so nothing is proven
    assert beyond.outcome.iloc[0] == "exhausted"
    assert beyond.results["cause"].iloc[0] == ActionGrid()


def test_as_published_is_told_in_name_and_settings():
    method = ActionableRecourse.as_published(SCHEMA, Q, cost="max", alternatives=3)
    shown = recommend(method, Linear([1.0, 0, 0], -5.0), NOBODY).provenance
    assert "as published" in shown["method"]
    settings = shown["settings"]
    assert (settings["even"], settings["tail"], settings["nested"]) == (True, 0.01, False)
    assert (settings["cost"], settings["alternatives"]) == ("max", 3)


def test_by_default_the_actions_are_equal_percentiles_on_the_grid():
    schema = Schema((Feature("b", step=0.1),))
    few = ActionableRecourse(schema, Q, actions=4)
    quarters = np.quantile(TABLE["b"], [0, 0.25, 0.5, 0.75, 1], method="inverted_cdf")
    grid = np.unique([np.floor(quarters * 10) / 10, np.ceil(quarters * 10) / 10]).round(1)
    grid = grid[(grid >= quarters[0]) & (grid <= quarters[-1])]
    for wish in (-3.0, -0.5, 0.8, 4.0):
        recs = recommend(few, Linear([1.0], -wish), pd.DataFrame({"b": [quarters[0]]}))
        assert recs.counterfactual["b"].iloc[0] == grid[grid > wish + 1e-9].min()


def test_the_boundary_itself_is_no_answer():
    recs = recommend(ActionableRecourse(SCHEMA, Q), Linear([1.0, 0, 0], -7.0), NOBODY)
    assert recs.counterfactual["a"].iloc[0] == 8


def test_a_scorecard_behind_bins_is_read_and_answered():
    bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
    labels = (TABLE["a"] - TABLE["b"] + 3 * TABLE["c"] > 6).astype(int)
    fitted = make_pipeline(bins, LogisticRegression()).fit(TABLE, labels)
    model = as_score(fitted, SCHEMA, favourable=1)
    assert isinstance(model, Additive)
    refused = TABLE[~model.accepts(SCHEMA.matrix(TABLE))].iloc[:40]
    recs = recommend(ActionableRecourse(SCHEMA, Q), model, refused)
    assert (recs.outcome == "minimal").all()
    assert (fitted.predict(recs.counterfactual.astype(float)) == 1).all()


def test_a_person_with_a_code_the_encoder_never_saw_is_sent_to_one_it_knows():
    schema = Schema((Feature("code", "count"), Feature("a", "count", mutable=False)))
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"code": rng.choice([1, 2, 4], 300), "a": rng.integers(0, 10, 300)})
    codes = ColumnTransformer([("codes", OneHotEncoder(), ["code"])], remainder="passthrough")
    labels = (table["code"] == 2) * 3 + table["a"] > 5
    fitted = make_pipeline(codes, LogisticRegression()).fit(table, labels)
    model = as_score(fitted, schema, favourable=True)
    assert isinstance(model, Additive)
    people = pd.DataFrame({"code": [3, 1, 4], "a": [4, 4, 4]})
    recs = recommend(ActionableRecourse(schema, Percentiles.fit(table)), model, people)
    assert recs.outcome.tolist() == ["minimal"] * 3
    assert recs.counterfactual["code"].tolist() == [2, 2, 2]


@pytest.fixture(scope="module")
def credit():
    data = datasets.twin("give_me_some_credit", n=5000, seed=0, variant="published")
    train, test = data.split(0.8, seed=0)
    regression = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model = as_score(regression.fit(train.table, train.labels), data.schema, favourable=1)
    refused = test.table[~model.accepts(data.schema.matrix(test.table))].iloc[:150]
    return data.schema, Percentiles.fit(train.table), model, refused


@pytest.mark.parametrize("cost", ["total", "max", "log"])
@pytest.mark.parametrize("published", [False, True])
def test_no_change_could_be_undone_and_none_goes_the_wrong_way(credit, cost, published):
    schema, q, model, refused = credit
    make = ActionableRecourse.as_published if published else ActionableRecourse
    method = make(schema, q, cost=cost)
    recs = recommend(method, model, refused)
    assert recs.outcome.isin(["minimal", "infeasible"]).all()
    assert recs.found.mean() > 0.9
    changes = recs.changes()
    debts = changes[changes["feature"] == "DebtRatio"]
    assert (debts["difference"] < 0).all()
    assert not changes["feature"].isin(["age", "NumberOfDependents"]).any()
    undone = recs.counterfactual.loc[changes["person"]].to_numpy(dtype=float)
    columns = recs.counterfactual.columns.get_indexer(changes["feature"])
    undone[np.arange(len(changes)), columns] = changes["factual"]
    assert not model.accepts(undone).any()


def test_a_finer_grid_is_never_dearer_than_one_it_contains(credit):
    schema, q, model, refused = credit
    people = refused.iloc[:40]
    coarse, fine = (
        recommend(ActionableRecourse(schema, q, actions=n), model, people).cost for n in (20, 100)
    )
    assert (fine <= coarse.fillna(np.inf) + 1e-9).all()
    assert (fine < coarse - 1e-9).any()


def test_a_flipset_reads_as_sentences_in_order_of_cost(credit):
    schema, q, model, refused = credit
    recs = recommend(ActionableRecourse(schema, q, alternatives=4), model, refused.iloc[:20])
    person = recs.alternatives["person"].value_counts().index[0]
    ways = recs.flipset(person)
    assert ways.index.tolist() == list(range(1, len(ways) + 1))
    assert len(ways) > 1
    assert ways["cost"].is_monotonic_increasing
    assert ways["sentence"].is_unique
    assert ways["cost"].iloc[0] == recs.cost[person]
