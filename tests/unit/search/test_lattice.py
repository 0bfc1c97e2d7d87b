"""What may be proposed to a person, seen through the answers: nothing admissible is lost."""

import numpy as np
import pandas as pd
import pytest
from samples.stumps import stumps

from standfast import (
    Additive,
    Feature,
    Linear,
    MinimalCost,
    Percentiles,
    Schema,
    Unanimous,
    recommend,
)


def answer(feature, table, model, own, **options):
    """Where one input is sent to, and how the search ended."""
    schema = Schema((feature,))
    options = options or {"cost": "l1", "units": [1.0]}
    method = MinimalCost(schema, Percentiles.fit(pd.DataFrame({feature.name: table})), **options)
    recs = recommend(method, model, pd.DataFrame({feature.name: [own]}))
    return recs.outcome.iloc[0], recs.counterfactual[feature.name].iloc[0]


# a model that wants to see a value between two others
def between(low, high):
    return stumps(1, (0, low, 0, 1), (0, high, 0, -1))


def test_of_a_cell_the_value_nearest_to_the_person_is_proposed():
    feature = Feature("a", step=0.1)
    table = np.linspace(0, 10, 101).round(1)
    assert answer(feature, table, between(3.14, 5.27), 1.0) == ("minimal", 3.2)
    assert answer(feature, table, between(3.14, 5.27), 9.0) == ("minimal", 5.2)
    assert answer(feature, table, between(3.0, 5.2), 9.0) == ("minimal", 5.2)
    assert answer(feature, table, between(3.0, 5.2), 0.05) == ("minimal", 3.1)


def test_a_value_right_on_a_split_belongs_below_it():
    feature = Feature("a", "count")
    assert answer(feature, np.arange(10), stumps(1, (0, 4.0, 0, 1)), 1) == ("minimal", 5)
    assert answer(feature, np.arange(10), stumps(1, (0, 4.0, 1, 0)), 8) == ("minimal", 4)


def test_a_cell_without_an_admissible_value_is_passed_over():
    feature = Feature("a", step=0.5)
    table = np.arange(0, 5, 0.5)
    model = stumps(1, (0, 1.1, 0, 1), (0, 1.4, 0, -1), (0, 3.2, 0, 1))
    assert answer(feature, table, model, 0.0) == ("minimal", 3.5)


@pytest.mark.parametrize("step", [0.1, 0.2, 0.3, 0.7, 0.01, 0.05, 1.1])
def test_the_last_value_before_a_bound_is_not_lost_to_rounding(step):
    for k in range(1, 40):
        end = round(k * step, 2)
        up = Feature("a", step=step, lower=0.0, upper=end)
        accepts_the_end = stumps(1, (0, end - step / 2, 0, 1))
        assert answer(up, [0.0, end], accepts_the_end, 0.0) == ("minimal", end)
        # without a split nearby, a person from beyond the table gets no farther than its end
        beyond = Feature("a", step=step)
        anything_lower = stumps(1, (0, end + 5 * step, 1, 0))
        table = [-50 * step, end]
        assert answer(beyond, table, anything_lower, end + 9 * step) == ("minimal", end)
        below = stumps(1, (0, -end - 5 * step, 0, 1))
        assert answer(beyond, [-end, 50 * step], below, -end - 9 * step) == ("minimal", -end)


def test_any_number_will_do_where_the_step_is_zero():
    feature = Feature("a", step=0)
    outcome, value = answer(feature, [0.0, 10.0], stumps(1, (0, np.pi, 0, 1)), 1.0)
    assert (outcome, value) == ("minimal", np.nextafter(np.pi, np.inf))
    assert answer(feature, [0.0, 10.0], stumps(1, (0, np.pi, 1, 0)), 9.0) == ("minimal", np.pi)


def test_any_number_includes_the_ends_of_the_reference_table():
    feature = Feature("a", step=0)
    assert answer(feature, [0.0, 10.0], stumps(1, (0, -1.0, 0, 1)), -5.0) == ("minimal", 0.0)
    assert answer(feature, [0.0, 10.0], stumps(1, (0, 12.0, 1, 0)), 15.0) == ("minimal", 10.0)
    # the near end of the cell, not the far one
    assert answer(feature, [0.0, 10.0], between(2.0, 12.0), 15.0) == ("minimal", 10.0)
    assert answer(feature, [0.0, 10.0], between(-2.0, 8.0), -5.0) == ("minimal", 0.0)


def test_bounds_that_never_end_are_no_obstacle():
    feature = Feature("a", lower=-np.inf, upper=np.inf, step=0)
    assert answer(feature, [0.0, 1.0], stumps(1, (0, -70.5, 1, 0)), 0.0) == ("minimal", -70.5)
    gridded = Feature("a", lower=-np.inf, upper=np.inf, step=0.5)
    assert answer(gridded, [0.0, 1.0], stumps(1, (0, 70.2, 0, 1)), 0.3) == ("minimal", 70.5)
    # a library may send everything but missing values one way
    everything = stumps(1, (0, np.inf, 0, 1), (0, 2.0, 0, 1))
    assert answer(gridded, [0.0, 1.0], everything, 0.0) == ("minimal", 2.5)


