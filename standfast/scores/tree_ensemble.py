"""Trees read from a library, in table units: scored by a compiled kernel, open to a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from standfast.digests import digest
from standfast.errors import InputError
from standfast.scores.score import (
    CLEARANCE,
    IDENTITY,
    ROUNDING,
    ROUNDING_32,
    Bools,
    Link,
    Matrix,
    Structured,
    Vector,
    checked,
)

Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Trees:
    """The nodes of all trees, one after the other, as flat arrays of one length.

    Node i asks whether `x[feature[i]] <= split[i]`, in 64 bits and in the table's own units: if so
    the row goes on to node `left[i]`, otherwise to `left[i] + 1`; a missing value goes left where
    `missing_left[i]`. A node with `left[i] == i` is a leaf and gives `value[i]` (its feature is 0
    and its split +inf, so that walking on stays where it is). Tree t begins at `roots[t]`, takes
    the nodes up to the next root level by level, and is `depths[t]` splits deep.
    """

    feature: Indices
    split: Vector
    left: Indices
    missing_left: Bools
    value: Vector
    roots: Indices
    depths: Indices

    @property
    def leaf(self) -> Bools:
        """Whether each node is a leaf."""
        return np.asarray(self.left == np.arange(len(self.left)))

    def __repr__(self) -> str:
        return f"<{len(self.roots)} trees, {len(self.left)} nodes>"


def joined(parts: Sequence[Trees]) -> Trees:
    """The trees of several models, one after another, as those of one."""
    starts = np.cumsum([0, *(len(part.left) for part in parts)]).tolist()
    moved = [
        replace(part, left=part.left + start, roots=part.roots + start)
        for part, start in zip(parts, starts, strict=False)
    ]
    return Trees(*(np.concatenate([getattr(p, f.name) for p in moved]) for f in fields(Trees)))


class Nodes(NamedTuple):
    """Nodes as the kernel reads them; unsigned numbers spare it the test for counting back."""

    feature: Indices
    split: Vector
    left: Indices
    missing_left: Bools
    value: Vector

    @classmethod
    def of(cls, trees: Trees) -> "Nodes":
        """The nodes of trees, in views that cannot be written to."""
        return cls(
            read_only(trees.feature, np.uint32),
            read_only(trees.split, np.float64),
            read_only(trees.left, np.uint32),
            read_only(trees.missing_left, np.bool_),
            read_only(trees.value, np.float64),
        )


@dataclass(frozen=True, eq=False)
class TreeEnsemble(Structured):
    """A model that adds up trees, seen from the favourable class.

    raw(x) = (offset + Σ_t value of x's leaf in tree t) / divisor: the mean vote of a forest, the
    log-odds of boosted trees, the mean path length of an isolation forest. The score is
    link(raw(x)) − threshold. `as_score` reads one from a fitted estimator.

    Parameters
    ----------
    trees : Trees
        The nodes of all trees as flat arrays.
    width : int
        How many inputs a row has.
    threshold, link : float, Link
        What must be exceeded, and how raw becomes the score's scale.
    probability : bool
        Whether that scale is a probability.
    offset, divisor : float
        As in the formula.
    single : bool
        Marks libraries that add in 32 bits, as we then do, too.
    prediction : callable, optional
        The estimator's own word, which decides what is accepted.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import standfast as sf
    >>> tree = DecisionTreeClassifier().fit(np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])
    >>> model = sf.as_score(tree, sf.Schema((sf.Feature("income"),)), favourable=1)
    >>> type(model).__name__, model.score(np.array([[1.0], [2.0]]))
    ('TreeEnsemble', array([-0.5,  0.5]))
    """

    trees: Trees
    width: int
    threshold: float = 0.5
    link: Link = IDENTITY
    probability: bool = True
    offset: float = 0.0
    divisor: float = 1.0
    single: bool = False
    prediction: Callable[[Matrix], Vector] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        t = self.trees
        # the kernel follows these numbers without looking where they lead
        for name, numbers, end in (
            ("read input", t.feature, self.width),
            ("lead to node", t.left + ~t.leaf, len(t.left)),
            ("begin at node", t.roots, len(t.left)),
        ):
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < end:
                odd = numbers[(numbers < 0) | (numbers >= end)][0]
                raise InputError(
                    f"the trees {name} {odd} but there are {end}, counted from 0; "
                    "read them again from the estimator and its own schema"
                )

    def raw(self, X: Matrix) -> Vector:
        """The library's own sum for each row: mean vote, log-odds or mean path length."""
        return self._sum(read_only(checked(X, self.width), np.float64)) / self.divisor

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether the estimator's own prediction exceeds the threshold by more than the margin."""
        X = checked(X, self.width)
        sure = np.ones(len(X), dtype=bool)
        if self.single:  # a row must not be accepted in company and refused alone
            sure = self.raw(X) > self.sure_cutoff(margin) - CLEARANCE
        if self.prediction is None:
            return sure & (self.score(X) > margin)
        return sure & np.asarray(self.prediction(X) - self.threshold > margin)

    def _hidden(self, margin: float, rounding: float = ROUNDING) -> float:
        return super()._hidden(margin, ROUNDING_32 if self.single else rounding)

    @cached_property
    def rounding_error(self) -> float:
        """How far a sum in 32 bits may be from the sum in 64: half a unit of each sum on the way.

        A sum on the way lies between the least and the greatest leaves of its trees.
        """
        if not self.single or not len(self.trees.roots):
            return 0.0
        values = np.where(self.trees.leaf, self.trees.value, np.nan)
        most = np.cumsum(np.fmax.reduceat(values, self.trees.roots))
        least = np.cumsum(np.fmin.reduceat(values, self.trees.roots))
        largest = np.maximum(np.abs(self.offset + most), np.abs(self.offset + least))
        return float(1.01 * ROUNDING_32 * largest.sum() / self.divisor)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the trees, the link and the threshold."""
        t = self.trees
        arrays = (t.feature, t.split, t.left, t.missing_left, t.value, t.roots, t.depths)
        numbers = (self.width, self.threshold, self.offset, self.divisor, self.single)
        return digest([*arrays, numbers, self.link])

    @cached_property
    def _sum(self) -> Callable[[Matrix], Vector]:
        """The kernel with this ensemble's arrays; compiled code loads when first asked for."""
        from standfast.compilation import Struct
        from standfast.scores.tree_kernel import sum_of_leaves

        t, offset, single = self.trees, float(self.offset), bool(self.single)
        # for one row, handing over a tuple would take a tenth of the time
        nodes: Any = Struct(Nodes.of(t))
        roots, depths = read_only(t.roots, np.int32), read_only(t.depths, np.int32)

        def total(X: Matrix) -> Vector:
            return sum_of_leaves(X, nodes, roots, depths, offset, single)

        return total

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: everything but the loaded kernel."""
        return {name: kept for name, kept in self.__dict__.items() if name != "_sum"}


Ensemble = TypeVar("Ensemble", bound=TreeEnsemble)


def read_only(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """A contiguous view that cannot be written to: the one kind the kernel is compiled for.

    Pickling, memory maps and pandas each decide anew whether an array is writable; every kind
    would be compiled on its own.
    """
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)
    view.flags.writeable = False
    return view
