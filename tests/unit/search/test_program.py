import numpy as np
import pandas as pd
import pytest
from samples.stumps import stumps

from standfast import (
    Additive,
    Feature,
    InputError,
    Linear,
    MinimalCost,
    Percentiles,
    Schema,
    TreeEnsemble,
    Unanimous,
    as_score,
    recommend,
)
from standfast.recommendations.causes import Unsatisfiable
from standfast.scores.score import LOGISTIC
from standfast.scores.tree_ensemble import Trees


def leaf(width, value, **options):
    """A tree that says the same of everybody."""
    one, none = np.zeros(1, dtype=int), np.ones(1, dtype=bool)
    trees = Trees(one, np.full(1, np.inf), one, none, np.full(1, value), one, one)
    return TreeEnsemble(trees, width, **options)


def counts(d, upper=9):
    """A schema of d counts and percentiles that know every value of them."""
    schema = Schema(tuple(Feature(f"x{j}", "count", lower=0, upper=upper) for j in range(d)))
    table = pd.DataFrame({f"x{j}": np.arange(upper + 1) for j in range(d)})
    return schema, Percentiles.fit(table)


def person(schema, *values):
    values = values or (0,) * len(schema)
    return pd.DataFrame([values], columns=list(schema.names))


def test_a_black_box_is_refused_with_a_word_on_what_to_use_instead():
    schema, q = counts(2)
    black = as_score(lambda table: table["x0"] - 1.0, schema, favourable=None)
    mixed = Unanimous([Linear([1.0, 0.0], -5.0), Unanimous([stumps(2, (0, 3.5, 0, 1)), black])])
    with pytest.raises(InputError, match=r"model 2 is a BlackBox.*use GrowingSpheres"):
        recommend(MinimalCost(schema, q), mixed, person(schema))
    with pytest.raises(
        InputError, match=r"model 0 is a BlackBox.*linear, additive and tree models"
    ):
        recommend(MinimalCost(schema, q), black, person(schema))
    with pytest.raises(InputError, match="BlackBox"):
        recommend(MinimalCost(schema, q, support=black), mixed.scores[0], person(schema))


def test_a_support_of_another_width_is_refused():
    schema, q = counts(2)
    method = MinimalCost(schema, q, support=leaf(3, 1.0))
    with pytest.raises(InputError, match="reads 3 inputs, the schema has 2"):
        recommend(method, Linear([1.0, 0.0], -5.0), person(schema))


def test_a_tree_that_is_a_single_leaf_pleases_everywhere_or_nowhere():
    schema, q = counts(2)
    wish = stumps(2, (0, 4.5, 0, 1))
    recs = recommend(MinimalCost(schema, q), Unanimous([wish, leaf(2, 1.0)]), person(schema))
    assert recs.counterfactual.iloc[0].tolist() == [5, 0]
    for model in (leaf(2, 0.5), Unanimous([wish, leaf(2, 0.0)]), Unanimous([leaf(2, 0.0), wish])):
        recs = recommend(MinimalCost(schema, q), model, person(schema))
        assert recs.outcome.iloc[0] == "infeasible"
        assert recs.results["lower_bound"].iloc[0] == np.inf


def test_an_ensemble_without_trees_says_its_offset_of_everybody():
    schema, q = counts(2)
    empty = np.zeros(0, dtype=int)
    trees = Trees(empty, np.zeros(0), empty, np.zeros(0, dtype=bool), np.zeros(0), empty, empty)
    wish = stumps(2, (0, 4.5, 0, 1))
    for offset, outcome in ((0.4, "infeasible"), (0.6, "minimal")):
        silent = TreeEnsemble(trees, 2, 0.5, offset=offset)
        recs = recommend(MinimalCost(schema, q), Unanimous([silent, wish]), person(schema))
        assert recs.outcome.iloc[0] == outcome


def test_constant_trees_and_equal_leaves_do_not_confuse_the_search():
    schema, q = counts(3)
    flat = [(j, s + 0.5, 0.25, 0.25) for j in range(3) for s in range(9)]
    model = stumps(3, *flat, (1, 2.5, 0, 1), threshold=0.25 * 27 + 0.5)
    recs = recommend(MinimalCost(schema, q), model, person(schema, 4, 0, 4))
    assert recs.counterfactual.iloc[0].tolist() == [4, 3, 4]


def test_a_model_that_reads_nothing_the_person_may_change_decides_alone():
    schema = Schema((Feature("fixed", "count", mutable=False), Feature("free", "count")))
    q = Percentiles.fit(pd.DataFrame({"fixed": [0, 9], "free": [0, 9]}))
    people = pd.DataFrame({"fixed": [3, 7], "free": [0, 0]})
    wish = stumps(2, (1, 4.5, 0, 1))
    for other in (stumps(2, (0, 5.5, 0, 1)), Linear([1.0, 0.0], -5.5)):
        for members in ([wish, other], [other, wish]):
            recs = recommend(MinimalCost(schema, q), Unanimous(members), people)
            assert recs.outcome.tolist() == ["infeasible", "minimal"]
            assert recs.counterfactual["free"].tolist()[1] == 5
            alone = Unsatisfiable((members.index(other),), alone=True)
            assert recs.results["cause"].iloc[0] == alone


