"""Top-ups: cheapest by brute force, within what the schema admits, and nobody sent back."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.every import every

import standfast as sf
from standfast.promises import Promises
from standfast.promises.repair import broken_by, top_up
from standfast.scores.score import surely_accepts


def cheapest(best, scores, own):
    """The least cost over every point that the schema admits for one person; inf if none."""
    grids = [range(int(f.lower), int(f.upper) + 1) for f in best.domain]
    grids[2] = [own[2]]
    points = every(grids).astype(float)
    fine = best.domain.admits(own, points)
    for score in scores:
        fine &= surely_accepts(score, points)
    costs = best.price(np.tile(own, (len(points), 1)), points)
    return costs[fine].min(initial=np.inf)


@pytest.mark.parametrize("start", ["advice", "factual"])
@pytest.mark.parametrize("both", [False, True])
def test_a_top_up_is_the_cheapest_of_all_that_the_schema_admits(promised, start, both):
    champion = promised.f if both else None
    found = top_up(promised.promises, promised.g, promised.best, champion=champion, start=start)
    left = promised.promises[broken_by(promised.g, promised.promises)]
    stand = left.point if start == "advice" else left.factual
    scores = [promised.f, promised.g] if both else [promised.g]
    expected = np.array([cheapest(promised.best, scores, own) for own in stand])
    assert len(found.people) == len(left) == found.summary["broken"]
    possible = np.isfinite(expected)
    assert np.allclose(found.people["cost"][possible], expected[possible])
    assert (found.people["outcome"][~possible] == "infeasible").all()
    assert found.summary["repaired"] == possible.sum()
    assert found.summary["impossible"] == (~possible).sum()


def test_who_was_told_to_go_down_is_never_sent_back_up(promised):
    found = top_up(promised.promises, promised.g, promised.best)
    left = promised.promises[broken_by(promised.g, promised.promises)]
    goal = found.recommendations.matrices()[1]
    known = ~np.isnan(goal).any(axis=1)
    assert known.any()
    assert (goal[known, 0] <= left.point[known, 0]).all()
    assert (goal[known, 3] >= left.point[known, 3]).all()
    assert (goal[known, 2] == left.factual[known, 2]).all()
    assert promised.best.domain.admits(left.factual[known], goal[known]).all()
    assert found.people["direct"][known].all()
    assert promised.g.accepts(goal[known]).all()


def test_both_models_accept_what_is_topped_up_under_both(promised):
    found = top_up(promised.promises, promised.g, promised.best, champion=promised.f)
    goal = found.recommendations.matrices()[1]
    known = ~np.isnan(goal).any(axis=1)
    assert promised.f.accepts(goal[known]).all()
    assert promised.g.accepts(goal[known]).all()
    alone = top_up(promised.promises, promised.g, promised.best)
    costs = pd.concat([alone.people["cost"], found.people["cost"]], axis=1).dropna()
    assert (costs.iloc[:, 0] <= costs.iloc[:, 1] + 1e-12).all()


def test_two_steps_that_are_too_small_as_one_are_marked():
    schema = sf.Schema((sf.Feature("debt", "count", lower=0, upper=9, least=3),))
    people = pd.DataFrame({"debt": range(10)})
    best = sf.MinimalCost(schema, sf.Percentiles.fit(people))
    advice = sf.recommend(best, sf.Rule("debt <= 4", schema), people.iloc[[5]])
    promises = Promises.of(advice)
    assert promises.point.item() == 2  # three down at least
    found = top_up(promises, sf.Rule("debt == 6 or debt == 7", schema), best)
    assert found.recommendations.counterfactual["debt"].item() == 6
    assert not found.people["direct"].item()  # from 5 to 6 is too small a move
    assert found.people["cost"].item() == pytest.approx(0.41)


def test_who_is_accepted_as_they_stand_needs_nothing():
    schema = sf.Schema((sf.Feature("debt", "count", lower=0, upper=9),))
    people = pd.DataFrame({"debt": range(10)})
    best = sf.MinimalCost(schema, sf.Percentiles.fit(people))
    promises = Promises.of(sf.recommend(best, sf.Rule("debt <= 4", schema), people.iloc[[8]]))
    found = top_up(promises, sf.Rule("debt >= 7", schema), best, start="factual")
    assert found.people["outcome"].item() == "already_favourable"
    assert found.people["cost"].item() == found.people["whole_cost"].item() == 0
    assert found.summary["repaired"] == 1


def test_without_broken_promises_it_says_so(promised):
    found = top_up(promised.promises, promised.f, promised.best)
    assert found.recommendations is None
    assert not len(found.people)
    assert "nothing to top up" in found.sentence


def test_an_empty_list_of_promises_is_refused(promised):
    with pytest.raises(sf.InputError, match="there are no promises"):
        top_up(promised.promises[:0], promised.g, promised.best)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"promises": "advice.csv"}, "the promises are a str"),
        ({"model": 3}, "the model is an int, not a score"),
        ({"model": sf.Linear([1.0], 0.0)}, "reads 1 inputs"),
        ({"champion": "f"}, "the champion is a str"),
        ({"start": "home"}, "allowed: advice, factual"),
        ({"method": "cheapest"}, "proven cheapest by MinimalCost"),
    ],
)
def test_what_cannot_be_topped_up_is_refused(promised, change, said):
    given = {"promises": promised.promises, "model": promised.g, "method": promised.best} | change
    with pytest.raises(sf.InputError, match=said):
        top_up(**given)


def test_promises_of_another_schema_are_refused(promised):
    schema = sf.Schema((sf.Feature("a"), *promised.best.schema.features[1:]))
    table = promised.train.table.rename(columns={"late": "a"})
    other = sf.MinimalCost(schema, sf.Percentiles.fit(table))
    with pytest.raises(sf.InputError, match="use one schema for both"):
        top_up(promised.promises, promised.g, other)
    kinds = (replace(promised.best.schema["late"], kind="ordinal"),)
    other = sf.MinimalCost(sf.Schema((*kinds, *promised.best.schema.features[1:])), promised.q)
    with pytest.raises(sf.InputError, match="'late' is another one"):
        top_up(promised.promises, promised.g, other)
