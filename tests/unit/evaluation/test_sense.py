"""Sense: each kind of odd move, on people whose answer is known by construction."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.evaluation.evidence import Evidence
from standfast.evaluation.seen import Seen

RNG = np.random.default_rng(0)
N = 1200
LATE = RNG.integers(0, 8, N)
VERY_LATE = np.minimum(LATE, RNG.integers(0, 8, N))
HOME = np.where(RNG.random(N) < 0.5, "own", "rent")
TABLE = pd.DataFrame(
    {
        "income": np.round(RNG.lognormal(8.0, 0.4, N)),
        "late": LATE,
        "very_late": VERY_LATE,
        "home": HOME,
        # who rents has no mortgage
        "mortgage": np.where(HOME == "own", RNG.choice(["none", "small", "large"], N), "none"),
    }
)
SCORE = np.log(TABLE["income"]) - 8.0 - 0.2 * (LATE - 3.5) + RNG.normal(0, 0.3, N)
PAID = pd.Series(np.where(SCORE > 0, "paid", "defaulted"))
SCHEMA = sf.Schema(
    (
        sf.Feature("income", "positive", step=1),
        sf.Feature("late", "count", label="late payments"),
        sf.Feature("very_late", "count"),
        sf.Feature("home", "nominal", categories=("own", "rent")),
        sf.Feature("mortgage", "nominal", categories=("large", "none", "small", "unheard-of")),
    )
)
START = {"income": 3000, "late": 2, "very_late": 1, "home": "rent", "mortgage": "none"}


def advice(*goals, schema=SCHEMA, **start):
    """Recommendations that send copies of one person to these places, by nobody's method."""
    people = pd.DataFrame([START | start] * len(goals), [f"p{k}" for k in range(len(goals))])
    goal_rows = [START | start | goal for goal in goals]
    about = {"outcome": "found", "cause": None, "cost": 1.0, "lower_bound": 0.0, "seconds": 0.0}
    results = pd.DataFrame(about | {"binding": [()] * len(goals)}, index=people.index)
    moved = pd.DataFrame(goal_rows, people.index)
    return sf.Recommendations(schema.complete(TABLE), people, moved, results, {})


def sense(*goals, schema=SCHEMA, **start):
    recs = advice(*goals, schema=schema, **start)
    return sf.sense(recs, TABLE, labels=PAID, favourable="paid")


def kinds(found):
    return dict(
        zip(
            zip(found.moves["person"], found.moves["input"], strict=True),
            found.moves["kinds"],
            strict=True,
        )
    )


def test_moves_against_the_data_s_direction_are_counted_and_those_with_it_are_not():
    found = sense({"income": 2000}, {"income": 4500}, {"late": 5}, {"late": 1})
    assert found.features["direction"].to_dict()["income"] == "up"
    assert found.features["direction"].to_dict()["late"] == "down"
    assert kinds(found) == {
        ("p0", "income"): "against",
        ("p1", "income"): "",
        ("p2", "late"): "against",
        ("p3", "late"): "",
    }
    assert found.people["perverse"].tolist() == [True, False, True, False]
    assert found.people["sensible"].tolist() == [False, True, False, True]
    against = "The advice to raise late payments from 2 to 5 goes against the data, where"
    assert found.remarks["p2"].startswith(f"{against} favourable people have less of it")
    assert found.remarks["p1"] == ""


def test_a_declared_direction_comes_before_the_data_s():
    features = (replace(SCHEMA["income"], direction="down"), *SCHEMA.features[1:])
    found = sense({"income": 2000}, {"income": 4500}, schema=replace(SCHEMA, features=features))
    assert list(kinds(found).values()) == ["", "against"]
    assert found.features.loc["income", ["direction", "source"]].tolist() == ["down", "schema"]
    assert "goes against the schema, by which it may only go down" in found.remarks["p1"]


def test_an_order_that_the_data_never_break_is_found_and_broken_by_advice_alone():
    found = sense({"very_late": 4}, {"late": 0}, {"late": 1})
    assert "very_late <= late" in found.laws.index
    assert found.people["broken"].tolist() == [1, 1, 0]
    assert kinds(found)["p1", "late"] == "broken"
    assert (
        "'very_late <= late' would no longer hold, as it does for everybody"
        in (found.remarks["p1"])
    )
    already = sense({"income": 4500}, {"late": 2}, late=0)  # whose own row breaks it
    assert already.people["broken"].tolist() == [0, 0]


def test_an_implication_between_categories_is_found_and_broken():
    found = sense({"mortgage": "large"}, {"mortgage": "large", "home": "own"})
    law = "if home == rent then mortgage == none"
    assert found.laws.loc[law, ["held", "broken"]].tolist() == [1.0, 1]
    assert (found.people["broken"] > 0).tolist() == [True, False]


def test_a_law_with_few_exceptions_counts_as_well():
    table = TABLE.copy()
    table.loc[table.index[:5], "very_late"] = 9
    recs = advice({"very_late": 4})
    found = sf.sense(recs, table, labels=PAID, favourable="paid")
    assert 0.99 < found.laws.loc["very_late <= late", "held"] < 1
    assert found.people["broken"].tolist() == [1]


def test_a_move_is_small_if_it_passes_less_than_one_percent_of_the_people():
    found = sense({"income": 3003}, {"income": 3200})
    assert kinds(found) == {("p0", "income"): "small", ("p1", "income"): ""}
    passed = ((TABLE["income"] > 3000) & (TABLE["income"] <= 3003)).mean()
    assert passed < 0.01 < ((TABLE["income"] > 3000) & (TABLE["income"] <= 3200)).mean()