def test_more_inputs_than_a_word_has_bits():
    d = 130
    schema, q = counts(d, upper=4)
    wanted = [3, 64, 65, 128, 129]
    model = stumps(d, *((j, 0.5 + j % 3, 0, 1) for j in wanted), threshold=4.5)
    recs = recommend(MinimalCost(schema, q, alternatives=2), model, person(schema))
    goal = recs.counterfactual.iloc[0]
    assert recs.outcome.iloc[0] == "minimal"
    assert [j for j in range(d) if goal.iloc[j]] == wanted
    assert [goal.iloc[j] for j in wanted] == [1 + j % 3 for j in wanted]
    weights = np.zeros(d)
    weights[[100, 129]] = 1.0, 2.0
    recs = recommend(MinimalCost(schema, q, alternatives=3), Linear(weights, -5.5), person(schema))
    assert recs.counterfactual.iloc[0].to_numpy().nonzero()[0].tolist() == [129]
    assert (
        len(recs.alternatives) == 1
    )  # the other input alone is not enough, both contain the first


def test_more_cells_than_sixteen_bits_can_count():
    n = 40_000
    schema = Schema((Feature("a", "count"),))
    method = MinimalCost(schema, Percentiles.fit(pd.DataFrame({"a": np.arange(n + 1)})))
    model = stumps(1, *((0, i + 0.5, 0, 1) for i in range(n)), threshold=35_999.5)
    recs = recommend(method, model, pd.DataFrame({"a": [30_000, 35_990]}))
    assert recs.outcome.tolist() == ["minimal", "minimal"]
    assert recs.counterfactual["a"].tolist() == [36_000, 36_000]


def test_a_score_must_exceed_its_threshold_and_may_not_just_reach_it():
    schema, q = counts(1)
    for model in (
        Linear([1.0], -5.0),
        Additive([np.copy], -5.0),
        stumps(1, *((0, s + 0.5, 0, 1) for s in range(9)), threshold=5.0),
        Linear([1.0], -5.0, LOGISTIC, threshold=0.5),
    ):
        recs = recommend(MinimalCost(schema, q), model, person(schema))
        assert recs.counterfactual["x0"].iloc[0] == 6


def test_a_score_must_exceed_its_threshold_by_a_billionth_and_no_more():
    schema, q = counts(1)
    step = stumps(1, (0, 4.5, 0, 1))
    for above, outcome in ((3e-9, "minimal"), (3e-10, "infeasible")):
        trees = TreeEnsemble(step.trees, 1, 1.0 - above)
        linear = Linear([1.0], 0.0, threshold=9.0 - above)
        for model in (trees, linear):
            assert recommend(MinimalCost(schema, q), model, person(schema)).outcome[0] == outcome
    # trees that are added up in 32 bits are asked by that arithmetic, and no more is lost
    for above, outcome in ((3e-9, "minimal"), (3e-10, "infeasible")):
        single = TreeEnsemble(step.trees, 1, 1.0 - above, single=True)
        assert recommend(MinimalCost(schema, q), single, person(schema)).outcome[0] == outcome


def test_divisors_and_offsets_and_links_are_undone():
    schema, q = counts(1)
    rows = [(0, s + 0.5, 0, 1) for s in range(9)]
    plain = stumps(1, *rows)
    for link, shown in ((None, 6.5 / 9 - 0.3), (LOGISTIC, 1 / (1 + np.exp(0.3 - 6.5 / 9)))):
        options = {} if link is None else {"link": link}
        model = TreeEnsemble(plain.trees, 1, shown, offset=-0.3 * 9, divisor=9.0, **options)
        recs = recommend(MinimalCost(schema, q), model, person(schema))
        assert recs.counterfactual["x0"].iloc[0] == 7


def test_a_margin_no_probability_can_reach_is_infeasible():
    schema, q = counts(1)
    model = Linear([100.0], -5.0, LOGISTIC, threshold=0.6)
    recs = recommend(MinimalCost(schema, q, margin=0.4), model, person(schema))
    assert recs.outcome.iloc[0] == "infeasible"
    forest = TreeEnsemble(stumps(1, (0, 2.5, -9, 9)).trees, 1, 0.6, LOGISTIC)
    recs = recommend(MinimalCost(schema, q, margin=0.45), forest, person(schema))
    assert recs.outcome.iloc[0] == "infeasible"


# scorecards that refuse a value outright


def known(values):
    """A contribution of −inf for 1, the value itself otherwise."""
    return np.where(values == 1, -np.inf, values)


