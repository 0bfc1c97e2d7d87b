"""Proving that a model accepts, or refuses, everything that boxes hold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Schema
from standfast.schema.grid import Grid, inwards_on_grid
from standfast.scores import TreeEnsemble
from standfast.scores.rule import Law
from standfast.search.problem.forest import forest_of
from standfast.search.problem.price import Matrix, Vector
from standfast.search.problem.trees import INPUT, LEAF, LEFT, Nodes, cuts_of, gaps_to_the_left
from standfast.search.problem.trees import nodes_of as packed
from standfast.search.region.values import Admissible, values_in_cells

# values of an input that a half-space reads are taken one by one if there are so few
LISTED = 4096
# points that the kernel gave and that turned out to be none, before a box is left undecided
MISTAKES = 24
# open nodes of one search
STACK = 512

Bools = NDArray[np.bool_]
# what is found out about a point that the kernel gave
ACCEPTED, REFUTES, INADMISSIBLE = 0, 1, 2
Check = Callable[[NDArray[np.intp], Matrix], NDArray[np.uint8]]


class Findings(NamedTuple):
    """What became of each box: proven, or refuted by a point, or neither."""

    proven: Bools
    refuted: Bools
    points: Matrix

    def of(self, rows: NDArray[np.intp]) -> "Findings":
        """Those of some boxes."""
        return Findings(self.proven[rows], self.refuted[rows], self.points[rows])

    @classmethod
    def none(cls, n: int, d: int) -> "Findings":
        """Nothing found yet."""
        return cls(np.zeros(n, dtype=bool), np.zeros(n, dtype=bool), np.full((n, d), np.nan))


@dataclass(frozen=True, eq=False)
class TreeProver:
    """Whether Σ_t value of a point's leaf in tree t > need, for every admissible point of a box.

    By the worst leaves of each tree, and else by branch and bound with at most `limit` nodes. Built
    once for a model; threads share it, each in a room of its own.
    """

    schema: Schema
    cuts: tuple[Vector, ...]
    need: float
    limit: int
    _ground: Any = field(repr=False)
    _deepest: int
    _rooms: list[Any] = field(default_factory=list, repr=False)

    @classmethod
    def build(
        cls, model: TreeEnsemble, schema: Schema, need: float, limit: int, sign: float = 1.0
    ) -> "TreeProver":
        """The prover of a model's trees, their values times `sign`."""
        from standfast.compilation import Struct
        from standfast.search.region.ground import Ground

        trees = gaps_to_the_left(model, schema)
        rules = [gaps_to_the_left(Law.of(rule), schema) for rule in schema.rules]
        found = cuts_of([trees, *rules], len(schema))
        cuts = tuple(_listed(cut, j, schema) for j, cut in enumerate(found))
        nodes = packed([trees, *rules], cuts)
        members = np.searchsorted(nodes.roots, np.arange(len(nodes.value)), side="right") - 1
        own = members < nodes.start[1]
        value = np.where(own, sign, -1.0) * nodes.value
        nodes = nodes._replace(value=value)
        forest = forest_of(nodes, cuts, schema)
        codes = [_codes(f, cut) for f, cut in zip(schema, cuts, strict=True)]
        ground = Ground(
            forest,
            _least(nodes),
            int(nodes.start[1]),
            *values_in_cells(schema, cuts),
            np.cumsum([0, *map(len, codes)]).astype(np.int32),
            np.concatenate([*codes, np.empty(0)]).astype(np.int32),
            np.ascontiguousarray(schema.law_rows.reshape(-1, len(schema))),
        )
        depths = [int(m.trees.depths.max(initial=0)) for m in (trees, *rules)]
        return cls(schema, cuts, need, limit, Struct(ground), max(depths))

    def prove(self, asked: Admissible, check: Check, need: Vector | None = None) -> Findings:
        """What becomes of each box; `check` says of points whether they really refute it.

        It is asked with rows and points, and answers ACCEPTED where the model accepts after all,
        REFUTES where the point refutes, and INADMISSIBLE. Each box may need something else.
        """
        n, d = asked.lo.shape
        found = Findings.none(n, d)
        found.proven[:] = asked.empty
        todo = np.flatnonzero(~asked.empty)
        doubtful = np.zeros(n, dtype=bool)
        whose, known = np.empty(0, np.int64), np.empty((0, d), np.int32)
        for _ in range(MISTAKES):
            if not len(todo):
                break
            needs = np.full(len(todo), self.need) if need is None else need[todo]
            status, points = self._run(asked.some(todo), todo, needs, (whose, known))
            found.proven[todo[status == 0]] = True
            hit = todo[status == 1]
            answer = check(hit, points[status == 1])
            found.refuted[hit[answer == REFUTES]] = True
            found.points[hit[answer == REFUTES]] = points[status == 1][answer == REFUTES]
            doubtful[hit[answer == INADMISSIBLE]] = True
            todo = hit[answer != REFUTES]
            more = self._cells(points[status == 1][answer != REFUTES])
            whose, known = np.concatenate([whose, todo]), np.concatenate([known, more])
        found.proven[doubtful] = False
        return found

    def _run(
        self, asked: Admissible, rows: NDArray[np.intp], needs: Vector, excluded: Any
    ) -> tuple[NDArray[np.uint8], Matrix]:
        from standfast.compilation import Struct
        from standfast.search.region.ground import no_room
        from standfast.search.region.refuting import judge_boxes

        try:
            room = self._rooms.pop()
        except IndexError:
            open_nodes = min(STACK, self.limit + 2)
            room = Struct(no_room(self._ground._fields_, open_nodes, self._deepest))
        whose, known = excluded
        mine = np.isin(whose, rows)
        places = np.searchsorted(rows, whose[mine]).astype(np.int64)
        status, points = np.zeros(len(rows), np.uint8), np.empty(asked.lo.shape)
        found = (needs, places, np.ascontiguousarray(known[mine]), status, points)
        block: Any = Struct(self._asked(asked, found))
        judge_boxes(self.limit, block, self._ground, room)
        self._rooms.append(room)
        return status, points

    def _asked(self, given: Admissible, found: tuple[Any, ...]) -> Any:
        from standfast.search.region.ground import Asked

        nominal = np.array([f.kind == "nominal" for f in self.schema])
        low, high = self._cells(given.lo), self._cells(given.hi)
        home = np.where(given.own, self._cells(given.x), -1).astype(np.int32)
        low = np.where(home >= 0, np.minimum(low, home), low).astype(np.int32)
        high = np.maximum(high, home).astype(np.int32)
        special = (nominal & (given.lo < given.hi)) | given.own | given.holed
        inside = (given.lo <= given.y) & (given.y <= given.hi) & ~special
        inside |= given.y == given.lo
        y_cell = np.where(inside, self._cells(given.y), -1).astype(np.int32)
        codes = int(self._ground.code_start[-1])
        members = np.zeros((len(given), codes), dtype=bool)
        for j, held in given.members.items():
            start, end = self._ground.code_start[j : j + 2]
            members[:, start:end] = held[:, : end - start]
        b = self.schema.law_bounds(given.x) if len(self.schema.law_rows) else np.empty((0, 0))
        lacking = self.schema.lacking(given.x) | self.schema.lacking(given.y)
        b = b.reshape(len(given), -1)
        reads = (self.schema.law_rows != 0).astype(np.float64).reshape(-1, lacking.shape[1])
        b = np.where(lacking.astype(np.float64) @ reads.T > 0, np.inf, b)
        above = np.where(
            given.holed, inwards_on_grid(self.schema.grid, given.above, 1.0), given.above
        )
        parts = (low, high, given.lo, given.hi, given.x, given.y, y_cell, home)
        rest = (given.below, above, special, members, b)
        return Asked(*(np.ascontiguousarray(part) for part in (*parts, *rest)), *found)

    def _cells(self, values: Matrix) -> NDArray[np.int32]:
        found = np.empty(values.shape, dtype=np.int32)
        for j, cut in enumerate(self.cuts):
            found[:, j] = cut.searchsorted(values[:, j], side="left")
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Rooms stay where they are."""
        return {**self.__dict__, "_rooms": []}


def _listed(cuts: Vector, j: int, schema: Schema) -> Vector:
    """The thresholds of one input, and every value of it where a half-space reads it."""
    feature = schema.features[j]
    rows = schema.law_rows
    if not len(rows) or not (rows[:, j] != 0).any() or not feature.step or not feature.mutable:
        return cuts
    grid = Grid.of(feature)
    low, high = grid.keys(np.array([feature.lower, feature.upper], dtype=np.float64))
    if high - low >= LISTED:
        return cuts
    return np.unique(np.concatenate([cuts, grid.values(np.arange(low, high + 1))]))


def _codes(feature: Any, cuts: Vector) -> NDArray[np.intp]:
    """The cell of every code of a nominal input; none for another."""
    if feature.kind != "nominal" or feature.coder is None:
        return np.empty(0, dtype=np.intp)
    return np.searchsorted(cuts, np.arange(len(feature.coder.names)), side="left")


def _least(nodes: Nodes) -> Vector:
    """The least value of a leaf below each node."""
    found = nodes.value.copy()
    inner = np.flatnonzero(nodes.node[:, INPUT] != LEAF)
    left, open_nodes = nodes.node[:, LEFT], np.zeros(len(found), dtype=bool)
    open_nodes[inner] = True
    while len(inner):  # from the leaves up: a node is known once both of its children are
        ready = ~(open_nodes[left[inner]] | open_nodes[left[inner] + 1])
        now, inner = inner[ready], inner[~ready]
        found[now] = np.minimum(found[left[now]], found[left[now] + 1])
        open_nodes[now] = False
    return found


def all_of(findings: Sequence[Findings]) -> Findings:
    """What several models together make of boxes: proven by all, refuted by one."""
    first, *others = findings
    for found in others:
        points = np.where(first.refuted[:, None], first.points, found.points)
        first = Findings(first.proven & found.proven, first.refuted | found.refuted, points)
    return first
