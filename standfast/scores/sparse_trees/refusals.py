"""A tree level set as an exact search reads it: the boxes in which some member refuses."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.schema.bounds import Bounds
from standfast.scores.score import Matrix, Vector
from standfast.scores.sparse_trees.all_trees import AllTrees
from standfast.scores.tree_ensemble import TreeEnsemble
from standfast.scores.unfolding import Branching, Question

# boxes a search is given at first; further ones as it meets them, so many at a time
MOST_BOXES, FURTHER = 20_000, 500


@dataclass(frozen=True, eq=False)
class Refusals(TreeEnsemble):
    """One small tree per box in which some member refuses: −1 inside, 0 outside.

    Above −½ all accept: the sum says the same as the level set about every point, so that whatever
    can read trees can read a level set. Of more than `MOST_BOXES` boxes only some are here (`whole`
    is False), the shortest first; `refusing` gives further ones.
    """

    all_trees: AllTrees = field(kw_only=True)
    limit: int = field(kw_only=True)
    epsilon: float = field(kw_only=True)
    fingerprint: str = field(kw_only=True)
    whole: bool = field(default=True, kw_only=True)

    @classmethod
    def of(cls, all_trees: AllTrees, limit: int, epsilon: float, fingerprint: str) -> "Refusals":
        """The boxes in which a tree of an objective of at most `limit` units, ε, refuses."""
        costs, literals = all_trees.paths
        count = int(np.searchsorted(costs, limit, side="right"))
        chosen = np.arange(count)
        if count > MOST_BOXES:
            lengths = (literals[:count] < 2 * len(all_trees.cuts)).sum(axis=1)
            chosen = np.sort(np.argsort(lengths, kind="stable")[:MOST_BOXES])
        made = boxes(all_trees, chosen)
        return cls(
            made.trees,
            made.width,
            -0.5,
            probability=False,
            all_trees=all_trees,
            limit=limit,
            epsilon=epsilon,
            fingerprint=fingerprint,
            whole=count <= MOST_BOXES,
        )

    def refusing(self, point: Vector) -> "Refusals | None":
        """Boxes around a point in which members refuse, or None if all members accept it."""
        costs, literals = self.all_trees.paths
        count = int(np.searchsorted(costs, self.limit, side="right"))
        holds = self.all_trees.literals(self.all_trees.cuts.holds(point[None]))[0]
        around = np.flatnonzero(holds[literals[:count]].all(axis=1))
        if not len(around):
            return None
        shortest = np.argsort((literals[around] < len(holds) - 1).sum(axis=1), kind="stable")
        made = boxes(self.all_trees, around[shortest[:FURTHER]])
        return replace(self, trees=made.trees)

    def decided(self, X: Matrix, bounds: Bounds) -> tuple[str, ...]:
        """The path on which a member refuses one person wherever these bounds let them go."""
        place = int(self.all_trees.immovable(X, bounds)[0])
        within = self.all_trees.paths.costs[place] <= self.limit
        return self.all_trees.words(self.all_trees.path(place)) if within else ()

    @cached_property
    def plain(self) -> TreeEnsemble:
        """The same trees as an ordinary model."""
        return TreeEnsemble(self.trees, self.width, self.threshold)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the level set."""
        return self.fingerprint


def boxes(all_trees: AllTrees, places: NDArray[np.int64]) -> TreeEnsemble:
    """One tree for each of some paths: −1 where all of its literals hold, 0 elsewhere."""
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
    return all_trees.as_model(Branching(questions, values, roots), -0.5)
