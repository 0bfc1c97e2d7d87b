"""Best-first branch and bound on boxes of lattice levels: the cheapest point all models accept."""

import numpy as np

from standfast.compilation import kernel
from standfast.search.bounding import bound_of_sum, bound_of_trees
from standfast.search.branching import chosen_split, depart, forbidden
from standfast.search.case import Case
from standfast.search.desk import (
    TINY,
    Desk,
    cost_of,
    drop_unaffordable,
    follow,
    look_up,
    narrowed,
    put,
    slack_at,
    sum_at,
)
from standfast.search.frontier import (
    GAINS,
    INCUMBENT,
    LACKS,
    LOWER,
    OPEN,
    OPENED,
    SEEN,
    STORED,
    UNUSED,
    WALKED,
    WIDE_INPUT,
    WIDE_LEVEL,
    Frontier,
    keep,
    unfold,
)
from standfast.search.heap import pop
from standfast.search.local_search import next_walk, truly_accepted, walk
from standfast.search.person import Levels, take_up
from standfast.search.price import CHANGE, Vector
from standfast.search.relations import settle
from standfast.search.votes import clear_votes, vote_of_sum, vote_of_trees

DEEPEST = 200  # boxes in one dive, cuts of one box

# a dive every so many boxes: for a first answer, for a better one, for a first one beside walks
FIRST, LATER, RARE = 2, 16, 64
# how dives weigh what a cut costs: each finds other answers
GREED = (0.3, 0.03, 1.0, 0.1, 10.0)

# ways to leave the kernel
PAUSED, PROVEN, FULL, REFINE = 0, 1, 2, 3

# a level is refined at once if that may mend this share of what a sum lacks
WORTH = 0.1


@kernel
def begin(case: Case, models: int) -> None:
    """Open the search for the person at hand: one box with everything.

    The first so many models are taken up, and the relations.
    """
    forest, needs, row = case.forest, case.needs, case.row
    levels, leaves, frontier, desk = case.levels, case.leaves, case.frontier, case.desk
    frontier.numbers[:] = 0
    frontier.numbers[WIDE_INPUT] = -1
    frontier.costs[INCUMBENT], frontier.costs[LOWER] = np.inf, 0.0
    leaves.sizes[:] = 0
    leaves.model_tree[:] = -1
    free = 0
    for j in range(len(desk.lo)):
        desk.lo[j], desk.hi[j] = 0, levels.counts[j] - 1
        put(j, levels.start[j], levels, desk)
        if levels.counts[j] > 1:
            desk.free[free] = j
            free += 1
    desk.free[-1] = free
    for m in range(len(row)):
        if m < models or m >= len(row) - case.relations:
            if row[m] >= 0:
                leaves.model_tree[m] = 0
            else:
                take_up(m, forest, levels, leaves)
                look_up(m, needs[m], forest, leaves, desk)
    keep(frontier, leaves, desk, 0.0, 0)


