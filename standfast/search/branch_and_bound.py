"""Best-first branch and bound on boxes of lattice levels: the cheapest point all models accept."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.heap import pop, push
from standfast.search.lattice import Lattice
from standfast.search.person import Leaves, Levels, narrow, take_up
from standfast.search.price import Matrix, Vector
from standfast.search.program import REFUSED, Forest

TINY = 1e-12
DEEPEST = 200  # boxes in one dive

# ways to leave the kernel
PAUSED, PROVEN, FULL = 0, 1, 2


class Frontier(NamedTuple):
    """The open boxes and the best point so far; everything a paused search goes on from.

    Box i spans levels `low[i]` to `high[i]`. What was found out about the box it was cut from comes
    along, so that only what changed is looked at again: of its first `trees[i]` trees the leaf its
    nearest point lies in (`here`) and the best leaf in reach (`want`), counted within the tree, and
    each model's `slack`; `moved[i]` is the input in which its nearest point has moved since, or −1.
    `numbers`: boxes stored, open, looked at, unused. `costs`: incumbent's cost, lower bound.
    """

    low: NDArray[np.signedinteger[Any]]
    high: NDArray[np.signedinteger[Any]]
    here: NDArray[np.signedinteger[Any]]
    want: NDArray[np.signedinteger[Any]]
    slack: Matrix
    trees: NDArray[np.int32]
    moved: NDArray[np.int16]
    keys: Vector
    boxes: NDArray[np.int32]
    unused: NDArray[np.int32]
    numbers: NDArray[np.int64]
    costs: Vector
    best: NDArray[np.int32]


STORED, OPEN, SEEN, UNUSED = 0, 1, 2, 3
INCUMBENT, LOWER = 0, 1


class Desk(NamedTuple):
    """Scratch space of the kernel, allocated once per person."""

    free: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    p: NDArray[np.int32]
    cell: NDArray[np.int32]
    slack: Vector
    bound: Vector
    here: NDArray[np.int32]
    want: NDArray[np.int32]
    votes: Matrix
    gain: Vector
    rate: Vector


@kernel
def cost_of(desk: Desk, levels: Levels, maximal: bool) -> float:
    """Σ_j cost_j(p_j), or max_j."""
    total = 0.0
    for j in desk.free[: desk.free[-1]]:
        c = levels.cost[j, desk.p[j]]
        total = max(total, c) if maximal else total + c
    return total


@kernel
def nearest_point(desk: Desk, levels: Levels) -> None:
    """p = clamp(x): the box's point nearest to the person, and the cells it lies in."""
    for j in desk.free[: desk.free[-1]]:
        desk.p[j] = min(max(levels.start[j], desk.lo[j]), desk.hi[j])
        desk.cell[j] = levels.cell[j, desk.p[j]]


@kernel
def drop_unaffordable(
    desk: Desk, levels: Levels, k: float, incumbent: float, maximal: bool
) -> None:
    """What cannot be paid for leaves the box."""
    for j in desk.free[: desk.free[-1]]:
        room = incumbent if maximal else incumbent - k + levels.cost[j, desk.p[j]]
        while desk.lo[j] < desk.p[j] and levels.cost[j, desk.lo[j]] >= room:
            desk.lo[j] += 1
        while desk.hi[j] > desk.p[j] and levels.cost[j, desk.hi[j]] >= room:
            desk.hi[j] -= 1


@kernel
def sum_at(row: int, levels: Levels, desk: Desk) -> float:
    """A weighted sum at p."""
    total = 0.0
    for j in range(len(desk.p)):
        total += levels.contribution[row, j, desk.p[j]]
    return total


@kernel
def leaf_at(t: int, forest: Forest, desk: Desk) -> int:
    """The leaf, as a node of the forest, in which p lies."""
    node: int = forest.roots[t]
    while forest.left[node] != node:
        right = desk.cell[forest.feature[node]] > forest.cut[node]
        node = forest.left[node] + (1 if right else 0)
    return node


