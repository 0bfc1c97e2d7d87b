"""Growing a box around a point, unit by unit, while every model accepts even its worst corner."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import Forest
from standfast.search.region.pieces import Pieces

DONE = -1
DOWN, UP = 0, 1
# a category of a nominal input: may be tried, is in the box, or is refused (or out of reach)
OPEN, TAKEN, REFUSED = 0, 1, 2
OUT_OF_REACH = 1 << 20


class Trees(NamedTuple):
    """How far the box has come in every tree.

    `missing[l]` counts the inputs on which leaf l does not meet the box yet. Its conditions wait in
    chains, one per slot at which the box comes to meet them: `head[j, slot]`, then `after`. Those
    on a nominal input may be met at several slots: `of_input` lists them, input by input, and they
    are chained when a slot is tried, unless `met` already. `worst` is each tree's least leaf that
    meets the box, `trial` the same after the step under trial.
    """

    leaf_of: NDArray[np.int32]
    tree_of: NDArray[np.int32]
    model_of: NDArray[np.int32]
    head: Annotated[NDArray[np.int32], "d", "widest"]
    after: Annotated[NDArray[np.int32], "conditions"]
    of_input: NDArray[np.int32]
    input_start: NDArray[np.int32]
    met: Annotated[NDArray[np.bool_], "conditions"]
    missing: Annotated[NDArray[np.int32], "leaves"]
    worst: Annotated[Vector, "trees"]
    trial: Annotated[Vector, "trees"]
    touched: Annotated[NDArray[np.int32], "trees"]
    asked: Annotated[NDArray[np.bool_], "models"]


class Box(NamedTuple):
    """The box so far: pieces `low[j]` to `high[j]` of each input, and which sides are closed.

    Of an input that is `nominal` it holds the pieces, one category each, that are TAKEN by `state`.
    `least[r, j]` is the least that a value of input j in the box adds to sum r. A side that is
    `final` takes its next piece and then closes.
    """

    low: Annotated[NDArray[np.int32], "d"]
    high: Annotated[NDArray[np.int32], "d"]
    closed: Annotated[NDArray[np.bool_], "d", 2]
    final: Annotated[NDArray[np.bool_], "d", 2]
    nominal: NDArray[np.bool_]
    state: Annotated[NDArray[np.int8], "d", "widest"]
    least: Annotated[Matrix, "sums", "d"]


class Growing(NamedTuple):
    """A box that grows: its pieces, leaves and sides, the trees, and what the models need.

    `models` are the needs of all models, `sums` those of the weighted sums.
    """

    pieces: Pieces
    trees: Trees
    box: Box
    forest: Forest
    models: Vector
    sums: Vector


def no_trees(forest: Forest, d: int, widest: int) -> Trees:
    """Room for the progress of any box; which leaf is whose."""
    asked, starts = forest.condition_input, (forest.leaf_start, forest.nodes.start)
    leaves, trees, models = len(forest.leaf_value), *(len(start) - 1 for start in starts)
    sizes = {"leaves": leaves, "trees": trees, "models": models, "conditions": len(asked)}
    tree_of, model_of = (
        np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start)) for start in starts
    )
    return zeros(
        Trees,
        {**sizes, "d": d, "widest": widest},
        leaf_of=np.repeat(np.arange(leaves, dtype=np.int32), np.diff(forest.condition_start)),
        tree_of=tree_of,
        model_of=model_of,
        of_input=np.argsort(asked, kind="stable").astype(np.int32),
        input_start=np.searchsorted(np.sort(asked), np.arange(d + 1)).astype(np.int32),
    )


def no_box(rows: int, nominal: NDArray[np.bool_], widest: int) -> Box:
    """Room for a box."""
    return zeros(Box, {"d": len(nominal), "widest": widest, "sums": rows}, nominal=nominal)


@kernel
def begin(growing: Growing, y_adds: Matrix) -> None:
    """The box with nothing but the advised point, every leaf's conditions in their chains."""
    pieces, trees, box, forest = growing.pieces, growing.trees, growing.box, growing.forest
    trees.head[:] = -1
    for j in range(len(box.low)):
        box.low[j] = box.high[j] = pieces.start[j]
        box.closed[j, DOWN], box.closed[j, UP] = False, False
        box.final[j, DOWN], box.final[j, UP] = False, False
        for r in range(len(box.least)):
            box.least[r, j] = y_adds[r, j]
    for leaf in range(len(forest.leaf_value)):
        missing = 0
        for c in range(forest.condition_start[leaf], forest.condition_start[leaf + 1]):
            j = forest.condition_input[c]
            a = pieces.slot_from[pieces.cell_start[j] + forest.low[c]]
            b = pieces.slot_to[pieces.cell_start[j] + forest.high[c]]
            here = pieces.slot[j, pieces.start[j]]
            if a > b:
                missing = OUT_OF_REACH
                break
            trees.met[c] = a <= here <= b
            if trees.met[c]:
                continue
            if box.nominal[j]:
                missing += 1
            else:
                slot = a if a > here else b
                trees.after[c], trees.head[j, slot] = trees.head[j, slot], c
                missing += 1
        trees.missing[leaf] = missing
        if missing == 0:
            t = trees.tree_of[leaf]
            trees.worst[t] = trees.trial[t] = forest.leaf_value[leaf]


