"""The solver under constraints: against other solvers, and by the conditions of optimality."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from standfast.promises.repair.constrained import Constrained


def quadratic(d: int, seed: int):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(2 * d, d))
    H, b = root.T @ root / d + 0.1 * np.eye(d), rng.normal(size=d)
    return H, lambda x: (float(0.5 * x @ H @ x - b @ x), H @ x - b)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("way", ["newton", "bounded", "sparse"])
def test_the_minimum_is_that_of_another_solver(seed, way):
    d, m = 5, 8
    H, loss = quadratic(d, seed)
    A = np.random.default_rng([seed, 1]).normal(size=(m, d))
    needs = A @ np.full(d, 0.3) - np.random.default_rng([seed, 2]).random(m) * 0.2
    bounds = (np.full(d, -0.4), np.full(d, 0.6)) if way == "bounded" else None
    hessian = (lambda x: H) if way == "newton" else None
    problem = Constrained(
        loss,
        csr_matrix(A) if way == "sparse" else A,
        needs,
        np.zeros(d),
        bounds,
        tolerance=1e-9,
        hessian=hessian,
    )
    found = problem.solve(np.ones(m, dtype=bool))
    other = minimize(
        loss,
        np.full(d, 0.3),
        jac=True,
        method="SLSQP",
        bounds=None if bounds is None else list(zip(*bounds, strict=True)),
        constraints={"type": "ineq", "fun": lambda x: A @ x - needs, "jac": lambda x: A},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert other.success
    assert loss(found.theta)[0] == pytest.approx(other.fun, abs=2e-5)
    assert np.allclose(found.theta, other.x, atol=5e-3)
    assert (A @ found.theta >= needs - 1e-8).all()


def test_the_conditions_of_optimality_hold():
    H, loss = quadratic(6, 3)
    rng = np.random.default_rng(4)
    A = rng.normal(size=(12, 6))
    needs = A @ np.full(6, 0.5) - rng.random(12) * 0.1
    problem = Constrained(loss, A, needs, np.zeros(6), tolerance=1e-10, hessian=lambda x: H)
    found = problem.solve(np.ones(12, dtype=bool))
    lam, slack = found.multipliers, A @ found.theta - needs
    assert (lam >= 0).all()
    assert lam.any()
    assert (slack >= -1e-9).all()
    assert np.allclose(lam * slack, 0, atol=1e-7)
    assert np.allclose(loss(found.theta)[1], A.T @ lam, atol=1e-7)


def test_no_constraint_costs_nothing_where_the_minimum_satisfies_all():
    H, loss = quadratic(4, 5)
    A = np.eye(4)
    problem = Constrained(loss, A, np.full(4, -50.0), np.zeros(4), hessian=lambda x: H)
    found = problem.solve(np.ones(4, dtype=bool))
    assert not found.multipliers.any()
    assert np.allclose(loss(found.theta)[1], 0, atol=1e-8)


@pytest.mark.parametrize("keep", [0.5, 0.75, 0.9, 1.0])
def test_at_least_so_many_constraints_hold_and_fewer_cost_less(keep):
    H, loss = quadratic(5, 7)
    A = np.random.default_rng(8).normal(size=(20, 5))
    needs = A @ np.full(5, 0.8) - 0.3 * np.random.default_rng(9).random(20)
    problem = Constrained(loss, A, needs, np.zeros(5), tolerance=1e-9, hessian=lambda x: H)
    found = problem.least(keep)
    assert (A @ found.theta >= needs - 1e-8).mean() >= keep
    assert loss(found.theta)[0] <= loss(problem.least(1.0).theta)[0] + 1e-9
    if keep < 1.0:
        assert loss(found.theta)[0] < loss(problem.least(1.0).theta)[0]


def test_what_cannot_be_satisfied_is_reported_as_lacking():
    H, loss = quadratic(2, 9)
    A = np.array([[1.0, 0.0], [-1.0, 0.0]])
    problem = Constrained(loss, A, np.array([1.0, 1.0]), np.zeros(2), hessian=lambda x: H)
    assert problem.solve(np.ones(2, dtype=bool)).lacking > 0.5