@kernel
def slack_at(m: int, row: int, need: float, forest: Forest, levels: Levels, desk: Desk) -> float:
    """How far model m's sum at p exceeds what it needs."""
    if row >= 0:
        return sum_at(row, levels, desk) - need
    total: float = -need
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        total += forest.value[leaf_at(t, forest, desk)]
    return total


@kernel
def look_up(m: int, need: float, forest: Forest, leaves: Leaves, desk: Desk) -> None:
    """Note every leaf of model m in which p lies, its slack, and that any leaf may be the best."""
    desk.slack[m] = -need
    for t in range(forest.model_start[m], forest.model_start[m + 1]):
        at = leaves.model_tree[m] + t - forest.model_start[m]
        desk.here[at] = leaves.place[leaf_at(t, forest, desk)]
        desk.want[at] = leaves.start[at]
        desk.slack[m] += leaves.value[desk.here[at]]


@kernel
def follow(
    j: int, forest: Forest, leaves: Leaves, desk: Desk, row: NDArray[np.int32], trees: int
) -> None:
    """p has moved in input j: look again at the trees that read it, of those known so far."""
    for m in range(len(row)):
        first = leaves.model_tree[m]
        if row[m] >= 0 or first < 0 or first >= trees:
            continue
        for t in range(forest.model_start[m], forest.model_start[m + 1]):
            if forest.reads[t, j]:
                at = first + t - forest.model_start[m]
                leaf = leaves.place[leaf_at(t, forest, desk)]
                desk.slack[m] += leaves.value[leaf] - leaves.value[desk.here[at]]
                desk.here[at] = leaf


@kernel
def best_affordable_leaf(
    t: int, leaves: Leaves, levels: Levels, desk: Desk, budget: float, maximal: bool
) -> int:
    """The tree's best leaf that meets the box and to which p can be moved within the budget.

    Leaves before the one found for a larger box are out of reach here, too.
    """
    for leaf in range(desk.want[t], leaves.start[t + 1]):
        spent, met = 0.0, True
        for c in range(leaves.condition_start[leaf], leaves.condition_start[leaf + 1]):
            j = leaves.input[c]
            p = desk.p[j]
            if leaves.low[c] <= p <= leaves.high[c]:
                continue
            if leaves.low[c] > p:
                to = leaves.low[c]
                met = to <= desk.hi[j]
            else:
                to = leaves.high[c]
                met = to >= desk.lo[j]
            if not met:
                break
            if not maximal:  # for the maximal shift the box holds affordable levels only
                spent += levels.cost[j, to] - levels.cost[j, p]
                if spent >= budget:
                    met = False
                    break
        if met:
            return leaf
    return -1


@kernel
def bound_of_trees(
    m: int,
    need: float,
    forest: Forest,
    leaves: Leaves,
    levels: Levels,
    desk: Desk,
    budget: float,
    maximal: bool,
) -> float:
    """The most that model m's slack can be in the box; ends early once it cannot be positive."""
    first = leaves.model_tree[m]
    trees = forest.model_start[m + 1] - forest.model_start[m]
    ahead: float = -need
    for t in range(first, first + trees):
        ahead += leaves.value[desk.want[t]]
    for t in range(first, first + trees):
        if ahead <= 0.0:
            return ahead
        leaf = best_affordable_leaf(t, leaves, levels, desk, budget, maximal)
        if leaf < 0:
            return -1e300
        ahead += leaves.value[leaf] - leaves.value[desk.want[t]]
        desk.want[t] = leaf
    return ahead


@kernel
def vote_of_trees(
    m: int, weight: float, forest: Forest, leaves: Leaves, levels: Levels, desk: Desk
) -> None:
    """Votes for the splits that the best leaves ask for and p does not satisfy, by their gain."""
    first = leaves.model_tree[m]
    for t in range(first, first + forest.model_start[m + 1] - forest.model_start[m]):
        gain = leaves.value[desk.want[t]] - leaves.value[desk.here[t]]
        if gain <= 0.0:
            continue
        leaf = desk.want[t]
        for c in range(leaves.condition_start[leaf], leaves.condition_start[leaf + 1]):
            j = leaves.input[c]
            if desk.p[j] < leaves.low[c]:
                desk.votes[j, leaves.low[c]] += gain * weight
            elif desk.p[j] > leaves.high[c]:
                desk.votes[j, leaves.high[c] + 1] += gain * weight


