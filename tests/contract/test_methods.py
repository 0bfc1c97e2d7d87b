"""The duties of a method: every method keeps every one of them, under every model it can read."""

import pickle
import runpy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from standfast import (
    CCHVAE,
    ActionableRecourse,
    Advisor,
    Answers,
    Autoencoder,
    GrowingSpheres,
    InputError,
    Invariant,
    MinimalCost,
    Outcome,
    Percentiles,
    Recommendations,
    Schema,
    Score,
    as_score,
)
from standfast.autoencoder import fit
from standfast.methods import Search
from standfast.recommendations.reasons import LimitReached
from standfast.studies.peers import BetaRce, Roar

people = runpy.run_path(str(Path(__file__).with_name("conftest.py")))["people"]


@cache
def learnt(schema: Schema) -> Autoencoder:
    """An autoencoder of people like the world's; fitting it once serves every duty."""
    return fit(schema, people(1500, seed=1)[0], s=3, z=4, epochs=30, seed=0)


def c_chvae(schema: Schema, percentiles: Percentiles) -> CCHVAE:
    return CCHVAE(schema, percentiles, learnt(schema))


def c_chvae_as_published(schema: Schema, percentiles: Percentiles) -> CCHVAE:
    return CCHVAE.as_published(schema, percentiles, learnt(schema))


@cache
def forests(schema: Schema) -> tuple[tuple[Score, ...], ...]:
    """Two parts of forests grown on resampled people like the world's."""
    table, labels = people(1500, seed=1)
    rng, parts = np.random.default_rng(0), []
    for size in (8, 8):
        grown = []
        for _ in range(size):
            rows = rng.integers(0, len(table), len(table))
            forest = RandomForestClassifier(10, max_depth=4, random_state=int(rng.integers(1000)))
            forest.fit(table.iloc[rows], labels[rows])
            grown.append(as_score(forest, schema, favourable=1))
        parts.append(tuple(grown))
    return tuple(parts)


def invariant(schema: Schema, percentiles: Percentiles) -> Invariant:
    search, choose = forests(schema)
    return Invariant(schema, percentiles, search=search, choose=choose, validity=0.7)


def beta_rce(schema: Schema, percentiles: Percentiles) -> BetaRce:
    return BetaRce(GrowingSpheres(schema, percentiles), forests(schema)[0], delta=0.5)


@dataclass(frozen=True)
class FirstOfTwo:
    """A composite: the first method's advice, and where it has none, the second's."""

    first: MinimalCost
    second: MinimalCost
    name: str = "the first of two exact methods"

    schema = property(lambda self: self.first.schema)
    domain = property(lambda self: self.first.domain)
    percentiles = property(lambda self: self.first.percentiles)

    def settings(self):
        return {"first": self.first.settings(), "second": self.second.settings()}

    def price(self, X, Y):
        return self.first.price(X, Y)

    def prepare(self, model):
        return BothSearches(self.first.prepare(model), self.second.prepare(model))


@dataclass(frozen=True)
class BothSearches:
    first: Search
    second: Search

    def advise(self, X, streams, budget):
        ours, other = (one.advise(X, streams, budget) for one in (self.first, self.second))
        took = [outcome.advises for outcome in ours.outcomes]

        def chosen(mine, theirs):
            return tuple(a if t else b for t, a, b in zip(took, mine, theirs, strict=True))

        return Answers(
            np.where(np.array(took)[:, None], ours.points, other.points),
            chosen(ours.outcomes, other.outcomes),
            chosen(ours.reasons, other.reasons),
            np.where(took, ours.lower_bounds, other.lower_bounds),
            ours.seconds + other.seconds,
            chosen(ours.binding, other.binding),
        )


def first_of_two(*given) -> FirstOfTwo:
    return FirstOfTwo(MinimalCost(*given, margin=0.3), MinimalCost(*given, boxes=100_000))


# A new method adds its line here and has to keep every duty below.
METHODS = {
    "minimal cost": MinimalCost,
    "first of two exact methods": first_of_two,
    "actionable recourse": ActionableRecourse,
    "invariant": invariant,
    "growing spheres": GrowingSpheres,
    "growing spheres as published": GrowingSpheres.as_published,
    "c-chvae": c_chvae,
    "c-chvae, sparse": lambda *given: replace(c_chvae(*given), sparse=True),
    "c-chvae as published": c_chvae_as_published,
    "roar": lambda *given: Roar(*given, delta=0.02),
    "beta rce": beta_rce,
}
MODELS = ("linear", "linear level set", "forest", "unanimous", "black box")


@pytest.fixture(params=METHODS)
def method(request, world):
    return METHODS[request.param](world.schema, world.percentiles)


@pytest.fixture(params=MODELS)
def model(request, method, world):
    if request.param == "linear level set" and not isinstance(method, MinimalCost):
        pytest.skip("sampling methods could ask it too, but each point costs it milliseconds")
    return world.models[request.param]


def served(method, model, people, block=None, **options) -> Recommendations:
    """The recommendations, or a skip where the method refuses a model it cannot read."""
    try:
        return Advisor(method, model, block=block).recommend(people, **options)
    except InputError as refusal:
        if " " not in str(refusal):
            raise
        pytest.skip(f"{method.name} cannot read this model: {refusal}")


