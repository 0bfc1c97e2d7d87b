"""Bounds on advice and bounds on people are two things."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import standfast as sf
from standfast.datasets.catalogue import SCHEMAS
from standfast.errors import InputError
from standfast.schema import Feature, Schema

# written by version 0.1.0; files of that version carry such digests
OLD = Schema(
    (
        Feature("age", "count", mutable=False, lower=18, upper=99),
        Feature("ratio", "positive", direction="down", lower=0.0, step=0.01, label="debt ratio"),
        Feature("a b", lower=-0.0, upper=float("inf"), step=0),
    ),
    ("2 * age >= `a b` + 3",),
)
OLD_DIGEST = "c753140ff871232f9c84103693b4cc77f2320f9a128638a000f0d182b321aa0e"
OLD_DOMAIN = "89d3d7819660c29dc86dd3b2e57f3cbf85cd0b34489fa8d5f13996a2d89ab199"
OLD_CREDIT = "576ebe89f0ce7f3605a9cf697587c0d6320b787dcaa88b750e7d50a41f8ebd4d"
OLD_TEXT = """\
# One table per column, in the model's order.
# kind: real, positive, count, binary, ordinal or nominal; direction: any, up or down.
# Advice proposes multiples of step; a bound left out is the reference table's range.

relations = [
    "age <= ratio",
]

[features.age]
kind = "count"
mutable = false
direction = "any"
lower = 18

[features.ratio]
kind = "positive"
mutable = true
direction = "any"
upper = inf
step = 0.01
label = "debt ratio"
"""
OLD_TEXT_DIGEST = "2ba36fb6b58a3f2cc252cd8fcdde5f637d500cca71719248cd656c3e75d4c9d7"


def test_a_schema_without_validity_keeps_the_digest_and_the_text_of_version_0_1_0():
    assert OLD.digest == OLD_DIGEST
    table = pd.DataFrame({"age": [30, 40], "ratio": [0.5, 2.0], "a b": [1.0, 2.0]})
    assert OLD.complete(table).digest == OLD_DOMAIN
    assert SCHEMAS["give_me_some_credit"]["published"].digest == OLD_CREDIT
    assert Schema.from_toml(OLD_TEXT).digest == OLD_TEXT_DIGEST
    # autoencoders of that version are known by the text of their schema
    assert Schema.from_toml(OLD_TEXT).to_toml() == OLD_TEXT


def test_validity_is_part_of_the_digest_whatever_way_it_is_written():
    written = [(0, 120), [0.0, 120.0], (-0.0, np.int64(120))]
    digests = {Schema((Feature("a", valid=v),)).digest for v in written}
    assert len(digests) == 1
    assert digests != {Schema((Feature("a"),)).digest}
    open_ends = [None, (None, None), (-np.inf, np.inf), [None, float("inf")]]
    assert {Schema((Feature("a", valid=v),)).digest for v in open_ends} == {
        Schema((Feature("a"),)).digest
    }


@pytest.mark.parametrize(
    ("valid", "written"),
    [
        ((0, 120), "valid = [0, 120]"),
        ((0, None), "valid = [0, inf]"),
        ((None, 2.5), "valid = [-inf, 2.5]"),
    ],
)
def test_open_ends_are_written_as_infinity_and_read_back(valid, written):
    schema = Schema((Feature("a", valid=valid),))
    assert written in schema.to_toml()
    assert Schema.from_toml(schema.to_toml()) == schema


def test_a_person_beyond_a_bound_of_the_advice_is_served_and_keeps_their_own_value():
    schema = Schema(
        (
            Feature("age", "count", mutable=False, lower=18, upper=75, valid=(0, 120)),
            Feature("late", "count", direction="down", lower=0, upper=10),
        )
    )
    X = np.array([[99.0, 3.0], [16.0, 12.0], [130.0, 3.0], [40.0, -1.0]])
    assert [bool(doubt) for doubt in schema.doubts(X)] == [False, False, True, True]
    assert schema.doubts(X)[2] == "age is 130, above 120, the greatest value that is valid"
    domain = schema.complete(pd.DataFrame({"age": [20, 70], "late": [0, 5]}))
    assert domain.admits(X[0], [99, 2])
    assert domain.admits(X[1], X[1])
    assert domain.admits(X[1], [16, 10])
    assert not domain.admits(X[1], [16, 11])
    assert not domain.admits(X[0], [75, 2])


def test_values_that_are_not_valid_do_not_bound_the_advice():
    feature = Feature("age", "count", valid=(0, 120))
    filled = feature.complete(np.array([20.0, 70.0, 999.0]))
    assert (filled.lower, filled.upper, filled.valid) == (20, 70, (0, 120))
    with pytest.raises(InputError, match="holds no valid value"):
        feature.complete(np.array([999.0, -3.0]))


def test_searches_advise_people_beyond_the_bounds_and_refuse_those_who_are_not_valid():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(20, 70, 300), "late": rng.integers(0, 9, 300)})
    labels = np.where(table["late"] + rng.normal(0, 1, 300) < 4, 1, -1)
    model = LogisticRegression().fit(table.to_numpy(dtype=float), labels)
    schema = Schema(
        (
            Feature("age", "count", mutable=False, lower=18, upper=75, valid=(0, 120)),
            Feature("late", "count", lower=0, upper=10),
        )
    )
    f = sf.as_score(model, schema, favourable=1)
    people = pd.DataFrame({"age": [99, 5, 130, 40], "late": [9, 30, 9, 9]})
    q = sf.Percentiles.fit(table)
    for method in (sf.GrowingSpheres(schema, q), sf.MinimalCost(schema, q)):
        found = sf.recommend(method, f, people)
        assert found.outcome[2] == "outside_schema"
        assert "Age is 130, above 120" in found.sentences()[2]
        advised = found.counterfactual.drop(index=2)
        assert advised["age"].tolist() == [99, 5, 40]
        assert (advised["late"] < 9).all()


def test_shipped_bounds_that_were_meant_for_people_judge_people():
    impossible = {
        "heloc": {"PercentTradesNeverDelq": 101, "PercentTradesWBalance": 101},
        "german_credit": {"checking": 4, "job": -1, "owner": 2},
        "sba_case": {"Portion": 1.01},
        "give_me_some_credit": {"age": -1, "DebtRatio": -0.1},
    }
    for name, values in impossible.items():
        schema = SCHEMAS[name]["sensible"]
        x = np.zeros(len(schema))
        assert schema.doubts(x[None, :]) == [""]
        for column, value in values.items():
            odd = np.where(np.array(schema.names) == column, value, x)
            assert column in schema.doubts(odd[None, :])[0]
    heloc = SCHEMAS["heloc"]["sensible"]
    burden = np.where(np.array(heloc.names) == "NetFractionRevolvingBurden", 150.0, 0.0)
    assert heloc.doubts(burden[None, :]) == [""]


@pytest.mark.parametrize("kind", ["positive", "count"])
def test_a_reference_table_with_impossible_values_is_named_not_a_bound_nobody_gave(kind: str):
    table = {"debt": np.array([-3.0, 1.0, 7.0])}
    with pytest.raises(InputError, match=f"table holds -3, but a {kind} is never .* valid = "):
        Schema((Feature("debt", kind, step=1),)).complete(table)
    given = Schema((Feature("debt", kind, step=1, valid=(0, None)),)).complete(table)
    assert (given["debt"].lower, given["debt"].upper) == (1.0, 7.0)