@kernel
def bound_of_sum(
    row: int, need: float, levels: Levels, desk: Desk, budget: float, maximal: bool
) -> float:
    """The most that a weighted sum's slack can be in the box, its inputs sharing the budget.

    Input j gains at most `gain[j]`, and at most `rate[j]` per cost: the fractional knapsack. An
    input whose value is refused outright must move anyway, which the bound gives for free.
    """
    shared = not maximal and np.isfinite(budget)
    total, left = -need, budget
    for j in range(len(desk.p)):
        here = levels.contribution[row, j, desk.p[j]]
        most, rate = here, 0.0
        for k in range(desk.lo[j], desk.hi[j] + 1):
            gain = levels.contribution[row, j, k] - here
            if gain > 0.0:
                most = max(most, levels.contribution[row, j, k])
                price = max(levels.cost[j, k] - levels.cost[j, desk.p[j]], TINY)
                rate = max(rate, gain / price)
        free = not shared or here <= 0.5 * REFUSED
        total += most if free else here
        desk.gain[j], desk.rate[j] = 0.0 if free else most - here, rate
    if not shared:
        return total
    for _ in range(desk.free[-1]):
        best = -1
        for j in desk.free[: desk.free[-1]]:
            if desk.gain[j] > 0.0 and (best < 0 or desk.rate[j] > desk.rate[best]):
                best = j
        if best < 0 or left <= 0.0:
            break
        share = min(1.0, left / (desk.gain[best] / desk.rate[best]))
        total += share * desk.gain[best]
        left -= desk.gain[best] / desk.rate[best]
        desk.gain[best] = 0.0
    return total


@kernel
def vote_of_sum(row: int, slack: float, weight: float, levels: Levels, desk: Desk) -> None:
    """A vote for the move with the largest gain per cost, just far enough to mend the sum."""
    best, best_level, best_rate, best_gain = -1, -1, 0.0, 0.0
    for j in desk.free[: desk.free[-1]]:
        here = levels.contribution[row, j, desk.p[j]]
        for k in range(desk.lo[j], desk.hi[j] + 1):
            gain = min(levels.contribution[row, j, k] - here, -slack + TINY)
            if gain > 0.0:
                rate = gain / max(levels.cost[j, k] - levels.cost[j, desk.p[j]], TINY)
                if rate > best_rate * (1.0 + 1e-9) or (
                    rate >= best_rate * (1.0 - 1e-9) and gain > best_gain
                ):
                    best, best_level, best_rate, best_gain = j, k, rate, gain
    if best >= 0:
        level = best_level if best_level > desk.p[best] else best_level + 1
        desk.votes[best, level] += best_gain * weight


@kernel
def merit(lost: float, cost: float, budget: float) -> float:
    """How much a split is worth: what the near child loses times what the far child must pay.

    Both children should be near their end: the product rule of mixed-integer solvers. The two
    constants were tuned on HELOC forests; far more than half the budget is no better than half.
    """
    spent = cost / budget if np.isfinite(budget) else cost
    return lost * min(spent + 0.03, 0.6)


@kernel
def chosen_split(levels: Levels, desk: Desk, budget: float) -> tuple[int, int]:
    """The split with the greatest merit, and a clean desk for the next count.

    The near child loses the votes for the level and for all levels beyond it.
    """
    best, level, most = -1, -1, 0.0
    for j in desk.free[: desk.free[-1]]:
        p, here, lost = desk.p[j], levels.cost[j, desk.p[j]], 0.0
        for k in range(desk.hi[j], p, -1):
            lost += desk.votes[j, k]
            if desk.votes[j, k] > 0.0:
                value = merit(lost, levels.cost[j, k] - here, budget)
                if value > most:
                    best, level, most = j, k, value
            desk.votes[j, k] = 0.0
        lost = 0.0
        for k in range(desk.lo[j] + 1, p + 1):
            lost += desk.votes[j, k]
            if desk.votes[j, k] > 0.0:
                value = merit(lost, levels.cost[j, k - 1] - here, budget)
                if value > most:
                    best, level, most = j, k, value
            desk.votes[j, k] = 0.0
    return best, level