@kernel
def explore(case: Case, boxes: int, opening: int = 0) -> int:
    """Look at up to `boxes` more boxes; PAUSED if some are open still, else PROVEN.

    FULL asks for more room, REFINE for a level to be cut into narrower ones.

    With `opening` the search begins here, the first so many models taken up.

    Only models taken up bound and branch. A point they all accept is shown to the others; those
    that refuse it, the two worst, are taken up, and the search goes on: what fewer models ruled out
    stays ruled out, so the tree is never started anew.
    """
    forest, levels, leaves = case.forest, case.levels, case.leaves
    frontier, desk = case.frontier, case.desk
    numbers, costs = frontier.numbers, frontier.costs
    dived = False
    if opening > 0:
        begin(case, opening)
    stop = numbers[SEEN] + boxes
    while numbers[OPEN] > 0:
        if frontier.keys[0] >= costs[INCUMBENT] - TINY:
            break
        costs[LOWER] = max(costs[LOWER], frontier.keys[0])
        due = next_walk(numbers[WALKED], len(forest.roots))
        if numbers[SEEN] >= due and len(case.sets) == 0:
            walk(case, numbers[WALKED])
            numbers[WALKED] += 1
            if not np.isfinite(costs[INCUMBENT]):  # who still refuses may be why there is none
                take_up_worst(case)
            continue
        if numbers[SEEN] >= stop:
            return PAUSED
        if numbers[STORED] + DEEPEST + 3 >= len(frontier.low):
            return FULL
        greed = 0.0
        if not dived and time_to_dive(frontier):
            greed = GREED[(numbers[OPENED] // LATER) % len(GREED)]
            box = start_of_dive(frontier)
        else:
            numbers[OPENED] += 1
            _, box, numbers[OPEN] = pop(frontier.keys, frontier.boxes, numbers[OPEN])
            frontier.unused[numbers[UNUSED]] = box
            numbers[UNUSED] += 1
        dived = greed > 0.0
        unfold(box, forest, levels, leaves, frontier, desk, case.needs, case.row)
        look(case, greed)
        if numbers[WIDE_INPUT] >= 0:
            return REFINE
    costs[LOWER] = costs[INCUMBENT]
    return PROVEN


@kernel
def time_to_dive(frontier: Frontier) -> bool:
    """Whether a dive is due; once there are walks, they find better answers than dives do."""
    numbers, answered = frontier.numbers, np.isfinite(frontier.costs[INCUMBENT])
    if numbers[WALKED] > 0:
        return not answered and numbers[OPENED] % RARE == 0
    again = LATER if answered else FIRST
    due: bool = numbers[OPENED] % again == 0
    return due


@kernel
def start_of_dive(frontier: Frontier) -> int:
    """For a first answer the cheapest box, for a better one a box nearer to its end.

    Those are in the heap's second half.
    """
    numbers = frontier.numbers
    later = numbers[OPEN] // 2 if np.isfinite(frontier.costs[INCUMBENT]) else 0
    box: int = frontier.boxes[later + (numbers[OPENED] * 7919) % max(later, 1)]
    return box


@kernel
def look(case: Case, greed: float) -> None:
    """Look at the box on the desk and cut far parts off, which are kept, until none is left.

    With greed it is a dive: from far part to far part until all models accept, for a first answer
    or a better one; nothing is kept.
    """
    levels, leaves, frontier, desk = case.levels, case.leaves, case.frontier, case.desk
    numbers, costs = frontier.numbers, frontier.costs
    k, last, moved = -1.0, 0, True
    for cuts in range(DEEPEST):
        numbers[SEEN] += 1
        if case.relations > 0 and not settle(case):
            break
        cost = cost_of(desk, levels, case.maximal)
        if moved or cost > k:
            k, moved = cost, True
            clear_votes(levels, desk)
            departing = forbidden(case.sets, case.nested, levels, desk)
            if k >= costs[INCUMBENT] - TINY or departing == -2 or (departing >= 0 and greed > 0.0):
                break
            if judged(case):
                if departing >= 0:
                    depart(departing, case.sets, levels, leaves, desk, frontier, k)
                else:
                    costs[INCUMBENT] = k
                    frontier.best[:] = desk.p
                break
            drop_unaffordable(desk, levels, k, costs[INCUMBENT], case.maximal)
        j, level, floor = wished_cut(case, k, greed)
        floor = rounded(floor, case)
        if floor >= costs[INCUMBENT] - TINY:
            numbers[WIDE_INPUT] = -1
            break
        if j < 0:
            if numbers[WIDE_INPUT] >= 0 and greed == 0.0:  # it comes back when the level is refined
                keep(frontier, leaves, desk, max(k, floor), last)
            break
        lo, hi, p = desk.lo[j], desk.hi[j], desk.p[j]
        if greed > 0.0:
            far_part(j, level, levels, desk)
            follow(j, case.forest, leaves, desk, case.row, leaves.sizes[0])
            clear_votes(levels, desk)
        else:
            others = frontier.keys[0] if numbers[OPEN] > 0 else np.inf
            if floor > others or cuts + 1 == DEEPEST:  # it is not this box's turn any more
                keep(frontier, leaves, desk, max(k, floor), last)
                break
            far_part(j, level, levels, desk)
            far = cost_of(desk, levels, case.maximal)
            if far < costs[INCUMBENT] - TINY:
                keep(frontier, leaves, desk, max(far, floor), j)
            put(j, p, levels, desk)  # the near part keeps p: it is looked at without further ado
            desk.lo[j], desk.hi[j] = (lo, level - 1) if p < level else (level, hi)
            moved = False
        narrowed(j, leaves, desk, leaves.sizes[0])
        last = j
    clear_votes(levels, desk)


@kernel
def far_part(j: int, level: int, levels: Levels, desk: Desk) -> None:
    """Cut the box before `level` and take the part without p, which moves to its border."""
    if desk.p[j] < level:
        desk.lo[j] = level
        put(j, level, levels, desk)
    else:
        desk.hi[j] = level - 1
        put(j, level - 1, levels, desk)


@kernel
def judged(case: Case) -> bool:
    """Whether every model accepts p; of the models not taken up, the two worst refusals are."""
    forest, needs, row = case.forest, case.needs, case.row
    levels, leaves, desk = case.levels, case.leaves, case.desk
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
    take_up_worst(case)
    return accepted and truly_accepted(case)


@kernel
def take_up_worst(case: Case) -> None:
    """Take up the two models that refuse most, of those not taken up yet."""
    forest, needs, row = case.forest, case.needs, case.row
    levels, leaves, desk = case.levels, case.leaves, case.desk
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


@kernel
def wished_cut(case: Case, k: float, greed: float) -> tuple[int, int, float]:
    """Where to cut the box, and the least cost of what the sums may accept in it.

    The input is −1 if some model accepts no point of the box that can be paid for, or if a level
    must be refined first. Models that refuse p vote; trees keep the votes they have cast while p
    stays where it is.
    """
    forest, needs, row = case.forest, case.needs, case.row
    levels, leaves, desk = case.levels, case.leaves, case.desk
    budget, floor = case.frontier.costs[INCUMBENT] - k, k
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or desk.slack[m] > 0.0:
            continue  # it accepts p, which is in the box
        if row[m] >= 0:
            bound, mended = bound_of_sum(row[m], needs[m], levels, desk, k, budget, case.maximal)
            floor = max(floor, mended)
        else:
            bound = bound_of_trees(m, needs[m], forest, leaves, levels, desk, budget, case.maximal)
        if bound <= 0.0:
            return -1, -1, floor
        desk.bound[m] = bound
    if widest_gain(case, WORTH):
        return -1, -1, floor
    for m in range(len(needs)):
        if leaves.model_tree[m] < 0 or desk.slack[m] > 0.0:
            continue
        # the nearer a model is to impossible, the more its wishes count
        if row[m] >= 0:
            vote_of_sum(row[m], desk.slack[m], 1.0 / desk.bound[m], levels, desk)
        elif desk.weight[m] == 0.0:
            desk.weight[m] = 1.0 / desk.bound[m]
            vote_of_trees(m, forest, leaves, desk)
    j, level = chosen_split(levels, desk, budget, greed)
    for m in range(len(needs)):  # a sum votes anew each time
        if leaves.model_tree[m] >= 0 and desk.slack[m] <= 0.0 and row[m] >= 0:
            vote_of_sum(row[m], desk.slack[m], -1.0 / desk.bound[m], levels, desk)
    if j < 0 and not widest_gain(case, 0.0):
        j, level = any_split(case)
    return j, level, floor


@kernel
def any_split(case: Case) -> tuple[int, int]:
    """Some split of a box whose p is refused for the rounding of 32 bits alone; (−1, −1) else."""
    desk, rounded = case.desk, False
    for m in range(len(case.needs)):
        if case.leaves.model_tree[m] >= 0 and desk.slack[m] <= 0.0:
            return -1, -1
        rounded = rounded or case.single.marked[m]
    if rounded:
        for j in desk.free[: desk.free[-1]]:
            if desk.p[j] < desk.hi[j]:
                return j, desk.p[j] + 1
            if desk.lo[j] < desk.p[j]:
                return j, desk.p[j]
    return -1, -1


@kernel
def widest_gain(case: Case, worth: float) -> bool:
    """Whether a sum that refuses p could gain much from another value of p's own levels.

    The input, level and model that promise most are noted for the search to be refined there.
    """
    levels, desk, frontier = case.levels, case.desk, case.frontier
    best = worth
    for m in range(len(case.needs)):
        row = case.row[m]
        if case.leaves.model_tree[m] < 0 or row < 0 or desk.slack[m] > 0.0:
            continue
        for j in desk.free[: desk.free[-1]]:
            p = desk.p[j]
            if levels.wide[j, p]:
                gain = levels.most[row, j, p] - levels.contribution[row, j, p]
                share = min(gain / max(-desk.slack[m], 1e-300), 1.0)
                if share > best:
                    best = share
                    frontier.numbers[WIDE_INPUT], frontier.numbers[WIDE_LEVEL] = j, p
                    frontier.numbers[GAINS], frontier.costs[LACKS] = m, -desk.slack[m]
    wanted: bool = frontier.numbers[WIDE_INPUT] >= 0
    return wanted


@kernel
def rounded(floor: float, case: Case) -> float:
    """A lower bound raised to what the cost can be: a multiple of its grain, and p's changes."""
    if case.grain == 0.0 or not np.isfinite(floor):
        return floor
    levels, desk = case.levels, case.desk
    changes = 0
    for j in desk.free[: desk.free[-1]]:
        changes += desk.p[j] != levels.start[j]
    grains = np.ceil((floor - len(desk.p) * CHANGE) / case.grain - 1e-6)
    if case.maximal:
        changes = 0
    raised: float = max(floor, grains * case.grain + changes * CHANGE)
    return raised


@kernel
def reach(case: Case) -> Vector:
    """The most that each model's slack can be anywhere in the person's reach."""
    levels, leaves, desk = case.levels, case.leaves, case.desk
    most = np.empty(len(case.needs))
    for m in range(len(most)):
        need, row = case.needs[m], case.row[m]
        if row >= 0:
            most[m] = bound_of_sum(row, need, levels, desk, 0.0, np.inf, False)[0]
        else:
            most[m] = bound_of_trees(m, need, case.forest, leaves, levels, desk, np.inf, False)
    return most
