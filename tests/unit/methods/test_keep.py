"""keep and only: what people cannot change, or all that they can, for everybody or for each."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.applicants import SCHEMA, models, people, percentiles
from samples.tenants import SCHEMA as TENANCY
from samples.tenants import forest as tenants_forest
from samples.tenants import people as tenants
from samples.tenants import percentiles as tenants_percentiles

import standfast as sf
from standfast import InputError, MinimalCost, Recommendations, recommend

ASKED = people(60, seed=3)[0]


def best(schema=SCHEMA, **options):
    return MinimalCost(schema, percentiles(), **options)


def immutable(schema, *names):
    """The schema in which these inputs may not change."""
    features = tuple(replace(f, mutable=f.mutable and f.name not in names) for f in schema)
    return replace(schema, features=features)


def assert_same(kept, fixed):
    pd.testing.assert_frame_equal(kept.counterfactual, fixed.counterfactual)
    assert kept.outcome.tolist() == fixed.outcome.tolist()
    np.testing.assert_allclose(kept.cost, fixed.cost)


@pytest.mark.parametrize("kind", ["linear", "forest", "linear level set", "level set and forest"])
def test_keeping_inputs_is_as_if_the_schema_said_so(kind):
    asked = ASKED.head(12 if "level set" in kind else 60)
    kept = recommend(best(), models()[kind], asked, keep={"late", "income"})
    fixed = recommend(best(immutable(SCHEMA, "late", "income")), models()[kind], asked)
    assert kept.found.any()
    assert_same(kept, fixed)


@pytest.mark.parametrize("names", [["home"], ["job", "income"], ["late"]])
def test_categories_and_gaps_are_kept_as_well(names):
    asked, q = tenants(40, 5), tenants_percentiles()
    kept = recommend(MinimalCost(TENANCY, q), tenants_forest(0), asked, keep=names)
    fixed = recommend(MinimalCost(immutable(TENANCY, *names), q), tenants_forest(0), asked)
    assert kept.found.any()
    assert_same(kept, fixed)


def test_a_kept_segment_is_not_left():
    schema = sf.Schema(
        (
            sf.Feature("product", "nominal", categories=("loan", "card")),
            sf.Feature("income", "positive", step=100),
        )
    )
    table = pd.DataFrame({"product": ["loan", "card"] * 20, "income": np.arange(0, 4000, 100.0)})
    model = sf.Segmented(
        "product",
        {"loan": sf.Linear([0.0, 1.0], -3850.0), "card": sf.Linear([0.0, 1.0], -1950.0)},
        schema,
    )
    method = MinimalCost(schema, sf.Percentiles.fit(table))
    asked = table.iloc[[0, 1, 10]]
    free = recommend(method, model, asked)
    kept = recommend(method, model, asked, keep={"product"})
    assert (free.counterfactual["product"] == "card").any()
    assert (kept.counterfactual["product"] == asked["product"]).all()
    assert (kept.outcome == "minimal").all()
    assert (kept.cost >= free.cost).all()


def test_only_names_what_may_change():
    kept = recommend(best(), models()["forest"], ASKED, only={"late", "utilisation"})
    others = {f.name for f in SCHEMA if f.mutable} - {"late", "utilisation"}
    assert set(kept.changes()["feature"]) <= {"late", "utilisation"}
    assert_same(kept, recommend(best(), models()["forest"], ASKED, keep=others))


def test_an_advisor_is_asked_about_people_who_cannot_change_something_else_each():
    advisor = sf.prepare(best(), models()["forest"])
    each = pd.Series(["late; income", None, "balance", ""] * 15, ASKED.index)
    recs = advisor.recommend(ASKED, keep=each)
    for cell, names in (("late; income", {"late", "income"}), ("balance", {"balance"}), ("", ())):
        mine = ASKED[each == cell]
        expected = advisor.recommend(mine, keep=names)
        assert recs.outcome[mine.index].tolist() == expected.outcome.tolist()
        np.testing.assert_allclose(recs.cost[mine.index], expected.cost)
    some = {ASKED.index[1]: ["late"]}
    assert set(advisor.recommend(ASKED, keep=some).results["kept_inputs"]) == {(), ("late",)}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_was_kept_is_written_and_read_and_said(ending, tmp_path):
    each = pd.Series([["late"], ["income", "late"]] * 30, ASKED.index)
    recs = recommend(best(), models()["linear"], ASKED, keep=each)
    recs.write(tmp_path / f"advice.{ending}")
    again = Recommendations.read(tmp_path / f"advice.{ending}")
    assert again.results["kept_inputs"].tolist() == recs.results["kept_inputs"].tolist()
    assert recs.to_frame()["kept_inputs"].iloc[1] == "income; late"
    refused = sf.Linear(np.zeros(len(SCHEMA)), -1.0)
    without = recommend(best(), refused, ASKED.head(1), keep={"late"})
    assert without.sentences().item().endswith("Left unchanged on request: late.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"keep": {"wealth"}}, "keep names 'wealth', which is not an input; the schema has 'age',"),
        ({"only": ["wealth", "late"]}, "only names 'wealth', which is not an input"),
        ({"keep": 3}, "keep is 3; it must be a set of inputs such as {'income'}"),
        ({"keep": {"late"}, "only": {"late"}}, "give keep or only, not both"),
        ({"keep": set(SCHEMA.names)}, "keep leaves no input that advice may change; leave one of"),
        ({"only": {"age"}}, "only leaves no input that advice may change"),
        ({"keep": {"nobody": "late"}}, "keep names 'nobody', who is not among the people"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_any_work(options, sentence):
    with pytest.raises(InputError, match=sentence):
        recommend(best(), models()["linear"], ASKED, **options)


def test_a_person_who_keeps_everything_is_told_that_nothing_helps():
    each = {ASKED.index[0]: SCHEMA.names}
    refused = sf.Linear(np.zeros(len(SCHEMA)), -1.0)
    recs = recommend(best(), refused, ASKED.head(2), keep=each)
    assert recs.outcome.iloc[0] == "infeasible"


def test_a_search_that_cannot_keep_says_so():
    class Plain:
        def __init__(self, search):
            self.advise = search.advise

    class Method(MinimalCost):
        def prepare(self, model):
            return Plain(super().prepare(model))

    method = Method(SCHEMA, percentiles())
    assert recommend(method, models()["linear"], ASKED).found.any()
    with pytest.raises(InputError, match="cannot leave inputs as they are on request"):
        recommend(method, models()["linear"], ASKED, keep={"late"})
