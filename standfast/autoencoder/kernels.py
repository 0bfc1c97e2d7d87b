"""Encoding, the bound and decoding, compiled: every sum in a fixed order, whatever the company.

A product of matrices would not do: there the order of a row's sum, and with it its last bits, may
depend on how many other rows are asked about.
"""

import math

import numpy as np
from numpy.typing import NDArray

from standfast.autoencoder.likelihoods import (
    BERNOULLI,
    CATEGORICAL,
    LOG_NORMAL,
    NORMAL,
    POISSON,
)
from standfast.autoencoder.weights import MOST_LOG_PRECISION, NODE_WEIGHTS, NODES, Decoder, Experts
from standfast.compilation import inner, kernel
from standfast.schema.categories import MISSING

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel
def normalise_rows(X: Matrix, logged: Indices, centre: Vector, scale: Vector) -> Matrix:
    """u = (t − centre) / scale of every cell, with t = x or log(1 + x)."""
    n, d = X.shape
    U = np.empty((n, d))
    for i in range(n):
        for j in range(d):
            # below −1 there is no logarithm; nobody can have such an amount or count
            t = math.log1p(max(X[i, j], -0.999)) if logged[j] == 1 else X[i, j]
            U[i, j] = (t - centre[j]) / scale[j]
    return U


@kernel
def constants_of(X: Matrix, kind: Indices, scale: Vector) -> Vector:
    """The part of each row's log-likelihood that no parameter touches; X: the mutable inputs.

    Densities are in table units, so a change of variables leaves −log scale, and −log(1 + x)
    where log(1 + x) is seen; a count leaves −log x!. A missing value leaves nothing.
    """
    n, d = X.shape
    totals = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(d):
            if X[i, j] == MISSING:
                continue
            if kind[j] == POISSON:
                total -= math.lgamma(max(X[i, j], 0.0) + 1.0)
            elif kind[j] < POISSON:
                total -= math.log(scale[j]) + 0.5 * math.log(2.0 * math.pi)
                if kind[j] == LOG_NORMAL:
                    total -= math.log1p(max(X[i, j], -0.999))
        totals[i] = total
    return totals


@kernel
def log_mean_exp(scores: Matrix) -> Vector:
    """log (1/S) Σ_s exp(score_s) of each row, without overflow."""
    n, S = scores.shape
    means = np.empty(n)
    for i in range(n):
        top = scores[i].max()
        total = 0.0
        for s in range(S):
            total += math.exp(scores[i, s] - top)
        means[i] = top + math.log(total / S)
    return means


@inner
def log_sigmoid(x: float) -> float:
    """log(1 / (1 + e^−x)), without overflow."""
    return -math.log1p(math.exp(-x)) if x > 0.0 else x - math.log1p(math.exp(x))


@inner
def posterior(
    u: Vector,
    seen: Vector,
    given: Vector,
    s: int,
    experts: Experts,
    mean: Vector,
    spread: Vector,
) -> float:
    """q(z | x, s) into `mean` and `spread` (variances); its divergence from the prior.

    The experts of places where nothing is seen do not speak.
    """
    prior, conditions = experts.prior, experts.conditions
    divergence = 0.0
    for k in range(prior.shape[1]):
        precision, weighted = 1.0, prior[s, k]
        for j in range(len(u)):
            if seen[j] == 0.0:
                continue
            log_weight = u[j] * experts.precision_slope[s, j, k]
            log_weight += experts.precision_offset[s, j, k]
            weight = math.exp(min(max(log_weight, -MOST_LOG_PRECISION), MOST_LOG_PRECISION))
            says = u[j] * experts.slope[s, j, k] + experts.offset[s, j, k]
            for i in range(len(given)):
                says += given[i] * conditions[j, k, i]
            precision += weight
            weighted += weight * says
        mean[k], spread[k] = weighted / precision, 1.0 / precision
        away = mean[k] - prior[s, k]
        divergence += 0.5 * (spread[k] + away * away - 1.0 + math.log(precision))
    return divergence


@inner
def expected(
    decoder: Decoder, j: int, u: float, x: float, a: float, b: float, variance: float
) -> float:
    """E log p(x_j | θ) for a head θ ~ N(a, b), without what no parameter touches."""
    kind, base = decoder.kind[j], decoder.base[j]
    if kind <= LOG_NORMAL:
        return -0.5 * (((u - a) ** 2 + b) / variance + math.log(variance))
    if kind == POISSON:
        cap = decoder.cap[j]
        middle = base + a + 0.5 * b
        mean = math.exp(min(middle, cap)) * (1.0 + max(middle - cap, 0.0))
        found: float = x * (base + a) - mean
        return found
    total, deviation = 0.0, math.sqrt(b + 1e-12)
    if kind == BERNOULLI:
        sign = 1.0 if x > 0.5 else -1.0
        for q in range(len(NODES)):
            total += NODE_WEIGHTS[q] * log_sigmoid(sign * (base + a + deviation * NODES[q]))
        return total
    # a level nobody had at fitting counts as the nearest that somebody had
    r = int(min(max(x - decoder.lowest[j], 0.0), decoder.levels[j] - 1.0))
    lower, upper = decoder.edges[j, r], decoder.edges[j, r + 1]
    for q in range(len(NODES)):
        head = a + deviation * NODES[q]
        total += NODE_WEIGHTS[q] * (log_sigmoid(upper - head) + log_sigmoid(head - lower))
    return total + math.log1p(-math.exp(lower - upper))


