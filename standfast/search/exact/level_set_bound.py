"""The bound of one box: levels mixed freely, members chosen from ellipsoids inside a level set.

Every model asked, and every relation of the schema, is a group of constraints. A constraint k says

    w_k·u + rest_k − radius_k √(u·S_k u + 2 p_k·u + s_k) ≥ 0

of the change u: the least score of an ellipsoid of models (radius 0: of one model). With a
multiplier λ_g ≥ 0 per group the box's cheapest mixture of levels is found input by input (the costs
convex in u and separate, the roots smooth). The multiplier of one group is sought between two ends,
where the group refuses and where it accepts; those of the others follow what their groups lack (an
augmented Lagrangian: without the square, multipliers moved one by one get stuck).

Wherever that ends, the models θ that like u least are members, so no point of the box that all
members accept costs less than, with prices μ = Σ_g λ_g θ_g,

    Σ_j min_l [cost_j(l) − μ_j u_j(l)] − Σ_g λ_g rest(θ_g)

over the box's levels l of each input j.
"""

import numpy as np

from standfast.compilation import kernel
from standfast.search.exact.hull import cheapest, hull
from standfast.search.exact.level_set_state import (
    CEILING,
    CHECKED,
    INCUMBENT,
    SUMS,
    TINY,
    Levels,
    Matrix,
    Numbers,
    Tree,
    Vector,
)

SWEEPS = 2
# a bound is good enough when it can rise by this, or by this share of what is open
NEAR, CLOSE = 1e-6, 0.02
# a multiplier grows (up to a most) or shrinks by this, then by more and more, until its group
# accepts or refuses
PACE, MOST = 1.2, 1e12
# the others' multipliers grow by so much (per unit of all costs) for what they lack
STIFF = 80.0


@kernel
def lean(tree: Tree, k: int, u: Vector, v: Vector) -> tuple[float, float]:
    """Constraint k at u: its slack and the root's square Q; S u + p is left in v."""
    slack, Q = tree.rest[k], 1.0
    F = len(u)
    for f in range(F):
        slack += tree.W[k, f] * u[f]
    if tree.radius[k] > 0.0:
        Q = tree.s[k]
        for f in range(F):
            total = 0.0
            for e in range(F):
                total += tree.S[k, f, e] * u[e]
            Q += u[f] * (total + 2.0 * tree.P[k, f])
            v[f] = total + tree.P[k, f]
        Q = max(Q, 1e-300)
        slack -= tree.radius[k] * np.sqrt(Q)
    return slack, Q


@kernel
def choose(
    tree: Tree, u: Vector, who: Numbers, slack: Vector, V: Matrix, Q: Vector, v: Vector
) -> None:
    """For every group the constraint that accepts u least, its slack, S u + p and Q."""
    slack[:] = np.inf
    for k in range(tree.numbers[SUMS]):
        g = tree.group[k]
        if g == CHECKED:
            continue
        here, square = lean(tree, k, u, v)
        if here < slack[g]:
            slack[g], who[g], Q[g] = here, k, square
            if tree.radius[k] > 0.0:
                V[g] = v


@kernel
def relax(tree: Tree, box: int, steps: int, price: Vector) -> float:
    """The best bound that so many steps find; where it is found is left in the box.

    `price` is μ at the best bound, and `tree.mixed` the mixture of levels that just accepts.
    """
    F, G = len(tree.counts), tree.lam.shape[1]
    low, high, costs = tree.low[box], tree.high[box], tree.costs
    lam, u = tree.lam[box].copy(), tree.at[box].copy()
    corners, sizes = np.empty(tree.z.shape, np.int32), np.empty(F, np.int32)
    edge, place = np.empty(F, np.int32), np.empty(F, np.int32)
    for f in range(F):
        sizes[f] = hull(tree.z[f], tree.c[f], low[f], high[f], corners[f])
        u[f] = min(max(u[f], tree.z[f, low[f]]), tree.z[f, high[f]])
        e = 0
        while e + 2 < sizes[f] and tree.z[f, corners[f, e + 1]] <= u[f]:
            e += 1
        edge[f], place[f] = e, e
    who, slack, Q = np.zeros(G, np.int64), np.empty(G), np.ones(G)
    V, v, mu = np.zeros((G, F)), np.empty(F), np.empty(F)
    # below and above the right multiplier of group g: the multiplier, u, the slack and the bound
    ends, ways = np.array([-1.0, np.inf]), np.empty((2, F))
    slacks, values = np.empty(2), np.empty(2)
    pace, best, stiff = PACE, -np.inf, STIFF * costs[CEILING]
    tree.mixed[:] = u
    choose(tree, u, who, slack, V, Q, v)
    g = leading(lam, slack)
    for _ in range(steps):
        for _ in range(SWEEPS):
            sweep(tree, u, lam, g, stiff, who, slack, V, Q, corners, sizes, edge)
        choose(tree, u, who, slack, V, Q, v)
        for i in range(G):
            if i != g:
                lam[i] = max(0.0, lam[i] - stiff * slack[i])
        bound, reach = priced(tree, low, high, u, lam, who, V, Q, corners, sizes, place, mu)
        if reach < -1e-9 * (1.0 + abs(bound)):  # a mixture of the members accepts nothing here
            tree.lam[box], tree.at[box] = lam, u
            return np.inf
        if bound > best:
            best = bound
            price[:], tree.lam[box], tree.at[box] = mu, lam, u
        if best >= min(costs[INCUMBENT] - TINY, costs[CEILING]):
            break
        settled = True  # the other groups
        for i in range(G):
            settled = settled and (i == g or max(-slack[i], min(slack[i], lam[i])) < 1e-3)
        if settled and abs(slack[g]) < 1e-9:
            tree.mixed[:] = u
            break
        side = 0 if slack[g] < 0.0 else 1
        ends[side], ways[side], slacks[side], values[side] = lam[g], u, slack[g], bound
        if ends[0] >= 0.0 and ends[1] < np.inf:  # where the tangents of the concave bound meet
            fall = slacks[1] - slacks[0]
            meet = slacks[1] * ends[1] - slacks[0] * ends[0] + values[1] - values[0]
            top = values[0] - slacks[0] * (meet / fall - ends[0])
            tree.mixed[:] = (slacks[1] * ways[0] - slacks[0] * ways[1]) / fall
            if settled and top - best < NEAR + CLOSE * max(min(costs[INCUMBENT], 1e3) - best, 0.0):
                break
            margin = 0.1 * (ends[1] - ends[0])
            lam[g] = min(max(meet / fall, ends[0] + margin), ends[1] - margin)
            continue
        tree.mixed[:] = u
        if side == 1:  # accepts so far
            if settled and ends[1] == 0.0:
                break
            lam[g] = lam[g] / pace if lam[g] > 1e-6 and pace < 30.0 else 0.0
        else:
            lam[g] = lam[g] * pace if lam[g] > 0.0 else first(tree, who[g])
        if lam[g] > MOST:
            break
        pace *= PACE
    return best


