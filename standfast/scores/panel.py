"""Several models asked at once: all their trees in one compiled call."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.scores.score import Matrix, Score, checked
from standfast.scores.tree_ensemble import Nodes, TreeEnsemble, joined, read_only


@dataclass(frozen=True, eq=False)
class Panel:
    """Models of the same inputs whose scores are wanted together, for a few rows at a time.

    Calling a forest takes longer than its walk for one row, so all trees are walked in one call.
    The numbers are those that the models give themselves, to the last bit.
    """

    models: tuple[Score, ...]

    def score(self, X: Matrix) -> Matrix:
        """What each model says of each row: models by rows."""
        found = np.empty((len(self.models), len(X)))
        for k, model in enumerate(self.models):
            if not isinstance(model, TreeEnsemble):
                found[k] = model.score(X)
        if len(self._places):
            found[self._places] = self._of_trees(X)
        return found

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Which of the models are sums of trees."""
        return np.flatnonzero([isinstance(model, TreeEnsemble) for model in self.models])

    @cached_property
    def _of_trees(self) -> Callable[[Matrix], Matrix]:
        """The scores of the sums of trees, with the arrays of all of them one after another."""
        from standfast.compilation import Struct
        from standfast.scores.tree_kernel import sums_of_leaves

        ensembles = [model for model in self.models if isinstance(model, TreeEnsemble)]
        width = ensembles[0].width
        trees = joined([e.trees for e in ensembles])
        nodes: Any = Struct(Nodes.of(trees))
        roots, depths = read_only(trees.roots, np.int32), read_only(trees.depths, np.int32)
        start = np.cumsum([0] + [len(e.trees.roots) for e in ensembles])
        offsets, divisors, thresholds = np.array(
            [(e.offset, e.divisor, e.threshold) for e in ensembles], dtype=np.float64
        ).T.copy()
        single = np.array([e.single for e in ensembles], dtype=np.bool_)
        links = [
            (link, [e.link == link for e in ensembles]) for link in {e.link for e in ensembles}
        ]

        def scores(X: Matrix) -> Matrix:
            X = read_only(checked(X, width), np.float64)
            raw = sums_of_leaves(X, nodes, roots, depths, start, offsets, single)
            raw /= divisors[:, None]
            for link, whose in links:
                raw[whose] = link.apply(raw[whose])
            above: Matrix = raw - thresholds[:, None]
            return above

        return scores
