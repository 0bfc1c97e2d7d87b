"""A tree ensemble adds its leaves up, fast and the same for every row whatever its company."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from standfast.errors import InputError
from standfast.scores.prediction import Prediction
from standfast.scores.score import IDENTITY, LOGISTIC, Link, Matrix, Score, Vector
from standfast.scores.tree_ensemble import TreeEnsemble, Trees

WIDTH = 5


def grown(trees: int, seed: int, chain: int = 0) -> Trees:
    """Random trees of many shapes; with `chain`, each is a chain of that many splits."""
    rng = np.random.default_rng(seed)
    feature, split, left, missing_left, value, roots, depths = ([] for _ in range(7))
    for _ in range(trees):
        roots.append(len(left))
        level, depth = [len(left)], 0
        _leaf(feature, split, left, missing_left, value)
        while level and depth < (chain or 9):
            ahead = []
            for place, node in enumerate(level):
                if place > 0 if chain else rng.random() < 0.25:
                    continue
                feature[node], split[node] = (
                    int(rng.integers(WIDTH)),
                    float(rng.integers(-4, 5)) / 4,
                )
                missing_left[node], value[node], left[node] = (
                    bool(rng.random() < 0.5),
                    0.0,
                    len(left),
                )
                for _ in range(2):
                    ahead.append(len(left))
                    _leaf(feature, split, left, missing_left, value)
                    value[-1] = float(rng.normal())
            depth += bool(ahead)
            level = ahead
        depths.append(depth)
    return Trees(
        feature=np.array(feature, np.int32),
        split=np.array(split),
        left=np.array(left, np.int32),
        missing_left=np.array(missing_left),
        value=np.array(value),
        roots=np.array(roots, np.int32),
        depths=np.array(depths, np.int32),
    )


def _leaf(*columns: list[Any]) -> None:
    feature, split, left, missing_left, value = columns
    feature.append(0)
    split.append(np.inf)
    left.append(len(left))
    missing_left.append(True)
    value.append(0.25)


def points(n: int, seed: int = 0, gaps: bool = False) -> Matrix:
    rng = np.random.default_rng(seed)
    X = rng.integers(-6, 7, (n, WIDTH)) / 4 + rng.choice([0.0, 1e-12], (n, WIDTH))
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X


def walked(ensemble: TreeEnsemble, X: Matrix) -> Vector:
    """Node by node, as the arrays' description says."""
    t, totals = ensemble.trees, []
    for x in X:
        total: Any = np.float32(ensemble.offset) if ensemble.single else ensemble.offset
        for root in t.roots:
            i = root
            while t.left[i] != i:
                v = x[t.feature[i]]
                goes_left = t.missing_left[i] if np.isnan(v) else v <= t.split[i]
                i = t.left[i] if goes_left else t.left[i] + 1
            total = total + (np.float32(t.value[i]) if ensemble.single else t.value[i])
        totals.append(float(total) / ensemble.divisor)
    return np.array(totals)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "trees",
    [grown(7, 0), grown(150, 1), grown(3, 2, chain=40), grown(0, 3)],
    ids=["a few", "many", "chains", "none"],
)
def test_raw_walks_every_tree_from_root_to_leaf(trees: Trees, gaps: bool, single: bool) -> None:
    if single:
        trees = replace(trees, value=trees.value.astype(np.float32).astype(np.float64))
    ensemble = TreeEnsemble(trees, WIDTH, offset=0.5, divisor=3.0, single=single)
    for n in (1, 8, 9, 300):
        X = points(n, seed=n, gaps=gaps)
        np.testing.assert_array_equal(ensemble.raw(X), walked(ensemble, X))


def test_a_row_s_score_does_not_depend_on_its_company() -> None:
    ensemble = TreeEnsemble(grown(80, 4), WIDTH, link=LOGISTIC)
    X = points(700, gaps=False)
    X[::50, 2] = np.nan
    together = ensemble.score(X)
    alone = np.concatenate([ensemble.score(x[None]) for x in X])
    pairs = np.concatenate([ensemble.score(X[i : i + 10]) for i in range(0, 700, 10)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, pairs)
    np.testing.assert_array_equal(together[::-1], ensemble.score(X[::-1]))
    assert ensemble.score(X[:0]).shape == (0,)


def test_every_kind_of_matrix_gives_the_same_and_compiles_nothing_new() -> None:
    from standfast.scores.tree_kernel import sum_of_leaves

    ensemble = TreeEnsemble(grown(20, 5), WIDTH)
    X = np.rint(points(64))
    expected = ensemble.raw(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((128, 2 * WIDTH))
    wide[::2, ::2] = X
    kinds = [np.asfortranarray(X), frozen, wide[::2, ::2], X.astype(np.float32), X.astype(int)]
    for kind in [*kinds, X.tolist()]:
        np.testing.assert_array_equal(ensemble.raw(kind), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ensemble)).raw(X), expected)
    assert len(sum_of_leaves.signatures) == 1  # type: ignore[attr-defined]
    assert X.flags.writeable


