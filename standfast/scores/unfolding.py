"""Trees whose nodes ask for sets of categories, or send gaps to the right, as plain trees.

A plain node asks whether a value is at most its split, and minus infinity, a missing value, always
is. A set of categories is cut into runs over their codes, and a gap that goes right is a run of its
own; each run's end becomes a split, and what lies behind the node is repeated for each run.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

import numpy as np

from standfast.errors import InputError
from standfast.scores.score import Bools
from standfast.scores.tree_ensemble import Trees

# what one model may grow to; a forest of 500 trees with 1,000 leaves each has a million nodes
MOST_NODES = 20_000_000

# what a feature's value may still be on the way to a node: a gap or not, and the codes from one to
# another; of a feature without codes 0 to 0 is any value, and 1 to 0 none
State = tuple[bool, int, int]
Place = tuple[int, dict[int, State]]  # a node, and what is known on the way to it
T = TypeVar("T")
Fork = tuple[int, float, bool, T, T]  # the feature, the split, where gaps go, and both ways


@dataclass(frozen=True, eq=False)
class Question:
    """What one node asks: the left child's values are those up to `split`, or the codes marked in
    `members`; `missing_left` says where gaps go."""

    feature: int
    left: int
    right: int
    missing_left: bool
    split: float = np.inf
    members: Bools | None = None


@dataclass(frozen=True, eq=False)
class Branching:
    """Trees node by node: a question, or None at a leaf, which gives its value."""

    questions: Sequence[Question | None]
    values: Sequence[float]
    roots: Sequence[int]


def branching_of(trees: Trees) -> Branching:
    """Plain trees, node by node."""
    leaf, left = trees.leaf.tolist(), trees.left.tolist()
    asked = zip(
        trees.feature.tolist(), left, trees.missing_left.tolist(), trees.split.tolist(), strict=True
    )
    questions = [
        None if end else Question(j, to, to + 1, gaps, split)
        for end, (j, to, gaps, split) in zip(leaf, asked, strict=True)
    ]
    return Branching(questions, trees.value.tolist(), trees.roots.tolist())


def unfold(branching: Branching, gapped: Set[int]) -> Trees:
    """The same function as plain trees, in which gaps of the `gapped` features always go left.

    Features outside `gapped` keep each node's own direction for gaps.
    """

    roots: list[Place] = [(root, {}) for root in branching.roots]
    return written(roots, lambda place: _next(branching, *place, gapped))


def written(roots: Iterable[T], visit: Callable[[T], "float | Fork[T]"]) -> Trees:
    """Plain trees, level by level, from whatever stands for their roots.

    `visit` gives a leaf's value, or what a node asks and what stands for its two children.
    """
    feature: list[int] = []
    split: list[float] = []
    left: list[int] = []
    missing_left: list[bool] = []
    value: list[float] = []
    starts, depths = [], []
    for root in roots:
        starts.append(len(feature))
        queue, end, deepest = deque([(root, 0)]), len(feature) + 1, 0
        while queue:
            place, depth = queue.popleft()
            here, deepest = len(feature), max(deepest, depth)
            found = visit(place)
            if isinstance(found, tuple):
                j, cut, gaps, near, far = found
                left.append(end)
                value.append(0.0)
                queue += ((near, depth + 1), (far, depth + 1))
                end += 2  # children follow each other
            else:
                j, cut, gaps = 0, np.inf, True  # walking on stays here
                left.append(here)
                value.append(found)
            feature.append(j)
            split.append(cut)
            missing_left.append(gaps)
        depths.append(deepest)
        if len(feature) > MOST_NODES:
            raise InputError(
                f"the trees ask for sets of categories that unfold into more than {MOST_NODES:,} "
                "nodes; group rare categories before fitting"
            )
    return Trees(
        np.array(feature, dtype=np.int32),
        np.array(split),
        np.array(left, dtype=np.int32),
        np.array(missing_left, dtype=bool),
        np.array(value),
        np.array(starts, dtype=np.int32),
        np.array(depths, dtype=np.int32),
    )


def _next(
    branching: Branching, at: int, known: dict[int, State], gapped: Set[int]
) -> float | Fork[Place]:
    """The next plain question on the way from a node, and its two ways; at a leaf, its value."""
    while (question := branching.questions[at]) is not None:
        j = question.feature
        if question.members is None and j not in gapped:
            ways = (question.left, known), (question.right, known)
            return j, question.split, question.missing_left, *ways
        last = 0 if question.members is None else len(question.members) - 1
        gaps, low, high = known.get(j, (j in gapped, 0, last))
        left, end, alike = _first_run(question, gaps, low, high)
        if alike:
            at = question.left if left else question.right
            continue
        split = float(end) if end >= 0 else -np.inf
        to = at, at
        if question.members is not None:
            near, far = (gaps, low, end), (False, max(low, end + 1), high)
        elif end >= 0:  # values on both sides; gaps, if any, with those on the left
            to, split = (question.left, question.right), question.split
            near, far = (gaps, 0, 0), (False, 0, 0)
        else:
            near, far = (True, 1, 0), (False, 0, 0)
        return j, split, True, (to[0], {**known, j: near}), (to[1], {**known, j: far})
    return branching.values[at]


def _first_run(question: Question, gaps: bool, low: int, high: int) -> tuple[bool, int, bool]:
    """Whether the first of a feature's values go left, the last of them, and whether all do so.

    Gaps come first, as −1. Of a plain split's values there are two: those up to it, 0, and those
    above, 1.
    """
    if question.members is None:
        sides = [(0, True), (1, False)] if low <= high else []
    else:
        sides = [(c, bool(question.members[c])) for c in range(low, high + 1)]
    entries = ([(-1, question.missing_left)] if gaps else []) + sides
    left = entries[0][1]
    run = list(takewhile(lambda entry: entry[1] == left, entries))
    return left, run[-1][0], len(run) == len(entries)
