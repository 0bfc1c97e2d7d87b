"""Best-first branch and bound on boxes of lattice levels: the cheapest point all models accept."""

import numpy as np

from standfast.compilation import inner, kernel
from standfast.search.exact.bounding import bound_of_sum, bound_of_trees
from standfast.search.exact.cutting import DEEPEST, look
from standfast.search.exact.driver import FULL, PAUSED, PROVEN
from standfast.search.exact.heap import pop
from standfast.search.exact.multipliers import measure
from standfast.search.exact.open_nodes import (
    INCUMBENT,
    LOWER,
    OPEN,
    OPENED,
    SEEN,
    STORED,
    UNUSED,
    WALKED,
    WIDE_INPUT,
    OpenNodes,
    keep,
    unfold,
)
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import (
    TINY,
    look_up,
    put,
)
from standfast.search.local.tabu import next_walk
from standfast.search.problem.levels import take_up
from standfast.search.problem.price import Vector

# a dive every so many boxes: for a first answer, for a better one, for a first one beside walks
FIRST, LATER, RARE = 2, 16, 64
# how dives weigh what a cut costs: each finds other answers
GREED = (0.3, 0.03, 1.0, 0.1, 10.0)

# ways to leave the kernel, besides the driver's
REFINE, WALK = 3, 4


@inner
def begin(state: SearchState, models: int) -> None:
    """Open the search for the person at hand: one box with everything.

    The first so many models are taken up, the hints and the relations. An answer that was found
    before stays the incumbent.
    """
    forest, needs, row = state.forest, state.needs, state.row
    levels, leaves, open_nodes, work = state.levels, state.leaves, state.open_nodes, state.work
    open_nodes.numbers[:] = 0
    open_nodes.numbers[WIDE_INPUT] = -1
    open_nodes.costs[LOWER] = 0.0
    leaves.sizes[:] = 0
    leaves.model_tree[:] = -1
    free = 0
    for j in range(len(work.lo)):
        work.lo[j], work.hi[j] = 0, levels.counts[j] - 1
        put(j, levels.start[j], levels, work)
        if levels.counts[j] > 1:
            work.free[free] = j
            free += 1
    work.free[-1] = free
    for m in range(len(row)):
        if m < models or m >= len(row) - state.relations - state.hints:
            if row[m] >= 0:
                leaves.model_tree[m] = 0
            else:
                take_up(m, forest, levels, leaves)
                look_up(m, needs[m], forest, leaves, work)
    if len(state.multipliers.slope) > 0:
        measure(state)
    nowhere: int = np.int64(0)  # type: ignore[assignment] # a literal would be compiled apart
    keep(open_nodes, leaves, work, 0.0, nowhere)


@kernel
def explore(state: SearchState, boxes: int, opening: int = 0) -> int:
    """Look at up to `boxes` more boxes; PAUSED if some are open still, else PROVEN.

    FULL asks for more room, REFINE for a level to be cut into narrower ones, WALK for a walk.

    With `opening` the search begins here, the first so many models taken up.

    Only models taken up bound and branch. A point they all accept is shown to the others; those
    that refuse it, the two worst, are taken up, and the search goes on: what fewer models ruled out
    stays ruled out, so the tree is never started anew.
    """
    forest, levels, leaves = state.forest, state.levels, state.leaves
    open_nodes, work = state.open_nodes, state.work
    numbers, costs = open_nodes.numbers, open_nodes.costs
    dived = False
    if opening > 0:
        begin(state, opening)
    stop = numbers[SEEN] + boxes
    while numbers[OPEN] > 0:
        if open_nodes.keys[0] >= costs[INCUMBENT] - TINY:
            break
        costs[LOWER] = max(costs[LOWER], open_nodes.keys[0])
        due = next_walk(numbers[WALKED], len(forest.nodes.roots))
        if numbers[SEEN] >= due and len(state.sets) == 0 and state.changes == len(work.p):
            return WALK
        if numbers[SEEN] >= stop:
            return PAUSED
        if numbers[STORED] + DEEPEST + 3 >= len(open_nodes.low):
            return FULL
        greed = 0.0
        if not dived and time_to_dive(open_nodes):
            greed = GREED[(numbers[OPENED] // LATER) % len(GREED)]
            box = start_of_dive(open_nodes)
        else:
            numbers[OPENED] += 1
            _, box, numbers[OPEN] = pop(open_nodes.keys, open_nodes.boxes, numbers[OPEN])
            open_nodes.unused[numbers[UNUSED]] = box
            numbers[UNUSED] += 1
        dived = greed > 0.0
        unfold(box, forest, levels, leaves, open_nodes, work, state.needs, state.row)
        look(state, greed)
        if numbers[WIDE_INPUT] >= 0:
            return REFINE
    costs[LOWER] = costs[INCUMBENT]
    return PROVEN


@inner
def time_to_dive(open_nodes: OpenNodes) -> bool:
    """Whether a dive is due; once there are walks, they find better answers than dives do."""
    numbers, answered = open_nodes.numbers, np.isfinite(open_nodes.costs[INCUMBENT])
    if numbers[WALKED] > 0:
        return not answered and numbers[OPENED] % RARE == 0
    due: bool = numbers[OPENED] % LATER == LATER - 1
    first: bool = numbers[OPENED] % FIRST == 0
    return due if answered else first


@inner
def start_of_dive(open_nodes: OpenNodes) -> int:
    """For a first answer the cheapest box, for a better one a box nearer to its end.

    Those are in the heap's second half.
    """
    numbers = open_nodes.numbers
    later = numbers[OPEN] // 2 if np.isfinite(open_nodes.costs[INCUMBENT]) else 0
    box: int = open_nodes.boxes[later + (numbers[OPENED] * 7919) % max(later, 1)]
    return box


@kernel
def reach(state: SearchState) -> Vector:
    """The most that each model's slack can be anywhere in the person's reach."""
    levels, leaves, work = state.levels, state.leaves, state.work
    begin(state, len(state.needs))
    most = np.empty(len(state.needs))
    for m in range(len(most)):
        need, row = state.needs[m], state.row[m]
        if row >= 0:
            most[m] = bound_of_sum(row, need, levels, work, 0.0, np.inf, False)[0]
        else:
            most[m] = bound_of_trees(m, need, state.forest, leaves, levels, work, np.inf, False)
    return most
