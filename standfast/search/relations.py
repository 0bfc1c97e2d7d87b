"""What the schema's relations force: levels that no point of the box can have leave the box."""

from standfast.compilation import kernel
from standfast.search.case import Case
from standfast.search.desk import follow, narrowed, put


@kernel
def settle(case: Case) -> bool:
    """Shrink the box to what the relations leave, p with it; False if they leave nothing.

    A relation is a weighted sum that must exceed its need, and rises or falls along each input: a
    level is out of the question if the best levels of all other inputs cannot make up for it.
    """
    levels, desk = case.levels, case.desk
    shrunk = True
    while shrunk:
        shrunk = False
        for m in range(len(case.row) - case.relations, len(case.row)):
            adds, most = levels.most[case.row[m]], -case.needs[m]
            for j in range(len(desk.p)):
                most += max(adds[j, desk.lo[j]], adds[j, desk.hi[j]])
            if most <= 0.0:
                return False
            for j in desk.free[: desk.free[-1]]:
                low, high = adds[j, desk.lo[j]], adds[j, desk.hi[j]]
                spare = most - max(low, high)
                if low < high and spare + low <= 0.0:
                    while spare + adds[j, desk.lo[j]] <= 0.0:
                        desk.lo[j] += 1
                elif high < low and spare + high <= 0.0:
                    while spare + adds[j, desk.hi[j]] <= 0.0:
                        desk.hi[j] -= 1
                else:
                    continue
                shrunk = True
                forced(case, j)
    return True


@kernel
def forced(case: Case, j: int) -> None:
    """The box has shrunk in input j: p follows, and what is known about it."""
    levels, leaves, desk = case.levels, case.leaves, case.desk
    level = min(max(desk.p[j], desk.lo[j]), desk.hi[j])
    if level != desk.p[j]:
        put(j, level, levels, desk)
        follow(j, case.forest, leaves, desk, case.row, leaves.sizes[0])
    narrowed(j, leaves, desk, leaves.sizes[0])
