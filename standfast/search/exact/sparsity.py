"""At most so many changes: what is left of a box when some inputs have been forced to move."""

from standfast.compilation import inner
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import ROUNDING, narrowed
from standfast.search.problem.contributions import REFUSED
from standfast.search.problem.levels import bit_of


@inner
def few_enough(state: SearchState) -> bool:
    """Whether the box may hold an answer with no more changes than allowed; it shrinks to those.

    Every point of the box changes what p changes. Once these are as many as allowed, all other
    inputs stay.
    """
    levels, leaves, work = state.levels, state.leaves, state.work
    left = state.changes
    for j in work.free[: work.free[-1]]:
        left -= work.p[j] != levels.start[j]
    if left < 0:
        return False
    if left == 0:
        for j in work.free[: work.free[-1]]:
            own = levels.start[j]
            if work.p[j] == own and work.lo[j] < work.hi[j]:
                work.lo[j], work.hi[j] = own, own
                narrowed(bit_of(j), leaves, work, leaves.sizes[0])
    for m in range(len(state.row) - state.relations):
        if leaves.model_tree[m] >= 0 and state.row[m] >= 0 and not enough(state, m, left):
            return False
    return True


@inner
def enough(state: SearchState, m: int, left: int) -> bool:
    """Whether a weighted sum may accept with so many more changes: those that add most."""
    levels, work, row = state.levels, state.work, state.row[m]
    slack: float = -state.needs[m]
    size = abs(slack)
    for j in range(len(work.p)):
        here = levels.contribution[row, j, work.p[j]]
        if here <= 0.5 * REFUSED:
            return True  # it must move anyway: not judged here
        most = here
        for level in range(work.lo[j], work.hi[j] + 1):
            most = max(most, levels.most[row, j, level])
        slack += here
        size += max(abs(here), abs(most))
        work.gain[j] = most - here
        if work.p[j] != levels.start[j]:
            slack += work.gain[j]
            work.gain[j] = 0.0
    for _ in range(left):
        best = 0
        for j in range(len(work.p)):
            best = j if work.gain[j] > work.gain[best] else best
        if work.gain[best] <= 0.0 or slack > 0.0:
            break
        slack += work.gain[best]
        work.gain[best] = 0.0
    may: bool = slack > -2.0 * ROUNDING * (len(work.p) + 1) * size
    return may