def test_an_own_value_off_the_grid_or_off_the_table_may_stay():
    schema = Schema((Feature("a", step=0.5), Feature("b", "count")))
    q = Percentiles.fit(pd.DataFrame({"a": [0.0, 1.0], "b": [0, 1]}))
    people = pd.DataFrame({"a": [0.123, 77.7], "b": [0, 0]})
    recs = recommend(MinimalCost(schema, q), stumps(2, (1, 0.5, 0, 1)), people)
    assert recs.counterfactual["a"].tolist() == [0.123, 77.7]
    assert recs.counterfactual["b"].tolist() == [1, 1]


@pytest.mark.parametrize(("direction", "goal"), [("up", 7), ("down", 2), ("any", 2)])
def test_a_direction_holds_on_the_lattice(direction, goal):
    feature = Feature("a", "count", direction=direction)
    outside = stumps(1, (0, 2.0, 1, 0), (0, 6.0, 0, 1))
    assert answer(feature, np.arange(12), outside, 4) == ("minimal", goal)


def test_weighted_sums_are_offered_every_whole_number():
    # a table with two values, but every whole number between them is a choice
    feature = Feature("a", "count")
    assert answer(feature, [0, 900], Linear([1.0], -421.5), 3) == ("minimal", 422)
    # beyond a thousand, too
    assert answer(feature, [0, 500, 5000], Linear([1.0], -421.5), 3) == ("minimal", 422)
    assert answer(feature, [0, 500, 10**9], Linear([1.0], -99421.5), 3) == ("minimal", 99422)


def test_weighted_sums_of_a_real_input_are_offered_every_step_of_its_grid():
    feature = Feature("a", step=0.5)
    table = [0.0, 2.26, 4.0]
    assert answer(feature, table, Linear([1.0], -1.0), 0.0) == ("minimal", 1.5)
    assert answer(feature, table, Linear([1.0], -2.2), 0.0) == ("minimal", 2.5)
    fine = np.linspace(0.0, 10.0, 1001)
    l1 = {"cost": "l1", "units": [1.0]}
    assert answer(Feature("a", step=0.01), fine, Linear([1.0], -3.3), 0.0, **l1)[1] == 3.31
    assert answer(Feature("a", step=1e-6), fine, Linear([1.0], -3.3), 0.0, **l1)[1] == 3.300001


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("kind", ["linear", "additive"])
def test_a_cut_between_two_values_a_sum_chooses_from_is_a_choice_also_if_it_enters_late(late, kind):
    # the sum's own choices are 0 and 10; the forest accepts the first at most and the sum only
    # the second, but between the forest's cuts lies a value that both accept
    feature = Feature("a", step=0.1)
    functions = {"linear": Linear([1.0], -1.0), "additive": Additive([np.copy], -1.0)}
    forest = between(4.26, 5.71)
    easy = stumps(1, (0, -3.0, 0, 1))
    members = [functions[kind], easy, forest] if late else [forest, functions[kind]]
    assert answer(feature, [0.0, 10.0], Unanimous(members), 0.0) == ("minimal", 4.3)
    assert answer(feature, [0.0, 10.0], Unanimous(members), 9.9) == ("minimal", 5.7)
    # with percentiles nobody stands in between: of 4.3 and what is hardly farther, the roundest
    assert answer(feature, [0.0, 10.0], Unanimous(members), 0.0, cost="total")[1] == 4.5


def test_cuts_of_two_forests_make_cells_that_neither_knows_alone():
    feature = Feature("a", step=0.01)
    models = [stumps(1, (0, 3.333, 0, 1)), stumps(1, (0, 3.348, 1, 0))]
    assert answer(feature, [0.0, 10.0], Unanimous(models), 0.0) == ("minimal", 3.34)
    assert answer(feature, [0.0, 10.0], Unanimous(models[::-1]), 9.0) == ("minimal", 3.34)


def test_moving_past_values_nobody_has_is_free_but_still_a_change():
    schema = Schema((Feature("a", "count"), Feature("b", "count")))
    q = Percentiles.fit(pd.DataFrame({"a": [0, 9], "b": [0, 9]}))
    either = stumps(2, (0, 4.5, 0, 1), (1, 4.5, 0, 1), threshold=0.5)
    free, person = MinimalCost(schema, q, per_change=0.0), pd.DataFrame({"a": [0], "b": [0]})
    recs = recommend(free, either, person)
    assert recs.cost.iloc[0] == 0.0
    assert len(recs.changes()) == 1
