"""The bound: the compiled kernel, JAX and numerical integration say the same."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from standfast import Autoencoder, Feature, Schema
from standfast.autoencoder import fit
from standfast.autoencoder.layout import Layout
from standfast.autoencoder.network import Network, packed

MUTABLE = {
    "all": lambda f: True,
    "some": lambda f: f.mutable,
    "one ordinal": lambda f: f.name == "grade",
    "one count": lambda f: f.name == "late",
}


def shaken(
    schema: Schema, X: np.ndarray, s: int, z: int, seed: int
) -> tuple[Network, Layout, Autoencoder]:
    """A network whose every parameter is random, and the same as a fitted value."""
    rng = np.random.default_rng(seed)
    layout = Layout.of(schema, X, range(len(X)))
    network = jax.tree.map(
        lambda a: np.asarray(a) + 0.3 * rng.normal(size=a.shape).astype("float32"),
        Network.drawn(layout, s, z, rng),
    )
    return network, layout, Autoencoder.build(schema, layout, network.weights(), X, {})


@pytest.mark.parametrize("which", MUTABLE)
def test_jax_and_the_compiled_kernel_agree(schema, people, which):
    features = tuple(replace(f, mutable=MUTABLE[which](f)) for f in schema)
    schema = replace(schema, features=features)
    X = schema.matrix(people(400, 1))
    network, layout, fitted = shaken(schema, X, s=4, z=3, seed=0)
    fixed = (layout.base.astype("float32"), layout.cap.astype("float32"))
    bounds = jax.jit(Network.bounds)(network, packed(layout, X), *fixed)  # as in training
    in_jax = np.asarray(bounds, dtype=float)
    np.testing.assert_allclose(fitted.bound(X), in_jax, rtol=2e-5, atol=2e-4)


def log_evidence(fitted: Autoencoder, x: np.ndarray) -> float:
    """log p(x | x_c) by adding up over a fine grid of a one-dimensional z, with scipy's words."""
    grid = np.linspace(-12, 12, 4_001)  # five times as many change 1e-14
    layout, w = fitted.layout, fitted.weights
    given = fitted.given(x[None])[0]
    total = 0.0
    for s in range(fitted.components):
        density = stats.norm.pdf(grid, w.prior[s, 0])
        for j, column in enumerate(layout.free):
            head = w.offset[s, j] + w.conditions[s, j] @ given + w.loadings[s, j, 0] * grid
            feature, value = fitted.schema.features[column], x[column]
            centre, scale = layout.centre[column], layout.scale[column]
            deviation = np.sqrt(w.variance[s, j]) * scale
            if feature.kind == "real":
                density *= stats.norm.pdf(value, centre + scale * head, deviation)
            elif feature.kind == "positive":
                seen = stats.norm.pdf(np.log1p(value), centre + scale * head, deviation)
                density *= seen / (1 + value)
            elif feature.kind == "count":
                density *= stats.poisson.pmf(value, np.exp(layout.base[j] + head))
            elif feature.kind == "binary":
                density *= stats.bernoulli.pmf(value, expit(layout.base[j] + head))
            else:
                inner = w.edges[j, 1 : layout.levels[j]]
                below = np.stack([0 * head, *(expit(t - head) for t in inner), 0 * head + 1])
                level = int(value - layout.lowest[j])
                density *= below[level + 1] - below[level]
        total += np.trapezoid(density, grid) / fitted.components
    return float(np.log(total))


def test_the_bound_is_below_the_evidence_found_by_integration(schema, people):
    X = schema.matrix(people(300, 2))
    _, _, fitted = shaken(schema, X, s=2, z=1, seed=1)
    for x, bound in zip(X[:40], fitted.bound(X[:40]), strict=True):
        assert bound <= log_evidence(fitted, x) + 1e-6


def test_the_bound_is_the_evidence_where_the_posterior_is_exact(people):
    """One real input, one latent number: the posterior is normal, with precision 1 + l² / v."""
    schema = Schema((Feature("balance", "real"),))
    X = people(300, 2)[["balance"]].to_numpy()
    _, _, fitted = shaken(schema, X, s=2, z=1, seed=4)
    w = fitted.weights
    exact = replace(
        w,
        expert_slope=1.0 / w.loadings,
        expert_offset=-w.offset[..., None] / w.loadings,
        precision_slope=np.zeros_like(w.loadings),
        precision_offset=np.log(w.loadings**2 / w.variance[..., None]),
    )
    fitted = replace(fitted, weights=exact)
    evidence = [log_evidence(fitted, x) for x in X[:40]]
    np.testing.assert_allclose(fitted.bound(X[:40]), evidence, atol=1e-6)


def test_after_training_the_bound_is_close_to_the_evidence(schema, people, table):
    fitted = fit(schema, table, s=2, z=1, epochs=250, seed=0)
    X = schema.matrix(people(200, 5))
    gap = np.array([log_evidence(fitted, x) for x in X]) - fitted.bound(X)
    assert gap.min() > -1e-6
    assert gap.mean() < 0.1


def test_company_and_order_do_not_change_the_last_bit(fitted, schema, table):
    X = schema.matrix(table)[:64]
    whole = fitted.bound(X)
    assert [fitted.bound(x[None])[0] for x in X] == whole.tolist()
    assert (fitted.bound(X[::-1]) == whole[::-1]).all()
    assert (fitted.reconstruct(X[10:13]) == fitted.reconstruct(X)[10:13]).all()


def test_how_usual_people_are_is_a_share_of_the_training_people(fitted, schema, table):
    usual = fitted.usual(schema.matrix(table))
    assert usual.min() == 0.0
    assert usual.max() == 1.0
    assert usual.mean() == pytest.approx(0.5, abs=0.01)
    strange = table.head(1).assign(late=40)
    assert fitted.usual(schema.matrix(strange))[0] == 0.0