def test_every_answer_is_admitted_by_the_schema_and_accepted_by_the_model(method, model, world):
    recs = served(method, model, world.people)
    found = recs.found.to_numpy()
    assert found.any()
    X = method.domain.matrix(recs.factual)[found]
    Y = recs.counterfactual[found].to_numpy(dtype=float)
    assert method.domain.admits(X, Y).all()
    assert model.accepts(Y).all()
    assert (recs.outcome != Outcome.UNSOUND).all()


def test_immutable_inputs_stay(method, model, world):
    recs = served(method, model, world.people)
    changed = set(recs.changes()["feature"])
    assert changed
    assert not changed & {f.name for f in world.schema if not f.mutable}


def test_nobody_is_dropped_and_every_row_has_a_sentence(method, model, world):
    recs = served(method, model, world.people)
    assert recs.index.equals(world.people.index)
    assert set(recs.outcome) <= {str(outcome) for outcome in Outcome}
    assert recs.sentences().str.len().min() > 10
    favourable = recs.outcome == Outcome.ALREADY_FAVOURABLE
    assert (model.accepts(world.schema.matrix(world.people)) == favourable).all()
    assert (recs.cost[favourable] == 0).all()
    assert recs.cost[recs.found].ge(0).all()
    assert recs.cost[~recs.found & ~favourable].isna().all()


def test_the_lower_bound_never_exceeds_the_cost(method, model, world):
    recs = served(method, model, world.people)
    bound = recs.results["lower_bound"]
    assert (bound[recs.found].isna() | (bound[recs.found] <= recs.cost[recs.found] + 1e-9)).all()


def test_the_same_seed_gives_the_same_answer(method, model, world):
    first, second = (served(method, model, world.people, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.counterfactual, second.counterfactual)


def test_company_order_blocks_and_workers_do_not_matter(method, model, world):
    alone = served(method, model, world.people, block=1)
    crowd = served(method, model, world.people.iloc[::-1], block=50, jobs=2)
    few = served(method, model, world.people.iloc[10:30])
    for other in (crowd, few):
        pd.testing.assert_frame_equal(
            other.counterfactual.astype(float),
            alone.counterfactual.loc[other.index].astype(float),
        )
        assert other.outcome.tolist() == alone.outcome.loc[other.index].tolist()


def test_inputs_are_left_as_they_were(method, model, world):
    before, digest = world.people.copy(), model.digest
    served(method, model, world.people)
    pd.testing.assert_frame_equal(world.people, before)
    assert model.digest == digest


def test_a_method_pickles_and_answers_the_same(method, model, world):
    again = pickle.loads(pickle.dumps(method))
    first = served(method, model, world.people.iloc[:20])
    second = served(again, model, world.people.iloc[:20])
    pd.testing.assert_frame_equal(first.counterfactual, second.counterfactual)


def refuse_everybody(table):
    return np.full(len(table), -1.0)


def test_a_person_without_escape_gets_a_sentence(method, world):
    hopeless = as_score(refuse_everybody, world.schema, favourable=None)
    recs = served(method, hopeless, world.people.iloc[:5])
    assert set(recs.outcome) <= {Outcome.EXHAUSTED, Outcome.INFEASIBLE}
    assert recs.results["reason"].notna().all()
    assert recs.explanations().str.len().min() > 10
    assert recs.counterfactual.isna().all(axis=None)


@pytest.mark.parametrize("kind", ["linear", "forest"])
@pytest.mark.parametrize("make", METHODS.values(), ids=METHODS)
def test_a_person_who_may_change_nothing_is_told_so(make, kind, world):
    fixed = replace(world.schema, features=tuple(replace(f, mutable=False) for f in world.schema))
    method = make(fixed, world.percentiles)
    recs = served(method, world.models[kind], world.people.iloc[:20])
    refused = recs.outcome != Outcome.ALREADY_FAVOURABLE
    assert refused.any()
    assert (recs.outcome[refused] == Outcome.INFEASIBLE).all()
    assert np.isinf(recs.results["lower_bound"][refused]).all()


def test_a_time_limit_ends_the_search_and_keeps_every_row(method, model, world):
    recs = served(method, model, world.people, total_time=1e-9)
    refused = recs.outcome != Outcome.ALREADY_FAVOURABLE
    assert refused.any()
    assert (recs.outcome[refused] == Outcome.EXHAUSTED).all()
    assert (recs.results["reason"][refused] == LimitReached("time")).all()


def test_people_outside_the_schema_are_told_and_the_others_served(method, model, world):
    people = world.people.copy()
    if method.schema["grade"].kind != "ordinal":
        pytest.skip("as published the schema declares nothing a person could break")
    people.loc["p0003", "grade"] = 7
    people.loc["p0004", "very_late"] = people.loc["p0004", "late"] + 1
    recs = served(method, model, people)
    outside = recs.outcome == Outcome.OUTSIDE_SCHEMA
    assert list(recs.index[outside]) == ["p0003", "p0004"]
    assert "Grade is 7" in recs.explanations()["p0003"]
    whole = served(method, model, world.people)
    pd.testing.assert_frame_equal(
        recs.counterfactual[~outside].astype(float), whole.counterfactual[~outside].astype(float)
    )


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_a_composite_of_two_exact_methods_gives_the_answers_of_both(kind, world):
    given, model = (world.schema, world.percentiles), world.models[kind]
    both = first_of_two(*given)
    recs, first, second = (
        served(method, model, world.people) for method in (both, both.first, both.second)
    )
    expected = first.counterfactual.where(first.found, second.counterfactual)
    assert 0 < first.found.sum() <= second.found.sum()
    pd.testing.assert_frame_equal(recs.counterfactual.astype(float), expected.astype(float))
