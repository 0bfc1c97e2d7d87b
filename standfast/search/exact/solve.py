"""Solving a program for people: the cheapest accepted point, with an honest ending."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.schema.condition import Condition
from standfast.search.exact.driver import Ending, Limit, Solution, drive, enlarged
from standfast.search.problem.contributions import UNJUDGED
from standfast.search.problem.lattice import Own
from standfast.search.problem.price import CHANGE, PER_CHANGE, Matrix, Vector
from standfast.search.problem.program import Program
from standfast.search.problem.refinement import parts_of

# boxes between two looks at the clock: some milliseconds
TURN = 2000
# boxes for a maximum whose inputs are tied by equalities, before it is halved, and for its ties
EASY = 2000
# what the open boxes have one of each
GROWING = (
    *("low", "high", "here", "want", "spent", "slack", "trees", "cut"),
    *("keys", "boxes", "unused"),
)
# levels that one person's search may add to an input, a second's work, and that it may have at
# all: boxes count them in 16 bits
MOST_ADDED, MOST_LEVELS = 4_000, 32_000
# costs closer than this are equal
TIE = 1e-12
# the incumbent's place among the open nodes' costs, whose kernels are imported late
INCUMBENT = 0


@dataclass(frozen=True)
class Alternatives:
    """Sets of changed inputs that an answer must not repeat, and how many it may change at most.

    `nested` forbids sets that contain one another, otherwise only equal ones. With `changes` None
    any number will do.
    """

    sets: NDArray[np.bool_]
    nested: bool = True
    changes: int | None = None

    @classmethod
    def sparse(cls, changes: int, inputs: int) -> "Alternatives":
        """Any answer with at most so many changes."""
        return cls(np.zeros((0, inputs), dtype=bool), changes=changes)


class Solver:
    """A program and the people it is solved for, one after another in the same workspace.

    `grown` says that somebody's search needed more room than usual.
    """

    turn = TURN

    def __init__(self, program: Program, X: Matrix) -> None:
        from standfast.compilation import Struct, zeros
        from standfast.search.exact import branch_and_bound, splitting
        from standfast.search.exact import open_nodes as open_nodes
        from standfast.search.exact import workspace as work
        from standfast.search.exact.state import Multipliers, SearchState, no_shares
        from standfast.search.local import first_answer
        from standfast.search.problem import levels as person

        self.grown, self._grain = False, grain_of(program)
        self._kernel: Any = branch_and_bound
        self._person, self._split = person, splitting
        self._inputs = np.arange(X.shape[1])
        self._laws, self._suspended = slice(len(program.models), len(program.needs)), False
        self._offers: Any = Struct(person.Offers(program.lattice.ranges, program.adds))
        self._walk: Any = None
        self._nothing_yet = Alternatives(np.zeros((0, X.shape[1]), dtype=bool))
        lattice, forest, models = program.lattice, program.joined_forest, len(program.needs)
        widest = lattice.widest * (2 if lattice.wide else 1)
        d, trees = len(lattice.domain), len(forest.nodes.roots)
        most = int(np.diff(forest.leaf_start).max(initial=0))
        numbers = person.narrow(lattice.widest), person.narrow(most)
        self._state: Any = Struct(
            SearchState(
                forest,
                program.needs - program.single.error,
                program.single,
                program.row,
                program.hints,
                program.relations,
                person.no_levels(lattice, len(program.sums)),
                person.no_leaves(lattice, forest, models),
                open_nodes.no_open_nodes(d, models, trees, *numbers, room=1024),
                work.no_workspace(d, models, trees, widest),
                np.zeros((0, d), dtype=bool),
                True,
                False,
                self._grain,
                d,
                zeros(Multipliers, {"d": d, "models": models}, slope=program.slopes),
                no_shares(d, widest),
            )
        )
        self._levels: Any = self._state.part_of("levels")
        self._find_first: Any = first_answer.find_first
        self._steps: Any = None
        if trees:  # sums alone are solved in less time than a first answer takes
            self._steps = Struct(first_answer.no_steps(program))
        self.meet(X, program)

    def meet(self, X: Matrix, program: Program) -> None:
        """Go on with other people; the program may differ in what they keep and in their time."""
        from standfast.compilation import Struct

        self.program, self._lattice, self.X = program, program.lattice, np.ascontiguousarray(X)
        self._mine = program.lattice.own(self.X, program.sums)
        self._own: Any = Struct(self._mine)
        rules = program.needs[len(program.models) : len(program.needs) - program.relations]
        self._law_needs = np.empty((len(X), len(rules) + program.relations))
        self._law_needs[:, : len(rules)] = rules
        self._law_needs[:, len(rules) :] = program.person_needs(self.X)

    def solve(
        self, i: int, limit: Limit | None = None, beside: Alternatives | None = None
    ) -> Solution:
        """The cheapest admissible point that every model accepts for person i.

        Of the points with the least maximal shift the one with the least total is chosen, by a
        second search among moves no larger than that maximum.
        """
        limit = limit or Limit()
        price = self.program.lattice.price
        tied = price.maximal and len(self._state.multipliers.slope) > 0
        start = replace(limit, boxes=min(limit.boxes, EASY)) if tied else limit
        first = self._search(i, start, beside, price.maximal, np.inf)
        if tied and first.proof == "limit" and first.boxes < limit.boxes and not limit.expired():
            first = self._halved(i, limit, beside, first)
            limit = replace(limit, boxes=min(limit.boxes, EASY))
        if not price.maximal or first.point is None:
            return first
        second = self._search(i, limit, beside, False, first.cost + TIE)
        if second.point is None or second.total > first.total + TIE:
            return first
        boxes = first.boxes + second.boxes
        return replace(first, point=second.point, total=second.total, boxes=boxes)

    def _halved(
        self, i: int, limit: Limit, beside: Alternatives | None, first: Solution
    ) -> Solution:
        """The least maximal shift by asking, again and again, what a given shift allows."""
        from standfast.search.exact.halving import least_maximum

        lattice = self._lattice
        self._set(i, np.inf)
        levels, shares = self._state.levels, lattice.percentiles.shares
        costs = [levels.cost[j, :n] - CHANGE for j, n in enumerate(levels.counts)]
        for j in lattice.wide_inputs:  # a level may hold values that cost more than its nearest
            costs += [np.abs(np.append(0.0, shares[lattice.domain.names[j]]) - self._own_places[j])]
        every = np.unique(np.round(np.maximum(np.concatenate(costs), 0.0), 12))
        every = every[np.isfinite(every)]  # a gap has no place

        def within(most: float, asked: Limit) -> Solution:
            found = self._search(i, asked, beside, False, most, PER_CHANGE)
            if found.point is None:
                return found
            x, point = self.X[i][None], found.point[None]
            cost, total = (
                float(replace(lattice.price, kind=kind).of(x, point, lattice.percentiles)[0])
                for kind in ("max", "total")
            )
            return replace(found, cost=cost, total=total)

        return least_maximum(first, every, limit, within)

    @property
    def own(self) -> Own:
        """What the search reads about people themselves."""
        return self._mine

    def _set(self, i: int, most: float, more: float = 0.0) -> None:
        self._costing = self._person.Costing.of(self._lattice, most, more)
        self._person.set_levels(self._levels, i, self._own, self._offers, self._costing)
        self._state.open_nodes.costs[INCUMBENT] = np.inf
        self._own_places, self._flat = self._mine.place[i, 0], self._mine.flat[i]
        self._state.needs[self._laws] = -UNJUDGED if self._suspended else self._law_needs[i]

    def _search(
        self,
        i: int,
        limit: Limit,
        beside: Alternatives | None,
        maximal: bool,
        most: float,
        more: float = 0.0,
    ) -> Solution:
        """The cheapest point, where no move costs more than `most`, and every change `more`."""
        self._set(i, most, more)
        if beside is None and not maximal and self._steps is not None:
            self._find_first(self._state, self._steps)
        beside = beside or self._nothing_yet
        d = len(self._inputs)
        most = d if beside.changes is None else min(beside.changes, d)
        self._state.update(
            sets=beside.sets,
            nested=beside.nested,
            maximal=maximal,
            changes=most,
            grain=0.0 if more else self._grain,
        )
        self._opening = 1
        return self._solution(drive(self, limit), maximal)

    @property
    def seen(self) -> int:
        """How many boxes were looked at."""
        return 0 if self._opening else int(self._state.open_nodes.numbers[self._kernel.SEEN])

    def explore(self, boxes: int) -> int:
        """Look at up to so many more boxes."""
        opening, self._opening = self._opening, 0
        return int(self._kernel.explore(self._state, boxes, opening))

    def help(self, status: int) -> bool:
        """More room, narrower levels, or a walk: whatever the kernel asks for."""
        if status == self._kernel.REFINE:
            return self._refine()
        if status == self._kernel.WALK:
            self._walk_once()
            return True
        grown = enlarged(self._state.open_nodes, GROWING)
        if grown is not None:
            self.grown = True
            self._state.update(open_nodes=self._state.open_nodes._replace(**grown))
        return grown is not None

    def _walk_once(self) -> None:
        """Look for better answers apart from the boxes: hard people only, so compiled for them."""
        from standfast.compilation import Struct
        from standfast.search.local import tabu

        levels = self._state.levels.cost
        if self._walk is None or self._walk.gain.shape[1] < levels.size + len(levels):
            self._walk = Struct(tabu.no_walk(self._state, self.program.depth))
        tabu.walk(self._state, self._walk)

    def _refine(self) -> bool:
        """Cut the level that the search asks for into narrower ones; False if there is no room."""
        from standfast.search.exact.open_nodes import GAINS, LACKS, WIDE_INPUT, WIDE_LEVEL

        program, state = self.program, self._state
        numbers = state.open_nodes.numbers
        j, k, m = (int(numbers[n]) for n in (WIDE_INPUT, WIDE_LEVEL, GAINS))
        near, far = state.levels.value[j, k], state.levels.far[j, k]
        row, lacks = int(program.row[m]), float(state.open_nodes.costs[LACKS])
        parts = parts_of(program, j, near, far, row, lacks)
        shift = np.abs(program.lattice.place(j, parts.value) - self._own_places[j])
        if not np.isnan(self._flat[j]):
            shift = np.full_like(shift, self._flat[j])
        cost = (shift**2 if self._costing.squared else shift) + self._costing.per_change
        kept = np.flatnonzero(shift <= self._costing.most)
        count = int(state.levels.counts[j]) + len(kept) - 1
        if count > min(MOST_LEVELS, program.lattice.widest + MOST_ADDED):
            return False
        if count >= state.levels.value.shape[1]:
            self._widen(2 * count)
        numbers[WIDE_INPUT] = -1
        self._split.make_room(state, j, k, len(kept) - 1)
        levels, here = state.levels, slice(k, k + len(kept))
        levels.value[j, here], levels.far[j, here] = parts.value[kept], parts.far[kept]
        levels.cost[j, here] = cost[kept]
        levels.wide[j, here] = parts.value[kept] != parts.far[kept]
        levels.contribution[:, j, here] = parts.contribution[:, kept]
        levels.most[:, j, here] = parts.most[:, kept]
        return True

    def _widen(self, room: int) -> None:
        """Room for more levels of each input."""
        levels, work, shares = self._state.levels, self._state.work, self._state.shares
        self.grown = True
        tables = ("value", "far", "cost", "cell", "contribution", "most", "wide")
        self._state.update(
            levels=levels._replace(
                **{name: _wider(getattr(levels, name), room) for name in tables}
            ),
            work=work._replace(
                enter=_wider(work.enter, room + 1), leave=_wider(work.leave, room + 1)
            ),
            shares=shares._replace(offer=_wider(shares.offer, room + 1)),
        )

    def solve_without_laws(self, i: int, limit: Limit) -> Solution:
        """The search for person i as if the schema had no rules, relations and coupled changes."""
        self._suspended = True
        try:
            return self.solve(i, limit)
        finally:
            self._suspended = False

    def impossible_rules(self, i: int) -> tuple[Condition, ...]:
        """The schema's rules that every admissible point of person i breaks, each on its own."""
        self._set(i, np.inf)
        reach, models = self._kernel.reach(self._state), len(self.program.models)
        laws = enumerate(self.program.rules)
        return tuple(law.condition for r, law in laws if reach[models + r] <= 0.0)

    def blocking(self, i: int) -> tuple[int, ...]:
        """The models that refuse every admissible point of person i, each on its own."""
        self._set(i, np.inf)
        reach = self._kernel.reach(self._state)
        return tuple(int(m) for m in np.flatnonzero(reach <= 0.0) if m < len(self.program.models))

    def _solution(self, ending: Ending, maximal: bool) -> Solution:
        levels, open_nodes, lattice = self._state.levels, self._state.open_nodes, self._lattice
        taken = np.flatnonzero(self._state.leaves.model_tree >= 0)
        binding = tuple(int(m) for m in taken if m < len(self.program.models))
        incumbent, lower = (float(open_nodes.costs[n]) for n in range(2))
        if not np.isfinite(incumbent):
            return ending.without_answer(lattice, lower, binding)
        point, moves = levels.value[self._inputs, open_nodes.best], self._moves()
        cost = lattice.reported(float(moves.max() if maximal else moves.sum()))
        return ending.with_answer(lattice, lower, binding, point, cost, float(moves.sum()))

    def _moves(self) -> Vector:
        """What the best point's moves cost, one by one."""
        levels, best = self._state.levels, self._state.open_nodes.best
        found: Vector = levels.cost[self._inputs, best] - CHANGE * (best != levels.start)
        return found


def _wider(table: NDArray[Any], room: int) -> NDArray[Any]:
    """The same table with room for more levels."""
    wider = np.zeros((*table.shape[:-1], room), table.dtype)
    wider[..., : table.shape[-1]] = table
    return wider


def grain_of(program: Program) -> float:
    """What every cost is a multiple of: percentile shifts count people of the reference table."""
    lattice = program.lattice
    grain = 1.0 / lattice.percentiles.rows
    counted = lattice.price.kind in ("total", "max") and lattice.price.per_change == 0.0
    counted = counted and not lattice.price.ladders
    counted = counted and not any(f.irregular for f in lattice.domain)
    return grain if counted and grain > 100.0 * len(lattice.domain) * CHANGE else 0.0
