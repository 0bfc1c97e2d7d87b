"""The duties of a method: every method keeps every one of them, under every model it reads."""

import inspect
import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from samples.applicants import SCHEMA, hopeless, models, people
from samples.methods import ADVISED, ANYTHING, LEVEL_SETS, METHODS, READS, method_for

import standfast.methods
from standfast import Advisor, InputError, Outcome, Recommendations, Score, recommend
from standfast.recommendations.causes import LimitReached

PAIRS = [(method, model) for method, read in READS.items() for model in sorted(read)]
REFUSED = [(name, model) for name, read in READS.items() for model in sorted(ANYTHING - read)]
SINGLE = ("linear", "additive", "forest", "black box")
SEED = 5


@dataclass(frozen=True)
class Case:
    """A method, a model it reads, and one run that many duties look at."""

    method: Any
    model: Score
    people: pd.DataFrame
    before: pd.DataFrame  # a copy of the people from before the run
    digest: str  # of the model, from before the run
    recs: Recommendations

    def ask(
        self, people: pd.DataFrame, block: int | None = None, **options: Any
    ) -> Recommendations:
        """Another run with the same seed."""
        advisor = Advisor(self.method, self.model, block=block)
        return advisor.recommend(people, seed=SEED, **options)

    def assert_same(self, others: Recommendations) -> None:
        """What others were advised is what they are advised in the run of everybody."""
        pd.testing.assert_frame_equal(
            others.counterfactual.astype(float),
            self.recs.counterfactual.loc[others.index].astype(float),
        )
        assert others.outcome.tolist() == self.recs.outcome.loc[others.index].tolist()


def asked(method: str, model: str) -> pd.DataFrame:
    """Fewer people where one person takes long: among them are refused and accepted ones."""
    exact = not hasattr(METHODS[method](SCHEMA), "candidates")
    n = (10 if exact else 6) if model in LEVEL_SETS else 12 if method == "invariant" else 24
    return people(120, seed=2)[0].head(n)


@pytest.fixture(scope="module", params=PAIRS, ids=" reads ".join)
def case(request: pytest.FixtureRequest) -> Case:
    method, model = method_for(*request.param), models()[request.param[1]]
    applicants, digest = asked(*request.param), model.digest
    before = applicants.copy()
    recs = recommend(method, model, applicants, seed=SEED)
    return Case(method, model, applicants, before, digest, recs)


def test_every_answer_is_admitted_by_the_schema_and_accepted_by_the_model(case):
    found = case.recs.found.to_numpy()
    assert found.any()
    X = case.method.domain.matrix(case.recs.factual)[found]
    Y = case.recs.counterfactual[found].to_numpy(dtype=float)
    assert case.method.domain.admits(X, Y).all()
    assert case.model.accepts(Y).all()
    assert (case.recs.outcome != Outcome.UNSOUND).all()


def test_immutable_inputs_stay(case):
    changed = set(case.recs.changes()["feature"])
    assert changed
    assert not changed & {f.name for f in SCHEMA if not f.mutable}


def test_nobody_is_dropped_and_every_row_has_a_sentence(case):
    recs = case.recs
    assert recs.index.equals(case.people.index)
    assert set(recs.outcome) <= {str(outcome) for outcome in Outcome}
    assert recs.sentences().str.len().min() > 10
    favourable = recs.outcome == Outcome.ALREADY_FAVOURABLE
    assert favourable.any()
    assert (case.model.accepts(SCHEMA.matrix(case.people)) == favourable).all()
    assert (recs.cost[favourable] == 0).all()
    assert recs.cost[recs.found].ge(0).all()
    assert recs.cost[~recs.found & ~favourable].isna().all()


def test_the_lower_bound_never_exceeds_the_cost(case):
    found = case.recs.found
    bound, cost = case.recs.results["lower_bound"][found], case.recs.cost[found]
    assert (bound.isna() | (bound <= cost + 1e-9)).all()