@kernel
def leading(lam: Vector, slack: Vector) -> int:
    """The group that costs most, or refuses most: its multiplier is sought, the others follow."""
    g = 0
    for i in range(1, len(lam)):
        if lam[i] > lam[g] or (lam[i] == lam[g] and slack[i] < slack[g]):
            g = i
    return g


@kernel
def first(tree: Tree, k: int) -> float:
    """The multiplier at which the first input starts to pay."""
    least = np.inf
    for f in range(len(tree.counts)):
        for l in range(tree.counts[f]):  # noqa: E741 a level
            gain = tree.W[k, f] * tree.z[f, l]
            if gain > 0.0:
                least = min(least, tree.c[f, l] / gain)
    return 1.5 * least if 0.0 < least < np.inf else 1.0


@kernel
def sweep(
    tree: Tree,
    u: Vector,
    lam: Vector,
    main: int,
    stiff: float,
    who: Numbers,
    slack: Vector,
    V: Matrix,
    Q: Vector,
    corners: Levels,
    sizes: Levels,
    edge: Levels,
) -> None:
    """One Newton step per input towards the least Σ cost − Σ_g λ_g slack_g, along the hulls."""
    F, G = len(u), len(lam)
    for f in range(F):
        if sizes[f] == 1:
            continue
        slope, bend = 0.0, 0.0
        for g in range(G):
            weight = lam[g] if g == main else max(0.0, lam[g] - stiff * slack[g])
            if weight > 0.0:
                k = who[g]
                gain = tree.W[k, f]
                if tree.radius[k] > 0.0:
                    pull, straight = tree.radius[k] / np.sqrt(Q[g]), tree.S[k, f, f]
                    gain -= pull * V[g, f]
                    bend += weight * pull * max(straight - V[g, f] ** 2 / Q[g], 0.1 * straight)
                slope -= weight * gain
                if g != main:
                    bend += stiff * gain * gain
        e, to = edge[f], u[f]
        came = 0
        while True:
            a, b = corners[f, e], corners[f, e + 1]
            left, right = tree.z[f, a], tree.z[f, b]
            push = slope + (tree.c[f, b] - tree.c[f, a]) / (right - left)
            to = (
                u[f] - push / bend if bend > 1e-300 else (left - 1.0 if push > 0.0 else right + 1.0)
            )
            if to > right and e + 2 < sizes[f] and came >= 0:
                e, came = e + 1, 1
            elif to < left and e > 0 and came <= 0:
                e, came = e - 1, -1
            else:
                break
        edge[f] = e
        to = min(max(to, left), right)
        step = to - u[f]
        if step == 0.0:
            continue
        u[f] = to
        for g in range(G):
            k = who[g]
            slack[g] += tree.W[k, f] * step
            if tree.radius[k] > 0.0:
                root = np.sqrt(Q[g])
                Q[g] = max(Q[g] + step * (2.0 * V[g, f] + tree.S[k, f, f] * step), 1e-300)
                slack[g] -= tree.radius[k] * (np.sqrt(Q[g]) - root)
                for i in range(F):
                    V[g, i] += tree.S[k, f, i] * step


@kernel
def priced(
    tree: Tree,
    low: Levels,
    high: Levels,
    u: Vector,
    lam: Vector,
    who: Numbers,
    V: Matrix,
    Q: Vector,
    corners: Levels,
    sizes: Levels,
    place: Levels,
    mu: Vector,
) -> tuple[float, float]:
    """The bound at the members that like u least, and how far the box can please their mixture."""
    F = len(u)
    mu[:] = 0.0
    rest = 0.0
    for g in range(len(lam)):
        if lam[g] > 0.0:
            k = who[g]
            rest += lam[g] * tree.rest[k]
            for f in range(F):
                mu[f] += lam[g] * tree.W[k, f]
            if tree.radius[k] > 0.0:
                pull = lam[g] * tree.radius[k] / np.sqrt(Q[g])
                still = tree.s[k]
                for f in range(F):
                    still += tree.P[k, f] * u[f]
                    mu[f] -= pull * V[g, f]
                rest -= pull * still
    bound, reach = -rest, rest
    for f in range(F):
        place[f] = cheapest(mu[f], tree.z[f], tree.c[f], corners[f], sizes[f], place[f])
        level = corners[f, place[f]]
        bound += tree.c[f, level] - mu[f] * tree.z[f, level]
        reach += mu[f] * (tree.z[f, high[f]] if mu[f] > 0.0 else tree.z[f, low[f]])
    return bound, reach
