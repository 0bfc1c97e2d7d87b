"""The autoencoder while it learns: its parameters and its bound, in JAX."""

from itertools import pairwise
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from standfast.autoencoder.layout import Layout, Matrix
from standfast.autoencoder.likelihoods import BERNOULLI, CATEGORICAL, CUMULATIVE, POISSON
from standfast.autoencoder.weights import (
    FAR,
    LEAST_VARIANCE,
    MOST_LOG_PRECISION,
    NODE_WEIGHTS,
    NODES,
    Weights,
)

Array = jax.Array


class Network(eqx.Module):
    """The parameters; see `Weights` for what each of them is.

    What is static here decides what is compiled: two tables of one schema share the compiled loop.
    """

    prior: Array
    offset: Array
    loadings: Array
    conditions: Array
    spread: Array
    gaps: Array
    first: Array
    expert_slope: Array
    expert_offset: Array
    expert_conditions: Array
    precision_slope: Array
    precision_offset: Array
    edges_of_parts: tuple[int, ...] = eqx.field(static=True)
    levels: tuple[int, ...] = eqx.field(static=True)
    nominals: tuple[int, ...] = eqx.field(static=True)  # where each nominal's categories begin

    @classmethod
    def drawn(cls, layout: Layout, s: int, z: int, rng: np.random.Generator) -> "Network":
        """A network to start from: small random loadings, experts that roughly invert them."""
        d, c = len(layout.free), len(layout.given)
        loadings = rng.normal(0.0, 0.5 / np.sqrt(z), (s, d, z))
        ordinals = layout.levels[layout.parts[CUMULATIVE]]
        most = int(ordinals.max(initial=2))
        edges = (*(part.start for part in layout.parts), d)
        shapes: dict[str, Any] = {
            "prior": rng.normal(0.0, 0.5, (s, z)),
            "offset": rng.normal(0.0, 0.3, (s, d)),
            "loadings": loadings,
            "conditions": np.zeros((s, d, c)),
            "spread": np.zeros((s, d)),
            # thresholds start evenly between −2 and 2, softplus(gap) apart
            "gaps": np.log(np.expm1(np.full((len(ordinals), most - 2), 4.0 / max(most - 2, 1)))),
            "first": np.full(len(ordinals), -2.0 if most > 2 else 0.0),
            "expert_slope": loadings.copy(),
            "expert_offset": np.zeros((s, d, z)),
            "expert_conditions": np.zeros((d, z, c)),
            "precision_slope": np.zeros((s, d, z)),
            "precision_offset": np.full((s, d, z), -1.0),
        }
        arrays = {name: jnp.asarray(value, dtype=jnp.float32) for name, value in shapes.items()}
        nominals = tuple(np.flatnonzero(layout.code == 0).tolist())
        levels = tuple(ordinals.tolist())
        return cls(edges_of_parts=edges, levels=levels, nominals=nominals, **arrays)

    def part(self, kind: int) -> slice:
        """Where a likelihood's inputs stand among the mutable ones."""
        return slice(self.edges_of_parts[kind], self.edges_of_parts[kind + 1])

    def bounds(self, rows: Array, base: Array, cap: Array) -> Array:
        """log (1/S) Σ_s exp(ELBO_s(x)) of each packed row; see `Autoencoder.bound`.

        `base` and `cap` are the layout's: where heads start, and the largest log rate.
        """
        _, d, c = self.conditions.shape
        u, rest = rows[:, :d], rows[:, d:]
        given, constants, counted = rest[:, :c], rest[:, c], rest.shape[1] - d
        values, seen = rest[:, c + 1 : counted], rest[:, counted:]
        mean, precision = self._posterior(u, seen, given)
        spread = 1.0 / precision
        divergence = 0.5 * (
            (spread + (mean - self.prior) ** 2 - 1.0).sum(-1) + jnp.log(precision).sum(-1)
        )
        # every head is linear in z, so it is normal under q: a its mean, b its variance
        a = jnp.einsum("bsz,sdz->bsd", mean, self.loadings) + self.offset + base
        a = a + jnp.einsum("bc,sdc->bsd", given, self.conditions)
        b = jnp.einsum("bsz,sdz->bsd", spread, self.loadings**2)
        expected = self._normals(u, seen, a, b) + self._counts(values, seen, a, b, cap)
        expected = expected + self._logits(values, seen, a, b) + self._categories(seen, a, b)
        inside = jax.nn.logsumexp(expected - divergence, axis=1) - np.log(len(self.prior))
        total: Array = inside + constants
        return total

    def _posterior(self, u: Array, seen: Array, given: Array) -> tuple[Array, Array]:
        """q(z | x, s): the product of the prior's factor N(W_s, I) and one expert per input.

        A nominal's expert is the one of the person's category; a missing value has none.
        """
        means = u[:, None, :, None] * self.expert_slope + self.expert_offset
        means = means + jnp.einsum("bc,dzc->bdz", given, self.expert_conditions)[:, None]
        log_precision = u[:, None, :, None] * self.precision_slope + self.precision_offset
        weight = jnp.exp(jnp.clip(log_precision, -MOST_LOG_PRECISION, MOST_LOG_PRECISION))
        weight = weight * seen[:, None, :, None]
        precision = 1.0 + weight.sum(2)
        mean = (self.prior + (weight * means).sum(2)) / precision
        return mean, precision

    def _normals(self, u: Array, seen: Array, a: Array, b: Array) -> Array:
        part = slice(0, self.part(POISSON).start)
        variance = LEAST_VARIANCE + jax.nn.softplus(self.spread[:, part])
        error = (u[:, None, part] - a[..., part]) ** 2 + b[..., part]
        return -0.5 * ((error / variance + jnp.log(variance)) * seen[:, None, part]).sum(-1)

    def _counts(self, values: Array, seen: Array, a: Array, b: Array, cap: Array) -> Array:
        part = self.part(POISSON)
        x, rate, cap = values[:, None, : part.stop - part.start], a[..., part], cap[part]
        expectation = rate + 0.5 * b[..., part]
        # beyond the cap the exponential goes on as its tangent: no overflow, gradients keep sense
        inside = jnp.exp(jnp.minimum(expectation, cap))
        mean = inside * (1.0 + jnp.maximum(expectation - cap, 0.0))
        return ((x * rate - mean) * seen[:, None, part]).sum(-1)

    def _categories(self, seen: Array, a: Array, b: Array) -> Array:
        """Nominals: E log p(x) ≥ a_x − log Σ_c exp(a_c + b_c / 2) for heads θ_c ~ N(a_c, b_c)."""
        total = jnp.zeros(a.shape[:2], a.dtype)
        for start, stop in pairwise((*self.nominals, self.part(CATEGORICAL).stop)):
            all_ = jax.nn.logsumexp(a[..., start:stop] + 0.5 * b[..., start:stop], axis=-1)
            own = (a[..., start:stop] - all_[..., None]) * seen[:, None, start:stop]
            total = total + own.sum(-1)
        return total

    def _logits(self, values: Array, seen: Array, a: Array, b: Array) -> Array:
        """Binary and ordinal inputs: a one-dimensional Gauss–Hermite sum over each head."""
        binary, ordinal, counts = (self.part(k) for k in (BERNOULLI, CUMULATIVE, POISSON))
        skipped = counts.stop - counts.start
        total = jnp.zeros(a.shape[:2], a.dtype)
        nodes, weights = jnp.asarray(NODES, jnp.float32), jnp.asarray(NODE_WEIGHTS, jnp.float32)
        if binary.stop > binary.start:
            x = values[:, None, skipped : skipped + binary.stop - binary.start]
            head = a[..., binary, None] + jnp.sqrt(b[..., binary, None] + 1e-12) * nodes
            sign = (2.0 * x - 1.0)[..., None]
            inside = (jax.nn.log_sigmoid(sign * head) * weights).sum(-1)
            total = total + (inside * seen[:, None, binary]).sum(-1)
        if ordinal.stop > ordinal.start:
            x = values[:, skipped + binary.stop - binary.start :].astype(jnp.int32)
            edges = self.edges()
            which = jnp.arange(len(edges))
            upper, lower = edges[which, x + 1][:, None, :, None], edges[which, x][:, None, :, None]
            head = a[..., ordinal, None] + jnp.sqrt(b[..., ordinal, None] + 1e-12) * nodes
            inside = (
                jax.nn.log_sigmoid(upper - head)
                + jax.nn.log_sigmoid(head - lower)
                + jnp.log1p(-jnp.exp(lower - upper))
            )
            total = total + ((inside * weights).sum(-1) * seen[:, None, ordinal]).sum(-1)
        return total

    def edges(self) -> Array:
        """−∞, the increasing thresholds of each ordinal, +∞ (±FAR stands for infinity)."""
        levels = np.array(self.levels, dtype=np.int64)
        steps = jnp.cumsum(jax.nn.softplus(self.gaps), axis=1)
        inner = jnp.concatenate([self.first[:, None], self.first[:, None] + steps], axis=1)
        # an ordinal with fewer levels than the largest ends early
        known = jnp.asarray(np.arange(inner.shape[1]) < (levels - 1)[:, None])
        inner = jnp.where(known, inner, FAR)
        edge = jnp.full((len(levels), 1), FAR, inner.dtype)
        return jnp.concatenate([-edge, inner, edge], axis=1)

    @property
    def finite(self) -> bool:
        """Whether every parameter is a number."""
        return all(np.isfinite(np.asarray(array)).all() for array in jax.tree.leaves(self))

    def weights(self) -> Weights:
        """The parameters as plain arrays, for use without JAX."""
        spread = LEAST_VARIANCE + np.logaddexp(0.0, np.asarray(self.spread, np.float64))
        edges = np.asarray(self.edges(), np.float64)
        whole = np.full((self.offset.shape[1], edges.shape[1]), FAR)
        whole[self.part(CUMULATIVE)] = edges
        names = (
            *("prior", "offset", "loadings", "conditions", "expert_slope", "expert_offset"),
            *("expert_conditions", "precision_slope", "precision_offset"),
        )
        plain = {name: np.asarray(getattr(self, name), np.float64) for name in names}
        return Weights(variance=spread, edges=whole, **plain)


def packed(layout: Layout, X: Matrix) -> np.ndarray:
    """The rows as the network reads them, all a row needs side by side: one look-up per batch."""
    counted = (layout.kind >= POISSON) & (layout.kind < CATEGORICAL)
    values, seen = X[:, layout.free[counted]] - layout.lowest[counted], layout.seen(X)
    values = np.where(seen[:, counted] == 1.0, values, 0.0)
    constants = layout.constants(X)[:, None]
    columns = (layout.inputs(X), layout.conditions(X), constants, values, seen)
    with np.errstate(over="ignore"):  # what single precision cannot hold ends in a divergence
        return np.concatenate(columns, axis=1).astype(np.float32)
