"""Looking for a point of a box that trees do not accept, or proving that there is none.

An open node is a box of cells with each tree's worst leaf. Where these leaves have a point in
common, it is what is looked for; where two of them exclude each other, the box is cut between them.
"""

import numpy as np

from standfast.compilation import inner, kernel
from standfast.schema.relation import ABSOLUTE, RELATIVE
from standfast.search.region.dividing import branch
from standfast.search.region.ground import (
    PROVEN,
    REFUTED,
    UNDECIDED,
    Asked,
    Ground,
    Room,
)
from standfast.search.region.own_values import (
    greatest_value,
    least_value,
    reset_special,
    set_special,
    value_in,
)
from standfast.search.region.proving import conflict, exceeds, lawful, worst_leaf


@inner
def enter(leaf: int, ground: Ground, room: Room) -> None:
    """Narrow the candidate's cells to a leaf that meets them."""
    forest = ground.forest
    for c in range(forest.condition_start[leaf], forest.condition_start[leaf + 1]):
        j = forest.condition_input[c]
        base = ground.cell_start[j]
        if forest.low[c] > room.here_low[j]:
            room.here_low[j] = room.up[base + forest.low[c]]
        if forest.high[c] < room.here_high[j]:
            room.here_high[j] = room.down[base + forest.high[c]]


@inner
def choose(j: int, cut: int, room: Room) -> None:
    """What to branch on."""
    room.choice[0], room.choice[1] = j, cut


@inner
def dive(k: int, need: float, ground: Ground, room: Room) -> bool:
    """Enter one leaf of each tree after another; whether they add up to too little, lawfully.

    Where a tree's worst leaf does not meet those entered before, another one is, and the choice
    falls on the cut that keeps the two apart.
    """
    forest, nodes = ground.forest, ground.forest.nodes
    for j in range(len(room.here)):
        room.here_low[j], room.here_high[j] = room.stack_low[k, j], room.stack_high[k, j]
    choose(-1, 0, room)
    total, kept = -need, True
    for t in room.order:
        node = room.stack_leaf[k, t]
        c = conflict(forest.leaf_of[node], room.here_low, room.here_high, ground)
        if c >= 0:
            if room.choice[0] < 0:
                j = forest.condition_input[c]
                above = forest.low[c] > room.here_high[j]
                choose(j, room.here_high[j] if above else room.here_low[j] - 1, room)
            node = worst_leaf(t, room.here_low, room.here_high, ground, room)
        enter(forest.leaf_of[node], ground, room)
        if t < ground.trees:
            total += nodes.value[node]
        elif nodes.value[node] > 0.0:
            kept = False
    return kept and (total <= 0.0 or room.choice[0] < 0)


@inner
def excess(i: int, r: int, asked: Asked, ground: Ground, room: Room) -> float:
    """By how much the candidate's values break half-space r; 0 or less if they do not."""
    total, size, A = -asked.b[i, r], 0.0, ground.A
    for j in range(A.shape[1]):
        if A[r, j] != 0.0:
            total += A[r, j] * room.here[j]
            size += abs(A[r, j] * room.here[j])
    return float(total - ABSOLUTE - RELATIVE * size)


@inner
def place(i: int, asked: Asked, ground: Ground, room: Room) -> int:
    """Values for the candidate's cells, the advised ones where they fit; a broken half-space or −1.

    A half-space that they break is mended by its inputs' best ends, one after another.
    """
    A = ground.A
    for j in range(len(room.here)):
        if room.here_low[j] <= asked.y_cell[i, j] <= room.here_high[j]:
            room.here[j] = asked.y[i, j]
        else:
            room.here[j] = value_in(j, i, room.here_low[j], asked, ground)
    for _ in range(2):
        for r in range(len(A)):
            for j in range(A.shape[1]):
                if A[r, j] != 0.0 and excess(i, r, asked, ground, room) > 0.0:
                    if A[r, j] > 0.0:
                        room.here[j] = least_value(j, i, room.here_low[j], asked, ground)
                    else:
                        room.here[j] = greatest_value(j, i, room.here_high[j], asked, ground)
    for r in range(len(A)):
        if excess(i, r, asked, ground, room) > 0.0:
            return r
    return -1


