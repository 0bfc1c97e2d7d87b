"""The level set of sparse trees against packages that enumerate it, or find the best tree.

They are in the extra `referees`; without them these tests are skipped.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from samples.sparse_trees import Enumeration, people, points

import standfast as sf

CASES = [(4, 60, 2, 0.02, 0.051, 0), (5, 80, 2, 0.01, 0.083, 1), (4, 70, 3, 0.02, 0.097, 2)]


def level_set(data, depth, price, **options):
    cuts = {name: [0] for name in data.table.columns}
    return sf.TreeLevelSet.fit(data, depth=depth, leaf_price=price, cuts=cuts, **options)


def columns(data):
    return (data.table == 0).astype(int), (data.labels > 0).astype(int).rename("label")


@pytest.mark.parametrize(("q", "n", "depth", "price", "epsilon", "seed"), CASES)
def test_treefarms_lists_the_same_trees(q, n, depth, price, epsilon, seed):
    treefarms = pytest.importorskip(
        "treefarms", reason="TreeFARMS is not installed (extra `referees`)", exc_type=ImportError
    )
    data = people(q, n, seed)
    settings = {
        "regularization": price,
        "depth_budget": depth + 1,  # it counts the leaves' level
        "rashomon_bound_adder": epsilon,
        "rashomon_bound_multiplier": 0,
        "rashomon_bound": 0,
        "rashomon_ignore_trivial_extensions": True,
        "verbose": False,
    }
    peer = treefarms.TREEFARMS(settings).fit(*columns(data)).model_set
    trees = [peer.get_tree_at_idx_raw(i) for i in range(peer.get_tree_count())]
    assert len({json.dumps(tree, sort_keys=True) for tree in trees}) == len(trees)

    def accepts(tree, x):
        while "prediction" not in tree:
            tree = tree["true"] if x[tree["feature"]] == 0 else tree["false"]
        return tree["prediction"] == 1

    X = points(q)
    found = level_set(data, depth, price, epsilon=epsilon, majority=True)
    yes = np.array([[accepts(tree, x) for tree in trees] for x in X])
    assert found.size == (len(trees), len(trees))
    assert (found.accepts(X) == yes.all(axis=1)).all()
    assert found.shares(X)[:, 0] == pytest.approx(yes.mean(axis=1))
    assert found.objective == pytest.approx(
        min(peer.get_tree_metric_at_idx(i)["objective"] for i in range(len(trees))), abs=1e-6
    )


@pytest.mark.parametrize(("q", "n", "depth", "price", "epsilon", "seed"), CASES)
def test_gosdt_finds_the_same_objective(q, n, depth, price, epsilon, seed):
    gosdt = pytest.importorskip("gosdt", reason="GOSDT is not installed (extra `referees`)")
    data = people(q, n, seed)
    B, y = columns(data)
    peer = gosdt.GOSDTClassifier(
        regularization=price, depth_budget=depth, allow_small_reg=True, verbose=False
    ).fit(B.astype(bool), y)
    assert level_set(data, depth, price, epsilon=0.0).objective == pytest.approx(
        peer.result_.lowerbound, abs=1e-5
    )


@pytest.mark.parametrize(("q", "n", "depth", "price", "epsilon", "seed"), CASES)
def test_streed_finds_the_same_objective(q, n, depth, price, epsilon, seed):
    pystreed = pytest.importorskip(
        "pystreed", reason="STreeD is not installed (extra `referees`)", exc_type=ImportError
    )
    data = people(q, n, seed)
    B, y = columns(data)
    peer = pystreed.STreeDClassifier(
        "cost-complex-accuracy", max_depth=depth, cost_complexity=price
    )
    peer.fit(B, y)
    # it prices splits, of which a tree has one less than leaves
    objective = 1.0 - peer.score(B, y) + price * peer.get_n_leaves()
    assert level_set(data, depth, price, epsilon=0.0).objective == pytest.approx(
        objective, abs=1e-9
    )


@pytest.mark.parametrize(("q", "n", "depth", "price", "epsilon", "seed"), CASES)
def test_the_trees_of_praxis_are_read_as_they_judge(q, n, depth, price, epsilon, seed):
    praxis = pytest.importorskip("praxis", reason="PRAXIS is not installed (extra `referees`)")
    data = people(q, n, seed)
    B, y = columns(data)
    peer = praxis.PRAXIS()
    peer.fit(B.to_numpy(), y.to_numpy(), lambda_reg=price, depth_budget=depth, rashomon_mult=0.3)
    assert peer.count_trees() > 1
    found = sf.level_set_of(peer, data, columns=[f"{name}<=0" for name in data.table.columns])
    scores = dict(zip(found.names, found.rivals, strict=True))
    scores[found.candidates["name"].iloc[0]] = found.reference
    assert len(scores) == peer.count_trees()
    X = data.schema.matrix(data.table)
    for k in range(peer.count_trees()):
        said = np.asarray(peer.get_predictions(k, B.to_numpy())) == 1
        assert (scores[f"model {k}"].accepts(X) == said).all()


def test_the_cases_hold_more_than_a_few_trees():
    for q, n, depth, price, epsilon, seed in CASES:
        listed = Enumeration(people(q, n, seed), str(price), majority=True)
        every = listed.trees(depth)
        limit = min(every).objective + Fraction(str(epsilon)) * listed.scale
        assert sum(tree.objective <= limit for tree in every) > 5
