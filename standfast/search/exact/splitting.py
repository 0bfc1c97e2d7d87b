"""Room for more levels in the middle of a search: everything that counts levels follows."""

from standfast.compilation import kernel
from standfast.search.exact.open_nodes import OPEN
from standfast.search.exact.state import SearchState
from standfast.search.problem.levels import HIGH, INPUT, LOW, copy_level


@kernel
def make_room(state: SearchState, j: int, k: int, extra: int) -> None:
    """Level k of input j becomes 1 + `extra` levels, for the caller to fill.

    Boxes and leaves that held the level hold all of them; a point in it keeps its value, which is
    that of the new level nearest to the person.
    """
    levels, leaves, open_nodes = state.levels, state.leaves, state.open_nodes
    below = k < levels.start[j]
    for i in range(levels.counts[j] - 1, k, -1):
        copy_level(j, i, i + extra, levels)
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
    for i in range(open_nodes.numbers[OPEN]):
        box = open_nodes.boxes[i]
        open_nodes.low[box, j] += extra if open_nodes.low[box, j] > k else 0
        open_nodes.high[box, j] += extra if open_nodes.high[box, j] >= k else 0
    best = open_nodes.best[j]
    if best > k or (best == k and below):
        open_nodes.best[j] = best + extra