@kernel
def encode_rows(
    X: Matrix,
    U: Matrix,
    seen: Matrix,
    given: Matrix,
    decoder: Decoder,
    experts: Experts,
) -> tuple[Matrix, Matrix]:
    """ELBO_s of every row and component, and every component's posterior mean of z.

    `X` and `U` hold the mutable inputs, raw and normalised, and where they are `seen`; `given` the
    immutable ones. What is missing adds nothing. Of a categorical input with heads θ_c ~ N(a_c,
    b_c), E log p(x) is bounded from below by a_x − log Σ_c exp(a_c + b_c / 2) (Jensen).
    """
    n, d = U.shape
    S, Z = experts.prior.shape
    offset, conditions, loadings = decoder.offset, decoder.conditions, decoder.loadings
    scores, means = np.empty((n, S)), np.empty((n, S, Z))
    spread = np.empty(Z)
    for i in range(n):
        for s in range(S):
            mean = means[i, s]
            total = -posterior(U[i], seen[i], given[i], s, experts, mean, spread)
            top, mass = -np.inf, 0.0
            for j in range(d):
                categorical = decoder.kind[j] == CATEGORICAL
                if X[i, j] == MISSING or (seen[i, j] == 0.0 and not categorical):
                    continue
                a, b = offset[s, j], 0.0
                for c in range(given.shape[1]):
                    a += given[i, c] * conditions[s, j, c]
                for k in range(Z):
                    load = loadings[s, j, k]
                    a += load * mean[k]
                    b += load * load * spread[k]
                if not categorical:
                    total += expected(decoder, j, U[i, j], X[i, j], a, b, decoder.variance[s, j])
                    continue
                # the sum over the input's categories, scaled by its largest term so far
                a += decoder.base[j]
                if decoder.code[j] == 0:
                    top, mass = -np.inf, 0.0
                most = max(top, a + 0.5 * b)
                mass = mass * math.exp(top - most) + math.exp(a + 0.5 * b - most)
                top = most
                if seen[i, j] == 1.0:
                    total += a
                if j + 1 == d or decoder.code[j + 1] == 0:
                    total -= top + math.log(mass)
            scores[i, s] = total
    return scores, means


@inner
def start_of_head(given: Vector, s: int, offset: Matrix, conditions: Matrix, start: Vector) -> None:
    """What a person's immutable inputs make of every head before z is added, into `start`."""
    for j in range(len(start)):
        total = offset[s, j]
        for c in range(len(given)):
            total += given[c] * conditions[s, j, c]
        start[j] = total


@inner
def middle_of(f: int, head: float, decoder: Decoder) -> float:
    """The middle of a likelihood: a mean (real, count), a median (positive, ordinal), a mode."""
    kind, base, cap = decoder.kind[f], decoder.base[f], decoder.cap[f]
    on_scale: float = decoder.centre[f] + decoder.scale[f] * head
    if kind == NORMAL:
        return on_scale
    if kind == LOG_NORMAL:
        return math.expm1(min(max(on_scale, 0.0), cap))
    if kind == POISSON:
        return math.exp(min(base + head, cap))
    if kind == BERNOULLI:
        return 1.0 if base + head > 0.0 else 0.0
    r = 0
    while r < decoder.levels[f] - 1 and decoder.edges[f, r + 1] < head:  # P(x ≤ r) < 1/2
        r += 1
    return float(decoder.lowest[f] + r)


@kernel
def decode_rows(Z: Matrix, component: Indices, given: Matrix, decoder: Decoder) -> Matrix:
    """The mutable inputs that each latent point stands for, each the middle of its likelihood."""
    n, d, loadings = len(Z), len(decoder.kind), decoder.loadings
    values, start = np.empty((n, d)), np.empty(d)
    for i in range(n):
        s, best, likeliest = component[i], -np.inf, 0
        start_of_head(given[i], s, decoder.offset, decoder.conditions, start)
        for j in range(d):
            head = start[j]
            for k in range(Z.shape[1]):
                head += loadings[s, j, k] * Z[i, k]
            if decoder.kind[j] < CATEGORICAL:
                values[i, j] = middle_of(j, head, decoder)
                continue
            # the likeliest category, in all places of its input
            head += decoder.base[j]
            if decoder.code[j] == 0 or head > best:
                best, likeliest = head, decoder.code[j]
            for f in range(j - decoder.code[j], j + 1):
                values[i, f] = likeliest
    return values