@kernel
def keep(frontier: Frontier, leaves: Leaves, desk: Desk, key: float, moved: int) -> None:
    """Put the box on the desk into the heap, with what is known about it."""
    numbers = frontier.numbers
    if numbers[UNUSED] > 0:
        numbers[UNUSED] -= 1
        box = frontier.unused[numbers[UNUSED]]
    else:
        box = numbers[STORED]
        numbers[STORED] += 1
    for j in range(len(desk.lo)):
        frontier.low[box, j], frontier.high[box, j] = desk.lo[j], desk.hi[j]
    trees = leaves.sizes[0]
    for t in range(trees):
        frontier.here[box, t] = desk.here[t] - leaves.start[t]
        frontier.want[box, t] = desk.want[t] - leaves.start[t]
    for m in range(len(desk.slack)):
        frontier.slack[box, m] = desk.slack[m]
    frontier.trees[box], frontier.moved[box] = trees, moved
    numbers[OPEN] = push(frontier.keys, frontier.boxes, numbers[OPEN], key, box)


@kernel
def unfold(
    box: int,
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    frontier: Frontier,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
) -> None:
    """Put a stored box on the desk and bring what is known about it up to date."""
    for j in range(len(desk.lo)):
        desk.lo[j], desk.hi[j] = frontier.low[box, j], frontier.high[box, j]
    nearest_point(desk, levels)
    trees = frontier.trees[box]
    for t in range(trees):
        desk.here[t] = leaves.start[t] + frontier.here[box, t]
        desk.want[t] = leaves.start[t] + frontier.want[box, t]
    for m in range(len(row)):
        desk.slack[m] = frontier.slack[box, m]
    if frontier.moved[box] >= 0:
        follow(frontier.moved[box], forest, leaves, desk, row, trees)
    for m in range(len(row)):
        if row[m] < 0 and leaves.model_tree[m] >= trees:  # taken up since the box was stored
            look_up(m, needs[m], forest, leaves, desk)


@kernel
def forbidden(sets: NDArray[np.bool_], nested: bool, levels: Levels, desk: Desk) -> int:
    """−1 if p's changes are allowed beside earlier alternatives, −2 if no point of the box's are.

    Otherwise the number of the earlier set from which p's changes must yet depart. Every point of
    the box changes what p changes. `nested` forbids sets that contain one another, else equal ones.
    """
    for s in range(len(sets)):
        inside, covers = True, True
        for j in desk.free[: desk.free[-1]]:
            changed = desk.p[j] != levels.start[j]
            inside = inside and (sets[s, j] or not changed)
            covers = covers and (changed or not sets[s, j])
        if covers and nested:
            return -2
        if inside and (covers or nested):
            return s
    return -1


@kernel
def depart(
    s: int,
    sets: NDArray[np.bool_],
    levels: Levels,
    leaves: Leaves,
    desk: Desk,
    frontier: Frontier,
    key: float,
) -> None:
    """Split on an input outside set s: unchanged, raised or lowered; no input left, no box left."""
    for j in desk.free[: desk.free[-1]]:
        if sets[s, j] or desk.lo[j] == desk.hi[j]:
            continue
        lo, hi, x = desk.lo[j], desk.hi[j], levels.start[j]
        desk.lo[j], desk.hi[j] = x, x
        keep(frontier, leaves, desk, key, -1)
        if lo < x:
            desk.lo[j], desk.hi[j] = lo, x - 1
            keep(frontier, leaves, desk, key, j)
        if x < hi:
            desk.lo[j], desk.hi[j] = x + 1, hi
            keep(frontier, leaves, desk, key, j)
        return


