"""Random latent points in shells around people, decoded and projected in one kernel."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.autoencoder.kernels import middle_of, start_of_head
from standfast.autoencoder.likelihoods import BERNOULLI, CATEGORICAL, LOG_NORMAL, POISSON
from standfast.autoencoder.weights import Decoder
from standfast.compilation import inner, kernel
from standfast.schema.choosing import is_gap
from standfast.schema.grid import Reach
from standfast.schema.projection import any_number_will_do, nearest, nearest_number, repair
from standfast.search.sampling.shells import (
    GOLDEN,
    NORMALS,
    PICK,
    Matrix,
    Streams,
    draw_direction,
    mixed,
    uniform,
)

Indices = NDArray[np.int64]

# from this rate on a Poisson draw is a rounded normal one
MANY = 60.0


@inner
def drawn_count(rate: float, state: np.uint64) -> float:
    """A Poisson draw: its distribution function inverted, or a rounded normal for large rates."""
    if rate > MANY:
        return float(max(0.0, np.rint(rate + math.sqrt(rate) * NORMALS[mixed(state) & PICK])))
    left, x, mass = uniform(mixed(state)), 0.0, math.exp(-rate)
    while left > mass and x < 10.0 * MANY:
        left -= mass
        x += 1.0
        mass *= rate / x
    return x


@inner
def drawn_from(f: int, s: int, head: float, decoder: Decoder, state: np.uint64) -> float:
    """A value drawn from an input's likelihood: the noise of the published search."""
    kind = decoder.kind[f]
    if kind <= LOG_NORMAL:
        noisy = head + math.sqrt(decoder.variance[s, f]) * NORMALS[mixed(state) & PICK]
        return middle_of(f, noisy, decoder)
    if kind == POISSON:
        return drawn_count(math.exp(min(decoder.base[f] + head, decoder.cap[f])), state)
    # a logistic draw around the head: P(x ≤ r) = σ(edge − head)
    u = min(max(uniform(mixed(state)), 1e-12), 1.0 - 1e-12)
    noisy = head + math.log(u / (1.0 - u))
    if kind == BERNOULLI:
        return 1.0 if decoder.base[f] + noisy > 0.0 else 0.0
    return middle_of(f, noisy, decoder)


class Latent(NamedTuple):
    """Where people stand in the latent space, and how points are drawn around them.

    The posterior mean `latent` under a `component`, and what is `given`. `free` are the mutable
    inputs; where `sampled`, values are drawn from their likelihoods.
    """

    latent: Matrix
    component: Indices
    given: Matrix
    free: Indices
    sampled: bool


@kernel
def decode_shells(
    streams: Streams,
    turn: int,
    count: int,
    shell: tuple[float, float],
    people: Latent,
    decoder: Decoder,
    reach: Reach,
) -> tuple[Matrix, NDArray[np.intp]]:
    """Admissible points decoded from `count` latent draws per person, and whose they are.

    Direction and radius are uniform, the radius in [inner, outer] around the person's posterior
    mean; the very first draw of the first shell is that mean itself. The immutable inputs stay. A
    nominal gets the likeliest of the categories it may become or, where `sampled`, one drawn by
    their likelihoods. A gap that may be filled in is, in every other draw but the very first.
    Points at which nothing has changed are left out.
    """
    inner_radius, outer_radius = shell
    own, latent, free, loadings = reach.own, people.latent, people.free, decoder.loadings
    n, d = own.shape
    low, high, step, power = reach.low, reach.high, reach.rules.step, reach.rules.power
    Z, k, laws = latent.shape[1], len(free), reach.b.shape[1] > 0
    plain, gap = np.empty(k, np.bool_), np.empty(k, np.bool_)
    points = np.empty((n * count, d))
    owner = np.empty(n * count, dtype=np.intp)
    z, start, target = np.empty(Z), np.empty(k), np.empty(d)
    m = 0
    for i in range(n):
        state = mixed(streams[i] + np.uint64(turn) * GOLDEN)
        s = people.component[i]
        start_of_head(people.given[i], s, decoder.offset, decoder.conditions, start)
        for f in range(k):
            plain[f] = any_number_will_do(i, free[f], reach)
            gap[f] = is_gap(own[i, free[f]], free[f], reach.rules.options)
        for j in range(d):
            target[j] = own[i, j]
        for draw in range(count):
            state, length = draw_direction(state, z)
            state += GOLDEN
            radius = inner_radius + uniform(mixed(state)) * (outer_radius - inner_radius)
            if turn == 0 and draw == 0:
                radius = 0.0
            for f in range(Z):
                z[f] = latent[i, f] + radius / length * z[f]
            point, changed = points[m], False
            for j in range(d):
                point[j] = own[i, j]
            best, stays = -np.inf, False
            for f in range(k):
                j, head = free[f], start[f]
                if gap[f]:
                    if decoder.code[f] <= 0:  # once for each input
                        state += GOLDEN
                        stays = mixed(state) & np.uint64(1) == np.uint64(0)
                        stays = stays or (turn == 0 and draw == 0)
                        target[j] = own[i, j]
                    if stays:
                        continue
                for g in range(Z):
                    head += loadings[s, f, g] * z[g]
                if decoder.kind[f] == CATEGORICAL:
                    head += decoder.base[f]
                    if people.sampled:
                        state += GOLDEN
                        head -= math.log(-math.log(min(uniform(mixed(state)), 1.0 - 1e-12)))
                    if decoder.code[f] == 0:
                        best, target[j] = -np.inf, own[i, j]
                    code = float(decoder.code[f])
                    if head > best and nearest(code, i, j, reach) == code:
                        best, target[j], point[j] = head, code, code
                    continue
                if people.sampled:
                    state += GOLDEN
                    target[j] = drawn_from(f, s, head, decoder, state)
                else:
                    target[j] = middle_of(f, head, decoder)
                if plain[f]:
                    point[j] = nearest_number(
                        target[j], own[i, j], low[i, j], high[i, j], step[j], power[j]
                    )
                else:
                    point[j] = nearest(target[j], i, j, reach)
            if laws:
                repair(point, target, i, reach)
            for f in range(k):
                changed = changed or point[free[f]] != own[i, free[f]]
            if changed:
                owner[m] = i
                m += 1
    return points[:m], owner[:m]
