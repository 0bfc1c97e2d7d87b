"""The values that a promise's own box has in a cell, and which cells have any."""

import numpy as np

from standfast.compilation import inner
from standfast.search.region.ground import Asked, Ground, Room


@inner
def least_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """The least value of a box in a cell and those above, at most its true one."""
    if asked.lo[i, j] == asked.hi[i, j] and asked.home[i, j] < 0:
        return float(asked.lo[i, j])
    base = ground.cell_start[j]
    found = max(asked.lo[i, j], ground.first[base + cell])
    if asked.home[i, j] >= cell:
        found = min(found, asked.x[i, j])
    return float(found if np.isfinite(found) else asked.lo[i, j])


@inner
def greatest_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """The greatest value of a box in a cell and those below, at least its true one."""
    if asked.lo[i, j] == asked.hi[i, j] and asked.home[i, j] < 0:
        return float(asked.hi[i, j])
    base = ground.cell_start[j]
    found = min(asked.hi[i, j], ground.last[base + cell])
    if 0 <= asked.home[i, j] <= cell:
        found = max(found, asked.x[i, j])
    return float(found if np.isfinite(found) else asked.hi[i, j])


@inner
def value_in(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> float:
    """A value of a box that lies in a cell: the advised or the own one where it does."""
    base, codes = ground.cell_start[j], ground.code_start[j + 1] - ground.code_start[j]
    if codes > 0 and asked.special[i, j]:
        for code in range(codes):
            place = ground.code_start[j] + code
            if asked.members[i, place] and ground.code_cell[place] == cell:
                return float(code)
        return float(asked.x[i, j])
    if asked.home[i, j] == cell:
        return float(asked.x[i, j])
    if asked.low[i, j] == asked.high[i, j] and asked.lo[i, j] == asked.hi[i, j]:
        return float(asked.lo[i, j])
    found = max(asked.lo[i, j], ground.first[base + cell])
    if asked.special[i, j] and asked.below[i, j] < found < asked.above[i, j]:
        found = asked.above[i, j]
    return float(found)


@inner
def holds_value(j: int, i: int, cell: int, asked: Asked, ground: Ground) -> bool:
    """Whether some value of a box lies in a cell of a special input."""
    base, start = ground.cell_start[j], ground.code_start[j]
    if asked.home[i, j] == cell:
        return True
    if ground.code_start[j + 1] > start:
        for place in range(start, ground.code_start[j + 1]):
            if asked.members[i, place] and ground.code_cell[place] == cell:
                return True
        return False
    a, b = (
        max(asked.lo[i, j], ground.first[base + cell]),
        min(asked.hi[i, j], ground.last[base + cell]),
    )
    return a <= b and not (asked.below[i, j] < a and b < asked.above[i, j])


@inner
def set_special(i: int, asked: Asked, ground: Ground, room: Room) -> bool:
    """Fill the tables of next cells where promise i's own values count; False if a box is empty."""
    for j in range(asked.low.shape[1]):
        if not asked.special[i, j]:
            continue
        base, count = ground.cell_start[j], ground.cell_start[j + 1] - ground.cell_start[j]
        following = count
        for cell in range(count - 1, -1, -1):
            if asked.low[i, j] <= cell <= asked.high[i, j] and holds_value(
                j, i, cell, asked, ground
            ):
                following = cell
            room.up[base + cell] = following
        before = -1
        for cell in range(count):
            if room.up[base + cell] == cell:
                before = cell
            room.down[base + cell] = before
        asked.low[i, j] = room.up[base + asked.low[i, j]]
        asked.high[i, j] = room.down[base + asked.high[i, j]]
        if asked.low[i, j] > asked.high[i, j]:
            return False
    return True


@inner
def reset_special(i: int, asked: Asked, ground: Ground, room: Room) -> None:
    """The tables of next cells as they are for everybody."""
    for j in range(asked.low.shape[1]):
        if asked.special[i, j]:
            for place in range(ground.cell_start[j], ground.cell_start[j + 1]):
                room.up[place], room.down[place] = ground.up[place], ground.down[place]