def test_the_same_seed_gives_the_same_answer_in_any_company_order_blocks_and_workers(case):
    n = len(case.people)
    case.assert_same(case.ask(case.people.iloc[::-1], block=-(-n // 3), jobs=2))


def test_inputs_are_left_as_they_were(case):
    pd.testing.assert_frame_equal(case.people, case.before)
    assert case.model.digest == case.digest


def test_what_people_keep_stays_and_nothing_is_proven_impossible_that_is_not(case):
    some = case.people.iloc[:10]
    most = case.recs.changes()["feature"].value_counts().index[0]
    others = [f.name for f in SCHEMA if f.mutable and f.name != most]
    kept = {person: [[most], others][k % 2] for k, person in enumerate(some.index)}
    recs = case.ask(some, keep=kept)
    assert (recs.outcome != Outcome.UNSOUND).all()
    X, Y = (matrix[recs.found.to_numpy()] for matrix in recs.matrices())
    assert case.method.domain.admits(X, Y).all()
    assert case.model.accepts(Y).all()
    moved = recs.changes().groupby("person")["feature"].agg(set)
    assert not any(set(kept[person]) & features for person, features in moved.items())
    before, exact = case.recs, not hasattr(case.method, "candidates")
    for person in some.index:
        same = before.counterfactual.loc[person] == before.factual.loc[person]
        if before.found[person] and same[kept[person]].all():  # it is advice still
            assert recs.outcome[person] != Outcome.INFEASIBLE
            bound = recs.results["lower_bound"][person]
            assert not exact or not bound > before.cost[person] + 1e-9


def test_a_method_pickles_and_answers_the_same_to_some_people_one_by_one(case):
    n = len(case.people)
    again = replace(case, method=pickle.loads(pickle.dumps(case.method)))
    case.assert_same(again.ask(case.people.iloc[n // 12 : n // 2], block=1))


def test_a_time_limit_ends_the_search_and_keeps_every_row(case):
    recs = case.ask(case.people, total_time=1e-9)
    assert recs.index.equals(case.people.index)
    refused = recs.outcome != Outcome.ALREADY_FAVOURABLE
    assert refused.any()
    assert (recs.outcome[refused] == Outcome.EXHAUSTED).all()
    assert (recs.results["cause"][refused] == LimitReached("time")).all()


def test_people_outside_the_schema_are_told_and_the_others_served(case):
    some = case.people.iloc[:12].copy()
    some.loc["p0003", "grade"] = 7
    some.loc["p0004", "very_late"] = some.loc["p0004", "late"] + 1
    recs = case.ask(some)
    outside = recs.outcome == Outcome.OUTSIDE_SCHEMA
    if case.method.schema["grade"].kind != "ordinal":
        # as published the schema declares nothing a person could break
        assert not outside.any()
    else:
        assert list(recs.index[outside]) == ["p0003", "p0004"]
        assert "Grade is 7" in recs.explanations()["p0003"]
    others = ~recs.index.isin(["p0003", "p0004"])
    pd.testing.assert_frame_equal(
        recs.counterfactual[others].astype(float),
        case.recs.counterfactual.loc[recs.index[others]].astype(float),
    )


@pytest.mark.parametrize(
    ("method", "kind"), [pair for pair in PAIRS if pair[1] in SINGLE], ids=lambda name: name
)
def test_a_person_without_escape_gets_a_sentence(method, kind):
    recs = recommend(METHODS[method](SCHEMA), hopeless()[kind], people(5, seed=2)[0])
    assert set(recs.outcome) <= {Outcome.EXHAUSTED, Outcome.INFEASIBLE}
    assert recs.results["cause"].notna().all()
    assert recs.explanations().str.len().min() > 10
    assert recs.counterfactual.isna().all(axis=None)


@pytest.mark.parametrize(
    ("method", "kind"), [pair for pair in PAIRS if pair[1] in SINGLE], ids=lambda name: name
)
def test_a_person_who_may_change_nothing_is_told_so(method, kind):
    fixed = replace(SCHEMA, features=tuple(replace(f, mutable=False) for f in SCHEMA))
    recs = recommend(METHODS[method](fixed), models()[kind], people(20, seed=2)[0])
    refused = recs.outcome != Outcome.ALREADY_FAVOURABLE
    assert refused.any()
    assert (recs.outcome[refused] == Outcome.INFEASIBLE).all()
    assert np.isinf(recs.results["lower_bound"][refused]).all()


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_a_composite_of_two_exact_methods_gives_the_answers_of_both(kind):
    both, model = METHODS["first of two exact methods"](SCHEMA), models()[kind]
    applicants = people(80, seed=2)[0]
    recs, first, second = (
        recommend(method, model, applicants) for method in (both, both.first, both.second)
    )
    expected = first.counterfactual.where(first.found, second.counterfactual)
    assert 0 < first.found.sum() <= second.found.sum()
    pd.testing.assert_frame_equal(recs.counterfactual.astype(float), expected.astype(float))


@pytest.mark.parametrize(("method", "model"), REFUSED, ids=lambda name: name)
def test_a_model_it_cannot_read_is_refused_and_the_sentence_says_what_to_use(method, model):
    with pytest.raises(InputError, match=ADVISED[method]):
        recommend(METHODS[method](SCHEMA), models()[model], people(20, seed=2)[0])


def test_every_method_of_the_library_and_every_model_has_its_place_in_the_table():
    exported = (getattr(standfast.methods, name) for name in standfast.methods.__all__)
    library = {thing for thing in exported if inspect.isclass(thing) and hasattr(thing, "price")}
    assert {type(make(SCHEMA)) for make in METHODS.values()} >= library - {standfast.methods.Method}
    assert READS.keys() == METHODS.keys()
    assert ADVISED.keys() == {name for name, read in READS.items() if read != ANYTHING}
    assert models().keys() == ANYTHING
