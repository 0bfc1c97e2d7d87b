"""The certificate that comes free with a search under drawn models."""

import runpy
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.certificate import scenario, scenario_bound

here = runpy.run_path(str(Path(__file__).with_name("conftest.py")))
advice, draws = here["advice"], here["draws"]


@pytest.mark.parametrize("N", [1, 7, 60])
def test_the_bound_is_the_formula(N):
    for s in range(N):
        plain = 1 - (0.05 / (N * comb(N, s))) ** (1 / (N - s))
        assert scenario_bound(N, s) == pytest.approx(plain, rel=1e-9)
    assert scenario_bound(N, N) == 1.0


def test_a_fixed_reference_is_not_counted_unless_drawn():
    reference, drawn = sf.Linear([1.0], -1.5), draws(40, spread=0.2)
    model = sf.Unanimous([reference, *drawn])
    recs = advice(model)
    bound = recs.results.loc["a", "binding"]
    assert 0 in bound
    free = scenario(recs, model, drawn)
    counted = scenario(recs, model, [reference, *drawn])
    s = len(bound)
    assert free.people.loc["a", "binding"] == s - 1
    assert counted.people.loc["a", "binding"] == s
    assert free.people.loc["a", "lower"] == pytest.approx(1 - scenario_bound(40, s - 1))
    assert f"{s - 1} of 40 drawn models" in free.sentences()["a"]
    assert ("was binding" in free.sentences()["a"]) == (s == 2)
    assert "people certified by the search under 40 drawn models" in repr(free)


def test_members_with_names_are_counted_alike():
    drawn = draws(40, spread=0.2)
    plain = sf.Unanimous([sf.Linear([1.0], -1.5), *drawn])
    names = ("the reference", *(f"model {k}, drawn" for k in range(40)))
    named = sf.Unanimous(plain.scores, names=names)
    one, two = scenario(advice(plain), plain, drawn), scenario(advice(named), named, drawn)
    assert one.people.equals(two.people)
    assert two.people["lower"].notna().any()
    assert scenario(advice(named), plain, drawn).people.equals(one.people)


def test_advice_under_a_level_set_among_named_members_is_certified():
    rng = np.random.default_rng(0)
    schema = sf.Schema((sf.Feature("late", "count", lower=0, upper=9), sf.Feature("debt", "count")))
    table = pd.DataFrame({"late": rng.integers(0, 10, 300), "debt": rng.integers(0, 10, 300)})
    labels = np.where(rng.logistic(size=300) < 3.0 - 0.6 * table["late"], 1, -1)
    whole = sf.LinearLevelSet.fit(sf.datasets.Dataset(table, pd.Series(labels), schema, "made"))
    drawn = [sf.Linear([-1.0, -0.2], 6.0 + shift) for shift in rng.normal(0, 0.2, 20)]
    names = ("every bank", *(f"bank {k}" for k in range(20)))
    model = sf.Unanimous([whole, *drawn], names=names)
    recs = sf.recommend(sf.MinimalCost(schema, sf.Percentiles.fit(table)), model, table.head(30))
    found = scenario(recs, model, drawn).people
    advised = (recs.outcome == "minimal").to_numpy()
    assert advised.sum() > 3
    assert found["lower"][advised].notna().all()
    for models, s in zip(recs.results["binding"][advised], found["binding"][advised], strict=True):
        assert s == sum(m > 0 for m in models)
    assert recs.binding[advised].str.contains("bank").all()


def test_only_proven_advice_is_certified():
    model = sf.Unanimous(draws(20))
    recs = advice(model)
    outcome = recs.outcome.where(recs.index != "a", "within_gap")
    cut_short = replace(recs, results=recs.results.assign(outcome=outcome))
    found = scenario(cut_short, model, model.scores)
    assert np.isnan(found.people.loc["a", "lower"])
    assert np.isnan(found.people.loc["d", "lower"])  # accepted already: no promise
    assert found.people.loc["b", "lower"] > 0
    assert "certifies nothing" in found.to_frame().loc["a", "sentence"]


def test_another_model_and_draws_left_out_are_refused():
    drawn = draws(20)
    model = sf.Unanimous(drawn)
    recs = advice(model)
    with pytest.raises(sf.InputError, match="not made under this model"):
        scenario(recs, sf.Unanimous(drawn, margin=(0.1,) * 20), drawn)
    with pytest.raises(sf.InputError, match="1 of the 21 drawn models is not among"):
        scenario(recs, model, [*drawn, sf.Linear([1.0], 9.0)])
    with pytest.raises(sf.InputError, match="no drawn model"):
        scenario(recs, model, [])


@pytest.mark.parametrize("case", [(0, 0), (5, 6), (5, -1), (2.5, 1)])
def test_impossible_counts_are_refused(case):
    with pytest.raises(sf.InputError):
        scenario_bound(*case)
