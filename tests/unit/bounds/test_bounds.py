"""Each bound, term by term, on numbers small enough to check by hand."""

import numpy as np
import pytest

from standfast import Linear, bounds
from standfast.scores.score import LOGISTIC

F = np.array([-1.0, -0.5, 2.0, 0.5])
G = np.array([-0.2, 0.3, -0.4, 1.0])
Y = np.array([1, -1, -1, 1])


def test_every_published_term_is_the_paper_s():
    found = bounds.published(F, G, Y, alpha=2.0, gamma=0.5)
    terms = found.terms
    # f refuses the first two, g the first and the third
    assert (terms["pi_f"], terms["pi_g"]) == (0.5, 0.5)
    assert (terms["c_D+ of f"], terms["c_D- of f"], terms["c_max of f"]) == (-1.0, -0.5, 1.0)
    assert (terms["c_D+ of g"], terms["c_D- of g"], terms["c_max of g"]) == (-0.2, -0.4, 0.4)
    assert terms["delta"] == pytest.approx((0.8 + 0.8 + 2.4) / 3)
    one = 2 * 0.5 * 1.0 + 0.5 * -1.0 - 0.5 * -0.5
    two = 2 * 0.5 * 0.4 + 0.5 * -0.2 - 0.5 * -0.4
    bracket = one + two + terms["delta"]
    assert terms["bracket"] == pytest.approx(bracket)
    assert found.total == pytest.approx(2.0 * 8**0.5 * bracket**0.5)
    assert found.counts == {"refused by f": 2, "refused by g": 2, "refused by either": 3}


def test_a_model_that_refuses_nobody_adds_nothing_but_the_discrepancy():
    found = bounds.published(F, np.ones(4), Y, 1.0)
    assert found.terms["pi_g"] == found.terms["c_max of g"] == 0.0
    alone = bounds.single_model(F, Y, 1.0)
    assert found.total == pytest.approx(alone.total + found.terms["delta"])


def test_the_residual_of_three_models_is_the_worst_of_each_person():
    found = bounds.residual([F, G, [0.1, 0.1, 0.1, -3.0]], alpha=2.0, gamma=0.5)
    r = np.array([1.0, 0.5, 0.4, 3.0])
    assert found.total == pytest.approx(2.0 * np.sqrt(r).mean())
    assert found.terms["Jensen"] == pytest.approx(2.0 * np.sqrt(r.mean()))
    assert found.counts == {"refused by any": 4, "models": 3}
    assert "delta" not in found.terms


def test_a_bound_becomes_a_table_and_a_line():
    found = bounds.residual([F, G], alpha=1.0)
    table = found.to_frame()
    assert table["term"].is_unique
    assert table.set_index("term").loc["total", "value"] == found.total
    assert "3 refused by any" in repr(found)
    assert "alpha = " in repr(bounds.hoffman([[3.0, 4.0]]))


def test_linear_models_have_closed_constants():
    f, g = Linear([1.0, 0.0], 0.0, LOGISTIC, 0.5), Linear([0.0, 2.0], 1.0, LOGISTIC, 0.7)
    found = bounds.alpha_gamma([f, g])
    assert (found.gamma, found.how) == (1.0, "closed form (Hoffman)")
    # the mixture (4/5, 1/5) is nearest to the origin
    assert found.alpha == pytest.approx(1 / np.hypot(0.8, 0.4))
    other = bounds.alpha_gamma(bounds.hoffman([f, g], norm=1))
    assert other.alpha == pytest.approx(1 / (2 / 3))


def test_the_mixture_names_who_resists():
    found = bounds.hoffman({"f": [1.0, 0.0], "g": [0.0, 2.0]})
    assert found.mixture == pytest.approx({"f": 0.8, "g": 0.2})
    assert found.terms["alone: g"] == 0.5
    assert found.terms["angle in degrees"] == pytest.approx(90.0)


def test_a_person_on_the_boundary_who_must_pay_makes_alpha_infinite_and_is_told():
    r = np.zeros(30)
    found = bounds.alpha_gamma([-r], np.ones(30), box=2.0)
    assert found.alpha == np.inf
    assert "30 people have residual 0 but a positive cost" in found.note
    assert "alpha is infinite" in found.note
    assert found.averaged == found.confident == found.terms["Jensen"] == np.inf


def test_calibration_counts_the_infeasible_and_takes_the_box_for_the_unknown():
    rng = np.random.default_rng(0)
    r = rng.uniform(0.1, 1, 60)
    d = r.copy()
    d[:6], d[6:9] = np.inf, np.nan
    found = bounds.alpha_gamma([-r], d, box=3.0, seed=1)
    assert found.counts["refused"] == 60
    assert (found.counts["infeasible"], found.counts["without an incumbent"]) == (6, 3)
    parts = ("to choose gamma", "to calibrate alpha", "to check")
    assert sum(found.counts[part] for part in parts) == 54
    assert found.terms["share infeasible"] == 0.1
    assert "6 of 60 refused people have no answer" in found.note
    assert "for 3 more the search found no answer, and the largest possible cost, 3," in found.note
    assert found.alpha <= 3.0 / 0.1
    assert found.to_frame().set_index("term").loc["alpha", "value"] == found.alpha


def test_a_bound_above_the_largest_cost_is_said_to_say_nothing() -> None:
    rng = np.random.default_rng(0)
    r = rng.uniform(0.1, 1, 300)
    note = "no cost exceeds 1 anyway"
    few = bounds.alpha_gamma([-r[:9]], r[:9], box=1.0)
    assert few.confident > 1.0
    assert note in few.note
    many = bounds.alpha_gamma([-r], r * 0.5, box=1.0)
    assert many.confident < 1.0
    assert note not in many.note


def test_a_law_without_noise_is_found_again():
    r = np.linspace(0.01, 1, 300)
    found = bounds.alpha_gamma([-r], 0.7 * r**0.4, box=1.0)
    assert found.gamma == pytest.approx(0.4)
    assert found.alpha == pytest.approx(0.7)
    assert found.terms["tightness"] == pytest.approx(1.0)
    assert found.terms["violation rate"] == 0.0
