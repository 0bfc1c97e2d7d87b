"""Branch and bound under level sets: boxes bounded by `relax`, shrunk by prices, split in two."""

import numpy as np

from standfast.compilation import inner, kernel, zeros
from standfast.search.exact.driver import FULL, PAUSED, PROVEN
from standfast.search.exact.heap import pop, push
from standfast.search.exact.level_set_bound import copied, lean, relax
from standfast.search.exact.level_set_state import (
    CEILING,
    FOUND,
    INCUMBENT,
    LOWER,
    OPEN,
    PENDING,
    REFINED,
    SEEN,
    STORED,
    SUMS,
    TINY,
    Matrix,
    Numbers,
    Relaxation,
    Tree,
    Vector,
)

# what the kernel may ask for, besides what the driver knows
CANDIDATE, REFINE = 3, 4
# steps for the first box and for every other, and how often the first box asks for better members
FIRST, LATER, REFINEMENTS = 60, 12, 2
# what being between two levels counts for a split, next to being below their real cost
BETWEEN = 0.3
# constraints and boxes there is room for at first
ROWS, ROOM = 64, 1024


def no_tree(counts: Numbers, z: Matrix, c: Matrix, groups: int) -> Tree:
    """Nothing searched yet: changes and costs by input and level, so many groups of constraints."""
    F, widest = z.shape
    sizes = {"F": F, "widest": widest, "groups": groups, "rows": ROWS, "room": ROOM}
    most = sum(c[f, :n].max() for f, n in enumerate(counts))
    costs = np.array([np.inf, 0.0, np.inf, most + 1.0])
    relaxation = zeros(Relaxation, sizes)
    return zeros(Tree, sizes, counts=counts, z=z, c=c, costs=costs, relaxation=relaxation)


@kernel
def explore(tree: Tree, budget: int) -> int:
    """Look at up to `budget` boxes.

    CANDIDATE when a cheaper point satisfies all constraints so far; REFINE when the members that
    accept `tree.mixed` least are wanted.
    """
    numbers, costs = tree.numbers, tree.costs
    price = tree.price
    # room for `rounded`: only kernels can ask for memory
    F, K = len(tree.counts), numbers[SUMS]
    V, Q, sums = np.empty((K, F)), np.empty(K), np.empty(K)
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
        own = relax(tree, box, FIRST if box == 0 else LATER)
        bound = max(own, key)
        if bound >= min(costs[INCUMBENT] - TINY, costs[CEILING]):
            continue
        if box == 0 and numbers[REFINED] < REFINEMENTS:
            numbers[REFINED] += 1
            numbers[OPEN] = push(tree.keys, tree.boxes, numbers[OPEN], bound, box)
            return REFINE
        shrink(tree, box, own)
        rounded(tree, box, V, Q, sums)
        if numbers[PENDING] == 1:  # the box waits for the judgement
            numbers[OPEN] = push(tree.keys, tree.boxes, numbers[OPEN], bound, box)
            numbers[PENDING] = 0
            return CANDIDATE
        j, cut = split(tree, box)
        if j < 0:
            continue  # a single point, which some member refuses
        for side in range(2):
            child = numbers[STORED]
            numbers[STORED] += 1
            for f in range(len(tree.counts)):
                tree.low[child, f], tree.high[child, f] = tree.low[box, f], tree.high[box, f]
            copied(tree.lam[child], tree.lam[box])
            copied(tree.at[child], tree.at[box])
            if side == 0:
                tree.high[child, j] = cut
            else:
                tree.low[child, j] = cut + 1
            key = max(bound, own + extra(tree, box, child, j, price[j]))
            if key < costs[INCUMBENT] - TINY:
                numbers[OPEN] = push(tree.keys, tree.boxes, numbers[OPEN], key, child)
    costs[LOWER] = costs[INCUMBENT]
    return PROVEN


@inner
def least(tree: Tree, f: int, low: int, high: int, price: float) -> float:
    """The least cost − μ u of input f between two levels."""
    best = np.inf
    for l in range(low, high + 1):  # noqa: E741 a level
        best = min(best, tree.c[f, l] - price * tree.z[f, l])
    return best


@inner
def extra(tree: Tree, box: int, child: int, f: int, price: float) -> float:
    """How much the child's levels of input f add to the bound at the same prices."""
    whole = least(tree, f, tree.low[box, f], tree.high[box, f], price)
    return least(tree, f, tree.low[child, f], tree.high[child, f], price) - whole