@kernel
def explore(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    frontier: Frontier,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
    sets: NDArray[np.bool_],
    nested: bool,
    maximal: bool,
    boxes: int,
) -> int:
    """Look at up to `boxes` more boxes; PAUSED if some are open still, else PROVEN.

    Only models taken up bound and branch. A point they all accept is shown to the others; those
    that refuse it, the two worst, are taken up, and the search goes on: what fewer models ruled out
    stays ruled out, so the tree is never started anew.
    """
    numbers, costs = frontier.numbers, frontier.costs
    stop = numbers[SEEN] + boxes
    while numbers[OPEN] > 0:
        if frontier.keys[0] >= costs[INCUMBENT] - TINY:
            break
        costs[LOWER] = max(costs[LOWER], frontier.keys[0])
        if numbers[SEEN] >= stop:
            return PAUSED
        if numbers[STORED] + DEEPEST + 3 >= len(frontier.low):
            return FULL
        _, box, numbers[OPEN] = pop(frontier.keys, frontier.boxes, numbers[OPEN])
        unfold(box, forest, levels, leaves, frontier, desk, needs, row)
        frontier.unused[numbers[UNUSED]] = box
        numbers[UNUSED] += 1
        look(forest, levels, leaves, frontier, desk, needs, row, sets, nested, maximal)
    costs[LOWER] = costs[INCUMBENT]
    return PROVEN


@kernel
def look(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    frontier: Frontier,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
    sets: NDArray[np.bool_],
    nested: bool,
    maximal: bool,
) -> None:
    """Look at the box on the desk, then perhaps dive into its far child, and so on."""
    numbers, costs = frontier.numbers, frontier.costs
    dives = not np.isfinite(costs[INCUMBENT]) or numbers[SEEN] % 16 == 0
    for depth in range(DEEPEST):
        numbers[SEEN] += 1
        k = cost_of(desk, levels, maximal)
        if k >= costs[INCUMBENT] - TINY:
            return
        drop_unaffordable(desk, levels, k, costs[INCUMBENT], maximal)
        departing = forbidden(sets, nested, levels, desk)
        if departing == -2:
            return
        if judged(forest, levels, leaves, desk, needs, row):
            if departing >= 0:
                depart(departing, sets, levels, leaves, desk, frontier, k)
                return
            costs[INCUMBENT] = k
            frontier.best[:] = desk.p
            return
        budget = costs[INCUMBENT] - k
        if not promising(forest, levels, leaves, desk, needs, row, budget, maximal):
            return
        j, level = chosen_split(levels, desk, budget)
        if j < 0:
            return
        lo, hi = desk.lo[j], desk.hi[j]
        if desk.p[j] < level:  # the near child keeps p, the far one moves towards acceptance
            desk.hi[j] = level - 1
            keep(frontier, leaves, desk, k, -1)
            desk.lo[j], desk.hi[j] = level, hi
        else:
            desk.lo[j] = level
            keep(frontier, leaves, desk, k, -1)
            desk.lo[j], desk.hi[j] = lo, level - 1
        nearest_point(desk, levels)
        far = cost_of(desk, levels, maximal)
        if far >= costs[INCUMBENT] - TINY:
            return
        if not dives or depth + 1 == DEEPEST:
            keep(frontier, leaves, desk, far, j)
            return
        follow(j, forest, leaves, desk, row, leaves.sizes[0])


@kernel
def judged(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
) -> bool:
    """Whether every model accepts p; of the models not taken up, the two worst refusals are."""
    for m in range(len(needs)):
        if leaves.model_tree[m] >= 0 and row[m] >= 0:
            desk.slack[m] = sum_at(row[m], levels, desk) - needs[m]
    for m in range(len(needs)):
        if leaves.model_tree[m] >= 0 and desk.slack[m] <= 0.0:
            return False
    accepted = True
    for m in range(len(needs)):  # afresh: differences added up may be off in their last bits
        desk.slack[m] = slack_at(m, row[m], needs[m], forest, levels, desk)
        accepted = accepted and desk.slack[m] > 0.0
    for _ in range(2):
        worst = -1
        for m in range(len(needs)):
            refuses = leaves.model_tree[m] < 0 and desk.slack[m] <= 0.0
            if refuses and (worst < 0 or desk.slack[m] < desk.slack[worst]):
                worst = m
        if worst < 0:
            break
        if row[worst] >= 0:
            leaves.model_tree[worst] = 0
        else:
            take_up(worst, forest, levels, leaves)
            look_up(worst, needs[worst], forest, leaves, desk)
    return accepted


