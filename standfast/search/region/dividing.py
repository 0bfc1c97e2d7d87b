"""Cutting an open node in two: each side with its worst leaves, the worse one looked at first."""

from standfast.compilation import inner
from standfast.search.region.ground import Asked, Ground, Room
from standfast.search.region.proving import conflict, exceeds, lawful, worst_leaf


@inner
def child(k: int, below: bool, ground: Ground, room: Room) -> None:
    """Narrow open node k to one side of the chosen cut, and find its worst leaves."""
    j, cut = room.choice[0], room.choice[1]
    base, low, high = ground.cell_start[j], room.stack_low[k], room.stack_high[k]
    if below:
        high[j] = room.down[base + cut]
    else:
        low[j] = room.up[base + cut + 1]
    for t in range(len(room.order)):
        leaf = ground.forest.leaf_of[room.stack_leaf[k, t]]
        if conflict(leaf, low, high, ground) >= 0:
            room.stack_leaf[k, t] = worst_leaf(t, low, high, ground, room)


@inner
def copy_node(a: int, b: int, room: Room) -> None:
    """Open node a once more, as number b."""
    for j in range(len(room.here)):
        room.stack_low[b, j] = room.stack_low[a, j]
        room.stack_high[b, j] = room.stack_high[a, j]
    for t in range(len(room.order)):
        room.stack_leaf[b, t] = room.stack_leaf[a, t]


@inner
def bound(k: int, ground: Ground, room: Room) -> float:
    """What the worst leaves of open node k add up to."""
    total = 0.0
    for t in range(ground.trees):
        total += ground.forest.nodes.value[room.stack_leaf[k, t]]
    return total


@inner
def branch(k: int, i: int, need: float, asked: Asked, ground: Ground, room: Room) -> int:
    """Put both sides of the chosen cut in the place of node k, the worse on top; the next number.

    A side that is proven, or where no point is lawful, is left out.
    """
    copy_node(k, k + 1, room)
    child(k, True, ground, room)
    child(k + 1, False, ground, room)
    keeps = not exceeds(k, need, ground, room) and lawful(k, i, asked, ground, room)
    if not exceeds(k + 1, need, ground, room) and lawful(k + 1, i, asked, ground, room):
        if not keeps:
            copy_node(k + 1, k, room)
            return k + 1
        if bound(k, ground, room) < bound(k + 1, ground, room):
            copy_node(k, k + 2, room)
            copy_node(k + 1, k, room)
            copy_node(k + 2, k + 1, room)
        return k + 2
    return k + 1 if keeps else k