@inner
def halve(k: int, r: int, ground: Ground, room: Room) -> None:
    """Choose the middle of the widest input that a half-space reads; nothing if all are single."""
    widest = 0
    choose(-1, 0, room)
    for j in range(ground.A.shape[1]):
        width = room.stack_high[k, j] - room.stack_low[k, j]
        if ground.A[r, j] != 0.0 and width > widest:
            widest = width
            choose(j, room.stack_low[k, j] + (width - 1) // 2, room)


@inner
def cut_off(k: int, room: Room) -> None:
    """Choose a cut between the candidate's cells and the rest of open node k; none if it is all."""
    choose(-1, 0, room)
    for j in range(len(room.here)):
        if room.here_low[j] > room.stack_low[k, j]:
            choose(j, room.here_low[j] - 1, room)
            return
        if room.here_high[j] < room.stack_high[k, j]:
            choose(j, room.here_high[j], room)
            return


@inner
def is_known(i: int, asked: Asked, room: Room) -> bool:
    """Whether the candidate's cells hold a point that was already asked about."""
    known = asked.known
    for e in range(len(known)):
        if asked.whose[e] == i:
            inside = True
            for j in range(len(room.here)):
                inside = inside and room.here_low[j] <= known[e, j] <= room.here_high[j]
            if inside:
                return True
    return False


@inner
def begin(i: int, asked: Asked, ground: Ground, room: Room) -> None:
    """The box as the only open node, and the order in which trees are asked."""
    nodes = ground.forest.nodes
    for j in range(len(room.here)):
        room.stack_low[0, j], room.stack_high[0, j] = asked.low[i, j], asked.high[i, j]
    for t in range(len(room.order)):
        leaf = worst_leaf(t, room.stack_low[0], room.stack_high[0], ground, room)
        room.stack_leaf[0, t] = leaf
        # a rule comes first: it must be kept whatever the model says
        spread = np.inf
        if t < ground.trees:
            spread = ground.forest.leaf_value[ground.forest.leaf_start[t]] - nodes.value[leaf]
        n = t
        while n > 0 and room.spread[n - 1] < spread:
            room.spread[n], room.order[n] = room.spread[n - 1], room.order[n - 1]
            n -= 1
        room.spread[n], room.order[n] = spread, t


@inner
def search(i: int, limit: int, asked: Asked, ground: Ground, room: Room) -> int:
    """What becomes of promise i's box; a point that refutes it is `here`."""
    need = asked.needs[i]
    begin(i, asked, ground, room)
    if exceeds(0, need, ground, room) or not lawful(0, i, asked, ground, room):
        return PROVEN
    top, opened, sure = 1, 1, True
    while top > 0:
        k = top - 1
        if dive(k, need, ground, room):
            r = place(i, asked, ground, room)
            if r >= 0:
                halve(k, r, ground, room)
                sure = sure and room.choice[0] >= 0
            elif is_known(i, asked, room):
                cut_off(k, room)
            else:
                return REFUTED
        if room.choice[0] < 0:  # one cell all over, and nothing left to look at
            top = k
            continue
        opened += 2
        if opened > limit or k + 2 >= len(room.stack_low):  # two sides, and room to swap them
            return UNDECIDED
        top = branch(k, i, need, asked, ground, room)
    return PROVEN if sure else UNDECIDED


@kernel
def judge_boxes(limit: int, asked: Asked, ground: Ground, room: Room) -> None:
    """What becomes of each box, with at most so many nodes of branch and bound."""
    for i in range(len(asked.status)):
        if set_special(i, asked, ground, room):
            asked.status[i] = search(i, limit, asked, ground, room)
        else:
            asked.status[i] = PROVEN
        reset_special(i, asked, ground, room)
        if asked.status[i] == REFUTED:
            for j in range(len(room.here)):
                asked.points[i, j] = room.here[j]
