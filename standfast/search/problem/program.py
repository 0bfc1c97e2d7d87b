"""The program: any mixture of models, each with its margin, packed for the kernel.

A model is either a sum of trees or a weighted sum of one contribution per input; a schema's rule
is a tree that must accept, and its relations and coupled changes are weighted sums that must hold.
Built once for all people.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, type_of
from standfast.percentiles import Percentiles
from standfast.schema import Feature, Schema
from standfast.schema.grid import Grid
from standfast.schema.relation import ABSOLUTE, RELATIVE
from standfast.scores import Additive, Linear, Paired, Score, Segmented, TreeEnsemble
from standfast.scores.rule import Law
from standfast.search.problem.contributions import (
    HalfSpacePart,
    Sum,
    added_by,
    ends_of_bins,
    is_bounded,
    is_constant,
    is_monotone,
    most_over,
    slope_of,
)
from standfast.search.problem.forest import forest_of
from standfast.search.problem.lattice import LISTED, Actions, Lattice
from standfast.search.problem.pairs import as_trees, sum_above
from standfast.search.problem.price import Matrix, Price, Vector
from standfast.search.problem.trees import (
    Forest,
    Nodes,
    Readable,
    cuts_of,
    gaps_to_the_left,
    nodes_of,
)

# a little less than the tolerance of HalfSpaces.excess, so that the schema admits what is found
TOLERANCE, OF_SIZE = 0.9 * ABSOLUTE, 0.9 * RELATIVE


class Adds(NamedTuple):
    """What the ranges of a lattice add to weighted sums: sum × range, at both ends and at most.

    `monotone` says, sum × input, that the most is at an end unless an end is refused.
    """

    first: Matrix
    last: Matrix
    most: Matrix
    monotone: NDArray[np.bool_]

    @classmethod
    def build(cls, sums: Sequence[Sum], lattice: Lattice) -> "Adds":
        """What the lattice's ranges add to each of some sums."""
        ranges, d = lattice.ranges, len(lattice.domain)
        first, last, most = (np.empty((len(sums), len(ranges.first))) for _ in range(3))
        for r, model in enumerate(sums):
            for j, grid in enumerate(lattice.grids):
                here = slice(ranges.starts[j], ranges.starts[j + 1])
                ends, added = (ranges.first[here], ranges.last[here]), added_by(model, j)
                first[r, here], last[r, here] = (added(end) for end in ends)
                most[r, here] = most_over(model, j, grid, *ends)
        monotone = [[is_monotone(model, j) for j in range(d)] for model in sums]
        return cls(first, last, most, np.array(monotone, dtype=bool).reshape(len(sums), d))


class Singles(NamedTuple):
    """Which models add their trees in 32 bits, from which offset, and how far off that may be."""

    marked: NDArray[np.bool_]
    offset: Vector
    error: Vector

    @classmethod
    def build(cls, models: Sequence[Readable]) -> "Singles":
        """The marks of each model."""
        single = [m if isinstance(m, TreeEnsemble) and m.single else None for m in models]
        errors = [0.0 if m is None else m.rounding_error * m.divisor for m in single]
        offsets = [0.0 if m is None else m.offset for m in single]
        return cls(np.array([m is not None for m in single]), np.array(offsets), np.array(errors))


