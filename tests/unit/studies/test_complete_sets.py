"""Complete level sets in a study: counts that add up, and the grids' advice judged by all trees."""

import numpy as np
import pytest

from standfast.scores import TreeLevelSet
from standfast.studies import Missing, Settings
from standfast.studies import advice as advice_of
from standfast.studies.complete_sets import BOTH, EPSILONS, TREES, complete
from standfast.studies.names import UNANIMOUS
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps
from standfast.studies.tables import TIDY, tidy

from .conftest import TINY


@pytest.fixture(scope="module")
def exhibit(credit, tmp_path_factory):
    """The table of a small twin under the linear reference, and what it was made of."""
    settings = Settings(sizes=TINY, complete=True)
    scene = Scene(credit, "linear", settings, Steps(tmp_path_factory.mktemp("complete")))
    missing = Missing()
    judged = advice_of.judged(scene, missing)
    return judged, complete(judged, missing)["complete"], missing


def test_the_table_has_its_columns_and_every_epsilon(exhibit):
    _, table, missing = exhibit
    assert missing.rows == []
    whole = tidy("complete", table.assign(data="a", reference="b"))
    assert list(whole.columns) == list(TIDY["complete"].columns)
    assert table.loc[table["set"] == TREES, "epsilon"].tolist() == list(EPSILONS)
    assert (table["set"] == BOTH).sum() == 1


def test_everybody_is_counted_and_a_larger_epsilon_helps_fewer(exhibit):
    _, table, _ = exhibit
    trees = table[table["set"] == TREES]
    ends = trees["accepted"] + trees["advised"] + trees["infeasible"]
    assert (ends == trees["people"]).all()  # every search ended with a proof
    assert (trees["decided"] <= trees["infeasible"]).all()
    assert trees["infeasible"].is_monotonic_increasing
    assert trees["trees"].is_monotonic_increasing
    assert trees["transfer"].is_monotonic_decreasing


def test_the_grids_advice_is_kept_where_every_tree_accepts_it(exhibit):
    judged, table, _ = exhibit
    train, goals = judged.scene.train, judged.goals[UNANIMOUS]
    rivals = TreeLevelSet.fit(train, epsilon=0.01, balanced=True)
    kept = rivals.accepts(goals.points[goals.found])
    row = table[(table["set"] == TREES) & (table["epsilon"] == 0.01)].iloc[0]
    assert row["n"] == goals.found.sum()
    assert row["transfer"] == pytest.approx(kept.mean())
    assert np.isfinite(row["grid_cost"])
