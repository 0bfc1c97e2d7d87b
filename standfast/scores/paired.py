"""A scorecard with tables for pairs of inputs: a sum of functions and of small trees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from standfast.digests import digest
from standfast.scores.additive import Additive
from standfast.scores.score import IDENTITY, Link, Matrix, Structured, Vector, checked
from standfast.scores.tree_ensemble import TreeEnsemble, Trees


@dataclass(frozen=True, eq=False)
class Paired(Structured):
    """A score that adds up one function of each input, and trees that read several inputs.

    raw(x) = offset + Σ_j f_j(x_j) + Σ_t value of x's leaf in tree t, and the score is
    link(raw(x)) − threshold. An explainable boosting machine is one: its tables for pairs of inputs
    are the trees. The two parts are `additive` and `ensemble`, neither with a link of its own.

    >>> import numpy as np
    >>> from standfast.scores.tree_ensemble import Trees
    >>> one, several = np.array, np.zeros(3, dtype=np.int32)
    >>> trees = Trees(one([1, 0, 0]), one([4.0, np.inf, np.inf]), one([1, 1, 2]),
    ...     np.ones(3, dtype=bool), one([0.0, -1.0, 2.0]), several[:1], one([1]))
    >>> model = Paired([np.log1p, np.zeros_like], offset=0.5, trees=trees)
    >>> model.raw(np.array([[0.0, 4.0], [0.0, 5.0]]))
    array([-0.5,  2.5])
    """

    functions: Sequence[Callable[[Vector], Vector]]
    offset: float
    trees: Trees
    link: Link = IDENTITY
    threshold: float = 0.0
    prediction: Callable[[Matrix], Vector] | None = None

    def __post_init__(self) -> None:
        checked_parts = Additive(self.functions, self.offset, self.link, self.threshold)
        for name in ("functions", "offset", "threshold"):
            object.__setattr__(self, name, getattr(checked_parts, name))
        _ = self.ensemble  # which looks where the trees lead

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.functions)

    @cached_property
    def additive(self) -> Additive:
        """The part that reads inputs one by one, offset included."""
        return Additive(self.functions, self.offset, self.link, self.threshold)

    @cached_property
    def ensemble(self) -> TreeEnsemble:
        """The part that reads several inputs at once: its raw value is a plain sum of leaves."""
        return TreeEnsemble(self.trees, self.width, threshold=0.0, probability=False)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of both parts, the link and the threshold."""
        return digest(["paired", self.additive.digest, self.ensemble.digest])

    def raw(self, X: Matrix) -> Vector:
        """offset + Σ_j f_j(x_j) + the trees' leaves of each row."""
        X = checked(X, self.width)
        return self.additive.raw(X) + self.ensemble.raw(X)
