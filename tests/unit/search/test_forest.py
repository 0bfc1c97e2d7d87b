"""The leaves that bounds read: joined over categories, they hold the same points as before."""

from itertools import pairwise

import numpy as np
import pytest

from standfast import Feature, Schema
from standfast.scores import TreeEnsemble
from standfast.scores.unfolding import Branching, Question, unfold
from standfast.search.problem.forest import forest_of
from standfast.search.problem.trees import cuts_of, nodes_of


def world(seed, names):
    """A completed schema: two named inputs and a number, and trees that ask for random sets."""
    rng = np.random.default_rng(seed)
    categories = tuple(f"c{i:02d}" for i in range(names))
    schema = Schema(
        (
            Feature("job", "nominal", categories=categories).complete(np.empty(0)),
            Feature("age", "count", False, lower=0, upper=99, step=1),
            Feature("month", "nominal", categories=categories).complete(np.empty(0)),
        )
    )
    questions, values = [], []

    def grow(depth):
        at = len(questions)
        questions.append(None)
        values.append(float(rng.normal()))
        if depth:
            j, ways = int(rng.integers(3)), (grow(depth - 1), grow(depth - 1), True)
            if j == 1:
                questions[at] = Question(j, *ways, split=float(rng.integers(9)))
            else:
                questions[at] = Question(j, *ways, members=rng.random(names) < 0.5)
        return at

    roots = [grow(4) for _ in range(3)]
    trees = unfold(Branching(questions, values, roots), frozenset())
    model = TreeEnsemble(trees, 3, threshold=0.0, probability=False)
    cuts = cuts_of([model], 3)
    codes = np.column_stack([rng.integers(top, size=400) for top in (names, 10, names)])
    cells = np.column_stack([np.searchsorted(cut, codes[:, j]) for j, cut in enumerate(cuts)])
    return schema, model, cuts, codes.astype(float), cells


def holding(forest, cells):
    """Which leaves of all trees hold each point."""
    held = np.ones((len(cells), len(forest.leaf_value)), dtype=bool)
    owner = np.repeat(np.arange(held.shape[1]), np.diff(forest.condition_start))
    for c, leaf in enumerate(owner):
        cell = cells[:, forest.condition_input[c]]
        held[:, leaf] &= (cell >= forest.low[c]) & (cell <= forest.high[c])
        if forest.cells[c]:
            held[:, leaf] &= (int(forest.cells[c]) >> cell.astype(object)) % 2 == 1
    return held


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_every_point_is_in_one_leaf_of_each_tree_and_has_its_values(seed, joined):
    schema, model, cuts, X, cells = world(seed, 12)
    forest = forest_of(nodes_of([model], cuts), cuts, schema, joined=joined)
    held = holding(forest, cells)
    for a, b in pairwise(forest.leaf_start):
        assert (held[:, a:b].sum(axis=1) == 1).all()
        assert (np.diff(forest.leaf_value[a:b]) <= 0).all()
    assert held @ forest.leaf_value == pytest.approx(model.raw(X))


def test_leaves_that_differ_in_categories_alone_are_one():
    schema, model, cuts, _, _ = world(0, 12)
    nodes = nodes_of([model], cuts)
    plain, joined = (forest_of(nodes, cuts, schema, joined=how) for how in (False, True))
    assert len(joined.leaf_value) == len(np.unique(plain.leaf_value)) < len(plain.leaf_value) / 3


def test_more_categories_than_a_number_has_bits_stay_runs():
    schema, model, cuts, X, cells = world(0, 70)
    forest = forest_of(nodes_of([model], cuts), cuts, schema, joined=True)
    assert not forest.cells.any()
    assert holding(forest, cells) @ forest.leaf_value == pytest.approx(model.raw(X))
