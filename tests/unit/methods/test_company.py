"""Whom else is asked about, in which order and in which blocks never changes anybody's answer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.mixed import Problem
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.methods import Budget

RNG = np.random.default_rng(5)
SCHEMA = sf.Schema(
    (
        sf.Feature("age", "count", mutable=False),
        sf.Feature("late", "count", direction="down"),
        sf.Feature("loans", "count", pace=2),
        sf.Feature("cards", "count"),
        sf.Feature("income", "count"),
    )
)
# few values, so that many changes cost the same
TABLE = pd.DataFrame({name: RNG.integers(0, 6, 300) for name in SCHEMA.names})
LABELS = np.where(
    TABLE["income"] + RNG.normal(0, 1.5, 300) > TABLE["late"] + 0.5 * TABLE["loans"], 1, -1
)
Q = sf.Percentiles.fit(TABLE)


def forest(seed):
    model = RandomForestClassifier(12, max_depth=4, random_state=seed).fit(TABLE, LABELS)
    return sf.as_score(model, SCHEMA, favourable=1)


FIRST, SECOND = forest(0), forest(1)
BEST = sf.MinimalCost(SCHEMA, Q)
CASES = {
    "as usual": (BEST, FIRST, {}),
    "the same cost for many": (replace(BEST, per_change=0.0), FIRST, {}),
    "the largest move": (replace(BEST, cost="max", per_change=None), FIRST, {}),
    "log shift": (replace(BEST, cost="log"), FIRST, {}),
    "squares": (replace(BEST, cost="l2", units=np.ones(5), per_change=None), FIRST, {}),
    "several models": (BEST, sf.Unanimous([FIRST, SECOND], margin=0.02), {}),
    "what is kept": (BEST, FIRST, {"keep": {"income"}}),
    "alternatives": (replace(BEST, alternatives=3), FIRST, {}),
    "fewer changes": (replace(BEST, alternatives=3, alternatives_by="changes"), FIRST, {}),
    "a time to come": (replace(BEST, within=(0, 1, 2)), FIRST, {}),
    "a limit": (replace(BEST, boxes=3), FIRST, {}),
    "a limit, several models": (replace(BEST, boxes=5), sf.Unanimous([FIRST, SECOND]), {}),
}


def assert_same(asked, whole):
    """Whoever was asked got what they get in the whole, but for the time it took."""
    who = asked.index
    for one, other in (
        (asked.results, whole.results.loc[who]),
        (asked.counterfactual, whole.counterfactual.loc[who]),
    ):
        one, other = (table.drop(columns="seconds", errors="ignore") for table in (one, other))
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    if whole.alternatives is not None:
        ways = whole.alternatives[whole.alternatives["person"].isin(who)]
        ways, theirs = (t.set_index(["person", "rank"]) for t in (ways, asked.alternatives))
        pd.testing.assert_frame_equal(theirs.sort_index(), ways.sort_index(), check_exact=True)


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_the_same_alone_and_in_any_company(name):
    method, model, options = CASES[name]
    people = TABLE[~model.accepts(SCHEMA.matrix(TABLE))].iloc[:40]
    whole = sf.Advisor(method, model, block=40).recommend(people, **options)
    assert whole.found.any()
    shuffled = people.sample(frac=1.0, random_state=1)
    assert_same(sf.Advisor(method, model, block=7).recommend(shuffled, jobs=2, **options), whole)
    advisor = sf.Advisor(method, model)
    for start in range(0, 40, 4):
        assert_same(advisor.recommend(people.iloc[[start]], **options), whole)


def test_company_does_not_matter_with_categories_gaps_relations_and_rules():
    for seed in range(12):
        problem = Problem.drawn(np.random.default_rng([9, seed]))
        whole = sf.recommend(problem.method, problem.model, problem.table)
        shuffled = problem.table.sample(frac=1.0, random_state=seed)
        advisor = sf.Advisor(problem.method, problem.model, block=3)
        assert_same(advisor.recommend(shuffled), whole)


@pytest.mark.parametrize("ways", [1, 3])
def test_equal_people_are_searched_once_and_each_gets_the_whole_answer(ways):
    advisor = sf.prepare(replace(BEST, alternatives=ways), FIRST)
    refused = TABLE[~FIRST.accepts(SCHEMA.matrix(TABLE))].iloc[:3]
    X = SCHEMA.matrix(refused)[[0, 1, 0, 2, 1, 0]]
    answers = advisor.search.advise(X, np.zeros(6, np.uint64), Budget())
    assert (answers.seconds > 0).tolist() == [True, True, False, True, False, False]
    people = refused.iloc[[0, 1, 0, 2, 1, 0]].set_axis(range(6))
    alone = [advisor.recommend(people.loc[[i]]) for i in people.index]
    whole = advisor.recommend(people)
    for one in alone:
        assert_same(one, whole)
