"""What the schema's relations force: levels that no point of the box can have leave the box."""

from standfast.compilation import inner
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import ROUNDING, NodeWorkspace, follow, narrowed, put
from standfast.search.problem.contributions import UNJUDGED
from standfast.search.problem.levels import Levels, bit_of
from standfast.search.problem.price import Matrix

# what the relations did to a box: they left nothing of it, left p where it is, or moved p
EMPTY, STAYED, MOVED = -1, 0, 1


@inner
def settle(state: SearchState) -> int:
    """Shrink the box to what the relations leave, p with it: EMPTY, STAYED or MOVED.

    A relation is a weighted sum that must exceed its need, and rises or falls along each input but
    for a missing own value, with which it cannot be judged: a level is out of the question if the
    best levels of all other inputs cannot make up for it. What adding up may be off is forgiven:
    the need of a relation that holds with equality is lost beside an input that may be millions.
    """
    levels, work = state.levels, state.work
    shrunk, result = True, STAYED
    while shrunk:
        shrunk = False
        for m in range(len(state.row) - state.relations, len(state.row)):
            adds, most = levels.most[state.row[m]], -state.needs[m]
            size = abs(most)
            unjudged, whose = 0, -1  # inputs that may stay missing, and the last of them
            for j in range(len(work.p)):
                best = best_in_box(j, adds, levels, work)
                if best < UNJUDGED:
                    most += best
                    size += abs(best)
                else:
                    unjudged, whose = unjudged + 1, j
            lost = -ROUNDING * (len(work.p) + 1) * size
            if unjudged == 0 and most <= lost:
                return EMPTY
            for j in work.free[: work.free[-1]]:
                if unjudged > 1 or (unjudged == 1 and whose != j):
                    continue
                low, high = adds[j, work.lo[j]], adds[j, work.hi[j]]
                spare = most - (0.0 if whose == j else best_in_box(j, adds, levels, work))
                if low < high and spare + low <= lost:
                    while spare + adds[j, work.lo[j]] <= lost:
                        work.lo[j] += 1
                elif high < low and spare + high <= lost:
                    while spare + adds[j, work.hi[j]] <= lost:
                        work.hi[j] -= 1
                else:
                    continue
                shrunk = True
                if forced(state, j):
                    result = MOVED
    return result


@inner
def best_in_box(j: int, adds: Matrix, levels: Levels, work: NodeWorkspace) -> float:
    """The most that input j adds in the box: at an end, or where the person stands."""
    best: float = max(adds[j, work.lo[j]], adds[j, work.hi[j]])
    own = levels.start[j]
    if work.lo[j] <= own <= work.hi[j]:
        best = max(best, adds[j, own])
    return best


@inner
def forced(state: SearchState, j: int) -> bool:
    """The box has shrunk in input j: p follows, and what is known about it; whether p moved."""
    levels, leaves, work = state.levels, state.leaves, state.work
    level = min(max(work.p[j], work.lo[j]), work.hi[j])
    moved: bool = level != work.p[j]
    if moved:
        put(j, level, levels, work)
        follow(j, state.forest, leaves, work, state.row, leaves.sizes[0])
    narrowed(bit_of(j), leaves, work, leaves.sizes[0])
    return moved
