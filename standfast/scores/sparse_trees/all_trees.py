"""Every sparse tree of a depth on a sample: what the best costs, and the best that refuse a point.

A tree that refuses a point sends it down a path to a refusing leaf. The path is a conjunction K of
literals, and the cheapest tree with this path has on the other side of each of its splits the best
subtree there. So the least objective of a tree that refuses x is the least κ(K) over the
conjunctions K that hold for x, and one table of κ judges every point.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.schema.bounds import Bounds
from standfast.scores.score import Bools, Matrix
from standfast.scores.sparse_trees.cuts import Cuts
from standfast.scores.sparse_trees.sample import Sample, Units
from standfast.scores.sparse_trees.tables import NEVER, Costs, Places, Tables, Words
from standfast.scores.tree_ensemble import TreeEnsemble, Trees
from standfast.scores.unfolding import Branching, Question, unfold

Conjunction = tuple[int, ...]  # literals, 2 · cut + 1 where the cut holds, by rising cuts

# bytes that the tables of one set may take
MOST_BYTES = 2**31
# rows judged at a time
ROWS = 4096


class Split(NamedTuple):
    """A split: where its cut holds, `yes` decides, elsewhere `no`; a leaf is its verdict."""

    cut: int
    yes: "Tree"
    no: "Tree"


Tree = Split | bool


class Paths(NamedTuple):
    """The conjunctions on which trees refuse, by rising cost of the cheapest such tree.

    Of each that counts: no part of it costs as little. Rows of `literals` are filled up with a
    literal that always holds, and the last row is the empty conjunction, the tree that refuses all,
    which costs `NEVER` if there is no such tree.
    """

    costs: Costs
    literals: NDArray[np.int16]

    @property
    def lengths(self) -> Places:
        """How many literals each conjunction has."""
        return np.asarray((self.literals < self.literals[-1, 0]).sum(axis=1))


@dataclass(frozen=True, eq=False)
class AllTrees:
    """The sparse trees of at most a depth on a sample, and their objective in whole units."""

    cuts: Cuts
    sample: Sample
    units: Units
    depth: int

    def __post_init__(self) -> None:
        needed = bytes_needed(len(self.cuts), self.depth)
        if needed > MOST_BYTES:
            most = next(q for q in range(len(self.cuts), 0, -1) if fits(q, self.depth))
            raise InputError(
                f"{len(self.cuts)} cuts at depth {self.depth} need tables of up to "
                f"{needed / 2**30:.1f} GiB, and {MOST_BYTES / 2**30:.0f} GiB are allowed; give at "
                f"most {most} cuts, or a smaller depth"
            )

    @cached_property
    def least_costs(self) -> Costs:
        """The least cost of a tree on each conjunction's people."""
        from standfast.scores.sparse_trees.kernel import least_costs

        return least_costs(self._tables)

    @cached_property
    def paths(self) -> Paths:
        """The conjunctions on which trees refuse."""
        from standfast.scores.sparse_trees import kernel

        room: tuple[Any, ...] = self._room(0)
        known = self._tables, self.least_costs, NEVER + 1
        count = kernel.refusing_paths(*known, *room)
        room = self._room(count)
        kernel.refusing_paths(*known, *room)
        costs, literals = room
        # by length among equals; the empty one costs most of all
        order = np.lexsort(((literals < literals[0, 0]).sum(axis=1), costs))
        order = np.append(order[order != 0], 0)
        return Paths(costs[order], np.ascontiguousarray(literals[order]))

    def _room(self, n: int) -> tuple[Costs, NDArray[np.int16]]:
        return np.empty(n, np.int64), np.empty((n, self.depth), np.int16)

    @property
    def best(self) -> int:
        """The objective of the best tree."""
        return int(self.least_costs[0])

    def refusals(self, X: Matrix) -> NDArray[np.int64]:
        """For each row, the place among the paths of the cheapest tree that refuses it."""
        found = [
            self._first(self.literals(self.cuts.holds(X[i : i + ROWS])))
            for i in range(0, len(X), ROWS)
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def immovable(self, X: Matrix, bounds: Bounds | None = None) -> NDArray[np.int64]:
        """The place of the cheapest tree that refuses each person whatever they may change."""
        holds = self.cuts.holds(X)
        fixed = self.cuts.fixed(X, bounds)
        return self._first(self.literals(holds & fixed, ~holds & fixed))

    def literals(self, holds: Bools, fails: Bools | None = None) -> Bools:
        """Rows of literals, 2 · cut + 1 where the cut holds; the last one always does."""
        found = np.ones((len(holds), 2 * holds.shape[1] + 1), dtype=bool)
        found[:, 1::2] = holds
        found[:, :-1:2] = ~holds if fails is None else fails
        return found

    def _first(self, literals: Bools) -> NDArray[np.int64]:
        from standfast.scores.sparse_trees.kernel import first_refusals

        return first_refusals(literals, *self.paths)

    def path(self, place: int) -> Conjunction:
        """The conjunction at a place among the paths."""
        return tuple(int(one) for one in self.paths.literals[place] if one < 2 * len(self.cuts))

    def words(self, literals: Conjunction) -> tuple[str, ...]:
        """What a conjunction says."""
        return tuple(self.cuts.words(one >> 1, bool(one & 1)) for one in literals)

    # trees

    def least(self, literals: Conjunction) -> int:
        """The least cost of a tree on a conjunction's people, with the depth that is left."""
        return int(self.least_costs[self.place(literals)])

    def leaf(self, literals: Conjunction, verdict: bool) -> int:
        """What a leaf costs; more than any tree where there are too few people for one."""
        good, others = self.sample.fitting(literals)
        o = self.units.objective
        refused, accepted = good * o.refused, others * o.accepted
        if good + others < o.least or (o.majority and verdict != (accepted <= refused)):
            return NEVER
        return o.leaf + (accepted if verdict else refused)

    def best_tree(self, literals: Conjunction = ()) -> Tree:
        """The best tree on a conjunction's people; of equal ones a leaf, or the first cut."""
        goal = self.least(literals)
        for verdict in (False, True):
            if self.leaf(literals, verdict) == goal:
                return verdict
        asked = {one >> 1 for one in literals}
        for cut in range(len(self.cuts)):
            if cut not in asked:
                yes, no = (_joined(literals, 2 * cut + side) for side in (1, 0))
                if self.least(yes) + self.least(no) == goal:
                    return Split(cut, self.best_tree(yes), self.best_tree(no))
        raise AssertionError("the tables hold a cost that no tree has")

    def refusing_tree(self, literals: Conjunction) -> Tree:
        """The cheapest tree that refuses on this path: the best order of its splits."""

        def ways(order: Conjunction) -> int:
            parts = [(*order[:i], one ^ 1) for i, one in enumerate(order)]
            return sum(self.least(tuple(sorted(part))) for part in parts)

        order = min(permutations(literals), key=ways)
        tree: Tree = False
        for i in range(len(order) - 1, -1, -1):
            here, other = order[i], self.best_tree(tuple(sorted((*order[:i], order[i] ^ 1))))
            tree = Split(here >> 1, tree, other) if here & 1 else Split(here >> 1, other, tree)
        return tree

    def ensemble(self, tree: Tree) -> TreeEnsemble:
        """A tree as a model in table units: 1 where it accepts, 0 where it refuses."""
        questions: list[Question | None] = []
        values: list[float] = []

        def place(node: Tree) -> int:
            here = len(questions)
            questions.append(None)
            values.append(float(node is True))
            if isinstance(node, Split):
                questions[here] = self.question(node.cut, place(node.yes), place(node.no))
            return here

        place(tree)
        trees = self.unfolded(Branching(questions, values, [0]))
        return TreeEnsemble(trees, len(self.cuts.schema))

    def question(self, cut: int, yes: int, no: int) -> Question:
        """What a node asks that leads on to two nodes."""
        j, value, equal = self.cuts.cuts[cut]
        if not equal:
            return Question(j, yes, no, True, value)
        coder = self.cuts.schema.features[j].coder
        assert coder is not None
        return Question(j, yes, no, False, members=np.arange(len(coder.names)) == value)

    def unfolded(self, branching: Branching) -> Trees:
        """Trees of our questions as plain trees."""
        return unfold(branching, frozenset(self.cuts.schema.gapped))

    # tables

    @cached_property
    def _tables(self) -> Any:
        from standfast.compilation import Struct
        from standfast.scores.sparse_trees.kernel import count_combinations

        q, sizes = len(self.cuts), range(self.depth + 1)

        def counted(columns: Words, n: int) -> Places:
            found = [count_combinations(columns, k, comb(q, k)) for k in sizes[1:]]
            return np.concatenate([np.array([n]), *found])

        choose = [[comb(i, k) for k in range(self.depth + 2)] for i in range(q + 1)]
        return Struct(
            Tables(
                q,
                self.depth,
                np.cumsum([0, *(comb(q, k) for k in sizes)]),
                self._starts,
                np.array(choose),
                counted(self.sample.favourable, self.sample.sizes[0]),
                counted(self.sample.others, self.sample.sizes[1]),
                self.units.objective,
            )
        )

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the conjunctions of each size begin."""
        sizes = [comb(len(self.cuts), k) << k for k in range(self.depth + 1)]
        return np.cumsum([0, *sizes])

    def place(self, literals: Conjunction) -> int:
        """Where a conjunction stands in tables of conjunctions."""
        k = len(literals)
        place = sum(comb(one >> 1, i + 1) for i, one in enumerate(literals))
        pattern = sum((one & 1) << i for i, one in enumerate(literals))
        return int(self._starts[k]) + (place << k) + pattern

    def extended(self, literals: Conjunction) -> tuple[Places, Places, Places]:
        """All further cuts, and where the conjunction with each stands: if it holds, or not."""
        k, q = len(literals), len(self.cuts)
        cuts = np.setdiff1d(np.arange(q), [one >> 1 for one in literals])
        before = np.searchsorted([one >> 1 for one in literals], cuts)
        place, pattern = np.zeros(len(cuts), np.int64), np.zeros(len(cuts), np.int64)
        for i, one in enumerate(literals):
            behind = before > i  # the cut comes after this literal
            place += np.where(behind, comb(one >> 1, i + 1), comb(one >> 1, i + 2))
            pattern += (one & 1) << np.where(behind, i, i + 1)
        place += self._tables.choose[cuts, before + 1]
        no = self._starts[k + 1] + (place << (k + 1)) + pattern
        return cuts, no + (1 << before), no

    @cached_property
    def leaf_costs(self) -> Costs:
        """What leaves cost on each conjunction's people, refusing and accepting."""
        from standfast.scores.sparse_trees.kernel import leaf_costs

        return leaf_costs(self._tables)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the sample, from which the tables are made anew."""
        return {name: self.__dict__[name] for name in ("cuts", "sample", "units", "depth")}


def bytes_needed(cuts: int, depth: int) -> int:
    """How many bytes the tables of so many cuts take at most.

    A conjunction of all lengths has its least cost, and in the worst case a path of its own, made
    in one order and sorted into another.
    """
    conjunctions = sum(comb(cuts, k) << k for k in range(depth + 1))
    return conjunctions * (8 + 2 * (8 + 2 * depth) + 8)


def fits(cuts: int, depth: int) -> bool:
    """Whether the tables of so many cuts are within what is allowed."""
    return bytes_needed(cuts, depth) <= MOST_BYTES


def _joined(literals: Conjunction, one: int) -> Conjunction:
    return tuple(sorted((*literals, one)))