@inner
def sums_accept(j: int, k: int, pieces: Pieces, box: Box, needs: Vector) -> bool:
    """Whether every weighted sum accepts the box with piece k of input j added (j = −1: as is)."""
    for r in range(len(needs)):
        total = -needs[r]
        for i in range(len(box.low)):
            added = box.least[r, i]
            if i == j:
                added = min(added, pieces.worst[r, j, k])
            total += added
        if not total > 0.0:
            return False
    return True


@inner
def forest_accepts(m: int, trees: Trees, forest: Forest, need: float) -> bool:
    """Whether model m's worst leaves under trial still add up to more than it needs."""
    total: float = -need
    for t in range(forest.nodes.start[m], forest.nodes.start[m + 1]):
        total += trees.trial[t]
    return total > 0.0


@inner
def trees_accept(j: int, slot: int, trees: Trees, forest: Forest, needs: Vector) -> bool:
    """Whether every tree model accepts the box with a further slot of input j; kept if so."""
    n = 0
    c = trees.head[j, slot]
    while c >= 0:
        leaf = trees.leaf_of[c]
        t, value = trees.tree_of[leaf], forest.leaf_value[leaf]
        if trees.missing[leaf] == 1 and value < trees.trial[t]:
            if trees.trial[t] == trees.worst[t]:
                trees.touched[n] = t
                n += 1
                trees.asked[trees.model_of[t]] = True
            trees.trial[t] = value
        c = trees.after[c]
    accepted = True
    for i in range(n):
        m = trees.model_of[trees.touched[i]]
        if trees.asked[m]:
            trees.asked[m] = False
            accepted = accepted and forest_accepts(m, trees, forest, needs[m])
    for t in trees.touched[:n]:
        if accepted:
            trees.worst[t] = trees.trial[t]
        else:
            trees.trial[t] = trees.worst[t]
    if accepted:
        c = trees.head[j, slot]
        while c >= 0:
            trees.missing[trees.leaf_of[c]] -= 1
            trees.met[c] = True
            c = trees.after[c]
        trees.head[j, slot] = -1  # met once and for all
    return accepted


@inner
def chain(j: int, slot: int, pieces: Pieces, trees: Trees, forest: Forest) -> None:
    """Chain the conditions on a nominal input that the box comes to meet with this slot."""
    trees.head[j, slot] = -1
    base = pieces.cell_start[j]
    for i in range(trees.input_start[j], trees.input_start[j + 1]):
        c = trees.of_input[i]
        a, b = pieces.slot_from[base + forest.low[c]], pieces.slot_to[base + forest.high[c]]
        if a <= slot <= b and not trees.met[c]:
            trees.after[c], trees.head[j, slot] = trees.head[j, slot], c


