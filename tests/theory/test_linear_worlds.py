"""Proposition 2′ on random linear worlds with free real inputs and a norm cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, nnls

from standfast import Linear, bounds


def euclidean(W, b, x):
    """The distance to {W z + b ≥ 0}, by least distance programming (Lawson and Hanson)."""
    h = -(W @ x + b)
    if (h <= 0).all():
        return 0.0
    E = np.vstack([W.T, h])
    target = np.append(np.zeros(W.shape[1]), 1.0)
    u, norm = nnls(E, target)
    assert norm > 1e-9, "infeasible"
    rest = E @ u - target
    z = -rest[:-1] / rest[-1]
    assert (W @ z - h > -1e-6 * (1 + abs(h))).all()
    return float(np.linalg.norm(z))


def by_programme(W, b, x, norm):
    """The same in the 1-norm or the maximum norm."""
    K, d = W.shape
    slack = np.eye(d) if norm == 1 else np.ones((d, 1))
    s = slack.shape[1]
    rows = np.vstack(
        [
            np.hstack([-W, np.zeros((K, s))]),
            np.hstack([np.eye(d), -slack]),
            np.hstack([-np.eye(d), -slack]),
        ]
    )
    right = np.concatenate([W @ x + b, np.zeros(2 * d)])
    price = np.append(np.zeros(d), np.ones(s))
    solved = linprog(price, rows, right, bounds=[(None, None)] * d + [(0, None)] * s)
    assert solved.status == 0
    return float(solved.fun)


@given(
    seed=st.integers(0, 10**6),
    models=st.integers(1, 4),
    inputs=st.integers(1, 5),
    norm=st.sampled_from([1, 2, np.inf]),
)
def test_the_bound_is_never_below_the_exact_mean_cost(seed, models, inputs, norm):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(models, inputs)) * np.exp(rng.normal(size=(models, 1)))
    b = rng.normal(size=models)
    found = bounds.hoffman([Linear(w, o) for w, o in zip(W, b, strict=True)], norm=norm)
    X = rng.normal(size=(12, inputs)) * 3
    G = X @ W.T + b
    refused = (G <= 0).any(axis=1)
    if not refused.any() or not np.isfinite(found.total):
        return
    measure = euclidean if norm == 2 else lambda *world: by_programme(*world, norm)
    costs = np.array([measure(W, b, x) for x in X[refused]])
    r = np.maximum(-G[refused], 0).max(axis=1)
    assert (costs <= found.total * r * (1 + 1e-6) + 1e-9).all()
    bound = bounds.residual(list(G.T), found.total)
    assert bound.total >= costs.mean() * (1 - 1e-6) - 1e-9
    assert bound.counts["refused by any"] == refused.sum()


@given(seed=st.integers(0, 10**6), models=st.integers(2, 3), norm=st.sampled_from([1, 2, np.inf]))
def test_the_least_norm_over_the_simplex_agrees_with_a_grid(seed, models, norm):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(models, 4)) + 0.7
    found = bounds.hoffman(W, norm=norm, offsets=np.ones(models))
    dual = {1: np.inf, 2: 2, np.inf: 1}[norm]
    side = np.linspace(0, 1, 201)
    if models == 2:
        mixtures = np.column_stack([side, 1 - side])
    else:
        a, c = np.meshgrid(side, side)
        keep = a + c <= 1
        mixtures = np.column_stack([a[keep], c[keep], (1 - a - c)[keep]])
    grid = np.linalg.norm(mixtures @ W, dual, axis=1).min()
    assert found.terms["least norm"] <= grid + 1e-9
    assert found.terms["least norm"] >= grid - 0.02 * np.linalg.norm(W, dual, axis=1).max()


def test_scale_and_immutable_inputs_change_the_constant_as_geometry_says():
    W = [[3.0, 4.0, 100.0]]
    mutable = np.array([True, True, False])
    assert bounds.hoffman(W, mutable=mutable).total == pytest.approx(1 / 5)
    scaled = bounds.hoffman(W, mutable=mutable, scale=[2.0, 1.0, 1.0])
    assert scaled.total == pytest.approx(1 / np.hypot(6, 4))
    assert bounds.hoffman(W, mutable=mutable, norm=1).total == pytest.approx(1 / 4)
    assert bounds.hoffman(W, mutable=mutable, norm=np.inf).total == pytest.approx(1 / 7)


def test_models_that_cannot_be_pleased_together_are_named_and_there_is_no_bound():
    slab = {"f": [1.0, 0.0], "g": [-1.0, 0.0], "h": [0.0, 1.0]}
    found = bounds.hoffman(slab, offsets=[-1.0, -1.0, 0.0])
    assert found.total == np.inf
    assert "'f' and 'g'" in found.note
    assert "'h'" not in found.note


@given(seed=st.integers(0, 10**5))
def test_opposed_models_with_a_slab_between_them_are_bounded_by_independent_subsets(seed):
    rng = np.random.default_rng(seed)
    W = np.array([[1.0, 0.0], [-2.0, 0.0], [1.0, 1.0]])
    b = np.array([1.0, 2.0, 0.5])
    found = bounds.hoffman(W, offsets=b)
    assert np.isfinite(found.total)
    for x in rng.normal(size=(10, 2)) * 4:
        r = max(0.0, (-(W @ x + b)).max())
        assert euclidean(W, b, x) <= found.total * r + 1e-9
