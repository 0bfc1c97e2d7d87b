"""The complete level set of sparse decision trees: all that are nearly as good as the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError, check_whole, type_of
from standfast.scores.score import Bools, Matrix, Vector, checked
from standfast.scores.sparse_trees.all_trees import AllTrees
from standfast.scores.sparse_trees.counting import Count, count
from standfast.scores.sparse_trees.cuts import USUAL, Cuts
from standfast.scores.sparse_trees.refusals import Refusals
from standfast.scores.sparse_trees.sample import Sample, Units, fraction_of
from standfast.scores.sparse_trees.tables import DEEPEST, NEVER, Costs
from standfast.scores.tree_ensemble import TreeEnsemble


class WorstTree(NamedTuple):
    """The best tree that refuses a point: the model, its objective, and the path that refuses."""

    model: TreeEnsemble
    objective: float
    path: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class TreeLevelSet:
    """All sparse trees at most ε worse than the best, as one score: above zero every tree accepts.

    The trees ask the yes-or-no questions `cuts`, at most `depth` in a row, and every leaf holds
    training people. Their objective is mistakes + leaf price · leaves; a tree belongs to the set
    if its objective is at most that of the best tree plus ε. None of them is listed: a point is
    refused by some member exactly if it lies in one of finitely many boxes, which are found by
    dynamic programming (docs/theory.md). Whole numbers make the threshold exact.

    The score of a point is how much more the best tree that refuses it costs than members may: by
    so much ε could grow, so a margin is a further ε.

    Examples
    --------
    >>> from standfast.datasets import twin
    >>> rivals = TreeLevelSet.fit(twin("heloc", n=2000, seed=0), depth=2, epsilon=0.01)
    >>> rivals
    TreeLevelSet: depth 2, ... cuts of 20 inputs, best objective 0..., ε = 0.01
    """

    trees: AllTrees
    epsilon: float
    settings: Mapping[str, Any]

    @classmethod
    def fit(
        cls,
        train: Dataset,
        *,
        depth: int = 3,
        leaf_price: float = 0.005,
        epsilon: float = 0.01,
        cuts: int | Mapping[str, Sequence[Any]] | TreeEnsemble | Cuts = USUAL,
        balanced: bool = False,
        smallest_leaf: int = 1,
        majority: bool = False,
    ) -> "TreeLevelSet":
        """The level set of sparse trees on these people.

        `cuts` is how many quantiles of each input are cut at, the values to cut at by input
        ({"age": [25, 40]}), or a tree ensemble, whose most used splits are taken; categories are
        cut off one by one, and missing values are a category of their own. `balanced` counts the
        mistakes on either class alike. `smallest_leaf` is how many training people a leaf holds at
        least. A leaf may have either verdict, as long as the tree is good enough; with `majority`
        it has the one that costs less (at a tie it accepts), as in TreeFARMS.

        Tables take at most 2 GiB, which allows some 330 cuts at depth 3 and 90 at depth 4 (120 and
        60 take 0.1 and 0.4 GiB); a set that needs more is refused before any work. The leaf price
        is read as the nearest fraction whose denominator is at most a million.
        """
        check_whole(depth=depth, smallest_leaf=smallest_leaf)
        if depth > DEEPEST:
            raise InputError(f"depth is {depth}; complete level sets go up to depth {DEEPEST}")
        for what, value in (("balanced", balanced), ("majority", majority)):
            if not isinstance(value, bool):
                raise InputError(f"{what} is {value!r}; it must be True or False")
        fraction_of("epsilon", epsilon)
        chosen = Cuts.of(train, cuts)
        holds = chosen.holds(train.schema.matrix(train.table))
        sample = Sample.of(holds, train.labels.to_numpy())
        if smallest_leaf > sum(sample.sizes):
            raise InputError(
                f"smallest_leaf is {smallest_leaf} and there are {sum(sample.sizes)} people; "
                "no tree has such a leaf"
            )
        units = Units.of(sample.sizes, leaf_price, balanced, smallest_leaf, majority)
        settings = {
            "leaf_price": float(leaf_price),
            "balanced": balanced,
            "smallest_leaf": smallest_leaf,
            "majority": majority,
        }
        return cls(AllTrees(chosen, sample, units, depth), float(epsilon), settings)

    def __post_init__(self) -> None:
        self._limit(0.0)
        if self.limit >= self.trees.paths.costs[-1]:
            raise InputError(
                f"epsilon is {self.epsilon:g}, but the tree that refuses everybody is only "
                f"{self.void_epsilon:.4g} worse than the best: nobody could be promised anything; "
                "choose a smaller epsilon"
            )

    def at(self, epsilon: float) -> "TreeLevelSet":
        """The same trees with another ε; the tables are shared."""
        fraction_of("epsilon", epsilon)
        return replace(self, epsilon=float(epsilon))

    def _limit(self, margin: float) -> int:
        """The greatest objective of a member in units, with so much more ε."""
        allowed = fraction_of("epsilon", self.epsilon) + (
            fraction_of("margin", margin) if margin >= 0 else -fraction_of("margin", -margin)
        )
        return self.trees.best + int(allowed * self.trees.units.scale // 1)

    @cached_property
    def limit(self) -> int:
        """The greatest objective of a member, in whole units."""
        return self._limit(0.0)

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.trees.cuts.schema)

    @property
    def probability(self) -> bool:
        """The score is a difference of objectives, not of probabilities."""
        return False

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the sample, the objective and ε."""
        t = self.trees
        bits = (t.sample.favourable, t.sample.others, t.sample.sizes)
        names = t.cuts.schema.names
        return digest(["tree level set", *bits, names, t.cuts.cuts, t.depth, t.units, self.epsilon])

    @property
    def objective(self) -> float:
        """The objective of the best tree."""
        return self.trees.best / self.trees.units.scale

    @property
    def void_epsilon(self) -> float:
        """The ε from which on the set holds the tree that refuses everybody; inf without one."""
        if self.trees.paths.costs[-1] >= NEVER:
            return np.inf
        return (int(self.trees.paths.costs[-1]) - self.trees.best) / self.trees.units.scale

    @cached_property
    def best(self) -> TreeEnsemble:
        """The best sparse tree, as a model: 1 where it accepts, 0 where it refuses."""
        return self.trees.ensemble(self.trees.best_tree())

    def score(self, X: Matrix) -> Vector:
        """V(x) − (best + ε): how far the best tree that refuses each row is from being a member."""
        return self._in_objective(self._costs(X) - self.limit)

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether every tree at most ε + margin worse than the best accepts each row."""
        return np.asarray(self._costs(X) > self._limit(margin))

    def surely_accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """The same: whole numbers leave nothing to rounding."""
        return self.accepts(X, margin)

    def epsilon_max(self, X: Matrix) -> Vector:
        """For each row V(x) − best: at every smaller ε all trees accept, from it on one refuses."""
        return self._in_objective(self._costs(X) - self.trees.best)

    def worst(self, x: Vector) -> WorstTree:
        """The best of the trees that refuse a point; a member if its objective is within ε."""
        X = checked(np.atleast_2d(x), self.width)
        if len(X) != 1:
            raise InputError(f"{len(X)} points are given; ask for the worst tree of one at a time")
        place = int(self.trees.refusals(X)[0])
        if self.trees.paths.costs[place] >= NEVER:
            raise InputError("no tree refuses this point, whatever its objective")
        return self._tree(place)

    def void(self, people: pd.DataFrame) -> pd.DataFrame:
        """Whom some tree of the set refuses whatever they may change; one row per person.

        `void` says so, `epsilon` from which ε on there is such a tree, and `path` on what it
        decides. Others may be beyond help, too, because of several trees together or of the
        schema's relations: `MinimalCost` proves that.
        """
        if not isinstance(people, pd.DataFrame):
            raise InputError(f"the people are {type_of(people)}; give a table, a pandas DataFrame")
        X = self.trees.cuts.schema.matrix(people)
        places = self.trees.immovable(X)
        costs = self.trees.paths.costs[places]
        within = costs <= self.limit
        paths = [
            " and ".join(self.trees.words(self.trees.path(int(place)))) if inside else ""
            for place, inside in zip(places, within, strict=True)
        ]
        excess = self._in_objective(costs - self.trees.best)
        return pd.DataFrame({"void": within, "epsilon": excess, "path": paths}, people.index)

    @cached_property
    def size(self) -> Count:
        """How many trees the set holds: exactly or, where that takes too long, between two numbers.

        Trees are different if they differ in a question or a verdict, and a split of two leaves
        with the same verdict is not counted.
        """
        return count(self.trees, self.limit)

    def shares(self, X: Matrix) -> Matrix:
        """The share of all trees of the set that accept each row: at least, and at most."""
        holds = self.trees.cuts.holds(checked(X, self.width))
        cells, whose = np.unique(holds, axis=0, return_inverse=True)
        found = [count(self.trees, self.limit, cell) for cell in cells]
        refusing = np.array(found, dtype=np.float64)
        lower, upper = self.size
        accepting = 1.0 - refusing.reshape(-1, 2)[:, ::-1] / np.array([lower, upper])
        shares: Matrix = np.clip(accepting, 0.0, 1.0)[whose.ravel()]
        return shares

    @property
    def refusals(self) -> Refusals:
        """The set as trees that a search can read: the boxes in which some member refuses."""
        return self.wider(0.0)

    def wider(self, margin: float) -> Refusals:
        """The boxes in which a tree at most ε + margin worse than the best refuses."""
        if margin not in self._read:
            limit = self._limit(margin)
            if limit >= self.trees.paths.costs[-1]:
                raise InputError(
                    f"epsilon and the margin are {self.epsilon + margin:g} together, but the tree "
                    f"that refuses everybody is only {self.void_epsilon:.4g} worse than the best: "
                    "choose a smaller margin"
                )
            fingerprint = digest([self.digest, margin]) if margin else self.digest
            found = Refusals.of(self.trees, limit, self.epsilon + margin, fingerprint)
            self._read[margin] = found
        return self._read[margin]

    @cached_property
    def _read(self) -> dict[float, Refusals]:
        """What was read once, by margin."""
        return {}

    def _tree(self, place: int) -> WorstTree:
        path = self.trees.path(place)
        model = self.trees.ensemble(self.trees.refusing_tree(path))
        objective = int(self.trees.paths.costs[place]) / self.trees.units.scale
        return WorstTree(model, objective, self.trees.words(path))

    def _costs(self, X: Matrix) -> Costs:
        """V(x) of each row, in units."""
        return self.trees.paths.costs[self.trees.refusals(checked(X, self.width))]

    def _in_objective(self, units: Costs) -> Vector:
        return np.where(units >= NEVER // 2, np.inf, units / self.trees.units.scale)

    def save(self, path: Path | str) -> None:
        """Write the set into a new JSON file: the questions, everybody's answers as bits, and ε."""
        from standfast.scores.sparse_trees.storage import write

        write(self, Path(path))

    @classmethod
    def load(cls, path: Path | str) -> "TreeLevelSet":
        """The set in a file, every field checked; the tables are made anew."""
        from standfast.scores.sparse_trees.storage import read

        return read(Path(path))

    def __repr__(self) -> str:
        t, d = self.trees, self.width
        return (
            f"TreeLevelSet: depth {t.depth}, {len(t.cuts)} cut{'s' * (len(t.cuts) != 1)} of {d} "
            f"input{'s' * (d != 1)}, best objective {self.objective:.4f}, ε = {self.epsilon:.4g}"
        )