def test_values_nobody_has_are_beyond_everybody_or_far_from_all():
    top = TABLE["income"].max()
    found = sense({"income": top}, {"income": top + 1}, {"mortgage": "unheard-of"})
    assert found.people["unseen"].tolist() == [0, 1, 1]
    assert "Nobody in the data has income" in found.remarks["p1"]
    assert "Nobody in the data has mortgage unheard-of." in found.remarks["p2"]


def test_a_gap_between_people_counts_only_where_nobody_is_near():
    schema = sf.Schema((sf.Feature("a", "real", step=0.1),))
    X = np.concatenate([np.linspace(0, 10, 101), np.linspace(50, 60, 101)])[:, None]
    points = np.array([[5.03], [12.0], [30.0], [49.0], [-0.1], [60.1]])
    near = 0.05 * np.subtract(*np.quantile(X, [0.95, 0.05]))
    expected = [(np.abs(X - p).min() > near) | (p < 0) | (p > 60) for p in points[:, 0]]
    assert Seen.of(schema, X).unseen(points).ravel().tolist() == expected
    assert expected == [False, False, True, False, True, True]


def test_two_categories_that_nobody_has_together_are_named_unless_chance_explains_it():
    found = sense({"mortgage": "large"})
    assert kinds(found)["p0", "mortgage"] == "broken, unseen"
    assert "Nobody in the data has mortgage large together with home rent." in found.remarks["p0"]
    few = Seen.of(SCHEMA, SCHEMA.matrix(TABLE.head(12)))
    assert not few.apart.any()


def test_missing_values_have_no_direction_and_are_never_unseen():
    features = (replace(SCHEMA["income"], when_missing="fill"), *SCHEMA.features[1:])
    schema = replace(SCHEMA, features=features)
    table = TABLE.assign(income=TABLE["income"].where(np.arange(N) % 5 > 0))
    recs = advice({"income": 2500}, schema=schema, income=np.nan)
    found = sf.sense(recs, table, labels=PAID, favourable="paid")
    assert found.people[["changed", "against", "small", "unseen"]].to_numpy().tolist() == [
        [1, 0, 0, 0]
    ]


def test_the_counts_agree_with_each_other(world):
    found = sf.sense(world.recs, world.train)
    assert found.people.index.equals(world.recs.index)
    assert found.n == world.recs.found.sum()
    assert found.people.loc[~world.recs.found, "changed"].isna().all()
    assert len(found.moves) == found.people["changed"].sum() == found.features["changed"].sum()
    for kind in ("against", "small", "unseen"):
        moves = found.moves["kinds"].str.split(", ").map(lambda ks, kind=kind: kind in ks)
        assert moves.sum() == found.people[kind].sum() == found.features[kind].sum()
        assert moves.sum() == found.summary.loc[kind, "moves"]
        assert found.moves[moves]["person"].nunique() == found.summary.loc[kind, "people"]
    shown = found.remarks != ""
    assert (shown[world.recs.found] != found.people["sensible"][world.recs.found]).all()
    assert f"Of {found.n} people with advice" in found.sentence
    assert "sensible" in repr(found)


def test_directions_are_the_data_s_also_where_a_method_left_the_schema_aside(world):
    q, schema = world.q, world.test.schema
    spheres = sf.GrowingSpheres.as_published(schema, q)
    recs = sf.recommend(spheres, world.f, world.test.table.head(60), seed=0)
    found = sf.sense(recs, world.train)
    assert found.features.loc["DebtRatio", "source"] == "schema"
    assert found.people["unseen"].sum() > 0


def test_a_constant_column_has_no_direction_and_every_other_value_is_unseen():
    table = pd.DataFrame({"a": RNG.integers(0, 5, 10_000), "b": np.ones(10_000)})
    labels = pd.Series(np.where(table["a"] > 2, 1, -1))
    schema = sf.Schema((sf.Feature("a", "count"), sf.Feature("b")))
    evidence = Evidence.of(sf.Dataset(table, labels, schema, "mine"))
    assert evidence.directions["direction"].tolist() == ["up", ""]
    assert evidence.marked(np.array([[1.0, 1.0]]), np.array([[1.0, 2.0]])).sensible.tolist() == [
        False
    ]


@pytest.mark.parametrize(
    ("data", "given", "words"),
    [
        (TABLE, {}, "a table needs labels= and favourable="),
        (TABLE, {"labels": ["paid"] * 5, "favourable": "paid"}, "5 labels for 1,200 rows"),
        (TABLE, {"labels": PAID, "favourable": "good"}, "the favourable label is 'good'"),
        (TABLE, {"labels": [1] * N, "favourable": 1}, "there must be at least two different"),
        (
            TABLE,
            {"labels": PAID[::-1], "favourable": "paid"},
            "must have the table's own index",
        ),
        (TABLE.drop(columns="late"), {"labels": PAID, "favourable": "paid"}, "lacks the column"),
        ([1, 2], {}, "expected a Dataset or a table, got list"),
    ],
)
def test_bad_data_get_one_sentence(data, given, words):
    with pytest.raises(sf.InputError, match=words):
        sf.sense(advice({"late": 1}), data, **given)


def test_data_with_other_inputs_or_with_labels_twice_are_refused(world):
    with pytest.raises(sf.InputError, match="different inputs or categories"):
        sf.sense(advice({"late": 1}), world.train)
    with pytest.raises(sf.InputError, match="a data set has its labels"):
        sf.sense(world.recs, world.train, labels=world.train.labels, favourable=1)
