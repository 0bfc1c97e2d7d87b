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

from standfast.compilation import inner, kernel
from standfast.search.exact.hull import cheapest, hull
from standfast.search.exact.level_set_state import (
    CEILING,
    CHECKED,
    INCUMBENT,
    SUMS,
    TINY,
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


@inner
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


@inner
def copied(to: Vector, values: Vector) -> None:
    """Numba would compile its error messages along with an assignment of whole arrays."""
    for i in range(len(to)):
        to[i] = values[i]


@inner
def choose(tree: Tree) -> None:
    """For every group the constraint that accepts u least, its slack, S u + p and Q."""
    now = tree.relaxation
    now.slack[:] = np.inf
    for k in range(tree.numbers[SUMS]):
        g = tree.group[k]
        if g == CHECKED:
            continue
        here, square = lean(tree, k, now.u, now.v)
        if here < now.slack[g]:
            now.slack[g], now.who[g], now.Q[g] = here, k, square
            if tree.radius[k] > 0.0:
                copied(now.V[g], now.v)


@inner
def begin(tree: Tree, box: int) -> None:
    """Start from what the box was left with: multipliers, and the change on its hulls."""
    now, low, high = tree.relaxation, tree.low[box], tree.high[box]
    copied(now.lam, tree.lam[box])
    now.V[:], now.Q[:] = 0.0, 1.0
    for f in range(len(tree.counts)):
        now.sizes[f] = hull(tree.z[f], tree.c[f], low[f], high[f], now.corners[f])
        now.u[f] = min(max(tree.at[box, f], tree.z[f, low[f]]), tree.z[f, high[f]])
        e = 0
        while e + 2 < now.sizes[f] and tree.z[f, now.corners[f, e + 1]] <= now.u[f]:
            e += 1
        now.edge[f], now.place[f] = e, e
    copied(tree.mixed, now.u)
    choose(tree)


@kernel
def relax(tree: Tree, box: int, steps: int) -> float:
    """The best bound that so many steps find; where it is found is left in the box.

    `tree.price` is μ at the best bound, and `tree.mixed` the mixture of levels that just accepts.
    """
    now, costs = tree.relaxation, tree.costs
    lam, u, slack, G = now.lam, now.u, now.slack, len(now.lam)
    begin(tree, box)
    g = leading(lam, slack)
    # below and above the right multiplier of group g: the multiplier, the slack and the bound
    ends, slacks, values = np.array([-1.0, np.inf]), np.empty(2), np.empty(2)
    pace, best, stiff = PACE, -np.inf, STIFF * costs[CEILING]
    for _ in range(steps):
        for _ in range(SWEEPS):
            sweep(tree, g, stiff)
        choose(tree)
        for i in range(G):
            if i != g:
                lam[i] = max(0.0, lam[i] - stiff * slack[i])
        bound, reach = priced(tree, box)
        if reach < -1e-9 * (1.0 + abs(bound)):  # a mixture of the members accepts nothing here
            copied(tree.lam[box], lam)
            copied(tree.at[box], u)
            return np.inf
        if bound > best:
            best = bound
            copied(tree.price, now.mu)
            copied(tree.lam[box], lam)
            copied(tree.at[box], u)
        if best >= min(costs[INCUMBENT] - TINY, costs[CEILING]):
            break
        settled = True  # the other groups
        for i in range(G):
            settled = settled and (i == g or max(-slack[i], min(slack[i], lam[i])) < 1e-3)
        if settled and abs(slack[g]) < 1e-9:
            copied(tree.mixed, u)
            break
        side = 0 if slack[g] < 0.0 else 1
        ends[side], slacks[side], values[side] = lam[g], slack[g], bound
        copied(now.ways[side], u)
        if ends[0] >= 0.0 and ends[1] < np.inf:  # where the tangents of the concave bound meet
            fall = slacks[1] - slacks[0]
            meet = slacks[1] * ends[1] - slacks[0] * ends[0] + values[1] - values[0]
            top = values[0] - slacks[0] * (meet / fall - ends[0])
            for f in range(len(u)):
                between = slacks[1] * now.ways[0, f] - slacks[0] * now.ways[1, f]
                tree.mixed[f] = between / fall
            if settled and top - best < NEAR + CLOSE * max(min(costs[INCUMBENT], 1e3) - best, 0.0):
                break
            margin = 0.1 * (ends[1] - ends[0])
            lam[g] = min(max(meet / fall, ends[0] + margin), ends[1] - margin)
            continue
        copied(tree.mixed, u)
        if side == 1:  # accepts so far
            if settled and ends[1] == 0.0:
                break
            lam[g] = lam[g] / pace if lam[g] > 1e-6 and pace < 30.0 else 0.0
        else:
            lam[g] = lam[g] * pace if lam[g] > 0.0 else first(tree, now.who[g])
        if lam[g] > MOST:
            break
        pace *= PACE
    return best


@inner
def leading(lam: Vector, slack: Vector) -> int:
    """The group that costs most, or refuses most: its multiplier is sought, the others follow."""
    g = 0
    for i in range(1, len(lam)):
        if lam[i] > lam[g] or (lam[i] == lam[g] and slack[i] < slack[g]):
            g = i
    return g


@inner
def first(tree: Tree, k: int) -> float:
    """The multiplier at which the first input starts to pay."""
    least = np.inf
    for f in range(len(tree.counts)):
        for l in range(tree.counts[f]):  # noqa: E741 a level
            gain = tree.W[k, f] * tree.z[f, l]
            if gain > 0.0:
                least = min(least, tree.c[f, l] / gain)
    return 1.5 * least if 0.0 < least < np.inf else 1.0


@inner
def sweep(tree: Tree, main: int, stiff: float) -> None:
    """One Newton step per input towards the least Σ cost − Σ_g λ_g slack_g, along the hulls."""
    now = tree.relaxation
    u, lam, who, slack, V, Q = now.u, now.lam, now.who, now.slack, now.V, now.Q
    corners, sizes, edge = now.corners, now.sizes, now.edge
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


@inner
def priced(tree: Tree, box: int) -> tuple[float, float]:
    """The bound at the members that like u least, and how far their mixture rises in the box."""
    now, low, high = tree.relaxation, tree.low[box], tree.high[box]
    u, lam, who, V, Q, mu = now.u, now.lam, now.who, now.V, now.Q, now.mu
    corners, sizes, place = now.corners, now.sizes, now.place
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
