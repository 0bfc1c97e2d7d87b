"""Random candidates in shells around people, drawn and projected onto the schema in one kernel."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.schema.choosing import count_options, flat_price, is_gap, option_at
from standfast.schema.grid import Reach
from standfast.schema.options import Options
from standfast.schema.projection import (
    any_number_will_do,
    most_broken,
    nearest,
    nearest_number,
    repair,
)
from standfast.search.sampling.distance import LENGTH_PER_PRICE

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Streams = NDArray[np.uint64]
Inputs = NDArray[np.intp]

# splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, so a person's stream is just a number
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

# Equally likely values of a standard normal, finer than any rounding of a candidate: one random
# word picks five of them, ten times faster than computing logarithms and cosines.
BITS, PER_WORD = 12, 5
NORMALS = np.array([NormalDist().inv_cdf((i + 0.5) / 2**BITS) for i in range(2**BITS)])
PICK = np.uint64(2**BITS - 1)

# draws for one person that are moved along one input after the other
DRAWS = 128


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

    Distances are over the `free` inputs: numbers divided by their `scale`, and a fixed length for
    every change of category and every gap that is filled in. usual[j] are values that people have,
    equally likely, from which gaps of input j are filled.
    """

    free: NDArray[np.intp]
    scale: Vector
    inner: Vector
    outer: Vector
    best: Vector
    usual: Matrix = np.empty((0, 0))


@kernel
def draw_shells(
    streams: Streams, turn: int, count: int, shells: Shells, reach: Reach
) -> tuple[Matrix, NDArray[np.intp], Vector]:
    """Admissible candidates nearer than each person's best: the points, whose they are, how far.

    Each person gets `count` draws. Direction and radius are uniform: the direction over the free
    inputs, the radius in [inner, outer]. (Laugel et al. draw it by volume, which in a thin ring is
    the same and in a ball leaves the inside empty.) Categories and gaps change first, see `leap`;
    what is left of the radius goes to the numbers, or, in every other draw with such a change,
    nothing does. Distances are taken after projection.
    """
    own, free, scale = reach.own, shells.free, shells.scale
    low, high, step, power = reach.low, reach.high, reach.rules.step, reach.rules.power
    n, d = own.shape
    k, laws = len(free), reach.b.shape[1] > 0
    plain = np.empty(k, np.bool_)
    batch = Batch(np.empty((k, DRAWS)), np.empty((k, DRAWS)), np.empty((k, DRAWS)), np.empty(DRAWS))
    points = np.empty((n * count, d))
    owner = np.empty(n * count, dtype=np.intp)
    distance = np.empty(n * count)
    direction, ways, leaps = np.empty(k), np.empty(k, np.intp), np.empty(k, np.intp)
    target = np.empty(d)
    m = 0
    for i in range(n):
        state = mixed(streams[i] + np.uint64(turn) * GOLDEN)
        moving, leaping = sort_inputs(i, free, reach, ways, leaps)
        simple = leaping == 0
        for f in range(moving):
            plain[f] = any_number_will_do(i, ways[f], reach)
            simple = simple and plain[f]
        left = count
        while simple and left > 0:  # numbers alone: input by input, a batch of draws at a time
            draws = min(left, DRAWS)
            left -= draws
            state = aim(state, draws, moving, shells.inner[i], shells.outer[i], batch)
            for f in range(moving):
                move(i, ways[f], f, draws, scale[ways[f]], reach, batch)
            for c in range(draws):
                point = points[m]
                for j in range(d):
                    point[j] = own[i, j]
                for f in range(moving):
                    point[ways[f]] = batch.point[f, c]
                if laws and most_broken(point, reach.b[i], reach.rules)[0] >= 0:
                    for j in range(d):
                        target[j] = own[i, j]
                    for f in range(moving):
                        target[ways[f]] = batch.target[f, c]
                    repair(point, target, i, reach)
                squared = 0.0
                for f in range(moving):
                    squared += ((point[ways[f]] - own[i, ways[f]]) / scale[ways[f]]) ** 2
                if 0.0 < squared < shells.best[i] ** 2:
                    owner[m], distance[m] = i, np.sqrt(squared)
                    m += 1
        for _ in range(left):
            state, length = draw_direction(state, direction[:moving])
            state += GOLDEN
            radius = shells.inner[i]
            radius += uniform(mixed(state)) * (shells.outer[i] - shells.inner[i])
            point = points[m]
            for j in range(d):
                target[j], point[j] = own[i, j], own[i, j]
            if leaping > 0:
                state, leapt = leap(state, i, leaps[:leaping], moving, target, shells, reach)
                radius = np.sqrt(max(radius * radius - leapt, 0.0))
                state += GOLDEN
                if leapt > 0.0 and mixed(state) & np.uint64(1) == np.uint64(1):
                    radius = 0.0
                for f in range(leaping):
                    point[leaps[f]] = nearest(target[leaps[f]], i, leaps[f], reach)
            for f in range(moving):
                j = ways[f]
                target[j] = own[i, j] + radius / length * direction[f] * scale[j]
                if plain[f]:
                    point[j] = nearest_number(
                        target[j], own[i, j], low[i, j], high[i, j], step[j], power[j]
                    )
                else:
                    point[j] = nearest(target[j], i, j, reach)
            if laws:
                repair(point, target, i, reach)
            squared = 0.0
            for f in range(moving):
                squared += ((point[ways[f]] - own[i, ways[f]]) / scale[ways[f]]) ** 2
            for f in range(leaping):
                j = leaps[f]
                if point[j] != own[i, j]:
                    squared += leap_length(own[i, j], point[j], j, reach.rules.options) ** 2
            if 0.0 < squared < shells.best[i] ** 2:
                owner[m], distance[m] = i, np.sqrt(squared)
                m += 1
    return points[:m], owner[:m], distance[:m]


