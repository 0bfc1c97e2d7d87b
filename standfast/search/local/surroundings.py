"""One person's surroundings: what the models say of every point one change away."""

from typing import Any

import numpy as np

from standfast.compilation import Struct
from standfast.scores import TreeEnsemble
from standfast.scores.score import LOGISTIC
from standfast.search.local.neighbourhood import (
    LANES,
    Judges,
    Judging,
    Numbers,
    Views,
    fit_to,
    look_around,
    no_neighbourhood,
)
from standfast.search.problem import levels
from standfast.search.problem.price import Vector
from standfast.search.problem.program import Program

# views kept for one person: some megabytes
KEPT = 512


def judges_of(program: Program, musts: int) -> Judges:
    """A program's models as judges: the first so many must accept, the others are counted."""
    units = np.ones(len(program.needs))
    for m, model in enumerate(program.models):  # in probability, near the threshold
        slope = model.threshold * (1.0 - model.threshold) if model.link == LOGISTIC else 1.0
        units[m] = slope / model.divisor if isinstance(model, TreeEnsemble) else slope
    # what adding in 32 bits may hide must be exceeded, too
    needs = program.needs + program.single.error
    return Judges(needs, units, program.row, musts, len(program.models))


class Surroundings:
    """One person's levels and trees; `look` judges everything around a point.

    `input`, `level` and `cost` describe the columns of a look: every level of every input, and one
    more after each input's last.
    """

    def __init__(self, program: Program, musts: int) -> None:
        lattice, d = program.lattice, len(program.lattice.domain)
        self.program = program
        self._views: dict[bytes, Views] = {}
        self._levels = levels.no_levels(lattice, len(program.sums))
        room = d * (self._levels.cost.shape[1] + 1)
        self._judging: Any = Struct(
            Judging(
                judges_of(program, musts),
                self._levels,
                no_neighbourhood(program.nodes, program.depth, d),
                np.zeros((LANES, room)),
                np.zeros(LANES),
            )
        )
        self._nodes: Any = Struct(program.nodes)
        self._offers: Any = Struct(levels.Offers(lattice.ranges, program.adds))

    def of(self, x: Vector, most: float = np.inf) -> None:
        """Take up a person's state; no single move may cost more than `most`."""
        lattice, mine = self.program.lattice, self._levels
        own: Any = Struct(lattice.own(x[None], self.program.sums))
        costing = levels.Costing.of(lattice, most / lattice.scale)
        levels.set_levels(self._judging.part_of("levels"), 0, own, self._offers, costing)
        fit_to(self._nodes, self._judging.part_of("levels"), self._judging.part_of("around"))
        first = len(self.program.needs) - self.program.relations
        self._judging.judges.needs[first:] = self.program.person_needs(x[None])[0]
        self._views.clear()
        self.counts, self.own = mine.counts.copy(), mine.start.copy()
        self._columns = np.concatenate(([0], np.cumsum(self.counts + 1)))
        size = int(self._columns[-1])
        self.input = np.repeat(np.arange(len(x)), self.counts + 1)
        self.level = np.arange(size) - self._columns[self.input]
        self.cost = mine.cost[self.input, np.minimum(self.level, self.counts[self.input] - 1)]

    def look(self, p: Numbers) -> Views:
        """What the judges say around the point at levels p.

        Searches with other cautions come by the same points: what was seen there is kept.
        """
        views = self._views.get(p.tobytes())
        if views is None:
            size = len(self.input)
            views = Views(
                np.empty(size, dtype=np.bool_),
                np.empty(size, dtype=np.bool_),
                np.empty(size),
                np.empty(size),
            )
            look_around(self._judging, p, views)
            if len(self._views) == KEPT:
                self._views.clear()
            self._views[p.tobytes()] = views
        return views

    def here(self, p: Numbers) -> int:
        """A column that is the point itself."""
        return int(self._columns[0] + p[0])

    def deviations(self, p: Numbers) -> float:
        """The counted models' mean slack at p in its standard deviations."""
        views, here = self.look(p), self.here(p)
        return float(views.mean[here] / views.spread[here])

    def ladder(self, j: int | np.intp) -> Vector:
        """What each level of input j costs."""
        found: Vector = self._levels.cost[j, : self.counts[j]]
        return found

    def costs(self, p: Numbers) -> Vector:
        """What each input's move to p costs."""
        found: Vector = self._levels.cost[np.arange(len(p)), p]
        return found

    def point(self, p: Numbers) -> Vector:
        """The point at levels p in table units."""
        found: Vector = self._levels.value[np.arange(len(p)), p]
        return found

    def levels_of(self, point: Vector) -> Numbers:
        """The levels of a point, such as another search's answer on a part of this lattice."""
        found = self.own.copy()  # where a value is missing, it stays so
        for j in np.flatnonzero(np.isfinite(point)):
            found[j] = int(np.abs(self._levels.value[j, : self.counts[j]] - point[j]).argmin())
        return found
