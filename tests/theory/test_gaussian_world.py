"""Two unit normals at angle θ in a rotation-symmetric plane: every mean is known in closed form.

A standard normal point is ρ(cos φ, sin φ) with E ρ = √(π/2) and φ uniform, so points at that radius
and evenly spread angles have the very means of the whole distribution.
"""

import numpy as np
import pytest
from scipy.optimize import nnls

from standfast import bounds

RADIUS = np.sqrt(np.pi / 2)
# θ: true mean cost and proposition 2′, measured once on a sample of 200,000 (two to three digits)
TABLE = {
    0.0: (0.797, 0.797),
    0.3: (0.838, 0.847),
    1.0: (0.908, 1.02),
    2.0: (0.976, 1.66),
    2.8: (1.015, 4.94),
}


def world(theta, n=100_000):
    angles = (np.arange(n) + 0.5) * 2 * np.pi / n
    X = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    W = np.array([[np.cos(-theta / 2), np.sin(-theta / 2)], [np.cos(theta / 2), np.sin(theta / 2)]])
    return X, W


def distance_to_cone(X, W):
    """By geometry: to the nearer edge where its foot is on the ray, else to the tip."""
    scores = X @ W.T
    refused = (scores <= 0).any(axis=1)
    # the two rays that bound the cone: along one border, on the accepted side of the other
    rays = np.column_stack([-W[:, 1], W[:, 0]])
    edges = rays * np.sign((rays * W[::-1]).sum(axis=1))[:, None]
    along = np.maximum(X @ edges.T, 0.0)
    feet = along[:, :, None] * edges[None]
    far = np.linalg.norm(X[:, None, :] - feet, axis=2).min(axis=1)
    return np.where(refused, far, 0.0), refused


def true_mean(theta):
    return RADIUS * (2 + theta) / (np.pi + theta)


def our_bound(theta):
    return RADIUS * 2 * (1 + np.sin(theta / 2)) / (np.pi + theta) / np.cos(theta / 2)


@pytest.mark.parametrize("theta", [0.3, 1.0, 2.0, 2.8])
def test_the_true_mean_cost_is_what_geometry_says(theta):
    X, W = world(theta)
    far, refused = distance_to_cone(X, W)
    assert far[refused].mean() == pytest.approx(true_mean(theta), rel=1e-4)


@pytest.mark.parametrize("theta", TABLE)
def test_both_columns_of_the_table_come_out(theta):
    X, W = world(theta)
    alpha = bounds.hoffman(W)
    ours = bounds.residual((X @ W.T).T, alpha.total)
    assert alpha.total == pytest.approx(1 / np.cos(theta / 2), rel=1e-12)
    assert alpha.terms["angle in degrees"] == pytest.approx(np.degrees(theta), abs=1e-9)
    assert ours.total == pytest.approx(our_bound(theta), rel=1e-4)
    assert ours.total >= true_mean(theta) * (1 - 1e-4)
    told_true, told_ours = TABLE[theta]
    assert true_mean(theta) == pytest.approx(told_true, rel=0.004)
    assert our_bound(theta) == pytest.approx(told_ours, rel=0.005)


def test_the_published_bound_is_far_above_ours_and_grows_with_the_sample():
    rng = np.random.default_rng(0)
    W = world(1.0)[1]
    totals = []
    for n in (2_000, 200_000):
        X = rng.normal(size=(n, 2))
        y = np.where(X[:, 0] + 0.2 * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1, -1)
        f, g = (X @ W.T).T
        alpha = bounds.hoffman(W).total
        totals.append(bounds.published(f, g, y, alpha).total)
        assert totals[-1] > 3 * bounds.residual([f, g], alpha).total
    assert totals[1] > totals[0]


def test_the_distance_used_here_agrees_with_least_distance_programming():
    X, W = world(2.0, n=40)
    far, _ = distance_to_cone(X, W)
    for x, d in zip(X, far, strict=True):
        h = -(W @ x)
        u, _ = nnls(np.vstack([W.T, h]), np.array([0.0, 0.0, 1.0]))
        rest = np.vstack([W.T, h]) @ u - np.array([0.0, 0.0, 1.0])
        z = np.zeros(2) if (h <= 0).all() else -rest[:2] / rest[2]
        assert np.linalg.norm(z) == pytest.approx(d, abs=1e-9)
