"""One person's search: everything the kernels work on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.search.exact.open_nodes import OpenNodes
from standfast.search.exact.workspace import NodeWorkspace
from standfast.search.problem.levels import Leaves, Levels
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.program import Singles
from standfast.search.problem.trees import Forest


class Multipliers(NamedTuple):
    """What a unit of each weighted sum is worth, for the bound from all of them at once.

    `slope`, sum × input, is that of what an input adds, NaN where this is no straight line; there
    are none where sums are bounded one by one. Per model: the multipliers `here` and the `best` so
    far, what its sum `lacks` at the box's least point, and its `size`, 0 if it is left aside. Per
    input: the `least` that a level costs beyond its worth, and the level it is `at`.
    """

    slope: Matrix
    here: Vector
    best: Vector
    lacks: Vector
    size: Vector
    least: Vector
    at: NDArray[np.int64]


def no_multipliers(slope: Matrix, models: int, d: int) -> Multipliers:
    """Multipliers of nothing yet."""
    here, best, lacks, size = (np.zeros(models) for _ in range(4))
    return Multipliers(slope, here, best, lacks, size, np.zeros(d), np.zeros(d, np.int64))


class Shares(NamedTuple):
    """What levels offer to the trees of the model `whose` (−1: of none), which share one budget.

    `offer`, input × level, is what moving an input so far adds to them at most, level by level from
    p to the `bottom` and the `top` of what is offered; `given` is what they gain for nothing,
    and `price` what is paid at least until the model accepts. For
    the tree at hand: `nearest` level and greatest `part` of each side of an input, 2j below p and
    2j + 1 above, of those `asked` for. For the leaf at hand: `by` which inputs and `to` which
    levels p moves, at which `costs`.
    """

    whose: NDArray[np.int64]
    given: Vector
    price: Vector
    offer: Matrix
    bottom: NDArray[np.int64]
    top: NDArray[np.int64]
    nearest: NDArray[np.int64]
    part: Vector
    asked: NDArray[np.int64]
    by: NDArray[np.int64]
    to: NDArray[np.int64]
    costs: Vector


def no_shares(d: int, widest: int) -> Shares:
    """Nothing is offered yet."""
    bottom, top = np.zeros((2, d), np.int64)
    nearest, asked, by, to = np.full((4, 2 * d), -1, np.int64)
    part, costs = np.zeros((2, 2 * d))
    offer, whose = np.zeros((d, widest + 1)), np.full(1, -1, np.int64)
    given, price = np.zeros((2, 1))
    return Shares(whose, given, price, offer, bottom, top, nearest, part, asked, by, to, costs)


class SearchState(NamedTuple):
    """The models, the person's levels and leaves, the open boxes, and the box at hand.

    Model m accepts where its sum exceeds `needs[m]`; where it adds in 32 bits (`single`), that is
    the least its sum in 64 bits must exceed, and its own arithmetic decides. `row[m]` is its line
    among the weighted sums, or −1 if it is a sum of trees; the last `relations` of them are the
    schema's, the `hints` before them follow from other models. `sets` are changed inputs that an
    answer must not repeat: not contain or be contained in if `nested`, else not equal. It changes
    at most so many inputs (`changes`). `maximal` asks for the least maximal shift instead of the
    least total. Costs are multiples of `grain`, but for what changes weigh in ties; 0 where they
    can be anything. `multipliers` are for bounds from all sums at once, `shares` for those
    from all trees of a model.
    """

    forest: Forest
    needs: Vector
    single: Singles
    row: NDArray[np.int32]
    hints: int
    relations: int
    levels: Levels
    leaves: Leaves
    open_nodes: OpenNodes
    work: NodeWorkspace
    sets: NDArray[np.bool_]
    nested: bool
    maximal: bool
    grain: float
    changes: int
    multipliers: Multipliers
    shares: Shares