@inner
def best_side(pieces: Pieces, box: Box) -> int:
    """The open side, or category, whose piece holds the largest share of the reference table.

    Piece k of a nominal input j is numbered from DONE downwards: −2 − (j · widest + k).
    """
    best, most = DONE, -1.0
    for j in range(len(box.low)):
        if box.nominal[j]:
            for k in range(pieces.counts[j]):
                gain = pieces.upto[j, k] - pieces.before[j, k]
                if box.state[j, k] == OPEN and gain > most:
                    best, most = DONE - 1 - (j * box.state.shape[1] + k), gain
            continue
        if not box.closed[j, DOWN] and box.low[j] > 0:
            gain = pieces.before[j, box.low[j]] - pieces.before[j, box.low[j] - 1]
            if gain > most:
                best, most = 2 * j + DOWN, gain
        if not box.closed[j, UP] and box.high[j] + 1 < pieces.counts[j]:
            gain = pieces.upto[j, box.high[j] + 1] - pieces.upto[j, box.high[j]]
            if gain > most:
                best, most = 2 * j + UP, gain
    return best


@inner
def try_category(j: int, k: int, growing: Growing) -> None:
    """Take a category into the box if every model accepts it with all that the box holds."""
    pieces, trees, box, forest = growing.pieces, growing.trees, growing.box, growing.forest
    models, sums, slot = growing.models, growing.sums, pieces.slot[j, k]
    chain(j, slot, pieces, trees, forest)
    if sums_accept(j, k, pieces, box, sums) and trees_accept(j, slot, trees, forest, models):
        box.state[j, k] = TAKEN
        for r in range(len(sums)):
            box.least[r, j] = min(box.least[r, j], pieces.worst[r, j, k])
    else:
        box.state[j, k] = REFUSED


@kernel
def accepts(growing: Growing) -> bool:
    """Whether every model provably accepts the box as it is."""
    pieces, trees, box, forest = growing.pieces, growing.trees, growing.box, growing.forest
    models, sums = growing.models, growing.sums
    for m in range(len(models)):
        if forest.nodes.start[m + 1] > forest.nodes.start[m] and not forest_accepts(
            m, trees, forest, models[m]
        ):
            return False
    return sums_accept(-1, 0, pieces, box, sums)


@kernel
def grow(growing: Growing, first: int) -> int:
    """Take piece after piece; DONE when every side is closed, else the side to look at closely.

    A side whose next piece is refused stays refused, for the box only grows. Where a sum refuses a
    piece, some of its values may still be welcome: that is for the caller to find out, who
    shortens the piece and lets it be tried `first`.
    """
    pieces, trees, box, forest = growing.pieces, growing.trees, growing.box, growing.forest
    models, sums = growing.models, growing.sums
    while True:
        side = first if first >= 0 else best_side(pieces, box)
        if side == DONE:
            return DONE
        if side < DONE:
            number = DONE - 1 - side
            try_category(number // box.state.shape[1], number % box.state.shape[1], growing)
            continue
        j = side // 2
        k = box.low[j] - 1 if side % 2 == DOWN else box.high[j] + 1
        edge = box.low[j] if side % 2 == DOWN else box.high[j]
        welcome = sums_accept(j, k, pieces, box, sums)
        slot = pieces.slot[j, k]
        same = slot == pieces.slot[j, edge]
        if (
            not welcome
            and first < 0
            and (pieces.cut[j, k] or pieces.first[j, k] < pieces.last[j, k])
        ):
            return side
        first = DONE
        if not welcome or not (same or trees_accept(j, slot, trees, forest, models)):
            box.closed[j, side % 2] = True
            continue
        box.closed[j, side % 2] = box.final[j, side % 2]
        if side % 2 == DOWN:
            box.low[j] = k
        else:
            box.high[j] = k
        for r in range(len(sums)):
            box.least[r, j] = min(box.least[r, j], pieces.worst[r, j, k])