@kernel
def promising(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
    budget: float,
    maximal: bool,
) -> bool:
    """Whether every model may yet accept some point of the box; those that refuse p vote."""
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or desk.slack[m] > 0.0:
            continue  # it accepts p, which is in the box
        if row[m] >= 0:
            bound = bound_of_sum(row[m], needs[m], levels, desk, budget, maximal)
        else:
            bound = bound_of_trees(m, needs[m], forest, leaves, levels, desk, budget, maximal)
        if bound <= 0.0:
            return False
        desk.bound[m] = bound
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or desk.slack[m] > 0.0:
            continue
        # the nearer a model is to impossible, the more its wishes count
        weight = 1.0 / desk.bound[m]
        if row[m] >= 0:
            vote_of_sum(row[m], desk.slack[m], weight, levels, desk)
        else:
            vote_of_trees(m, weight, forest, leaves, levels, desk)
    return True


def no_boxes(lattice: Lattice, forest: Forest, models: int, room: int) -> tuple[Frontier, Desk]:
    """An empty frontier with room for so many boxes, and a desk."""
    d, trees = len(lattice.domain), len(forest.roots)
    leaves = int(np.diff(forest.leaf_start).max(initial=0))
    frontier = Frontier(
        np.empty((room, d), narrow(lattice.widest)),
        np.empty((room, d), narrow(lattice.widest)),
        np.empty((room, trees), narrow(leaves)),
        np.empty((room, trees), narrow(leaves)),
        np.empty((room, models)),
        np.empty(room, np.int32),
        np.empty(room, np.int16),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(4, np.int64),
        np.array([np.inf, 0.0]),
        np.full(d, -1, np.int32),
    )
    desk = Desk(
        np.zeros(d + 1, np.int32),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(models),
        np.zeros(models),
        np.zeros(trees, np.int32),
        np.zeros(trees, np.int32),
        np.zeros((d, lattice.widest + 1)),
        np.zeros(d),
        np.zeros(d),
    )
    return frontier, desk


@kernel
def begin(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    frontier: Frontier,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
    relations: int,
) -> None:
    """Open the search for the person at hand: one box with everything, the first model taken up."""
    frontier.numbers[:] = 0
    frontier.costs[INCUMBENT], frontier.costs[LOWER] = np.inf, 0.0
    leaves.sizes[:] = 0
    leaves.model_tree[:] = -1
    free = 0
    for j in range(len(desk.lo)):
        desk.lo[j], desk.hi[j] = 0, levels.counts[j] - 1
        desk.p[j], desk.cell[j] = levels.start[j], levels.cell[j, levels.start[j]]
        if levels.counts[j] > 1:
            desk.free[free] = j
            free += 1
    desk.free[-1] = free  # the last entry counts the inputs with more than one level
    for m in range(len(row)):
        if m == 0 or m >= len(row) - relations:
            if row[m] >= 0:
                leaves.model_tree[m] = 0
            else:
                take_up(m, forest, levels, leaves)
                look_up(m, needs[m], forest, leaves, desk)
    keep(frontier, leaves, desk, 0.0, -1)


@kernel
def reach(
    forest: Forest,
    levels: Levels,
    leaves: Leaves,
    desk: Desk,
    needs: Vector,
    row: NDArray[np.int32],
) -> Vector:
    """The most that each model's slack can be anywhere in the person's reach."""
    most = np.empty(len(needs))
    for m in range(len(needs)):
        if row[m] >= 0:
            most[m] = bound_of_sum(row[m], needs[m], levels, desk, np.inf, False)
        else:
            most[m] = bound_of_trees(m, needs[m], forest, leaves, levels, desk, np.inf, False)
    return most
