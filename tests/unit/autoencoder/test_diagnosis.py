import numpy as np
import pytest
from scipy import stats

from standfast import Percentiles
from standfast.autoencoder.diagnosis import (
    held_out_bound,
    marginals,
    reconstruction,
    warnings_about,
)


def test_the_held_out_bound_comes_with_its_count_and_error(fitted, schema, people):
    fresh = people(500, 7)
    shown = held_out_bound(fitted, fresh)
    bound = fitted.bound(schema.matrix(fresh))
    assert list(shown.index) == ["training", "these"]
    assert shown["n"].tolist() == [1500, 500]
    assert shown.loc["these", "mean"] == pytest.approx(bound.mean())
    assert shown.loc["these", "standard_error"] == pytest.approx(bound.std() / np.sqrt(500))
    assert shown.loc["these", "mean"] == pytest.approx(shown.loc["training", "mean"], abs=0.3)


def test_the_training_people_s_mean_is_kept_in_the_file(fitted, schema, table):
    mean = fitted.bound(schema.matrix(table)).mean()
    assert held_out_bound(fitted, table).loc["training", "mean"] == pytest.approx(mean)


def test_each_input_s_reconstruction_is_told(fitted, schema, people, table):
    fresh = people(500, 8)
    shown = reconstruction(fitted, fresh, Percentiles.fit(table))
    assert list(shown.index) == [f.name for f in schema if f.mutable]
    X = schema.matrix(fresh)
    j = schema.names.index("income")
    expected = stats.spearmanr(X[:, j], fitted.reconstruct(X)[:, j]).statistic
    assert shown.loc["income", "rank_correlation"] == pytest.approx(expected)
    assert shown.loc["income", "likelihood"] == "log-normal"
    assert shown["mean_shift"].between(0, 1).all()
    assert shown["unchanged"].between(0, 1).all()
    # an input that nothing else explains cannot be reconstructed as well
    assert shown.loc["size", "mean_shift"] > shown.loc["balance", "mean_shift"]


def test_a_constant_column_has_no_rank_correlation(fitted, people, table):
    shown = reconstruction(fitted, people(200, 8).assign(grade=3), Percentiles.fit(table))
    assert np.isnan(shown.loc["grade", "rank_correlation"])
    assert np.isfinite(shown.loc["income", "rank_correlation"])


def test_drawn_marginals_are_closer_to_real_ones_than_decoded_middles(fitted, people, table):
    shown = marginals(fitted, people(1000, 9), Percentiles.fit(table), seed=1)
    assert shown["drawn_distance"].mean() < shown["decoded_distance"].mean()
    assert shown.loc["income", "real_10%"] < shown.loc["income", "real_90%"]
    assert (shown["drawn_distance"] < 0.15).all()


def test_a_count_far_too_spread_for_a_poisson_is_warned_of_and_positive_suggested(schema, table):
    assert warnings_about(schema, table) == []
    money = table.assign(late=np.random.default_rng(0).lognormal(8, 1, len(table)).round())
    (warning,) = warnings_about(schema, money)
    ratio = money["late"].var(ddof=0) / money["late"].mean()
    assert (
        f"column 'late' is declared as a count, but its variance is {ratio:,.0f} times" in warning
    )
    assert 'declare kind = "positive"' in warning
    # what nobody can change has no likelihood
    assert warnings_about(schema, table.assign(age=100 * money["late"])) == []