def test_each_leaf_is_a_box_that_the_arrays_spell_out() -> None:
    trees = grown(6, 6)
    X = points(400)
    totals = np.zeros(len(X))
    covered = np.zeros(len(X), dtype=int)
    for root in trees.roots:
        waiting = [(int(root), np.full(WIDTH, -np.inf), np.full(WIDTH, np.inf))]
        while waiting:
            i, above, upto = waiting.pop()
            if trees.leaf[i]:
                inside = np.all((above < X) & (upto >= X), axis=1)
                totals[inside] += trees.value[i]
                covered += inside
                continue
            j, s = trees.feature[i], trees.split[i]
            tight, raised = upto.copy(), above.copy()
            tight[j], raised[j] = min(upto[j], s), max(above[j], s)
            waiting += [(trees.left[i], above, tight), (trees.left[i] + 1, raised, upto)]
    assert np.all(covered == len(trees.roots))
    np.testing.assert_allclose(TreeEnsemble(trees, WIDTH).raw(X), totals, atol=1e-12)


@pytest.mark.parametrize("link", [IDENTITY, LOGISTIC, Link("isolation", 6.0)])
def test_the_score_is_the_link_minus_the_threshold_and_the_cutoff_its_inverse(link: Link) -> None:
    threshold = -0.6 if link.name == "isolation" else 0.4
    ensemble = TreeEnsemble(grown(30, 7), WIDTH, threshold=threshold, link=link, offset=2.0)
    X = points(500)
    np.testing.assert_array_equal(
        ensemble.score(X), link.apply(ensemble.raw(X)) - ensemble.threshold
    )
    for margin in (0.0, 0.05):
        beyond = np.abs(ensemble.score(X) - margin) > 1e-9
        above = ensemble.raw(X) > ensemble.cutoff(margin)
        np.testing.assert_array_equal(above[beyond], (ensemble.score(X) > margin)[beyond])
    assert 0 < above.sum() < len(X)


def test_accepting_asks_the_estimator_itself_when_there_is_one() -> None:
    ensemble = TreeEnsemble(grown(5, 8), WIDTH, threshold=0.1)
    X = points(50)
    np.testing.assert_array_equal(ensemble.accepts(X, 0.2), ensemble.score(X) > 0.2)
    own = Prediction(lambda asked: asked[:, 0], "callable", tuple(range(WIDTH)))
    asked = replace(ensemble, prediction=own)
    np.testing.assert_array_equal(asked.accepts(X, 0.2), X[:, 0] - 0.1 > 0.2)
    assert asked.accepts(X[:0]).shape == (0,)


def test_it_is_a_score_and_pickles_before_and_after_use() -> None:
    ensemble = TreeEnsemble(grown(5, 9), WIDTH)
    assert isinstance(ensemble, Score)
    X = points(20)
    for _ in range(2):
        again = pickle.loads(pickle.dumps(ensemble))
        assert again.digest == ensemble.digest
        np.testing.assert_array_equal(again.score(X), ensemble.score(X))


def test_the_digest_tells_trees_links_and_thresholds_apart() -> None:
    trees = grown(5, 10)
    value = trees.value.copy()
    value[-1] += 1e-9
    models = [
        TreeEnsemble(trees, WIDTH),
        TreeEnsemble(trees, WIDTH, threshold=0.6),
        TreeEnsemble(trees, WIDTH, link=LOGISTIC),
        TreeEnsemble(trees, WIDTH, offset=1.0),
        TreeEnsemble(replace(trees, value=value), WIDTH),
    ]
    assert len({model.digest for model in models}) == len(models)
    assert TreeEnsemble(grown(5, 10), WIDTH).digest == models[0].digest


def test_a_matrix_of_another_width_is_refused_with_a_sentence() -> None:
    ensemble = TreeEnsemble(grown(3, 11), WIDTH)
    for wrong in (np.zeros((2, WIDTH + 1)), np.zeros(WIDTH)):
        for ask in (ensemble.score, ensemble.raw, ensemble.accepts):
            with pytest.raises(InputError, match="reads 5 inputs"):
                ask(wrong)


def test_trees_that_lead_nowhere_are_refused_with_a_sentence() -> None:
    trees = grown(3, 12)
    with pytest.raises(InputError, match="the trees read input 4 but there are 2"):
        TreeEnsemble(replace(trees, feature=np.where(trees.leaf, 0, 4)), 2)
    astray = trees.left.copy()
    astray[0] = len(astray) - 1
    with pytest.raises(InputError, match="the trees lead to node"):
        TreeEnsemble(replace(trees, left=astray), WIDTH)
    with pytest.raises(InputError, match="the trees begin at node -1"):
        TreeEnsemble(replace(trees, roots=np.array([-1])), WIDTH)
