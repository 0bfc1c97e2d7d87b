"""Complete level sets in a study: counts that add up, and the grids' advice judged by all trees."""

import numpy as np
import pytest

from standfast.scores import TreeLevelSet
from standfast.studies import Missing, Settings
from standfast.studies.advice import advice
from standfast.studies.complete_sets import BOTH, EPSILONS, TREES, complete
from standfast.studies.names import UNANIMOUS
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps
from standfast.studies.tables import TIDY, tidy

from .conftest import TINY


@pytest.fixture(scope="module")
def scene(credit, tmp_path_factory):
    settings = Settings(sizes=TINY, complete=True)
    return Scene(credit, "linear", settings, Steps(tmp_path_factory.mktemp("complete")))


@pytest.fixture(scope="module")
def table(scene):
    """The exhibit of a small twin under the linear reference."""
    missing = Missing()
    found = complete(scene, advice(scene, UNANIMOUS), missing)["complete"]
    assert missing.rows == []
    return found


def test_the_table_has_its_columns_and_every_epsilon(table):
    whole = tidy("complete", table.assign(data="a", reference="b"))
    assert list(whole.columns) == list(TIDY["complete"].columns)
    for which in (TREES, BOTH):
        assert table.loc[table["set"] == which, "epsilon"].tolist() == list(EPSILONS)


def test_everybody_is_counted_and_a_larger_epsilon_helps_fewer(table):
    trees = table[table["set"] == TREES]
    ends = trees["accepted"] + trees["advised"] + trees["infeasible"]
    assert (ends == trees["people"]).all()  # every search ended with a proof
    assert (table["decided"] <= table["infeasible"]).all()
    assert trees["infeasible"].is_monotonic_increasing
    assert trees["trees"].is_monotonic_increasing
    assert trees["transfer"].is_monotonic_decreasing


def test_the_grids_advice_is_kept_where_every_tree_accepts_it(scene, table):
    tried = advice(scene, UNANIMOUS)
    there = tried.found.to_numpy()
    rivals = TreeLevelSet.fit(scene.train, epsilon=0.01, balanced=True)
    kept = rivals.accepts(tried.matrices()[1][there])
    row = table[(table["set"] == TREES) & (table["epsilon"] == 0.01)].iloc[0]
    assert row["n"] == there.sum()
    assert row["transfer"] == pytest.approx(kept.mean())


def test_costs_are_compared_for_those_who_have_both(table):
    both = table[table["compared"] > 0]
    assert len(both)
    assert (both["compared"] <= both["advised"]).all()
    same = both[both["compared"] == both["advised"]]
    assert same["own_cost"].to_numpy() == pytest.approx(same["cost"].to_numpy())
    nobody = table[table["compared"] == 0]
    assert nobody[["own_cost", "grid_cost"]].isna().to_numpy().all()


def test_without_advice_for_the_grids_there_is_nothing_to_compare(scene):
    table = complete(scene, None, Missing())["complete"]
    assert (table["n"] == 0).all()
    assert table[["grid_cost", "transfer"]].isna().to_numpy().all()
    assert np.isfinite(table["cost"]).any()
