"""Best-first branch and bound on boxes of lattice levels: the cheapest point all models accept."""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import kernel
from standfast.search.bounding import bound_of_sum, bound_of_trees
from standfast.search.branching import chosen_split, depart, forbidden, vote_of_sum, vote_of_trees
from standfast.search.desk import (
    TINY,
    Desk,
    cost_of,
    drop_unaffordable,
    follow,
    look_up,
    nearest_point,
    slack_at,
    sum_at,
)
from standfast.search.frontier import (
    INCUMBENT,
    LOWER,
    OPEN,
    SEEN,
    STORED,
    UNUSED,
    Frontier,
    keep,
    unfold,
)
from standfast.search.heap import pop
from standfast.search.lattice import Lattice
from standfast.search.person import Leaves, Levels, narrow, take_up
from standfast.search.price import Vector
from standfast.search.program import Forest

DEEPEST = 200  # boxes in one dive

# ways to leave the kernel
PAUSED, PROVEN, FULL = 0, 1, 2


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
