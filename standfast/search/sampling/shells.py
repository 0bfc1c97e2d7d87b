"""Random candidates in shells around people, drawn and projected onto the schema in one kernel."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.schema.grid import Reach
from standfast.schema.projection import nearest, repair

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Streams = NDArray[np.uint64]

# splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, so a person's stream is just a number
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

# Equally likely values of a standard normal, finer than any rounding of a candidate: one random
# word picks five of them, ten times faster than computing logarithms and cosines.
BITS, PER_WORD = 12, 5
NORMALS = np.array([NormalDist().inv_cdf((i + 0.5) / 2**BITS) for i in range(2**BITS)])
PICK = np.uint64(2**BITS - 1)


@inner
def mixed(state: np.uint64) -> np.uint64:
    """The random 64-bit word that belongs to a state."""
    z = (state ^ (state >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@inner
def uniform(word: np.uint64) -> float:
    """A number in (0, 1] from a random word."""
    return (float(word >> np.uint64(11)) + 1.0) * (1.0 / 9007199254740992.0)


@inner
def draw_direction(state: np.uint64, direction: Vector) -> tuple[np.uint64, float]:
    """A normal draw in every coordinate: the generator's next state, and the draw's length."""
    length, word = 0.0, np.uint64(0)
    for f in range(len(direction)):
        if f % PER_WORD == 0:
            state += GOLDEN
            word = mixed(state)
        direction[f] = NORMALS[word & PICK]
        word >>= np.uint64(BITS)
        length += direction[f] ** 2
    return state, np.sqrt(length)


class Shells(NamedTuple):
    """The shell around each person: from `inner` to `outer`, nearer than their `best` so far.

    Distances are over the `free` inputs, each divided by its `scale`.
    """

    free: NDArray[np.intp]
    scale: Vector
    inner: Vector
    outer: Vector
    best: Vector


@kernel
def draw_shells(
    streams: Streams, turn: int, count: int, shells: Shells, reach: Reach
) -> tuple[Matrix, NDArray[np.intp], Vector]:
    """Admissible candidates nearer than each person's best: the points, whose they are, how far.

    Each person gets `count` draws. Direction and radius are uniform: the direction over the free
    inputs, the radius in [inner, outer]. (Laugel et al. draw it by volume, which in a thin ring is
    the same and in a ball leaves the inside empty.) Distances are taken after projection.
    """
    own, free, scale = reach.own, shells.free, shells.scale
    n, d = own.shape
    k = len(free)
    points = np.empty((n * count, d))
    owner = np.empty(n * count, dtype=np.intp)
    distance = np.empty(n * count)
    direction = np.empty(k)
    target = np.empty(d)
    m = 0
    for i in range(n):
        state = mixed(streams[i] + np.uint64(turn) * GOLDEN)
        for j in range(d):
            target[j] = own[i, j]
        for _ in range(count):
            state, length = draw_direction(state, direction)
            state += GOLDEN
            radius = shells.inner[i]
            radius += uniform(mixed(state)) * (shells.outer[i] - shells.inner[i])
            point = points[m]
            for j in range(d):
                point[j] = own[i, j]
            for f in range(k):
                j = free[f]
                target[j] = own[i, j] + radius / length * direction[f] * scale[j]
                point[j] = nearest(target[j], i, j, reach)
            repair(point, target, i, reach)
            squared = 0.0
            for f in range(k):
                squared += ((point[free[f]] - own[i, free[f]]) / scale[free[f]]) ** 2
            if 0.0 < squared < shells.best[i] ** 2:
                owner[m], distance[m] = i, np.sqrt(squared)
                m += 1
    return points[:m], owner[:m], distance[:m]
