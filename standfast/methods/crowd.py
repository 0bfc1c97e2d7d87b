"""Many models on one lattice: the reference, which must accept, and a crowd that is counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from standfast.errors import InputError
from standfast.methods.neighbourhood import (
    CUT,
    DEEPEST,
    INPUT,
    LEAF,
    LEFT,
    Jury,
    Nodes,
    Numbers,
    Views,
    fit_to,
    look_around,
)
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.scores import Score, TreeEnsemble
from standfast.scores.score import LOGISTIC
from standfast.search import person
from standfast.search.contributions import Sum
from standfast.search.lattice import Actions, Lattice, Own
from standfast.search.price import CHANGE, Price, Vector
from standfast.search.program import (
    TOLERANCE,
    Adds,
    Readable,
    checked,
    cuts_of,
    law_of,
    need,
    own_adds,
    summed_inputs,
)

# looks kept for one person: some megabytes
KEPT = 512


@dataclass(frozen=True, eq=False)
class Crowd:
    """The models and the schema's relations, ready to look around anybody's advice.

    Unlike a `Program` it keeps no leaves: a hundred forests are packed in a second. `sums` are the
    relations and those models that are weighted sums, `adds` what the lattice's values add to each;
    `size` is the number of counted models.
    """

    lattice: Lattice
    nodes: Nodes
    jury: Jury
    sums: tuple[Sum, ...]
    adds: Adds
    size: int

    @classmethod
    def build(
        cls,
        musts: Sequence[tuple[Score, float]],
        counted: Sequence[Score],
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        actions: Actions,
    ) -> "Crowd":
        """The crowd: scores that must accept with their margins, and scores that are counted."""
        asked = [*musts, *((score, 0.0) for score in counted)]
        models = [checked(score, i, len(domain)) for i, (score, _) in enumerate(asked)]
        for i, model in enumerate(models):
            if isinstance(model, TreeEnsemble) and model.trees.depths.max(initial=0) > DEEPEST:
                raise InputError(
                    f"model {i} has a tree that is {model.trees.depths.max()} splits deep; at most "
                    f"{DEEPEST} are searched: limit the depth of its trees"
                )
        laws: list[Sum] = [law_of(weights) for weights in domain.half_spaces.A]
        cuts = cuts_of([m for m in models if isinstance(m, TreeEnsemble)], len(domain))
        summed = summed_inputs(models, domain)
        offers = [actions] * len(domain)
        lattice = Lattice.build(domain, percentiles, price, cuts, summed, offers)
        sums = [*laws, *(m for m in models if not isinstance(m, TreeEnsemble))]
        needs, units = [-bound - TOLERANCE for bound in domain.half_spaces.b], [1.0] * len(laws)
        row, lines = list(range(len(laws))), len(laws)
        for model, (_, margin) in zip(models, asked, strict=True):
            slope = model.threshold * (1.0 - model.threshold) if model.link == LOGISTIC else 1.0
            needs.append(need(model, margin))
            if isinstance(model, TreeEnsemble):  # whose sum in 32 bits must exceed it, too
                needs[-1] += model.rounding_error * model.divisor
            units.append(slope / model.divisor if isinstance(model, TreeEnsemble) else slope)
            row.append(-1 if isinstance(model, TreeEnsemble) else lines)
            lines += not isinstance(model, TreeEnsemble)
        return cls(
            lattice,
            _joined([*laws, *models], lattice),
            Jury(
                np.array(needs),
                np.array(units),
                np.array(row, dtype=np.int32),
                len(laws),
                len(laws) + len(musts),
            ),
            tuple(sums),
            Adds.build(sums, lattice),
            len(counted),
        )


def _joined(judges: Sequence[Readable], lattice: Lattice) -> Nodes:
    """The nodes of all judges that are trees, their splits as cell numbers."""
    trees = [judge.trees if isinstance(judge, TreeEnsemble) else None for judge in judges]
    sizes = np.cumsum([0] + [0 if t is None else len(t.left) for t in trees])
    start = np.cumsum([0] + [0 if t is None else len(t.roots) for t in trees])
    node, value = np.zeros((sizes[-1], 3), dtype=np.int32), np.zeros(sizes[-1])
    roots = np.zeros(start[-1], dtype=np.int32)
    for t, (a, b), (first, last) in zip(trees, pairwise(sizes), pairwise(start), strict=True):
        if t is not None:
            node[a:b, INPUT], node[a:b, LEFT] = np.where(t.leaf, LEAF, t.feature), t.left + a
            value[a:b], roots[first:last] = t.value, t.roots + a
            for j in range(len(lattice.cuts)):
                asks = np.flatnonzero(node[a:b, INPUT] == j)
                node[a + asks, CUT] = np.searchsorted(lattice.cuts[j], t.split[asks])
    return Nodes(node, value, roots, start.astype(np.int64))


class Surroundings:
    """One person's levels and trees; `look` judges everything around a point.

    `input`, `level` and `cost` describe the columns of a look: every level of every input, and one
    more after each input's last.
    """

    def __init__(self, crowd: Crowd) -> None:
        lattice, nodes = crowd.lattice, crowd.nodes
        self.crowd = crowd
        self._looks: dict[bytes, Views] = {}
        self._levels = person.no_levels(lattice, len(crowd.sums))
        self._mine = Nodes(*map(np.empty_like, nodes))._replace(start=nodes.start)

    def of(self, x: Vector, most: float = np.inf) -> None:
        """Take up a person's case; no single move may cost more than `most`."""
        crowd, lattice, levels = self.crowd, self.crowd.lattice, self._levels
        values, places, cells = lattice.own(x[None])
        own = Own(values[0], places[0], cells[0], own_adds(crowd.sums, values)[0])
        price = lattice.price
        costing = person.Costing(
            price.per_change / lattice.scale + CHANGE, price.squared, most / lattice.scale
        )
        person.set_levels(levels, own, lattice.ranges, crowd.adds, costing)
        fit_to(crowd.nodes, levels, self._mine)
        self._looks.clear()
        self.counts, self.own = levels.counts.copy(), levels.start.copy()
        self._columns = np.concatenate(([0], np.cumsum(self.counts + 1)))
        size = int(self._columns[-1])
        self.input = np.repeat(np.arange(len(x)), self.counts + 1)
        self.level = np.arange(size) - self._columns[self.input]
        self.cost = levels.cost[self.input, np.minimum(self.level, self.counts[self.input] - 1)]

    def look(self, p: Numbers) -> Views:
        """What the judges say around the point at levels p.

        Searches with other cautions come by the same points: what was seen there is kept.
        """
        views = self._looks.get(p.tobytes())
        if views is None:
            size = len(self.input)
            views = Views(
                np.empty(size, dtype=np.bool_),
                np.empty(size, dtype=np.bool_),
                np.empty(size),
                np.empty(size),
            )
            look_around(self._mine, self.crowd.jury, self._levels, self._columns, p, views)
            if len(self._looks) == KEPT:
                self._looks.clear()
            self._looks[p.tobytes()] = views
        return views

    def here(self, p: Numbers) -> int:
        """A column that is the point itself."""
        return int(self._columns[0] + p[0])

    def deviations(self, p: Numbers) -> float:
        """The crowd's mean slack at p in its standard deviations."""
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
        found = [
            int(np.abs(self._levels.value[j, : self.counts[j]] - value).argmin())
            for j, value in enumerate(point)
        ]
        return np.array(found, dtype=np.int64)