@dataclass(frozen=True, eq=False)
class Program:
    """Models, rules, relations and lattice, ready to be solved for one person after another.

    A model accepts where its sum exceeds `needs[m]`. Models come first in the order given, then the
    schema's `rules`, then so many `hints`, sums that are never below one of the models, then so
    many half-spaces (`relations`), whose needs `person_needs` gives.
    `row[m]` is the model's place among the weighted `sums`, whose values over the lattice's ranges
    are `adds`, or −1 if it is a sum of trees, which some add in 32 bits (`single`). Of the inputs
    `unproven` only some values are tried, so nothing is proven about all of them.
    """

    lattice: Lattice
    models: tuple[Readable, ...]
    sums: tuple[Sum, ...]
    needs: Vector
    single: Singles
    row: NDArray[np.int32]
    adds: Adds
    nodes: Nodes
    relations: int
    unproven: tuple[int, ...] = ()
    rules: tuple[Law, ...] = ()
    hints: int = 0

    def person_needs(self, X: Matrix) -> Matrix:
        """What each person's half-spaces ask for: those of changes depend on where they stand."""
        found: Matrix = -self.lattice.domain.law_bounds(X) - TOLERANCE
        return found

    def keeping(self, inputs: frozenset[int]) -> "Program":
        """The same program for people who leave these inputs as they are, too."""
        return self._sharing(replace(self, lattice=self.lattice.keeping(inputs)))

    def at(self, months: float | Vector) -> "Program":
        """The same program for people who have so many months, all of them or each as many."""
        return self._sharing(replace(self, lattice=self.lattice.at(months)))

    def _sharing(self, other: "Program") -> "Program":
        """The other program, with what was packed for this one."""
        packed = ("forest", "joined_forest", "slopes")
        other.__dict__.update({name: self.__dict__[name] for name in packed if name in vars(self)})
        return other

    def with_margins(self, margins: Sequence[float]) -> "Program":
        """The same models, asked for other margins; what was packed is shared."""
        needs = self.needs.copy()
        needs[: len(margins)] = [need(m, x) for m, x in zip(self.models, margins, strict=True)]
        self.joined_forest  # noqa: B018 packed once, and shared
        return self._sharing(replace(self, needs=needs))

    @property
    def depth(self) -> int:
        """How many splits deep the deepest tree is."""
        every = (*self.models, *self.rules)
        trees = [m.trees.depths for m in every if isinstance(m, TreeEnsemble)]
        return max((int(depths.max(initial=0)) for depths in trees), default=0)

    @cached_property
    def slopes(self) -> Matrix:
        """The slope of what each input adds to each sum, NaN where it is no straight line.

        There are none where no equality ties inputs together, or where all models are trees: the
        search bounds its sums one by one there.
        """
        domain = self.lattice.domain
        tied = any(law.equal for law in (*domain.relations, *domain.changes))
        if not tied or len(self.sums) == self.relations:
            return np.empty((0, len(domain)))
        found = [[slope_of(model, j) for j in range(len(domain))] for model in self.sums]
        return np.array(found)

    @cached_property
    def forest(self) -> Forest:
        """The trees with their leaves, each an interval of every input: regions read them."""
        return forest_of(self.nodes, self.lattice.cuts, self.lattice.domain)

    @cached_property
    def joined_forest(self) -> Forest:
        """The trees with their leaves, joined over categories: the exact search reads them."""
        lattice = self.lattice
        return forest_of(
            self.nodes, lattice.cuts, lattice.domain, joined=True, apart=lattice.wide_inputs
        )

    @classmethod
    def build(
        cls,
        models: Sequence[Score],
        margins: Sequence[float],
        domain: Schema,
        percentiles: Percentiles,
        price: Price,
        actions: Actions | None = None,
        rules: Sequence[Law] | None = None,
    ) -> "Program":
        """The program that asks every model for a score above its margin.

        It searches everything that the schema admits; with `actions`, what the grid offers. `rules`
        are the schema's as trees, where the domain does not hold them itself.
        """
        readable: list[Readable] = []
        for i, model in enumerate(models):
            found = checked(model, i, domain)
            if isinstance(found, TreeEnsemble):
                found = gaps_to_the_left(found, domain)
            readable.append(found)
        if rules is None:
            rules = [Law.of(rule) for rule in domain.rules]
        rules = [gaps_to_the_left(rule, domain) for rule in rules]
        forests = [m for m in readable if isinstance(m, TreeEnsemble) and actions is None]
        hints = [(m, above) for m in forests if (above := sum_above(m)) is not None]
        cuts = cuts_of([*readable, *rules], len(domain))
        if actions is None:
            cuts = [_with_bins(cuts[j], readable, j, f) for j, f in enumerate(domain)]
        summed = summed_inputs(readable, domain)
        unproven = () if actions else _unbounded(readable, domain)
        offers = [Actions(LISTED) if j in unproven else actions for j in range(len(domain))]
        lattice = Lattice.build(domain, percentiles, price, cuts, summed, offers)
        needs = [need(m, margin) for m, margin in zip(readable, margins, strict=True)]
        needs += [need(rule, 0.0) for rule in rules]
        asked = dict(zip(map(id, readable), needs, strict=False))
        needs += [_need_above(m, above, asked[id(m)]) for m, above in hints]
        sums: list[Sum] = [m for m in readable if not isinstance(m, TreeEnsemble)]
        laws = [law_of(weights, domain) for weights in domain.law_rows]
        needs += [-bound - TOLERANCE for bound in domain.half_spaces.b]
        needs += [np.nan] * len(domain.couplings.b)  # each person's own
        every = [*readable, *rules, *(above for _, above in hints), *laws]
        sums = [*sums, *(above for _, above in hints)]
        tree = np.array([isinstance(m, TreeEnsemble) for m in every], dtype=bool)
        return cls(
            lattice,
            tuple(readable),
            (*sums, *laws),
            np.array(needs),
            Singles.build(every),
            np.where(tree, -1, np.cumsum(~tree) - 1).astype(np.int32),
            Adds.build((*sums, *laws), lattice),
            nodes_of(every, cuts),
            len(laws),
            unproven,
            tuple(rules),
            len(hints),
        )


