"""Which of many candidates is each person's nearest that the model accepts."""

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.scores import Score, TreeEnsemble
from standfast.scores.score import ROUNDING, surely_accepts
from standfast.scores.tree_ensemble import Nodes

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Judge:
    """A model that is asked for nearest candidates; several threads may ask it at a time."""

    model: Score
    _idle: deque[Any] = field(default_factory=deque, init=False, repr=False)

    def nearest(self, points: Matrix, owner: Indices, distance: Vector, people: int) -> Indices:
        """The place of each person's nearest accepted candidate, of equally near ones the last.

        −1 where none is accepted. Candidates of one owner lie side by side.
        """
        if self._trees is not None and np.isfinite(points).all():
            return self._by_votes(points, owner, distance, people)
        chosen = np.full(people, -1, np.intp)
        accepted = np.flatnonzero(surely_accepts(self.model, points))
        # farthest first, so that each person's nearest is written last
        accepted = accepted[np.argsort(-distance[accepted], kind="stable")]
        chosen[owner[accepted]] = accepted
        return chosen

    def _by_votes(self, points: Matrix, owner: Indices, distance: Vector, people: int) -> Indices:
        from standfast.compilation import Struct, zeros
        from standfast.search.sampling.tree_votes import Pruned, nearest_accepted

        trees: Any = self._trees
        try:
            pruned = self._idle.pop()
        except IndexError:
            nodes, sizes = len(trees.nodes.left), {"trees": len(trees.roots), "d": points.shape[1]}
            pruned = Struct(zeros(Pruned, {"nodes": nodes, "nodes+1": nodes + 1, **sizes}))
        chosen = nearest_accepted(points, owner, distance, people, trees, pruned)
        self._idle.append(pruned)
        return chosen

    @cached_property
    def _trees(self) -> Any:
        """The model's trees as the kernel reads them; None if it is no sum of trees in 64 bits."""
        from standfast.compilation import Struct
        from standfast.search.sampling.tree_votes import TreeSum

        model = self.model
        if not isinstance(model, TreeEnsemble) or model.single or not len(model.trees.roots):
            return None
        t, cutoff = model.trees, float(model.sure_cutoff())
        leaves = np.where(t.leaf, np.abs(t.value), 0.0)
        size = abs(model.offset) + np.maximum.reduceat(leaves, t.roots).sum()
        slip = 4.0 * ROUNDING * (len(t.roots) + 8) * (size + abs(cutoff * model.divisor))
        nodes = Nodes.of(t)
        roots = t.roots.astype(np.int64)
        numbers = float(model.offset), float(model.divisor), cutoff, float(slip)
        return Struct(TreeSum(nodes, roots, *numbers))