class Batch(NamedTuple):
    """Draws for one person, input by draw: direction, where it leads to, and the projection.

    `stretch` is what a direction is multiplied with: the radius over its length.
    """

    direction: Matrix
    target: Matrix
    point: Matrix
    stretch: Vector


@inner
def aim(
    state: np.uint64, draws: int, inputs: int, inner: float, outer: float, batch: Batch
) -> np.uint64:
    """Draw directions and radii, as `draw_direction` does: the generator's next state."""
    for c in range(draws):
        length, word = 0.0, np.uint64(0)
        for f in range(inputs):
            if f % PER_WORD == 0:
                state += GOLDEN
                word = mixed(state)
            batch.direction[f, c] = NORMALS[word & PICK]
            word >>= np.uint64(BITS)
            length += batch.direction[f, c] ** 2
        state += GOLDEN
        radius = inner
        radius += uniform(mixed(state)) * (outer - inner)
        batch.stretch[c] = radius / np.sqrt(length)
    return state


@inner
def move(i: int, j: int, f: int, draws: int, scale: float, reach: Reach, batch: Batch) -> None:
    """Follow all directions along input j, the f-th that moves, to person i's admissible values."""
    own, low, high = reach.own[i, j], reach.low[i, j], reach.high[i, j]
    step, power, stretch = reach.rules.step[j], reach.rules.power[j], batch.stretch
    direction, target, point = batch.direction[f], batch.target[f], batch.point[f]
    for c in range(draws):
        target[c] = own + stretch[c] * direction[c] * scale
        point[c] = nearest_number(target[c], own, low, high, step, power)


@inner
def sort_inputs(i: int, free: Inputs, reach: Reach, ways: Inputs, leaps: Inputs) -> tuple[int, int]:
    """Person i's inputs that move along a number line, and those that leap: how many of each.

    A nominal leaps, and a gap that may be filled in; one that may not be does neither.
    """
    options, moving, leaping = reach.rules.options, 0, 0
    for f in range(len(free)):
        j = free[f]
        gap = is_gap(reach.own[i, j], j, options)
        if options.categories[j] == 0 and not gap:
            ways[moving] = j
            moving += 1
        elif reach.low[i, j] <= reach.high[i, j] and choices(i, j, reach) > 0:
            leaps[leaping] = j
            leaping += 1
    return moving, leaping


@inner
def choices(i: int, j: int, reach: Reach) -> int:
    """Between how many categories person i's input j may choose; 1 for a gap among numbers."""
    if reach.rules.options.categories[j] == 0:
        return 1
    home = reach.home[i, j]
    return count_options(home, j, reach.rules.options) + (1 if home != reach.own[i, j] else 0)


@inner
def leap_length(own: float, to: float, j: int, options: Options) -> float:
    """How far a change of category goes, or filling in a gap; NaN along a number line."""
    price = flat_price(own, to, j, options)
    return LENGTH_PER_PRICE * (options.change[j] if price == np.inf else price)


@inner
def leap(
    state: np.uint64,
    i: int,
    leaps: Inputs,
    moving: int,
    target: Vector,
    shells: Shells,
    reach: Reach,
) -> tuple[np.uint64, float]:
    """Change some categories and fill in some gaps, into `target`: the state, the squared length.

    In random order each of person i's inputs draws one of its categories (or, for a gap among
    numbers, a usual value), all equally likely, and goes there unless that leads out of the shell:
    with a probability of (r / length)² / k for k inputs and the outer radius r, which is what a
    number's share of a random direction is, and at most so that all categories are equally likely.
    """
    options, total, most = reach.rules.options, 0.0, shells.outer[i] ** 2
    for f in range(len(leaps)):
        state += GOLDEN
        left = np.uint64(len(leaps) - f)
        other = f + int(mixed(state) % left)
        leaps[f], leaps[other] = leaps[other], leaps[f]
        j, count = leaps[f], choices(i, leaps[f], reach)
        home, own = reach.home[i, j], reach.own[i, j]
        state += GOLDEN
        word = mixed(state)
        if options.categories[j] == 0:
            to = shells.usual[j, int(word % np.uint64(shells.usual.shape[1]))]
        else:
            pick = int(word % np.uint64(count))
            to = home
            if pick < count_options(home, j, options):
                to = option_at(home, j, pick, options)
        if to == own:
            continue
        squared = leap_length(own, to, j, options) ** 2
        state += GOLDEN
        likely = min(most / squared / (moving + len(leaps)), count / (count + 1.0))
        if total + squared <= most * (1.0 + 1e-12) and uniform(mixed(state)) <= likely:
            target[j] = to
            total += squared
    return state, total