@inner
def shrink(tree: Tree, box: int, bound: float) -> None:
    """Take off levels at the ends that alone lift the bound to the best known cost."""
    price = tree.price
    most = tree.costs[INCUMBENT] - TINY - bound
    if most == np.inf:
        return
    for f in range(len(tree.counts)):
        low, high = tree.low[box, f], tree.high[box, f]
        most_here = most + least(tree, f, low, high, price[f])
        while low < high and tree.c[f, low] - price[f] * tree.z[f, low] >= most_here:
            low += 1
        while low < high and tree.c[f, high] - price[f] * tree.z[f, high] >= most_here:
            high -= 1
        tree.low[box, f], tree.high[box, f] = low, high


@inner
def rounded(tree: Tree, box: int, V: Matrix, Q: Vector, sums: Vector) -> None:
    """Round the mixture to levels that the prices like better; if all accept, note the point."""
    K, F = V.shape
    level, u, price = tree.level, tree.relaxation.u, tree.price
    for f in range(F):
        l = tree.low[box, f]  # noqa: E741 a level
        near = 1e-7 * (tree.z[f, tree.counts[f] - 1] - tree.z[f, 0])
        while l < tree.high[box, f] and tree.z[f, l + 1] <= tree.mixed[f] + near:
            l += 1  # noqa: E741
        if price[f] > 0.0 and l < tree.high[box, f] and tree.z[f, l] < tree.mixed[f] - near:
            l += 1  # noqa: E741
        level[f], u[f] = l, tree.z[f, l]
    for k in range(K):
        for f in range(F):
            V[k, f] = 0.0
        slack, Q[k] = lean(tree, k, u, V[k])
        if slack <= 0.0:
            return
        sums[k] = slack + tree.radius[k] * np.sqrt(Q[k])
    note(tree, V, Q, sums)


@inner
def note(tree: Tree, V: Matrix, Q: Vector, sums: Vector) -> None:
    """Keep an accepted point, after taking back what it need not pay."""
    F, K, at = len(tree.counts), tree.numbers[SUMS], tree.level
    while True:
        gain, input_, to, strict = TINY, -1, 0, 0
        for f in range(F):
            for l in range(tree.counts[f]):  # noqa: E741 a level
                saved = tree.c[f, at[f]] - tree.c[f, l]
                if saved <= gain:
                    continue
                step, fine = tree.z[f, l] - tree.z[f, at[f]], True
                for i in range(K):
                    k = (strict + i) % K  # who refused last is asked first
                    Qk = Q[k] + step * (2.0 * V[k, f] + tree.S[k, f, f] * step)
                    slack = sums[k] + tree.W[k, f] * step
                    if slack - tree.radius[k] * np.sqrt(max(Qk, 0.0)) <= TINY:
                        fine, strict = False, k
                        break
                if fine:
                    gain, input_, to = saved, f, l
        if input_ < 0:
            break
        step = tree.z[input_, to] - tree.z[input_, at[input_]]
        for k in range(K):
            sums[k] += tree.W[k, input_] * step
            Q[k] += step * (2.0 * V[k, input_] + tree.S[k, input_, input_] * step)
            for f in range(F):
                V[k, f] += tree.S[k, input_, f] * step
        at[input_] = to
    cost = 0.0
    for f in range(F):
        cost += tree.c[f, at[f]]
    if cost < tree.costs[FOUND] - TINY:
        tree.costs[FOUND], tree.numbers[PENDING] = cost, 1
        for f in range(F):
            tree.found[f] = at[f]


@inner
def split(tree: Tree, box: int) -> tuple[int, int]:
    """The input whose mixture of levels has the largest rebate, and the last level below it.

    The rebate is how much more the nearest levels really cost than the bound believes.

    −1 if the box is a single point.
    """
    best, input_, cut, price = -1.0, -1, 0, tree.price
    for f in range(len(tree.counts)):
        low, high = tree.low[box, f], tree.high[box, f]
        if low >= high:
            continue
        l = low  # noqa: E741 a level
        while l + 1 < high and tree.z[f, l + 1] <= tree.mixed[f]:
            l += 1  # noqa: E741
        a, b = tree.z[f, l], tree.z[f, l + 1]
        share = min(max((tree.mixed[f] - a) / (b - a), 0.0), 1.0)
        real = (1.0 - share) * tree.c[f, l] + share * tree.c[f, l + 1]
        off = real - price[f] * tree.mixed[f] - least(tree, f, low, high, price[f])
        off += BETWEEN * min(share, 1.0 - share) * abs(tree.c[f, l + 1] - tree.c[f, l])
        off += 1e-9 * (tree.c[f, high] + tree.c[f, low])
        if input_ < 0 or off > best:
            best, input_, cut = off, f, l
    return input_, cut
