"""A tree level set as an exact search reads it: the boxes in which some member refuses."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from standfast.schema.bounds import Bounds
from standfast.scores.score import Matrix, Vector
from standfast.scores.sparse_trees.all_trees import AllTrees
from standfast.scores.sparse_trees.tables import Places
from standfast.scores.tree_ensemble import TreeEnsemble, Trees, joined
from standfast.scores.unfolding import Branching, Question

# boxes a search begins with; further ones as it meets them, so many at a time
MOST_BOXES, FURTHER = 20_000, 500
AT = np.zeros(1, np.int32)
NO_BOX = Trees(AT, np.full(1, np.inf), AT, np.ones(1, dtype=bool), np.zeros(1), AT, AT)


@dataclass(frozen=True, eq=False)
class Refusals(TreeEnsemble):
    """One small tree per box in which some member refuses: −1 inside, 0 outside.

    Above −½ all accept: the sum says the same as the level set about every point, so that whatever
    can read trees can read a level set. A search of cheapest advice need not begin with all boxes:
    `some` has the shortest, and `refusing` those around a point.
    """

    all_trees: AllTrees = field(kw_only=True)
    limit: int = field(kw_only=True)
    epsilon: float = field(kw_only=True)
    fingerprint: str = field(kw_only=True)

    @classmethod
    def of(cls, all_trees: AllTrees, limit: int, epsilon: float, fingerprint: str) -> "Refusals":
        """The boxes in which a tree of an objective of at most `limit` units, ε, refuses."""
        count = int(np.searchsorted(all_trees.paths.costs, limit, side="right"))
        return cls(
            boxes(all_trees, np.arange(count)),
            len(all_trees.cuts.schema),
            -0.5,
            probability=False,
            all_trees=all_trees,
            limit=limit,
            epsilon=epsilon,
            fingerprint=fingerprint,
        )

    @property
    def few(self) -> bool:
        """Whether a search may well begin with all boxes."""
        return len(self.trees.roots) <= MOST_BOXES

    @cached_property
    def some(self) -> TreeEnsemble:
        """The boxes to begin with, as an ordinary model: all of them if they are few."""
        if self.few:
            return self._model(self.trees)
        return self._model(boxes(self.all_trees, np.sort(self._by_length[:MOST_BOXES])))

    def refusing(self, point: Vector) -> TreeEnsemble | None:
        """Boxes around a point in which members refuse, or None if all members accept it."""
        literals = self.all_trees.literals(self.all_trees.cuts.holds(point[None]))[0]
        around = literals[self.all_trees.paths.literals[self._by_length]].all(axis=1)
        found = self._by_length[around][:FURTHER]
        return self._model(boxes(self.all_trees, found)) if len(found) else None

    def decided(self, X: Matrix, bounds: Bounds) -> tuple[str, ...]:
        """The path on which a member refuses one person wherever these bounds let them go."""
        place = int(self.all_trees.immovable(X, bounds)[0])
        within = self.all_trees.paths.costs[place] <= self.limit
        return self.all_trees.words(self.all_trees.path(place)) if within else ()

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the level set."""
        return self.fingerprint

    @cached_property
    def _by_length(self) -> Places:
        """The places of all boxes, the shortest first."""
        count = int(np.searchsorted(self.all_trees.paths.costs, self.limit, side="right"))
        return np.argsort(self.all_trees.paths.lengths[:count], kind="stable")

    def _model(self, trees: Trees) -> TreeEnsemble:
        return TreeEnsemble(trees, self.width, self.threshold)


def boxes(all_trees: AllTrees, places: Places) -> Trees:
    """One tree for each of some paths: −1 where all of its literals hold, 0 elsewhere."""
    asked = all_trees.paths.literals[places]
    equal = np.array([*(cut.equal for cut in all_trees.cuts.cuts), False])[asked >> 1].any(axis=1)
    lengths = all_trees.paths.lengths[places]
    parts = [_unfolded(all_trees, places[equal])] if equal.any() else []
    for k in range(1, all_trees.depth + 1):
        here = asked[~equal & (lengths == k), :k]
        if len(here):
            parts.append(_chains(all_trees, here.astype(np.int64)))
    return joined(parts or [NO_BOX])


def _chains(all_trees: AllTrees, literals: Places) -> Trees:
    """Paths of one length, all of whose cuts are plain splits: each split has a leaf beside it."""
    m, k = literals.shape
    inputs = np.array([cut.input for cut in all_trees.cuts.cuts])
    values = np.array([cut.value for cut in all_trees.cuts.cuts])
    shape, row = (m, 2 * k + 1), np.arange(m)
    feature, split, value = np.zeros(shape, np.int32), np.full(shape, np.inf), np.zeros(shape)
    left = np.tile(np.arange(shape[1]), (m, 1))
    at = np.zeros(m, np.int64)
    for d in range(k):
        cut = literals[:, d] >> 1
        feature[row, at], split[row, at], left[row, at] = inputs[cut], values[cut], 2 * d + 1
        at = 2 * d + 1 + (literals[:, d] & 1 == 0)
    value[row, at] = -1.0
    roots = row * shape[1]
    return Trees(
        feature.ravel(),
        split.ravel(),
        (left + roots[:, None]).ravel().astype(np.int32),
        np.ones(left.size, dtype=bool),
        value.ravel(),
        roots.astype(np.int32),
        np.full(m, k, np.int32),
    )


def _unfolded(all_trees: AllTrees, places: Places) -> Trees:
    """Paths that ask for categories."""
    questions: list[Question | None] = []
    values: list[float] = []
    roots = []
    for place in places.tolist():
        roots.append(len(questions))
        for literal in all_trees.path(place):
            here = len(questions)
            sides = (here + 2, here + 1) if literal & 1 else (here + 1, here + 2)
            questions += [all_trees.question(literal >> 1, *sides), None]
            values += [0.0, 0.0]
        questions.append(None)
        values.append(-1.0)
    return all_trees.unfolded(Branching(questions, values, roots))
