"""How many validation models could accept at all: the bound beside advice that falls short."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from standfast.scores import Score
from standfast.search.exact.driver import Limit
from standfast.search.exact.solve import Solver
from standfast.search.problem.price import Matrix
from standfast.search.problem.program import Program
from standfast.search.problem.trees import Readable

# boxes opened to prove that a model accepts nothing: most proofs take far fewer
BOXES = 2_000

Build = Callable[[Score], Program]


class Attainable:
    """Which validation models accept no advice that the reference accepts, person by person.

    Each of them is proven by an exact search with the reference and that model alone. A model whose
    structure cannot be read, or whose search did not end, might accept.
    """

    def __init__(self, models: Sequence[Score], build: Build, X: Matrix) -> None:
        self._models, self._build, self._X = models, build, X
        self._solvers: dict[int, Solver] = {}

    def most(self, i: int, accepting: NDArray[np.bool_], limit: Limit) -> int:
        """The most models that could accept advice for person i; `accepting` have accepted some."""
        limit = replace(limit, boxes=BOXES)
        refusing = [k for k in np.flatnonzero(~accepting).tolist() if self._never(i, k, limit)]
        return len(self._models) - len(refusing)

    def _never(self, i: int, k: int, limit: Limit) -> bool:
        if limit.expired() or not isinstance(self._models[k], Readable):
            return False
        if k not in self._solvers:
            self._solvers[k] = Solver(self._build(self._models[k]), self._X)
        return self._solvers[k].solve(i, limit).proof == "infeasible"
