"""Branch and bound for many weighted sums at once: boxes bounded by multipliers of all sums.

Members of a convex level set are nearly parallel, and what binds is a mixture of them. The bound of
a box is Lagrange's: with a multiplier λ_k ≥ 0 for every sum k, no point of the box that all sums
accept costs less than

    Σ_j min_l [cost_j(l) − Σ_k λ_k w_kj z_j(l)] + Σ_k λ_k need_k

over the box's levels l of each input j: separable, so cheap, and improved by a few subgradients.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.methods.robust_hull import cheapest, hull
from standfast.search.heap import pop, push

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Levels = NDArray[np.int32]

PAUSED, PROVEN, FULL, CANDIDATE = 0, 1, 2, 3
OPEN, STORED, SEEN, SUMS, PENDING = 0, 1, 2, 3, 4
INCUMBENT, LOWER, FOUND, CEILING = 0, 1, 2, 3
TINY = 1e-12
# subgradient steps for the first box and for every other
FIRST, LATER = 400, 20
PATIENCE, SLOWER, DEFLECTION, MEMORY = 5, 0.6, 0.5, 0.15
# every so many steps so many sums that refuse most join
REFRESH, JOINING = 10, 2


class Tree(NamedTuple):
    """One person's search: levels by input, sums, open boxes, and the point to be judged.

    Input j has `counts[j]` levels with values `z` and costs `c`; `W` and `needs` hold the first
    `numbers[SUMS]` sums. Box b spans levels `low[b]` to `high[b]` and inherits multipliers
    `lam[b]`.
    """

    counts: NDArray[np.int64]
    z: Matrix
    c: Matrix
    W: Matrix
    needs: Vector
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    lam: Matrix
    keys: Vector
    boxes: NDArray[np.int32]
    numbers: NDArray[np.int64]
    costs: Vector
    best: Levels
    found: Levels


@kernel
def explore(tree: Tree, budget: int) -> int:
    """Look at up to `budget` boxes; CANDIDATE when a cheaper point pleases all sums so far."""
    numbers, costs = tree.numbers, tree.costs
    F = len(tree.counts)
    average = np.empty(F)
    least, most = np.empty(F, np.int32), np.empty(F, np.int32)
    lam = np.empty(tree.lam.shape[1])
    stop = numbers[SEEN] + budget
    while numbers[OPEN] > 0:
        if tree.keys[0] >= costs[INCUMBENT] - TINY:
            break
        costs[LOWER] = max(costs[LOWER], tree.keys[0])
        if numbers[SEEN] >= stop:
            return PAUSED
        if numbers[STORED] + 3 >= len(tree.low):
            return FULL
        key, box, numbers[OPEN] = pop(tree.keys, tree.boxes, numbers[OPEN])
        numbers[SEEN] += 1
        lam[:] = tree.lam[box]
        steps = FIRST if numbers[SEEN] == 1 else LATER
        bound = ascend(tree, box, lam, steps, average, least, most)
        bound = max(bound, key)
        tree.lam[box] = lam
        if numbers[PENDING] == 1:  # the box waits for the judgement
            numbers[OPEN] = push(tree.keys, tree.boxes, numbers[OPEN], bound, box)
            numbers[PENDING] = 0
            return CANDIDATE
        if bound >= min(costs[INCUMBENT] - TINY, costs[CEILING]):
            continue
        j, cut = split(tree, box, average, least, most)
        if j < 0:
            continue  # a single point, which some sum refuses
        for side in range(2):
            child = numbers[STORED]
            numbers[STORED] += 1
            tree.low[child], tree.high[child], tree.lam[child] = tree.low[box], tree.high[box], lam
            if side == 0:
                tree.high[child, j] = cut
            else:
                tree.low[child, j] = cut + 1
            numbers[OPEN] = push(tree.keys, tree.boxes, numbers[OPEN], bound, child)
    costs[LOWER] = costs[INCUMBENT]
    return PROVEN


@kernel
def ascend(
    tree: Tree,
    box: int,
    lam: Vector,
    steps: int,
    average: Vector,
    least: Levels,
    most: Levels,
) -> float:
    """The best bound of the box that so many steps find; its multipliers are left in `lam`.

    `average` is where the steps' points lie on average (close to the best mixture of levels),
    `least` and `most` their range over the second half. Only sums that matter take part: those
    with a multiplier, and from time to time those that refuse most. A point that pleases all sums
    and is cheaper than the best known is noted.
    """
    F, K = len(tree.counts), tree.numbers[SUMS]
    low, high, costs = tree.low[box], tree.high[box], tree.costs
    corners, sizes = np.empty(tree.z.shape, np.int32), np.empty(F, np.int32)
    place, level = np.empty(F, np.int32), np.empty(F, np.int32)
    for f in range(F):
        sizes[f] = hull(tree.z[f], tree.c[f], low[f], high[f], corners[f])
        place[f] = sizes[f] // 2
    active, A, taken = np.empty(K, np.int64), 0, np.zeros(K, np.bool_)
    V = np.empty((F, K))  # the weights of the sums that take part, side by side
    for k in range(K):
        if lam[k] > 0.0:
            A = take_part(k, A, active, taken, tree, V)
    x, top = np.zeros(K), np.zeros(K)  # multipliers of those that take part: here, at the best
    for a in range(A):
        x[a] = lam[active[a]]
        top[a] = x[a]
    g, way, mixed = np.zeros(K), np.zeros(K), np.empty(F)
    best, pace, failures, whole = -np.inf, 1.0, 0, np.empty(K)
    for step in range(steps):
        bound, cost = 0.0, 0.0
        for a in range(A):
            g[a] = tree.needs[active[a]]
            bound += x[a] * g[a]
        reach = -bound
        mixed[:] = 0.0
        for a in range(A):  # in this order both sums run over neighbours in memory
            weight, k = x[a], active[a]
            for f in range(F):
                mixed[f] += weight * tree.W[k, f]
        for f in range(F):
            w = mixed[f]
            at = cheapest(w, tree.z[f], tree.c[f], corners[f], sizes[f], place[f])
            place[f] = at
            level[f] = corners[f, at]
            value = tree.z[f, level[f]]
            bound += tree.c[f, level[f]] - w * value
            cost += tree.c[f, level[f]]
            reach += w * (tree.z[f, high[f]] if w > 0.0 else tree.z[f, low[f]])
            for a in range(A):
                g[a] -= V[f, a] * value
        if reach < -1e-9 * (1.0 + abs(bound)):  # a mixture of the sums accepts nothing in the box
            give_back(lam, x, active, A)
            return np.inf
        failures += bound <= best + 1e-4 * abs(best)
        if bound > best:
            best, top[:A] = bound, x[:A]
        if best >= min(costs[INCUMBENT] - TINY, costs[CEILING]):
            break
        pleased = True
        for a in range(A):
            pleased = pleased and g[a] < 0.0
        if step % REFRESH == 0 or (pleased and cost < costs[FOUND] - TINY):
            if refusals(tree, level, whole) and cost < costs[FOUND] - TINY:
                note(tree, level, whole)
            for _ in range(JOINING):
                worst = -1
                for k in range(K):
                    if not taken[k] and whole[k] >= 0.0 and (worst < 0 or whole[k] > whole[worst]):
                        worst = k
                if worst < 0:
                    break
                x[A], top[A], way[A], g[A] = 0.0, 0.0, 0.0, whole[worst]
                A = take_part(worst, A, active, taken, tree, V)
        for f in range(F):
            if step == 0:
                average[f] = tree.z[f, level[f]]
            average[f] += MEMORY * (tree.z[f, level[f]] - average[f])
            if step == 0 or step == steps // 2:
                least[f], most[f] = level[f], level[f]
            least[f], most[f] = min(least[f], level[f]), max(most[f], level[f])
        norm = 0.0
        for a in range(A):
            way[a] = g[a] + DEFLECTION * way[a]
            if x[a] <= 0.0 and way[a] < 0.0:
                way[a] = 0.0
            norm += way[a] * way[a]
        if norm < 1e-24:
            break
        if failures >= PATIENCE:
            pace, failures = pace * SLOWER, 0
            x[:A] = top[:A]
        target = min(costs[INCUMBENT], best + 0.05 * abs(best) + 0.01)
        size = pace * max(target - bound, 1e-9) / norm
        for a in range(A):
            x[a] = max(0.0, x[a] + size * way[a])
    give_back(lam, top, active, A)
    return best


@kernel
def give_back(lam: Vector, x: Vector, active: NDArray[np.int64], A: int) -> None:
    """Write the multipliers of the sums that took part; the others have none."""
    lam[:] = 0.0
    for a in range(A):
        lam[active[a]] = x[a]


@kernel
def take_part(
    k: int, A: int, active: NDArray[np.int64], taken: NDArray[np.bool_], tree: Tree, V: Matrix
) -> int:
    """Let sum k take part; gives how many do."""
    active[A], taken[k] = k, True
    for f in range(len(tree.counts)):
        V[f, A] = tree.W[k, f]
    return A + 1


@kernel
def refusals(tree: Tree, level: Levels, short: Vector) -> bool:
    """How much each sum falls short at a point; whether all accept it."""
    pleased = True
    for k in range(tree.numbers[SUMS]):
        total = tree.needs[k]
        for f in range(len(level)):
            total -= tree.W[k, f] * tree.z[f, level[f]]
        short[k] = total
        pleased = pleased and total < 0.0
    return pleased


@kernel
def note(tree: Tree, level: Levels, g: Vector) -> None:
    """Keep an accepted point, after taking back what it need not pay."""
    F, K = len(tree.counts), tree.numbers[SUMS]
    at, slack = level.copy(), -g
    while True:
        gain, input_, to = TINY, -1, 0
        for f in range(F):
            for l in range(tree.counts[f]):  # noqa: E741 a level
                saved = tree.c[f, at[f]] - tree.c[f, l]
                if saved <= gain:
                    continue
                fine = True
                for k in range(K):
                    if slack[k] + tree.W[k, f] * (tree.z[f, l] - tree.z[f, at[f]]) <= TINY:
                        fine = False
                        break
                if fine:
                    gain, input_, to = saved, f, l
        if input_ < 0:
            break
        for k in range(K):
            slack[k] += tree.W[k, input_] * (tree.z[input_, to] - tree.z[input_, at[input_]])
        at[input_] = to
    cost = 0.0
    for f in range(F):
        cost += tree.c[f, at[f]]
    if cost < tree.costs[FOUND] - TINY:
        tree.costs[FOUND], tree.numbers[PENDING] = cost, 1
        tree.found[:] = at


@kernel
def split(tree: Tree, box: int, average: Vector, least: Levels, most: Levels) -> tuple[int, int]:
    """The input whose levels the mixture mixes at the largest rebate, and the last level below.

    −1 if the box is a single point.
    """
    best, input_, cut = -1.0, -1, 0
    low, high = tree.low[box], tree.high[box]
    for f in range(len(tree.counts)):
        if low[f] >= high[f]:
            continue
        a, b = least[f], most[f]
        rebate = 0.0
        at = (low[f] + high[f]) // 2
        if a < b:
            at = a
            while at + 1 < b and tree.z[f, at + 1] <= average[f]:
                at += 1
            share = (average[f] - tree.z[f, a]) / (tree.z[f, b] - tree.z[f, a])
            share = min(max(share, 0.0), 1.0)
            mixed = (1.0 - share) * tree.c[f, a] + share * tree.c[f, b]
            real = min(tree.c[f, at], tree.c[f, at + 1])
            rebate = abs(real - mixed) + 1e-3 * abs(tree.c[f, b] - tree.c[f, a]) + 1e-6
        else:
            rebate = 1e-12 * (high[f] - low[f])
        if rebate > best:
            best, input_, cut = rebate, f, at
    return input_, cut
