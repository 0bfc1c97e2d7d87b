"""People who never lived: draws from what an autoencoder has learnt."""

import numpy as np

from standfast.autoencoder.autoencoder import Autoencoder
from standfast.autoencoder.layout import Indices, Matrix, Vector
from standfast.autoencoder.likelihoods import BERNOULLI, CATEGORICAL, LOG_NORMAL, NORMAL, POISSON


def latent_draws(
    autoencoder: Autoencoder, n: int, rng: np.random.Generator
) -> tuple[Matrix, Indices]:
    """Latent points from the prior: s evenly, then z ~ N(W_s, I)."""
    component = rng.integers(0, autoencoder.components, n).astype(np.int64)
    noise = rng.standard_normal((n, autoencoder.latent))
    return autoencoder.weights.prior[component] + noise, component


def sample(autoencoder: Autoencoder, X: Matrix, seed: int = 0) -> Matrix:
    """A person per row of X with that row's immutable inputs, the others drawn from the model."""
    rng = np.random.default_rng(seed)
    X, a, w = autoencoder.checked(X), autoencoder.layout, autoencoder.weights
    Z, s = latent_draws(autoencoder, len(X), rng)
    heads = w.offset[s] + np.einsum("ndz,nz->nd", w.loadings[s], Z)
    heads += np.einsum("ndc,nc->nd", w.conditions[s], autoencoder.given(X))
    drawn = np.array(X)
    best = np.full(len(X), -np.inf)
    for j, column in enumerate(a.free):
        head, kind = heads[:, j], a.kind[j]
        if kind <= LOG_NORMAL:
            noise = np.sqrt(w.variance[s, j]) * rng.standard_normal(len(X))
            seen = a.centre[column] + a.scale[column] * (head + noise)
            drawn[:, column] = seen if kind == NORMAL else np.expm1(np.clip(seen, 0.0, a.cap[j]))
        elif kind == POISSON:
            drawn[:, column] = rng.poisson(np.exp(np.minimum(a.base[j] + head, a.cap[j])))
        elif kind == CATEGORICAL:  # the largest of the heads, each with a Gumbel draw
            best = np.full(len(X), -np.inf) if a.code[j] == 0 else best
            noisy = a.base[j] + head + rng.gumbel(size=len(X))
            drawn[noisy > best, column] = a.code[j]
            best = np.maximum(best, noisy)
        else:
            drawn[:, column] = _level(a.base[j] + head, kind, j, autoencoder, rng)
    return drawn


def _level(
    head: Vector, kind: int, j: int, autoencoder: Autoencoder, rng: np.random.Generator
) -> Vector:
    """A binary or ordinal draw: a logistic draw around the head, placed among the thresholds."""
    noisy = head + rng.logistic(size=len(head))
    if kind == BERNOULLI:
        return (noisy > 0).astype(np.float64)
    a = autoencoder.layout
    inner = autoencoder.weights.edges[j, 1 : a.levels[j]]
    level: Vector = a.lowest[j] + np.searchsorted(inner, noisy)
    return level
