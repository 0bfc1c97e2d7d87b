"""Verdicts follow from the numbers by rule."""

import numpy as np
import pandas as pd
import pytest
from samples.study import sample_tables

from standfast.studies.claims import CLAIMS, claims


def verdicts(tables, claim, reference="linear"):
    table = claims(tables)
    rows = table[(table["claim"] == claim) & (table["reference"] == reference)]
    return rows["verdict"].tolist()


@pytest.fixture
def tables():
    return sample_tables()


def test_every_claim_is_judged_in_every_scene_that_has_what_it_needs(tables):
    found = claims(tables)
    assert set(found["claim"]) <= {claim.name for claim in CLAIMS}
    assert len(set(found["claim"])) >= 10
    assert set(found["verdict"]) <= {"holds", "does not hold", "undecided"}
    assert found["measured"].str.len().min() > 10


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.01, 0.2, "holds"), (-0.2, -0.01, "does not hold"), (-0.1, 0.1, "undecided")],
)
def test_transfer_is_judged_by_its_interval(tables, low, high, verdict):
    means = tables["transfer_means"]
    means["below_cchvae"] = (low + high) / 2
    means["below_lower"], means["below_upper"] = low, high
    assert verdicts(tables, "data support transfers better") == [verdict, verdict]


def test_the_better_sparse_method_is_the_one_to_beat(tables):
    means = tables["transfer_means"]
    for method, share, low in (("GS", 0.2, 0.5), ("AR", 0.6, -0.3)):
        rows = means["method"] == method
        means.loc[rows, ["transfer", "below_lower", "below_upper"]] = share, low, low + 0.1
        means.loc[rows, "below_cchvae"] = low + 0.05
    assert set(verdicts(tables, "data support transfers better")) == {"does not hold"}


def test_costs_are_compared_for_the_same_people(tables):
    advice = tables["advice"]
    advice["total"] = np.where(advice["method"] == "C-CHVAE", 2.0, 1.0)
    advice["max"] = np.where(advice["method"] == "C-CHVAE", 0.5, 1.0)
    assert verdicts(tables, "data support costs more") == ["holds", "does not hold"]


def test_proposition_1_fails_with_one_proven_person_above_two(tables):
    costs = tables["support_costs"]
    costs["ratio"] = 1.5
    assert verdicts(tables, "c_D ≤ 2 c_S") == ["holds"]
    costs.loc[costs.index[0], "ratio"] = 2.5
    assert verdicts(tables, "c_D ≤ 2 c_S") == ["does not hold"]
    costs.loc[costs.index[0], "proven"] = False
    assert verdicts(tables, "c_D ≤ 2 c_S") == ["holds"]


def test_a_broken_bound_does_not_hold(tables):
    limits = tables["bounds"]
    limits["tightness"] = 0.4
    assert set(verdicts(tables, "proposition 2 bounds the cost")) == {"holds"}
    limits.loc[limits["bound"] == "proposition 2", "tightness"] = 1.2
    assert set(verdicts(tables, "proposition 2 bounds the cost")) == {"does not hold"}


def test_missing_methods_and_empty_tables_give_no_rows(tables):
    without = {
        name: table[table["method"] != "C-CHVAE"] if "method" in table else table
        for name, table in tables.items()
    }
    found = claims(without)
    assert "under nearly all rivals" not in set(found["claim"])
    empty = {name: table.iloc[:0] for name, table in tables.items()}
    assert claims(empty).empty
    assert isinstance(claims(empty), pd.DataFrame)
