"""Trees whose nodes ask for sets of categories, or send gaps to the right, as plain trees.

A plain node asks whether a value is at most its split, and minus infinity, a missing value, always
is. A set of categories is cut into runs over their codes, and a gap that goes right is a run of its
own; each run's end becomes a split, and what lies behind the node is repeated for each run.
"""

from collections import deque
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from standfast.errors import InputError
from standfast.scores.score import Bools
from standfast.scores.tree_ensemble import Trees

# what one model may grow to; a forest of 500 trees with 1,000 leaves each has a million nodes
MOST_NODES = 20_000_000

# what a feature's value may still be on the way to a node: a gap or not, and the codes from one to
# another; of a feature without codes 0 to 0 is any value, and 1 to 0 none
State = tuple[bool, int, int]


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
    feature: list[int] = []
    split: list[float] = []
    left: list[int] = []
    missing_left: list[bool] = []
    value: list[float] = []
    roots, depths = [], []
    for root in branching.roots:
        roots.append(len(feature))
        deepest = 0
        queue: deque[tuple[int, dict[int, State], int]] = deque([(root, {}, 0)])
        end = roots[-1] + 1
        while queue:  # level by level, so that children follow each other
            at, known, depth = queue.popleft()
            here, deepest = len(feature), max(deepest, depth)
            question, ways = _next(branching, at, known, gapped)
            if question is None:
                feature.append(0)
                split.append(np.inf)
                left.append(here)
                missing_left.append(True)
                value.append(branching.values[ways[0][0]])
                continue
            feature.append(question.feature)
            split.append(question.split)
            left.append(end)
            missing_left.append(question.missing_left)
            value.append(0.0)
            end += 2
            queue.extend((to, state, depth + 1) for to, state in ways)
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
        np.array(roots, dtype=np.int32),
        np.array(depths, dtype=np.int32),
    )


def _next(
    branching: Branching, at: int, known: dict[int, State], gapped: Set[int]
) -> tuple[Question | None, list[tuple[int, dict[int, State]]]]:
    """The next plain question on the way from a node, and its two ways; at a leaf, the leaf."""
    while True:
        question = branching.questions[at]
        if question is None:
            return None, [(at, known)]
        j = question.feature
        if question.members is None and j not in gapped:
            return question, [(question.left, known), (question.right, known)]
        last = 0 if question.members is None else len(question.members) - 1
        gaps, low, high = known.get(j, (j in gapped, 0, last))
        runs = _runs(question, gaps, low, high)
        if len(runs) == 1:
            at = question.left if runs[0].left else question.right
            continue
        first = runs[0]
        if question.members is None:
            if first.last >= 0:  # values on both sides; gaps, if any, with those on the left
                near, far = (gaps, 0, 0), (False, 0, 0)
                ways = [(question.left, {**known, j: near}), (question.right, {**known, j: far})]
                return Question(j, 0, 0, True, question.split), ways
            near, far, end = (True, 1, 0), (False, 0, 0), -np.inf
        else:
            end = float(first.last) if first.last >= 0 else -np.inf
            near, far = (gaps, low, first.last), (False, max(low, first.last + 1), high)
        return Question(j, 0, 0, True, end), [(at, {**known, j: near}), (at, {**known, j: far})]


@dataclass(frozen=True)
class _Run:
    """Neighbouring values that go the same way; the last one's code, −1 for a gap."""

    left: bool
    last: int


def _runs(question: Question, gaps: bool, low: int, high: int) -> list[_Run]:
    """What of a feature's values goes left and right, in order, gaps first.

    Of a plain split's values there are two: those up to it, 0, and those above, 1.
    """
    if question.members is None:
        sides = [(0, True), (1, False)] if low <= high else []
    else:
        sides = [(c, bool(question.members[c])) for c in range(low, high + 1)]
    entries = ([(-1, question.missing_left)] if gaps else []) + sides
    return [
        _Run(side, [code for code, _ in run][-1])
        for side, run in groupby(entries, key=lambda entry: entry[1])
    ]
