"""One person's search: everything the kernels work on."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import zeros
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
    here: Annotated[Vector, "models"]
    best: Annotated[Vector, "models"]
    lacks: Annotated[Vector, "models"]
    size: Annotated[Vector, "models"]
    least: Annotated[Vector, "d"]
    at: Annotated[NDArray[np.int64], "d"]


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
    given: Annotated[Vector, 1]
    price: Annotated[Vector, 1]
    offer: Annotated[Matrix, "d", "offers"]
    bottom: Annotated[NDArray[np.int64], "d"]
    top: Annotated[NDArray[np.int64], "d"]
    nearest: NDArray[np.int64]
    part: Annotated[Vector, "sides"]
    asked: Annotated[NDArray[np.int64], "sides"]
    by: Annotated[NDArray[np.int64], "sides"]
    to: Annotated[NDArray[np.int64], "sides"]
    costs: Annotated[Vector, "sides"]


def no_shares(d: int, widest: int) -> Shares:
    """Nothing is offered yet."""
    sizes = {"d": d, "sides": 2 * d, "offers": widest + 1}
    nearest, whose = np.full(2 * d, -1, np.int64), np.full(1, -1, np.int64)
    return zeros(Shares, sizes, nearest=nearest, whose=whose)


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
