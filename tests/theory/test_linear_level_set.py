"""The worst member of a linear level set against an independent solver and dense sampling."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import cho_solve
from scipy.optimize import brentq, minimize

import standfast as sf
from standfast.scores.ellipsoids import outer_radius
from standfast.scores.linear_level_set import LinearLevelSet
from standfast.scores.worst_member import solved, worst_member


def world(seed, n=120, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    y = np.where(rng.logistic(size=n) < X @ rng.normal(size=d), 1, -1)
    y[:2] = 1, -1
    schema = sf.Schema(tuple(sf.Feature(f"x{j}", "real", step=0.001) for j in range(d)))
    table = pd.DataFrame(X.round(3), columns=schema.names)
    return sf.datasets.Dataset(table, pd.Series(y), schema, "made")


def loss_of(data, C, balanced):
    """L(θ) in table units, written down afresh."""
    X, y = data.table.to_numpy(), data.labels.to_numpy()
    scale = X.std(axis=0)
    weight = np.ones(len(y))
    if balanced:
        weight = np.where(y > 0, len(y) / (2 * (y > 0).sum()), len(y) / (2 * (y < 0).sum()))

    def value(theta):
        losses = np.logaddexp(0.0, -y * (X @ theta[:-1] + theta[-1]))
        return (weight * losses).mean() + ((theta[:-1] * scale) ** 2).sum() / (2 * C * len(y))

    return value


def curvature(loss, theta, h=1e-4):
    """The second derivative by differences."""
    d = len(theta)
    H, E = np.empty((d, d)), np.eye(d) * h
    for i in range(d):
        for j in range(d):
            H[i, j] = (
                loss(theta + E[i] + E[j])
                - loss(theta + E[i] - E[j])
                - loss(theta - E[i] + E[j])
                + loss(theta - E[i] - E[j])
            ) / (4 * h * h)
    return 0.5 * (H + H.T)


def members(level_set, loss, seed, n):
    """Models on the border of the level set: rays from the best model, in all directions."""
    rng = np.random.default_rng(seed)
    best = np.append(level_set.best.weights, level_set.best.offset)
    most = loss(best) + level_set.epsilon
    spread = np.abs(best).max()
    for _ in range(n):
        way = rng.normal(size=len(best)) * spread
        far = 1.0
        while loss(best + far * way) < most:
            far *= 2.0
        reach = brentq(lambda s, way=way: loss(best + s * way) - most, 0.0, far, xtol=1e-13)
        yield best + 0.999999 * reach * way


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("C", "balanced", "epsilon"), [(np.inf, False, 0.01), (1.0, True, 0.05), (0.1, False, 0.2)]
)
def test_the_worst_member_agrees_with_a_general_solver(seed, C, balanced, epsilon):
    data = world(seed)
    found = LinearLevelSet.fit(data, epsilon=epsilon, C=C, balanced=balanced)
    loss = loss_of(data, C, balanced)
    best = np.append(found.best.weights, found.best.offset)
    least = minimize(loss, best, method="BFGS", options={"gtol": 1e-9})
    assert loss(best) <= least.fun + 1e-12
    # in units in which the loss is round, which the solver's own steps need
    root = np.linalg.cholesky(np.linalg.inv(curvature(loss, best)))
    inside = {"type": "ineq", "fun": lambda u: 1.0 - (loss(best + root @ u) - loss(best)) / epsilon}
    for x in data.table.to_numpy()[:4]:
        a = root.T @ np.append(x, 1.0)
        size = np.linalg.norm(a)
        start = -np.sqrt(epsilon) * a / size
        peer = minimize(
            lambda u, a=a, size=size: a @ u / size,
            start,
            method="SLSQP",
            constraints=[inside],
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert loss(best + root @ peer.x) <= loss(best) + epsilon * (1 + 1e-6)
        reach = -size * peer.fun
        assert found.best.raw(x[None])[0] - found.raw(x[None])[0] == pytest.approx(reach, rel=1e-5)
        member = found.worst(x).model
        assert loss(np.append(member.weights, member.offset)) <= loss(best) + epsilon


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.3])
def test_wherever_the_steps_end_the_floor_is_below_every_member(seed, epsilon):
    """Nearly separable people: the set is far wider than its second derivative at θ* says."""
    data = world(seed, n=25, d=2)
    X = data.table.to_numpy()
    labels = np.where(X[:, 0] + 0.1 * X[:, 1] > np.median(X[:, 0] + 0.1 * X[:, 1]), 1, -1)
    labels[seed] *= -1  # one of them on the wrong side: there is a best model
    data = replace(data, labels=pd.Series(labels))
    found = LinearLevelSet.fit(data, epsilon=epsilon, C=10.0)
    about = found.loss, found.optimum
    radius = outer_radius(*about, epsilon)
    for x in X[:8]:
        a = found.standardised(x)
        exact = float(a @ worst_member(*about, a, epsilon, radius).theta)
        way = float(a @ found.optimum.theta) - exact
        for share in (-0.5, 0.0, 0.2, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 10.0):
            cutoff = exact + (1.0 - share) * way
            member = worst_member(*about, a, epsilon, radius, cutoff)
            assert member.floor <= exact + 1e-9 * way
            assert (member.floor > cutoff) == (exact > cutoff)  # it is settled, and rightly


@pytest.mark.parametrize("seed", range(3))
def test_no_sampled_member_is_below_the_worst(seed):
    data = world(seed, d=3)
    found = LinearLevelSet.fit(data, epsilon=0.03)
    loss = loss_of(data, np.inf, False)
    X = data.table.to_numpy()[:25]
    worst = found.raw(X)
    least = np.full(len(X), np.inf)
    for theta in members(found, loss, seed, 3000):
        least = np.minimum(least, X @ theta[:-1] + theta[-1])
    assert (least >= worst - 1e-9).all()
    reach = found.best.raw(X) - worst
    assert ((least - worst) <= 0.2 * reach).all()  # and dense sampling comes close to it


def test_the_worst_value_falls_as_the_set_grows_and_the_ellipsoid_is_its_limit():
    data = world(1, n=300, d=4)
    X = data.table.to_numpy()[:20]
    found = LinearLevelSet.fit(data)
    grid = [0.0, 1e-6, 1e-4, 0.001, 0.01, 0.1, 0.3]
    values = np.array([found.at(epsilon).raw(X) for epsilon in grid])
    assert (np.diff(values, axis=0) < 0).all()
    A = np.column_stack([(X - found.means) / found.scales, np.ones(len(X))])
    spread = np.sqrt(np.einsum("ij,ij->i", A, solved(found.optimum.factor, A.T).T))
    for epsilon in (1e-7, 1e-6):
        way = found.best.raw(X) - found.at(epsilon).raw(X)
        assert np.allclose(np.sqrt(2.0 * epsilon) * spread, way, rtol=5e-3)


def test_the_default_set_covers_the_true_model_as_often_as_it_says():
    rng = np.random.default_rng(0)
    truth = np.array([1.0, -0.5, 0.3])
    schema = sf.Schema((sf.Feature("a", "real", step=0.001), sf.Feature("b", "real", step=0.001)))
    covered, rounds = 0, 300
    for _ in range(rounds):
        X = rng.normal(size=(400, 2)).round(3)
        y = np.where(rng.logistic(size=400) < X @ truth[:2] + truth[2], 1, -1)
        table = pd.DataFrame(X, columns=["a", "b"])
        found = LinearLevelSet.fit(sf.datasets.Dataset(table, pd.Series(y), schema, "drawn"))
        covered += found.excess(sf.Linear(truth[:2], truth[2])) <= found.epsilon
    assert abs(covered / rounds - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / rounds)


@pytest.mark.parametrize("epsilon", [0.002, 0.03, 0.2])
@pytest.mark.parametrize(("C", "balanced"), [(np.inf, False), (1.0, True)])
def test_ellipsoids_lie_inside_the_set_and_hold_it(epsilon, C, balanced):
    data = world(3, d=3)
    found = LinearLevelSet.fit(data, epsilon=epsilon, C=C, balanced=balanced)
    theta, loss, factor = found.optimum.theta, found.loss, found.optimum.factor
    rng = np.random.default_rng(0)
    for x in data.table.to_numpy()[:10]:
        worst = found.worst(x)
        around = found.inside(worst.model)
        a = found.standardised(x)
        # it touches the border where the worst member is
        assert around.worst(a[None])[0] == pytest.approx(worst.raw, abs=1e-6)
        root = np.linalg.cholesky(around.spread)
        ways = rng.normal(size=(200, 4))
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        for way in ways:
            inside = loss.value(around.centre + around.radius * root @ way)
            assert inside <= found.optimum.loss + epsilon
        A = np.column_stack([rng.normal(size=(50, 3)), np.ones(50)])
        there = A @ around.centre - around.radius * np.linalg.norm(A @ root, axis=1)
        assert np.allclose(around.worst(A), there)
    most, H = outer_radius(loss, found.optimum, epsilon), loss.hessian(loss.slope(theta)[2])
    assert np.allclose(cho_solve(factor, H), np.eye(4), atol=1e-8)
    for _ in range(2000):
        way = rng.normal(size=4)
        way *= most / np.sqrt(way @ H @ way)
        assert loss.value(theta + way) >= found.optimum.loss + epsilon


def test_a_quadratic_above_the_loss_touches_it_once():
    found = LinearLevelSet.fit(world(5, d=3), C=2.0)
    rng = np.random.default_rng(1)
    for _ in range(50):
        at, to = rng.normal(size=(2, 4)) * rng.choice([0.1, 1.0, 5.0])
        value, gradient, M = found.loss.majorant(at)
        above = value + gradient @ (to - at) + 0.5 * (to - at) @ M @ (to - at)
        assert found.loss.value(to) <= above + 1e-12
        assert value == pytest.approx(found.loss.value(at))


@pytest.mark.parametrize("epsilon", [0.003, 0.03])
def test_whether_a_member_refuses_is_settled_as_by_the_worst(epsilon):
    data = world(3, n=400, d=3)
    found = LinearLevelSet.fit(data, epsilon=epsilon)
    X = data.table.to_numpy()
    assert (found.accepts(X) == (found.score(X) > 0.0)).all()
    assert 0.1 < found.accepts(X).mean() < 0.9
    for x in X[:25]:
        worst = found.worst(x).raw
        for off in (1e-8, 1e-4, 0.01, 1.0):
            assert found.refuser(x, worst - off) is None
            member = found.refuser(x, worst + off)
            assert member.raw(x[None])[0] <= worst + off
            assert found.excess(member) <= epsilon