def _with_bins(cuts: Vector, models: Sequence[Readable], j: int, feature: Feature) -> Vector:
    """The cuts of one input, and the ends of the bins in which scorecards have it."""
    if not feature.mutable or not -np.inf < feature.lower <= feature.upper < np.inf:  # type: ignore[operator]
        return cuts
    ends = float(feature.lower), float(feature.upper)  # type: ignore[arg-type]
    sums = [m for m in models if not isinstance(m, TreeEnsemble)]
    found = [ends_of_bins(model, j, Grid.of(feature), *ends) for model in sums]
    return np.unique(np.concatenate([cuts, *found]))


def _unbounded(models: Sequence[Readable], domain: Schema) -> tuple[int, ...]:
    """The inputs with too many values to ask about each, where some sum bends both ways."""
    sums = [m for m in models if not isinstance(m, TreeEnsemble)]
    return tuple(
        j
        for j, feature in enumerate(domain)
        if feature.mutable and any(not is_bounded(model, j, feature) for model in sums)
    )


def need(model: Readable, margin: float) -> float:
    """What a model's sum must exceed: threshold, margin, and what rounding may hide."""
    asked = model.sure_cutoff(margin)
    if isinstance(model, TreeEnsemble):
        return asked * model.divisor - model.offset
    return asked - model.offset


def _need_above(model: TreeEnsemble, found: Additive, asked: float) -> float:
    """What the sum above a model must exceed: as much, but for the rounding of another order."""
    least = asked + model.offset - found.offset - model.rounding_error * model.divisor
    return least - 1e-9 * (1.0 + abs(least))


def checked(model: Score, i: int, domain: Schema) -> Readable:
    """The model, if its structure can be read and it reads the domain's inputs."""
    width = len(domain)
    if isinstance(model, Paired):
        model = as_trees(model, domain)
    if isinstance(model, Segmented):
        raise InputError(
            f"model {i} is segmented by '{model.column}', which advice may change; this search "
            "takes one model for everybody: use MinimalCost, or make the column immutable"
        )
    if not isinstance(model, Linear | Additive | TreeEnsemble):
        asked = getattr(model, "inner", model)  # where categories are laid out by price
        why = getattr(asked, "why", "")
        raise InputError(
            f"model {i} is {type_of(asked)}, whose structure cannot be read"
            f"{f' ({why})' if why else ''}; the exact search takes linear, additive and tree "
            "models: use GrowingSpheres for this one"
        )
    if model.width != width:
        raise InputError(f"model {i} reads {model.width} inputs, the schema has {width}")
    return model


def law_of(weights: Vector, domain: Schema) -> Additive:
    """a·x ≤ b as a sum that must exceed −b: −a·x and, input by input, the schema's tolerance."""
    parts = [
        HalfSpacePart(float(w), OF_SIZE, feature.tokens) if w else np.zeros_like
        for w, feature in zip(weights, domain, strict=True)
    ]
    return Additive(parts, 0.0)


def summed_inputs(models: Sequence[Readable], domain: Schema) -> list[bool]:
    """Which inputs some weighted sum or relation reads."""
    summed = (domain.law_rows != 0).any(axis=0)
    for model in models:
        if not isinstance(model, TreeEnsemble):
            summed = summed | ~np.array([is_constant(model, j) for j in range(len(domain))])
    return [bool(s) for s in summed]
