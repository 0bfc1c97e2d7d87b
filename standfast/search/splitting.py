"""Room for more levels in the middle of a search: everything that counts levels follows."""

from standfast.compilation import kernel
from standfast.search.case import Case
from standfast.search.frontier import OPEN
from standfast.search.person import HIGH, INPUT, LOW


@kernel
def make_room(case: Case, j: int, k: int, extra: int) -> None:
    """Level k of input j becomes 1 + `extra` levels, for the caller to fill.

    Boxes and leaves that held the level hold all of them; a point in it keeps its value, which is
    that of the new level nearest to the person.
    """
    levels, leaves, frontier = case.levels, case.leaves, case.frontier
    below = k < levels.start[j]
    for i in range(levels.counts[j] - 1, k, -1):
        for table in (levels.value, levels.far, levels.cost):
            table[j, i + extra] = table[j, i]
        levels.cell[j, i + extra], levels.wide[j, i + extra] = levels.cell[j, i], levels.wide[j, i]
        for r in range(len(levels.contribution)):
            levels.contribution[r, j, i + extra] = levels.contribution[r, j, i]
            levels.most[r, j, i + extra] = levels.most[r, j, i]
    levels.cell[j, k : k + extra + 1] = levels.cell[j, k]
    levels.counts[j] += extra
    if below:
        levels.start[j] += extra
    for c in range(levels.cell_start[j], levels.cell_start[j + 1]):
        levels.first[c] += extra if levels.first[c] > k else 0
        levels.last[c] += extra if levels.last[c] >= k else 0
    for c in range(leaves.sizes[2]):
        if leaves.condition[c, INPUT] == j:
            leaves.condition[c, LOW] += extra if leaves.condition[c, LOW] > k else 0
            leaves.condition[c, HIGH] += extra if leaves.condition[c, HIGH] >= k else 0
    for i in range(frontier.numbers[OPEN]):
        box = frontier.boxes[i]
        frontier.low[box, j] += extra if frontier.low[box, j] > k else 0
        frontier.high[box, j] += extra if frontier.high[box, j] >= k else 0
    best = frontier.best[j]
    if best > k or (best == k and below):
        frontier.best[j] = best + extra