def test_a_person_whose_own_value_a_scorecard_does_not_know_is_sent_to_one_it_knows():
    schema, q = counts(2, upper=3)
    model = Additive([known, np.copy], -0.5)
    recs = recommend(MinimalCost(schema, q), model, person(schema, 1, 0))
    assert recs.outcome.iloc[0] == "minimal"
    assert recs.counterfactual.iloc[0].tolist() == [2, 0]


def test_values_a_scorecard_does_not_know_are_stepped_over():
    schema, q = counts(2, upper=5)
    model = Additive([known, known], -6.5)
    recs = recommend(MinimalCost(schema, q, per_change=0.0), model, person(schema, 0, 0))
    assert recs.outcome.iloc[0] == "minimal"
    assert recs.cost.iloc[0] == pytest.approx(7 / 6)
    nowhere = Additive([lambda v: np.full(len(v), -np.inf), np.copy], 0.0)
    recs = recommend(MinimalCost(schema, q, per_change=0.0), nowhere, person(schema, 0, 0))
    assert recs.outcome.iloc[0] == "infeasible"


def test_a_value_for_which_a_scorecard_has_no_number_is_refused_like_an_unknown_one():
    schema, q = counts(2, upper=5)
    model = Additive([lambda v: np.where(v < 2, np.nan, v), np.copy], -2.5)
    recs = recommend(MinimalCost(schema, q, per_change=0.0), model, person(schema, 0, 0))
    assert recs.outcome.iloc[0] == "minimal"
    assert recs.cost.iloc[0] == pytest.approx(3 / 6)


# relations


def test_a_relation_holds_to_its_last_digit_beside_large_bounds():
    # what a relation tolerates is a share of the point's own size, not of what is possible
    schema = Schema(
        (
            Feature("a", "positive", step=0.0001, lower=0, upper=1e6),
            Feature("b", "positive", mutable=False, lower=0, upper=1e6),
        ),
        ("a <= b",),
    )
    q = Percentiles.fit(pd.DataFrame({"a": [0.0, 1e6], "b": [0.0, 1e6]}))
    method = MinimalCost(schema, q, cost="l1", units=[1.0, 1.0])
    people = pd.DataFrame({"a": [0.0, 0.0], "b": [0.0001, 0.0002]})
    recs = recommend(method, stumps(2, (0, 0.00015, 0, 1)), people)
    assert recs.outcome.tolist() == ["infeasible", "minimal"]
    assert recs.counterfactual["a"].iloc[1] == 0.0002


def test_a_relation_between_decimals_is_not_broken_by_their_last_bit():
    schema = Schema(
        tuple(Feature(name, step=0.1, lower=0, upper=1) for name in "abc"), ("a + b <= c",)
    )
    table = pd.DataFrame({name: np.linspace(0, 1, 11).round(1) for name in "abc"})
    people = pd.DataFrame({"a": [0.0], "b": [0.2], "c": [0.3]})
    recs = recommend(
        MinimalCost(schema, Percentiles.fit(table)), stumps(3, (0, 0.05, 0, 1)), people
    )
    assert recs.counterfactual.iloc[0].tolist() == [0.1, 0.2, 0.3]


def test_a_relation_between_large_decimals_is_not_broken_by_their_last_bit_either():
    # a + b exceeds c by 1.5e-8 in 64 bits, which the schema tolerates at this size
    a, b, c = 78922732.4, 24697574.9, 103620307.3
    assert a + b > c
    fixed = [Feature(name, "positive", step=0.1, mutable=False) for name in "abc"]
    schema = Schema((*fixed, Feature("d", "count")), ("a + b <= c",))
    table = pd.DataFrame({"a": [0.0, 1e8], "b": [0.0, 1e8], "c": [0.0, 2e8], "d": [0, 9]})
    people = pd.DataFrame({"a": [a], "b": [b], "c": [c], "d": [0]})
    method = MinimalCost(schema, Percentiles.fit(table))
    recs = recommend(method, stumps(4, (3, 4.5, 0, 1)), people)
    assert recs.outcome.iloc[0] == "minimal"
    assert recs.counterfactual["d"].iloc[0] == 5


def test_a_relation_makes_the_cheapest_way_change_two_inputs_together():
    schema = Schema(
        (Feature("late", "count"), Feature("very_late", "count"), Feature("other", "count")),
        ("very_late <= late",),
    )
    table = pd.DataFrame({name: np.arange(10) for name in schema.names})
    fewer = stumps(3, (0, 1.5, 1, 0))
    people = pd.DataFrame({"late": [4, 4], "very_late": [3, 0], "other": [0, 0]})
    recs = recommend(MinimalCost(schema, Percentiles.fit(table)), fewer, people)
    assert recs.counterfactual.to_numpy().tolist() == [[1, 1, 0], [1, 0, 0]]
